"""Maximum-margin clustering: the centred data, and the objective J."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..rows import CentredRows, Rows, cluster_sums, highest, unit_rows, weighed_rows
from ..rows.blocks import group_sizes
from ..rows.threads import one_blas_thread
from ..types import Array, OnStep
from .cutting_plane import cuts_at, minimise, value_of
from .master import Balance, Master
from .risks import Cut, MarginRisk, Risk, UniversumRisk
from .solution import Fit, filled, lost_groups, vanished
from .spherical import centres_of

# --- The objective of maximum-margin clustering on one data set


@dataclass(frozen=True)
class Constants:
    """Constants, by `python -m bench ablation` and `defaults` (docs/decisions/0009, 0031)."""

    multiples: tuple[float, ...] = (5.0, 10.0, 100.0)  # of the scale of C; the larger ones if groups lose their rows
    starts_times_groups: int = 40  # the time of a start is proportional to the number of groups
    usual_cuts: int = 16  # of a fit, each of the size of W
    small: int = 1 << 25  # numbers of a start that may run in parallel: a quarter of a gigabyte a thread
    equal: float = 1e-3  # relative difference of the squared lengths of unit rows in half precision
    negligible: float = 1e-6  # of the longest row's squared length: shorter rows are rounding errors
    first: int = 16  # rows that usually show whether all rows are equal


MAX_MARGIN = Constants()


@dataclass(frozen=True)
class Seeding:
    """Labelled rows: their clusters `pins` (n,), -1 for other rows, and the weight of each row, `emphasis` (n,)."""

    pins: Array
    emphasis: Array


@dataclass(frozen=True)
class Objective:
    """An objective J on a data set; a subclass has its descent.

    `C` may be "auto"; `with_scale` replaces it by a number for a partition: the first of the `multiples` of its scale.
    `stronger` holds the same objective with the others, to try in turn while groups are left without rows.
    `row_weights` (n,) are the weights of the rows' losses; None for equal ones. `with_row_weights` sets them for the
    start of a fit if `class_weight` is "balanced": n / (k n_g), with n_g the size of the row's group.
    """

    data: Data
    k: int
    C: float | str = "auto"
    _: KW_ONLY
    balance: Balance | None = None
    tol: float = 0.01
    class_weight: str | None = "balanced"
    row_weights: Array | None = None
    stronger: tuple[Any, ...] = ()

    multiples: ClassVar[tuple[float, ...]]  # of the scale of C: the usual one, then stronger ones

    @one_blas_thread()
    def fit(self, labels: Array, *, found: bool, on_step: OnStep) -> tuple[Self, Fit]:
        """Solve from the partition `labels` (n,); return the objective with its weights, and the solution.

        While groups are lost, the `stronger` forms are tried from the same partition, and finally the partition itself
        is the result; the lowest J alone often leaves a group empty. Lost groups have rows in the partition, but none
        in the solution. If the groups were `found` in the rows, those left by a third of their rows count, if they are
        more than a tenth, and a largest group of rows of others: linear scores that cannot represent the groups replace
        them (docs/decisions/0017).
        """
        first, lost = self.with_scale(labels), lost_groups if found else vanished
        runs = list[tuple[Self, Fit]]()

        def count(run: tuple[Self, Fit]) -> int:
            return lost(labels, run[1].labels)

        for form in (first, *first.stronger):
            weighted = form.with_row_weights(labels)
            runs.append((weighted, weighted.solve(labels, on_step)))
            if not count(runs[-1]):
                break
        best = min(runs, key=count)
        partition = best[0].as_partition(labels) if count(best) and first.stronger else None
        return min(best, partition, key=count) if partition else best

    def with_scale(self, labels: Array) -> Self:
        """Return a copy in which "auto" weights are numbers, multiples of the scale of C for a partition (n,).

        Raises InputError for equal rows, and for groups of equal means.
        """
        if self.C != "auto":
            return self._of(float(self.C))
        if self.k > 1 and all_equal(self.data.original):
            raise InputError("all rows are equal: give at least two different rows")
        scale = self._scale(labels)
        weakest, *stronger = (self._of(times * scale) for times in self.multiples)
        return replace(weakest, stronger=tuple(stronger) if self.class_weight else ())

    def with_row_weights(self, labels: Array) -> Self:
        """Return a copy with row weights and the mean row for a start, a partition (n,)."""
        if self.class_weight is None:
            return replace(self, row_weights=self.data.relative)
        return self._weighted(balanced_weights(labels, self.k, self.data.sample))

    def as_partition(self, labels: Array) -> tuple[Self, Fit] | None:
        """Return a partition (n,) as a fit, for data on which every descent loses a group.

        A descent with any C loses a group whose mean lies between the means of others. The weights are the directions
        of the groups of uncentred rows, scaled to a mean margin of 1, so the cosine determines the group, as in
        spherical k-means. The lower bound is zero. None with `balance`, which the partition may violate.
        """
        if self.balance is not None:
            return None
        objective, k = replace(self, data=replace(self.data, center=False, weights=None)), self.k
        rows, W = objective.data.rows, centres_of(objective.data.unit, labels, k)
        labels = highest(rows, W)
        sums = cluster_sums(rows, labels, k, weights=self.row_weights)
        margin = (k * np.vdot(W, sums) - np.vdot(W.sum(axis=0), sums.sum(axis=0))) / (len(labels) * (k - 1))
        W /= margin if margin > 0 else 1.0
        J = objective.value_at(W, labels)
        step = {"step": 1, "objective": J, "lower_bound": 0.0, "gap": 1.0, "moved": 0}
        return objective, Fit(W, labels, J, 0.0, [step])

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum from a partition (n,)."""
        raise NotImplementedError

    def _weighted(self, weights: Array) -> Self:
        return replace(self, row_weights=weights, data=self.data.weighted(weights))

    def _of(self, C: float) -> Self:
        return replace(self, C=C)

    def _scale(self, labels: Array) -> float:
        """Return the C at which the mean margin is 1 while all margins are below 1."""
        raise NotImplementedError

    def value_at(self, W: Array, labels: Array) -> float:
        """Return J at `W` (k, d), whose best groups are `labels` (n,), without the Universum."""
        raise NotImplementedError


