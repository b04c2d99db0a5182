"""The streaming job: texts to counts, counts to rows, folds over rows, a result in parts."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..cli.cluster import clusterer_of, on, out_folder, vectorizer, warn_of_languages
from ..cli.library_versions import versions
from ..cli.material import examples
from ..cli.output import Steps
from ..cli.result import RESULT, Outcome, record_of, summary_of_run, write_rest
from ..cli.settings import LargeSettings
from ..cluster.profile import Profile, k_profile
from ..document_clustering import DocumentClustering
from ..errors import InputError, OutgroupWarning
from ..pipeline import Fitted
from ..readers.corpus import mail_parts, read_blocks
from ..readers.documents import Corpus, all_in_words, reasons
from ..report.facts import Summary
from ..rows import connect
from ..rows.blocks import group_sizes
from ..rows.disk import JournalRows
from ..rows.shards import DamagedError
from ..rows.wrappers import MOST_SAMPLED
from ..seeds import Placed, Seeds, place, read_seeds
from ..session import Past
from ..session.reporting import shown_by, trust_of
from ..storage.atomic import new_folder
from ..storage.folders import stage
from ..text.collection import LABELLED_AWAY, Arranged, Collection
from ..text.representation import NO_WORD, Representation, Spaces
from ..text.tokenizer import LOOKED_AT, warn_of_pairs
from ..text.vectorizer import Vectorizer
from ..types import Array
from .counting import SAMPLED, Input, KeptBlocks, count_texts, fields_of, identity, ranges_of
from .memory import checks_trust, most_groups, needed
from .results import Judge, Written, require_arrow, warn_of_duplicates
from .results import write as write_table
from .tfidf import StreamMaterial, read_rows, write_rows
from .workers import read as read_on_workers
from .workers import temporary_rows

# --- The streaming job

_OF_A_GROUP = 4  # sampled documents per group for choosing the number of groups


def cluster(settings: LargeSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Cluster a streamed collection and write the result folder; return the outcome and the folder.

    Raises OutgroupError for invalid options, unreadable input or an unwritable result.
    """
    if settings.table in (None, "parquet"):
        require_arrow()
    words = vectorizer(settings)
    words.check_streams()
    _seeds(settings)
    target = out_folder(settings)
    RESULT.check(target, replace=settings.force)
    cluster = None if settings.cluster is None else connect.connected(settings.cluster)
    with (
        cluster or nullcontext() as client,
        stage(target, _about(settings), resume=settings.resume) as work,
        _advise_restart(),
        on(settings.threads),
        nullcontext() if client is None else temporary_rows(client, work),
    ):
        _warn_of_limits(settings, work)
        if client is None:
            material = read(settings, words, work, steps)
        else:
            material = read_on_workers(settings, words, work, client, steps)
        warn_of_pairs(material.words)
        warn_of_languages(settings, [each.text for _, each in material.drawn(LOOKED_AT)])
        settings, profile = numbered(settings, material, steps)
        clusterer = fit(settings, material, work, steps)
        with new_folder(target, RESULT, replace=settings.force) as folder:
            return write(settings, material, clusterer, profile, folder, steps), target


@contextmanager
def _advise_restart() -> Iterator[None]:
    """Advise a run without --resume for damaged rows."""
    try:
        yield
    except DamagedError as error:
        raise InputError(f"{error}: run again without --resume") from error


def read(settings: LargeSettings, words: Vectorizer, work: Path, steps: Steps) -> StreamMaterial:
    """Write counts and TF-IDF rows into the work folder, unless they exist."""
    if not (work / "rows").exists():
        fields, strip, on_share = fields_of(settings), mail_parts(settings.strip), steps.share_of("reading")
        blocks = partial(read_blocks, settings.docs, fields, strip=strip, on_share=on_share)
        documents = Input(blocks, ranges_of(settings.docs), fields, strip, on_share)
        seen = count_texts(settings.docs, documents, words.analyser, work, settings.seed)
        write_rows(words, seen, work, steps.of("weighing words"))
    return StreamMaterial(KeptBlocks(work / "blocks"), *read_rows(work))


def numbered(settings: LargeSettings, material: StreamMaterial, steps: Steps) -> tuple[LargeSettings, Profile | None]:
    """Choose the number of groups from a sample; return the settings and the profile, None for a given number."""
    if isinstance(settings.k, int):
        return settings, None
    n, most = material.rows.shape[0], max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings))
    drawn = np.random.default_rng(settings.seed).choice(n, min(n, most), replace=False)
    X = material.rows.sample(np.sort(drawn))
    profile = k_profile(X, settings.k, words=X, progress=steps.of("choosing the number of groups"))
    return replace(settings, k=profile.chosen), profile


