"""The maximum-margin problem of one data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..rows import CentredRows, OneHot, Rows
from ..types import Array
from .cccp import assign, cccp, value
from .in_memory.ping_pong import Plan
from .in_memory.ping_pong import fit as climb
from .master import Balance
from .result import Fit
from .risks import MarginRisk, Risk, SeededMarginRisk, UniversumRisk
from .spherical import spherical_kmeans

AUTO = 3.0  # times the scale of C; between 1 and 10 the groups hardly change (docs/decisions/0004)
_START_TOL = 1e-4
_CLIMBS = (Plan("bisect", "sweep"), Plan("k-means++", "sweep"), None)  # the best alone comes first
_DENSE = 0.2  # share of entries that are not zero
_SMALL = 1 << 25  # numbers that a restart works on: a quarter of a gigabyte, held once a thread


@dataclass(frozen=True)
class Seeding:
    """What the user said: `pins` (n,), the cluster of each labelled row, -1 for the others; `emphasis` (n,), how much
    each row weighs; and `start(rng)`, a partition (n,) to start from in the clusters' own numbers."""

    pins: Array
    emphasis: Array
    start: Callable[[np.random.Generator], Array]


class Problem:
    """Everything about the fit that no start changes: rows, their mean, the risks' weights.

    `C` and `C_universum` are numbers, or "auto" until the first start resolves them.
    """

    _usual_cuts = 16  # that a fit holds, each of the size of W

    def __init__(
        self, rows: Rows, universum: Rows | None, k: int, *, center: bool, balance: float | None, epsilon: float,
        C: float | str, C_universum: float | str, tol: float, gap: float, max_iter: int, seeding: Seeding | None = None,
    ) -> None:  # fmt: skip
        if center and balance is not None:
            raise InputError("balance does nothing on centred rows; leave it None, or set center=False")
        self.k, self.epsilon = k, epsilon
        self._tol, self._gap, self._max_iter = tol, gap, max_iter
        total, _ = rows.fold(None, _sum_rule, np.ones(rows.shape[0], dtype=rows.dtype))
        self.mean = total[0] / rows.shape[0] if center else np.zeros(rows.shape[1])
        self._given = rows
        self.rows: Rows = CentredRows(rows, self.mean) if center else rows
        self.universum = CentredRows(universum, self.mean) if universum is not None and center else universum
        self._balance = None if balance is None else Balance(total[0], balance)
        self.C, self.C_universum = C, C_universum
        self.seeding = seeding

    def start(self, rng: np.random.Generator, number: int = 0) -> Array:
        """Return a partition to start from: the seeds', else spherical k-means in one of three ways, in turn.

        Two climb by sweeps of single moves on unit rows, from repeated bisection or k-means++, which leads to the
        lowest J on text; the third takes batch steps on the rows as fitted, from random rows, which is better on
        measured data and does not mind where the origin is.
        """
        if self.seeding is not None:
            return self.seeding.start(rng)
        way = _CLIMBS[number % len(_CLIMBS)]
        if way is not None and self._unit is not None:
            return climb(self._unit, self.k, way, rng).labels
        return spherical_kmeans(self.rows, self.k, init="random-rows", rng=rng, tol=_START_TOL).labels

    @cached_property
    def _unit(self) -> Any:
        """Unit rows for local search, which walks inverted lists: None where most entries are not zero."""
        matrix = self._given.local()
        if matrix is None or _stored(matrix) > _DENSE * matrix.shape[0] * matrix.shape[1]:
            return None
        return normalize(matrix)

    @property
    def small(self) -> bool:
        """Whether restarts may run side by side: each copies the rows by terms, and keeps cuts of its own."""
        matrix = self._given.local()
        return matrix is not None and _stored(matrix) + self._usual_cuts * self.k * matrix.shape[1] <= _SMALL

    def resolve(self, labels: Array) -> None:
        """Replace "auto" weights by numbers, from a start's partition."""
        if self.C == "auto":
            self.C = AUTO * c_scale(self.rows, labels, self.k, float(np.linalg.norm(self.mean)))
        if self.C_universum == "auto":
            self.C_universum = self.C

    def solve(self, labels: Array) -> Fit:
        """Return the local optimum below the partition `labels`."""
        return self._descend(labels, self._others())

    def solve_alone(self, labels: Array) -> Fit:
        """Return the local optimum below the partition `labels` of the targets alone, without the Universum's risk."""
        return self._descend(labels, [])

    def _descend(self, labels: Array, others: list[Risk]) -> Fit:
        margin = MarginRisk(self.rows, float(self.C))
        if self.seeding is not None:
            margin = SeededMarginRisk(self.rows, float(self.C), self.seeding.pins, self.seeding.emphasis)
        return cccp(
            margin, others, labels, self.k,
            balance=self._balance, tol=self._tol, gap=self._gap, max_iter=self._max_iter,
        )  # fmt: skip

    def unsteered(self, fit: Fit) -> float:
        """Return J at the fit's weights without the seeds' part in it: J itself, where there are none."""
        if self.seeding is None:
            return fit.objective
        risks = [MarginRisk(self.rows, float(self.C)), *self._others()]
        return value(risks, assign(self.rows, fit.weights), fit.weights)

    def _others(self) -> list[Risk]:
        if self.universum is None or not self.C_universum or self.k == 1:
            return []
        return [UniversumRisk(self.universum, float(self.C_universum), self.epsilon)]


def _stored(matrix: Any) -> int:
    return int(matrix.count_nonzero() if sp.issparse(matrix) else np.count_nonzero(matrix))


def _sum_rule(_: None, ones: Array) -> tuple[Array, float]:
    return ones[:, None], 0.0


def c_scale(rows: Rows, labels: Array, k: int, size: float = 0.0) -> float:
    """Return the C at which the mean margin of the linear regime's solution C G is 1: (k - 1) / (k ||G||^2).

    While every margin is at most 1, the optimum is W = C G, G = 1/n sum_i (e_{u_i} - 1/k) x_i^T. The scale makes C free
    of units: multiplying all rows by a number divides it by that number's square. One cluster has no margins: 1 then.
    `size` is the norm taken off by centring: differences that are rounding beside it do not count.
    Raises InputError for equal rows.
    """
    sums, _ = rows.fold(None, lambda _, own: (OneHot(own, k), 0.0), labels)
    G = (sums - sums.mean(axis=0)) / rows.shape[0]
    energy = float(np.vdot(G, G))
    if k == 1:
        return 1.0
    if energy <= (4 * np.finfo(rows.dtype).eps * size) ** 2:
        raise InputError("all rows are equal: there is nothing to divide into groups")
    return (k - 1) / (k * energy)
