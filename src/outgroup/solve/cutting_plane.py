"""The cutting-plane method: solve a convex problem to a proven gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..stopping import stop_if_asked
from ..types import Array
from .master import Master
from .risks import Cut, Risk


@dataclass(frozen=True)
class Solution:
    """The best W (k, d), its value, a lower bound on all values, and the number of rounds."""

    W: Array
    value: float
    lower_bound: float
    n_cuts: int

    @property
    def gap(self) -> float:
        """The gap between value and bound, relative to the value."""
        return (self.value - self.lower_bound) / max(abs(self.value), 1e-12)


def minimise(
    risks: list[Risk],
    anchor: Array,
    W: Array,
    master: Master,
    tol: float,
    *,
    max_cuts: int = 500,
    first: list[Cut] | None = None,
) -> Solution:
    """Minimise 1/2 ||W||^2 + sum_v C_v R_v(W) for a fixed anchor, from `W`, until the relative gap is at most `tol`.

    Each round adds the cut of every risk at one point, with the value there; the master then finds the lowest point
    over all cuts and a better bound (M2DCU, appendix A; the gap is relative, since an absolute one would leave C_l
    times it in the objective). It stops after `max_cuts` rounds, with the gap reached. `first` are the cuts at `W`, if
    known. The next point lies midway from the best one to the master's minimiser: a full step needs a third more cuts
    (docs/decisions/0004).
    """
    best, bound, point = (np.inf, W), -np.inf, W
    n_cuts = 0
    while n_cuts < max_cuts:
        stop_if_asked()
        n_cuts += 1
        cuts = cuts_at(risks, anchor, point) if first is None or n_cuts > 1 else first
        best = min(best, (value_of(risks, cuts, point), point), key=lambda pair: pair[0])
        if _closed(best[0], bound, tol):
            break
        master.add(dict(enumerate(cuts)))
        lowest, lower = master.solve()
        bound = max(bound, lower)
        if _closed(best[0], bound, tol):
            break
        point = (best[1] + lowest) / 2
    return Solution(best[1], best[0], bound, n_cuts)


def cuts_at(risks: list[Risk], anchor: Array, W: Array) -> list[Cut]:
    """Return the cuts of risks at `W`, with one pass over the rows of a risk."""
    return [risk.cut(W, anchor) for risk in risks]


def value_of(risks: list[Risk], cuts: list[Cut], W: Array) -> float:
    """Return 1/2 ||W||^2 + sum_v C_v R_v(W) from the cuts at `W`."""
    return float(np.vdot(W, W)) / 2 + sum(risk.weight * cut.value for risk, cut in zip(risks, cuts, strict=True))


def _closed(value: float, bound: float, tol: float) -> bool:
    return value - bound <= tol * abs(value)
