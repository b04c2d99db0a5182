"""Groups found again around labels: what the groups' weights and a document's neighbours both say is followed.

While a person decides, every row is held where it is. Once much was said, the weights that follow it know more than the
groups do, and would move many rows; but followed alone they drift, on some collections away from what people mean
(docs/decisions/0022). A row moves where most of its nearest neighbours say so, too; and of longer texts at last where
its own scores and its neighbours' together are highest, as in a first fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from ..rows import as_rows, nearest, unit_rows
from ..rows.neighbours import COUNT
from ..rows.threads import one_blas_thread
from ..solve.neighbours.label_spreading import spread_partition
from ..solve.neighbours.vote import said_by
from ..solve.result import filled
from ..types import Array, OnStep
from ._choice import walk_over
from .max_margin import MaxMarginClustering
from .warm_start import WarmStart, fit_from

_ROUNDS = 5  # each moves fewer rows than the one before
_ASKED = 3  # times that rows and their neighbours are asked
_TAKES_IN = 1 / 3  # of its rows, a group may take in so many where rows and their neighbours are asked
_OF_A_LABEL, _OF_A_GROUP = 50, 0.05  # rows that a label may move from one group to another, and of a mean group


def found_again(
    estimator: MaxMarginClustering, X: Any, start: WarmStart, k: int, *, universum: Any = None, near: Any = None,
    ask: bool = False, on_step: OnStep | None = None,
) -> MaxMarginClustering:  # fmt: skip
    """Return a fit with `k` groups that goes on from `start` on the rows `X` (m, d), of which all may move.

    `near` (m, m) is who is near whom, None to look; with `ask` rows go where they and their neighbours say at last.

    >>> X = np.repeat(np.eye(2), 30, axis=0) + 0.1 * np.random.default_rng(0).random((60, 2))
    >>> labels, pins = np.repeat([0, 1, 1], [25, 5, 30]), np.full(60, -1)
    >>> pins[[0, 25, 26, 59]] = 0, 0, 0, 1
    >>> start = WarmStart(labels, np.zeros(60, bool), pins, np.ones(60))
    >>> found_again(MaxMarginClustering(2, random_state=0), X, start, 2).labels_.tolist() == [0] * 30 + [1] * 30
    True
    """
    search = _Search(estimator, X, start, k, walk_over(X, near), on_step)
    at = search.agreed_with_weights(search.agreed_with_spread_labels())
    if ask:
        at = search.asked(at)
    fitted = fit_from(estimator, X, at, k, universum=universum, on_step=on_step)
    fitted.labels_ = np.where(fitted.labels_ < 0, fitted.labels_, at.labels).astype(np.int32)
    return fitted


@dataclass(frozen=True)
class _Search:
    """Looks for `k` groups around the labels of a `start`; every way takes and returns a partition to go on from.

    `steps` (m, m) is where a step from each row to a neighbour leads, None where nobody looked.
    """

    estimator: MaxMarginClustering
    X: Any
    start: WarmStart
    k: int
    steps: Any
    on_step: OnStep | None

    def agreed_with_spread_labels(self) -> WarmStart:
        """Return the start after rows moved where the weights that learn spread labels, and their neighbours, say."""
        at = replace(self.start, held=np.ones(len(self.start.labels), dtype=bool))
        if self.steps is None:
            return at
        own = self._learned_from_spread(at)
        for _ in range(_ROUNDS):
            at = self._with(at, _agreed(own, self._nearby, at))
        return self._with(at, self._supported(at.labels))

    def agreed_with_weights(self, at: WarmStart) -> WarmStart:
        """Return a partition after rows moved where the weights that hold the others, and their neighbours, say."""
        for _ in range(_ROUNDS):
            fitted = self._fit(at)
            labels = _agreed(_best(fitted, self.X), self._nearby, at)
            if (labels == at.labels).all():
                break
            at = self._gone_on(at, fitted, labels)
        return at

    def asked(self, at: WarmStart) -> WarmStart:
        """Return a partition after rows moved where they and their neighbours score highest, as in a first fit."""
        if self.steps is None:
            return at
        for _ in range(_ASKED):
            fitted = self._fit(at)
            said = said_by(np.asarray(fitted.decision_function(self.X)), self.steps)
            labels = self._supported(np.where((at.pins < 0) & _inside(at), said, at.labels))
            labels = of_limited_growth(self.start.labels, labels, self.start.pins, self.k)
            if filled(labels) < filled(at.labels):
                break
            at = self._gone_on(at, fitted, labels)
        return at

    def _fit(self, at: WarmStart) -> MaxMarginClustering:
        return fit_from(self.estimator, self.X, at, self.k, on_step=self.on_step)

    def _gone_on(self, at: WarmStart, fitted: MaxMarginClustering, labels: Array) -> WarmStart:
        return replace(self._with(at, labels), coef=fitted.coef_, C=float(fitted.C_))

    def _with(self, at: WarmStart, labels: Array) -> WarmStart:
        weights = self._weights
        return replace(at, labels=labels, row_weights=None if weights is None else weights[labels])

    def _supported(self, labels: Array) -> Array:
        return supported(self.start.labels, labels, self.start.pins, self.k)

    @cached_property
    def _nearby(self) -> Nearby:
        return Nearby(self.X)

    @cached_property
    def _weights(self) -> Array | None:
        """What a row of each group weighs, (k,)."""
        given = self.start.row_weights
        return None if given is None else _by_group(self.start.labels, given, self.k)

    def _learned_from_spread(self, at: WarmStart) -> Array:
        """Return where the weights put the rows (m,) that learn the labels spread over the neighbours.

        Spread labels are a poor partition; the weights that learn them are better. Groups keep their sizes.
        """
        sizes = np.bincount(at.labels, minlength=self.k)
        labels = spread_partition(self.steps, at.pins, self.k, at.labels, masses=sizes)
        free = replace(at, labels=labels, held=np.zeros(len(labels), dtype=bool), row_weights=None, coef=None)
        one_step = clone(self.estimator).set_params(max_iter=1)
        return _best(fit_from(one_step, self.X, free, self.k, on_step=self.on_step), self.X)


def supported(before: Array, after: Array, pins: Array, k: int) -> Array:
    """Return a partition (m,) without the moves of more rows from one group to another than labels can speak for.

    A label speaks for 50 rows, or a twentieth of a mean group; of both groups the one with fewer labels counts, and at
    least one. Labels that are spread may follow a chain of neighbours through a whole subject that nobody meant.

    >>> before, pins = np.repeat([0, 1], 100), np.full(200, -1)
    >>> after = np.where(np.arange(200) < 60, 1, before)
    >>> np.bincount(supported(before, after, pins, 2))
    array([100, 100])
    >>> pins[[80, 90, 180, 190]] = 0, 0, 1, 1
    >>> np.bincount(supported(before, after, pins, 2))
    array([ 40, 160])
    """
    labels, moved = np.bincount(pins[pins >= 0], minlength=k), (after != before) & (pins < 0)
    flows = np.zeros((k, k))
    np.add.at(flows, (before[moved], after[moved]), 1)
    each = max(_OF_A_LABEL, _OF_A_GROUP * len(before) / k)
    too_many = flows > each * np.maximum(np.minimum.outer(labels, labels), 1)
    return np.where(moved & too_many[before, after], before, after)


def of_limited_growth(before: Array, after: Array, pins: Array, k: int) -> Array:
    """Return a partition (m,) without the moves into groups that would take in more than a third of what they had.

    Groups weigh alike whatever their size, so that small ones draw in what lies at the border of large ones: where
    sizes differ much in truth, too, most of that is wrong. What a person labelled goes where she said.

    >>> before, pins = np.repeat([0, 1], [90, 10]), np.full(100, -1)
    >>> np.bincount(of_limited_growth(before, np.where(np.arange(100) < 4, 1, before), pins, 2))
    array([90, 10])
    >>> pins[0] = 1
    >>> np.bincount(of_limited_growth(before, np.where(np.arange(100) < 4, 1, before), pins, 2))
    array([86, 14])
    >>> np.bincount(of_limited_growth(before, np.where(np.arange(100) < 9, 1, before), pins, 2))
    array([89, 11])
    """
    moved = (after != before) & (pins < 0)
    too_many = np.bincount(after[moved], minlength=k) > _TAKES_IN * np.bincount(before, minlength=k)
    return np.where(moved & too_many[after], before, after)


def _by_group(labels: Array, row_weights: Array, k: int) -> Array:
    found = np.ones(k)
    found[labels] = row_weights
    return found


def _best(fitted: MaxMarginClustering, X: Any) -> Array:
    return np.asarray(fitted.decision_function(X)).argmax(axis=1)


def _inside(at: WarmStart) -> Array:
    return np.ones(len(at.labels), dtype=bool) if at.inside is None else at.inside


def _agreed(own: Array, nearby: Nearby, at: WarmStart) -> Array:
    """Return the groups (m,) after the rows moved for which `own` and most neighbours name the same other one."""
    doubtful = np.flatnonzero((own != at.labels) & (at.pins < 0) & _inside(at))
    labels = at.labels.copy()
    labels[at.pins >= 0] = at.pins[at.pins >= 0]
    if len(doubtful):
        goes = nearby.most(doubtful, labels, int(own.max()) + 1) == own[doubtful]
        labels[doubtful[goes]] = own[doubtful[goes]]
    return labels


class Nearby:
    """The nearest rows of rows, looked for when they are first asked about."""

    def __init__(self, X: Any) -> None:
        self._rows = unit_rows(as_rows(X))
        shape = (self._rows.shape[0], COUNT + 1)  # one of them is the row itself
        self._index, self._cosines = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        self._known = np.zeros(shape[0], dtype=bool)

    def most(self, some: Array, labels: Array, k: int) -> Array:
        """Return the group of `labels` (m,) that has most of the cosines with the nearest of `some` rows, (s,).

        >>> X = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [0.0, 1.0], [0.1, 1.0]])
        >>> Nearby(X).most(np.array([0, 3]), np.array([1, 0, 0, 0, 1]), 2).tolist()
        [0, 1]
        """
        self._look(some[~self._known[some]])
        index = self._index[some]
        cosines = np.where((index >= 0) & (index != some[:, None]), self._cosines[some], 0.0)
        votes = np.zeros((len(some), max(k, int(labels.max()) + 1)))
        np.add.at(votes, (np.arange(len(some))[:, None], labels[np.maximum(index, 0)]), cosines)
        return np.asarray(votes.argmax(axis=1))

    def _look(self, some: Array) -> None:
        if len(some):
            with one_blas_thread():
                found = nearest(self._rows.take(some), self._rows, count=COUNT + 1)
            wide = found.index.shape[1]
            self._index[some, :wide], self._cosines[some, :wide] = found.index, found.cosines
            self._known[some] = True
