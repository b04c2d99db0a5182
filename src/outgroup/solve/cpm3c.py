"""CPM3C: an outer loop of cutting planes, an inner concave-convex procedure (Zhao, Wang and Zhang, ICML 2008,
algorithms 1, 2).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..rows import Rows, cluster_sums, highest
from ..rows.arrays import argmax, at, cast, masked, namespace, set_at, total, zeros
from ..types import Array, OnStep
from .master import Balance, Master
from .max_margin import Objective, inverse
from .solution import Fit

# --- CPM3C: cuts outside, the concave-convex procedure inside (Zhao, Wang and Zhang, ICML 2008, algorithms 1 and 2)
#
# J(W) = 1/2 ||W||^2 + C R(W),    R(W) = 1/n sum_i max(0, 1 - (S[i,p_i] - S[i,r_i])),    S = X W^T
#
# with p_i the best cluster of row i and r_i the runner-up. A constraint has one choice c_i per row: none if the margin
# is at least 1, else the runner-up of the W that made it. Anchored to the best clusters p of another W, it is the cut
#
# R >= 1/n sum_{i: c_i != none} (1 - 1[c_i = p_i]) - <W, 1/n sum_{i: c_i != none} (e_{p_i} - e_{c_i}) x_i^T>
#
# The choices are stored, and the cut is computed again whenever the best clusters change.


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench table cpm3c-2` (docs/cpm3c.md)."""

    multiples: tuple[float, ...] = (3.0, 30.0)  # of the scale of C; the second if the first leaves groups without rows
    most_steps: int = 50  # of the concave-convex procedure, which need not descend


_CPM3C = _Constants()


