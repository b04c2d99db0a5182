"""The main job where the documents do not fit into memory: the same session and result, over a stored collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from sklearn.base import clone

from ..cluster.outliers import Outliers
from ..cluster.profile import Profile, k_profile
from ..codebook import Codebook
from ..collection.parts import NumberedPart, Store
from ..collection.stored import (
    RowSpaces,
    SparseStrings,
    StoredCollection,
    digests,
    forget,
    read_collection,
    warn_of_duplicates,
)
from ..decisions import Decision, Define, Word, from_seeds
from ..decisions.state import Pin, State
from ..errors import InputError, counted, warn
from ..model import Model
from ..pipeline import GroupFit, spread
from ..places import place_of
from ..readers.corpus import mail_parts
from ..readers.documents import LIMITS, Corpus, reasons
from ..rows import connect
from ..rows.blocks import add_up, group_sizes, pieces
from ..rows.mapped import DamagedError
from ..rows.wrappers import MOST_SAMPLED, part_of, sampled
from ..seeds import Seeds
from ..session import DecisionReceipt, Past, Version
from ..session.past import UNKNOWN
from ..session.refit import Fitter, Reporter, by_name
from ..session.version import Verdicts, judge, kept_names
from ..storage.atomic import new_folder
from ..storage.folders import stage
from ..summary.findings import held_groups, trust_of
from ..summary.names import Level, levels_of
from ..summary.partition import Partition, at_numbers
from ..summary.records import Summary
from ..text.collection import OUTLIER, Collection
from ..text.encoder import choose as choose_encoder
from ..text.representation import Representation, Spaces
from ..text.tokenizer import TOKENIZER, warn_of_pairs
from ..types import Array
from . import assignments, xlsx
from .assignments import CsvTable, Row, groups_in
from .cluster import clusterer_of, on, out_folder, start_of, vectorizer, warn_of_languages
from .material import (
    Columns,
    Material,
    choose,
    encoder_here,
    examples,
    of_universum,
    weights_of,
    without_texts,
)
from .memory import checks_trust, fields_of, identity, most_groups, needed
from .options import named_encoder
from .output import Steps
from .result import (
    RESULT,
    Outcome,
    Step,
    codes_by_group,
    counts_of_levels,
    further_columns,
    outcome_of,
    shown_corpus,
    special_codes,
    write_rest,
    write_table,
)
from .settings import LargeSettings
from .versions import versions

# --- The main job, over a collection in files

SAMPLED = 20_000  # documents of the report
_OF_A_GROUP = 4  # sampled documents per group for choosing the number of groups
_AT_ONCE = 1 << 16  # ids of an earlier result


def cluster(settings: LargeSettings, steps: Steps) -> tuple[Outcome, Path]:
    """Cluster a collection in files and write the result folder; return the outcome and the folder.

    Raises OutgroupError for invalid options, unreadable input or an unwritable result.
    """
    settings = replace(settings, table=settings.table or "parquet")
    settings, frame, past, decisions = start_of(settings, documents=False)
    earlier = None if past is None else Earlier.of(past, settings)
    words = vectorizer(settings) if earlier is None else earlier.past.model.vectorizer_
    words.check_blocks()
    target = out_folder(settings)
    RESULT.check(target, replace=settings.force)
    cluster = None if settings.cluster is None else connect.connected(settings.cluster)
    with (
        cluster or nullcontext() as client,
        stage(target, _about(settings), resume=settings.resume) as work,
        on(settings.threads),
        _run_in(work, client) as run,
    ):
        _warn_of_limits(settings, work)
        # 1. The documents: read, counted and weighed part by part, and encoded.
        stored = _open(settings, earlier, words, work, run, client, steps)
        if settings.table == "xlsx":
            xlsx.check_rows(len(stored) + stored.skipped.total())
        some = stored.corpus(stored.draw(TOKENIZER.texts, settings.seed))
        warn_of_pairs(stored.words)
        warn_of_languages(settings, some.texts)
        # 2. The decisions, with the seeds of codes, and the number of groups.
        if frame is not None and earlier is None:
            decisions = (*_seeds_of_codes(frame, stored), *decisions)
        profile = None if earlier is not None or isinstance(settings.k, int) else _profile(settings, stored, steps)
        settings = settings if profile is None else replace(settings, k=profile.chosen)
        # 3. The fit.
        collection = _collection(settings, stored, earlier, decisions, steps)
        version = _fit(settings, stored, collection, earlier, decisions, steps)
        step = Step(version, None, _receipts(version), bool(settings.from_ or settings.steer), profile=profile)
        if not step.decided:
            for note in version.notes:
                warn(note)
        # 4. The result.
        with new_folder(target, RESULT, replace=settings.force) as folder:
            return _write(settings, stored, step, frame, folder, steps), target


@contextmanager
def _run_in(work: Path, client: Any) -> Iterator[str]:
    """Yield the name of a run, which a resumed run keeps; what workers hold is deleted unless the run can be resumed.

    Adds the advice to run without --resume to errors of damaged rows.
    """
    path = work / "run"
    if not (path.exists() and path.read_text()):
        path.write_text(uuid4().hex)
    run = path.read_text()
    try:
        yield run
    except InputError as error:
        if client is not None:
            forget(run, client)
        if isinstance(error, DamagedError):
            raise InputError(f"{error}: run again without --resume") from error
        raise
    if client is not None:
        forget(run, client)


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
        warn(f"the rows live in files: about {needed(settings) / 1e9:.1f} GB of memory, and temporary files in {work}")
    if not (settings.quick or checks_trust(settings)):
        warn(f"the trust in {most_groups(settings):,} groups is not measured: the sample has too few rows of each")


def _open(
    settings: LargeSettings, earlier: Earlier | None, words: Any, work: Path, run: str, client: Any, steps: Steps
) -> StoredCollection:
    """Return the stored documents with their rows, and with their vectors if groups are found among vectors."""
    encoder = named_encoder(settings.encoder)
    if settings.embeddings is not None and encoder is not None:
        raise InputError("--embeddings and --encoder cannot be combined; give only one of them")
    reading = fields_of(settings), tuple(mail_parts(settings.strip))
    read = read_collection(settings.docs, reading, words, work, run, client, steps.share_of("reading"))
    meaning, names_by_meaning = None, False
    if earlier is not None:
        before = earlier.past.model.representation_
        meaning, names_by_meaning = before.meaning, before.names_by_meaning
    if earlier is None and settings.encoder == "auto" and settings.embeddings is None:
        some = read.corpus(read.draw(MOST_SAMPLED, settings.seed)).texts
        choice = choose_encoder(some, read.words.transform(some), steps.of("encoding"))
        meaning, names_by_meaning = choice.encoder, choice.readable
    by_vectors = settings.embeddings is not None or encoder is not None or meaning is not None
    found = read.weighed(steps.of("weighing words"), every=by_vectors)
    found = replace(found, names_by_meaning=names_by_meaning)
    if settings.embeddings is not None:
        return found.with_vectors(settings.embeddings)
    if meaning is not None:
        return found.with_meaning(meaning, work / "vectors", steps.of("encoding"))
    if encoder is None:
        return found
    with encoder_here(encoder) as encode:
        return found.encoded(encode, work / "vectors", steps.of("encoding"))


def _profile(settings: LargeSettings, stored: StoredCollection, steps: Steps) -> Profile:
    """Choose the number of groups, from a sample."""
    places = stored.draw(max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings)), settings.seed)
    found = stored.spaces(stored.row_of[places], [])
    return k_profile(found.space, settings.k, words=found.words, progress=steps.of("choosing the number of groups"))


def _seeds_of_codes(frame: Codebook, stored: StoredCollection) -> tuple[Decision, ...]:
    """Return the definitions and examples of the codes as decisions, from the documents of all parts."""
    if not frame.starting:
        return ()
    parts = list(stored.map(partial(_of_codes, frame), heavy=True))
    clusters = {}
    for name, first in parts[0].clusters.items():
        every = [part.clusters[name] for part in parts]
        texts = tuple(text for text in first.texts if all(text in each.texts for each in every))  # others are ids
        clusters[name] = replace(first, documents=tuple(d for each in every for d in each.documents), texts=texts)
    return from_seeds(replace(parts[0], clusters=clusters))


def _of_codes(frame: Codebook, store: Store, given: tuple[NumberedPart]) -> Seeds:
    found = store.documents(given[0])
    return frame.seeds(list(found.texts), list(found.ids))


# --- The fit: a session's, over rows in files


def _collection(
    settings: LargeSettings,
    stored: StoredCollection,
    earlier: Earlier | None,
    decisions: tuple[Decision, ...],
    steps: Steps,
) -> Collection:
    """Return the documents that have a row, with the ids that decisions name; without the others' ids and texts."""
    steps("analysing")
    named = {each for decision in decisions for each in getattr(decision, "documents", ())}
    named |= set() if earlier is None else {*earlier.past.pins, *earlier.past.away}
    row_of = stored.row_of
    ids = {int(row_of[place]): each for each, place in stored.find(named) if stored.has_row[place]}
    space = stored.rows if stored.vectors is None else stored.vectors
    spaces = RowSpaces([], space, space if stored.vectors is None else stored.rows)
    n, representation = len(spaces), stored.representation
    weights = None
    if settings.weight:
        weights = stored.column(partial(_weights, settings.weight))[stored.has_row]
    kept, universum = np.ones(n, dtype=bool), _universum(settings, representation, steps)
    found = Collection(
        SparseStrings(n, ids),  # type: ignore[arg-type]
        SparseStrings(n),  # type: ignore[arg-type]
        SparseStrings(n),  # type: ignore[arg-type]
        representation,
        spaces,
        kept,
        universum,
        sample_weight=weights,
    )
    if settings.outliers != "set-aside":
        return found
    scores = Outliers.of(stored.spaces(row_of[stored.draw(MOST_SAMPLED, settings.seed)], []).space)
    return found.leave_out(_strange(spaces.space, scores))


