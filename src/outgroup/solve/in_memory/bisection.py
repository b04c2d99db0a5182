"""Splits: repeated bisection as a start, and splitting one cluster while merging two as a refinement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows.threads import ordered_map
from ...stopping import stop_if_asked
from ...types import Array, Rng
from .dense_search import dense_sums
from .local_search import LEAST_GAIN, open_search, random_order

_TRIALS = 2  # random halves a split: as many as a small machine has cores, and more buy little
_SPLIT_TOL = 1e-4
_MOST_SWEEPS = 30


@dataclass(frozen=True)
class ClusterSplit:
    """The best cut found through one cluster: `rows` (m,) are its members, `right` (m,) bool the second half."""

    rows: Array
    right: Array
    gain: float

    def kept(self, rows: Array, share: float) -> ClusterSplit | None:
        """Return the same cut of those members that are still among `rows`, those of the cluster now.

        None where a share of them or more are others, or all of a half left.

        >>> cut = ClusterSplit(np.arange(4), np.array([False, False, True, True]), 1.0)
        >>> cut.kept(np.array([0, 1, 3, 4]), 0.6).rows.tolist(), cut.kept(np.array([0, 1, 4, 5]), 0.6)
        ([0, 1, 3], None)
        """
        still = np.isin(self.rows, rows, assume_unique=True)
        others = len(rows) + len(self.rows) - 2 * np.count_nonzero(still)
        if others >= share * len(rows) or len(np.unique(self.right[still])) < 2:
            return None
        return ClusterSplit(self.rows[still], self.right[still], self.gain)


def bisect(X: Any, k: int, rng: Rng) -> Array:
    """Return labels (n,) int32 of `k` clusters of the CSR matrix `X`: always make the split that gains most.

    >>> import scipy.sparse as sp
    >>> labels = bisect(sp.csr_matrix(np.eye(3)[[0, 1, 2, 0, 1, 2]]), 3, np.random.default_rng(0))
    >>> sorted(labels[:3].tolist()), labels[:3].tolist() == labels[3:].tolist()
    ([0, 1, 2], True)
    """
    return bisections(X, k, rng)[0]


def bisections(X: Any, k: int, rng: Rng, trials: int = _TRIALS) -> tuple[Array, Array]:
    """Return what `bisect` does, and the cluster that each was split from, (k,): see `fewer`."""
    labels, parents = np.zeros(X.shape[0], dtype=np.int32), np.zeros(k, dtype=np.int32)
    splits = split_each(X, [np.arange(X.shape[0])], rng, trials)
    gains = np.array([split.gain for split in splits])
    for cluster in range(1, k):
        chosen = int(gains.argmax())
        split, parents[cluster] = splits[chosen], labels[splits[chosen].rows[0]]
        labels[split.rows[split.right]] = cluster
        halves = [split.rows[~split.right], split.rows[split.right]]
        if cluster < k - 1:
            splits[chosen : chosen + 1], fresh = [], split_each(X, halves, rng, trials)
            splits[chosen:chosen] = fresh
            gains = np.concatenate([gains[:chosen], [split.gain for split in fresh], gains[chosen + 1 :]])
    return labels, parents


def fewer(labels: Array, parents: Array, k: int) -> Array:
    """Return the labels (n,) that the first `k` clusters had before the last splits.

    >>> fewer(np.array([0, 1, 2, 3]), np.array([0, 0, 1, 0]), 2).tolist()
    [0, 1, 1, 0]
    """
    home = np.arange(len(parents), dtype=np.int32)
    for cluster in range(k, len(parents)):  # a parent comes before its child
        home[cluster] = home[parents[cluster]]
    return np.asarray(home[labels])


def split_each(X: Any, groups: list[Array], rng: Rng, trials: int = _TRIALS) -> list[ClusterSplit]:
    """Return the best split of each group of rows; trials run side by side, and their number decides the result."""
    parts = [(X[rows], None) if sp.issparse(X) else (X, rows) for rows in groups]  # dense rows are not copied
    tasks = [(*part, child) for part in parts for child in rng.spawn(trials)]
    found = list(ordered_map(lambda task: _halve(*task), tasks))
    best = [max(found[i : i + trials], key=lambda trial: trial[1]) for i in range(0, len(found), trials)]
    whole = [coherence(*part) for part in parts]
    return [ClusterSplit(rows, right, q - base) for rows, (right, q), base in zip(groups, best, whole, strict=True)]


def coherence(X: Any, rows: Array | None = None) -> float:
    """Return the norm of the sum of the rows of a matrix, or of the listed ones."""
    if rows is not None:
        return float(np.linalg.norm(dense_sums(X, np.zeros(len(rows), dtype=np.int32), 1, rows)))
    total = np.asarray(X.sum(axis=0, dtype=np.float64))
    return float(np.sqrt((total * total).sum()))


def _halve(X: Any, rows: Array | None, rng: Rng) -> tuple[Array, float]:
    """Split the rows in two from random halves by sweeps; return the second half as booleans, and the two halves' Q."""
    n = X.shape[0] if rows is None else len(rows)
    if n < 2:
        return np.zeros(n, dtype=bool), -np.inf
    search = open_search(X, rng.permutation(n) % 2, 2, rows)
    for _ in range(_MOST_SWEEPS):
        stop_if_asked()
        before = search.objective
        search.sweep(random_order(n, rng), LEAST_GAIN)
        if search.objective - before <= _SPLIT_TOL * before:
            break
    return search.labels == 1, search.objective
