"""The documents of a job in files, with the steps of `documents.InMemory`: reads and writes go part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from ..cluster.profile import Profile, k_profile
from ..collection.parts import StoredDocuments
from ..collection.stored import SAMPLED, StoredCollection, forget, in_memory, part_of_state, read_collection
from ..decisions import Decision, from_seeds
from ..errors import InputError, counted, warn
from ..pipeline import spread
from ..places import place_of
from ..readers.documents import LIMITS, reasons
from ..rows import connect
from ..rows.blocks import group_sizes, spans
from ..rows.mapped import DamagedError
from ..rows.wrappers import MOST_SAMPLED
from ..session import DecisionReceipt, Version
from ..session.past import UNKNOWN
from ..storage.folders import stage
from ..summary.findings import trust_of
from ..summary.names import Level, levels_of
from ..summary.partition import Partition, at_numbers
from ..summary.records import Summary
from ..text.collection import OUTLIER
from ..text.encoder import choose as choose_encoder
from ..text.representation import Spaces
from ..text.tokenizer import TOKENIZER, warn_of_pairs
from ..types import Array
from .assignments import CsvTable, groups_in
from .documents import clusterer_of, vectorizer, warn_of_languages
from .installation import versions
from .material import Material, check_number, choose, encoder_here, examples, of_universum, weights_of, without_texts
from .memory import checks_trust, fields_of, identity, most_groups, needed
from .options import named_encoder
from .output import Steps
from .result import Outcome, Step, counts_of_levels, further_columns, outcome_of, several_of, table_of
from .settings import ClusterSettings
from .start import Start
from .tables import format_of, write_table

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
    levels: list[Level]

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
        check_number(settings, len(self.stored))
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
        elif by_vectors:
            opened: Any = nullcontext(meaning and meaning.encode) if encoder is None else encoder_here(encoder)
            with opened as encode:
                stored = stored.encoded(encode, self.work / "vectors", steps.of("encoding"))
            stored = replace(stored, encoder=meaning)
        self.stored = stored
        warn_of_pairs(stored.words)
        warn_of_languages(settings, stored.corpus(stored.draw(TOKENIZER.texts, settings.seed)).texts)
        if past is None and not isinstance(settings.k, int):
            places = stored.draw(max(MOST_SAMPLED, _OF_A_GROUP * most_groups(settings)), settings.seed)
            found, progress = in_memory(stored.spaces, stored.row_of[places]), steps.of("choosing the number of groups")
            self.profile = k_profile(found.space, settings.k, progress=progress)
            self.settings = replace(settings, k=self.profile.chosen)

    def seeds(self) -> tuple[Decision, ...]:
        """Return the definitions and examples of the codes as decisions, from the documents of all parts."""
        frame = self.start.frame
        if frame is None or not frame.starting:
            return ()
        parts = [*self.stored.documents(lambda documents: frame.seeds(documents.texts, documents.ids))]
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
        weights = None
        if settings.weight:
            found = stored.documents(lambda documents: weights_of(documents.corpus(), settings.weight))
            weights = np.concatenate([*found])
        documents = stored.collection(named, self._universum(), weights)
        if settings.outliers == "set-aside":
            documents = stored.without_outliers(documents, settings.seed)
        self.steps("fitting")
        if past is None:
            version = stored.first_version(documents, decisions, clusterer_of(settings), settings.seed)
        else:
            assert settings.from_ is not None
            groups = past.groups.items() if past.groups else groups_in(settings.from_)
            version = stored.next_version(documents, past, groups, decisions, settings.seed)
        return Step(version, None, _receipts_of(version), bool(settings.from_ or settings.steer), profile=self.profile)

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
        corpus, some = self.stored.sample_of(version, settings.seed)
        partition, measured = Partition.of(some, corpus), dict[str, Any]()
        if checks_trust(settings):
            every = (version.model.spaces_.space, version.labels[version.model.kept_])
            progress = self.steps.of("checking the groups")
            measured["trust"] = trust_of(partition, every=every, progress=progress).to_dict()
        by = choose(corpus, settings.by, settings.label, settings.day_first)
        material = Material(corpus, by, None, {}, self.start.frame)
        quick = replace(settings, quick=settings.quick or not measured)
        outcome = outcome_of(quick, material, replace(step, version=some), self.steps, measured)
        counts = [count for count in counts_of_levels(settings, step.profile) if count <= len(version.numbers)]
        names = [group.name for group in outcome.summary.groups]
        self.levels = levels_of(partition, outcome.corpus.texts, names, counts)
        return outcome

    def write_table(self, outcome: Outcome, folder: Path) -> Outcome:
        """Write the table of all documents part by part; return the outcome with their exact counts."""
        version, documents, settings = self.step.version, self.step.version.documents, self.settings
        assert documents is not None
        k, over = len(outcome.summary.groups), 0
        flagged = np.zeros(k, dtype=np.int64)

        def tables() -> Iterator[CsvTable]:
            nonlocal over
            for part in self._parts(outcome):
                verdicts, threshold = part.verdicts, getattr(part.model.clusterer_, "off_topic_", None)
                if verdicts.off_topic is not None:
                    out = verdicts.off_topic if verdicts.aside is None else verdicts.off_topic & ~verdicts.aside
                    flagged[:] += np.bincount(verdicts.scores[out].argmax(axis=1), minlength=k)
                over += int(np.count_nonzero(verdicts.off_topic_score > threshold["value"])) if threshold else 0
                yield table_of(part)

        written = tables()
        first = next(written)
        rows = chain(first.rows, chain.from_iterable(table.rows for table in written))
        write_table(CsvTable(first.header, rows), outcome.summary, settings.table, folder)
        self.stored.warn_of_duplicates()
        groups = None
        if not format_of(settings.table).has_groups:
            ids = chain.from_iterable(self.stored.documents(attrgetter("ids")))
            groups = {identity: (group, UNKNOWN) for identity, group in zip(ids, version.labels.tolist(), strict=True)}
        left = documents.without_words(version.state.ignored).kept
        weights = None if documents.sample_weight is None else documents.sample_weight[left]
        skipped, n = self.stored.skipped, int(np.count_nonzero(left))
        out = 0 if documents.outliers is None else int(np.count_nonzero(documents.outliers))
        skipped += Counter({OUTLIER: out, documents.representation.missing: len(documents) - n - out})
        record = {
            "documents": n,
            "skipped": skipped.total(),
            "skipped_by_reason": dict(reasons(("", reason) for reason in skipped.elements())),
            "files": {"sample": min(SAMPLED, n), "memory_needed": needed(settings, n)},
            "parameters": settings.parameters,
            "correct": None,
        }
        return replace(
            outcome,
            summary=_exact(outcome.summary, version.labels[left], weights, flagged, over),
            record=outcome.record | record,
            past=replace(outcome.past, groups={}, digests={}, **version.state.by_id(documents.ids)),
            kept={"documents": groups},
        )

    def _parts(self, outcome: Outcome) -> Iterator[Outcome]:
        """Yield the outcome of the documents of each part, by the model of the sample."""
        version, model, settings, stored = self.step.version, outcome.model, self.settings, self.stored
        documents = version.documents
        assert documents is not None
        every = documents.without_words(version.state.ignored)
        row_of, columns = np.cumsum(every.kept) - 1, stored.columns
        if len(columns) > LIMITS.columns:
            warn(LIMITS.too_many_columns(columns))
        parts = spans(stored.edges)
        for number, (span, corpus) in enumerate(
            zip(parts, stored.documents(StoredDocuments.corpus), strict=True), start=1
        ):
            self.steps("writing", number, len(parts))
            # 1. The version of these documents, and its verdicts.
            kept = every.kept[span]
            part = replace(version, model=model, state=part_of_state(version, np.arange(span.start, span.stop)))
            spaces = in_memory(every.spaces, row_of[span][kept])
            verdicts = at_numbers(part.verdicts_on(spaces, kept), version.numbers)
            # 2. The columns on request.
            scores, several = None, None
            if settings.outliers == "flag":
                scores = model._outlier_scores().score(spaces.unaveraged) if len(spaces) else np.zeros(0)
                scores = spread(scores, kept, np.nan, float)
            if settings.multi is not None:
                several = several_of(part, settings.multi, spread(model._probably_several(spaces), kept, np.nan, float))
            levels = [replace(level, labels=_branches(level, part.labels)) for level in self.levels]
            # 3. The documents, with all columns of the input.
            nothing = [""] * len(corpus)
            shown = {name: corpus.columns.get(name, nothing) for name in columns[: LIMITS.columns]}
            out = () if documents.outliers is None else np.flatnonzero(documents.outliers[span])
            yield replace(
                outcome,
                corpus=without_texts(corpus) if settings.redact else replace(corpus, columns=shown),
                verdicts=verdicts,
                labels=part.labels,
                further=further_columns(model, scores, several, levels),
                reasons={corpus.ids[row]: OUTLIER for row in out},
            )


def _branches(level: Level, labels: Array) -> Array:
    """Return the branch of each document of a level, (n,); -1 for a document in no group."""
    branch_of = {group: branch for branch, groups in level.groups.items() for group in groups}
    return np.array([branch_of.get(group, -1) for group in labels.tolist()], dtype=np.int32)


def _receipts_of(version: Version) -> tuple[DecisionReceipt, ...]:
    """Return the effect of each decision, as the number of documents that moved at once."""
    receipts = []
    for effect in version.effects:
        why = effect.reason
        said = f"not followed: {why}" if why else f"{counted(len(effect.moved), 'document')} moved at once"
        receipts.append(DecisionReceipt(effect.decision, None, 0, False if why else None, said, []))
    return tuple(receipts)


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