def _strange(rows: Any, scores: Outliers) -> Array:
    """Return the mask of outliers among all rows, block by block, by scores against a sample of the rows."""
    found = [scores.of_new(sampled(rows, np.arange(each.start, each.stop))) for each in pieces(rows.shape[0])]
    return np.concatenate(found) > scores.threshold


def _weights(name: str, corpus: Corpus) -> Array:
    found = weights_of(corpus, name)
    assert found is not None
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


def _fit(
    settings: LargeSettings,
    stored: StoredCollection,
    documents: Collection,
    earlier: Earlier | None,
    decisions: tuple[Decision, ...],
    steps: Steps,
) -> Version:
    """Fit a version of all documents: from scratch, or from the groups of an earlier result."""
    steps("fitting")
    named = by_name(decisions)
    if earlier is None and any(isinstance(each, Word | Define) and each.group is not None for each in named):
        return _fit_after_sample(settings, stored, documents, decisions, named)
    if earlier is not None:
        return _fit_after(earlier, decisions, documents, stored, settings.seed)
    clusterer = clusterer_of(settings, n_init=1)
    return Fitter(documents, clusterer, settings.seed).fit_log(decisions, None, Reporter(None))


def _fit_after_sample(
    settings: LargeSettings,
    stored: StoredCollection,
    documents: Collection,
    decisions: tuple[Decision, ...],
    named: tuple[Decision, ...],
) -> Version:
    """Fit a sample of the documents, where labelled words start groups, and continue with all documents."""
    ids = documents.ids.at  # type: ignore[attr-defined]
    there = np.flatnonzero(stored.has_row)
    places = np.union1d(stored.draw(MOST_SAMPLED, settings.seed), there[list(ids)])
    corpus, rows, some = _some(stored, documents, places)
    clusterer = clusterer_of(settings)
    first = Fitter(some, clusterer, settings.seed).fit_log(named, None, Reporter(None))
    past = Past.of(first, corpus.texts)
    groups = np.full(len(documents), NEW, dtype=np.int32)
    groups[rows] = first.labels
    fitter = Fitter(documents, clone(clusterer), settings.seed, past=past)
    begun = fitter.continue_from(past, _state_after(past, groups, documents, gone=False), Reporter(None))
    found = fitter.fit_log(decisions, begun, Reporter(None)) if decisions != named else begun
    return replace(found, number=1, decisions=decisions)


