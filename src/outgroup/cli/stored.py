"""The documents of a job in files, with the steps of `documents.InMemory`: reads and writes go part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ..cluster.profile import Profile, k_profile
from ..codebook import Codebook
from ..collection.parts import NumberedPart, Store, StoredDocuments
from ..collection.stored import StoredCollection, digests, forget, read_collection, warn_of_duplicates
from ..collection.versions import (
    SAMPLED,
    documents_with_rows,
    first_version,
    next_version,
    receipts_of,
    sample_of,
)
from ..decisions import Decision, from_seeds
from ..decisions.state import Pin
from ..errors import InputError, warn
from ..model import Model
from ..pipeline import spread
from ..places import place_of
from ..readers.documents import LIMITS, Corpus, reasons
from ..rows import connect
from ..rows.blocks import add_up, group_sizes
from ..rows.mapped import DamagedError
from ..rows.wrappers import MOST_SAMPLED, part_of, sampled
from ..seeds import Seeds
from ..session import Version
from ..session.past import UNKNOWN
from ..session.version import Verdicts, judge
from ..storage.folders import stage
from ..summary.findings import held_groups, trust_of
from ..summary.names import Level, levels_of
from ..summary.partition import Partition, at_numbers
from ..summary.records import Summary
from ..text.collection import OUTLIER
from ..text.encoder import choose as choose_encoder
from ..text.representation import Spaces
from ..text.tokenizer import TOKENIZER, warn_of_pairs
from ..types import Array
from . import assignments
from .assignments import CsvTable, Row, groups_in
from .documents import clusterer_of, vectorizer, warn_of_languages
from .material import Columns, Material, choose, encoder_here, examples, of_universum, weights_of, without_texts
from .memory import checks_trust, fields_of, identity, most_groups, needed
from .options import named_encoder
from .output import Steps
from .result import Outcome, Step, codes_by_group, counts_of_levels, further_columns, outcome_of
from .settings import ClusterSettings
from .start import Start
from .tables import format_of, shown_corpus, write_table
from .versions import versions

_OF_A_GROUP = 4  # sampled documents per group for choosing the number of groups


@contextmanager
def open_in_files(start: Start[ClusterSettings], target: Path, steps: Steps) -> Iterator[InFiles]:
    """Yield the documents of a job in files beside the result folder `target`, or on the workers of a cluster.

    The files are removed unless the run can be resumed. Adds the advice to run without --resume to errors of damaged
    rows.
    """
    settings = start.settings
    with (
        nullcontext() if settings.cluster is None else connect.connected(settings.cluster) as client,
        stage(target, _about(settings), resume=settings.resume) as work,
    ):
        path = work / "run"
        if not (path.exists() and path.read_text()):
            path.write_text(uuid4().hex)
        documents, resumable = InFiles(start, steps, work, path.read_text(), client), True
        try:
            yield documents
            resumable = False
        except InputError as error:
            resumable = False
            if isinstance(error, DamagedError):
                raise InputError(f"{error}: run again without --resume") from error
            raise
        finally:
            if client is not None and not resumable:
                forget(documents.run, client)


def _about(settings: ClusterSettings) -> dict[str, Any]:
    """Return the values that must be the same in a run with --resume."""
    free = {"out", "table", "memory", "cluster"}
    given = {name: value for name, value in settings.parameters.items() if name not in free}
    return given | {
        "documents": identity(settings.docs),
        "outgroup": versions()["outgroup"],
        "workers": settings.cluster is not None,
        "vectors": None if settings.embeddings is None else identity(place_of(settings.embeddings)),
    }


class InFiles:
    """The documents of a job in the folder `work`, or on the workers of `client` in folders of this `run`."""

    stored: StoredCollection
    profile: Profile | None = None
    step: Step
    judge: Judge

    def __init__(self, start: Start[ClusterSettings], steps: Steps, work: Path, run: str, client: Any) -> None:
        self.start, self.steps = start, steps
        self.settings = replace(start.settings, table=start.settings.table or "parquet")
        self.work, self.run, self.client = work, run, client

    def read(self) -> None:
        """Read the documents and count their words, part by part."""
        settings, past = self.settings, self.start.past
        if settings.memory is not None:
            gigabytes = needed(settings) / 1e9
            warn(f"the rows live in files: about {gigabytes:.1f} GB of memory, and temporary files in {self.work}")
        if not (settings.quick or checks_trust(settings)):
            warn(f"the trust in {most_groups(settings):,} groups is not measured: the sample has too few rows of each")
        if past is not None and past.model.representation_.passes:
            warn(
                "the earlier result averaged documents with neighbours, but rows in files are not averaged: documents "
                "may change groups"
            )
        words = vectorizer(settings) if past is None else past.model.vectorizer_
        words.check_blocks()
        fields, share = fields_of(settings), self.steps.share_of("reading")
        self.stored = read_collection(settings.docs, fields, words, self.work, self.run, self.client, share)
        format_of(self.settings.table).check(len(self.stored) + self.stored.skipped.total())

    def represent(self) -> None:
        """Weigh the words of each part, encode its texts if that helps, and choose the number of groups."""
        settings, steps, past, read = self.settings, self.steps, self.start.past, self.stored
        encoder, meaning, names_by_meaning = named_encoder(settings), None, False
        if past is not None:
            meaning, names_by_meaning = past.model.representation_.meaning, past.model.representation_.names_by_meaning
        elif settings.encoder == "auto" and settings.embeddings is None:
            some = read.corpus(read.draw(MOST_SAMPLED, settings.seed)).texts
            choice = choose_encoder(some, read.words.transform(some), steps.of("encoding"))
            meaning, names_by_meaning = choice.encoder, choice.readable
        by_vectors = settings.embeddings is not None or encoder is not None or meaning is not None
        stored = replace(read.weighed(steps.of("weighing words"), every=by_vectors), names_by_meaning=names_by_meaning)
        if settings.embeddings is not None:
            stored = stored.with_vectors(settings.embeddings)
        elif meaning is not None:
            stored = stored.encoded(meaning.encode, self.work / "vectors", steps.of("encoding"))
            stored = replace(stored, encoder=meaning)
        elif encoder is not None:
            with encoder_here(encoder) as encode:
                stored = stored.encoded(encode, self.work / "vectors", steps.of("encoding"))
        self.stored = stored
        warn_of_pairs(stored.words)
        warn_of_languages(settings, stored.corpus(stored.draw(TOKENIZER.texts, settings.seed)).texts)
        if past is None and not isinstance(settings.k, int):
            places = stored.draw(max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings)), settings.seed)
            found, progress = stored.spaces(stored.row_of[places], []), steps.of("choosing the number of groups")
            self.profile = k_profile(found.space, settings.k, progress=progress)
            self.settings = replace(settings, k=self.profile.chosen)

    def seeds(self) -> tuple[Decision, ...]:
        """Return the definitions and examples of the codes as decisions, from the documents of all parts."""
        frame = self.start.frame
        if frame is None or not frame.starting:
            return ()
        parts = self.stored.documents(partial(_of_codes, frame), heavy=True)
        clusters = {}
        for name, first in parts[0].clusters.items():
            every = [part.clusters[name] for part in parts]
            texts = tuple(text for text in first.texts if all(text in each.texts for each in every))  # others are ids
            clusters[name] = replace(first, documents=tuple(d for each in every for d in each.documents), texts=texts)
        return from_seeds(replace(parts[0], clusters=clusters))

    def fit(self, decisions: tuple[Decision, ...]) -> Step:
        """Fit a version of all documents, from scratch or from the groups of the earlier result."""
        settings, stored, past = self.settings, self.stored, self.start.past
        self.steps("analysing")
        named = {each for decision in decisions for each in getattr(decision, "documents", ())}
        named |= set() if past is None else {*past.pins, *past.away}
        weights = np.concatenate(stored.documents(partial(_weights, settings.weight))) if settings.weight else None
        without_outliers = settings.outliers == "set-aside"
        documents = documents_with_rows(
            stored, named, self._universum(), weights, settings.seed, without_outliers=without_outliers
        )
        self.steps("fitting")
        if past is None:
            version = first_version(stored, documents, decisions, clusterer_of(settings), settings.seed)
        else:
            assert settings.from_ is not None
            groups = past.groups.items() if past.groups else groups_in(settings.from_)
            version = next_version(stored, documents, past, groups, decisions, settings.seed)
        return Step(version, None, receipts_of(version), bool(settings.from_ or settings.steer), profile=self.profile)

    def _universum(self) -> Spaces | None:
        """Return the off-topic examples that have a row; None without `universum`."""
        found, representation = examples(self.settings, self.steps), self.stored.representation
        if found is None:
            return None
        vectors = None if representation.width is None else of_universum(self.settings, found, self.steps)
        known, _ = representation.transform(found.texts, vectors, "universum_embeddings")
        if not len(known):
            warn("the off-topic examples share no word with the documents, so they have no effect")
        return known

    def summarise(self, step: Step) -> Outcome:
        """Summarise the groups by a random sample of the documents; the trust is that of all."""
        settings, version, self.step = self.settings, step.version, step
        corpus, some = sample_of(self.stored, version, settings.seed)
        partition, measured = Partition.of(some, corpus), dict[str, Any]()
        if checks_trust(settings):
            every = (version.model.spaces_.space, version.labels[version.model.kept_])
            progress = self.steps.of("checking the groups")
            measured["trust"] = trust_of(partition, every=every, progress=progress).to_dict()
        by = choose(corpus, settings.by, settings.label, settings.day_first)
        material = Material(corpus, by, None, {}, self.start.frame)
        quick = replace(settings, quick=settings.quick or not measured)
        outcome = outcome_of(quick, material, replace(step, version=some), self.steps, measured)
        levels = [count for count in counts_of_levels(settings, step.profile) if count <= len(version.numbers)]
        self.judge = self._judge(outcome, version, partition, levels)
        return outcome

    def write_table(self, outcome: Outcome, folder: Path) -> Outcome:
        """Write the table of all documents, made part by part; return the outcome with their exact counts."""
        version, documents, settings = self.step.version, self.step.version.documents, self.settings
        assert documents is not None
        labels = version.labels.copy()
        labels[list(version.state.away)] = AWAY
        if documents.outliers is not None:
            labels[documents.outliers] = OUT
        found, parts, kept = self._judged(labels), list[Written](), dict[str, Any]()
        first = next(found)

        def rows() -> Iterator[Row]:
            for part in chain([first], found):
                parts.append(replace(part, rows=[]))
                if not format_of(settings.table).has_groups:
                    kept.update({row[0]: (int(row[2]) if row[2].isdecimal() else -1, UNKNOWN) for row in part.rows})
                yield from part.rows

        write_table(CsvTable(first.header, rows()), outcome.summary, settings.table, folder)
        warn_of_duplicates([part.ids for part in parts])
        flagged, over = add_up(part.flagged for part in parts), add_up(part.over for part in parts)
        left = documents.without_words(version.state.ignored).kept
        weights = None if documents.sample_weight is None else documents.sample_weight[left]
        return replace(
            outcome,
            summary=_exact(outcome.summary, version.labels[left], weights, flagged, over),
            record=outcome.record
            | self._counts(left, documents.outliers)
            | {"parameters": settings.parameters, "correct": None},
            past=replace(outcome.past, groups={}, digests={}, **version.state.by_id(documents.ids)),
            kept={"documents": kept or None},
        )

    def _counts(self, left: Array, outliers: Array | None) -> dict[str, Any]:
        """Return the numbers of documents and skips, and the memory, for run.json; `left` (m,) marks rows in the
        fit.
        """
        skipped, n = self.stored.skipped, int(np.count_nonzero(left))
        out = 0 if outliers is None else int(np.count_nonzero(outliers))
        skipped += Counter({OUTLIER: out, self.stored.representation.missing: len(self.stored) - n - out})
        return {
            "documents": n,
            "skipped": skipped.total(),
            "skipped_by_reason": dict(reasons(("", reason) for reason in skipped.elements())),
            "files": {"sample": min(SAMPLED, n), "memory_needed": needed(self.settings, n)},
        }

    def _judge(self, outcome: Outcome, version: Version, partition: Partition, counts: Sequence[int]) -> Judge:
        """Return the judge of all documents, from the outcome of the sample; `counts` are those of the levels."""
        documents, model, summary = version.documents, outcome.model, outcome.summary
        assert documents is not None
        names = [group.name for group in summary.groups]
        levels = levels_of(partition, outcome.corpus.texts, names, counts)
        if self.settings.outliers != "flag":  # a model without documents is small
            model = Model.from_state(model.to_state())
        columns = list(dict.fromkeys(name for facts in self.stored.facts for name in facts.columns))
        if len(columns) > LIMITS.columns:
            warn(LIMITS.too_many_columns(columns))
        ignored = {column for word in version.state.ignored for column in documents.columns(word)}
        return Judge(
            model,
            names,
            codes_by_group(summary),
            summary.special_codes,
            columns[: LIMITS.columns],
            np.array(sorted(ignored), dtype=int),
            levels,
            version.state.by_id(version.ids)["pins"],
            self.settings.parameters,
        )

    def _judged(self, labels: Array) -> Iterator[Written]:
        """Yield the rows of each part, for the labels of all documents with a row, (m,)."""
        stored = self.stored
        masks = np.split(stored.has_row, stored.edges[1:-1])
        rows = np.cumsum([0, *(int(np.count_nonzero(mask)) for mask in masks)])
        own = [slice(a, b) for a, b in pairwise(rows.tolist())]
        vectors = [
            None if stored.vectors is None else part_of(stored.vectors, np.arange(each.start, each.stop))
            for each in own
        ]
        found = stored.map(self.judge, masks, [labels[each] for each in own], vectors, heavy=True)
        for number, part in enumerate(found, start=1):
            self.steps("writing", number, len(masks))
            yield part


def _weights(name: str, documents: StoredDocuments) -> Array | None:
    return weights_of(documents.corpus(), name)


def _of_codes(frame: Codebook, documents: StoredDocuments) -> Seeds:
    return frame.seeds(documents.texts, documents.ids)


def _exact(summary: Summary, labels: Array, weights: Array | None, flagged: Array, over: int) -> Summary:
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
        threshold = None if aside.threshold is None else replace(aside.threshold, flagged=over)
        aside = replace(aside, count=count, threshold=threshold)
    by = summary.by
    if by is not None and n > summary.n_documents:
        by = replace(by, wrong=f"{by.wrong} Counted in {summary.n_documents:,} random documents of {n:,}.".strip())
    run = summary.run | {"sample_of": n}
    return replace(summary, n_documents=n, groups=groups, off_topic=aside, by=by, run=run)


# --- The rows of the table, made here, in another process, or on a worker

AWAY, OUT = -2, -3
"""The labels of a document with an off-topic label, and of an outlier that is set aside: both are in no group."""


@dataclass(frozen=True)
class Written:
    """The rows of the table for a part: id digests, off-topic documents by group (k,), documents above the
    threshold, the header and the rows.
    """

    ids: Array
    flagged: Array
    over: int
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
    special: Mapping[int, str]
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
            scores = self.model._outlier_scores().score(spaces.unaveraged) if len(spaces) else np.zeros(0)
            scores = spread(scores, has_row, np.nan, float)
        if least is not None:
            p = spread(self.model._probably_several(spaces), has_row, np.nan, float)
            pins = {row: self.pins[each] for row, each in enumerate(corpus.ids) if each in self.pins}
            several = p, held_groups(p, labels, self.model.numbers_, least, pins)
        branches = [{group: branch for branch, own in level.groups.items() for group in own} for level in self.levels]
        own = [np.array([branch.get(g, -1) for g in labels.tolist()], dtype=np.int32) for branch in branches]
        levels = [replace(level, labels=at) for level, at in zip(self.levels, own, strict=True)]
        return further_columns(self.model, scores, several, levels)

    def _over(self, verdicts: Verdicts) -> int:
        """Return the number of documents above the off-topic threshold."""
        threshold = getattr(self.model.clusterer_, "off_topic_", None)
        return int(np.count_nonzero(verdicts.off_topic_score > threshold["value"])) if threshold else 0

    def _flagged(self, verdicts: Verdicts) -> Array:
        if verdicts.off_topic is None:
            return np.zeros(len(self.names), dtype=np.int64)
        over = np.flatnonzero(verdicts.off_topic if verdicts.aside is None else verdicts.off_topic & ~verdicts.aside)
        return np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(self.names))
