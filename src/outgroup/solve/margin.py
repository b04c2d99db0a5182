"""The objective of maximum-margin clustering on one data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..rows import Rows, cluster_sums, highest, unit_rows
from ..rows.blocks import group_sizes
from ..types import Array, OnStep
from .cccp import cccp, value
from .data import Data, all_equal, total
from .master import Balance
from .result import Fit, lost_groups
from .risks import MarginRisk, Risk, SeededMarginRisk, UniversumRisk

AUTO = 5.0  # times the scale of C; between 1 and 10 the groups hardly change (docs/decisions/0031)
_STRONGER = (10.0, 100.0)  # where that leaves groups without rows (docs/decisions/0009)
_USUAL_CUTS = 16  # that a fit holds, each of the size of W


@dataclass(frozen=True)
class Seeding:
    """What the user said: `pins` (n,), the cluster of each labelled row, -1 for the others, and `emphasis` (n,), how
    much each row weighs."""

    pins: Array
    emphasis: Array


@dataclass(frozen=True)
class MarginObjective:
    """J of one data set, and how to descend on it.

    `C` and `C_universum` may be "auto" until `resolved` has seen a partition; `stronger` says with which multiples of
    the scale the same may then be tried, in turn, while groups are left without rows. `row_weights` (n,), the weight of
    each row's hinges, and `row_margins` (n,), what each is asked for, are those of `class_weight` once `weighted` has
    seen the partition that a fit starts from: None for all alike, "balanced" for n / (k n_g) with n_g the size of the
    row's group, and for `spread_margins` times the row's length.
    """

    data: Data
    k: int
    C: float | str = "auto"
    C_universum: float | str = "auto"
    epsilon: float = 0.5
    class_weight: str | None = "balanced"
    balance: Balance | None = None
    tol: float = 0.01
    gap: float = 1e-3
    max_iter: int = 100
    seeding: Seeding | None = None
    row_weights: Array | None = None
    row_margins: Array | None = None
    stronger: tuple[Self, ...] = ()

    @property
    def small(self) -> bool:
        """Whether starts may run side by side: each copies the rows by terms, and keeps cuts of its own."""
        return self.data.small(_USUAL_CUTS * self.k * self.data.given.shape[1])

    def resolved(self, labels: Array) -> Self:
        """Return the same with numbers for "auto" weights, by a partition (n,); raises InputError for equal rows."""
        if self.C != "auto":
            return self._of(float(self.C))
        if self.k > 1 and all_equal(self.data.given):
            raise InputError("all rows are equal: there is nothing to divide into groups")
        own = self._weighing(labels, None)  # the margins say nothing of the scale, and take a pass
        scale = c_scale(own.data.rows, labels, self.k, float(np.linalg.norm(self.data.mean)), own.row_weights)
        times = _STRONGER if self.class_weight else ()
        return replace(self._of(AUTO * scale), stronger=tuple(self._of(each * scale) for each in times))

    def _of(self, C: float) -> Self:
        return replace(self, C=C, C_universum=C if self.C_universum == "auto" else self.C_universum)

    def weighted(self, labels: Array, weights: Array | None = None) -> Self:
        """Return the same with the rows' weights and margins, by the partition (n,) that a fit starts from.

        `weights` (n,) take the place of those that balance the groups. Rows are then centred at the mean that has the
        weights, too: weighing a row twice is the same as having it twice. Centred at the plain mean, two groups of
        uneven sizes would part inside the larger one: the mean lies there, and every score of the mean is zero
        (docs/decisions/0017). A long row is asked for more than a short one of the same direction, since its scores are
        as much larger (docs/decisions/0009).
        """
        if self.class_weight is None:
            return self
        own, lengths = self._weighing(labels, weights), self.data.lengths
        margins = spread_margins(self.data.given, labels, self.k)
        if lengths is not None:
            margins *= lengths / np.average(lengths, weights=own.row_weights)
        return replace(own, row_margins=margins)

    def _weighing(self, labels: Array, weights: Array | None) -> Self:
        if self.class_weight is None:
            return self
        weights = balanced_weights(labels, self.k) if weights is None else weights
        return replace(self, row_weights=weights, data=self.data.weighted(weights))

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum below the partition `labels`, with the Universum's risk.

        Where that loses groups, the descent is made without it, and J is told with it: examples that are like many rows
        would put most of these into one group.
        """
        others = self._others()
        fit = self._descend(labels, others, on_step)
        if not (others and self._keeps_groups and lost_groups(labels, fit.labels)):
            return fit
        fit = self._descend(labels, [], on_step)
        return replace(fit, objective=value([self._margin(), *others], fit.labels, fit.weights))

    def as_it_is(self, labels: Array) -> tuple[Self, Fit] | None:
        """Return the partition (n,) as a fit: the directions of its groups, of a mean margin of 1, on uncentred rows.

        Groups whose means lie between those of others are lost at any C that can be solved for; they are chosen by
        the cosine with the directions, as spherical k-means does. No descent has been made, and the bound is zero.
        None where `balance` is asked for, which nothing has seen to.
        """
        if self.balance is not None:
            return None
        data, W, labels = directions_of(self.data, labels, self.k, self.row_weights)
        own = replace(self, data=data)
        risks: list[Risk] = [own._margin()]
        J = value(risks, labels, W)
        step = {"step": 1, "objective": J, "anchored": J, "lower_bound": 0.0, "gap": 1.0, "cuts": 0, "moved": 0}
        return own, Fit(W, labels, J, 0.0, [step])

    def continued(self, labels: Array, W: Array | None, on_step: OnStep) -> Fit:
        """Return the local optimum below the partition `labels`, all risks in it, from the weights `W` (k, d)."""
        return self._descend(labels, self._others(), on_step, W)

    def comparable(self, fit: Fit) -> float:
        """Return J of the targets alone at the fit's weights, with all rows alike.

        Each start has weights of its own, and which local optimum is best is a question about the documents.
        """
        margin = replace(self, row_weights=None, row_margins=None)._margin()
        return value([margin], margin.hold(fit.labels), fit.weights)

    def unseeded(self, fit: Fit) -> float:
        """Return J at the fit's weights without the seeds' part in it: J itself, where there are none."""
        if self.seeding is None:
            return fit.objective
        risks = [replace(self, seeding=None)._margin(), *self._others()]
        return value(risks, fit.labels, fit.weights)  # the labels are those that the weights give

    def _descend(self, labels: Array, others: list[Risk], on_step: OnStep, start: Array | None = None) -> Fit:
        return cccp(
            self._margin(), others, labels, self.k,
            balance=self.balance, tol=self.tol, gap=self.gap, max_iter=self.max_iter,
            keep_groups=self._keeps_groups, start=start, on_step=on_step,
        )  # fmt: skip

    @property
    def _keeps_groups(self) -> bool:
        """Whether no step may empty a group; in the paper's form it may, and where rows are held they say."""
        return self.class_weight is not None and self.seeding is None

    def _margin(self) -> MarginRisk:
        rows, C, weights, margins = self.data.rows, float(self.C), self.row_weights, self.row_margins
        if self.seeding is None:
            return MarginRisk(rows, C, emphasis=weights, margins=margins)
        emphasis = self.seeding.emphasis if weights is None else self.seeding.emphasis * weights
        return SeededMarginRisk(rows, C, self.seeding.pins, emphasis, margins)

    def _others(self) -> list[Risk]:
        universum = self.data.universum
        if universum is None or not self.C_universum or self.k == 1:
            return []
        return [UniversumRisk(universum, float(self.C_universum), self.epsilon)]


