"""CPM3C: cuts outside, the concave-convex procedure inside (Zhao, Wang and Zhang, ICML 2008, algorithms 1 and 2).

    J(W) = 1/2 ||W||^2 + C R(W),    R(W) = 1/n sum_i max(0, 1 - (S[i,p_i] - S[i,r_i])),    S = X W^T

with p_i the best cluster of row i and r_i the runner-up. A constraint is one choice a row: none where the margin is at
least 1, else the runner-up of the W that made it. Held to the best clusters p of another W it says

    R >= 1/n sum_{i: c_i != none} (1 - 1[c_i = p_i]) - <W, 1/n sum_{i: c_i != none} (e_{p_i} - e_{c_i}) x_i^T>

so it is kept as its choices and written anew, as a cut for the master, whenever the best clusters change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..rows import OneHot, Rows
from ..rows.seam import Array
from .cccp import assign
from .master import Balance, Master
from .max_margin import AUTO, Problem
from .result import Fit
from .risks import Cut

_NONE = -1
_MAX_STEPS = 50  # of the inner procedure, which need not descend


class CuttingPlaneProblem(Problem):
    """The problem of one data set with CPM3C's risk: see `Problem`."""

    _usual_cuts = 150  # some fifty constraints, each held as a slope, as a cut, and while it changes

    def __init__(
        self, rows: Rows, k: int, *, center: bool, balance: float | None, C: float | str, epsilon: float, tol: float,
        max_cuts: int,
    ) -> None:  # fmt: skip
        super().__init__(
            rows, None, k, center=center, balance=balance, epsilon=epsilon, C=C, C_universum=0.0, tol=tol, gap=1.0,
            max_iter=max_cuts,
        )  # fmt: skip

    def resolve(self, labels: Array) -> None:
        """Replace "auto" by a multiple of the C at which the mean margin of the linear regime's solution is 1.

        While every margin is below 1 that solution is W = -C g, with g the slope of the only constraint, and its mean
        margin C ||g||^2. Raises InputError for equal rows.
        """
        if self.C == "auto":
            g = Constraints(self.rows, self.k, labels).add(runner_up(self.rows, labels, self.k)).slope
            energy = float(np.vdot(g, g))
            if self.k > 1 and energy <= (4 * np.finfo(self.rows.dtype).eps * float(np.linalg.norm(self.mean))) ** 2:
                raise InputError("all rows are equal: there is nothing to divide into groups")
            self.C = AUTO / energy if energy else 1.0

    def solve(self, labels: Array) -> Fit:
        """Return the solution that the cuts lead to from the partition `labels`."""
        return cpm3c(
            self.rows, labels, self.k, float(self.C), balance=self._balance, epsilon=self.epsilon, tol=self._tol,
            max_cuts=self._max_iter,
        )  # fmt: skip


class Constraints:
    """The working set: each constraint's choices, and its cut at the best clusters `anchor` (n,) of the last W."""

    def __init__(self, rows: Rows, k: int, anchor: Array) -> None:
        self.rows, self._k, self.anchor = rows, k, anchor
        self._choices = np.empty((rows.shape[0], 0), dtype=np.int32)
        self._slopes = np.empty((0, k, rows.shape[1]))
        self._offsets = np.empty(0)

    @property
    def shape(self) -> tuple[int, int]:
        """That of W."""
        return self._k, self.rows.shape[1]

    def __len__(self) -> int:
        return self._choices.shape[1]

    def add(self, choice: Array) -> Cut:
        """Add the constraint of these choices (n,) and return its cut at the current anchor."""
        self._choices = np.column_stack([self._choices, choice])
        slope, offset = self._sums(self.anchor, self._choices[:, -1:])
        self._slopes, self._offsets = np.concatenate([self._slopes, slope]), np.append(self._offsets, offset)
        return self.cuts()[-1]

    def cuts(self) -> list[Cut]:
        """Return the constraints as cuts; the value is that at W = 0."""
        pairs = zip(self._slopes, self._offsets.tolist(), strict=True)
        return [Cut(slope, offset, offset) for slope, offset in pairs]

    def anchor_to(self, anchor: Array) -> None:
        """Write every constraint anew for other best clusters: only the rows that moved are passed over."""
        moved = np.flatnonzero(anchor != self.anchor)
        if len(moved):
            before, after = (self._sums(a, self._choices, on=moved) for a in (self.anchor, anchor))
            self._slopes = self._slopes + (after[0] - before[0])
            self._offsets = self._offsets + (after[1] - before[1])
        self.anchor = anchor

    def slack(self, W: Array) -> float:
        """Return the slack that the cuts ask for at `W`: the constraints' own where the anchor is W's best clusters."""
        return max(0.0, float((self._offsets + np.einsum("ckd,kd->c", self._slopes, W)).max(initial=0.0)))

    def _sums(self, anchor: Array, choices: Array, on: Array | None = None) -> tuple[Array, Array]:
        """Return slopes (c, k, d) and offsets (c,) of constraints, given as `choices` (n, c), over the rows `on`."""
        k, n = self._k, self.rows.shape[0]

        def rule(_: None, anchor: Array, choices: Array) -> tuple[Array, Array]:
            return _coefficients(anchor, choices, k, self.rows.dtype)

        total, counts = self.rows.fold(None, rule, anchor, choices, on=on)
        return total.reshape(choices.shape[1], k, -1) / n, counts / n