def _some(stored: StoredCollection, whole: Collection, places: Array) -> tuple[Corpus, Array, Collection]:
    """Return the documents at these positions, which have rows: with texts, the rows, and as a collection in memory."""
    corpus, rows = stored.corpus(places), stored.row_of[places]
    spaces, kept = stored.spaces(rows, corpus.texts), np.ones(len(rows), dtype=bool)
    texts = corpus.ids, corpus.titles, corpus.texts
    return corpus, rows, Collection(*texts, whole.representation, spaces, kept, whole.universum)


def _fit_after(
    earlier: Earlier, decisions: tuple[Decision, ...], documents: Collection, stored: StoredCollection, seed: int
) -> Version:
    """Return the version that continues from an earlier result, with a note on moved, new and removed documents."""
    (past, homes), reporter = earlier, Reporter(None)
    every = homes(np.concatenate(stored.map_ids(digests)))
    groups = every[stored.has_row]
    gone = int(np.count_nonzero(homes.groups >= 0) - np.count_nonzero(every >= 0))
    fitter = Fitter(documents, clone(past.model.clusterer_), seed, past=past)
    removed = bool(np.count_nonzero(groups >= 0) < np.count_nonzero(homes.groups >= 0))
    begun = fitter.continue_from(past, _state_after(past, groups, documents, gone=removed), reporter)
    found = fitter.fit_log((*past.decisions, *decisions), begun, reporter) if decisions else begun
    moved, new = np.count_nonzero((groups != NEW) & (groups != found.labels)), np.count_nonzero(groups == NEW)
    note = f"{counted(int(moved), 'document')} moved, {new:,} new, {gone:,} gone"
    return replace(found, notes=(note, *dict.fromkeys((*begun.notes, *found.notes))))


