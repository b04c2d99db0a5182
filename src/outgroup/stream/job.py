"""The streaming job: texts become counts, counts become rows, a fit folds over rows, the result is written in parts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..cli.assignments import groups_in
from ..cli.cluster import clusterer_of, decisions_of, on, out_folder, past_of, vectorizer, warn_of_languages
from ..cli.material import examples, of_universum, with_earlier_options
from ..cli.output import Steps
from ..cli.result import (
    RESULT,
    Outcome,
    Step,
    coded,
    codes_by_group,
    record_of,
    shown_names,
    step_record,
    summary_of_run,
    write_rest,
)
from ..cli.settings import LargeSettings
from ..cli.versions import versions
from ..cluster.profile import Profile, k_profile
from ..decisions import Decision, NotAGroup, Regroup, Word
from ..decisions.log import with_numbers
from ..decisions.state import State
from ..errors import InputError, counted, warn
from ..model import Model
from ..pipeline import Fitted, spread
from ..places import place_of
from ..readers.documents import Corpus, reasons
from ..rows import cluster_sums, connect
from ..rows.blocks import add_up, group_sizes, spans
from ..rows.disk import JournalRows
from ..rows.shards import DamagedError
from ..rows.wrappers import MOST_SAMPLED, MaskedRows, part_of, sampled
from ..session import DecisionReceipt, Past, Version
from ..session.refit import Fitter, Reporter, by_name
from ..session.version import kept_names
from ..storage.atomic import new_folder
from ..storage.folders import stage
from ..summary.findings import trust_of
from ..summary.partition import Partition
from ..summary.records import Summary
from ..text.collection import Collection
from ..text.representation import Representation, Spaces, nearest_of
from ..text.tokenizer import TOKENIZER, warn_of_pairs
from ..text.vectorizer import Vectorizer
from ..types import Array
from .counting import SAMPLED, KeptBlocks, count_texts, identity
from .memory import checks_trust, most_groups, needed
from .results import AWAY, Judge, Written, digests, require_arrow, warn_of_duplicates
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
    settings = settings if settings.from_ is None else with_earlier_options(settings)
    earlier = _earlier(settings)
    decisions = _decisions(settings, earlier)
    words = vectorizer(settings) if earlier is None else earlier.past.model.vectorizer_
    words.check_streams()
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
        if settings.embeddings is not None:
            material = material.with_vectors(settings.embeddings)
        warn_of_pairs(material.words)
        warn_of_languages(settings, [each.text for _, each in material.drawn(TOKENIZER.texts)])
        profile = None if earlier is not None or isinstance(settings.k, int) else profile_of(settings, material, steps)
        settings = settings if profile is None else replace(settings, k=profile.chosen)
        version = fit(settings, material, earlier, decisions, work, steps)
        step = stepped(version, profile, decided=bool(settings.from_ or settings.steer))
        if not step.decided:
            for note in step.version.notes:
                warn(note)
        with new_folder(target, RESULT, replace=settings.force) as folder:
            return write(settings, material, step, folder, steps), target


@contextmanager
def _advise_restart() -> Iterator[None]:
    """Add the advice to run without --resume to errors of damaged rows."""
    try:
        yield
    except DamagedError as error:
        raise InputError(f"{error}: run again without --resume") from error


def read(settings: LargeSettings, words: Vectorizer, work: Path, steps: Steps) -> StreamMaterial:
    """Read the documents into counts and TF-IDF rows in the work folder, unless these exist; return the material."""
    if not (work / "rows").exists():
        seen = count_texts(settings, words.analyser, work, steps.share_of("reading"))
        write_rows(words, seen, work, steps.of("weighing words"), every=settings.embeddings is not None)
    return StreamMaterial(KeptBlocks(work / "blocks"), *read_rows(work))


def profile_of(settings: LargeSettings, material: StreamMaterial, steps: Steps) -> Profile:
    """Choose the number of groups, from a sample."""
    n, most = material.rows.shape[0], max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings))
    drawn = np.random.default_rng(settings.seed).choice(n, min(n, most), replace=False)
    found = material.spaces(np.sort(drawn), [])
    return k_profile(found.space, settings.k, words=found.words, progress=steps.of("choosing the number of groups"))


def fit(
    settings: LargeSettings,
    material: StreamMaterial,
    earlier: Earlier | None,
    decisions: tuple[Decision, ...],
    work: Path,
    steps: Steps,
) -> Version:
    """Fit a session by passes over the shards; a journal stores the result of each pass."""
    # 1. The documents that decisions name, by row.
    steps("analysing")
    named = {each for decision in decisions for each in getattr(decision, "documents", ())}
    named |= set() if earlier is None else {*earlier.past.pins, *earlier.past.away}
    ids = {int(material.row_of[row]): each for each, row in material.find(named) if material.has_row[row]}
    # 2. The collection: its rows stay outside of memory, and it has no texts and no other ids.
    space = material.rows if material.vectors is None else material.vectors
    rows = JournalRows(space, work / "fit", lambda passes, known: steps("fitting", passes))
    spaces = RowSpaces([], rows, rows if material.vectors is None else material.rows, named=tuple(ids))
    n, universum = len(spaces), _universum(settings, material.representation, steps)
    names, nothing, kept = Known(n, ids), Known(n, {}), np.ones(n, dtype=bool)
    documents = Collection(names, nothing, nothing, material.representation, spaces, kept, universum)  # type: ignore[arg-type]
    # 3. The fit, from scratch or from the earlier groups.
    steps("fitting")
    if earlier is not None:
        return _fit_after(earlier, decisions, documents, material, settings.seed)
    clusterer = clusterer_of(settings, n_init=1)
    return Fitter(documents, clusterer, settings.seed).follow_log(decisions, None, Reporter(None))


def _fit_after(
    earlier: Earlier, decisions: tuple[Decision, ...], documents: Collection, material: StreamMaterial, seed: int
) -> Version:
    """Return the version that continues from an earlier result, with a note on moved, new and removed documents."""
    (past, homes), reporter = earlier, Reporter(None)
    every = np.concatenate([groups for _, groups in material.each_ids(homes)])
    groups = every[material.has_row]
    fitter = Fitter(documents, clone(past.model.clusterer_), seed, past=past)
    begun = fitter.continued(past, state_after(past, homes, groups, documents), reporter)
    found = fitter.follow_log((*past.decisions, *decisions), begun, reporter) if decisions else begun
    known, gone = groups != NEW, np.count_nonzero(homes.groups >= 0) - np.count_nonzero(every >= 0)
    moved, new = np.count_nonzero(known & (groups != found.labels)), np.count_nonzero(~known)
    note = f"{counted(int(moved), 'document')} moved, {new:,} new, {gone:,} gone"
    return replace(found, notes=(note, *dict.fromkeys((*begun.notes, *found.notes))))


class Earlier(NamedTuple):
    """An earlier result, and the groups of its documents."""

    past: Past
    homes: Homes


def _earlier(settings: LargeSettings) -> Earlier | None:
    if settings.from_ is None:
        return None
    past = past_of(settings, documents=False)
    if past.model.representation_.meaning is not None:
        raise InputError(
            f"{settings.from_} was grouped by words and meaning, but a stream reads words alone: omit --memory and "
            "--cluster, or create the result again with --encoder none"
        )
    if past.model.neighbours_:
        warn(
            "the earlier result averaged documents with neighbours, but a stream does not: documents may change groups"
        )
    return Earlier(past, Homes.of(past.groups.items() if past.groups else groups_in(settings.from_)))


_REFUSED = {
    Regroup: "it compares the labels of the random sample with the neighbours of all documents",
    NotAGroup: "a stream proposes no groups",
}


def _decisions(settings: LargeSettings, earlier: Earlier | None) -> tuple[Decision, ...]:
    """Return the decisions of --steer or --seeds; raise InputError for decisions that a stream cannot apply."""
    found = decisions_of(settings)
    if earlier is not None and settings.from_ is not None:
        found = with_numbers(found, shown_names(settings.from_, earlier.past))
    wrong = {each.kind: _REFUSED[type(each)] for each in found if type(each) in _REFUSED}
    if earlier is None and any(isinstance(each, Word) and each.group is not None for each in by_name(found)):
        wrong["word"] = "labelled words cannot start groups: label documents, or continue with --from"
    if wrong:
        lines = "; ".join(f"{kind}: {why}" for kind, why in wrong.items())
        raise InputError(f"a stream cannot apply these decisions: {lines}. Remove them from the file")
    return found


def _universum(settings: LargeSettings, representation: Representation, steps: Steps) -> Spaces | None:
    """Return the off-topic examples that have a row; None without `universum`."""
    found = examples(settings, steps)
    if found is None:
        return None
    vectors = None if representation.width is None else of_universum(settings, found, steps)
    known, _ = representation.transform(found.texts, vectors, "universum_embeddings")
    if not len(known):
        warn("the off-topic examples share no word with the documents, so they have no effect")
    return known


def _about(settings: LargeSettings) -> dict[str, Any]:
    """Return the values that must be the same in a run with --resume."""
    free = {"threads", "out", "table", "memory", "cluster"}
    given = {name: value for name, value in settings.parameters.items() if name not in free}
    return given | {
        "documents": identity(settings.docs),
        "outgroup": versions()["outgroup"],
        "workers": settings.cluster is not None,
        "vectors": None if settings.embeddings is None else identity(place_of(settings.embeddings)),
    }


def _warn_of_limits(settings: LargeSettings, work: Path) -> None:
    if settings.memory is not None:
        warn(f"streaming: about {needed(settings) / 1e9:.1f} GB of memory, and temporary files in {work}")
    if not (settings.quick or checks_trust(settings)):
        warn(f"the trust in {most_groups(settings):,} groups is not measured: the sample has too few rows of each")


# --- The result of a stream: all assignments, and a report from a sample with exact sizes


def stepped(version: Version, profile: Profile | None, *, decided: bool) -> Step:
    """Return the version with the effect of each decision."""
    receipts = []
    for effect in version.effects:
        n, why = len(effect.put), effect.decision.reason_in(effect.note) or effect.note
        said = f"not followed: {why}" if why else f"{counted(n, 'document')} moved at once"
        receipts.append(DecisionReceipt(effect.decision, None, 0, False if why else None, said, []))
    return Step(version, None, tuple(receipts), decided, profile=profile)


def write(settings: LargeSettings, material: StreamMaterial, found: Step, folder: Path, steps: Steps) -> Outcome:
    """Write the result folder: the assignments of all documents, and a report on a sample, with exact sizes."""
    version, step, documents = found.version, found if found.decided else None, found.version.documents
    assert documents is not None
    # 1. A sample of the documents, with the groups of all.
    steps("summing up")
    corpus, sampled = _sample(material, version, documents)
    model, partition = sampled.model, Partition.of(sampled, corpus)
    # 2. The trust in each group, by passes over all rows and fits on subsamples.
    trust = None
    if checks_trust(settings):
        every = (version.model.spaces_.space, version.labels[version.model.kept_])
        trust = trust_of(partition, every=every, progress=steps.of("checking the groups")).to_dict()
    # 3. The record, with the counts of all documents.
    past = Past.of(sampled, corpus.texts)
    left = documents.without_words(version.state.ignored).kept
    record = record_of(settings, corpus, partition, steps) | _counts(settings, material, left)
    record |= {"trust": trust, "profile": found.profile and found.profile.to_dict(), "version": past.number}
    record |= {"correct": None, "changes": step and step_record(step)}  # the workbench needs all documents in memory
    # 4. The summary of the sample.
    summary = coded(summary_of_run(corpus, partition, record, step), settings)
    # 5. The table of all documents, and the exact counts of the summary.
    steps("writing")
    kind, names = settings.table or "parquet", [group.name for group in summary.groups]
    ignored = frozenset(column for word in version.state.ignored for column in documents.columns(word))
    words = np.array(sorted(ignored), dtype=int)
    judge = Judge(Model.from_state(model.to_state()), kind, names, codes_by_group(summary), words)
    away = np.isin(np.arange(len(left)), list(version.state.away))
    judged = material.judged(judge, np.where(away, AWAY, version.labels))
    flagged, over = _write_blocks(kind, folder, judged, len(material.blocks), steps)
    summary = _exact(summary, version.labels[left], flagged, over)
    # 6. All other files; the groups of the documents are in the table alone.
    outcome = Outcome(corpus, model, partition.verdicts, summary, record, past, step)
    session = replace(past, groups={}, digests={}, **version.state.by_id(documents.ids)).to_dict()
    write_rest(outcome, folder, session | {"documents": None})
    return outcome


def _sample(material: StreamMaterial, version: Version, whole: Collection) -> tuple[Corpus, Version]:
    """Return the documents of the report, and the version restricted to them."""
    # 1. A random sample of the documents that have a row.
    drawn = material.drawn(SAMPLED)
    names = ("text", "id", "title", "label")
    texts, ids, titles, labels = ([getattr(each, name) for _, each in drawn] for name in names)
    corpus = Corpus(ids, texts, titles, [label or "" for label in labels] if any(labels) else None)
    rows = material.row_of[[number for number, _ in drawn]]
    spaces, kept = material.spaces(rows, texts), np.ones(len(rows), dtype=bool)
    documents = Collection(ids, titles, texts, whole.representation, spaces, kept, whole.universum)
    # 2. Their groups and labels, by the row in the sample.
    row_of = {row: number for number, row in enumerate(rows.tolist())}
    state = replace(
        version.state,
        labels=version.labels[rows],
        free=~kept,
        pins={row_of[row]: label for row, label in version.state.pins.items() if row in row_of},
        away=frozenset(row_of[row] for row in version.state.away if row in row_of),
        absent={},
    )
    # 3. The version: the directions of the groups are those of all documents.
    clusterer = copy(version.model.clusterer_)
    fitter = Fitter(documents, clusterer, 0)
    arranged = fitter.arranged(state)
    order = arranged.order()
    fitted = Fitted(clusterer, arranged, order)
    sampled = fitter.version(fitted, version.numbers, state, version.decisions, version.notes, state.labels)
    own = spread(clusterer.labels_, version.model.kept_, -1, np.int32)[rows]
    clusterer.labels_ = own[arranged.inside][order]
    sampled.model.n_universum_, sampled.model._word_means = version.model.n_universum_, version.model._word_means
    return corpus, replace(sampled, number=version.number, called=kept_names(version))


def _exact(summary: Summary, labels: Array, flagged: Array, over: Array) -> Summary:
    """Return the summary of the sample with the exact counts of all documents."""
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
    return replace(summary, n_documents=n, groups=groups, off_topic=aside, run=summary.run | {"sample_of": n})


def _counts(settings: LargeSettings, material: StreamMaterial, left: Array) -> dict[str, Any]:
    """Return the numbers of documents and skips, and the memory, for run.json; `left` (m,) marks rows with known
    words.
    """
    skipped = Counter(skip.reason for _, kept in material.kept() for skip in kept.skipped)
    skipped[material.representation.missing] += int(np.count_nonzero(~material.has_row) + np.count_nonzero(~left))
    n = int(np.count_nonzero(left))
    return {
        "documents": n,
        "skipped": skipped.total(),
        "skipped_by_reason": dict(reasons(("", reason) for reason in skipped.elements())),
        "stream": {
            "sample": min(SAMPLED, n),
            "memory_needed": needed(settings, n),
            "memory_peak": _peak(False),
            "memory_peak_counting": _peak(True),
        },
    }


def _write_blocks(kind: str, folder: Path, blocks: Iterator[Written], n: int, steps: Steps) -> tuple[Array, Array]:
    """Write the table of all documents from its `n` blocks; warn about duplicate ids.

    Returns the number of documents flagged, by group (k,), and above each threshold (t,).
    """
    counts = list[Written]()

    def contents() -> Iterator[Any]:
        for number, block in enumerate(blocks, start=1):
            counts.append(replace(block, content=None))
            yield block.content
            steps("writing", number, n)

    write_table(kind, folder, contents())
    warn_of_duplicates([block.ids for block in counts])
    return add_up(block.flagged for block in counts), add_up(block.over for block in counts)


def _peak(others: bool) -> int | None:
    """Return the peak memory of this process, or of the `others`, in bytes; None if unknown."""
    try:
        import resource
    except ImportError:
        return None
    scale = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN if others else resource.RUSAGE_SELF).ru_maxrss * scale


# --- The documents of a stream in a session: rows outside of memory, and the ids that decisions name

_COSINES = 1 << 26  # of documents with named ones, held at once: a quarter of a gigabyte
_AT_ONCE = 1 << 16  # ids of an earlier result


@dataclass(frozen=True)
class Known(Sequence[str]):
    """A sequence of `n` strings: those in `at`, by position, and "" elsewhere."""

    n: int
    at: Mapping[int, str]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self.at.get(each, "") for each in range(*place.indices(self.n))]
        if place >= self.n:
            raise IndexError(place)
        return self.at.get(place, "")


@dataclass(frozen=True)
class RowSpaces(Spaces):
    """Spaces of `Rows` outside memory, in input order; one pass finds the neighbours of all rows `named` by decisions.

    A few documents, such as those with an off-topic label, are taken into memory.
    """

    named: tuple[int, ...] = ()

    def __len__(self) -> int:
        return int(self.space.shape[0])

    @cached_property
    def mean(self) -> Array:
        return np.asarray(cluster_sums(self.space, np.zeros(len(self), dtype=np.int32), 1)[0] / len(self))

    def rows(self, order: Any) -> Any:
        return self.space

    def order(self, seeds: Array | None = None) -> Array:
        return np.arange(len(self))

    def take(self, rows: Array) -> Spaces:
        if len(rows) == len(self):
            return self
        few = len(rows) <= MOST_SAMPLED
        taken = sampled if few else part_of
        space = taken(self.space, rows)
        words = taken(self.words, rows) if self.apart else space
        return Spaces([""] * len(rows), space, words) if few else RowSpaces([], space, words)

    def nearest(self, row: int) -> tuple[Array, Array]:
        if row not in self._nearest:
            every = sorted({row, *self.named})
            for span in spans([*range(0, len(every), max(1, _COSINES // len(self))), len(every)]):
                products = self.space.correlate(self.space.take(np.array(every[span]))).reshape(len(self), -1)
                for each, cosines in zip(every[span], products.T, strict=True):
                    self._nearest[each] = nearest_of(each, cosines.astype(np.float64))
        return self._nearest[row]

    def with_columns(self, columns: Sequence[int]) -> Array:
        chosen = np.zeros((len(columns), self.words.shape[1]))
        chosen[np.arange(len(columns)), columns] = 1.0
        return np.asarray(self.words.map(chosen, _any_score))

    def masked(self, columns: Array, by_words: bool) -> tuple[Spaces, Array]:
        words = MaskedRows(self.words, columns)
        space = self.space if self.apart else words
        left = np.asarray(space.squares()) > 0
        spaces = RowSpaces([], space, words, named=self.named)
        return spaces.take(np.flatnonzero(left)), left

    def mean_words(self, labels: Array, k: int) -> Array:
        return np.asarray(cluster_sums(self.words, labels, k) / np.maximum(group_sizes(labels, k), 1)[:, None])


def _any_score(scores: Array) -> Array:
    return (scores != 0).any(axis=1)


@dataclass(frozen=True)
class Homes:
    """The groups of an earlier result's documents: sorted digests of ids, and the groups, -1 for none."""

    keys: Array
    groups: Array

    @classmethod
    def of(cls, documents: Iterable[tuple[str, int]]) -> Homes:
        """Return the groups of (id, group) pairs."""
        documents, keys, groups = iter(documents), [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        while some := list(islice(documents, _AT_ONCE)):
            keys.append(digests([identity for identity, _ in some]))
            groups.append(np.array([group for _, group in some], dtype=np.int32))
        every = np.concatenate(keys)
        order = np.argsort(every, kind="stable")
        return cls(every[order], np.concatenate(groups)[order])

    def __call__(self, ids: list[str]) -> Array:
        """Return the group of each id, (n,) int32; `NEW` for an unknown id."""
        found = digests(ids)
        if not len(self.keys):
            return np.full(len(found), NEW, dtype=np.int32)
        place = np.minimum(np.searchsorted(self.keys, found), len(self.keys) - 1)
        return np.where(self.keys[place] == found, self.groups[place], np.int32(NEW))


NEW = -2
"""The group of a document that an earlier result does not have."""


def state_after(past: Past, homes: Homes, groups: Array, documents: Collection) -> State:
    """Return the state of a stream's documents after an earlier result with the groups `groups` (n,).

    New documents go where the model predicts.
    """
    new, numbers = np.flatnonzero(groups == NEW), np.array(past.numbers, dtype=np.int32)
    labels = groups.copy()
    if len(new):
        rows = part_of(documents.spaces.space, new)
        labels[new] = numbers[past.model.clusterer_.predict(rows, off_topic=False)]
    gone = np.count_nonzero(groups >= 0) < np.count_nonzero(homes.groups >= 0)
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, groups == NEW, there, refit=bool(gone or len(new)))