@dataclass(frozen=True)
class MarginObjective(Objective):
    """The objective J on a data set, and its descent (docs/m2dcu.md).

    J(W) = 1/2 ||W||^2 + C (mean hinge of the rows' margins) + C_universum (mean risk of the Universum).

    `C_universum`, too, may be "auto". With balanced weights rows also have margins, `row_margins` (n,): the
    `spread_margins` times the row's length; None: 1.
    """

    C_universum: float | str = "auto"
    epsilon: float = 0.5
    _: KW_ONLY
    gap: float = 1e-3
    max_iter: int = 100
    seeding: Seeding | None = None
    row_margins: Array | None = None

    multiples = MAX_MARGIN.multiples

    def _scale(self, labels: Array) -> float:
        weighted, size = super().with_row_weights(labels), float(np.linalg.norm(self.data.mean))
        return c_scale(weighted.data.rows, labels, self.k, size, weighted.row_weights)  # without margins: a pass

    def _of(self, C: float) -> Self:
        return replace(self, C=C, C_universum=C if self.C_universum == "auto" else self.C_universum)

    def with_row_weights(self, labels: Array, weights: Array | None = None) -> Self:
        """Return a copy with row weights and margins for a start, a partition (n,).

        `weights` (n,) replace the weights that balance the groups. Rows are centred at the weighted mean, so that a
        double weight equals a repeated row. With the plain mean, two groups of uneven sizes would be separated inside
        the larger one, since every score of the mean is zero (docs/decisions/0017). The margin grows with the length of
        a row, as its scores do (docs/decisions/0009).
        """
        weighted = super().with_row_weights(labels) if weights is None else self._weighted(weights)
        if self.class_weight is None:
            return weighted
        lengths, margins = self.data.lengths, spread_margins(self.data.original, labels, self.k, self.data.sample)
        if lengths is not None:
            margins *= lengths / np.average(lengths, weights=weighted.row_weights)
        return replace(weighted, row_margins=margins)

    def solve(self, labels: Array, on_step: OnStep) -> Fit:
        """Return the local optimum from the partition `labels`, including the risk of the Universum.

        If that loses groups, the descent omits the Universum's risk, and only the final J includes it: examples similar
        to many rows would put most of these into one group.
        """
        others = self._others()
        fit = self._descend(labels, others, on_step)
        if not (others and self._keeps_groups and lost_groups(labels, fit.labels)):
            return fit
        fit = self._descend(labels, [], on_step)
        return replace(fit, objective=value([self._margin(), *others], fit.labels, fit.weights))

    def value_at(self, W: Array, labels: Array) -> float:
        return value([self._margin()], labels, W)

    def solve_from(self, labels: Array, W: Array | None, on_step: OnStep) -> Fit:
        """Return the local optimum from the partition `labels` and the weights `W` (k, d), with all risks."""
        return self._descend(labels, self._others(), on_step, W)

    def _descend(self, labels: Array, others: list[Risk], on_step: OnStep, start: Array | None = None) -> Fit:
        """Descend on J from the partition `labels` (n,) by the concave-convex procedure (M2DCU, Table 1).

        Each step anchors every row to its best cluster and solves the convex problem, until a step reduces J by less
        than `tol`. J never rises: the anchored margin risk is an upper bound of the true one and touches it at the W of
        the anchor, and the minimiser of the convex problem is at least as good as that W. Seeded rows keep their
        anchor; the labels returned are the argmax of their scores. The first cuts are at `start` (k, d), zero by
        default. A descent that keeps groups ends before a step that would empty one, or with the first.
        """
        margin = self._margin()
        risks, shape = [margin, *others], (self.k, margin.rows.shape[1])
        master = Master([risk.weight for risk in risks], shape, self.balance)
        W = np.zeros(shape) if start is None else start
        objective, trace = np.inf, list[dict[str, Any]]()
        anchor, accepted = margin.hold(labels), labels
        cuts: list[Cut] | None = None
        for step in range(1, self.max_iter + 1):
            solution = minimise(risks, anchor, W, master, self.gap, first=cuts)
            labels = highest(margin.rows, solution.W)
            lost = self._keeps_groups and filled(labels) < filled(accepted)
            if lost and trace:
                break
            W, before, previous, accepted = solution.W, anchor, objective, labels
            anchor = margin.hold(labels)
            moved = int(np.count_nonzero(anchor != before))
            cuts = cuts_at(risks, anchor, W) if moved else None  # the first cuts of the next step
            objective = solution.value if cuts is None else value_of(risks, cuts, W)
            bound, gap = solution.lower_bound, solution.gap
            entry = {"step": step, "objective": objective, "anchored": solution.value, "lower_bound": bound, "gap": gap}
            trace.append(entry | {"cuts": solution.n_cuts, "moved": moved})
            on_step(trace[-1])
            if lost or moved == 0 or previous - objective <= self.tol * objective:
                break
            master.drop(0)  # the margin's cuts, which hold for one anchor only
        return Fit(W, accepted, objective, trace[-1]["lower_bound"], trace)

    @property
    def _keeps_groups(self) -> bool:
        """Whether steps that empty a group are rejected; they are not in the paper's form, nor with seeds."""
        return self.class_weight is not None and self.seeding is None

    def _margin(self) -> MarginRisk:
        emphasis, pins = self.row_weights, None
        if self.seeding is not None:
            pins, weights = self.seeding.pins, self.seeding.emphasis
            emphasis = weights if emphasis is None else weights * emphasis
        return MarginRisk(self.data.rows, float(self.C), emphasis, self.row_margins, pins)

    def _others(self) -> list[Risk]:
        universum = self.data.universum
        if universum is None or not self.C_universum or self.k == 1:
            return []
        return [UniversumRisk(universum, float(self.C_universum), self.epsilon)]


