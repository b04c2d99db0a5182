"""The cutting-plane method: a convex problem solved to a proven gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rows.seam import Array
from .master import Master
from .risks import Risk


@dataclass(frozen=True)
class Solution:
    """The best W (k, d) seen, its value, a lower bound on every value, and the rounds of cuts made."""

    W: Array
    value: float
    lower_bound: float
    n_cuts: int

    @property
    def gap(self) -> float:
        """Distance between value and bound, relative to the value."""
        return (self.value - self.lower_bound) / max(abs(self.value), 1e-12)


def minimise(
    risks: list[Risk], anchor: Array, W: Array, master: Master, *, tol: float = 1e-3, max_cuts: int = 500
) -> Solution:
    """Minimise 1/2 ||W||^2 + sum_v C_v R_v(W) for one anchor, from `W`, until the relative gap is at most `tol`.

    Each round asks every risk for its cut at the current W, which also gives the value there, and lets the master find
    the next W and a better bound (M2DCU, appendix A; the gap is relative, since an absolute one would leave C_l times
    it in the objective). Stops after `max_cuts` rounds; the returned gap says how far it came.
    """
    best, bound = (np.inf, W), -np.inf
    for n_cuts in range(1, max_cuts + 1):
        cuts = [risk.cut(W, anchor) for risk in risks]
        value = float(np.vdot(W, W)) / 2 + sum(r.weight * max(c.value, 0.0) for r, c in zip(risks, cuts, strict=True))
        best = min(best, (value, W), key=lambda pair: pair[0])
        if best[0] - bound <= tol * abs(best[0]):
            break
        for view, cut in enumerate(cuts):
            master.add(view, cut)
        W, lower = master.solve()
        bound = max(bound, lower)
    return Solution(best[1], best[0], bound, n_cuts)
