"""The master problem: the best W for the cuts found so far, and a lower bound on the convex problem.

    minimise 1/2 ||W||^2 + sum_v C_v xi_v    subject to  xi_v >= offset_c + <slope_c, W> for each cut c of view v,
                                                         xi_v >= 0,    max_p (W s)_p - min_p (W s)_p <= l

Its dual needs only the Gram matrix of the cuts, which grows by one row per cut:

    maximise sum_c a_c offset_c - l/2 ||v||_1 - 1/2 ||W||^2,    W = -sum_c a_c slope_c + v s^T
    a >= 0,  sum of a over view v <= C_v,  sum_p v_p = 0

Every feasible point of the dual is a lower bound. The solver's result is projected onto the feasible set, and the bound
and W are computed from the projection. W is then projected onto the balance constraint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import piqp
from scipy.linalg.blas import daxpy

from ..errors import SolverError
from ..types import Array
from .risks import Cut


@dataclass(frozen=True)
class _Constants:
    """Limits of the master problem and its solver (docs/decisions/0004)."""

    idle_rounds: int = 5  # without weight before a cut is dropped; it may return, and memory stays bounded
    most_cuts: int = 100  # with weight in a view: a usual problem has 20, contradictory labels made 600
    no_weight: float = 1e-9  # of the view's C: smaller weights are zero, which an interior-point solver never reaches
    most_steps: int = 100  # of the solver; it usually converges in 12
    tolerance: float = 1e-9  # of the solver
    curvatures: tuple[float, ...] = (1e-9, 1e-8, 1e-7, 1e-6)  # of the largest entry, added for the balance variables
    divergent: float = 1e30  # larger values mean that the solver diverged


_MASTER = _Constants()


@dataclass(frozen=True)
class Balance:
    """The balance constraint `max_p (W s)_p - min_p (W s)_p <= limit`, where s (d,) is the sum of target rows."""

    total: Array
    limit: float


@dataclass
class _CutEntry:
    """A cut in the master problem: its view, its weight in the last W, and how many rounds it had no weight."""

    cut: Cut
    view: int
    weight: float = 0.0
    idle: int = 0


class Master:
    """The cuts of all views, their Gram matrix, and the quadratic program over them.

    `weights` holds C_v of the views, `shape` is that of W. Memory: a slope (k, d) for each cut, about a hundred per
    view at most.
    """

    def __init__(self, weights: list[float], shape: tuple[int, int], balance: Balance | None = None) -> None:
        self._weights = np.asarray(weights, dtype=np.float64)
        self._shape = shape
        self._entries: list[_CutEntry] = []
        self._gram = np.empty((0, 0))
        self._balance = _BalancePart(balance, shape[0]) if balance else None

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, cuts: Mapping[int, Cut]) -> None:
        """Add cuts, by view, and extend the Gram matrix with a single pass over the slopes.

        Raises SolverError if one is not finite, for example because X contains 1e200.
        """
        new = [_CutEntry(cut, view) for view, cut in cuts.items()]
        self._entries += new
        products = [[np.vdot(entry.cut.slope, added.cut.slope) for added in new] for entry in self._entries]
        columns = np.array(products, dtype=np.float64)
        self._check(columns, [added.cut.offset for added in new])
        before = len(self._gram)
        self._gram = np.block([[self._gram, columns[:before]], [columns[:before].T, columns[before:]]])

    def add_all(self, slopes: list[Array], offsets: Array) -> None:
        """Add the first cuts of the only view, slopes (k, d) and offsets; raise SolverError if one is not finite."""
        self._entries = [_CutEntry(Cut(*cut, cut[1]), 0) for cut in zip(slopes, offsets.tolist(), strict=True)]
        flat = np.array(slopes).reshape(len(slopes), -1)
        self._gram = flat @ flat.T
        self._check(self._gram, offsets)

    def drop(self, view: int) -> None:
        """Drop the cuts of a view after its anchor changed."""
        self._keep([entry.view != view for entry in self._entries])

    def solve(self) -> tuple[Array, float]:
        """Return the best W for the cuts, (k, d), and a lower bound on the convex problem.

        Raises SolverError when the quadratic solver fails.
        """
        program = self._program()
        solution = program.solve()
        weights = solution[: len(self)] * self._weights[[entry.view for entry in self._entries]]
        W = np.zeros(self._shape)
        for weight, entry in zip(weights, self._entries, strict=True):
            if weight:
                daxpy(entry.cut.slope.ravel(), W.ravel(), a=-weight)  # in place, without an array of the size of W
        if self._balance:
            W = self._balance.balanced(W + self._balance.push(solution[len(self) :]))
        self._retire(weights)
        return W, program.value(solution)

    def _check(self, products: Array, offsets: Array | list[float]) -> None:
        if not (np.isfinite(products).all() and np.isfinite(offsets).all()):
            raise SolverError("values of X are too large: scale the rows, for example to unit length")

    def _program(self) -> _Program:
        view = np.array([entry.view for entry in self._entries])
        scale = self._weights[view]
        H = scale[:, None] * self._gram * scale
        gains = scale * np.array([entry.cut.offset for entry in self._entries])
        if self._balance:
            pulls = scale[:, None] * self._balance.pulls([entry.cut.slope for entry in self._entries])
            H, gains = self._balance.extend(H, gains, pulls)
        return _Program(H, gains, view, len(self._weights))

    def _retire(self, weights: Array) -> None:
        for weight, entry in zip(weights.tolist(), self._entries, strict=True):
            entry.weight, entry.idle = weight, 0 if weight else entry.idle + 1
        self._keep([entry.idle < _MASTER.idle_rounds for entry in self._entries])
        for view in range(len(self._weights)):
            self._join(self._lightest(view))

    def _lightest(self, view: int) -> list[int]:
        """Return the indices of a view's surplus cuts, plus one more: those with the least weight."""
        places = [place for place, entry in enumerate(self._entries) if entry.view == view and entry.weight]
        over = len(places) - _MASTER.most_cuts
        return sorted(places, key=lambda place: self._entries[place].weight)[: over + 1] if over > 0 else []

    def _join(self, places: list[int]) -> None:
        """Replace some cuts by their weighted convex combination.

        The combination is a valid cut, and the last W stays feasible, so the bound does not fall.
        """
        if not places:
            return
        some = [self._entries[place] for place in places]
        weights = np.array([entry.weight for entry in some])
        shares = weights / weights.sum()
        slope = sum(share * entry.cut.slope for share, entry in zip(shares, some, strict=True))
        offset = float(shares @ [entry.cut.offset for entry in some])
        first, *rest = places
        self._entries[first] = _CutEntry(Cut(slope, offset, offset), some[0].view, float(weights.sum()))
        self._gram[first] = shares @ self._gram[places]
        self._gram[:, first] = self._gram[:, places] @ shares
        self._keep([place not in rest for place in range(len(self))])

    def _keep(self, mask: list[bool]) -> None:
        if not all(mask):
            index = np.flatnonzero(mask)
            self._gram = self._gram[np.ix_(index, index)]
            self._entries = [self._entries[i] for i in index]