def value(risks: list[Risk], anchor: Array, W: Array) -> float:
    """Return 1/2 ||W||^2 + sum_v C_v R_v(W); it is J itself if `anchor` is the assignment under `W`."""
    return value_of(risks, cuts_at(risks, anchor, W), W)


def checked_balance(rows: Rows, limit: float | None, *, center: bool, weights: Array | None = None) -> Balance | None:
    """Return the balance constraint; raise InputError for centred rows, which satisfy any limit."""
    if limit is None:
        return None
    if center:
        raise InputError("balance has no effect on centred rows: omit it, or set center=False")
    return Balance(total(rows, weights), limit)


def balanced_weights(labels: Array, k: int, sample: Array | None = None) -> Array:
    """Return n / (k n_g) for each row, where n_g is the size of its group; the mean is 1 if no group is empty.

    With the rows' own weights `sample` (n,), n_g is the sum of those of a group, and each row has its own times this.

    >>> balanced_weights(np.array([0, 0, 0, 1]), 2).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    sizes = group_sizes(labels, k) if sample is None else np.bincount(labels, sample, k)
    weights = np.asarray((len(labels) / (k * np.where(sizes > 0, sizes, 1)))[labels])
    return weights if sample is None else weights * sample


def spread_margins(rows: Rows, labels: Array, k: int, sample: Array | None = None) -> Array:
    """Return the distance of each row's group mean from the other groups, (n,), with mean 1 over groups.

    The distance is the root mean square over the other groups. With equal margins, rows of a group far from all others
    would have no loss, and groups close to each other would take rows from it (docs/decisions/0009). `sample` (n,) are
    the weights of the rows in the means.

    >>> from outgroup.rows import as_rows
    >>> spread_margins(as_rows([[0.0], [1.0], [8.0]]), np.array([0, 1, 2]), 3).round(2).tolist()
    [0.94, 0.82, 1.24]
    """
    sizes = group_sizes(labels, k) if sample is None else np.bincount(labels, sample, k)
    means = cluster_sums(rows, labels, k, weights=sample)[sizes > 0] / sizes[sizes > 0, None]
    squares = np.sum((means - means.mean(axis=0)) ** 2, axis=1)
    distances = np.sqrt(squares + squares.mean())
    margins = np.ones(k)
    margins[sizes > 0] = distances / distances.mean() if distances.any() else 1.0
    return np.asarray(margins[labels])


def c_scale(rows: Rows, labels: Array, k: int, size: float = 0.0, weights: Array | None = None) -> float:
    """Return the C at which the mean margin in the linear regime, with W = C G, is 1: (k - 1) / (k ||G||^2).

    While every margin is at most 1, the optimum is W = C G, G = 1/n sum_i v_i (e_{u_i} - 1/k) x_i^T, with `weights` v
    (n,) of mean 1, which weight the means, too. The scale removes the unit of C: rows multiplied by a number divide it
    by the square of that number. It is 1 for a single cluster, which has no margins. `size` is the norm of the mean
    removed by centring: smaller differences, relative to it, are rounding. Raises InputError for groups of equal means.
    """
    sums = cluster_sums(rows, labels, k, weights=weights)
    G = (sums - sums.mean(axis=0)) / rows.shape[0]
    return inverse(float(np.vdot(G, G)), rows, k, size) * ((k - 1) / k if k > 1 else 1.0)


def inverse(energy: float, rows: Rows, k: int, size: float) -> float:
    """Return 1 / energy of the slope of a risk; 1 for a single cluster.

    Raises InputError if it is a rounding error of rows from which a mean of norm `size` was subtracted.
    """
    if k == 1:
        return 1.0
    if energy <= (4 * np.finfo(rows.dtype).eps * size) ** 2:
        raise InputError("rows are equal up to rounding, or init puts all in one group: change the rows or init")
    return 1 / energy


# --- The data of a maximum-margin fit: targets and Universum, centred at the same mean


@dataclass(frozen=True)
class Data:
    """Rows and Universum: `original` and `outside`, and centred at `mean` (`rows`, `universum`).

    `center` states whether the mean (d,) is subtracted; it is weighted by `weights` (n,), if any. `sample` (n,)
    are the rows' own weights, None for equal ones."""

    original: Rows
    outside: Rows | None = None
    center: bool = True
    weights: Array | None = None
    sample: Array | None = None

    @cached_property
    def mean(self) -> Array:
        """The mean that is subtracted from each row, (d,) float64; zeros without centring."""
        if not self.center:
            return np.zeros(self.original.shape[1])
        weight = self.original.shape[0] if self.weights is None else float(self.weights.sum())
        return total(self.original, self.weights) / weight

    @cached_property
    def lengths(self) -> Array | None:
        """The row lengths relative to the longest row, (n,); None if all are equal up to rounding.

        A row of negligible length has no direction, and gets the mean length.
        """
        squares = np.asarray(self.original.squares(), dtype=np.float64)
        some = squares > MAX_MARGIN.negligible * squares.max()
        if not some.any() or np.ptp(squares[some]) <= MAX_MARGIN.equal * squares.max():
            return None
        lengths = np.sqrt(squares / squares.max())
        return np.where(some, lengths, lengths[some].mean())

    @cached_property
    def rows(self) -> Rows:
        """The centred rows."""
        return CentredRows(self.original, self.mean) if self.center else self.original

    @cached_property
    def universum(self) -> Rows | None:
        """The centred Universum."""
        return CentredRows(self.outside, self.mean) if self.center and self.outside is not None else self.outside

    @property
    def unit(self) -> Rows:
        """The rows for spherical k-means: scaled to unit length, times their weights."""
        return weighed_rows(unit_rows(self.original), self.relative)

    @cached_property
    def relative(self) -> Array | None:
        """The rows' own weights, scaled to mean 1."""
        return None if self.sample is None else self.sample / self.sample.mean()

    def sampled(self, sample: Array | None) -> Data:
        """Return a copy with row weights `sample` (n,); unchanged for None."""
        return self if sample is None else replace(self, sample=sample).weighted(sample)

    def weighted(self, weights: Array) -> Data:
        """Return a copy centred at the weighted mean, for weights (n,); unchanged without centring."""
        return replace(self, weights=weights) if self.center else self


