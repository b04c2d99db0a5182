"""How groups with wide margins are found among rows that were checked: starts, the objective, and what is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rows import as_rows
from ..solve.best import Best, best_of, by_size
from ..solve.data import Data
from ..solve.margin import MarginObjective, Seeding, checked_balance
from ..solve.neighbours.vote import Voted
from ..solve.starts import Start, completed, spherical_start, start_from
from ..types import Array, Rng
from ._base import checked_start, warn_of_empty_groups
from ._labelled import CheckedSeeds, Labelled, of_steps
from ._scores import LinearClusterer
from ._seeds import held

_SEEDED_STARTS = 10
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

    def _group(
        self, X: Any, universum: Any, labelled: Labelled | None, start: Any, alone: bool, near: Any, rng: Rng,
        heard: dict[str, Any],
    ) -> None:  # fmt: skip
        """Find the groups of `X` and keep them, from `start`, if it is any.

        Who is `near` whom is asked, if that is known and nobody said where the groups are.
        """
        data = Data.narrowed(as_rows(X), None if universum is None else as_rows(universum), center=self.center)
        objective = self._objective(data, None if labelled is None else labelled.seeding)
        starts = self._starts(X, data, labelled, start, alone, rng)
        objective = of_steps(objective, getattr(starts[0], "most", None))
        if near is not None and not alone:
            pins = None if labelled is None else labelled.seeding.pins
            starts = [Voted(each, data.given, near, pins) for each in starts]
        best = best_of(objective, starts, rng, **heard)
        self._keep(best, numbered=labelled is not None or alone)
        self.unsteered_objective_ = best.objective.unseeded(best.fit)
        if labelled is not None:
            self.labels_ = held(self.labels_, labelled.seeding.pins)
        more = "" if self.class_weight == "balanced" else " or a smaller C"  # else only equal rows do it
        warn_of_empty_groups(best.fit, f"ask for fewer, or give more starts{more}")

    def _objective(self, data: Data, seeding: Seeding | None) -> MarginObjective:
        return MarginObjective(
            data, self._k, self.C, self.C_universum, self.epsilon, self.class_weight,
            balance=checked_balance(data.given, self.balance, center=self.center),
            tol=self.tol, gap=self.gap, max_iter=self.max_iter, seeding=seeding,
        )  # fmt: skip

    def _starts(self, X: Any, data: Data, labelled: Labelled | None, start: Any, alone: bool, rng: Rng) -> list[Start]:
        """Return the start that was given, those of the seeds, or the best default fit of spherical k-means.

        Groups that stand, where they are not `alone`, are climbed on.
        """
        k = self._k
        if start is not None and (alone or labelled is not None):
            labels = completed(data.rows, checked_start(start, X, k), k)
            return [labels if labelled is None else np.where(labelled.seeding.pins >= 0, labelled.seeding.pins, labels)]
        if labelled is not None:
            return labelled.choice.starts(rng, max(self._n_init, _SEEDED_STARTS))
        return [spherical_start(data, k, self._n_init) if start is None else start_from(data, k, start)]

    def _labelled(self, X: Any, said: CheckedSeeds, rows: Array | None) -> Labelled:
        """Return the seeds for the solver on the rows numbered, None for all."""
        return Labelled.of(X, said, rows, self._k, self.seed_weight, self._n_init, self._objective, center=self.center)

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
