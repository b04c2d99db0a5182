"""Split one cluster and merge two, then refine: the moves that single rows cannot make one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows.threads import ordered_map
from ...types import Array, Rng
from .bisection import ClusterSplit, split_each
from .dense_search import dense_sums
from .local_search import Step

Polish = Callable[[Array, Rng], tuple[Array, float]]

_AT_ONCE = 2  # candidates tried side by side; the number decides the result, so it does not follow the cores
_FAILURES = 2  # rounds without a gain before giving up
_OTHERS = 0.1  # the share of a cluster's rows that may have changed since it was split


def split_merge(
    X: Any, labels: Array, objective: float, k: int, polish: Polish, *, tol: float, rng: Rng
) -> tuple[Array, float, list[Step]]:
    """Improve the partition `labels` of the CSR matrix `X` by exchanging a merge for a split while that gains.

    Candidates are ordered by the split's gain minus the merge's loss before `polish(labels, rng)` refines them.
    """
    trace: list[Step] = []
    splits = _Splits(X, k)
    candidates, failures = _candidates(X, labels, splits.of(labels, rng)), 0
    while candidates and failures < _FAILURES:
        tried, candidates = candidates[:_AT_ONCE], candidates[_AT_ONCE:]
        tasks = list(zip(tried, rng.spawn(len(tried)), strict=True))
        found = list(ordered_map(lambda task: polish(_exchanged(labels, *task[0]), task[1]), tasks))  # noqa: B023
        best_labels, best = max(found, key=lambda result: result[1])
        if best - objective <= tol * objective:
            failures += 1
            continue
        moved = int(np.count_nonzero(best_labels != labels))
        labels, objective, failures = best_labels, best, 0
        trace.append({"kind": "split and merge", "objective": objective, "moved": moved})
        candidates = _candidates(X, labels, splits.of(labels, rng))
    return labels, objective, trace


def merge_losses(X: Any, labels: Array, k: int) -> Array:
    """Return what Q loses by merging each pair of clusters, shape (k, k); infinite on and below the diagonal."""
    sums = cluster_sums(X, labels, k)
    inner = sums @ sums.T
    squares = inner.diagonal()
    norms = np.sqrt(squares)
    merged = np.sqrt(np.maximum(squares[:, None] + squares + 2 * inner, 0.0))
    return np.where(np.triu(np.ones((k, k), dtype=bool), 1), norms[:, None] + norms - merged, np.inf)


def cluster_sums(X: Any, labels: Array, k: int) -> Array:
    """Return the sum of each cluster's rows, shape (k, d) float64."""
    if not sp.issparse(X):
        return dense_sums(X, labels, k)
    n = len(labels)
    member = sp.csr_matrix((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    return np.asarray((member @ X).toarray(), dtype=np.float64)


class _Splits:
    """The best splits found of the clusters of a partition that changes little from one exchange to the next.

    Of dense rows, where they are most of the work, a cluster keeps its split until a tenth of its rows are others.
    """

    def __init__(self, X: Any, k: int) -> None:
        self._X, self._found = X, list[ClusterSplit | None]([None] * k)
        self._share = 0.0 if sp.issparse(X) else _OTHERS

    def of(self, labels: Array, rng: Rng) -> list[ClusterSplit]:
        """Return the best split of each cluster of `labels` (n,)."""
        groups = [np.flatnonzero(labels == j) for j in range(len(self._found))]
        kept = [split and split.kept(rows, self._share) for split, rows in zip(self._found, groups, strict=True)]
        anew = [j for j, split in enumerate(kept) if split is None]
        for j, split in zip(anew, split_each(self._X, [groups[j] for j in anew], rng), strict=True):
            self._found[j] = kept[j] = split
        return [split for split in kept if split is not None]


def _candidates(X: Any, labels: Array, splits: list[ClusterSplit]) -> list[tuple[ClusterSplit, int, int]]:
    """Return the exchanges that will be tried, best first: each a cheap merge with a good split of a third cluster."""
    k = len(splits)
    losses = merge_losses(X, labels, k)
    pairs = np.argsort(losses, axis=None)[:k]
    into, merged, lost = pairs // k, pairs % k, losses.flat[pairs]
    worth = np.array([split.gain for split in splits]) - lost[:, None]
    third = np.arange(len(splits))
    able = np.isfinite(worth) & (third != into[:, None]) & (third != merged[:, None])
    pair, split = np.nonzero(able)
    best = np.argsort(-worth[pair, split], kind="stable")[: _AT_ONCE * _FAILURES]
    return [(splits[split[i]], into[pair[i]], merged[pair[i]]) for i in best.tolist()]


def _exchanged(labels: Array, split: ClusterSplit, into: int, merged: int) -> Array:
    labels = np.where(labels == merged, into, labels).astype(np.int32)
    labels[split.rows[split.right]] = merged
    return labels
