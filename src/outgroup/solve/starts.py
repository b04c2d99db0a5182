"""Starts: what a fit begins with.

A start is a partition (n,), or a function of a random generator that makes one: restarts, a warm start, seeds, an
oracle and a test's planted groups are all one argument of `best_of`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..rows import Rows, cluster_sums, unit_rows
from ..rows.arrays import argmax
from ..rows.threads import ordered_map
from ..types import Array, Rng
from .data import Data, stored
from .in_memory.ping_pong import Plan
from .in_memory.ping_pong import fit as climb
from .result import filled
from .spherical import spherical_kmeans

Start = Array | Callable[[Rng], Array]

_START_TOL = 1e-4
_CLIMBS = (Plan("bisect", "sweep"), Plan("k-means++", "sweep"))  # the best alone comes first
_DENSE = 0.2  # share of entries that are not zero
_JUDGED = 64  # rows that tell whether the others are sparse


def made(start: Start, rng: Rng) -> Array:
    """Return the partition of a start, (n,)."""
    return start(rng) if callable(start) else start


def spherical_start(data: Data, k: int, count: int = 1) -> Start:
    """Return a start that is the best of `count` default fits of `SphericalKMeans`: bisection, then splits and merges.

    The coherence of the spherical fit chooses, and one start is solved: J of several solved starts chooses no better
    (docs/decisions/0031). Rows that do not lie in memory are climbed on by a sample of them.
    """
    return Climb(unit_rows(data.given), k, Plan(), count, data.small(k * data.given.shape[1]))


def varied_starts(data: Data, k: int, count: int) -> list[Start]:
    """Return `count` quick starts, each spherical k-means in one of three ways, in turn.

    Two climb by sweeps of single moves on unit rows, from repeated bisection or k-means++; the third takes batch steps
    on the rows as fitted, from random rows. Sweeps walk inverted lists: where most entries are not zero the third way
    is the only one.
    """
    if not _sparse(data.given):
        return [Batches(data.rows, k)] * count
    unit = unit_rows(data.given)
    climbs, batches = [Climb(unit, k, plan) for plan in _CLIMBS], Batches(data.rows, k)
    return list(itertools.islice(itertools.cycle([*climbs, batches]), count))


def start_from(data: Data, k: int, labels: Array) -> Start:
    """Return a start from groups that stand, `labels` (n,), after other rows were taken away; -1 for rows in none.

    Splits and merges may act on it: what went may have held a group of its own, or two groups together.
    """
    labels = completed(data.rows, labels, k)
    climbs = _sparse(data.given) or filled(labels) < k
    return Climb(unit_rows(data.given), k, Plan(labels)) if climbs else labels


@dataclass(frozen=True)
class Climb:
    """A start by local search on unit rows, the best of `count`; the same groups always have the same numbers."""

    unit: Rows
    k: int
    plan: Plan
    count: int = 1
    side_by_side: bool = False

    found = True  # in the rows, and no guess of somebody's

    @property
    def way(self) -> str:
        """What `restarts_` says of it."""
        place = "" if self.unit.local() is not None else " of a sample, batch steps"
        start = self.plan.init if isinstance(self.plan.init, str) else "groups that stand"
        return f"{start}, {self.plan.local_search}{place}"

    def __call__(self, rng: Rng) -> Array:
        each = ordered_map if self.side_by_side else map
        rngs = [rng, *rng.spawn(self.count - 1)]
        fits = list(each(lambda own: climb(self.unit, self.k, self.plan, own), rngs))
        return by_first_row(max(fits, key=lambda fit: fit.objective).labels)


@dataclass(frozen=True)
class Batches:
    """A start by batch steps of spherical k-means on the rows as fitted, from random rows."""

    rows: Rows
    k: int

    @property
    def way(self) -> str:
        """What `restarts_` says of it."""
        return "random-rows, batch steps"

    def __call__(self, rng: Rng) -> Array:
        return spherical_kmeans(self.rows, self.k, init="random-rows", rng=rng, tol=_START_TOL).labels


def by_first_row(labels: Array) -> Array:
    """Return the same groups numbered as they come up, row by row: (n,) int32.

    >>> by_first_row(np.array([5, 2, 5, 0])).tolist()
    [0, 1, 0, 2]
    """
    _, first, own = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[own], dtype=np.int32)


def way_of(start: Start) -> str:
    """Return how a start comes about, in words."""
    return getattr(start, "way", "made by a function") if callable(start) else "given"


def _sparse(rows: Rows) -> bool:
    """Whether most entries are zero, judged by a few rows where there is no matrix in memory."""
    X = rows.local()
    if X is None:
        X = rows.take(np.unique(np.linspace(0, rows.shape[0] - 1, _JUDGED).astype(np.int64)))
    return stored(X) <= _DENSE * X.shape[0] * X.shape[1]


def completed(rows: Rows, labels: Array, k: int) -> Array:
    """Return a partition in which rows of -1 are in the group whose mean direction they score highest on, (n,) int32.

    Raises InputError where no row is in a group.

    >>> from outgroup.rows import as_rows
    >>> completed(as_rows(np.eye(2)[[0, 1, 0, 1]]), np.array([0, 1, -1, -1]), 2).tolist()
    [0, 1, 0, 1]
    """
    labels = np.array(labels, dtype=np.int32)
    missing = np.flatnonzero(labels < 0)
    if len(missing) == len(labels):
        raise InputError("init puts no row in a group; leave it out, or give some rows a group")
    if len(missing) == 0:
        return labels
    sums = cluster_sums(rows, labels, k)
    taken = np.unique(labels[labels >= 0])
    labels[missing] = taken[rows.map(normalize(sums[taken]), argmax, on=missing)]
    return labels
