"""Whether groups are found again on parts of the rows: matched Jaccard (Hennig, Cluster-wise assessment of cluster
stability, Computational Statistics & Data Analysis, 2007).

Each fit takes half of the rows, or fewer where there are many, from a start of its own: k-means++ and sweeps, the
quickest way that knows nothing of the groups. A group's Jaccard index is the highest that it has with any cluster. To
be found again it must have a cluster of its own, clusters matched with groups one to one, and share with it more than
half of the documents that either has (up to 0.5 Hennig calls a group dissolved).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...rows import as_rows
from ...rows.threads import ordered_map
from ...types import Array, Rng
from ..spherical import start
from .local_search import refine, searchable

_FEWEST, _OF_A_GROUP = 3_000, 50  # rows of a part, and for each group, that a large collection is cut down to
_TOL = 1e-3
_HALF = 0.5


@dataclass(frozen=True)
class FoundAgain:
    """What m fits say of k groups: `jaccard` (m, k) of each with the cluster most like it, nan where none of its rows
    took part; `matched` (m, k), the same with the cluster that is matched with it; `together` (k, k), how often a row
    of one group is in one cluster with another row of the other."""

    jaccard: Array
    matched: Array
    together: Array

    @cached_property
    def times(self) -> Array:
        """In how many fits each group was found again, (k,)."""
        return np.asarray((np.nan_to_num(self.matched) > _HALF).sum(axis=0))

    @cached_property
    def fits(self) -> Array:
        """In how many fits each group could be found, (k,)."""
        return np.asarray((~np.isnan(self.jaccard)).sum(axis=0))

    @cached_property
    def mean(self) -> Array:
        """Mean Jaccard of each group, (k,); 0 where it took part in no fit."""
        return np.asarray(np.nan_to_num(self.jaccard).sum(axis=0) / np.maximum(self.fits, 1))

    @cached_property
    def mixing(self) -> Array:
        """How often rows of two groups are together, as a share of how often those of one are (the geometric mean of
        the two groups), (k, k), 0 on the diagonal."""
        own = np.sqrt(self.together.diagonal())
        found = self.together / np.where(own > 0, own, np.inf)[:, None] / np.where(own > 0, own, np.inf)
        np.fill_diagonal(found, 0.0)
        return np.asarray(found)


def found_again(
    X: Any, labels: Array, k: int, fits: int, rng: Rng, on_fit: Callable[[int, int], None] = lambda done, total: None
) -> FoundAgain:
    """Return how `k` groups of the unit rows `X`, CSR or dense, fare in fits on parts of it; `labels` (n,), none -1.

    >>> X = np.eye(2)[[0, 1] * 10]
    >>> found = found_again(X, np.array([0, 1] * 10), 2, 5, np.random.default_rng(0))
    >>> found.times.tolist(), found.fits.tolist(), found.mixing.tolist()
    ([5, 5], [5, 5], [[0.0, 0.0], [0.0, 0.0]])
    """
    if not len(labels):
        nothing = np.full((fits, k), np.nan)
        return FoundAgain(nothing, nothing, np.zeros((k, k)))
    X, clusters = searchable(X), len(np.unique(labels))
    most = max(_FEWEST, _OF_A_GROUP * clusters)
    count = max(clusters, min(len(labels) // 2, most))
    lock, done = Lock(), [0]

    def table(child: Rng) -> Array:
        part = np.sort(child.choice(len(labels), count, replace=False))
        found = _crossed(labels[part], _fit(X[part], clusters, child), k, clusters)
        with lock:
            done[0] += 1
            on_fit(done[0], fits)
        return found

    tables = ordered_map(table, rng.spawn(fits))
    highest, matched = zip(*map(_jaccard, tables), strict=True)
    return FoundAgain(np.array(highest), np.array(matched), _together(tables))


def _fit(X: Any, k: int, rng: Rng) -> Array:
    begun = start(as_rows(X), k, "k-means++", rng).labels
    return refine(X, begun, k, local_search="sweep", tol=_TOL, rng=rng)[0]


def _crossed(groups: Array, clusters: Array, k: int, c: int) -> Array:
    """Count the rows that each group (row) and each cluster (column) share."""
    return np.bincount(groups * c + clusters, minlength=k * c).reshape(k, c)


def _jaccard(table: Array) -> tuple[Array, Array]:
    """Return each group's Jaccard index with the cluster most like it, and with its own; nan where it has no rows."""
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0)
    shares = table / np.maximum(rows + columns - table, 1)
    groups, clusters = linear_sum_assignment(shares, maximize=True)
    own = np.zeros(len(table))
    own[groups] = shares[groups, clusters]
    there = rows[:, 0] > 0
    return np.where(there, shares.max(axis=1), np.nan), np.where(there, own, np.nan)


def _together(tables: list[Array]) -> Array:
    """Return the share of the pairs of rows, from each two groups, that are in one cluster, over all tables."""
    sizes = [table.sum(axis=1) for table in tables]
    same = sum(table @ table.T - np.diag(size) for table, size in zip(tables, sizes, strict=True))
    pairs = sum(np.outer(size, size) - np.diag(size) for size in sizes)
    return np.asarray(same / np.maximum(pairs, 1))
