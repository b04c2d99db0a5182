"""How groups with wide margins are found among rows that were checked: starts, the objective, and what is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..rows import as_rows
from ..solve.best import Best, best_of, by_size
from ..solve.data import Data
from ..solve.labels import Pool
from ..solve.margin import MarginObjective, Seeding, checked_balance
from ..solve.neighbours.vote import Voted
from ..solve.starts import Start, completed, spherical_start, start_from
from ..types import Array, OnStep, Rng
from ._base import checked_start, warn_of_empty_groups
from ._numbers import corrected, numbers_of_seeds
from ._scores import LinearClusterer
from ._seeds import CheckedSeeds, held

_STARTS_TIMES_GROUPS = 40  # a start takes time in proportion to the groups


class MarginClusterer(LinearClusterer):
    """The part of `MaxMarginClustering` that groups rows by its parameters."""

    C: Any
    C_universum: Any
    epsilon: float
    center: bool
    balance: float | None
    class_weight: str | None
    n_init: Any
    tol: float
    gap: float
    max_iter: int
    seed_weight: float
    labels_: Array
    pool_: Pool | None

    def _group(
        self, X: Any, universum: Any, said: CheckedSeeds | None, start: Any, alone: bool, near: Any, rng: Rng,
        heard: dict[str, Any],
    ) -> None:  # fmt: skip
        """Find the groups of `X` and keep them, from `start`, if it is any.

        Neighbours (`near`) vote once if they are known and no partition was given. Labels then correct the groups.
        """
        data = Data.narrowed(as_rows(X), None if universum is None else as_rows(universum), center=self.center)
        objective = self._objective(data, None)
        given = start is not None and (alone or said is not None)
        begin = self._start(X, data, start, given)
        if near is not None and not given:
            begin = Voted(begin, data.given, near)
        best = best_of(objective, [begin], rng, **heard)
        self.pool_ = None
        if said is not None:
            best = self._corrected(best, objective, X, said, given, rng, heard["on_step"])
        self._keep(best, numbered=given or said is not None)
        self.unsteered_objective_ = best.objective.unseeded(best.fit)
        more = "" if self.class_weight == "balanced" else " or a smaller C"  # else only equal rows do it
        warn_of_empty_groups(best.fit, f"ask for fewer, or give more starts{more}")

    def _corrected(
        self, best: Best[MarginObjective], objective: MarginObjective, X: Any, said: CheckedSeeds, given: bool,
        rng: Rng, on_step: OnStep,
    ) -> Best[MarginObjective]:  # fmt: skip
        """Return the fit that holds the groups as labels correct them, under the labels' numbers.

        Where the pool changed the groups, they are found once more from there, with labelled rows held.
        """
        number_of = np.arange(self._k) if given else numbers_of_seeds(best.fit.labels, said, X, self._k)
        labels, self.pool_ = corrected(X, number_of[best.fit.labels], said, self._k, rng)
        emphasis = np.where(said.pins >= 0, self.seed_weight * said.strength[said.pins], 1.0)
        objective = replace(objective, C=best.objective.C, C_universum=best.objective.C_universum)
        if self.pool_.changed:
            free = replace(objective, seeding=Seeding(said.pins, emphasis)).weighted(labels)
            labels = held(free.solve(labels, on_step).labels, said.pins)
        objective = replace(objective, seeding=Seeding(labels, emphasis)).weighted(labels)
        fit = objective.continued(labels, best.fit.weights[np.argsort(number_of)], on_step)
        return replace(best, objective=objective, fit=replace(fit, labels=labels))

    def _objective(self, data: Data, seeding: Seeding | None) -> MarginObjective:
        return MarginObjective(
            data, self._k, self.C, self.C_universum, self.epsilon, self.class_weight,
            balance=checked_balance(data.given, self.balance, center=self.center),
            tol=self.tol, gap=self.gap, max_iter=self.max_iter, seeding=seeding,
        )  # fmt: skip

    def _start(self, X: Any, data: Data, start: Any, given: bool) -> Start:
        """Return the start that was `given`, or the best default fit of spherical k-means.

        A start that was not given is climbed on.
        """
        k = self._k
        if given:
            return completed(data.rows, checked_start(start, X, k), k)
        return spherical_start(data, k, self._n_init) if start is None else start_from(data, k, start)

    @property
    def _n_init(self) -> int:
        if self.n_init == "auto":
            return max(1, round(_STARTS_TIMES_GROUPS / self._k))
        return int(self.n_init)

    def _keep(self, best: Best[MarginObjective], *, numbered: bool) -> None:
        fit, objective = best.fit if numbered else by_size(best.fit, self._k), best.objective
        self.coef_, self.labels_ = objective.data.widened(fit.weights), fit.labels
        self.intercept_ = -fit.weights @ objective.data.mean
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        self.C_, self.C_universum_ = float(objective.C), float(objective.C_universum)
        self.n_iter_, self.trace_ = fit.n_iter, fit.trace
        self.restarts_, self.stability_ = best.restarts, best.stability
