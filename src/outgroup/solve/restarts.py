"""Restarts: the starts of a fit, and the best solution over several of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..metrics import agreement, stability
from ..rows import Rows, cluster_sums, unit_rows
from ..rows.arrays import argmax
from ..rows.blocks import group_sizes
from ..rows.threads import one_blas_thread, ordered_map
from ..types import Array, OnCount, OnStep, Rng, no_op
from .max_margin import Data, stored
from .refinement import Plan
from .refinement import fit as climb
from .solution import Fit, filled, lost_groups, preference, vanished
from .spherical import spherical_kmeans

# --- The best solution over several starts


class Objective(Protocol):
    """What starts compete on: see `MarginObjective`."""

    @property
    def small(self) -> bool:
        """Whether starts may run side by side."""

    @property
    def stronger(self) -> tuple[Self, ...]:
        """What to solve instead, in turn, while every start leaves groups without rows."""

    def resolved(self, labels: Array) -> Self:
        """Return the same with every number settled that all starts share, by the first partition."""

    def weighted(self, labels: Array) -> Self:
        """Return the same with every number settled that belongs to one start, by its partition."""

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum below a partition."""

    def as_it_is(self, labels: Array) -> tuple[Self, Fit] | None:
        """Return a fit that is the partition itself, and the objective that it has; None where there is none."""

    def comparable(self, fit: Fit) -> float:
        """Return J of a fit without what belongs to its own start, or to the Universum."""


Solved = TypeVar("Solved", bound=Objective)


@dataclass(frozen=True)
class Best(Generic[Solved]):
    """The kept solution of several starts, the objective that it solves, and what the others say about it."""

    fit: Fit
    objective: Solved
    restarts: list[dict[str, Any]] = field(default_factory=list)
    stability: float = float("nan")


@dataclass(frozen=True)
class _Run(Generic[Solved]):
    """One start's partition, the objective with the numbers that belong to it, and where it ended.

    `found` says that the partition was found in the rows, and is no guess of somebody's.
    """

    labels: Array
    objective: Solved
    fit: Fit
    found: bool = False

    @property
    def lost(self) -> int:
        """Number of groups that had rows in the start and have none in the fit.

        Where groups were found, those that a third of their rows left, if they are more than a tenth: the descent shall
        refine them, and where linear scores cannot choose them it makes others at once (docs/decisions/0017).
        """
        return lost_groups(self.labels, self.fit.labels) if self.found else vanished(self.labels, self.fit.labels)


@one_blas_thread()
def best_of(
    objective: Solved, starts: Sequence[Start], rng: Rng, *,
    on_start: OnCount = no_op, on_step: OnStep = no_op,
) -> Best[Solved]:  # fmt: skip
    """Solve from every start and keep the best: as many groups as were asked for come first, then the lowest J.

    The lowest J by itself would often leave a cluster empty: a group that no row is in costs no margin (CPM3C most of
    all, docs/cpm3c.md). Balanced J has weights of its own in each start, so that the starts compete on the unweighted
    J of the targets alone: see `comparable`. Where every start loses groups, by rows that leave them, the objective's
    `stronger` forms are tried from the same partitions, and at last these are taken as they are. `on_start(done,
    total)` hears of each start as it ends, `on_step(step)` of each step of a descent, with the number of its start;
    either may raise to end it all.
    """
    runs = _every_run(objective, starts, rng, on_start, on_step)
    forms = runs[0].objective.stronger
    runs = _keeping_groups(runs, forms, rng, on_step)
    fits = [run.fit for run in runs]
    values = [run.objective.comparable(run.fit) if len(runs) > 1 else run.fit.objective for run in runs]
    lost = [run.lost if forms else 0 for run in runs]  # in the paper's form starts compete whatever they lose
    order = sorted(range(len(fits)), key=lambda i: (lost[i], *preference(filled(fits[i].labels), values[i])))
    kept, places = order[0], np.argsort(order)
    agreements = agreement([fit.labels for fit in fits])
    restarts = [
        _restart(i, way_of(starts[i]), fit, values[i], float(agreements[i, kept]), i == kept)
        for i, fit in enumerate(fits)
    ]
    return Best(fits[kept], runs[kept].objective, restarts, stability(places, agreements))


