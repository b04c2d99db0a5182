"""Fit the versions of a collection, from scratch or from the previous version."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np

from ..cluster.max_margin import MaxMarginClustering
from ..cluster.off_topic import OffTopicMixin
from ..cluster.seeded import fitted
from ..cluster.spherical import SphericalKMeans
from ..cluster.warm_start import WarmStart, fit_from
from ..decisions import Decision, Define, Group, Label, Regroup, Word
from ..decisions.history import Effect
from ..decisions.state import Pin, State, Step, UnfollowedError, positions
from ..errors import InputError, quoted, warn
from ..model import Model
from ..pipeline import GroupFit, copied_clusterer, fit_groups, rows_and_examples
from ..seeds import Cluster, Seeds
from ..solve.labels import nearest_centres
from ..solve.spherical import centres_of
from ..text.collection import Collection, FitDocuments
from ..types import Array, Progress, no_op
from .past import Past
from .version import Version, kept_names

GivenGroups = tuple[Array, Mapping[int, str]]
"""The group number of each document, (n,) int32, -1 for off-topic, and the names of named groups."""


@dataclass(frozen=True)
class Preview:
    """The rows that a decision would move, apart from a single named document, and their new groups (-1 for none).

    `note` is the reason that the decision cannot be applied, "" if it can. `right`, for a `Regroup`, holds the number
    of labels of the random sample, and the share of them that is right before and, each left out, after.
    """

    rows: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    note: str = ""
    right: tuple[int, float, float] | None = None


_SAMPLE = 4_096  # documents of a sketch, evenly spaced in the order of the texts
NOTE = "provisional groups, from a sample of the documents"


class Fitter:
    """The fitter of a collection's versions; `notes` belong to the first version.

    `past` is the earlier version that the first one starts from, or None. `given` are the groups of the first version,
    if another method found them.
    """

    def __init__(
        self,
        documents: Collection,
        clusterer: Any,
        random_state: int,
        notes: tuple[str, ...] = (),
        past: Past | None = None,
        given: GivenGroups | None = None,
    ) -> None:
        self.documents, self.clusterer, self.random_state = documents, clusterer, random_state
        self.notes, self.past, self.given = notes, past, given
        # Another clusterer cannot start from groups with labels: the default one continues.
        self.warm_clusterer = clusterer
        if given is not None or not isinstance(clusterer, MaxMarginClustering):
            off_topic: dict[str, Any] = {"off_topic_rate": None}
            if given is None and isinstance(clusterer, OffTopicMixin):
                off_topic = {"off_topic_rate": clusterer.off_topic_rate, "set_aside": clusterer.set_aside}
            self.warm_clusterer = MaxMarginClustering(C_universum=0, random_state=random_state, **off_topic)

    def fit_log(self, log: tuple[Decision, ...], start: Version | None, report: Progress = no_op) -> Version:
        """Return the version for a whole log, from the version `start` or from scratch."""
        report("starting", 0, None)
        # 1. Fit the first version from scratch, or find the latest version with a prefix of these decisions.
        base = self.first_version(by_name(log), report) if start is None else self._base(start, log, report)
        # 2. Apply the remaining decisions, and fit from the previous labels.
        rest = log[len(base.decisions) :]
        found = self.next_version(base, base.state.settled(), rest, report) if rest else base
        number = 1 if start is None else start.number + 1
        effects = found.effects if rest else ()  # a restored version has no new effects
        return replace(found, number=number, decisions=log, parent=start or found.parent, effects=effects)

    def _base(self, start: Version, log: tuple[Decision, ...], report: Progress = no_op) -> Version:
        """Return the latest version, up to `start`, that contains no undone decision."""
        step = start
        while step.decisions != log[: len(step.decisions)]:
            if step.parent is None:
                return self._without_undone(step, log, report)
            step = step.parent
        return step if step.model is not None else self.restore(step, report)

    def _without_undone(self, root: Any, log: tuple[Decision, ...], report: Progress = no_op) -> Version:
        """Return a first version without some of its own decisions."""
        if self.past is None:
            return self.first_version(by_name(log), report)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(root.decisions, log, strict=False)))
        state = root.state.settled()
        for decision in root.decisions[common:]:
            state = decision._undo(Step(state, self.documents))
        return replace(self.next_version(root, state, (), report), decisions=root.decisions[:common])

    def first_version(self, named: tuple[Decision, ...], report: Progress = no_op, **given: Any) -> Version:
        """Fit from scratch; the seeds are the labels of named groups, or as `given` to `fit_groups`."""
        if self.given is not None:
            return self._of_labels(*self.given, report)
        noise = [decision for decision in named if isinstance(decision, Word) and decision.group is None]
        ignored = frozenset(word for decision in noise for word in decision.words)
        with warnings_as_notes() as notes:
            documents, clusterer = self.documents.without_words(ignored), copied_clusterer(self.clusterer)
            given = {"seeds": seeds_of(named)} | given
            cold = fit_groups(documents, clusterer, report=report, **given)
        if not hasattr(clusterer, "decision_function"):
            if not (cold.labels >= 0).any():
                raise InputError(f"{type(clusterer).__name__} found no group: change its parameters")
            found = self._of_labels(cold.labels, {}, report)
            return replace(found, notes=(*found.notes, *notes))
        numbers = tuple(range(len(getattr(clusterer, "coef_", range(int(cold.labels.max()) + 1)))))
        found = self.version(
            cold, cold_state(cold, named, ignored, numbers, given["seeds"]), named, (*self.notes, *notes)
        )
        ids = [documents.ids[row] for row in np.flatnonzero(cold.arranged.inside).tolist()]
        bare = found.model._proposed_of(cold.bare, cold.arranged.spaces.texts, ids)
        return replace(found, state=replace(found.state, proposed=tuple(bare)))

    def _of_labels(self, labels: Array, group_names: Mapping[int, str], report: Progress = no_op) -> Version:
        """Return a first version with given groups; -1 is an off-topic label, and a text without a row keeps its
        label.
        """
        kept = self.documents.kept
        pins = {row: Pin(int(labels[row])) for row in np.flatnonzero(~kept & (labels >= 0)).tolist()}
        away = frozenset(np.flatnonzero(kept & (labels < 0)).tolist())
        numbers = tuple(np.unique(labels[labels >= 0]).tolist())
        state = State(labels, np.zeros(len(labels), dtype=bool), pins, away, numbers=numbers, names=dict(group_names))
        state = state.weighed()
        return self.version(self._warm_fit(None, state, report)[0], state, (), self.notes)

    def continue_from(self, past: Past, report: Progress = no_op, state: State | None = None) -> Version:
        """Return an earlier version unchanged if the documents are the same; else fit from its groups.

        `state` is that of these documents, by default as `past` finds it.
        """
        state = past.state(self.documents) if state is None else state
        arranged = self.fit_documents(state)
        same = GroupFit(past.model.clusterer_, arranged, arranged.order())
        base = self.version(same, state, past.decisions, (*self.notes, *state.notes))
        base = replace(base, threshold_examples=past.model.n_universum_, automatic_names=dict(past.automatic_names))
        found = self.next_version(base, state, (), report) if state.refit else base
        return replace(
            found,
            automatic_names=kept_names(found),
            number=past.number,
            parent=None,
            decisions=past.decisions,
            effects=(),
        )

    def restore(self, kept: Version, report: Progress = no_op) -> Version:
        """Return a saved version with its model, fitted again from its groups, which gives the same model."""
        fitted, count = self._warm_fit(kept.first, kept.state, report)
        version = self.version(fitted, kept.state, kept.decisions, kept.notes)
        same = {name: getattr(kept, name) for name in ("number", "parent", "seconds", "made", "automatic_names")}
        return replace(version, threshold_examples=count, **same)

    def next_version(
        self, base: Version, state: State, rest: tuple[Decision, ...], report: Progress = no_op
    ) -> Version:
        """Apply further decisions to a version, from `state`, and fit if a decision requires it."""
        state = state.weighed()
        state, effects = self._after_all(state, rest)
        if not state.refit:
            names = [state.names.get(number) for number in base.numbers]
            model = copy.copy(base.model)
            model.names_ = names if any(names) else None
            if (further := _further(state, base.numbers)) != base.model._also:
                model._also, model._several, model._crossed = further, None, None
            return replace(
                base,
                model=model,
                state=state,
                effects=effects,
                parent=base,
                notes=state.notes or base.notes,
            )
        fitted, count = self._warm_fit(base, state, report)
        # Only free documents, and documents in no group before or after, may change.
        labels = np.asarray([*state.numbers, -1])[fitted.labels]
        may = state.free | ~state.finished & ((labels < 0) | (state.labels < 0))
        state = replace(state, labels=np.where(may, labels, state.labels).astype(np.int32))
        found = self.version(fitted, state, rest, state.notes)
        return replace(found, effects=effects, parent=base, threshold_examples=count)

    def _warm_fit(self, base: Any, state: State, report: Progress = no_op) -> tuple[GroupFit, int | None]:
        """Fit from a state, after the version `base`; return the fit, and `threshold_examples` as in `Version`."""
        arranged = self.fit_documents(state)
        order = arranged.order()
        labels = _positions(state, arranged)[order]
        X, examples = rows_and_examples(arranged.spaces, arranged.examples, self.warm_clusterer, order)
        start = _start(state, arranged, labels, order, base)
        on_step = lambda step: report("moving", int(step["step"]), None)  # noqa: E731
        fit = partial(fit_from, self.warm_clusterer, X, k=len(state.numbers), universum=examples, on_step=on_step)
        try:
            found = fit(start=start)
        except InputError:  # groups with equal means have no margins to compute C from
            if base is not None:
                raise
            found = fit(start=replace(start, C=1.0))
        count = 0 if arranged.examples is None else len(arranged.examples)
        return GroupFit(found, arranged, order), count if start.threshold is None else _threshold_examples(base)

    def _after_all(self, state: State, rest: tuple[Decision, ...]) -> tuple[State, tuple[Effect, ...]]:
        """Return the state after further decisions, and the effect of each."""
        effects, touched, free = [], state.touched, state.free
        for decision in rest:
            documents = self.documents.without_words(state.ignored)
            # Without earlier affected groups and free rows, `after` has those of this decision alone.
            alone = replace(state, touched=frozenset(), free=np.zeros_like(free))
            after = decision._follow(Step(alone, documents))
            moved = np.flatnonzero(after.labels != state.labels)
            reason = decision.reason_in(after.notes[-1]) if len(after.notes) > len(state.notes) else ""
            effects.append(Effect(decision, after.touched, moved, np.flatnonzero(after.free), reason))
            touched = (touched | after.touched) & set(after.numbers)  # a merge removes groups
            free = free | (after.free & ~after.finished)  # no fit moves rows of groups that are done
            state = after
        return replace(state, touched=frozenset(touched), free=free), tuple(effects)

    def preview(self, version: Version, decision: Decision) -> Preview:
        """Return the documents that a decision would move immediately; no fit is needed."""
        state = version.state.settled().weighed()
        if isinstance(decision, Regroup):
            try:
                labels, found = Step(state, self.documents.without_words(state.ignored)).regrouped()
            except UnfollowedError as error:
                return Preview(note=str(error))
            right = (found.n_labels, found.right_before, found.right_after)
            moved = np.flatnonzero(labels != state.labels)
            return Preview(tuple(moved.tolist()), tuple(labels[moved].tolist()), right=right)
        after, (effect,) = self._after_all(state, (decision,))
        bulk = isinstance(decision, Label) and len(decision.documents) > 1
        named = () if bulk else decision.labelled
        others = [row for row in effect.moved.tolist() if self.documents.ids[row] not in named]
        return Preview(tuple(others), tuple(after.labels[others].tolist()), effect.reason)

    def sketch(self, k: int) -> Version:
        """Return provisional groups: spherical k-means on a sample, all other documents in the nearest group.

        It has no off-topic documents, no neighbours and no certificate.
        """
        n, arranged = len(self.documents), FitDocuments.of(self.documents, frozenset())
        order = arranged.order()
        X = arranged.spaces.space[order]
        some = np.linspace(0, len(order) - 1, min(len(order), max(_SAMPLE, 20 * k))).astype(int)
        found = fitted(SphericalKMeans(k, n_init=1, local_search=None, random_state=self.random_state), X[some])
        found.labels_ = np.asarray(found.predict(X), dtype=np.int32)
        cold = GroupFit(found, arranged, order)
        state = State(cold.labels, np.zeros(n, dtype=bool), numbers=tuple(range(k)))
        return self.version(cold, state, (), (NOTE,))

    def fit_documents(self, state: State) -> FitDocuments:
        """Return the documents and examples for a fit in a state."""
        return FitDocuments.of(self.documents.without_words(state.ignored), state.away)

    def version(
        self,
        fitted: GroupFit,
        state: State,
        decisions: tuple[Decision, ...],
        notes: tuple[str, ...],
    ) -> Version:
        """Return the version of a fit, with the groups of a state; labelled documents have their labels."""
        numbers, labels = state.numbers, state.labels.copy()
        for row, label in state.pins.items():
            labels[row] = label.group
        names = [state.names.get(number) for number in numbers]
        further = _further(state, numbers)
        model = Model.of_parts(fitted, labels, numbers, names if any(names) else None, further)
        return Version(
            1,
            self.documents.ids,
            replace(state, labels=labels),
            decisions,
            notes=notes,
            model=model,
            documents=self.documents,
        )


def _further(state: State, numbers: tuple[int, ...]) -> dict[int, list[int]]:
    """Return the further groups of labelled documents by row, as positions in `numbers`."""
    place = {number: g for g, number in enumerate(numbers)}
    return {row: [place[group] for group in label.further] for row, label in state.pins.items() if label.further}


# --- The first fit: from scratch, with labels of groups by name


def by_name(log: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return the decisions at the start of a log that name groups instead of numbering them; the first fit uses them.

    Group numbers refer to a version; before a decision with one, the prefix counts only if it has labels by name.

    >>> by_name([Label("d1", "bread"), Label("d2", ()), Label("d3", 0)])
    (Label(documents=('d1',), groups=('bread',), weight=1.0), Label(documents=('d2',), groups=(), weight=1.0))
    >>> by_name([Label("d2", ()), Label("d3", 0)])
    ()
    """
    count = next((place for place, decision in enumerate(log) if not _without_numbers(decision)), len(log))
    named = any(_groups_of(decision) for decision in log[:count])
    return tuple(log[:count]) if named or count == len(log) else ()


