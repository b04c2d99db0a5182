"""A maximum-margin fit that goes on from a partition: most rows are held where they are, a few are free or labelled.

One descent takes the place of all starts, and rows that are held keep their anchor in it (`SeededMarginRisk`), so that
no group drifts which nobody spoke of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ..rows import as_rows, is_rows
from ..rows.threads import one_blas_thread
from ..solve.max_margin import Data, MarginObjective, Seeding
from ..solve.restarts import Best, one_start
from ..types import Array, OnStep, no_op
from .base import generator
from .max_margin import MaxMarginClustering

_GAP = 2e-2  # of a fit that goes on: rows are held to a partition, which the last digits of J do not change
_OF_A_GROUP = 0.05  # of a mean group, a label weighs at least: 10 documents hold half of three labels in 18,828


@dataclass(frozen=True)
class WarmStart:
    """Where a fit goes on, over m rows and k groups.

    `labels` (m,) is the partition to start from; `held` (m,) bool, the rows that keep their anchor; `pins` (m,), the
    group of each labelled row, -1 for the others; `weights` (m,), how much a label counts beside an ordinary label.
    `C` is the weight of the risk, or "auto" to find it from the partition. `own_universum` says that the
    Universum was given with the collection; one of a few labelled documents alone weighs no more than labels do.
    `inside` (m,) bool are the rows that were in a group before, None for all; `threshold` is an off-topic threshold
    that holds still, None to place it anew, which takes a fit of the reject row a fold. `coef` (k, d) and `reject`, the
    reject rows' weights (k + j, d) and intercepts, are those before: None where there were none. `row_weights` (m,)
    take the place of those that balance the groups, where the estimator has such; None for these. `thrown` (N,) bool
    are the examples of the Universum that were documents until a person threw them away, None for none.
    """

    labels: Array
    held: Array
    pins: Array
    weights: Array
    C: float | str = "auto"
    own_universum: bool = True
    inside: Array | None = None
    threshold: dict[str, Any] | None = None
    coef: Array | None = None
    reject: tuple[Array, Array] | None = None
    row_weights: Array | None = None
    thrown: Array | None = None


def fit_from(
    estimator: MaxMarginClustering, X: Any, start: WarmStart, k: int, *, universum: Any = None,
    on_step: OnStep | None = None,
) -> MaxMarginClustering:  # fmt: skip
    """Return a fitted copy of `estimator` with `k` groups that went on from `start` on the rows `X` (m, d).

    `X` and the `universum` may be averaged rows that know the originals: by these junk is judged.
    Group g of the start is group g of the result; it is not numbered by size. `on_step` hears of each step of the
    descent, as in `MaxMarginClustering.fit`; `stoppable` ends it. The problem is nearly that of the fit before: it is
    begun at the weights before, and its gap is two percent where the estimator's is smaller.
    """
    fitted = _prepared(estimator, start, k)
    fitted.n_features_in_ = X.shape[1]
    rows, X = X, X.local() if is_rows(X) else X
    others = None if universum is None else as_rows(universum)
    inside = np.ones(X.shape[0], dtype=bool) if start.inside is None else start.inside
    with one_blas_thread():
        data = Data(as_rows(X), others, center=fitted.center)
        labels = start.labels.astype(np.int32)
        objective = _objective(fitted, data, start, labels, k)
        rng = generator(estimator.random_state)
        fit = objective.continued(labels, start.coef, on_step or no_op)
        fitted._keep(Best(fit, objective, [one_start(fit)]), numbered=True)
        fitted.unsteered_objective_ = None  # a pass over the rows, for a comparison that no one makes
        fitted._judge(
            rows, others, rng, inside=inside, pinned=start.pins >= 0, center=fitted.center, threshold=start.threshold,
            before=start.reject, thrown=start.thrown,
        )  # fmt: skip
    return fitted.set_params(C=estimator.C, gap=estimator.gap)


def _prepared(estimator: MaxMarginClustering, start: WarmStart, k: int) -> Any:
    """Return a copy for `k` groups, to be fitted, with the C and the gap of a fit that goes on."""
    fitted = clone(estimator).set_params(n_clusters=k, gap=max(estimator.gap, _GAP))
    if fitted.C == "auto":
        alone = len(np.unique(start.labels)) == 1  # the others are empty: there is nothing to find a scale by
        fitted.set_params(C=1.0 if alone and start.C == "auto" else start.C)
    return fitted


def _objective(fitted: MaxMarginClustering, data: Data, start: WarmStart, init: Array, k: int) -> MarginObjective:
    """Return the objective over the rows and examples, whose groups are `init` (m + p,)."""
    objective = fitted._objective(data, _seeding(fitted, start, k)).resolved(init)
    objective = objective.weighted(init, start.row_weights)
    if data.universum is None or start.own_universum:
        return objective
    share = _share(fitted, start, data.universum.shape[0], k)
    return replace(objective, C_universum=float(objective.C_universum) * share)


def _label_weight(fitted: MaxMarginClustering, start: WarmStart, k: int) -> float:
    """Return how many ordinary documents a labelled one weighs: no more than a quarter of a mean group."""
    size = len(start.labels) / k
    return max(1.0, min(max(fitted.seed_weight, _OF_A_GROUP * size), size / 4))


def _share(fitted: MaxMarginClustering, start: WarmStart, count: int, k: int) -> float:
    """Return what `count` labelled examples weigh beside all documents, at most as much."""
    return min(1.0, count * _label_weight(fitted, start, k) / len(start.labels))


def _seeding(fitted: MaxMarginClustering, start: WarmStart, k: int) -> Seeding:
    weight = _label_weight(fitted, start, k)
    pins = np.where(start.pins >= 0, start.pins, np.where(start.held, start.labels, -1))
    return Seeding(pins.astype(np.int32), np.where(start.pins >= 0, weight * start.weights, 1.0))
