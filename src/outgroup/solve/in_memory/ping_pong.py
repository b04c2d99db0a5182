"""The whole spherical fit: a start, a schedule of refinements, splits and merges, and the best of several restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows import Rows, as_rows
from ...rows.sample import MOST_SAMPLED, sample
from ...rows.threads import one_blas_thread
from ...types import Array, Rng
from .. import spherical
from ..spherical import Init, Partition, SphericalFit
from .bisection import bisect
from .local_search import SCHEDULES, Step, refine, searchable
from .split_merge import split_merge

_OF_A_GROUP = 100  # rows of a sample, at least
_MOST_EXCHANGED = 1 << 11  # groups: with more an exchange gains less than is asked of it, and all pairs are compared
_COARSE = 100  # times the tolerance: what an exchange must gain

REFINEMENTS = (*SCHEDULES, "split-merge")


@dataclass(frozen=True)
class Plan:
    """How to fit: the parameters of `SphericalKMeans` under their own names."""

    init: Init = "bisect"
    local_search: str | None = "split-merge"
    chain_length: int = 10
    tol: float = 1e-6
    max_iter: int = 10_000


@one_blas_thread()
def every_fit(X: Any, k: int, plan: Plan, n_init: int, rng: Rng) -> list[SphericalFit]:
    """Return the fits from `n_init` starts of the unit rows `X`, a matrix (n, d) or `Rows`, in `k` clusters."""
    rows = as_rows(X)
    zeros = np.flatnonzero(rows.squares() == 0)
    fits = [fit(rows, k, plan, child) for child in rng.spawn(n_init)]
    return [_with_zeros_together(each, zeros, k) for each in fits] if len(zeros) else fits


def _with_zeros_together(fit: SphericalFit, zeros: Array, k: int) -> SphericalFit:
    """Return the fit with its rows of zeros where a tie of all centres puts them: they gain nothing by any move, and
    would stay where the start left them."""
    labels = fit.labels.copy()
    labels[zeros] = 0
    return replace(fit, labels=spherical.keep_one(labels, fit.labels, k))


def fit(X: Any, k: int, plan: Plan, rng: Rng) -> SphericalFit:
    """Return one fit from one start of the unit rows `X`, a matrix (n, d) or `Rows`.

    Local search and bisection need a matrix. Of rows that do not lie in memory they work on a sample, and batch steps
    over all rows begin at its centres; from a start of the caller's own there are batch steps alone. `searched` and the
    trace tell.

    >>> import numpy as np
    >>> fit(np.eye(2)[[0, 1, 0, 1]], 2, Plan(), np.random.default_rng(0)).objective
    4.0
    """
    rows = as_rows(X)
    matrix = rows.local()
    if matrix is not None:
        return _fit_matrix(rows, matrix, k, plan, rng)
    if not isinstance(plan.init, str) or (plan.local_search is None and plan.init != "bisect"):
        return _by_batches(rows, spherical.start(rows, k, plan.init, rng), plan)
    return _by_sample(rows, _sampled(rows, k, rng), k, plan, rng)


def _fit_matrix(rows: Rows, X: Any, k: int, plan: Plan, rng: Rng) -> SphericalFit:
    bisected = isinstance(plan.init, str) and plan.init == "bisect"
    if bisected and plan.local_search == "split-merge" and X.shape[0] > 4 * _few(k):
        return _from_sample(rows, X, k, plan, rng)
    partition = spherical.start(rows, k, bisect(searchable(X), k, rng) if bisected else plan.init, rng)
    if plan.local_search is None and not sp.issparse(X):
        return _by_batches(rows, partition, plan)
    labels, trace = _search(searchable(X), partition.labels, k, plan, rng)
    partition = spherical.partition_from(rows, labels, k)
    return SphericalFit(partition.labels, partition.centres, partition.objective, trace, rows.shape[0])


def _few(k: int) -> int:
    """Return how many of many rows find the groups that sweeps over all of them begin with."""
    return max(MOST_SAMPLED, _OF_A_GROUP * k)


def _from_sample(rows: Rows, X: Any, k: int, plan: Plan, rng: Rng) -> SphericalFit:
    """Fit a sample of many rows as planned, then sweep over all of them from its centres."""
    few = searchable(X[np.sort(rng.choice(X.shape[0], _few(k), replace=False))])
    labels = _exchanged(few, bisect(few, k, rng), k, plan, rng)[0]
    partition = spherical.start(rows, k, spherical.partition_from(as_rows(few), labels, k).centres, rng)
    first = {"kind": "sample", "objective": partition.objective, "moved": rows.shape[0]}
    labels, _, trace = refine(
        searchable(X), partition.labels, k, local_search="sweep", tol=10 * plan.tol, max_iter=plan.max_iter, rng=rng
    )
    partition = spherical.partition_from(rows, labels, k)
    return SphericalFit(partition.labels, partition.centres, partition.objective, [first, *trace], rows.shape[0])


def _by_batches(rows: Rows, partition: Partition, plan: Plan) -> SphericalFit:
    partition, trace = spherical.batch(rows, partition, tol=plan.tol, max_iter=plan.max_iter)
    return SphericalFit(partition.labels, partition.centres, partition.objective, trace)


def _sampled(rows: Rows, k: int, rng: Rng) -> Any:
    return sample(rows, rng, max(MOST_SAMPLED, k))[1]


def _by_sample(rows: Rows, X: Any, k: int, plan: Plan, rng: Rng) -> SphericalFit:
    """Fit the sample `X` as planned, then take batch steps over all rows; a sample of all rows needs none."""
    found = _fit_matrix(as_rows(X), X, k, plan, rng)
    if X.shape[0] == rows.shape[0]:
        partition = spherical.partition_from(rows, found.labels, k)
        return SphericalFit(partition.labels, partition.centres, partition.objective, found.trace, X.shape[0])
    partition = spherical.start(rows, k, found.centres, rng)
    first = {"kind": "sample", "objective": partition.objective, "moved": rows.shape[0]}
    fitted = _by_batches(rows, partition, plan)
    return replace(fitted, trace=[first, *fitted.trace], searched=X.shape[0])


def _search(X: Any, labels: Array, k: int, plan: Plan, rng: Rng) -> tuple[Array, list[Step]]:
    if plan.local_search == "split-merge" and k > _MOST_EXCHANGED:
        plan = replace(plan, local_search="sweep", tol=_COARSE * plan.tol)
    if plan.local_search != "split-merge":
        return _climb(X, labels, k, plan, rng)
    labels, trace = _exchanged(X, labels, k, plan, rng)
    labels, last = _climb(X, labels, k, plan, rng)
    return labels, [*trace, *last]


def _exchanged(X: Any, labels: Array, k: int, plan: Plan, rng: Rng) -> tuple[Array, list[Step]]:
    """Sweep, then split and merge."""
    labels, objective, trace = refine(X, labels, k, local_search="sweep", tol=plan.tol, max_iter=plan.max_iter, rng=rng)

    def polish(labels: Array, rng: Rng) -> tuple[Array, float]:
        return refine(X, labels, k, local_search="sweep", tol=10 * plan.tol, rng=rng)[:2]

    labels, _, exchanges = split_merge(X, labels, objective, k, polish, tol=_COARSE * plan.tol, rng=rng)
    return labels, [*trace, *exchanges]


def _climb(X: Any, labels: Array, k: int, plan: Plan, rng: Rng) -> tuple[Array, list[Step]]:
    schedule = "ping-pong" if plan.local_search == "split-merge" else plan.local_search
    labels, _, trace = refine(
        X,
        labels,
        k,
        local_search=schedule,
        chain_length=plan.chain_length,
        tol=plan.tol,
        max_iter=plan.max_iter,
        rng=rng,
    )
    return labels, trace
