"""The job of a collection larger than memory: texts to counts, counts to rows, folds over these, a result in parts."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, OutgroupWarning
from ...model import DocumentClustering
from ...model.fitting import spread
from ...report.facts import Summary
from ...report.render import render
from ...report.summary import clusters_json
from ...rows.dask import DaskRows
from ...rows.disk import DiskRows
from ...rows.journal import JournalRows
from ...session import Past
from ...session.assess import Verdicts, judge
from ...session.summary import shown_by
from ...steering.seeds import Placed, Seeds, place, read_seeds
from ...storage import state as storage
from ...storage.atomic import new_folder
from ...storage.stage import stage
from ...text.collection import LABELLED_AWAY, Arranged, Collection
from ...text.reading.blocks import read_blocks
from ...text.reading.collection import Corpus
from ...text.reading.corpus import read_corpus
from ...text.reading.documents import Skip
from ...text.reading.reasons import reason_in_words, reasons
from ...text.representation import NO_WORD, Representation, Spaces
from ...text.vectorize import Vectorizer
from ...types import Array
from ..clusterers import clusterer_of
from ..jobs import on, out_folder
from ..material import READ, reading_of, tell_of_skips, without_roles
from ..progress import Steps
from ..result import GROUPS, MODEL, RESULT, RUN, Outcome, record_of, summary_of_run, write_json
from ..settings import LargeSettings
from ..versions import versions
from ..words import vectorizer
from .choice import needed
from .counting import count_texts
from .kept import SAMPLED, Kept, KeptBlocks
from .reading import fields_of, identity, strip_of
from .results import Judged, telling_of_doubles
from .results import check as check_table
from .results import write as write_table
from .weighing import weigh_counts, weighed


@dataclass(frozen=True)
class Material:
    """The documents of a stream: what is kept of them, their words and rows, and which have one, (n,) bool."""

    blocks: KeptBlocks
    words: Vectorizer
    rows: DiskRows | DaskRows
    has_row: Array

    @property
    def row_of(self) -> Array:
        """The row of each document, (n,), of no meaning for one that has none."""
        return np.cumsum(self.has_row) - 1

    def documents(self) -> Iterator[tuple[int, Kept]]:
        """Yield each block with the number of documents before it."""
        first = 0
        for number in range(len(self.blocks)):
            kept = self.blocks.documents(number)
            yield first, kept
            first += len(kept.ids)


def cluster(settings: LargeSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Find the groups of a collection that is read in a stream, and write the result's folder; returns both.

    Raises OutgroupError for whatever cannot be used, read or written.
    """
    check_table(settings.table)
    words = vectorizer(settings)
    words.check_streams()
    _seeds(settings)
    target = out_folder(settings)
    RESULT.check(target, replace=settings.force)
    about = _about(settings)
    workers = nullcontext() if settings.cluster is None else _connected(settings.cluster)
    with workers as client, stage(target, about, resume=settings.resume) as work, on(settings.threads):
        _tell(settings, work)
        material = (
            read(settings, words, work, steps) if client is None else _parted(settings, words, work, client, steps)
        )
        clusterer = fit(settings, material, work, steps)
        with new_folder(target, RESULT, replace=settings.force) as folder:
            outcome = _write(settings, material, clusterer, folder, steps)
    return outcome, target


def read(settings: LargeSettings, words: Vectorizer, work: Path, steps: Steps) -> Material:
    """Count and weigh the words of all documents into the work folder, as far as that is not done."""
    if not (work / "rows").exists():
        heard = _shares(steps, "reading")
        fields, strip = fields_of(settings), strip_of(settings)
        seen = count_texts(
            lambda behind: read_blocks(settings.docs, fields, strip=strip, behind=behind, heard=heard),
            words, work, settings.seed,
        )  # fmt: skip
        weigh_counts(words, seen, work, steps.of("weighing words"))
    return Material(KeptBlocks(work / "blocks"), *weighed(work))


def _connected(address: str) -> AbstractContextManager[Any]:
    from ...rows.dask import connected

    return connected(address)


def _parted(settings: LargeSettings, words: Vectorizer, work: Path, client: Any, steps: Steps) -> Material:
    from .workers import read as read_on_workers

    return Material(*read_on_workers(settings, words, work, client, steps))


