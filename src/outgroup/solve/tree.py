"""The tree over and under a partition: the cheapest merges of its groups, and their best splits.

The coherence of a partition is the sum of the lengths of its groups' sums of unit rows, the objective of spherical
k-means (Dhillon and Modha, 2001). Merging a and b costs |s_a| + |s_b| - |s_a + s_b|; splitting a group gains the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..stopping import stop_if_asked
from ..types import Array

_BLOCK = 256  # groups per block of products


def merges(sums: Any) -> list[tuple[int, int, float]]:
    """Return the k - 1 merges of k sums of rows, CSR (k, V), cheapest first: two nodes and the loss.

    Merge t makes node k + t.

    >>> [(a, b) for a, b, _ in merges(sp.csr_matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]]))]
    [(1, 2), (0, 3)]
    """
    k = sums.shape[0]
    gram = np.empty((k, k))
    for start in range(0, k, _BLOCK):
        gram[start : start + _BLOCK] = sums[start : start + _BLOCK].toarray() @ sums.T
    pairs, nodes, found = Pairs(gram), list(range(k)), []
    for step in range(k - 1):
        i, j, loss = pairs.cheapest()
        found.append((nodes[i], nodes[j], max(loss, 0.0)))
        pairs.join(i, j)
        nodes[i] = k + step
    return found


def cut(tree: Array, k: int, count: int) -> Array:
    """Cut the tree into at most `count` branches; return for each of `k` leaves the lowest leaf of its branch, (k,).

    Row t of `tree` begins with the nodes of merge t, as in SciPy's linkage matrix.

    >>> cut(np.array([[1.0, 2.0, 0.1, 2.0], [0.0, 3.0, 0.2, 3.0]]), 3, 2).tolist()
    [0, 1, 1]
    """
    branch, members = np.arange(k), {leaf: [leaf] for leaf in range(k)}
    for step, (a, b) in enumerate(np.asarray(tree)[: max(0, k - count), :2].astype(int).tolist()):
        members[k + step] = members.pop(a) + members.pop(b)
        branch[members[k + step]] = min(members[k + step])
    return branch


@dataclass(frozen=True)
class Halves:
    """The halves of a group: the gain of coherence, and the mask of the smaller half over its rows, bool."""

    gain: float
    second: Array


def halves(X: Any) -> Halves | None:
    """Return the best split in two of unit rows, CSR (n, V); None if all rows are equal.

    k-means starts from the two sides of the centre along the direction of most variance: single rows, such as the
    farthest ones, are poor starts.

    >>> halves(sp.csr_matrix([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])).second.tolist()
    [False, False, True]
    """
    X = sp.csr_matrix(X)  # another library's vectorizer may give an array
    if X.shape[0] < 2:
        return None
    present = np.bincount(X.indices, minlength=X.shape[1]) > 0
    used, place = np.flatnonzero(present), np.cumsum(present) - 1
    X = sp.csr_matrix((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(used)))
    centre = np.asarray(X.sum(axis=0)).ravel()
    half = _side(X, centre / X.shape[0])
    for _ in range(6):  # rounds of k-means
        centres = _sums_of_halves(X, half)
        half = (X @ (centres / np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)).T).argmax(axis=1)
    if not 0 < half.sum() < len(half):
        return None
    gain = float(np.linalg.norm(_sums_of_halves(X, half), axis=1).sum() - np.linalg.norm(centre))
    return Halves(gain, smaller(half))


def smaller(half: Array) -> Array:
    """Return the mask of the smaller half, of 0 or 1 for each row; of equal halves the one without the first row.

    >>> smaller(np.array([1, 1, 0])).tolist(), smaller(np.array([1, 0])).tolist()
    ([False, False, True], [False, True])
    """
    ones = int(np.count_nonzero(half))
    if 2 * ones == len(half):
        return np.asarray(half != half[0])
    return np.asarray(half == (1 if 2 * ones < len(half) else 0))


def splits(
    labels: Array, k: int, count: int, halve: Callable[[Array], Halves | None]
) -> Iterator[tuple[int, Array, float]]:
    """Yield the best splits of k groups, one after the other, up to `count` groups: a group, rows and the gain.

    `labels` (n,) are 0 to k - 1, -1 for none; `halve` takes the rows of a group, such as `halves` of them. The rows
    become group k, then k + 1 and so on. There are fewer splits if groups of equal rows remain.
    """
    labels, best, changed = np.array(labels), dict[int, Halves](), list(range(k))
    for new in range(k, count):
        for g in changed:
            stop_if_asked()
            if (found := halve(np.flatnonzero(labels == g))) is not None:
                best[g] = found
        if not best:
            return
        group = max(sorted(best), key=lambda g: best[g].gain)
        split = best.pop(group)
        moved = np.flatnonzero(labels == group)[split.second]
        labels[moved] = new
        changed = [group, new]
        yield group, moved, split.gain


def _side(X: Any, mean: Array) -> Array:
    """Return on which side of the mean each row lies along the first principal direction, 0 or 1, (n,)."""
    along = X @ X[int((X @ mean).argmin())].toarray().ravel()
    for _ in range(8):  # power iterations
        along = along - along.mean()
        direction = X.T @ (along / (np.linalg.norm(along) or 1.0))
        along = X @ direction - mean @ direction
    return (along > 0).astype(int)


def _sums_of_halves(X: Any, half: Array) -> Array:
    return np.asarray((X.T @ np.eye(2)[half]).T)


# --- Repeated cheapest pairs of sums; each sum stores its cheapest partner
#
# A merge changes one row of losses. A sum without its partner searches again when its turn comes; until then its old
# loss is a lower bound (Muellner's generic linkage, 2011). So k - 1 merges take about k^2 steps, not k^3.

_NONE = -1


class Pairs:
    """The pairs of k vector sums by the loss of a merge, |a| + |b| - |a + b|; it updates their products `gram` (k, k).

    >>> pairs = Pairs(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.8], [0.0, 0.8, 1.0]]))
    >>> pairs.cheapest()[:2]
    (1, 2)
    >>> pairs.join(1, 2)
    >>> pairs.cheapest()[:2]
    (0, 1)
    """

    def __init__(self, gram: Array) -> None:
        k = len(gram)
        self._gram, self._squares, self._present = gram, gram.diagonal().copy(), np.ones(k, dtype=bool)
        self.lengths = np.sqrt(np.maximum(self._squares, 0.0))
        self._partner = np.full(k, _NONE)  # of higher number; _NONE: unknown, the loss is a lower bound
        self._loss = np.full(k, np.inf)
        for i in range(k):
            self._look(i)

    def cheapest(self) -> tuple[int, int, float]:
        """Return the pair with the lowest loss, lower index first, and the loss; the first of equal pairs."""
        while self._partner[i := int(self._loss.argmin())] == _NONE:
            self._look(i)
        return i, int(self._partner[i]), float(self._loss[i])

    def join(self, i: int, j: int) -> None:
        """Merge the sum j into i, and remove j."""
        row = self._gram[i] + self._gram[j]
        row[i] += row[j]
        self._gram[i] = self._gram[:, i] = row
        self._squares[i], self.lengths[i] = row[i], np.sqrt(max(row[i], 0.0))
        self._present[j], self._loss[j] = False, np.inf
        self._partner[(self._partner == i) | (self._partner == j)] = _NONE
        self._offer(i)
        self._look(i)

    def _offer(self, i: int) -> None:
        """Update earlier sums for which the changed sum i is now the cheapest partner."""
        loss, partner = self._loss[:i], self._partner[:i]
        fresh = self._losses(i, slice(i))
        better = self._present[:i] & ((fresh < loss) | ((fresh == loss) & (i < partner)))
        partner[better], loss[better] = i, fresh[better]

    def _look(self, i: int) -> None:
        """Find the cheapest partner of sum i among later ones."""
        losses = np.where(self._present[i + 1 :], self._losses(i, slice(i + 1, None)), np.inf)
        if len(losses):
            best = int(losses.argmin())
            self._partner[i], self._loss[i] = i + 1 + best, losses[best]

    def _losses(self, i: int, others: slice) -> Array:
        together = np.sqrt(np.maximum(self._squares[i] + self._squares[others] + 2 * self._gram[i, others], 0.0))
        return np.asarray(self.lengths[i] + self.lengths[others] - together)