def _state_after(past: Past, groups: Array, documents: Collection, *, gone: bool) -> State:
    """Return the state of documents after an earlier result with the groups `groups` (n,).

    New documents go where the model predicts.
    """
    new, numbers = np.flatnonzero(groups == NEW), np.array(past.numbers, dtype=np.int32)
    labels = groups.copy()
    if len(new):
        rows = part_of(documents.spaces.space, new)
        labels[new] = numbers[past.model.clusterer_.predict(rows, off_topic=False)]
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, groups == NEW, there, refit=gone or bool(len(new)))


NEW = -2
"""The group of a document that an earlier result does not have."""


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

    def __call__(self, ids: Array) -> Array:
        """Return the group of each document by the digest of its id, (n,) int32; `NEW` for an unknown id.

        Of documents with the same id, each takes the next earlier one, so that no earlier document is found twice.
        """
        order = np.argsort(ids, kind="stable")
        found, groups = ids[order], np.full(len(ids), NEW, dtype=np.int32)
        places = np.searchsorted(self.keys, found) + np.arange(len(found)) - np.searchsorted(found, found)
        inside = places < len(self.keys)
        inside[inside] = self.keys[places[inside]] == found[inside]
        groups[order[inside]] = self.groups[places[inside]]
        return groups


class Earlier(NamedTuple):
    """An earlier result, and the groups of its documents."""

    past: Past
    homes: Homes

    @classmethod
    def of(cls, past: Past, settings: LargeSettings) -> Earlier:
        """Read the groups of the result that the settings name."""
        assert settings.from_ is not None
        if past.model.representation_.passes:
            warn(
                "the earlier result averaged documents with neighbours, but rows in files are not averaged: documents "
                "may change groups"
            )
        return cls(past, Homes.of(past.groups.items() if past.groups else groups_in(settings.from_)))


def _receipts(version: Version) -> tuple[DecisionReceipt, ...]:
    """Return the effect of each decision."""
    receipts = []
    for effect in version.effects:
        n, why = len(effect.moved), effect.reason
        said = f"not followed: {why}" if why else f"{counted(n, 'document')} moved at once"
        receipts.append(DecisionReceipt(effect.decision, None, 0, False if why else None, said, []))
    return tuple(receipts)


# --- The result: the table of all documents, and the report of a sample with exact counts


