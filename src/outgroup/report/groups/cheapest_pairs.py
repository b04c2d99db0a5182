"""Which two of many sums lose least where they are added up, again and again: each has its cheapest partner by it.

A merge changes one row of losses, and those whose partner is gone look for another when their turn comes: until then
their old loss is a lower bound (Muellner's generic linkage, 2011). So k - 1 merges take about k^2 steps and not k^3.
"""

from __future__ import annotations

import numpy as np

from ...types import Array

_NOBODY = -1


class Pairs:
    """The pairs of k sums by what joining them loses, |a| + |b| - |a + b|; `gram` (k, k) of their products is changed.

    >>> pairs = Pairs(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.8], [0.0, 0.8, 1.0]]))
    >>> pairs.cheapest()[:2]
    (1, 2)
    >>> pairs.join(1, 2)
    >>> pairs.cheapest()[:2]
    (0, 1)
    """

    def __init__(self, gram: Array) -> None:
        k = len(gram)
        self._gram, self._squares, self._there = gram, gram.diagonal().copy(), np.ones(k, dtype=bool)
        self.lengths = np.sqrt(np.maximum(self._squares, 0.0))
        self._partner = np.full(k, _NOBODY)  # of higher number; nobody: not known, and then the loss is a lower bound
        self._loss = np.full(k, np.inf)
        for i in range(k):
            self._look(i)

    def cheapest(self) -> tuple[int, int, float]:
        """Return the pair that loses least, the lower number first, and what it loses; of equal ones the first."""
        while self._partner[i := int(self._loss.argmin())] == _NOBODY:
            self._look(i)
        return i, int(self._partner[i]), float(self._loss[i])

    def join(self, i: int, j: int) -> None:
        """Add the sum j to i, and forget j."""
        row = self._gram[i] + self._gram[j]
        row[i] += row[j]
        self._gram[i] = self._gram[:, i] = row
        self._squares[i], self.lengths[i] = row[i], np.sqrt(max(row[i], 0.0))
        self._there[j], self._loss[j] = False, np.inf
        self._partner[(self._partner == i) | (self._partner == j)] = _NOBODY
        self._offer(i)
        self._look(i)

    def _offer(self, i: int) -> None:
        """Make a changed sum the partner of those before it for whom it is the cheapest now."""
        loss, partner = self._loss[:i], self._partner[:i]
        fresh = self._losses(i, slice(i))
        better = self._there[:i] & ((fresh < loss) | ((fresh == loss) & (i < partner)))
        partner[better], loss[better] = i, fresh[better]

    def _look(self, i: int) -> None:
        """Find the cheapest partner of a sum among those behind it."""
        losses = np.where(self._there[i + 1 :], self._losses(i, slice(i + 1, None)), np.inf)
        if len(losses):
            best = int(losses.argmin())
            self._partner[i], self._loss[i] = i + 1 + best, losses[best]

    def _losses(self, i: int, others: slice) -> Array:
        together = np.sqrt(np.maximum(self._squares[i] + self._squares[others] + 2 * self._gram[i, others], 0.0))
        return np.asarray(self.lengths[i] + self.lengths[others] - together)