@dataclass(frozen=True)
class CuttingPlaneObjective(Objective):
    """The objective J of CPM3C on a data set, and its descent."""

    epsilon: float = 0.01
    _: KW_ONLY
    max_cuts: int = 200

    multiples = _CPM3C.multiples

    def _scale(self, labels: Array) -> float:
        """Return the C at which the mean margin is 1 while all margins are below 1.

        The solution is then W = -C g, with g the slope of the only constraint, and the mean margin C ||g||^2.
        """
        weighted, k = self.with_row_weights(labels), self.k
        rows, size = weighted.data.rows, float(np.linalg.norm(self.data.mean))
        only = Constraints(rows, k, labels, weighted.row_weights)
        only.add(runner_up(rows, labels, k, self.data.sample))
        return inverse(float(np.vdot(only.slopes, only.slopes)), rows, k, size)

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Solve from the partition `labels`: add the most violated constraint until none is violated by more than
        `epsilon`.

        The W of lowest J is kept, since J may rise: the problem is not convex. With balanced weights it ends before a
        constraint that would leave a group without rows, or with the first constraint.
        """
        rows, k, C, sample = self.data.rows, self.k, float(self.C), self.data.relative
        W = np.zeros((k, rows.shape[1]))
        if k == 1:
            return Fit(W, np.zeros(rows.shape[0], dtype=np.int32), 0.0, 0.0)
        working, trace = Constraints(rows, k, labels, self.row_weights), list[dict[str, Any]]()
        choice, violation, best = runner_up(rows, labels, k, sample), np.inf, (np.inf, W, labels)
        while violation > self.epsilon and len(trace) < self.max_cuts:
            working.add(choice)
            before = working.anchor
            W, certificate = _descend(working, C, self.balance, self.tol)
            lost = self.row_weights is not sample and len(np.unique(working.anchor)) < len(np.unique(best[2]))
            if lost and trace:
                break
            _, choice, loss = rows.map(W, _scored)  # the constraint that W violates most (Eq. 14)
            risk = float(working.weights @ loss) / rows.shape[0]
            violation, objective = risk - working.slack(W), _objective(W, C, risk)
            best = min(best, (objective, W, working.anchor), key=lambda b: b[0])
            moved = int(np.count_nonzero(working.anchor != before))
            step = {"step": len(trace) + 1, "objective": objective, **certificate}
            trace.append(step | {"violation": violation, "moved": moved})
            on_step(trace[-1])
            if lost:
                break
        return Fit(best[1], best[2], best[0], trace[-1]["lower_bound"], trace)

    def value_at(self, W: Array, labels: Array) -> float:
        weights = 1.0 if self.row_weights is None else self.row_weights
        return _objective(W, float(self.C), float(np.mean(weights * self.data.rows.map(W, _scored)[2])))


def _scored(scores: Array) -> tuple[Array, Array, Array]:
    """A rule: the best clusters of rows, their choices in the most violated constraint (Eq. 14), and their losses."""
    xp = namespace(scores)
    best = argmax(scores)
    second = argmax(masked(scores, best))
    loss = 1.0 - cast(at(scores, best) - at(scores, second), xp.float64)
    return best, xp.where(loss > 0, second, -xp.ones_like(second)), xp.where(loss > 0, loss, 0 * loss)


def runner_up(rows: Rows, labels: Array, k: int, sample: Array | None = None) -> Array:
    """Return the clusters of rows with the highest mean scores, other than their own.

    `sample` (n,) are the weights of the rows in the means.
    """
    sizes = np.bincount(labels, sample, k)
    means = cluster_sums(rows, labels, k, weights=sample) / np.where(sizes > 0, sizes, 1)[:, None]
    return np.asarray(rows.map(means, _rival, labels))


def _rival(scores: Array, labels: Array) -> Array:
    return argmax(masked(scores, labels))


def _objective(W: Array, C: float, slack: float) -> float:
    return float(np.vdot(W, W)) / 2 + C * slack


def _descend(working: Constraints, C: float, balance: Balance | None, tol: float) -> tuple[Array, dict[str, Any]]:
    """Solve the convex problem over the working set and re-anchor the cuts, until the gain is below `tol`.

    This is algorithm 2. Contrary to the paper it may ascend, since c_i z_i jumps with the anchor. So the steps are
    limited, the best W is returned, and the working set stays anchored to it.
    """
    best, previous, step = (np.inf, np.empty(0), working.anchor), np.inf, 0
    while step < _CPM3C.most_steps:
        step += 1
        master = Master([C], working.shape, balance)
        master.add_all(working.slopes, working.offsets)
        W, bound = master.solve()
        value = _objective(W, C, working.slack(W))
        working.anchor_to(highest(working.rows, W))
        objective = _objective(W, C, working.slack(W))
        best = min(best, (objective, W, working.anchor), key=lambda b: b[0])
        if previous - objective <= tol * objective:
            break
        previous = objective
    working.anchor_to(best[2])
    gap = (value - bound) / max(abs(value), 1e-12)
    return best[1], {"working": best[0], "lower_bound": bound, "gap": gap, "cccp_steps": step}


# --- CPM3C's working set of constraints: each one's choices (-1: none), and its cut at the best clusters of the last W


class Constraints:
    """The working set: the `choices` (n,) of each constraint, and its cut at `anchor` (n,), the best clusters under
    the last W: `slopes` (k, d) and `offsets`.
    """

    def __init__(self, rows: Rows, k: int, anchor: Array, weights: Array | None = None) -> None:
        self.rows, self.shape, self.anchor = rows, (k, rows.shape[1]), anchor
        self.weights = np.ones(rows.shape[0]) if weights is None else weights
        self.choices, self.slopes, self.offsets = list[Array](), list[Array](), np.zeros(0)

    def add(self, choice: Array) -> None:
        """Add a constraint with the choices `choice` (n,)."""
        n, rule = self.rows.shape[0], _Constraint(self.shape[0], self.rows.dtype)
        slope, count = self.rows.fold(None, rule, self.anchor, choice, self.weights)
        self.choices.append(choice)
        self.slopes.append(slope / n)
        self.offsets = np.append(self.offsets, count / n)

    def anchor_to(self, anchor: Array) -> None:
        """Recompute all cuts for other best clusters, in one pass over the rows that moved.

        A row that moves from cluster p to q changes each constraint in which it has a choice by (e_p - e_q) x_i^T. This
        also holds if the choice is p or q: the two terms of the slope then cancel.
        """
        n, choices, moved = self.rows.shape[0], np.array(self.choices), np.flatnonzero(anchor != self.anchor)
        before, after = self.anchor[moved], anchor[moved]
        joined = (choices[:, moved] == after) @ self.weights[moved]
        self.offsets += ((choices[:, moved] == before) @ self.weights[moved] - joined) / n
        for cluster in np.union1d(before, after):
            leaving, joining = self.anchor == cluster, anchor == cluster
            rule, on = _MoveRule(self.rows.dtype), np.flatnonzero(leaving != joining)
            changes, _ = self.rows.fold(None, rule, leaving, choices.T, self.weights, on=on)
            for slope, change in zip(self.slopes, changes, strict=True):
                slope[cluster] += change / n
        self.anchor = anchor

    def slack(self, W: Array) -> float:
        """Return the slack of the cuts at `W`; it equals that of the constraints if the anchor is optimal for W."""
        return float(np.max(self.offsets + [np.vdot(slope, W) for slope in self.slopes], initial=0.0))


@dataclass(frozen=True)
class _Constraint:
    """The coefficients (n, k) of a constraint, and the total weight of rows that choose a rival."""

    k: int
    dtype: np.dtype[Any]

    def __call__(self, _: None, anchor: Array, choice: Array, weights: Array) -> tuple[Array, float]:
        counted = cast((choice >= 0) & (choice != anchor), self.dtype) * cast(weights, self.dtype)
        rival = namespace(choice).where(choice < 0, anchor, choice)
        coefficients = set_at(zeros(counted, self.k), rival, counted)
        return set_at(coefficients, anchor, -counted), total(counted)


@dataclass(frozen=True)
class _MoveRule:
    """The change of each constraint by moved rows, (n, c): their weights, negative for rows that join."""

    dtype: np.dtype[Any]

    def __call__(self, _: None, leaving: Array, choices: Array, weights: Array) -> tuple[Array, float]:
        sign = (2 * cast(leaving, self.dtype) - 1) * cast(weights, self.dtype)
        return sign[:, None] * cast(choices >= 0, self.dtype), 0.0