def _write(
    settings: LargeSettings, stored: StoredCollection, found: Step, frame: Codebook | None, folder: Path, steps: Steps
) -> Outcome:
    """Write the result folder: the assignments of all documents, and a report on a sample, with exact sizes."""
    version, documents = found.version, found.version.documents
    assert documents is not None
    left = documents.without_words(version.state.ignored).kept
    # 1. A version of a random sample, and its outcome as in memory; the trust is that of all documents.
    corpus, sampled = _sample(stored, version, documents, settings.seed)
    partition, measured = Partition.of(sampled, corpus), {}
    if checks_trust(settings):
        every = (version.model.spaces_.space, version.labels[version.model.kept_])
        measured["trust"] = trust_of(partition, every=every, progress=steps.of("checking the groups")).to_dict()
    vectors = {"sample_weight": None if not settings.weight else weights_of(corpus, settings.weight)}
    by = choose(corpus, settings.by, settings.label, settings.day_first)
    material = Material(corpus, by, None, vectors, frame, vectors["sample_weight"])
    outcome = outcome_of(
        replace(settings, quick=settings.quick or not measured),
        material,
        replace(found, version=sampled),
        steps,
        measured,
    )
    # 2. The table of all documents, part by part, and the exact counts of the summary.
    steps("writing")
    levels = [count for count in counts_of_levels(settings, found.profile) if count <= len(version.numbers)]
    judge, counts = judge_of(settings, stored, outcome, version, partition, levels), list[Written]()
    labels = version.labels.copy()
    labels[list(version.state.away)] = AWAY
    if documents.outliers is not None:
        labels[documents.outliers] = OUT
    found_parts = _judged(judge, stored, labels, steps)
    first = next(found_parts)
    kept: dict[str, Any] | None = (
        {} if settings.table in ("xlsx", "sav") else None
    )  # groups that a later run does not read in the table

    def rows() -> Iterator[Row]:
        for each in chain([first], found_parts):
            counts.append(replace(each, rows=[]))
            if kept is not None:
                kept.update({row[0]: (int(row[2]) if row[2].isdecimal() else -1, UNKNOWN) for row in each.rows})
            yield from each.rows

    write_table(outcome, CsvTable(first.header, rows()), folder)
    warn_of_duplicates([each.ids for each in counts])
    flagged, over = add_up(each.flagged for each in counts), add_up(each.over for each in counts)
    weights = None if documents.sample_weight is None else documents.sample_weight[left]
    summary = _exact(outcome.summary, version.labels[left], weights, flagged, over)
    # 3. All other files; the groups of the documents are in the table.
    record = (
        outcome.record
        | _counts(settings, stored, left, documents.outliers)
        | {"parameters": settings.parameters, "correct": None}
    )
    outcome = replace(outcome, summary=summary, record=record)
    session = replace(outcome.past, groups={}, digests={}, **version.state.by_id(documents.ids)).to_dict()
    write_rest(outcome, folder, session | {"documents": kept})
    return outcome


def _sample(stored: StoredCollection, version: Version, whole: Collection, seed: int) -> tuple[Corpus, Version]:
    """Return some documents, and the version restricted to them."""
    # 1. A random sample of the documents with a row, without outliers that were set aside.
    among = spread(whole.kept, stored.has_row, False, bool)
    corpus, rows, documents = _some(stored, whole, stored.draw(SAMPLED, seed, among))
    # 2. Their groups and labels, by the row in the sample.
    row_of = {row: number for number, row in enumerate(rows.tolist())}
    state = replace(
        version.state,
        labels=version.labels[rows],
        free=np.zeros(len(rows), dtype=bool),
        pins={row_of[row]: label for row, label in version.state.pins.items() if row in row_of},
        away=frozenset(row_of[row] for row in version.state.away if row in row_of),
        absent={},
    )
    # 3. The version: the directions of the groups are those of all documents.
    clusterer = copy(version.model.clusterer_)
    fitter = Fitter(documents, clusterer, 0)
    arranged = fitter.fit_documents(state)
    order = arranged.order()
    fitted = GroupFit(clusterer, arranged, order)
    sampled = fitter.version(fitted, state, version.decisions, version.notes)
    clusterer.labels_ = sampled.model._positions()[arranged.inside][order].astype(np.int32)
    sampled.model.n_universum_, sampled.model._word_means = version.model.n_universum_, version.model._word_means
    return corpus, replace(sampled, number=version.number, called=kept_names(version))