def _keeping_groups(
    runs: list[_Run[Solved]], forms: Sequence[Solved], rng: Rng, on_step: OnStep
) -> list[_Run[Solved]]:  # fmt: skip
    """Return runs that lose few groups: these, or those of the stronger `forms` in turn, or at last their starts."""
    for stronger in forms:
        if min(run.lost for run in runs) == 0:
            break
        again = _every_run(stronger, [run.labels for run in runs], rng, no_op, on_step)
        again = [replace(run, found=before.found) for run, before in zip(again, runs, strict=True)]
        runs = min(runs, again, key=lambda found: min(run.lost for run in found))
    return [_or_its_start(run) for run in runs] if forms and min(run.lost for run in runs) > 0 else runs


def _every_run(
    objective: Solved, starts: Sequence[Start], rng: Rng, on_start: OnCount, on_step: OnStep
) -> list[_Run[Solved]]:
    """Solve from every start, the starts side by side where that needs little memory, else one after another.

    Starts that found the same groups are solved once.
    """
    rngs, done, lock = rng.spawn(len(starts)), itertools.count(1), Lock()
    first = made(starts[0], rngs[0])
    objective = objective.resolved(first)
    each = ordered_map if objective.small else _in_turn
    labels = [first, *each(lambda number: made(starts[number], rngs[number]), range(1, len(starts)))]
    places = [_place(own, labels) for own in labels]

    def heard(step: dict[str, Any]) -> None:
        with lock:
            on_step(step)

    def run(number: int) -> _Run[Solved]:
        own = objective.weighted(labels[number])
        fit = own.solve(labels[number], _numbered(heard, number))
        with lock:
            for _ in range(places.count(number)):
                on_start(next(done), len(starts))
        return _Run(labels[number], own, fit, getattr(starts[number], "found", False))

    distinct = sorted(set(places))
    runs = dict(zip(distinct, each(run, distinct), strict=True))
    return [runs[place] for place in places]


def _place(labels: Array, among: list[Array]) -> int:
    """Return the place of the first of several partitions that is the same as this one: it ends where that one does."""
    return next(place for place, other in enumerate(among) if np.array_equal(labels, other))


def _in_turn(task: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    return [task(number) for number in numbers]


def _or_its_start(run: _Run[Solved]) -> _Run[Solved]:
    """Return the start itself as a run, where that keeps more of its groups than what was solved."""
    found = run.objective.as_it_is(run.labels)
    itself = run if found is None else _Run(run.labels, *found, run.found)
    return min(run, itself, key=lambda each: each.lost)


def _numbered(on_step: OnStep, number: int) -> OnStep:
    return lambda step: on_step({"start": number, **step})


def _restart(number: int, start: str, fit: Fit, value: float, agreement: float, kept: bool) -> dict[str, Any]:
    certificate = {"objective": value, "steps": fit.n_iter, "gap": fit.gap, "empty": fit.empty}
    return {"restart": number, "start": start, **certificate, "agreement": agreement, "kept": kept}


def one_start(fit: Fit) -> dict[str, Any]:
    """Return what `restarts_` says of the only start, which was given."""
    return _restart(0, "given", fit, fit.objective, 1.0, True)


def by_size(fit: Fit, k: int) -> Fit:
    """Return the same fit with its clusters numbered by size, largest first, of equal ones that of the first row.

    Clusters of one size would have the numbers that they had in the start, where rounding chooses between equal starts.
    """
    first = np.full(k, len(fit.labels))
    np.minimum.at(first, fit.labels, np.arange(len(fit.labels)))
    order = np.lexsort((first, -group_sizes(fit.labels, k)))
    rank = np.empty(k, dtype=np.int32)
    rank[order] = np.arange(k)
    return replace(fit, weights=fit.weights[order], labels=rank[fit.labels])


# --- Starts: what a fit begins with
#
# A start is a partition (n,), or a function of a random generator that makes one: restarts, a warm start, seeds, an
# oracle and a test's planted groups are all one argument of `best_of`.

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
