"""Restarts: several starts of a fit, and the best solution among them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import InputError
from ..metrics import agreement, stability
from ..rows import Rows, cluster_sums, weighed_rows
from ..rows.arrays import argmax, normalize
from ..rows.blocks import evenly_spaced, group_sizes
from ..rows.threads import one_blas_thread, ordered_map
from ..types import Array, OnCount, OnStep, Rng, no_op
from .local_search import Schedule
from .max_margin import Data, Objective, small, stored
from .refinement import Plan
from .refinement import fit as spherical_fit
from .solution import Fit, filled, lost_groups, preference, vanished
from .spherical import spherical_kmeans

# --- The best solution over several starts


Form = TypeVar("Form", bound=Objective)


@dataclass(frozen=True)
class Best(Generic[Form]):
    """The best solution of several starts, its objective, and the records and stability of all starts."""

    fit: Fit
    objective: Form
    restarts: list[dict[str, Any]] = field(default_factory=list)
    stability: float = float("nan")


@dataclass(frozen=True)
class _Run(Generic[Form]):
    """The partition of a start, the objective with its parameters, and the fit.

    `from_rows` is True for a partition computed from the rows.
    """

    labels: Array
    objective: Form
    fit: Fit
    from_rows: bool = False

    @property
    def lost(self) -> int:
        """The number of groups with rows in the start, but none in the fit.

        If the groups were computed from the rows, it counts those left by a third of their rows, if they are more than
        a tenth, and a largest group of rows of others: linear scores that cannot represent the groups replace them
        (docs/decisions/0017).
        """
        return lost_groups(self.labels, self.fit.labels) if self.from_rows else vanished(self.labels, self.fit.labels)


@one_blas_thread()
def best_of(
    objective: Form,
    starts: Sequence[Start],
    rng: Rng,
    *,
    on_start: OnCount = no_op,
    on_step: OnStep = no_op,
) -> Best[Form]:
    """Solve from every start and return the best: the most nonempty groups first, then the lowest J.

    The lowest J alone often leaves a cluster empty: an empty group costs no margin (CPM3C most of all, docs/cpm3c.md).
    Balanced J has different weights in each start, so starts are ranked by the unweighted J of the targets: see
    `comparable_objective`. If every start loses groups, the objective's `stronger` forms are tried from the same
    partitions, and finally the partitions themselves are the result. `on_start(done, total)` is called after each
    start, `on_step(step)` after each step of a descent, with the number of its start; an exception of either ends the
    solver.
    """
    runs = _every_run(objective, starts, rng, on_start, on_step)
    forms = runs[0].objective.stronger
    runs = _keeping_groups(runs, forms, rng, on_step)
    fits = [run.fit for run in runs]
    values = [run.objective.comparable_objective(run.fit) if len(runs) > 1 else run.fit.objective for run in runs]
    lost = [run.lost if forms else 0 for run in runs]  # the paper's form ignores lost groups
    order = sorted(range(len(fits)), key=lambda i: (lost[i], *preference(filled(fits[i].labels), values[i])))
    winner, places = order[0], np.argsort(order)
    agreements = agreement([fit.labels for fit in fits])
    restarts = [
        _restart(i, way_of(starts[i]), fit, values[i], float(agreements[i, winner]), i == winner)
        for i, fit in enumerate(fits)
    ]
    return Best(fits[winner], runs[winner].objective, restarts, stability(places, agreements))


def _keeping_groups(runs: list[_Run[Form]], forms: Sequence[Form], rng: Rng, on_step: OnStep) -> list[_Run[Form]]:
    """Return runs that lose few groups: these runs, those of stronger `forms`, or finally the starts themselves."""
    for stronger in forms:
        if min(run.lost for run in runs) == 0:
            break
        again = _every_run(stronger, [run.labels for run in runs], rng, no_op, on_step)
        again = [replace(run, from_rows=before.from_rows) for run, before in zip(again, runs, strict=True)]
        runs = min(runs, again, key=lambda candidates: min(run.lost for run in candidates))
    return [_or_its_start(run) for run in runs] if forms and min(run.lost for run in runs) > 0 else runs


def _every_run(
    objective: Form, starts: Sequence[Start], rng: Rng, on_start: OnCount, on_step: OnStep
) -> list[_Run[Form]]:
    """Solve from every start, in parallel if memory allows; equal starts are solved once."""
    rngs, done, lock = rng.spawn(len(starts)), itertools.count(1), Lock()
    first = partition_of(starts[0], rngs[0])
    objective = objective.with_scale(first)
    over: Callable[..., Iterable[Any]] = ordered_map if objective.small else map
    labels = [first, *over(lambda number: partition_of(starts[number], rngs[number]), range(1, len(starts)))]
    places = [next(i for i, other in enumerate(labels) if np.array_equal(start, other)) for start in labels]

    def run(number: int) -> _Run[Form]:
        def report(step: dict[str, Any]) -> None:
            with lock:
                on_step({"start": number, **step})

        form = objective.with_row_weights(labels[number])
        fit = form.solve(labels[number], report)
        with lock:
            for _ in range(places.count(number)):
                on_start(next(done), len(starts))
        return _Run(labels[number], form, fit, getattr(starts[number], "from_rows", False))

    distinct = sorted(set(places))
    runs = dict(zip(distinct, over(run, distinct), strict=True))
    return [runs[place] for place in places]


def _or_its_start(run: _Run[Form]) -> _Run[Form]:
    """Return the start itself as a run if it keeps more of its groups than the solution."""
    partition = run.objective.as_partition(run.labels)
    itself = run if partition is None else _Run(run.labels, *partition, run.from_rows)
    return min(run, itself, key=lambda candidate: candidate.lost)


def _restart(number: int, start: str, fit: Fit, value: float, agreement: float, chosen: bool) -> dict[str, Any]:
    certificate = {"objective": value, "steps": fit.n_iter, "gap": fit.gap, "empty": fit.empty}
    return {"restart": number, "start": start, **certificate, "agreement": agreement, "kept": chosen}


def one_start(fit: Fit) -> dict[str, Any]:
    """Return the record of a single given start, for `restarts_`."""
    return _restart(0, "given", fit, fit.objective, 1.0, True)


def by_size(fit: Fit, k: int, sample: Array | None = None) -> Fit:
    """Renumber clusters by size, or by total weight `sample` (n,), the largest first; ties by first row.

    The numbers in the start cannot break ties, since rounding chooses between equal starts.
    """
    first = np.full(k, len(fit.labels))
    np.minimum.at(first, fit.labels, np.arange(len(fit.labels)))
    sizes = group_sizes(fit.labels, k) if sample is None else np.bincount(fit.labels, sample, k)
    order = np.lexsort((first, -sizes))
    rank = np.empty(k, dtype=np.int32)
    rank[order] = np.arange(k)
    return replace(fit, weights=fit.weights[order], labels=rank[fit.labels])


# --- Starts
#
# A start is a partition (n,), or a function from a random generator to one: restarts, warm starts and seeds are all one
# argument of `best_of`.

Start = Array | Callable[[Rng], Array]


@dataclass(frozen=True)
class NamedStart:
    """A start with a description for `restarts_`; `from_rows` if it computes the partition from the rows."""

    way: str
    make: Callable[[Rng], Array]
    from_rows: bool = False

    def __call__(self, rng: Rng) -> Array:
        return self.make(rng)


def partition_of(start: Start, rng: Rng) -> Array:
    """Return the partition of a start, (n,)."""
    return start(rng) if callable(start) else start


def way_of(start: Start) -> str:
    """Return the description of a start."""
    return getattr(start, "way", "made by a function") if callable(start) else "given"


def spherical_start(data: Data, k: int, count: int = 1) -> Start:
    """Return a start: the best of `count` default fits of `SphericalKMeans`.

    The coherence of the spherical fit chooses, and one start is solved: J of several solved starts chooses no better
    (docs/decisions/0031). For rows outside memory, local search uses a sample.
    """
    return local_search_start(
        data.unit, k, Plan(), count, side_by_side=small(data.original, k * data.original.shape[1])
    )


def varied_starts(data: Data, k: int, count: int) -> list[Start]:
    """Return `count` quick starts, by three kinds of spherical k-means in turn.

    Two use sweeps of single moves on unit rows, from repeated bisection or k-means++; the third takes batch steps
    on the rows as fitted, from random rows. Sweeps use inverted lists: if most entries are nonzero, all starts are
    of the third kind.
    """
    rows, unit = weighed_rows(data.rows, data.relative), data.unit
    batches = NamedStart(
        "random-rows, batch steps",
        lambda rng: spherical_kmeans(rows, k, init="random-rows", rng=rng, tol=1e-4).labels,
    )
    if not _sparse(data.original):
        return [batches] * count
    searches = [local_search_start(unit, k, Plan(init, Schedule("sweep"))) for init in ("bisect", "k-means++")]
    return list(itertools.islice(itertools.cycle([*searches, batches]), count))


def start_from(data: Data, k: int, labels: Array) -> Start:
    """Return a start from the partition `labels` (n,), where -1 marks rows without a group.

    It includes splits and merges: the rows set aside may have formed a group, or joined two groups.
    """
    labels = completed(data.rows, labels, k, data.sample)
    search = _sparse(data.original) or filled(labels) < k
    return local_search_start(data.unit, k, Plan(labels)) if search else labels


def local_search_start(unit: Rows, k: int, plan: Plan, count: int = 1, *, side_by_side: bool = False) -> NamedStart:
    """Return a start by local search on unit rows, the best of `count`; equal groups always have equal numbers."""

    def make(rng: Rng) -> Array:
        over = ordered_map if side_by_side else map
        fits = over(lambda child: spherical_fit(unit, k, plan, child), [rng, *rng.spawn(count - 1)])
        return by_first_row(max(fits, key=lambda fit: fit.objective).labels)

    place = "" if unit.local() is not None else " of a sample, batch steps"
    init = plan.init if isinstance(plan.init, str) else "given groups"
    return NamedStart(f"{init}, {plan.schedule.local_search}{place}", make, from_rows=True)


def by_first_row(labels: Array) -> Array:
    """Renumber groups by their first rows, (n,) int32.

    >>> by_first_row(np.array([5, 2, 5, 0])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.int32)


