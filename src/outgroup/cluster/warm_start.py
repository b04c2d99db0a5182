"""Warm start: a maximum-margin fit from an earlier partition; most rows are fixed, a few are free or labelled.

One descent replaces all starts. Held rows keep their anchor in it (`MarginRisk.pins`), so that groups without a
decision do not drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..rows import as_rows, is_rows
from ..rows.threads import one_blas_thread
from ..solve.max_margin import Data, Seeding
from ..types import Array, OnStep, no_op
from .base import generator
from .max_margin import MaxMarginClustering


@dataclass(frozen=True)
class Constants:
    """Constants of warm starts (docs/decisions/0020)."""

    gap: float = 2e-2  # of a warm start: rows are held to a partition, so a smaller gap does not change it
    label: float = 0.05  # of a mean group: least weight of a label
    label_most: float = 0.25  # of a mean group: largest weight of a label


WARM_START = Constants()


@dataclass(frozen=True)
class WarmStart:
    """The state from which a fit continues: m rows and k groups.

    `labels` (m,) is the partition to start from; `held` (m,), the mask of rows that keep their anchor; `pins` (m,), the
    group of each labelled row, -1 for the others; `weights` (m,), the relative weight of each label. `C` is the weight
    of the risk, or "auto" to compute it from the partition. `inside` (m,) is the mask of rows that were in a group
    before, None for all; `threshold`, a fixed off-topic threshold, or None to place it again,
    which takes one fit of the reject row per fold. `coef` (k, d) and `reject`, the reject rows' weights (k + j, d) and
    intercepts, are the previous ones, or None. `row_weights` (m,) replace the weights that balance the groups; None
    keeps these. `discarded` (N,) is the mask of examples that were documents until a user discarded them, or None.
    """

    labels: Array
    held: Array
    pins: Array
    weights: Array
    C: float | str = "auto"
    inside: Array | None = None
    threshold: dict[str, Any] | None = None
    coef: Array | None = None
    reject: tuple[Array, Array] | None = None
    row_weights: Array | None = None
    discarded: Array | None = None


def fit_from(
    estimator: MaxMarginClustering,
    X: Any,
    start: WarmStart,
    k: int,
    *,
    universum: Any = None,
    on_step: OnStep | None = None,
) -> MaxMarginClustering:
    """Return a copy of `estimator` with `k` groups, fitted to the rows `X` (m, d) from `start`.

    `X` and the `universum` may be averaged rows with their originals, which the off-topic search uses. Group g of the
    start is group g of the result. `on_step` is called after each step of the descent, as in `MaxMarginClustering.fit`;
    `stoppable` ends it. The descent begins at the previous weights, with a gap of at least two percent.
    """
    fitted = _prepared(estimator, start, k)
    fitted.n_features_in_ = X.shape[1]
    rows, local = X, X.local() if is_rows(X) else X
    X = X if local is None else local
    others = None if universum is None else as_rows(universum)
    inside = np.ones(X.shape[0], dtype=bool) if start.inside is None else start.inside
    with one_blas_thread():
        data = Data(as_rows(X), others if fitted._has_universum_risk else None, center=fitted.center)
        labels = start.labels.astype(np.int32)
        objective = fitted._objective(data, _seeding(fitted, start, k)).with_scale(labels)
        objective = objective.with_row_weights(labels, start.row_weights)
        rng = generator(estimator.random_state)
        fit = objective.solve_from(labels, start.coef, on_step or no_op)
        fitted._keep(objective, fit, numbered=True)
        fitted._forget()
        if fitted.off_topic_rate is not None and others is None:
            fitted._by_margin(rows)
        elif fitted.off_topic_rate is not None:
            search = fitted._search(rows, others, fitted.groups, start.pins >= 0, start.discarded)
            fitted._judge(search, inside, rng, start.threshold, start.reject)
    return fitted.set_params(C=estimator.C, gap=estimator.gap)


def _prepared(estimator: MaxMarginClustering, start: WarmStart, k: int) -> Any:
    """Return an unfitted copy for `k` groups, with the C and the tolerance of warm starts."""
    fitted = clone(estimator).set_params(n_clusters=k, gap=max(estimator.gap, WARM_START.gap))
    if fitted.C == "auto":
        alone = len(np.unique(start.labels)) == 1  # a single group has no margins to compute C from
        fitted.set_params(C=1.0 if alone and start.C == "auto" else start.C)
    return fitted


def _seeding(fitted: MaxMarginClustering, start: WarmStart, k: int) -> Seeding:
    """Return the anchors of held and labelled rows; a label weighs at most a quarter of a mean group."""
    size = len(start.labels) / k
    weight = max(1.0, min(max(fitted.seed_weight, WARM_START.label * size), WARM_START.label_most * size))
    pins = np.where(start.pins >= 0, start.pins, np.where(start.held, start.labels, -1))
    return Seeding(pins.astype(np.int32), np.where(start.pins >= 0, weight * start.weights, 1.0))
