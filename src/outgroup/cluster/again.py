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
from ..solve.margin import OnStep
from ..solve.spread import spread_partition
from ..types import Array
from ._choice import walk_over
from .max_margin import MaxMarginClustering
from .warm import WarmStart, fit_from

_ROUNDS = 5  # each moves fewer rows than the one before


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
    at, rows = replace(start, held=np.ones(len(start.labels), dtype=bool)), unit_rows(as_rows(X))
    if (own := _spread(estimator, X, at, k, near, on_step)) is not None:
        for _ in range(_ROUNDS):
            at = _at(at, _agreed(own, rows, at), weights)
    for _ in range(_ROUNDS):
        fitted = fit_from(estimator, X, at, k, on_step=on_step)
        labels = _agreed(_best(fitted, X), rows, at)
        if (labels == at.labels).all():
            break
        at = replace(_at(at, labels, weights), coef=fitted.coef_, C=float(fitted.C_))
    fitted = fit_from(estimator, X, at, k, universum=universum, on_step=on_step)
    fitted.labels_ = np.where(fitted.labels_ < 0, fitted.labels_, at.labels).astype(np.int32)
    return fitted


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


def _agreed(own: Array, rows: Any, at: WarmStart) -> Array:
    """Return the groups (m,) after the rows moved for which `own` and most neighbours name the same other one."""
    inside = np.ones(len(own), dtype=bool) if at.inside is None else at.inside
    doubtful = np.flatnonzero((own != at.labels) & (at.pins < 0) & inside)
    labels = at.labels.copy()
    labels[at.pins >= 0] = at.pins[at.pins >= 0]
    if len(doubtful):
        goes = _neighbours(rows, doubtful, labels, int(own.max()) + 1) == own[doubtful]
        labels[doubtful[goes]] = own[doubtful[goes]]
    return labels


def _neighbours(rows: Any, some: Array, labels: Array, k: int) -> Array:
    """Return the group that has most of the cosines with the nearest neighbours of some rows, (s,)."""
    with one_blas_thread():
        found = nearest(rows.take(some), rows, count=COUNT + 1)  # one of them is the row itself
    cosines = np.where((found.index >= 0) & (found.index != some[:, None]), found.cosines, 0.0)
    votes = np.zeros((len(some), max(k, int(labels.max()) + 1)))
    np.add.at(votes, (np.arange(len(some))[:, None], labels[np.maximum(found.index, 0)]), cosines)
    return np.asarray(votes.argmax(axis=1))
