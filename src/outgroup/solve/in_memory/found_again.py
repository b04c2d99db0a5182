"""Whether groups are found again on parts of the rows: matched Jaccard (Hennig, Cluster-wise assessment of cluster
stability, Computational Statistics & Data Analysis, 2007).

Each fit takes half of the rows, or fewer where there are many, from a start of its own: k-means++ and sweeps, the
quickest way that knows nothing of the groups. A group's Jaccard index is the highest that it has with any cluster. It
is found again where it shares with that more than half of the documents that either has (up to 0.5 Hennig calls a group
dissolved). Such a cluster is its own: more than half of the cluster's documents are the group's, so that no other group
can be found again in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

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
    took part; `together` CSR (k, k), how often a row of one group is in one cluster with another row of the other."""

    jaccard: Array
    together: Any

    @cached_property
    def times(self) -> Array:
        """In how many fits each group was found again, (k,)."""
        return np.asarray((np.nan_to_num(self.jaccard) > _HALF).sum(axis=0))

    @cached_property
    def fits(self) -> Array:
        """In how many fits each group could be found, (k,)."""
        return np.asarray((~np.isnan(self.jaccard)).sum(axis=0))

    @cached_property
    def mean(self) -> Array:
        """Mean Jaccard of each group, (k,); 0 where it took part in no fit."""
        return np.asarray(np.nan_to_num(self.jaccard).sum(axis=0) / np.maximum(self.fits, 1))

    @cached_property
    def mixed_with(self) -> tuple[Array, Array]:
        """The other group that each is together with most often, (k,), and how often, as a share of how often rows of
        one group are (the geometric mean of the two groups), (k,)."""
        own, found = np.sqrt(self.together.diagonal()), self.together.tocoo()
        own = np.where(own > 0, own, np.inf)
        share = np.where(found.row == found.col, 0.0, found.data / own[found.row] / own[found.col])
        shares = sp.csr_matrix((share, (found.row, found.col)), shape=found.shape)
        return np.asarray(shares.argmax(axis=1)).ravel(), shares.max(axis=1).toarray().ravel()


def found_again(
    X: Any, labels: Array, k: int, fits: int, rng: Rng, on_fit: Callable[[int, int], None] = lambda done, total: None
) -> FoundAgain:
    """Return how `k` groups of the unit rows `X`, CSR or dense, fare in fits on parts of it; `labels` (n,), none -1.

    >>> X = np.eye(2)[[0, 1] * 10]
    >>> found = found_again(X, np.array([0, 1] * 10), 2, 5, np.random.default_rng(0))
    >>> found.times.tolist(), found.fits.tolist(), found.mixed_with[1].tolist()
    ([5, 5], [5, 5], [0.0, 0.0])
    """
    if not len(labels):
        return FoundAgain(np.full((fits, k), np.nan), sp.csr_matrix((k, k)))
    X, clusters = searchable(X), len(np.unique(labels))
    most = max(_FEWEST, _OF_A_GROUP * clusters)
    count = max(clusters, min(len(labels) // 2, most))
    lock, done = Lock(), [0]

    def table(child: Rng) -> Any:
        part = np.sort(child.choice(len(labels), count, replace=False))
        found = _crossed(labels[part], _fit(X[part], clusters, child), k, clusters)
        with lock:
            done[0] += 1
            on_fit(done[0], fits)
        return found

    tables = ordered_map(table, rng.spawn(fits))
    return FoundAgain(np.array([_jaccard(each) for each in tables]), _together(tables))


def _fit(X: Any, k: int, rng: Rng) -> Array:
    begun = start(as_rows(X), k, "k-means++", rng).labels
    return refine(X, begun, k, local_search="sweep", tol=_TOL, rng=rng)[0]


def _crossed(groups: Array, clusters: Array, k: int, c: int) -> Any:
    """Count the rows that each group (row) and each cluster (column) share, as CSR: most share none."""
    return sp.csr_matrix((np.ones(len(groups), dtype=np.int64), (groups, clusters)), shape=(k, c))


def _jaccard(table: Any) -> Array:
    """Return each group's Jaccard index with the cluster most like it; nan where it has no rows."""
    rows, columns, shared = _sizes(table), np.asarray(table.sum(axis=0)).ravel(), table.tocoo()
    highest = np.where(rows > 0, 0.0, np.nan)
    np.maximum.at(highest, shared.row, shared.data / (rows[shared.row] + columns[shared.col] - shared.data))
    return highest


def _together(tables: list[Any]) -> Any:
    """Return the share of the pairs of rows, from each two groups, that are in one cluster, over all tables."""
    sizes = [_sizes(table) for table in tables]
    alone = [sp.diags(size, dtype=np.int64) for size in sizes]
    same = sum(table @ table.T - rows for table, rows in zip(tables, alone, strict=True)).tocoo()
    pairs = sum(size[same.row] * (size[same.col] - (same.row == same.col)) for size in sizes)
    return sp.csr_matrix((same.data / np.maximum(pairs, 1), (same.row, same.col)), shape=same.shape)


def _sizes(table: Any) -> Array:
    return np.asarray(table.sum(axis=1)).ravel()