def small(rows: Rows, numbers: int) -> bool:
    """Return whether fits may run in parallel: the rows are in memory, and `numbers` further values per fit are few."""
    matrix = rows.local()
    return matrix is not None and stored(matrix) + numbers <= MAX_MARGIN.small


def all_equal(rows: Rows) -> bool:
    """Return whether all rows are equal up to rounding; usually the first rows decide.

    Sums of rows cannot decide it: in float32 their rounding error grows with the number of rows.
    """
    first = np.asarray(rows.take(np.arange(min(MAX_MARGIN.first, rows.shape[0]))))
    if (first != first[0]).any():
        return False
    squares = np.asarray(rows.squares(), dtype=np.float64)
    distances = squares - 2 * np.asarray(rows.correlate(first[0]), dtype=np.float64) + squares[0]
    return bool((distances <= 64 * np.finfo(rows.dtype).eps * squares[0]).all())


def total(rows: Rows, weights: Array | None = None) -> Array:
    """Return the sum of the rows, optionally times `weights` (n,): (d,) float64."""
    return np.asarray(cluster_sums(rows, np.zeros(rows.shape[0], dtype=np.int32), 1, weights=weights)[0])


def stored(matrix: Any) -> int:
    """Return the number of nonzero entries of a sparse or dense matrix."""
    return int(matrix.count_nonzero() if sp.issparse(matrix) else np.count_nonzero(matrix))
