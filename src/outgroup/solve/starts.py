"""The best solution over several starts, and the starts themselves.

A start is a partition (n,), or a function of a random generator that makes one: restarts, a warm start, seeds, an
oracle and a test's planted groups are all one argument of `best_of`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..metrics import agreement, stability
from ..rows import OneHot, Rows
from ..rows.threads import ordered_map
from ..types import Array, Rng
from .data import Data, stored
from .in_memory.ping_pong import Plan
from .in_memory.ping_pong import fit as climb
from .result import Fit
from .spherical import spherical_kmeans

Start = Array | Callable[[Rng], Array]
OnStep = Callable[[dict[str, Any]], None]

_START_TOL = 1e-4
_CLIMBS = (Plan("bisect", "sweep"), Plan("k-means++", "sweep"), None)  # the best alone comes first
_DENSE = 0.2  # share of entries that are not zero


class Objective(Protocol):
    """What starts compete on: see `MarginObjective`."""

    @property
    def small(self) -> bool:
        """Whether starts may run side by side."""

    @property
    def steers(self) -> bool:
        """Whether the kept fit is solved once more, by `steered`."""

    def resolved(self, labels: Array) -> Self:
        """Return the same with every number settled that all starts share, by the first partition."""

    def weighted(self, labels: Array) -> Self:
        """Return the same with every number settled that belongs to one start, by its partition."""

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum below a partition."""

    def steered(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum below a partition, with the Universum."""


Solved = TypeVar("Solved", bound=Objective)


@dataclass(frozen=True)
class Best(Generic[Solved]):
    """The kept solution of several starts, the objective that it solves, and what the others say about it."""

    fit: Fit
    objective: Solved
    restarts: list[dict[str, Any]] = field(default_factory=list)
    stability: float = float("nan")


def best_of(
    objective: Solved, starts: Sequence[Start], rng: Rng, *,
    on_start: Callable[[int, int], None] = lambda done, total: None, on_step: OnStep = lambda step: None,
) -> Best[Solved]:  # fmt: skip
    """Solve from every start and keep the best: as many groups as were asked for come first, then the lowest J.

    The lowest J by itself would often leave a cluster empty: a group that no row is in costs no margin (CPM3C most of
    all, docs/cpm3c.md). Starts compete on the targets alone, and the Universum then steers the one that is kept: which
    local optimum is best is a question about the documents, and with its part in J the junk would have a say
    (docs/decisions/0004). `on_start(done, total)` hears of each start as it ends, `on_step(step)` of each step of a
    descent, with the number of its start; either may raise to end it all.
    """
    tried = _every_fit(objective, starts, rng, on_start, on_step)
    fits = [fit for _, fit in tried]
    order = sorted(range(len(fits)), key=lambda i: fits[i].preference)
    kept, places = order[0], np.argsort(order)
    agreements = agreement([fit.labels for fit in fits])
    restarts = [_restart(i, fit, float(agreements[i, kept]), i == kept) for i, fit in enumerate(fits)]
    own, fit = tried[kept]
    if own.steers:
        fit = own.steered(fit.labels, _numbered(on_step, kept))
    return Best(fit, own, restarts, stability(places, agreements))


def _every_fit(
    objective: Solved, starts: Sequence[Start], rng: Rng, on_start: Callable[[int, int], None], on_step: OnStep
) -> list[tuple[Solved, Fit]]:
    """Solve from every start, the starts side by side where that needs little memory, else one after another."""
    rngs, done, lock = rng.spawn(len(starts)), itertools.count(1), Lock()
    first = made(starts[0], rngs[0])
    objective = objective.resolved(first)

    def heard(step: dict[str, Any]) -> None:
        with lock:
            on_step(step)

    def run(number: int) -> tuple[Solved, Fit]:
        labels = made(starts[number], rngs[number]) if number else first
        own = objective.weighted(labels)
        fit = own.solve(labels, _numbered(heard, number))
        with lock:
            on_start(next(done), len(starts))
        return own, fit

    numbers = range(len(starts))
    return ordered_map(run, numbers) if objective.small else [run(number) for number in numbers]


def _numbered(on_step: OnStep, number: int) -> OnStep:
    return lambda step: on_step({"start": number, **step})


def made(start: Start, rng: Rng) -> Array:
    """Return the partition of a start, (n,)."""
    return start(rng) if callable(start) else start


def _restart(number: int, fit: Fit, agreement: float, kept: bool) -> dict[str, Any]:
    certificate = {"objective": fit.objective, "steps": fit.n_iter, "gap": fit.gap, "empty": fit.empty}
    return {"restart": number, **certificate, "agreement": agreement, "kept": kept}


def by_size(fit: Fit, k: int) -> Fit:
    """Return the same fit with its clusters numbered by size, largest first."""
    order = np.argsort(-np.bincount(fit.labels, minlength=k), kind="stable")
    rank = np.empty(k, dtype=np.int32)
    rank[order] = np.arange(k)
    return replace(fit, weights=fit.weights[order], labels=rank[fit.labels])


def spherical_starts(data: Data, k: int, count: int) -> list[Start]:
    """Return `count` starts, each spherical k-means in one of three ways, in turn.

    Two climb by sweeps of single moves on unit rows, from repeated bisection or k-means++, which leads to the lowest J
    on text; the third takes batch steps on the rows as fitted, from random rows, which is better on measured data and
    does not mind where the origin is. Sweeps walk inverted lists: where most entries are not zero the third way is the
    only one.
    """
    unit = _unit(data)
    ways = [_CLIMBS[number % len(_CLIMBS)] if unit is not None else None for number in range(count)]
    return [partial(_batch, data.rows, k) if way is None else partial(_climbed, unit, k, way) for way in ways]


def _unit(data: Data) -> Any:
    matrix = data.matrix
    if matrix is None or stored(matrix) > _DENSE * matrix.shape[0] * matrix.shape[1]:
        return None
    return normalize(matrix)


def _climbed(unit: Any, k: int, plan: Plan, rng: Rng) -> Array:
    return climb(unit, k, plan, rng).labels


def _batch(rows: Rows, k: int, rng: Rng) -> Array:
    return spherical_kmeans(rows, k, init="random-rows", rng=rng, tol=_START_TOL).labels


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
    sums, _ = rows.fold(None, lambda _, own: (OneHot(own, k), 0.0), labels)
    taken = np.unique(labels[labels >= 0])
    labels[missing] = taken[rows.map(normalize(sums[taken]), lambda scores: scores.argmax(axis=1), on=missing)]
    return labels
