"""A number of clusters that the data choose: splits and merges under a penalty on k (the paper's section 7).

The objective is Q - omega k, with omega set anew at each move from the partition at hand, as the paper proposes. A
split must gain more than both
- a hundredth of Q: a cluster must be worth having, and
- what it would gain were the average cosine between the halves 0.7 of that within them: its halves must be two things.
A merge is made where a pair fails either. Averages leave a row's cosine with itself out, or small clusters would always
look coherent. Both constants are the project's choice; docs/decisions/0005 says what they find and where they fail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rows import as_rows
from ...types import Array, Rng
from .bisection import Split, coherence, split_each
from .local_search import refine
from .split_merge import cluster_sums, merge_losses

_WORTH = 0.01
_ALIKE = 0.7
_TOL = 1e-5


def choose_clusters(X: Any, rng: Rng) -> Array:
    """Return labels (n,) int32 of as many clusters of the unit rows `X`, CSR or dense, as the criterion allows.

    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix(np.eye(3)[[0, 1, 2] * 4])
    >>> len(set(choose_clusters(X, np.random.default_rng(0)).tolist()))
    3
    """
    labels, objective, k = np.zeros(X.shape[0], dtype=np.int32), coherence(X), 1
    while (split := _best_split(X, labels, k, objective, rng)) is not None:
        labels[split.rows[split.right]] = k
        k += 1
        labels, objective = _settle(X, labels, k, rng)
    while k > 1 and (pair := _needless_pair(X, labels, k, objective)) is not None:
        labels = _merged(labels, *pair)
        k -= 1
        labels, objective = _settle(X, labels, k, rng)
    return labels


def likeness(X: Any, labels: Array, k: int) -> Array:
    """Return each pair's average cosine over the geometric mean of those within, shape (k, k), 0 on the diagonal.

    A cluster without any likeness within is like nothing (0).
    """
    sums, sizes = cluster_sums(X, labels, k), np.bincount(labels, minlength=k).astype(np.float64)
    inner = sums @ sums.T
    own = np.bincount(labels, as_rows(X).squares(), k)
    within = np.sqrt(np.maximum(inner.diagonal() - own, 0.0) / np.maximum(sizes * (sizes - 1), 1.0))
    scale = np.outer(sizes * within, sizes * within)
    return np.where(~np.eye(k, dtype=bool) & (scale > 0), inner / np.where(scale > 0, scale, 1.0), 0.0)


def _best_split(X: Any, labels: Array, k: int, objective: float, rng: Rng) -> Split | None:
    splits = split_each(X, [np.flatnonzero(labels == j) for j in range(k)], rng)
    for split in sorted(splits, key=lambda split: -split.gain):
        if split.gain <= _WORTH * objective:
            break
        if likeness(X[split.rows], split.right.astype(np.int32), 2)[0, 1] < _ALIKE:
            return split
    return None


def _needless_pair(X: Any, labels: Array, k: int, objective: float) -> tuple[int, int] | None:
    losses = merge_losses(X, labels, k)
    needless = np.where((likeness(X, labels, k) >= _ALIKE) | (losses <= _WORTH * objective), losses, np.inf)
    a, b = divmod(int(needless.argmin()), k)
    return (a, b) if np.isfinite(needless[a, b]) else None


def _merged(labels: Array, a: int, b: int) -> Array:
    """Put cluster `b` into `a` < `b` and close the gap in the numbers."""
    labels = np.where(labels == b, a, labels)
    return np.where(labels > b, labels - 1, labels).astype(np.int32)


def _settle(X: Any, labels: Array, k: int, rng: Rng) -> tuple[Array, float]:
    return refine(X, labels, k, local_search="sweep", tol=_TOL, rng=rng)[:2]
