"""The concave-convex procedure: anchor every row to its best cluster, solve the convex problem, repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rows import highest
from ..types import Array, OnStep, no_op
from .cutting_plane import Solution, cuts_at, minimise, value_of
from .master import Balance, Master
from .risks import Cut, MarginRisk, Risk
from .solution import Fit, filled

Step = dict[str, Any]


def cccp(
    margin: MarginRisk,
    others: list[Risk],
    labels: Array,
    k: int,
    *,
    balance: Balance | None = None,
    tol: float = 0.01,
    gap: float = 1e-3,
    max_iter: int = 100,
    keep_groups: bool = False,
    start: Array | None = None,
    on_step: OnStep = no_op,
) -> Fit:
    """Descend on J from the partition `labels` (n,), until a step reduces J by less than `tol` (M2DCU, Table 1).

    J never rises: the anchored margin risk is an upper bound of the true one and touches it at the W of the anchor, and
    the minimiser of the convex problem is at least as good as that W. Rows that `margin` holds to a cluster keep their
    anchor; the labels returned are the argmax of their scores. `on_step` is called after each step. With `keep_groups`
    the descent ends before a step that would empty a group, or with the first. `start` (k, d) is the point of the first
    cuts, zero by default.
    """
    risks = [margin, *others]
    master = Master([risk.weight for risk in risks], (k, margin.rows.shape[1]), balance)
    W = np.zeros((k, margin.rows.shape[1])) if start is None else start
    objective, trace = np.inf, list[Step]()
    anchor, kept = margin.hold(labels), labels
    cuts: list[Cut] | None = None
    for step in range(1, max_iter + 1):
        solution = minimise(risks, anchor, W, master, tol=gap, first=cuts)
        labels = highest(margin.rows, solution.W)
        lost = keep_groups and filled(labels) < filled(kept)
        if lost and trace:
            break
        W, before, previous, kept = solution.W, anchor, objective, labels
        anchor = margin.hold(labels)
        moved = int(np.count_nonzero(anchor != before))
        cuts = cuts_at(risks, anchor, W) if moved else None  # the first cuts of the next step
        objective = solution.value if cuts is None else value_of(risks, cuts, W)
        trace.append(_step(step, objective, solution, moved))
        on_step(trace[-1])
        if lost or moved == 0 or previous - objective <= tol * objective:
            break
        _forget_anchored(master, risks)
    return Fit(W, kept, objective, trace[-1]["lower_bound"], trace)


def value(risks: list[Risk], anchor: Array, W: Array) -> float:
    """Return 1/2 ||W||^2 + sum_v C_v R_v(W); J itself if `anchor` is the assignment under `W`."""
    return value_of(risks, cuts_at(risks, anchor, W), W)


def _step(number: int, objective: float, solution: Solution, moved: int) -> Step:
    return {
        "step": number,
        "objective": objective,
        "anchored": solution.value,
        "lower_bound": solution.lower_bound,
        "gap": solution.gap,
        "cuts": solution.n_cuts,
        "moved": moved,
    }


def _forget_anchored(master: Master, risks: list[Risk]) -> None:
    for view, risk in enumerate(risks):
        if risk.anchored:
            master.drop(view)
