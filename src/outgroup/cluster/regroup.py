"""Groups found again around labels: what the groups' weights and a document's neighbours both say is followed.

While a person decides, every row is held where it is. Once much was said, the weights that follow it know more than the
groups do, and would move many rows; but followed alone they drift, on some collections away from what people mean
(docs/decisions/0022). A row moves where most of its nearest neighbours say so, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ..rows import as_rows, nearest, unit_rows
from ..rows.neighbours import COUNT
from ..rows.threads import one_blas_thread
from ..solve.neighbours.label_spreading import spread_partition
from ..types import Array, OnStep
from ._choice import walk_over
from .max_margin import MaxMarginClustering
from .warm_start import WarmStart, fit_from

_ROUNDS = 5  # each moves fewer rows than the one before
_OF_A_LABEL, _OF_A_GROUP = 50, 0.05  # rows that a label may move from one group to another, and of a mean group


def found_again(
    estimator: MaxMarginClustering, X: Any, start: WarmStart, k: int, *, universum: Any = None, near: Any = None,
    on_step: OnStep | None = None,
) -> MaxMarginClustering:  # fmt: skip
    """Return a fit with `k` groups that goes on from `start` on the rows `X` (m, d), of which all may move.

    `near` (m, m) is who is near whom, None to look.

    >>> X = np.repeat(np.eye(2), 30, axis=0) + 0.1 * np.random.default_rng(0).random((60, 2))
    >>> labels, pins = np.repeat([0, 1, 1], [25, 5, 30]), np.full(60, -1)
    >>> pins[[0, 25, 26, 59]] = 0, 0, 0, 1
    >>> start = WarmStart(labels, np.zeros(60, bool), pins, np.ones(60))
    >>> found_again(MaxMarginClustering(2, random_state=0), X, start, 2).labels_.tolist() == [0] * 30 + [1] * 30
    True
    """
    weights = None if start.row_weights is None else _by_group(start.labels, start.row_weights, k)
    at, nearby = replace(start, held=np.ones(len(start.labels), dtype=bool)), Nearby(X)
    if (own := _spread(estimator, X, at, k, near, on_step)) is not None:
        for _ in range(_ROUNDS):
            at = _at(at, _agreed(own, nearby, at), weights)
        at = _at(at, supported(start.labels, at.labels, start.pins, k), weights)
    for _ in range(_ROUNDS):
        fitted = fit_from(estimator, X, at, k, on_step=on_step)
        labels = _agreed(_best(fitted, X), nearby, at)
        if (labels == at.labels).all():
            break
        at = replace(_at(at, labels, weights), coef=fitted.coef_, C=float(fitted.C_))
    fitted = fit_from(estimator, X, at, k, universum=universum, on_step=on_step)
    fitted.labels_ = np.where(fitted.labels_ < 0, fitted.labels_, at.labels).astype(np.int32)
    return fitted


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


def _by_group(labels: Array, row_weights: Array, k: int) -> Array:
    found = np.ones(k)
    found[labels] = row_weights
    return found


def _at(start: WarmStart, labels: Array, weights: Array | None) -> WarmStart:
    return replace(start, labels=labels, row_weights=None if weights is None else weights[labels])


def _best(fitted: MaxMarginClustering, X: Any) -> Array:
    return np.asarray(fitted.decision_function(X)).argmax(axis=1)


def _spread(
    estimator: MaxMarginClustering, X: Any, at: WarmStart, k: int, near: Any, on_step: OnStep | None
) -> Array | None:
    """Return where the weights put the rows (m,) that learn the labels spread over the neighbours; None without these.

    Spread labels are a poor partition; the weights that learn them are better. Groups keep the sizes that they have.
    """
    steps = walk_over(X, near)
    if steps is None:
        return None
    sizes = np.bincount(at.labels, minlength=k)
    labels = spread_partition(steps, at.pins, k, at.labels, masses=sizes)
    free = replace(at, labels=labels, held=np.zeros(len(labels), dtype=bool), row_weights=None, coef=None)
    return _best(fit_from(clone(estimator).set_params(max_iter=1), X, free, k, on_step=on_step), X)


def _agreed(own: Array, nearby: Nearby, at: WarmStart) -> Array:
    """Return the groups (m,) after the rows moved for which `own` and most neighbours name the same other one."""
    inside = np.ones(len(own), dtype=bool) if at.inside is None else at.inside
    doubtful = np.flatnonzero((own != at.labels) & (at.pins < 0) & inside)
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