def _coefficients(anchor: Array, choices: Array, k: int, dtype: Any) -> tuple[Array, Array]:
    """Return each constraint's coefficients side by side, (n, c * k), and how many rows it has a rival for, (c,)."""
    rival = (choices != _NONE) & (choices != anchor[:, None])
    row, constraint = np.nonzero(rival)
    coefficients = np.zeros((*choices.shape, k), dtype=dtype)
    coefficients[row, constraint, choices[rival]] = 1
    coefficients[row, constraint, anchor[row]] = -1
    return coefficients.reshape(len(anchor), -1), rival.sum(axis=0).astype(np.float64)


def _scored(scores: Array) -> tuple[Array, Array, Array]:
    """Each row's best cluster, its choice in the most violated constraint (Eq. 14), and its loss."""
    row = np.arange(len(scores))
    best = scores.argmax(axis=1)
    rivals = scores.copy()
    rivals[row, best] = -np.inf
    second = rivals.argmax(axis=1)
    loss = 1.0 - (scores[row, best] - scores[row, second]).astype(np.float64)
    choice = np.where(loss > 0, second, _NONE)
    return best.astype(np.int32), choice.astype(np.int32), np.maximum(loss, 0.0)


def runner_up(rows: Rows, labels: Array, k: int) -> Array:
    """Return, for each row of a partition, the cluster other than its own whose mean it scores highest on."""
    sums, _ = rows.fold(None, lambda _, own: (OneHot(own, k), 0.0), labels)
    means = sums / np.maximum(np.bincount(labels, minlength=k), 1)[:, None]
    return np.asarray(rows.map(means, _rival, labels))


def _rival(scores: Array, labels: Array) -> Array:
    scores = scores.copy()
    scores[np.arange(len(labels)), labels] = -np.inf
    return scores.argmax(axis=1).astype(np.int32)


def cpm3c(
    rows: Rows, labels: Array, k: int, C: float, *, balance: Balance | None, epsilon: float, tol: float, max_cuts: int
) -> Fit:
    """Add the most violated constraint until none is violated by more than `epsilon`; start from a partition (n,).

    The W of lowest J is kept: the cuts of a problem that is not convex need not descend.
    """
    W = np.zeros((k, rows.shape[1]))
    if k == 1:
        return Fit(W, np.zeros(rows.shape[0], dtype=np.int32), 0.0, 0.0)
    working, trace = Constraints(rows, k, labels), []
    choice, violation, best = runner_up(rows, labels, k), np.inf, (np.inf, W, labels)
    while violation > epsilon and len(working) < max_cuts:
        working.add(choice)
        before = working.anchor
        W, certificate = _descend(working, C, balance, tol)
        _, choice, loss = rows.map(W, _scored)
        violation = float(loss.mean()) - working.slack(W)
        objective = _objective(W, C, float(loss.mean()))
        best = min(best, (objective, W, working.anchor), key=lambda b: b[0])
        moved = int(np.count_nonzero(working.anchor != before))
        told = {"step": len(working), "objective": objective, **certificate, "violation": violation, "moved": moved}
        trace.append(told)
    return Fit(best[1], best[2], best[0], trace[-1]["lower_bound"], trace)


def _objective(W: Array, C: float, slack: float) -> float:
    return float(np.vdot(W, W)) / 2 + C * slack


def _descend(working: Constraints, C: float, balance: Balance | None, tol: float) -> tuple[Array, dict[str, Any]]:
    """Solve the convex problem over the working set, anchor to its solution, until that wins less than `tol`.

    This is algorithm 2. It need not descend, whatever the paper says: c_i z_i jumps with the anchor. So the best W is
    returned, the working set is left anchored to it, and there is an end to the steps.
    """
    best, previous, step = (np.inf, np.empty(0), working.anchor), np.inf, 0
    while step < _MAX_STEPS:
        step += 1
        W, value, bound = _solve(working, C, balance)
        working.anchor_to(assign(working.rows, W))
        objective = _objective(W, C, working.slack(W))
        best = min(best, (objective, W, working.anchor), key=lambda b: b[0])
        if previous - objective <= tol * objective:
            break
        previous = objective
    working.anchor_to(best[2])
    gap = (value - bound) / max(abs(value), 1e-12)
    return best[1], {"working": best[0], "lower_bound": bound, "gap": gap, "cccp_steps": step}


def _solve(working: Constraints, C: float, balance: Balance | None) -> tuple[Array, float, float]:
    """Return the W of the convex problem, its value and its lower bound."""
    master = Master([C], working.shape, balance)
    master.add_all(0, working.cuts())
    W, bound = master.solve()
    return W, _objective(W, C, working.slack(W)), bound