def _groups_of(decision: Decision) -> tuple[Group, ...]:
    """Return the groups of a label of documents or words; () for off-topic documents and ignored words."""
    if isinstance(decision, Label):
        return decision.groups
    return (decision.group,) if isinstance(decision, Word | Define) and decision.group is not None else ()


def _without_numbers(decision: Decision) -> bool:
    labels = isinstance(decision, Label | Word | Define)
    return labels and all(isinstance(group, str) for group in _groups_of(decision))


def cold_state(
    cold: GroupFit, named: Sequence[Decision], ignored: frozenset[str], numbers: tuple[int, ...], seeds: Any
) -> State:
    """Return the state after a first fit with decisions by group name, or `seeds`."""
    documents, placed, away = cold.arranged.documents, cold.placed, cold.arranged.away
    names = {} if placed is None else {g: name for g, name in enumerate(placed.names) if name is not None}
    number_of = {name: number for number, name in names.items()}
    clusters = seeds.clusters if isinstance(seeds, Seeds) else {}
    texts = {number: clusters[name].definition(name) for number, name in names.items() if name in clusters}
    pins, words = {}, dict[str, Pin]()
    if placed is not None and placed.seeds is not None:
        rows = np.flatnonzero(cold.arranged.inside)
        pinned = np.flatnonzero(placed.seeds >= 0).tolist()
        pins = {int(rows[i]): Pin(int(placed.seeds[i]), sample=True) for i in pinned}
    lost = {str(group): None for decision in named for group in _groups_of(decision)[1:] if str(group) not in number_of}
    if lost:
        warn(f"these further groups do not start, because no label names them first: {quoted([*lost], 5)}")
    for decision in named:
        if isinstance(decision, Word) and decision.group in number_of:  # other groups did not start
            words |= dict.fromkeys(decision.words, Pin(number_of[decision.group], decision.weight))
        further = tuple(number_of[str(group)] for group in _groups_of(decision)[1:] if group in number_of)
        for row in (documents.row_of.get(document, -1) for document in decision.labelled):
            if row in pins:
                pins[row] = replace(pins[row], further=further)
    free = np.zeros(len(documents), dtype=bool)
    return State(
        cold.labels,
        free,
        pins,
        away,
        numbers=numbers,
        names=names,
        definitions={number: text for number, text in texts.items() if text},
        words=words,
        ignored=ignored,
    )