class _BalancePart:
    """The balance constraint in the dual problem: v = v_plus - v_minus along the unit vector of s."""

    def __init__(self, balance: Balance, k: int) -> None:
        length = float(np.linalg.norm(balance.total))
        self._unit = balance.total / length if length else balance.total
        self._cost = balance.limit / (2 * length) if length else 0.0
        self._k = k

    def pulls(self, slopes: list[Array]) -> Array:
        """Return the components of the slopes along the constraint, (cuts, k)."""
        return np.array([slope @ self._unit for slope in slopes]).reshape(-1, self._k)

    def extend(self, H: Array, gains: Array, pulls: Array) -> tuple[Array, Array]:
        """Add the 2 k variables of the constraint to the quadratic and linear terms."""
        eye = np.eye(self._k)
        cross = np.hstack([-pulls, pulls])
        block = np.block([[eye, -eye], [-eye, eye]])
        return np.block([[H, cross], [cross.T, block]]), np.concatenate([gains, np.full(2 * self._k, -self._cost)])

    def push(self, v: Array) -> Array:
        """Return the constraint's contribution to W, (k, d)."""
        return np.outer(v[: self._k] - v[self._k :], self._unit)

    def balanced(self, W: Array) -> Array:
        """Return the nearest W that satisfies the constraint exactly; the solver satisfies it only to a tolerance."""
        pull, half = W @ self._unit, self._cost
        middle = (pull.min() + pull.max()) / 2
        return W + np.outer(np.clip(pull, middle - half, middle + half) - pull, self._unit)


