"""Where a fit with labelled documents starts: around them, or at the groups that it would find without; they choose.

A start that grows from a few labels never sees the better optimum that a fit without labels finds, and that one knows
nothing of the labels. Each is asked where it would put labels that it was not shown, and the one that is right more
often is taken; in doubt, the second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..types import Array, Rng
from .seeded import SeededKMeans

_HALVES = 2


@dataclass(frozen=True)
class ChosenByLabels:
    """A start for `k` groups of `X` that its seeds choose.

    `given` are the seeds as `SeededKMeans.fit` takes them, `pins` (n,) the labelled documents' groups, -1 for others;
    `free` makes the partition that a fit without seeds would start from.
    """

    X: Any
    k: int
    given: dict[str, Any]
    pins: Array
    free: Callable[[Rng], Array]
    way = "seeds"

    def __call__(self, rng: Rng) -> Array:
        grown = self._grown(self.pins, rng)
        labelled = np.flatnonzero(self.pins >= 0)
        if not len(labelled):
            return grown
        found = self.free(rng)
        halves = self._halves(labelled)
        if halves is None:
            return named(found, self.pins, self.k)
        right_grown = np.concatenate([self._right(self._grown(shown, rng), hidden) for shown, hidden in halves])
        right_found = np.concatenate([self._right(named(found, shown, self.k), hidden) for shown, hidden in halves])
        return grown if clearly_more(right_grown, right_found) else named(found, self.pins, self.k)

    def _grown(self, pins: Array, rng: Rng) -> Array:
        given = {name: value for name, value in self.given.items() if name != "seeds"}
        given |= {"seeds": pins} if (pins >= 0).any() else {}
        return np.asarray(SeededKMeans(self.k, random_state=int(rng.integers(2**31))).fit(self.X, **given).labels_)

    def _halves(self, labelled: Array) -> list[tuple[Array, Array]] | None:
        """Return (labels that are shown, rows that are hidden) twice, each label hidden once; None where no group has
        two labels: there is nothing left to judge by."""
        place = np.zeros(len(labelled), dtype=int)
        for group in np.unique(self.pins[labelled]):
            mine = np.flatnonzero(self.pins[labelled] == group)
            place[mine] = np.arange(len(mine)) % _HALVES if len(mine) > 1 else -1
        if not (place == 1).any():
            return None
        return [self._split(labelled[place == half]) for half in range(_HALVES)]

    def _split(self, hidden: Array) -> tuple[Array, Array]:
        shown = self.pins.copy()
        shown[hidden] = -1
        return shown, hidden

    def _right(self, labels: Array, hidden: Array) -> Array:
        return np.asarray(labels[hidden] == self.pins[hidden])


def clearly_more(first: Array, second: Array) -> bool:
    """Return whether the first of two (m,) bool is true more often, by more than one standard deviation of chance.

    Only where they differ is anything learned; by chance each would be true in half of these cases (McNemar's test).

    >>> clearly_more(np.array([True] * 3), np.array([False] * 3)), clearly_more(np.array([True]), np.array([False]))
    (True, False)
    """
    ahead, behind = np.count_nonzero(first & ~second), np.count_nonzero(second & ~first)
    return bool(ahead - behind > np.sqrt(ahead + behind))


def named(labels: Array, pins: Array, k: int) -> Array:
    """Return a partition under the numbers that agree best with the labelled documents, which are where they belong.

    Each group takes one number, so that the shares of the numbers' labelled documents in it add up to the most.

    >>> named(np.array([1, 1, 0, 0]), np.array([0, -1, -1, 1]), 2).tolist()
    [0, 0, 1, 1]
    """
    labelled = pins >= 0
    shares = np.zeros((k, k))
    np.add.at(shares, (labels[labelled], pins[labelled]), 1.0)
    shares /= np.maximum(shares.sum(axis=0, keepdims=True), 1.0)
    groups, numbers = linear_sum_assignment(shares, maximize=True)
    number_of = np.empty(k, dtype=np.int32)
    number_of[groups] = numbers
    return np.asarray(np.where(labelled, pins, number_of[labels]), dtype=np.int32)