def seeds_of(named: Sequence[Decision]) -> Seeds | None:
    """Convert decisions by group name to seeds, with the last decision on each document; None without labels."""
    homes: dict[str, str | None] = {}
    clusters: dict[str, Cluster] = {}
    none: tuple[str, ...] = ()
    for decision in named:
        name = next((str(group) for group in _groups_of(decision)), None)
        if isinstance(decision, Label):
            homes |= dict.fromkeys(decision.documents, name)
        if name is not None:
            before = clusters.get(name, Cluster(weight=0.0))
            clusters[name] = Cluster(
                words=(*before.words, *getattr(decision, "words", ())),
                weight=max(before.weight, getattr(decision, "weight", 1.0)),
                texts=(*before.texts, *getattr(decision, "texts", ())),
                exclude=(*before.exclude, *getattr(decision, "exclude", ())),
            )
        elif isinstance(decision, Define):
            none += decision.texts
    if not homes and not clusters:
        return None
    for name, cluster in clusters.items():
        documents = tuple(document for document, home in homes.items() if home == name)
        clusters[name] = replace(cluster, documents=documents, words=tuple(dict.fromkeys(cluster.words)))
    return Seeds(clusters, tuple(document for document, home in homes.items() if home is None), none)


# --- A warm start from the previous version: affected documents are free, all others keep their labels