@dataclass(frozen=True)
class _Program:
    """Maximise gains.q - 1/2 q.H q over q >= 0, where the entries of a view sum to at most 1, and v to zero."""

    H: Array
    gains: Array
    view: Array
    n_views: int

    def value(self, q: Array) -> float:
        """Return the dual value at a feasible `q`, a lower bound on the primal."""
        return float(self.gains @ q - q @ self.H @ q / 2)

    def solve(self) -> Array:
        """Return a feasible `q` from the interior-point method."""
        for curvature in _MASTER.curvatures:
            q, solved = self._attempt(curvature)
            if solved or len(q) == len(self.view):  # more curvature helps the balance part only
                break
        return self._project(q)

    def _attempt(self, curvature: float) -> tuple[Array, bool]:
        n, m, unit = len(self.gains), len(self.view), self._units()
        H, gains = unit[:, None] * self.H * unit, unit * self.gains
        scale = max(1e-300, float(np.abs(gains).max()), float(np.abs(H).max()))
        H = H / scale + np.diag(np.where(np.arange(n) < m, 0.0, curvature))
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = _MASTER.tolerance
        solver.settings.max_iter = _MASTER.most_steps
        sums = np.zeros((self.n_views, n), order="F")
        sums[self.view, np.arange(m)] = 1
        solver.setup(np.asfortranarray(H), -gains / scale, *self._net(), sums, None, np.ones(self.n_views), np.zeros(n))
        status = solver.solve()
        return unit * np.array(solver.result.x), bool(status == piqp.PIQP_SOLVED)

    def _units(self) -> Array:
        """Return a scale for each variable that makes quadratic terms of balance variables as large as those of
        cuts.
        """
        n, m = len(self.gains), len(self.view)
        if n == m:
            return np.ones(n)
        size = float(np.sqrt(np.median(np.diag(self.H)[:m]))) if m else 0.0
        return np.where(np.arange(n) < m, 1.0, size or 1.0)

    def _net(self) -> tuple[Array | None, Array | None]:
        """Return the equality constraint sum v = 0; None without a balance constraint."""
        n, m = len(self.gains), len(self.view)
        if n == m:
            return None, None
        net = np.zeros((1, n), order="F")
        net[0, m : (n + m) // 2], net[0, (n + m) // 2 :] = 1, -1
        return net, np.zeros(1)

    def _project(self, q: Array) -> Array:
        """Return the feasible point nearest to the solver's result, which makes the bound valid."""
        if not np.isfinite(q).all() or np.abs(q).max(initial=0.0) > _MASTER.divergent:
            raise SolverError("the quadratic solver failed on the master problem; scale the rows, or give a smaller C")
        m = len(self.view)
        cuts = np.where(q[:m] < _MASTER.no_weight, 0.0, q[:m])
        cuts = cuts / np.maximum(1.0, np.bincount(self.view, cuts, self.n_views))[self.view]
        plus, minus = np.split(q[m:], 2)
        v = plus - minus - np.mean(plus - minus) if len(plus) else plus
        return np.concatenate([cuts, np.maximum(v, 0), np.maximum(-v, 0)])