def fit(settings: LargeSettings, material: StreamMaterial, work: Path, steps: Steps) -> Any:
    """Fit the clusterer by passes over the shards; a journal stores each pass."""
    started = settings if settings.n_init is not None else replace(settings, n_init=1)
    clusterer = clusterer_of(started)
    given: dict[str, Any] = {}
    if settings.universum is not None:
        given["universum"] = _universum(settings, material.words, steps)
    placed = _placed(settings, material)
    if placed is not None:
        given |= placed.arguments(np.arange(material.rows.shape[0]))
    steps("fitting")
    rows = JournalRows(material.rows, work / "fit", lambda passes, known: steps("fitting", passes))
    return clusterer.fit(rows, **given)


def _universum(settings: LargeSettings, words: Vectorizer, steps: Steps) -> Any:
    """Return the rows of the off-topic examples with a known word, or None."""
    found = examples(settings, steps)
    assert found is not None
    U = words.transform(found.texts)
    U = U[np.flatnonzero(np.diff(U.indptr))]
    if not U.shape[0]:
        message = "the off-topic examples share no word with the documents, so they have no effect"
        warnings.warn(message, OutgroupWarning, stacklevel=2)
    return U if U.shape[0] else None


def _seeds(settings: LargeSettings) -> Seeds | None:
    """Return the seeds; raises InputError for seeds that a stream does not support."""
    if settings.codebook is not None:
        raise InputError("--codebook is not supported in a stream: label documents with --seeds")
    if settings.seeds is None:
        return None
    seeds = read_seeds(settings.seeds)
    if seeds.off_topic:
        raise InputError(f"off_topic.documents of the seeds cannot be {LABELLED_AWAY} in a stream: use --universum")
    if any(group.words for group in seeds.clusters.values()):
        raise InputError("labelled words are not supported in a stream: label documents")
    return seeds


def _placed(settings: LargeSettings, material: StreamMaterial) -> Placed | None:
    """Return the seeds by row; only ids of labelled documents stay in memory."""
    seeds = _seeds(settings)
    if seeds is None:
        return None
    wanted = {each for group in seeds.clusters.values() for each in group.documents}
    found = [(identity, number) for identity, number in material.find(wanted) if material.has_row[number]]
    placed = place(seeds, [identity for identity, _ in found], material.words, settings.k)
    if placed.seeds is None:
        return placed
    pins = np.full(material.rows.shape[0], -1, dtype=np.int32)
    pins[material.row_of[[number for _, number in found]]] = placed.seeds
    return replace(placed, seeds=pins)


def _about(settings: LargeSettings) -> dict[str, Any]:
    """Return the values that must match for --resume."""
    free = {"threads", "out", "report_size", "table", "memory", "cluster"}
    given = {name: value for name, value in settings.parameters.items() if name not in free}
    return given | {
        "documents": identity(settings.docs),
        "outgroup": versions()["outgroup"],
        "workers": settings.cluster is not None,
    }


def _warn_of_limits(settings: LargeSettings, work: Path) -> None:
    if settings.memory is not None:
        message = f"streaming: about {needed(settings) / 1e9:.1f} GB of memory, and temporary files in {work}"
        warnings.warn(message, OutgroupWarning, stacklevel=2)
    if not (settings.quick or checks_trust(settings)):
        message = f"no trust for {most_groups(settings):,} groups: the sample has too few rows of each"
        warnings.warn(message, OutgroupWarning, stacklevel=2)


# --- The result of a stream: all assignments, and a report from a sample with exact sizes


def write(
    settings: LargeSettings,
    material: StreamMaterial,
    clusterer: Any,
    profile: Profile | None,
    folder: Path,
    steps: Steps,
) -> Outcome:
    """Write the result folder: all assignments, and the report from a sample with exact sizes."""
    steps("summing up")
    labels, clusterer.labels_ = clusterer.labels_, clusterer.labels_[:0]
    corpus, numbers = _sample(material)
    model = _model(material, clusterer, corpus, labels[numbers], numbers)
    skipped = Counter(skip.reason for _, kept in material.kept() for skip in kept.skipped)
    skipped[NO_WORD] += int(np.count_nonzero(~material.has_row))
    shown = shown_by(model, corpus.texts)
    trust = None
    if checks_trust(settings):  # by passes over all rows, and fits on subsamples
        every = (material.rows, labels)
        trust = trust_of(model, shown, every=every, progress=steps.of("checking the groups")).to_dict()
    record = _record(settings, material, record_of(settings, corpus, model, shown.rows, steps), +skipped)
    record |= {"trust": trust, "profile": None if profile is None else profile.to_dict()}
    record["correct"] = None  # the workbench needs all documents in memory
    summary = summary_of_run(corpus, model, shown, record, {})
    steps("writing")
    kind, names = settings.table or "parquet", [group.name for group in summary.groups]
    judge = Judge(DocumentClustering.from_state(model.to_state()), kind, names)
    flagged, over = _write_assignments(kind, folder, material.judged(judge, labels), len(material.blocks), steps)
    summary = _exact(summary, labels, flagged, over, record)
    outcome = Outcome(corpus, model, shown.verdicts, summary, record, Past.of_model(model, corpus.ids, corpus.texts))
    write_rest(outcome, folder)
    return outcome