_SAME = 0.1  # share of the examples that may change before the threshold is calibrated again


def _start(state: State, arranged: FitDocuments, labels: Array, order: Array, base: Version | None) -> WarmStart:
    """Return the start of a fit from a state; `base` is the version before, None for the first."""
    rows = np.flatnonzero(arranged.inside)[order]
    place = {number: g for g, number in enumerate(state.numbers)}
    pins, weights = np.full(len(rows), -1, dtype=np.int32), np.ones(len(rows))
    labelled = np.flatnonzero(np.isin(rows, list(state.pins)))
    for row in labelled.tolist():
        label = state.pins[int(rows[row])]
        pins[row], weights[row] = place[label.group], label.weight
    start = WarmStart(
        labels,
        ~state.free[rows],
        pins,
        weights,
        inside=state.labels[rows] >= 0,
        row_weights=_weights(state, labels, arranged.sample_weight(order)),
        discarded=arranged.discarded,
    )
    before = None if base is None else base.model.clusterer_
    if base is None or not isinstance(before, MaxMarginClustering):  # another one has another scale
        return start
    same = len(before.coef_) == len(state.numbers) and state.ignored == base.state.ignored
    return replace(
        start,
        C=float(before.C_) if same else "auto",
        threshold=before.off_topic_ if _holds(base, arranged) else None,
        coef=_coef(before, base.numbers, state),
        reject=_reject(before) if same else None,
    )