def _sparse(rows: Rows) -> bool:
    """Return whether at most a fifth of the entries are nonzero; 64 rows decide if the matrix is not in memory."""
    X = rows.local()
    if X is None:
        X = rows.take(evenly_spaced(rows.shape[0], 64))
    return stored(X) <= 0.2 * X.shape[0] * X.shape[1]


def completed(rows: Rows, labels: Array, k: int, sample: Array | None = None) -> Array:
    """Assign rows marked -1 to the group direction with the highest score; return the partition, (n,) int32.

    `sample` (n,) are the weights of the rows in the means.

    Raises InputError if no row is in a group.

    >>> from outgroup.rows import as_rows
    >>> completed(as_rows(np.eye(2)[[0, 1, 0, 1]]), np.array([0, 1, -1, -1]), 2).tolist()
    [0, 1, 0, 1]
    """
    labels = np.array(labels, dtype=np.int32)
    missing = np.flatnonzero(labels < 0)
    if len(missing) == len(labels):
        raise InputError("init puts no row in a group: omit init, or give some rows a group")
    if len(missing) == 0:
        return labels
    sums = cluster_sums(rows, labels, k, weights=sample)
    groups = np.unique(labels[labels >= 0])
    labels[missing] = groups[rows.map(normalize(sums[groups]), argmax, on=missing)]
    return labels