def _exact(summary: Summary, labels: Array, weights: Array | None, flagged: Array, over: Array) -> Summary:
    """Return the summary of the sample with the exact counts and weights of all documents."""
    sizes, n = group_sizes(labels, len(summary.groups)).tolist(), len(labels)
    inside = labels >= 0
    sums = sizes if weights is None else np.bincount(labels[inside], weights[inside], len(sizes)).tolist()
    groups = []
    for group, size, weight in zip(summary.groups, sizes, sums, strict=True):
        changed: dict[str, Any] = {} if weights is None else {"weight": round(weight, 6)}
        changed |= {"size": size, "share": round(weight / (sum(sums) or 1), 6), "off_topic": int(flagged[group.number])}
        first = f"{size:,} of all {n:,} documents are in this group."
        groups.append(replace(group, **changed, sentences=[first, *group.sentences]))
    aside = summary.off_topic
    if aside is not None:
        count = int(np.count_nonzero(labels < 0)) + int(flagged.sum())
        counted = zip(aside.thresholds, over.tolist(), strict=True)
        aside = replace(aside, count=count, thresholds=[replace(each, flagged=n) for each, n in counted])
    by = summary.by
    if by is not None and n > summary.n_documents:
        by = replace(by, wrong=f"{by.wrong} Counted in {summary.n_documents:,} random documents of {n:,}.".strip())
    run = summary.run | {"sample_of": n}
    return replace(summary, n_documents=n, groups=groups, off_topic=aside, by=by, run=run)


def _counts(settings: LargeSettings, stored: StoredCollection, left: Array, outliers: Array | None) -> dict[str, Any]:
    """Return the numbers of documents and skips, and the memory, for run.json; `left` (m,) marks rows in the fit."""
    skipped, n = stored.skipped, int(np.count_nonzero(left))
    out = 0 if outliers is None else int(np.count_nonzero(outliers))
    skipped += Counter({OUTLIER: out, stored.representation.missing: len(stored) - n - out})
    return {
        "documents": n,
        "skipped": skipped.total(),
        "skipped_by_reason": dict(reasons(("", reason) for reason in skipped.elements())),
        "files": {"sample": min(SAMPLED, n), "memory_needed": needed(settings, n)},
    }


# --- The rows of the table, made here, in another process, or on a worker

AWAY, OUT = -2, -3
"""The labels of a document with an off-topic label, and of an outlier that is set aside: both are in no group."""


@dataclass(frozen=True)
class Written:
    """The rows of the table for a part: id digests, off-topic documents by group (k,), documents above thresholds (t,),
    the header and the rows.
    """

    ids: Array
    flagged: Array
    over: Array
    header: Row
    rows: list[Row]


