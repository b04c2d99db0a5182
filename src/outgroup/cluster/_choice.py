"""Where a fit with labelled documents starts: the labels choose.

A start that grows from a few labels never sees the better optimum that a fit without labels finds, that one knows
nothing of the labels, and the graph of nearest neighbours knows what centres do not. A fit goes down from each with
half of the labels, and is asked where it puts the others; the start of the one that is right most often is taken, if it
is clearly ahead of the groups found without labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..rows import as_rows, nearest, unit_rows
from ..rows.threads import one_blas_thread
from ..solve.spread import spread_partition
from ..types import Array, Rng
from .seeded import SeededKMeans

_HALVES = 2
_MOST_ROWS = 1 << 15  # whose neighbours are looked for, which takes time in proportion to the square

Descend = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class ChosenByLabels:
    """The starts for `k` groups of `X` that its seeds choose.

    `given` are the seeds as `SeededKMeans.fit` takes them, `pins` (n,) the labelled documents' groups, -1 for others;
    `free` makes the partition that a fit without seeds would start from, and `descend(labels, pins)` says where a fit
    from a partition ends.
    """

    X: Any
    k: int
    given: dict[str, Any]
    pins: Array
    free: Callable[[Rng], Array]
    descend: Descend = field(default=lambda labels, pins: labels)

    def starts(self, rng: Rng, count: int) -> list[Any]:
        """Return the chosen start, or `count` of it where it is one that grows, and not all groups have a seed."""
        grown = Made(partial(self._grown, self.pins), "seeds")
        labelled = np.flatnonzero(self.pins >= 0)
        if not len(labelled):
            return [grown] * count
        found = self.free(rng)
        halves = self._halves(labelled)
        name = "found" if halves is None else self._chosen(found, halves, rng)
        if name == "grown":
            return [grown] * count
        return [Made(lambda rng: self._start(name, found, self.pins, rng), f"seeds, {_WAYS[name]}")]

    def _chosen(self, found: Array, halves: list[tuple[Array, Array]], rng: Rng) -> str:
        """Return the name of the start from which hidden labels are found most often; in doubt, the one before it of
        "found", "spread" and "grown"."""
        right = {"found": self._right("found", found, halves, rng), "grown": self._right("grown", found, halves, rng)}
        best = "grown"
        if self._shares is not None:
            right["spread"] = self._right("spread", found, halves, rng)
            best = "grown" if clearly_more(right["grown"], right["spread"]) else "spread"
        return best if clearly_more(right[best], right["found"]) else "found"

    def _right(self, name: str, found: Array, halves: list[tuple[Array, Array]], rng: Rng) -> Array:
        """Return of which hidden labels a fit from that start is right, (m,) bool."""
        return np.concatenate([self._judged(name, found, shown, hidden, rng) for shown, hidden in halves])

    def _judged(self, name: str, found: Array, shown: Array, hidden: Array, rng: Rng) -> Array:
        labels = self.descend(self._start(name, found, shown, rng), shown)
        return np.asarray(labels[hidden] == self.pins[hidden])

    def _start(self, name: str, found: Array, pins: Array, rng: Rng) -> Array:
        if name == "grown":
            return self._grown(pins, rng)
        known = named(found, pins, self.k)
        return known if name == "found" else spread_partition(self._shares, pins, self.k, known)

    @cached_property
    def _shares(self) -> Any:
        """The neighbours' shares, or None where they would take too long, or the rows do not lie in memory."""
        rows = as_rows(self.X)
        if rows.shape[0] > _MOST_ROWS or rows.local() is None:
            return None
        with one_blas_thread():
            return nearest(unit_rows(rows)).shares

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


_WAYS = {"found": "groups found without them", "spread": "spread over the neighbours"}


@dataclass(frozen=True)
class Made:
    """A start that `make` makes, and how that is told."""

    make: Callable[[Rng], Array]
    way: str

    def __call__(self, rng: Rng) -> Array:
        return self.make(rng)


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
