"""The versions that fits make of a collection: the first one from nothing, each next one from the one before."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from ...cluster.quiet import fitted
from ...cluster.spherical import SphericalKMeans
from ...model import DocumentClustering
from ...model.fitting import spread
from ...steering.decisions import Decision, IgnoreWord, in_force
from ...steering.seed_arrays import Placed
from ...text.collection import Arranged, Collection
from ...types import Array
from ..assignment import Assignment
from ..progress import Reporter
from ..receipts.effects import Effect
from ..saved.past import Past
from ..state import State
from ..version import Version
from .cold_start import by_name, cold_fit, cold_state
from .follow import follow, taken_back
from .new_documents import notes_on_new
from .warm_start import warm_fit


class Fitter:
    """Makes the versions of one collection; `notes` are what its first one has to say of the collection.

    `past` is the earlier version that the first one goes on from, if it does.
    """

    def __init__(
        self, documents: Collection, clusterer: Any, random_state: int, notes: tuple[str, ...] = (),
        past: Past | None = None,
    ) -> None:  # fmt: skip
        self.documents, self.clusterer, self.random_state = documents, clusterer, random_state
        self.notes, self.past = notes, past

    def follow_log(self, log: tuple[Decision, ...], start: Assignment | None, reporter: Reporter) -> Version:
        """Return the version that a whole log makes, from the version `start` or from nothing."""
        reporter("starting")
        lasting = in_force(log)
        base = self.first_version(by_name(lasting), reporter) if start is None else self._base(start, lasting, reporter)
        rest = lasting[len(base.lasting) :]
        found = self.next_version(base, base.state.settled(), rest, reporter) if rest else base
        number = 1 if start is None else start.number + 1
        effects = found.effects if rest else ()  # what is only gone back to touched nothing on the way
        return replace(found, number=number, decisions=log, parent=start or found.parent, effects=effects)

    def _base(self, start: Assignment, lasting: tuple[Decision, ...], reporter: Reporter) -> Version:
        """Return the version to go on from: the nearest before `start` of which nothing is taken back."""
        step = start
        while step.lasting != lasting[: len(step.lasting)]:
            if step.parent is None:
                return self._retracted(step, lasting, reporter)
            step = step.parent
        return step if isinstance(step, Version) else self.restored(step, reporter)

    def _retracted(self, root: Assignment, lasting: tuple[Decision, ...], reporter: Reporter) -> Version:
        """Return a first version again without some of its own decisions."""
        if self.past is None:
            return self.first_version(by_name(lasting), reporter)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(root.lasting, lasting, strict=False)))
        state = taken_back(root.state.settled(), root.lasting[common:], self.documents)
        return replace(self.next_version(_whole(root), state, (), reporter), decisions=root.lasting[:common])

    def first_version(self, named: tuple[Decision, ...], reporter: Reporter) -> Version:
        """Fit from nothing, around what was labelled by name."""
        ignored = frozenset(each.word for each in named if isinstance(each, IgnoreWord))
        cold, notes = cold_fit(self.documents.without_words(ignored), self.clusterer, named, reporter)
        numbers = tuple(range(len(cold.clusterer.coef_)))
        return self.version(
            cold.clusterer, cold.arranged, cold.order, numbers, cold_state(cold, named, ignored, numbers), named,
            (*self.notes, *notes), placed=cold.placed,
        )  # fmt: skip

    def as_kept(self, past: Past, state: State) -> Version:
        """Return a version as it was kept, with these documents' rows; the examples may be others than those it had."""
        arranged = self.arranged(state)
        kept = self.version(
            past.model.clusterer_, arranged, arranged.order(), past.numbers, state, past.decisions,
            (*self.notes, *state.notes), state.labels,
        )  # fmt: skip
        return replace(kept, threshold_examples=past.model.n_universum_)

    def resumed(self, past: Past, reporter: Reporter) -> Version:
        """Return an earlier version again, as it was where nothing is new or gone, or else fitted from where it was."""
        state = past.state(self.documents)
        base = self.as_kept(past, state)
        found = self.next_version(base, state, (), reporter) if state.refit else base
        return replace(
            found, number=past.number, parent=None, base=None, seconds=reporter.seconds, decisions=past.decisions,
            effects=(), notes=(*found.notes, *notes_on_new(found, past.new(self.documents), reporter)),
        )  # fmt: skip

    def restored(self, kept: Assignment, reporter: Reporter, clusterer: Any = None) -> Version:
        """Return a version of which the groups were kept, with its clusterer, or one that is found from these groups
        and the first version: nobody hears from where one goes back, so the same groups always make the same model."""
        arranged, numbers = self.arranged(kept.state), kept.numbers
        order, placed_with = arranged.order(), None
        if clusterer is None:
            warm = warm_fit(self.clusterer, _whole(kept.first), kept.state, arranged, order, reporter)
            clusterer, numbers, placed_with = warm.fitted, warm.numbers, warm.threshold_examples
        version = self.version(
            clusterer, arranged, order, numbers, kept.state, kept.decisions, kept.notes, kept.labels
        )  # fmt: skip
        return replace(
            version, number=kept.number, parent=kept.parent, seconds=kept.seconds, made=kept.made,
            threshold_examples=placed_with,
        )  # fmt: skip

    def next_version(self, base: Version, state: State, rest: tuple[Decision, ...], reporter: Reporter) -> Version:
        """Follow more decisions from a version, or from what its state has become."""
        state = state.weighed()
        state, effects = self._followed(state, rest)
        if not state.refit:
            names = [state.names.get(number) for number in base.numbers]
            model = copy.copy(base.model)
            model.names_ = names if any(names) else None
            return replace(
                base, model=model, state=state, effects=effects, parent=base, base=base,
                notes=state.notes or base.notes,
            )  # fmt: skip
        arranged = self.arranged(state)
        order = arranged.order()
        warm = warm_fit(self.clusterer, base, state, arranged, order, reporter)
        labels = _labels(warm.fitted, arranged, order, warm.numbers)
        if not warm.afresh:
            labels = _held(labels, state)
        notes = (*state.notes, *warm.notes)
        found = self.version(warm.fitted, arranged, order, warm.numbers, state, rest, notes, labels)
        return replace(found, effects=effects, parent=base, base=base, threshold_examples=warm.threshold_examples)

    def _followed(self, state: State, rest: tuple[Decision, ...]) -> tuple[State, tuple[Effect, ...]]:
        """Return the state after more decisions, and what each of them touched."""
        effects, touched, free = [], state.touched, state.free
        for decision in rest:
            documents = self.documents.without_words(state.ignored)
            after = follow(
                replace(state, touched=frozenset(), free=np.zeros_like(free)), decision, documents, self._halve
            )
            put = np.flatnonzero(after.labels != state.labels)
            note = after.notes[-1] if len(after.notes) > len(state.notes) else ""
            effects.append(Effect(decision, after.touched, put, np.flatnonzero(after.free), note))
            touched, free = (touched | after.touched) & set(after.numbers), free | after.free
            state = after
        return replace(state, touched=frozenset(touched), free=free), tuple(effects)

    def _halve(self, members: Array) -> Array:
        """Divide documents in two by spherical k-means, which needs no rows but theirs."""
        place = np.cumsum(self.documents.kept) - 1
        rows = self.documents.spaces.take(np.sort(place[members]))
        order = rows.order()
        found = fitted(SphericalKMeans(2, random_state=self.random_state), rows.space[order])
        return np.asarray(found.labels_)[np.argsort(order)]

    def arranged(self, state: State) -> Arranged:
        """Return the documents that take part where a state holds."""
        return Arranged.of(self.documents.without_words(state.ignored), state.away)

    def version(
        self, clusterer: Any, arranged: Arranged, order: Array, numbers: tuple[int, ...], state: State,
        decisions: tuple[Decision, ...], notes: tuple[str, ...], labels: Array | None = None,
        placed: Placed | None = None,
    ) -> Version:  # fmt: skip
        """Return the version of a fit: labelled documents are where a person put them, the others where it did.

        `labels` (n,) are given where the fit saw other documents.
        """
        labels = _labels(clusterer, arranged, order, numbers) if labels is None else labels.copy()
        place = {number: g for g, number in enumerate(numbers)}
        for row, label in state.pins.items():
            labels[row] = label.group
        names = [state.names.get(number) for number in numbers]
        model = DocumentClustering.around(
            clusterer, arranged, np.array([place.get(number, -1) for number in labels.tolist()], dtype=np.int32),
            order=order, names=names if any(names) else None, placed=placed, numbers=numbers,
        )  # fmt: skip
        return Version(
            1, self.documents.ids, labels, numbers, replace(state, labels=labels), decisions, notes=notes,
            model=model, documents=self.documents,
        )  # fmt: skip


def _whole(first: Assignment) -> Version:
    """Return a first version: it always has its model."""
    assert isinstance(first, Version)
    return first


def _labels(clusterer: Any, arranged: Arranged, order: Array, numbers: tuple[int, ...]) -> Array:
    """Return the number of the group of each of n documents, where a clusterer put them; -1 for none."""
    own = np.asarray(clusterer.labels_)[np.argsort(order)]
    return spread(np.where(own < 0, -1, np.asarray(numbers, dtype=np.int32)[own]), arranged.inside, -1, np.int32)


def _held(labels: Array, state: State) -> Array:
    """Return the labels of a fit, where documents move only if they are free to, or are or were in no group."""
    return np.where(state.free | (labels < 0) | (state.labels < 0), labels, state.labels).astype(np.int32)
