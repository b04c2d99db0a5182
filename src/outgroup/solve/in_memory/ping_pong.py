"""The whole spherical fit: a start, the ladder of refinements, splits and merges, and the best of several restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import scipy.sparse as sp

from ...rows import as_rows
from ...types import Array, Rng
from .. import spherical
from ..spherical import Init, Partition, SphericalFit
from .bisection import bisect
from .local_search import LADDERS, Step, as_csr, refine
from .split_merge import split_merge
from .variable_k import choose_clusters

REFINEMENTS = (*LADDERS, "split-merge")


@dataclass(frozen=True)
class Plan:
    """How to fit: the parameters of `SphericalKMeans` under their own names."""

    init: Init = "bisect"
    local_search: str | None = "split-merge"
    chain_length: int = 10
    tol: float = 1e-6
    max_iter: int = 10_000


def every_fit(X: Any, k: int | str, plan: Plan, n_init: int, rng: Rng) -> list[SphericalFit]:
    """Return the fits from `n_init` starts of the unit rows `X`, CSR or dense (n, d), in `k` clusters.

    With k = "auto" the data choose k, once, and their partition is the only start.
    """
    if k == "auto":
        labels = choose_clusters(as_csr(X), rng)
        return [fit(X, int(labels.max()) + 1, replace(plan, init=labels), rng)]
    return [fit(X, int(k), plan, child) for child in rng.spawn(n_init)]


def fit(X: Any, k: int, plan: Plan, rng: Rng) -> SphericalFit:
    """Return one fit from one start.

    >>> import numpy as np
    >>> fit(np.eye(2)[[0, 1, 0, 1]], 2, Plan(), np.random.default_rng(0)).objective
    4.0
    """
    rows = as_rows(X)
    partition = _start(X, k, plan, rng)
    if plan.local_search is None and not sp.issparse(X):
        partition, trace = spherical.batch(rows, partition, tol=plan.tol, max_iter=plan.max_iter)
    else:
        labels, trace = _search(as_csr(X), partition.labels, k, plan, rng)
        partition = spherical.partition_from(rows, labels, k)
    return SphericalFit(partition.labels, partition.centres, partition.objective, trace)


def _start(X: Any, k: int, plan: Plan, rng: Rng) -> Partition:
    if isinstance(plan.init, str) and plan.init == "bisect":
        return spherical.start(as_rows(X), k, bisect(as_csr(X), k, rng), rng)
    return spherical.start(as_rows(X), k, plan.init, rng)


def _search(X: Any, labels: Array, k: int, plan: Plan, rng: Rng) -> tuple[Array, list[Step]]:
    if plan.local_search != "split-merge":
        return _climb(X, labels, k, plan, rng)
    labels, objective, trace = refine(X, labels, k, local_search="sweep", tol=plan.tol, max_iter=plan.max_iter, rng=rng)

    def polish(labels: Array, rng: Rng) -> tuple[Array, float]:
        return refine(X, labels, k, local_search="sweep", tol=10 * plan.tol, rng=rng)[:2]

    labels, _, exchanges = split_merge(X, labels, objective, k, polish, tol=100 * plan.tol, rng=rng)
    labels, last = _climb(X, labels, k, plan, rng)
    return labels, [*trace, *exchanges, *last]


def _climb(X: Any, labels: Array, k: int, plan: Plan, rng: Rng) -> tuple[Array, list[Step]]:
    ladder = "ping-pong" if plan.local_search == "split-merge" else plan.local_search
    labels, _, trace = refine(
        X, labels, k, local_search=ladder, chain_length=plan.chain_length, tol=plan.tol, max_iter=plan.max_iter, rng=rng
    )
    return labels, trace
