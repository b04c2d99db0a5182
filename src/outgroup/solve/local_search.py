"""Local search in memory: batch steps, sweeps, first variation and Kernighan-Lin chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .._native.products import kernels
from ..stopping import stop_if_asked
from ..types import Array, Rng
from .spherical import keep_one

# --- Local search: batch steps, sweeps, first variation and Kernighan-Lin chains, in the stages of a schedule
#
# The paper's ping-pong (Dhillon, Guan and Kogan, ICDM 2002, section 4.3) is a schedule of two stages: batch steps until
# they gain too little, then a chain. A chain that gains returns to the first stage; one that does not ends the search.
# Local search is sequential and needs the rows in memory, unlike the rest of `solve`, which consists of folds. The
# loops over moves are native kernels, or NumPy if the package was built without a compiler.

Step = dict[str, Any]


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench dense` and `first-variation speed` (docs/decisions/0005)."""

    least_gain: float = 1e-6  # of a move, relative to the length of one row: less is rounding in float32
    most_products: int = 1 << 28  # of rows with sums, stored: a gigabyte of float32
    dense: float = 0.25  # share of nonzero numbers from which dense products are faster
    block: int = 128  # rows of a sweep whose products are computed at once; a move corrects those of half of them
    few_rows: int = 2048  # dense rows that are all visited in a sweep
    bounded: int = 1024  # of more dense rows, whose bounds are computed at once
    renewed: int = 8  # one of this many sums has its bounds computed exactly after a sweep
    few_clusters: int = 16  # whose products are computed row by row, without copies of the rows
    rows_at_once: int = 4096  # in all other products
    tie: float = 1e-6  # of a cosine, in float32
    tie64: float = 1e-12  # in float64
    single_rows: int = 400  # of the search in SciPy: up to this many rows a sweep moves them one by one
    visited: int = 32  # of these, compared at once
    blocks: int = 8  # of a sweep over more rows
    cancelled: float = 1e-4  # of a squared norm: a smaller remainder is rounding, and is computed again


_SEARCH = _Constants()

SCHEDULES: dict[str | None, tuple[str, ...]] = {
    None: ("batch",),
    "sweep": ("sweep",),
    "first-variation": ("batch", "first variation"),
    "chains": ("batch", "chain"),
    "ping-pong": ("batch", "sweep", "chain"),
}


class Search(Protocol):
    """A partition that changes by single moves; the objective Q is the sum of cluster coherences."""

    @property
    def objective(self) -> float:
        """The objective Q, updated with each move."""

    @property
    def labels(self) -> Array:
        """A copy of the labels, shape (n,) int32."""

    def batch(self) -> int:
        """Move all rows at once to their nearest concept vectors; return the number of moves."""

    def sweep(self, order: Array, least: float) -> int:
        """Visit the rows in `order`; move each to its best cluster if that raises Q by more than `least`; return the
        moves.
        """

    def chain(self, length: int) -> tuple[Array, int]:
        """Make the `length` best moves, each row once; undo those after the best prefix; return gains and moves
        kept.
        """

    def gains(self, row: int) -> Array:
        """Return the change of Q for a move of the row to each cluster, (k,)."""


