"""Where a fit with labelled documents starts: the labels choose.

A start that grows from a few labels never sees the better optimum that a fit without labels finds, that one knows
nothing of the labels, and the graph of nearest neighbours knows what centres do not. A fit goes down from those that
labels make with half of them, and is asked where it puts the others; the start of the one that is right most often is
taken, if it is clearly ahead of the groups found without labels. Where words alone are labelled, and not for all
groups, nothing can judge: these words are pooled with the groups found without them.

Among vectors a fit from spread labels may also stop after its first step, which learns them as they are: the further
steps make groups of words better, and lose those of vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import as_rows, nearest, unit_rows
from ..rows.threads import one_blas_thread
from ..solve.neighbours.graph import joined, walk
from ..solve.neighbours.label_spreading import joined_partition, spread_partition
from ..types import Array, Rng
from ._numbers import every_group_has_a_seed, named_by_seeds, spoken_by_words
from .quiet import fitted
from .seeded import FromSeedsAlone, SeededKMeans

_HALVES = 2
_PARTS = 20
_MOST_ROWS = 1 << 15  # whose neighbours are looked for, which takes time in proportion to the square

Descend = Callable[[Array, Array, int | None], Array]
Way = tuple[str, int | None]
"""A start, by name, and how many steps the descent from it may take; None: as many as it takes."""

_FOUND: Way = ("found", None)
_JOINED: tuple[Way, ...] = (("joined", None), ("joined", 1))
_SPREAD: tuple[Way, ...] = (("spread", None), ("spread", 1))
_GROWN: Way = ("grown", None)
_AROUND: Way = ("around", None)


@dataclass(frozen=True)
class ChosenByLabels:
    """The starts for `k` groups of `X` that its seeds choose.

    `given` are the seeds as `SeededKMeans.fit` takes them, `pins` (n,) the labelled documents' groups, -1 for others;
    `free` makes the partition that a fit without seeds finds, and `descend(labels, pins, most)` says where
    a fit from a partition ends, or stands after so many steps. `near` (n, n) is who is near whom, None to look.
    """

    X: Any
    k: int
    given: dict[str, Any]
    pins: Array
    free: Callable[[Rng], Array]
    descend: Descend = field(default=lambda labels, pins, steps: labels)
    near: Any = None

    def starts(self, rng: Rng, count: int) -> list[Any]:
        """Return the chosen start, or `count` of it where it is one that grows, and not all groups have a seed."""
        complete = every_group_has_a_seed(self.pins, self._words)
        grown = [Made(partial(self._grown, self.pins), _WAYS["grown"])] * (1 if complete else count)
        labelled = np.flatnonzero(self.pins >= 0)
        if complete and not len(labelled):
            return grown
        found = self.free(rng)
        halves = self._halves(labelled)
        name, most = self._chosen(found, halves, rng) if halves else (_FOUND if len(labelled) else _AROUND)
        if name == "grown":
            return grown
        way = f"{_WAYS[name]}{', one step' if most else ''}"
        return [Made(lambda rng: self._start(name, found, self.pins, rng), way, most)]

    def _chosen(self, found: Array, halves: list[tuple[Array, Array]], rng: Rng) -> Way:
        """Return the way from which hidden labels are found most often, if clearly more often than without labels."""
        parts = [self._judged(found, shown, hidden, rng) for shown, hidden in halves]
        right = {way: np.concatenate([part[way] for part in parts]) for way in parts[0]}
        best = _best(right)
        rightly = self._rightly(found, np.concatenate([hidden for _, hidden in halves]), rng)
        return best if clearly_more(right[best], rightly) else _FOUND

    def _judged(self, found: Array, shown: Array, hidden: Array, rng: Rng) -> dict[Way, Array]:
        """Return of which hidden labels each way is right, (m,) bool."""
        ways = [*self._over_neighbours, _GROWN]
        starts = {name: self._start(name, found, shown, rng) for name in dict.fromkeys(name for name, _ in ways)}
        return {
            (name, most): self.descend(starts[name], shown, most)[hidden] == self.pins[hidden] for name, most in ways
        }

    def _rightly(self, found: Array, rows: Array, rng: Rng) -> Array:
        """Return which of these labelled rows are in the group of their label, where the others' labels number groups.

        The groups were found without any label. A half of few labels would give them wrong numbers, which is no fault
        of theirs, so each time a twentieth is left out.
        """
        right = np.zeros(len(rows), dtype=bool)
        for part in np.array_split(rng.permutation(len(rows)), min(_PARTS, len(rows))):
            others = self.pins.copy()
            others[rows[part]] = -1
            right[part] = named_by_seeds(found, others, self._spoken, self.k)[rows[part]] == self.pins[rows[part]]
        return right

    @property
    def _over_neighbours(self) -> tuple[Way, ...]:
        if self._graph is None:
            return ()
        count = 1 if sp.issparse(as_rows(self.X).local()) else 2
        return _JOINED[:count] + _SPREAD[:count]

    def _start(self, name: str, found: Array, pins: Array, rng: Rng) -> Array:
        if name == "grown":
            return self._grown(pins, rng)
        known = named_by_seeds(found, pins, self._spoken, self.k)
        if name == "around":
            return self._grown(pins, rng, known)
        if name == "found":
            return known
        over_neighbours = joined_partition if name == "joined" else spread_partition
        return over_neighbours(self._graph, pins, self.k, known)

    @property
    def _words(self) -> Array:
        return np.asarray(self.given.get("word_seeds", np.zeros((self.k, 0), dtype=bool)))

    @cached_property
    def _spoken(self) -> Array:
        counted = self.given.get("words")
        return spoken_by_words(self.X if counted is None else counted, self._words, self.pins)

    @cached_property
    def _graph(self) -> Any:
        """Where a step from each row to a neighbour leads, in either direction: who is near a row with many neighbours
        would hear nothing of it otherwise. None where it would take too long, or the rows do not lie in memory."""
        return walk_over(self.X, self.near)

    def _grown(self, pins: Array, rng: Rng, known: Array | None = None) -> Array:
        """Return the groups that grow around the seeds: from these alone, or with them from the partition `known`."""
        given = {name: value for name, value in self.given.items() if name != "seeds"}
        given |= {"seeds": pins} if (pins >= 0).any() else {}
        grower = SeededKMeans if known is not None else FromSeedsAlone
        found = fitted(grower(self.k, random_state=int(rng.integers(2**31))), self.X, **given, init=known)
        return np.asarray(found.labels_)

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


def _best(right: dict[Way, Array]) -> Way:
    """Return the way that is `right` (m,) most often.

    Labels that spread without the groups found are asked where they are clearly more often right than joined with
    these: where few labels are hidden they often seem a little better, and end in worse groups.
    """

    def most(ways: Iterable[Way]) -> Way:
        return max(ways, key=lambda way: np.count_nonzero(right[way]))

    by_name = {name: most(way for way in right if way[0] == name) for name, _ in right}
    if "joined" not in by_name:
        return _GROWN
    joined, spread = by_name["joined"], by_name["spread"]
    return most([spread if clearly_more(right[spread], right[joined]) else joined, _GROWN])


def walk_over(X: Any, near: Any) -> Any:
    """Return where a step from each row to a neighbour leads, (n, n): `near`, or the nearest rows; None where there are
    too many, or they do not lie in memory."""
    if near is not None:
        return walk(near)
    rows = as_rows(X)
    if rows.shape[0] > _MOST_ROWS or rows.local() is None:
        return None
    with one_blas_thread():
        return walk(joined(nearest(unit_rows(rows))))


_WAYS = {
    "found": "seeds, groups found without them",
    "joined": "seeds, spread over the neighbours and groups found without them",
    "spread": "seeds, spread over the neighbours",
    "grown": "seeds",
    "around": "seeds, pooled with groups found without them",
}


@dataclass(frozen=True)
class Made:
    """A start that `make` makes, how that is told, and how many steps the descent from it may take, None for any."""

    make: Callable[[Rng], Array]
    way: str
    most: int | None = None

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