def _coef(before: Any, numbers: tuple[int, ...], state: State) -> Array | None:
    """Return the previous version's coefficients for the current groups, (k, d); zeros for a new group."""
    place = {number: g for g, number in enumerate(numbers)}
    W = np.vstack([before.coef_, np.zeros(before.coef_.shape[1])])
    return np.asarray(W[[place.get(number, len(numbers)) for number in state.numbers]])


def _reject(before: Any) -> tuple[Array, Array] | None:
    coef = getattr(before, "reject_coef_", None)
    return None if coef is None else (coef, before.reject_intercept_)


def _weights(state: State, labels: Array, own: Array | None) -> Array:
    """Return row weights by group, times the row's `own` weight (m,) relative to its group's mean."""
    found = np.array([state.weights.get(number, 1.0) for number in state.numbers])[labels]
    if own is None:
        return found
    sums, sizes = np.bincount(labels, own), np.bincount(labels)
    return np.asarray(found * own * (sizes / np.where(sums > 0, sums, 1.0))[labels])


def _holds(base: Version, arranged: FitDocuments) -> bool:
    """Return whether a version's off-topic threshold still fits these examples: their number is nearly the same."""
    if arranged.examples is None or getattr(base.model.clusterer_, "reject_coef_", None) is None:
        return False
    count = _threshold_examples(base)
    return bool(abs(len(arranged.examples) - count) <= _SAME * count)


def _threshold_examples(version: Version) -> int:
    """Return the number of examples at the last calibration of the off-topic threshold."""
    return version.model.n_universum_ if version.threshold_examples is None else version.threshold_examples


def _positions(state: State, arranged: FitDocuments) -> Array:
    """Return the position of each row's group, (m,) int32; rows in no group get the nearest mean."""
    found = positions(state.labels[arranged.inside], state.numbers)
    none = np.flatnonzero(found < 0)
    if len(none):
        X = arranged.spaces.space
        found[none] = nearest_centres(X, none, centres_of(X, found, len(state.numbers)))
    return found


# --- Warnings as notes


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Collect warnings as notes of a version; if an InputError prevents the version, show them as warnings."""
    notes: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield notes
    except InputError:
        for warning in caught:
            warnings.warn(warning.message, stacklevel=3)
        raise
    notes += [str(warning.message) for warning in caught]
