"""The best solution over several starts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from ..metrics import agreement, stability
from ..rows.threads import ordered_map
from ..types import Array
from .margin import Problem
from .result import Fit


@dataclass(frozen=True)
class Best:
    """The kept solution of several starts, and what the others say about it."""

    fit: Fit
    intercept: Array
    C: float
    C_universum: float
    unsteered: float
    restarts: list[dict[str, Any]] = field(default_factory=list)
    stability: float = float("nan")


def best_of(problem: Problem, n_init: int, rng: np.random.Generator, progress: Callable[[int, int], None]) -> Best:
    """Solve from `n_init` starts and keep the best; without seeds, clusters are numbered by size, largest first.

    That is the one with the fewest empty clusters, and of these the one of lowest J, which by itself would often leave
    a cluster empty: a group that no row is in costs no margin (CPM3C most of all, docs/cpm3c.md).

    Starts compete on the targets alone, and the Universum then steers the one that is kept: which local optimum is
    best is a question about the documents, and with its part in J the junk would have a say (docs/decisions/0004).
    """
    fits = _every_fit(problem, n_init, rng, progress)
    order = sorted(range(n_init), key=lambda i: fits[i].standing)
    kept, places = order[0], np.argsort(order)
    agreements = agreement([fit.labels for fit in fits])
    restarts = [_restart(i, fit, float(agreements[i, kept]), i == kept) for i, fit in enumerate(fits)]
    fit = fits[kept] if problem.universum is None else problem.solve(fits[kept].labels)
    fit = by_size(fit, problem.k) if problem.seeding is None else fit
    weights = float(problem.C), float(problem.C_universum)
    return Best(
        fit, -fit.weights @ problem.mean, *weights, problem.unsteered(fit), restarts, stability(places, agreements)
    )  # fmt: skip


def _every_fit(
    problem: Problem, n_init: int, rng: np.random.Generator, progress: Callable[[int, int], None]
) -> list[Fit]:
    """Solve from every start, the starts side by side where that needs little memory, else one after another."""
    solve = problem.solve if problem.universum is None else problem.solve_alone
    rngs, done, lock = rng.spawn(n_init), itertools.count(1), Lock()
    first = problem.start(rngs[0], 0)
    problem.resolve(first)

    def run(number: int) -> Fit:
        fit = solve(problem.start(rngs[number], number) if number else first)
        with lock:
            progress(next(done), n_init)
        return fit

    return ordered_map(run, range(n_init)) if problem.small else [run(number) for number in range(n_init)]


def _restart(number: int, fit: Fit, agreement: float, kept: bool) -> dict[str, Any]:
    certificate = {"objective": fit.objective, "steps": fit.n_iter, "gap": fit.gap, "empty": fit.empty}
    return {"restart": number, **certificate, "agreement": agreement, "kept": kept}


def by_size(fit: Fit, k: int) -> Fit:
    """Return the same fit with its clusters numbered by size, largest first."""
    order = np.argsort(-np.bincount(fit.labels, minlength=k), kind="stable")
    rank = np.empty(k, dtype=np.int32)
    rank[order] = np.arange(k)
    return replace(fit, weights=fit.weights[order], labels=rank[fit.labels])
