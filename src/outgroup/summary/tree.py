"""The tree of groups: the cheapest merges, and the best splits."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .records import GroupSplit, Merging
from .words import Grouped, of_unit_length

# --- Tree of groups: the next merges and splits by loss and gain of coherence
#
# The coherence of a partition is the sum of the lengths of its groups' sums of unit rows, the objective of spherical
# k-means (Dhillon and Modha, 2001). Merging a and b costs |s_a| + |s_b| - |s_a + s_b|; splitting a group gains the
# same.

_BLOCK = 256  # groups per block of products

Halves = dict[bytes, tuple[float, list[int], list[list[str]]] | None]
"""Of groups, by the content of their rows: the gain of a split, the sizes of the halves and their words; None: none."""


def merges(grouped: Grouped, numbers: Sequence[int] | None = None) -> list[Merging]:
    """Return the k - 1 merges of k groups, cheapest first, empty groups before all; merge t makes node k + t.

    Rows have unit length. A loss is a share of the coherence of the k groups. `numbers` are the existing groups; None:
    all.

    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]])
    >>> [(each.a, each.b) for each in merges(Grouped(X, np.arange(3), 3))]
    [(1, 2), (0, 3)]
    """
    k = grouped.k
    nodes = list(range(k) if numbers is None else numbers)
    sums = grouped.sums[nodes]
    gram = np.empty((len(nodes), len(nodes)))
    for start in range(0, len(gram), _BLOCK):
        gram[start : start + _BLOCK] = sums[start : start + _BLOCK].toarray() @ sums.T
    pairs = Pairs(gram)
    whole, found = float(pairs.lengths.sum()) or 1.0, list[Merging]()
    for step in range(len(nodes) - 1):
        i, j, loss = pairs.cheapest()
        found.append(Merging(nodes[i], nodes[j], round(max(loss, 0.0) / whole, 6)))
        pairs.join(i, j)
        nodes[i] = k + step
    return found


def linkage(X: Any, labels: Array, k: int) -> Array:
    """Return the merges of `k` groups as SciPy's linkage matrix, (k - 1, 4): two nodes, height, number of groups.

    `labels` (n,) are the groups of the unit rows `X`, CSR or dense, -1 for none. Heights are sums of the losses so far.

    >>> linkage(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]]), np.arange(3), 3)[:, [0, 1, 3]].tolist()
    [[1.0, 2.0, 2.0], [0.0, 3.0, 3.0]]
    """
    grouped = Grouped.of(sp.csr_matrix(X), labels, k, labels >= 0)
    sizes, height, found = [1] * k, 0.0, []
    for each in merges(grouped):
        height += each.loss
        sizes.append(sizes[each.a] + sizes[each.b])
        found.append([*sorted((each.a, each.b)), height, sizes[-1]])
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def cut(tree: Array, k: int, count: int) -> Array:
    """Cut the tree into `count` branches; return for each of `k` leaves the lowest leaf of its branch, (k,).

    >>> cut(np.array([[1.0, 2.0, 0.1, 2.0], [0.0, 3.0, 0.2, 3.0]]), 3, 2).tolist()
    [0, 1, 1]
    """
    branch, members = np.arange(k), {leaf: [leaf] for leaf in range(k)}
    for step, (a, b) in enumerate(tree[: k - count, :2].astype(int).tolist()):
        members[k + step] = members.pop(a) + members.pop(b)
        branch[members[k + step]] = min(members[k + step])
    return branch


def splits(grouped: Grouped, names: Any, known: Halves | None = None) -> list[GroupSplit]:
    """Return the best split of each group that has two different documents, by descending gain.

    k-means starts from the two sides of the centre along the direction of most variance: single documents, such as
    the farthest ones, are poor starts. A gain is a share of the coherence of all; `names` are the V words. `known`
    has results by content of the rows, to reuse.
    """
    known, X, groups, k = {} if known is None else known, grouped.X, grouped.groups, grouped.k
    whole = float(np.sqrt(grouped.sums.power(2).sum(axis=1)).sum()) or 1.0
    order = np.argsort(groups, kind="stable")
    edges = np.searchsorted(groups[order], np.arange(k + 1))
    marks, found = X @ np.random.default_rng(0).standard_normal(X.shape[1]), []  # equal for equal rows
    for g in range(k):
        rows = order[edges[g] : edges[g + 1]]
        key = blake2b(marks[rows].tobytes(), digest_size=16).digest()
        if key not in known:
            known[key] = _split(X[rows], names)
        if (halves := known[key]) is not None:
            gain, sizes, words = halves
            found.append(GroupSplit(g, round(gain / whole, 6), sizes, words))
    return sorted(found, key=lambda each: -each.gain)


def _split(X: Any, names: Any) -> tuple[float, list[int], list[list[str]]] | None:
    """Return gain, sizes and words of the halves of some rows; None if they cannot be split."""
    if X.shape[0] < 2:
        return None
    present = np.bincount(X.indices, minlength=X.shape[1]) > 0
    used, place = np.flatnonzero(present), np.cumsum(present) - 1
    X = sp.csr_matrix((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(used)))
    centre = np.asarray(X.sum(axis=0)).ravel()
    half = _side(X, centre / X.shape[0])
    for _ in range(6):  # rounds of k-means
        half = (X @ of_unit_length(_sums_of_halves(X, half)).T).argmax(axis=1)
    if not 0 < half.sum() < len(half):
        return None
    sums = _sums_of_halves(X, half)
    gain = float(np.linalg.norm(sums, axis=1).sum() - np.linalg.norm(centre))
    apart = np.subtract(*of_unit_length(sums))
    words = [[str(names[used[w]]) for w in np.argsort(-side, kind="stable")[:4]] for side in (apart, -apart)]
    sizes = np.bincount(half, minlength=2).tolist()
    return gain, sizes, words


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