def fit(settings: LargeSettings, material: Material, work: Path, steps: Steps) -> Any:
    """Fit the clusterer by passes over the shards, each of which is written down."""
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
    """Return the rows of the off-topic examples that have a known word."""
    reading = without_roles(reading_of({name: getattr(settings, name) for name in READ}))
    examples = read_corpus(settings.universum, progress=steps.of("reading off-topic examples"), **reading)  # type: ignore[arg-type]
    tell_of_skips(examples)
    U = words.transform(examples.texts)
    U = U[np.flatnonzero(np.diff(U.indptr))]
    if not U.shape[0]:
        said = "no document of the universum has a word that is known from the texts; it can steer nothing"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    return U if U.shape[0] else None


def _seeds(settings: LargeSettings) -> Seeds | None:
    """Return the seeds, as far as a stream can follow them; raises InputError for others."""
    if settings.seeds is None:
        return None
    seeds = read_seeds(settings.seeds)
    if seeds.off_topic:
        raise InputError(f"off_topic.documents of the seeds cannot be {LABELLED_AWAY} in a stream; use --universum")
    if any(group.words for group in seeds.clusters.values()):
        raise InputError("labelled words are looked up in memory, and a stream does not lie there; label documents")
    return seeds


def _placed(settings: LargeSettings, material: Material) -> Placed | None:
    """Return the seeds over the rows; only the ids of labelled documents are held."""
    seeds = _seeds(settings)
    if seeds is None:
        return None
    wanted = {each for group in seeds.clusters.values() for each in group.documents}
    found = [
        (identity, first + number)
        for first, kept in material.documents()
        for number, identity in enumerate(kept.ids)
        if identity in wanted and material.has_row[first + number]
    ]
    placed = place(seeds, [identity for identity, _ in found], material.words, settings.k)
    if placed.seeds is None:
        return placed
    pins = np.full(material.rows.shape[0], -1, dtype=np.int32)
    pins[material.row_of[[number for _, number in found]]] = placed.seeds
    return replace(placed, seeds=pins)


def _write(settings: LargeSettings, material: Material, clusterer: Any, folder: Path, steps: Steps) -> Outcome:
    """Fill the result's folder: assignments in parts, and the rest from a sample and the exact sizes."""
    steps("summing up")
    labels, clusterer.labels_ = clusterer.labels_, clusterer.labels_[:0]
    corpus, numbers = _sample(material)
    model = _model(material, clusterer, corpus, labels[numbers], numbers)
    skipped = Counter(reason for _, kept in material.documents() for _, reason, _ in kept.skipped)
    skipped[NO_WORD] += int(np.count_nonzero(~material.has_row))
    record = _record(settings, material, record_of(settings, corpus, model, steps), +skipped)
    summary = summary_of_run(corpus, model, shown_by(model), record, {})
    steps("writing")
    flagged = np.zeros(len(summary.groups), dtype=np.int64)
    names = [group.name for group in summary.groups]
    blocks = _judged(material, model, labels, flagged)
    write_table(settings.table, folder, telling_of_doubles(_counted(blocks, material, steps)), names)
    summary = _exact(summary, labels, flagged, record)
    outcome = Outcome(
        corpus, model, shown_by(model).verdicts, summary, record, Past.of_model(model, corpus.ids, corpus.texts)
    )
    write_json(folder / GROUPS, [group | {"version": 1} for group in clusters_json(summary)])
    (folder / "report.html").write_text(render(summary, settings.report_size), encoding="utf-8")
    (folder / MODEL).mkdir()
    storage.write(folder / MODEL, model.to_state())
    write_json(folder / RUN, record | {"timings": steps.timings})
    return outcome


def _sample(material: Material) -> tuple[Corpus, Array]:
    """Return the documents that the report shows, and their rows."""
    row_of = material.row_of
    found = sorted(
        (priority, first + row, text, kept.ids[row], kept.titles[row], kept.labels and kept.labels[row])
        for first, kept in material.documents()
        for row, priority, text in kept.shown
        if material.has_row[first + row]
    )[:SAMPLED]
    found.sort(key=lambda each: each[1])
    _, numbers, texts, ids, titles, labels = map(list, zip(*found, strict=True))
    known = None if not any(labels) else [label or "" for label in labels]
    return Corpus(ids, texts, titles, known), row_of[numbers]