def open_search(X: Any, labels: Array, k: int, rows: Array | None = None) -> Search:
    """Return a search over `X` (n, d), CSR or dense, from `labels` (n,); none of the `k` clusters may be empty.

    With `rows` (m,) it is over these rows, whose labels are `labels` (m,). Dense rows are not copied.

    Memory beyond X: d x k sums (k rounded up to a cache line), and with batch steps or chains n x k products and one
    inverted copy of X, all in the dtype of X. Of more than 2^28 products only those of the rows nearest to a move are
    stored, with their inverted lists: chains use these only, and all else stays exact.
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    native = kernels()
    if native is not None and not sp.issparse(X):
        return DenseSearch(X, labels, k, rows)
    X = X if rows is None else X[rows]
    if native is None:
        return PlainSearch(X, labels, k)
    search: Search = native.LocalSearch(X, labels, k, _SEARCH.most_products)
    return search


@dataclass(frozen=True)
class Schedule:
    """The stages of local search by name (`SCHEDULES`), the chain length, and the limits `tol` and `max_iter`."""

    local_search: str | None = "ping-pong"
    chain_length: int = 10
    tol: float = 1e-6
    max_iter: int = 10_000


def refine(X: Any, labels: Array, k: int, schedule: Schedule, rng: Rng) -> tuple[Array, float, list[Step]]:
    """Increase Q from the partition `labels` of `X`; return the labels, Q and a trace entry per step.

    A stage repeats while it gains more than `tol` of Q; then the next one follows. A chain that gains returns to the
    first. No step empties a cluster or lowers Q.

    >>> X = sp.csr_matrix(np.array([[1.0, 0.0], [np.cos(0.9), np.sin(0.9)], [0.0, 1.0]]))  # the paper's example 3.1
    >>> schedule = Schedule("first-variation")
    >>> labels, objective, _ = refine(X, np.array([0, 0, 1]), 2, schedule, np.random.default_rng(0))
    >>> labels.tolist(), round(objective, 6)
    ([0, 1, 1], 2.888559)
    """
    search = open_search(X, labels, k)
    steps = _steps(search, X.shape[0], schedule.chain_length, rng)
    stages, stage, trace = SCHEDULES[schedule.local_search], 0, list[Step]()
    while stage < len(stages) and len(trace) < schedule.max_iter:
        stop_if_asked()
        before = search.objective
        moved = steps[stages[stage]]()
        gained = search.objective - before > schedule.tol * before
        trace.append({"kind": stages[stage], "objective": search.objective, "moved": int(moved)})
        if not gained:
            stage += 1
        elif stages[stage] not in ("batch", "sweep"):
            stage = 0
    return search.labels, search.objective, trace


def swept(search: Search, n: int, rng: Rng) -> int:
    """Sweep once over the `n` rows in random order; return the number of moves."""
    return search.sweep(rng.permutation(n).astype(np.int32), _SEARCH.least_gain)


def _steps(search: Search, n: int, length: int, rng: Rng) -> dict[str, Callable[[], int]]:
    return {
        "batch": search.batch,
        "sweep": lambda: swept(search, n, rng),
        "first variation": lambda: search.chain(1)[1],
        "chain": lambda: search.chain(length)[1],
    }


def searchable(X: Any) -> Any:
    """Return `X` as local search needs it: C-ordered if dense, with one index dtype if CSR.

    Both have the dtype of `X`. Dense rows become CSR without native kernels, and if most entries are zero.
    """
    if not sp.issparse(X) and kernels() is not None and np.count_nonzero(X) > _SEARCH.dense * X.size:
        return np.ascontiguousarray(X)
    X = sp.csr_matrix(X)
    if X.indptr.dtype != X.indices.dtype:
        X.indices = X.indices.astype(X.indptr.dtype)
    return X


# --- Local search on dense rows without a copy: the linear algebra library multiplies blocks of rows with the sums, and
# the native kernels make the single moves within a block and correct its products after each
#
# The moves are those of the search on sparse rows, in the same order, without arrays of the size of X.


class DenseSearch:
    """Local search on rows of a dense array (see `Search`).

    `rows` (m,) are the row numbers, None for all; all methods use positions in them. Memory beyond X: k x d sums; with
    chains, n x k products.
    """

    def __init__(self, X: Array, labels: Array, k: int, rows: Array | None = None) -> None:
        self._X, self._rows, self._k = X, np.arange(len(X)) if rows is None else rows, k
        self._labels = np.array(labels, dtype=np.int32)
        self.row_by_row = k <= _SEARCH.few_clusters
        self._tie = _SEARCH.tie if X.dtype == np.float32 else _SEARCH.tie64
        self._half = np.empty(len(self._rows), dtype=X.dtype)
        self._sweeper: Any = None
        self._add_up(squares=True)
        self._tops, self._stays = np.full(len(self._rows), np.inf), np.zeros(len(self._rows))

    @property
    def objective(self) -> float:
        """The objective Q, updated with each move."""
        return float(self._norms.sum())

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        return self._labels.copy()

    def batch(self) -> int:
        """Move all rows at once to their nearest concept vectors; keep one row in each cluster."""
        norms, before = self._norms, self._labels
        small = norms <= norms.max() * self._tie  # zero up to rounding: no direction
        scale = np.where(small, 0.0, 1 / np.maximum(norms, 1e-30)).astype(self._X.dtype)
        nearest = np.empty_like(before)
        for span, block in self._blocks():
            cosines = (block @ self._sums.T) * scale
            cosines[np.arange(len(block)), before[span]] += self._tie
            nearest[span] = cosines.argmax(axis=1)
        after = keep_one(nearest, before, self._k)
        moved = int(np.count_nonzero(after != before))
        if moved:
            self._labels = after
            self._add_up()
            self._tops[:] = np.inf
        return moved

    def sweep(self, order: Array, least: float) -> int:
        """Visit the rows in `order`; move each to its best cluster."""
        self._settle()
        if self.row_by_row:
            moved = self._sweep_by_rows(order, least)
        elif len(self._rows) <= _SEARCH.few_rows:
            moved = self._sweep_by_blocks(order, least)
        else:
            moved = self._sweep_by_bounds(order, least)
        self._moves += moved
        return moved

    def _sweep_by_rows(self, order: Array, least: float) -> int:
        """Visit rows one by one, which is faster than matrix products for few clusters."""
        if self._sweeper is None:
            self._sweeper = kernels().DenseSweep(self._X, self._rows, self._half, self._labels, self._state)
        return int(self._sweeper(np.ascontiguousarray(order, dtype=np.int32), least))

    def _sweep_by_blocks(self, order: Array, least: float) -> int:
        """Visit all rows in blocks."""
        return sum(
            self._visit(order[start : start + _SEARCH.block], least) for start in range(0, len(order), _SEARCH.block)
        )

    def _sweep_by_bounds(self, order: Array, least: float) -> int:
        """Visit only rows that may gain `least`, by bounds that stay valid between sweeps."""
        moved, begun = 0, self._sums.copy()
        order = order[(self._tops - self._stays > least)[order]]
        for start in range(0, len(order), _SEARCH.bounded):
            places = order[start : start + _SEARCH.bounded]
            able = self._look(places) > least
            moved += self._visit(places[able], least) if able.any() else 0
        if moved:
            self._widen(begun, least)
        return moved

    def _visit(self, places: Array, least: float) -> int:
        """Visit a block of rows, and reset the bounds of rows that moved."""
        block, labels = self._X[self._rows[places]], self._labels[places]
        products = block @ self._sums.T
        moved = int(kernels().dense_block(block, products, self._half[places], labels, self._state, least))
        if moved:
            self._tops[places[labels != self._labels[places]]] = np.inf
            self._labels[places] = labels
        return moved

    def _look(self, places: Array) -> Array:
        """Bound the gain of each row's best move by the joining gain minus the leaving loss, as square roots are
        concave.
        """
        labels, products = self._labels[places], self._X[self._rows[places]] @ self._sums.T
        scale, own = (1 / np.maximum(self._norms, 1e-30)).astype(products.dtype), (np.arange(len(places)), labels)
        self._stays[places] = (products[own] - self._half[places]) * scale[labels]
        products += self._half[places, None]
        products *= scale
        products[own] = -np.inf
        self._tops[places] = products.max(axis=1)
        return np.asarray(self._tops[places] - self._stays[places])

    def _widen(self, begun: Array, least: float) -> None:
        """Widen the bounds of all rows by the shifts of the sums since `begun`, their values before the sweep.

        As in Hamerly's k-means (SDM 2010), one bound for all other clusters lets the next sweep skip most rows.
        """
        # 1. A bound on the change of a gain by the shift of a sum s. The gain of joining s is ||s + x|| - ||s||. Its
        #    gradient is the difference of two unit vectors, at most 2 ||x|| / (||s + x|| + ||s||) long (Dunkl and
        #    Williams 1964). The same holds for leaving.
        shift, longest = self._sums - begun, float(np.sqrt(2 * self._half.max(initial=0.0)))
        shift = np.sqrt(np.einsum("kd,kd->k", shift, shift, dtype=np.float64))
        shortest = self._norms - shift - longest / 2
        change = np.where(shortest > 0, shift * longest / np.where(shortest > 0, shortest, 1.0), np.inf)
        change[shift == 0] = 0.0
        # 2. Bounds on leaving the own cluster.
        self._stays -= change[self._labels]
        # 3. Bounds on joining another cluster: the largest change widens them. Rows that could move by this bound get a
        #    closer one: the largest change without the few sums that shifted far ...
        count = 1 + self._k // _SEARCH.renewed
        far, near = np.split(np.argsort(-change), [count])
        tops = self._tops + change.max()
        able = np.flatnonzero(tops - self._stays > least)
        tops[able] = self._tops[able] + change[near].max(initial=0.0)
        self._tops = tops
        # 4. ... and the exact gains of joining those few.
        scale = 1 / np.maximum(self._norms[far], 1e-30)
        few = ((able[span], block) for span, block in _blocks(self._X, self._rows[able]))
        for places, block in self._blocks() if 2 * len(able) > len(self._tops) else few:
            joining = (block @ self._sums[far].T + self._half[places, None]) * scale
            joining[self._labels[places, None] == far] = -np.inf
            self._tops[places] = np.maximum(self._tops[places], joining.max(axis=1))

    def chain(self, length: int) -> tuple[Array, int]:
        """Make the best moves, each row once; keep the best prefix."""
        self._settle()
        products = np.concatenate([block @ self._sums.T for _, block in self._blocks()])
        tops, stays = self._bounds(products)
        free, totals, undo = np.ones(len(products), dtype=bool), [0.0], list[tuple[int, int]]()
        while len(undo) < length:
            row, to = self._steepest(products, np.where(free, tops - stays, -np.inf))
            if row < 0:
                break
            own = int(self._labels[row])
            undo.append((row, own))
            free[row] = False
            totals.append(totals[-1] + self._move(row, to))
            self._follow(products, row, own, to)
            tops, stays = self._bounds(products, tops, (own, to))
        kept = int(np.argmax(totals))
        for row, label in reversed(undo[kept:]):
            self._move(row, label)
        return np.array(totals[1:]), kept

    def gains(self, row: int) -> Array:
        """Return the change of Q for a move of the row to each cluster, (k,)."""
        products = self._X[self._rows[row]] @ self._sums.T
        changes = self._changes(np.array([row]), products[None])[0]
        return np.where(np.arange(self._k) == self._labels[row], 0.0, changes)

    @property
    def _state(self) -> tuple[Array, Array, Array, Array]:
        return self._sums, self._norms, self._count, self._live

    def _blocks(self) -> Iterator[tuple[Any, Array]]:
        return _blocks(self._X, None if len(self._rows) == len(self._X) else self._rows)

    def _add_up(self, *, squares: bool = False) -> None:
        """Recompute sums, norms and counts from the labels, to remove accumulated rounding errors."""
        sums = np.zeros((self._k, self._X.shape[1]))
        for span, block in self._blocks():
            sums += _members(self._labels[span], self._k, block.dtype) @ block
            if squares:
                self._half[span] = np.einsum("ij,ij->i", block, block) / 2
        self._sums = sums.astype(self._X.dtype)
        self._norms = np.sqrt(np.einsum("kd,kd->k", sums, sums))
        self._count = np.bincount(self._labels, minlength=self._k)
        self._live = np.bincount(self._labels[self._half > 0], minlength=self._k)
        self._moves, self._sweeper = 0, None

    def _settle(self) -> None:
        if self._moves > len(self._rows) // 4 + 1000:
            self._add_up()

    def _move(self, row: int, to: int) -> float:
        x, own = self._X[self._rows[row]], int(self._labels[row])
        self._labels[row] = to
        self._moves += 1
        self._tops[:] = np.inf
        return float(kernels().dense_move(x, float(self._half[row]), own, to, self._state))

    def _follow(self, products: Array, row: int, own: int, to: int) -> None:
        """Update the products of all rows with the two sums that a move changed."""
        x = self._X[self._rows[row]]
        for span, block in self._blocks():
            inner = block @ x
            products[span, own] -= inner
            products[span, to] += inner

    def _bounds(self, products: Array, tops: Array | None = None, columns: Any = None) -> tuple[Array, Array]:
        """Return bounds on the gain of joining another cluster, and on the loss of leaving the own cluster.

        After a move only the bounds of the two changed `columns` are updated.
        """
        columns = np.arange(self._k) if columns is None else np.array(columns)
        scale = 1 / np.maximum(self._norms, 1e-30)
        joining = (products[:, columns] + self._half[:, None]) * scale[columns]
        joining[self._labels[:, None] == columns] = -np.inf
        top = joining.max(axis=1)
        own = products[np.arange(len(products)), self._labels]
        stays = (own - self._half) * scale[self._labels]
        return top if tops is None else np.maximum(tops, top), stays

    def _steepest(self, products: Array, bounds: Array) -> tuple[int, int]:
        """Return the row and cluster of the best move, (-1, -1) for none; rows are tried by descending bound."""
        best, move, looked = -np.inf, (-1, -1), np.zeros(len(bounds), dtype=bool)
        while True:
            able = np.flatnonzero((bounds > best - 4 * self._tie) & ~looked)
            if len(able) == 0:
                return move
            if len(able) > _SEARCH.block:
                able = able[np.argpartition(-bounds[able], _SEARCH.block)[: _SEARCH.block]]
            looked[able] = True
            able.sort()
            gains = self._changes(able, products[able])
            gains[np.arange(len(able)), self._labels[able]] = -np.inf
            gains[(self._count[self._labels[able]] == 1) | (self._half[able] == 0)] = -np.inf
            i, to = np.unravel_index(gains.argmax(), gains.shape)
            row = int(able[i])
            if gains[i, to] > best or (gains[i, to] == best and best > -np.inf and row < move[0]):
                best, move = gains[i, to], (row, int(to))

    def _changes(self, places: Array, products: Array) -> Array:
        """Return the change of Q for a move of each row to each other cluster, (m, k)."""
        half, own, norms = self._half[places].astype(np.float64), self._labels[places], self._norms
        products = products.astype(np.float64)
        joining = np.sqrt(np.maximum(norms**2 + 2 * (products + half[:, None]), 0.0)) - norms
        left = np.maximum(norms[own] ** 2 - 2 * (products[np.arange(len(places)), own] - half), 0.0)
        left[(self._live[own] == 1) & (half > 0)] = 0.0  # not the root of a rounding error
        return np.asarray(joining + (np.sqrt(left) - norms[own])[:, None])


def dense_sums(X: Array, labels: Array, k: int, rows: Array | None = None) -> Array:
    """Return the sum of each cluster's rows of a dense array, (k, d) float64; `rows` (m,) are the labelled rows."""
    sums = np.zeros((k, X.shape[1]))
    for span, block in _blocks(X, rows):
        sums += _members(labels[span], k, block.dtype) @ block
    return sums