@dataclass(frozen=True)
class Judge:
    """Make the rows of the table for a part; `model` has documents only if further columns need them.

    `names` and `codes` are those of the groups, `special` the names of the special codes, `columns` the fields of the
    input, `ignored` the columns of ignored words, `levels` the branches of the tree, and `options` those of the run.
    """

    model: Model
    names: list[str]
    codes: list[int]
    special: dict[int, str]
    columns: list[str]
    ignored: Array
    levels: list[Level]
    pins: Mapping[str, Pin]
    options: dict[str, Any]

    def __call__(self, store: Store, given: tuple[NumberedPart, Array, Array, Any]) -> Written:
        """Return the rows of a part; the m documents in the mask (n,) have rows, labels (m,), and perhaps vectors."""
        numbered, has_row, labels, vectors = given
        # 1. The documents and their rows, without ignored words and outliers.
        corpus, words = self._corpus(store.documents(numbered).corpus()), store(numbered).local()
        words = words if vectors is None else words[np.flatnonzero(has_row)]
        X = words if vectors is None else sampled(vectors, np.arange(len(labels)))
        spaces, apart = Spaces([""] * len(labels), X, words), spread(labels == OUT, has_row, False, bool)
        left = labels != OUT
        if len(self.ignored):
            left &= spaces.masked(self.ignored, not spaces.apart)[1]
            spaces = spaces.take(np.flatnonzero(left)).masked(self.ignored, not spaces.apart)[0]
        else:
            spaces = spaces.take(np.flatnonzero(left))
        has_row, labels = spread(left, has_row, False, bool), labels[left]
        # 2. The verdicts; documents with an off-topic label are always off-topic.
        every = spread(np.maximum(labels, -1), has_row, -1, np.int32)
        away = spread(labels == AWAY, has_row, False, bool)
        verdicts = at_numbers(judge(self.model, spaces, has_row, every), self.model.numbers_.tolist())
        if away.any():
            off_topic = None if verdicts.off_topic is None else verdicts.off_topic | away
            verdicts = replace(verdicts, away=away, off_topic=off_topic)
        # 3. The rows.
        table = assignments.assignments(
            shown_corpus(corpus, self.options),
            verdicts,
            self.model.representation_.missing,
            self.names,
            {corpus.ids[row]: OUTLIER for row in np.flatnonzero(apart).tolist()},
            every,
            self._further(corpus, spaces, has_row, every),
            self.codes,
            self.special,
        )
        return Written(digests(corpus.ids), self._flagged(verdicts), self._over(verdicts), table.header, [*table.rows])

    def _corpus(self, corpus: Corpus) -> Corpus:
        if self.options["redact"]:
            return without_texts(corpus)
        nothing = [""] * len(corpus)
        return replace(corpus, columns={name: corpus.columns.get(name, nothing) for name in self.columns})

    def _further(self, corpus: Corpus, spaces: Spaces, has_row: Array, labels: Array) -> Columns:
        """Return the columns on request: outliers, several groups and levels."""
        scores, several, least = None, None, self.options["multi"]
        if self.options["outliers"] == "flag":
            scores = self.model._outlier_scores().of_new(spaces.unaveraged) if len(spaces) else np.zeros(0)
            scores = spread(scores, has_row, np.nan, float)
        if least is not None:
            p = spread(self.model._probably_several(spaces), has_row, np.nan, float)
            pins = {row: self.pins[each] for row, each in enumerate(corpus.ids) if each in self.pins}
            several = p, held_groups(p, labels, self.model.numbers_, least, pins)
        branches = [{group: branch for branch, own in level.groups.items() for group in own} for level in self.levels]
        own = [np.array([branch.get(g, -1) for g in labels.tolist()], dtype=np.int32) for branch in branches]
        levels = [replace(level, labels=at) for level, at in zip(self.levels, own, strict=True)]
        return further_columns(self.model, scores, several, levels)

    def _over(self, verdicts: Verdicts) -> Array:
        """Return the number of documents above each candidate threshold."""
        choices = (getattr(self.model.clusterer_, "off_topic_", None) or {}).get("choices", [])
        over = [np.count_nonzero(verdicts.off_topic_score > choice["value"]) for choice in choices]
        return np.array(over, dtype=np.int64)

    def _flagged(self, verdicts: Verdicts) -> Array:
        if verdicts.off_topic is None:
            return np.zeros(len(self.names), dtype=np.int64)
        over = np.flatnonzero(verdicts.off_topic if verdicts.aside is None else verdicts.off_topic & ~verdicts.aside)
        return np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(self.names))


def judge_of(
    settings: LargeSettings,
    stored: StoredCollection,
    outcome: Outcome,
    version: Version,
    partition: Partition,
    counts: Sequence[int],
) -> Judge:
    """Return the judge of all documents, from the outcome of the sample; `counts` are those of the levels."""
    documents, model, summary = version.documents, outcome.model, outcome.summary
    assert documents is not None
    names = [group.name for group in summary.groups]
    levels = levels_of(partition, outcome.corpus.texts, names, counts)
    if settings.outliers != "flag":  # a model without documents is small
        model = Model.from_state(model.to_state())
    columns = list(dict.fromkeys(name for each in stored.facts for name in each.columns))
    if len(columns) > LIMITS.columns:
        warn(f"{len(columns)} columns besides the text: only the first {LIMITS.columns} are kept")
    ignored = {column for word in version.state.ignored for column in documents.columns(word)}
    return Judge(
        model,
        names,
        codes_by_group(summary),
        special_codes(outcome.frame),
        columns[: LIMITS.columns],
        np.array(sorted(ignored), dtype=int),
        levels,
        version.state.by_id(version.ids)["pins"],
        settings.parameters,
    )


def _judged(judge: Judge, stored: StoredCollection, labels: Array, steps: Steps) -> Iterator[Written]:
    """Yield the rows of each part, for the labels of all documents with a row, (m,)."""
    masks = np.split(stored.has_row, stored.edges[1:-1])
    rows = np.cumsum([0, *(int(np.count_nonzero(mask)) for mask in masks)])
    own = [slice(a, b) for a, b in pairwise(rows.tolist())]
    vectors = [
        None if stored.vectors is None else part_of(stored.vectors, np.arange(each.start, each.stop)) for each in own
    ]
    found = stored.map(judge, masks, [labels[each] for each in own], vectors, heavy=True)
    for number, each in enumerate(found, start=1):
        steps("writing", number, len(masks))
        yield each