def _model(material: Material, clusterer: Any, corpus: Corpus, labels: Array, numbers: Array) -> DocumentClustering:
    X = material.rows.sample(numbers)
    clusterer.labels_ = labels
    kept, order = np.ones(len(labels), dtype=bool), np.arange(len(labels))
    spaces = Spaces(corpus.texts, X, X)
    shown = Collection(corpus.ids, corpus.titles, corpus.texts, Representation(material.words), spaces, kept, None)
    return DocumentClustering.around(clusterer, Arranged.of(shown, frozenset()), labels, order=order)


def _judged(material: Material, model: DocumentClustering, labels: Array, flagged: Array) -> Iterator[Judged]:
    """Yield each block with what the model says of it; `flagged` (k,) counts what is off-topic within groups."""
    row_of = material.row_of
    for first, kept in material.documents():
        n = len(kept.ids)
        has_row = material.has_row[first : first + n]
        rows = row_of[first : first + n][has_row]
        verdicts = judged(model, material.rows.sample(rows), has_row, spread(labels[rows], has_row, -1, np.int32))
        if verdicts.off_topic is not None and not verdicts.aside:
            over = np.flatnonzero(verdicts.off_topic)
            flagged += np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(flagged))
        yield Judged(kept.ids, kept.titles, [Skip(*each) for each in kept.skipped], verdicts)


def judged(model: DocumentClustering, X: Any, has_row: Array, labels: Array | None) -> Verdicts:
    """Return the verdicts on a block of documents, of which those that have a row are `X`."""
    return judge(model, Spaces([""] * X.shape[0], X, X), has_row, labels)


def _exact(summary: Summary, labels: Array, flagged: Array, record: dict[str, Any]) -> Summary:
    """Return the summary of the sample with the sizes of all documents."""
    inside = labels[labels >= 0]
    sizes, n = np.bincount(inside, minlength=len(summary.groups)).tolist(), len(labels)
    said = [f"{size:,} of all {n:,} documents are in this group." for size in sizes]
    groups = [
        replace(
            group, size=size, share=round(size / max(len(inside), 1), 6), off_topic=int(flagged[group.number]),
            sentences=[sentence, *group.sentences],
        )
        for group, size, sentence in zip(summary.groups, sizes, said, strict=True)
    ]  # fmt: skip
    off_topic = summary.off_topic
    if off_topic is not None:
        count = int(np.count_nonzero(labels < 0)) + int(flagged.sum())
        off_topic = replace(off_topic, count=count)
    why = [(reason_in_words(reason, count), count) for reason, count in record["skipped_by_reason"].items()]
    run = summary.run | {"sample_of": n}
    return replace(summary, n_documents=n, groups=groups, off_topic=off_topic, skip_reasons=why, run=run)


def _record(
    settings: LargeSettings, material: Material, record: dict[str, Any], skipped: Counter[str]
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


def _counted(blocks: Iterator[Judged], material: Material, steps: Steps) -> Iterator[Judged]:
    for number, block in enumerate(blocks, start=1):
        yield block
        steps("writing", number, len(material.blocks))


def _about(settings: LargeSettings) -> dict[str, Any]:
    """Return what must be the same for a run to be gone on with."""
    free = {"threads", "out", "report_size", "table", "memory", "cluster"}
    told = {name: value for name, value in settings.parameters.items() if name not in free}
    return told | {
        "documents": identity(settings.docs),
        "outgroup": versions()["outgroup"],
        "workers": settings.cluster is not None,
    }


def _shares(steps: Steps, name: str) -> Callable[[float | None], None]:
    """Show how far the input is read, in percent; nothing where nobody knows."""
    steps(name)
    return lambda share: steps(name, 0, None) if share is None else steps(name, round(100 * share), 100)


def _tell(settings: LargeSettings, work: Path) -> None:
    if settings.memory is not None:
        said = (
            f"read in a stream: it takes about {needed(settings) / 1e9:.1f} GB of memory, and meanwhile room in {work}"
        )
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def _peak(others: bool) -> int | None:
    """Return the most memory that this process, or one of its `others`, has held, in bytes, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    scale = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN if others else resource.RUSAGE_SELF).ru_maxrss * scale
