"""What a solver returns: the solution and its certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..rows.blocks import group_sizes
from ..types import Array


@dataclass(frozen=True)
class Fit:
    """A clustering with its certificate.

    `weights` (k, d) and `labels` (n,) int32 are the solution, `objective` its value J. `lower_bound` bounds the last
    convex subproblem from below (not J itself, which is not convex). `trace` has one plain dictionary a step.
    """

    weights: Array
    labels: Array
    objective: float
    lower_bound: float
    trace: list[dict[str, Any]] = field(default_factory=list)

    @property
    def empty(self) -> int:
        """Number of clusters without rows."""
        return len(self.weights) - filled(self.labels)

    @property
    def preference(self) -> tuple[int, float]:
        """What starts compete on: see `preference`."""
        return preference(filled(self.labels), self.objective)

    @property
    def n_iter(self) -> int:
        """Number of steps."""
        return len(self.trace)

    @property
    def gap(self) -> float:
        """Largest relative gap, over the steps, between a convex subproblem's value and its lower bound."""
        return max((step["gap"] for step in self.trace if "gap" in step), default=float("inf"))


def filled(labels: Array) -> int:
    """Return how many groups have rows."""
    return int(np.count_nonzero(group_sizes(labels)))


def preference(groups: int, objective: float) -> tuple[int, float]:
    """Return what starts compete on, lower is better: the most groups with rows come first, then the objective."""
    return -groups, objective