def _sample(material: StreamMaterial) -> tuple[Corpus, Array]:
    """Return the documents of the report, and their rows."""
    found = material.drawn(SAMPLED)
    numbers, shown = [number for number, _ in found], [each for _, each in found]
    texts, ids, titles = ([getattr(each, name) for each in shown] for name in ("text", "id", "title"))
    known = None if not any(each.label for each in shown) else [each.label or "" for each in shown]
    return Corpus(ids, texts, titles, known), material.row_of[numbers]


def _model(
    material: StreamMaterial, clusterer: Any, corpus: Corpus, labels: Array, numbers: Array
) -> DocumentClustering:
    X = material.rows.sample(numbers)
    clusterer.labels_ = labels
    kept, order = np.ones(len(labels), dtype=bool), np.arange(len(labels))
    spaces = Spaces(corpus.texts, X, X)
    shown = Collection(corpus.ids, corpus.titles, corpus.texts, Representation(material.words), spaces, kept, None)
    return DocumentClustering.around(Fitted(clusterer, Arranged.of(shown, frozenset()), order), labels)


def _exact(summary: Summary, labels: Array, flagged: Array, over: Array, record: dict[str, Any]) -> Summary:
    """Return the summary of the sample with exact counts."""
    sizes, n = group_sizes(labels, len(summary.groups)).tolist(), len(labels)
    first = [f"{size:,} of all {n:,} documents are in this group." for size in sizes]
    groups = []
    for group, size, sentence in zip(summary.groups, sizes, first, strict=True):
        share, sentences = round(size / max(sum(sizes), 1), 6), [sentence, *group.sentences]
        off_topic = int(flagged[group.number])
        groups.append(replace(group, size=size, share=share, off_topic=off_topic, sentences=sentences))
    aside = summary.off_topic
    if aside is not None:
        count = int(np.count_nonzero(labels < 0)) + int(flagged.sum())
        counted = zip(aside.thresholds, over.tolist(), strict=True)
        aside = replace(aside, count=count, thresholds=[replace(each, flagged=n) for each, n in counted])
    why = all_in_words(record["skipped_by_reason"].items())
    run = summary.run | {"sample_of": n}
    about = {"skip_reasons": why, "run": run, "profile": record["profile"]}
    return replace(summary, n_documents=n, groups=groups, off_topic=aside, **about)


def _record(
    settings: LargeSettings, material: StreamMaterial, record: dict[str, Any], skipped: Counter[str]
) -> dict[str, Any]:
    found = reasons(("", reason) for reason in skipped.elements())
    n = material.rows.shape[0]
    stream = {"sample": min(SAMPLED, n), "memory_needed": needed(settings, n), "memory_peak": _peak(False)}
    stream["memory_peak_counting"] = _peak(True)
    return record | {
        "documents": n,
        "skipped": sum(skipped.values()),
        "skipped_by_reason": dict(found),
        "stream": stream,
    }


def _write_assignments(
    kind: str, folder: Path, blocks: Iterator[Written], n_blocks: int, steps: Steps
) -> tuple[Array, Array]:
    """Write the table of all documents, and warn about duplicate ids.

    Returns the number of documents flagged, by group (k,), and above each threshold (t,).
    """
    seen, flagged, over = list[Array](), np.zeros((), dtype=np.int64), np.zeros((), dtype=np.int64)

    def contents() -> Iterator[Any]:
        nonlocal flagged, over
        for number, block in enumerate(blocks, start=1):
            seen.append(block.ids)
            flagged, over = flagged + block.flagged, over + block.over
            yield block.content
            steps("writing", number, n_blocks)
        warn_of_duplicates(seen)

    write_table(kind, folder, contents())
    return flagged, over


def _peak(others: bool) -> int | None:
    """Return the peak memory of this process, or of its `others`, in bytes; None if unknown."""
    try:
        import resource
    except ImportError:
        return None
    scale = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN if others else resource.RUSAGE_SELF).ru_maxrss * scale