def directions_of(data: Data, labels: Array, k: int, weights: Array | None) -> tuple[Data, Array, Array]:
    """Return the uncentred rows, the directions of the groups of a partition (n,), of a mean margin of 1, and where
    these put the rows."""
    data = data.uncentred()
    W = normalize(cluster_sums(unit_rows(data.rows), labels, k))
    labels = highest(data.rows, W)
    sums = cluster_sums(data.rows, labels, k, weights=weights)
    margin = (k * np.vdot(W, sums) - np.vdot(W.sum(axis=0), sums.sum(axis=0))) / (len(labels) * (k - 1))
    W /= margin if margin > 0 else 1.0
    return data, W, labels


def checked_balance(rows: Rows, limit: float | None, *, center: bool) -> Balance | None:
    """Return the balance constraint; raises InputError on centred rows, which have it without one."""
    if limit is None:
        return None
    if center:
        raise InputError("balance does nothing on centred rows; leave it None, or set center=False")
    return Balance(total(rows), limit)


def balanced_weights(labels: Array, k: int) -> Array:
    """Return n / (k n_g) for each row of a partition, n_g the size of its group; their mean is 1 if no group is empty.

    >>> balanced_weights(np.array([0, 0, 0, 1]), 2).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    sizes = group_sizes(labels, k)
    return np.asarray((len(labels) / (k * np.maximum(sizes, 1)))[labels])


def spread_margins(rows: Rows, labels: Array, k: int) -> Array:
    """Return how far the mean of each row's group lies from those of the others, (n,), as a share of what is usual.

    It is the root of the mean square of these distances, and 1 in the mean of the groups. Asked for the same margin,
    rows of a group that lies far from all others would have it at once and fall silent, and groups that lie close
    together would take from it (docs/decisions/0009).

    >>> from outgroup.rows import as_rows
    >>> spread_margins(as_rows([[0.0], [1.0], [8.0]]), np.array([0, 1, 2]), 3).round(2).tolist()
    [0.94, 0.82, 1.24]
    """
    sizes = group_sizes(labels, k)
    means = cluster_sums(rows, labels, k)[sizes > 0] / sizes[sizes > 0, None]
    squares = np.sum((means - means.mean(axis=0)) ** 2, axis=1)
    distances = np.sqrt(squares + squares.mean())
    margins = np.ones(k)
    margins[sizes > 0] = distances / distances.mean() if distances.any() else 1.0
    return np.asarray(margins[labels])


def c_scale(rows: Rows, labels: Array, k: int, size: float = 0.0, weights: Array | None = None) -> float:
    """Return the C at which the mean margin of the linear regime's solution C G is 1: (k - 1) / (k ||G||^2).

    While every margin is at most 1, the optimum is W = C G, G = 1/n sum_i v_i (e_{u_i} - 1/k) x_i^T, with `weights` v
    (n,) of mean 1, by which the mean is taken, too. The scale makes C free
    of units: multiplying all rows by a number divides it by that number's square. One cluster has no margins: 1 then.
    `size` is the norm taken off by centring: differences that are rounding beside it do not count.
    Raises InputError for groups of equal means.
    """
    sums = cluster_sums(rows, labels, k, weights=weights)
    G = (sums - sums.mean(axis=0)) / rows.shape[0]
    energy = float(np.vdot(G, G))
    if k == 1:
        return 1.0
    if energy <= (4 * np.finfo(rows.dtype).eps * size) ** 2:
        raise InputError("all rows are equal but for rounding, or init has all of them in one group")
    return (k - 1) / (k * energy)