def _blocks(X: Array, rows: Array | None) -> Iterator[tuple[slice, Array]]:
    """Yield spans of positions with their rows: views if all rows are used, else copies."""
    n = len(X) if rows is None else len(rows)
    for start in range(0, n, _SEARCH.rows_at_once):
        span = slice(start, min(start + _SEARCH.rows_at_once, n))
        yield span, X[span] if rows is None else X[rows[span]]


def _members(labels: Array, k: int, dtype: Any) -> Any:
    """Return the membership matrix (k, m) of rows: an array for few clusters, where it is faster, else CSR."""
    if k <= _SEARCH.few_clusters:
        return (labels == np.arange(k)[:, None]).astype(dtype)
    return sp.csr_matrix((np.ones(len(labels), dtype=dtype), labels, np.arange(len(labels) + 1)), (len(labels), k)).T


# --- Local search in NumPy and SciPy: the fallback without native kernels, and their reference in tests
#
# For up to some hundreds of rows it makes the same moves as the native search. For more rows a sweep visits blocks: all
# rows of a block move to their nearest concept vector at once. That is a batch step on some rows, so it never lowers Q,
# and takes a thousandth of the Python calls.


class PlainSearch:
    """Local search in float64 without native kernels (see `Search`)."""

    def __init__(self, X: Any, labels: Array, k: int) -> None:
        self._X = sp.csr_matrix(X, dtype=np.float64)
        if not self._X.has_canonical_format:
            self._X = self._X.copy()
            self._X.sum_duplicates()
        self._half = np.asarray(self._X.multiply(self._X).sum(axis=1)).ravel() / 2
        self._labels, self._k = np.array(labels, dtype=np.int32), k
        self._add_up()

    @property
    def objective(self) -> float:
        """The objective Q, the sum of cluster coherences."""
        return float(np.sqrt(self._squares).sum())

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        return self._labels.copy()

    def batch(self) -> int:
        """Move all rows at once to their nearest concept vectors; keep one row in each cluster."""
        before = self._labels
        self._labels = keep_one(self._nearest(self._X, before), before, self._k)
        self._add_up()
        return int(np.count_nonzero(self._labels != before))

    def sweep(self, order: Array, least: float) -> int:
        """Visit rows, or blocks of rows, in `order`; move each row to its best cluster."""
        if len(order) > _SEARCH.single_rows:
            return sum(self._sweep_block(rows) for rows in np.array_split(order, _SEARCH.blocks))
        products, moved, place = np.asarray(self._X @ self._sums), 0, 0
        while place < len(order):  # rows before the first with a gain stay, so the gains of the rows after it hold
            rows = order[place : place + _SEARCH.visited]
            gains = self._gains(rows, products[rows])
            able = np.flatnonzero(gains.max(axis=1) > least)
            if len(able):
                self._move_and_follow(rows[able[0]], int(gains[able[0]].argmax()), products)
                moved += 1
            place += int(able[0]) + 1 if len(able) else len(rows)
        return moved

    def chain(self, length: int) -> tuple[Array, int]:
        """Make the best moves, each row once; keep the best prefix."""
        everyone, free, totals = np.arange(len(self._labels)), np.ones(len(self._labels), dtype=bool), [0.0]
        products, undo = np.asarray(self._X @ self._sums), list[tuple[Any, int]]()
        while len(undo) < length:
            gains = np.where(free[:, None], self._gains(everyone, products), -np.inf)
            row, to = np.unravel_index(gains.argmax(), gains.shape)
            if gains[row, to] == -np.inf:
                break
            before, own = self.objective, int(self._labels[row])
            undo.append((row, own))
            self._move_and_follow(row, int(to), products)
            free[row] = False
            totals.append(totals[-1] + self.objective - before)
        kept = int(np.argmax(totals))
        for row, label in reversed(undo[kept:]):
            self._move(row, label)
        return np.array(totals[1:]), kept

    def gains(self, row: int) -> Array:
        """Return the change of Q for a move of the row to each cluster, (k,)."""
        joined = self._changes(np.array([row]), np.asarray(self._X[[row]] @ self._sums))[0]
        return np.where(np.arange(self._k) == self._labels[row], 0.0, joined)

    def _add_up(self) -> None:
        """Recompute the sums (d, k), their squared norms, and the counts of nonzero rows from the labels."""
        n = len(self._labels)
        member = sp.csr_matrix((np.ones(n), self._labels, np.arange(n + 1)), shape=(n, self._k))
        self._sums = np.ascontiguousarray((member.T @ self._X).toarray().T)
        self._squares = np.einsum("dk,dk->k", self._sums, self._sums)
        self._live = np.bincount(self._labels[self._half > 0], minlength=self._k)

    def _changes(self, rows: Array, products: Array) -> Array:
        """Return the change of Q for a move of each row to each other cluster, (m, k)."""
        half, own, norms = self._half[rows, None], self._labels[rows], np.sqrt(self._squares)
        joining = np.sqrt(np.maximum(self._squares + 2 * (products + half), 0.0)) - norms
        left = np.maximum(self._squares[own] - 2 * (products[np.arange(len(rows)), own] - half[:, 0]), 0.0)
        left[(self._live[own] == 1) & (half[:, 0] > 0)] = 0.0  # not the root of a rounding error
        return np.asarray(joining + (np.sqrt(left) - norms[own])[:, None])

    def _gains(self, rows: Array, products: Array) -> Array:
        """Return the changes of Q for allowed moves; -inf for others."""
        gains, own = self._changes(rows, products), self._labels[rows]
        gains[np.arange(len(rows)), own] = -np.inf
        last = np.bincount(self._labels, minlength=self._k)[own] == 1
        gains[last | (self._half[rows] == 0)] = -np.inf
        return gains

    def _nearest(self, X: Any, own: Array) -> Array:
        cosines = (X @ self._sums) / np.maximum(np.sqrt(self._squares), 1e-30)
        cosines[np.arange(len(own)), own] += _SEARCH.tie64
        return np.asarray(cosines.argmax(axis=1).astype(np.int32))

    def _sweep_block(self, rows: Array) -> int:
        """Move a block of rows to their nearest concept vectors; a cluster that would become empty keeps its rows."""
        own = self._labels[rows]
        nearest = self._nearest(self._X[rows], own)
        leaving = np.bincount(own[nearest != own], minlength=self._k)
        emptied = leaving == np.bincount(self._labels, minlength=self._k)
        moving = np.flatnonzero((nearest != own) & ~emptied[own])
        self._labels[rows[moving]] = nearest[moving]
        self._add_up()
        return len(moving)

    def _move(self, row: Any, to: int) -> None:
        """Move a row, and update two sums and their squared norms."""
        stored, own = slice(self._X.indptr[row], self._X.indptr[row + 1]), int(self._labels[row])
        terms, values = self._X.indices[stored], self._X.data[stored]
        before = values @ self._sums[terms][:, [own, to]]
        self._sums[terms, own] -= values
        self._sums[terms, to] += values
        self._labels[row] = to
        if self._half[row] > 0:
            self._live[[own, to]] += (-1, 1)
        self._follow(own, 2 * (self._half[row] - before[0]))
        self._follow(to, 2 * (self._half[row] + before[1]))

    def _move_and_follow(self, row: Any, to: int, products: Array) -> None:
        """Move a row, and update the products (n, k) of all rows with the two changed sums."""
        own = int(self._labels[row])
        self._move(row, to)
        inner = (
            self._inner[row]
            if len(self._labels) <= _SEARCH.single_rows
            else (self._X @ self._X[[row]].T).toarray()[:, 0]
        )
        products[:, own] -= inner
        products[:, to] += inner

    @cached_property
    def _inner(self) -> Array:
        """The inner products of all rows with each other, (n, n); only for few rows."""
        return np.asarray((self._X @ self._X.T).toarray())

    def _follow(self, j: int, change: float) -> None:
        """Update the squared norm of a sum; recompute it if rounding errors dominate."""
        before = self._squares[j]
        self._squares[j] = before + change
        if self._live[j] == 0:
            self._sums[:, j] = 0
        if self._live[j] == 0 or self._squares[j] < _SEARCH.cancelled * before:
            self._squares[j] = self._sums[:, j] @ self._sums[:, j]
