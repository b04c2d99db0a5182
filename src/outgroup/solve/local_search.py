"""Local search in memory: batch steps, sweeps, first variation and Kernighan-Lin chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._native.products import kernels
from ..rows import as_rows, cluster_sums
from ..stopping import stop_if_asked
from ..types import Array, Rng
from .spherical import Init, keep_one

# --- Local search: batch steps, sweeps, first variation and Kernighan-Lin chains, in the stages of a schedule
#
# The paper's ping-pong (Dhillon, Guan and Kogan, ICDM 2002, section 4.3) is a schedule of two stages: batch steps until
# they gain too little, then a chain. A chain that gains returns to the first stage; one that does not ends the search.
# Local search is sequential and needs the rows in memory, unlike the rest of `solve`, which consists of folds. The
# loops over moves are native kernels, or NumPy if the package was built without a compiler.

Step = dict[str, Any]


@dataclass(frozen=True)
class _Constants:
    """Constants (docs/decisions/0005)."""

    most_products: int = 1 << 28  # of rows with sums, stored: a gigabyte of float32
    dense: float = 0.25  # share of nonzero numbers from which dense products are faster
    block: int = 128  # rows of a sweep whose products are computed at once; a move corrects those of half of them
    few_rows: int = 2048  # dense rows that are all visited in a sweep
    bounded: int = 1024  # of more dense rows, whose bounds are computed at once
    renewed: int = 8  # one of this many sums has its bounds computed exactly after a sweep
    rows_at_once: int = 4096  # in all other products
    tie: float = 1e-6  # of a cosine, in float32
    tie64: float = 1e-12  # in float64


_SEARCH = _Constants()
LEAST_GAIN = 1e-6  # of a move, relative to the length of one row: less is rounding in float32

SCHEDULES: dict[str | None, tuple[str, ...]] = {
    None: ("batch",),
    "sweep": ("sweep",),
    "first-variation": ("batch", "first variation"),
    "chains": ("batch", "chain"),
    "ping-pong": ("batch", "sweep", "chain"),
}


Search = Any
"""A partition that changes by single moves: `BlockSearch`, or the native search with the same methods."""


def open_search(X: Any, labels: Array, k: int) -> Search:
    """Return a search over `X` (n, d), CSR or dense, from `labels` (n,); none of the `k` clusters may be empty.

    Memory beyond X: d x k sums (k rounded up to a cache line), and with batch steps or chains n x k products and one
    inverted copy of X, all in the dtype of X. Of more than 2^28 products only those of the rows nearest to a move are
    stored, with their inverted lists: chains use these only, and all else stays exact.
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    native = kernels()
    if not sp.issparse(X):
        return BlockSearch(X, labels, k)
    if native is None:
        return BlockSearch(X.astype(np.float64), labels, k)
    return native.LocalSearch(X, labels, k, _SEARCH.most_products)


@dataclass(frozen=True)
class Schedule:
    """The stages by name, of `SCHEDULES` or "split-merge", the chain length, the limits, and the start."""

    local_search: str | None = "split-merge"
    chain_length: int = 10
    tol: float = 1e-6
    max_iter: int = 10_000
    init: Init = "bisect"


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
    steps: dict[str, Callable[[], int]] = {
        "batch": search.batch,
        "sweep": lambda: swept(search, X.shape[0], rng),
        "first variation": lambda: search.chain(1)[1],
        "chain": lambda: search.chain(schedule.chain_length)[1],
    }
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
    return search.sweep(rng.permutation(n).astype(np.int32), LEAST_GAIN)


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


# --- Local search by matrix products: on dense rows without a copy, and on sparse rows without native kernels
#
# Products of blocks of rows with the sums bound the gains. Single moves within a block, each of which changes the
# products of the rows after it, are made by native kernels on dense rows, else by NumPy. The moves are those of the
# native search on sparse rows, in the same order.


class BlockSearch:
    """Local search on the rows of an array or CSR matrix; the objective Q is the sum of cluster coherences.

    Memory beyond X: k x d sums; with chains, n x k products and gains.
    """

    def __init__(self, X: Any, labels: Array, k: int) -> None:
        self._native = None if sp.issparse(X) else kernels()
        self._rows, self._k = as_rows(X), k
        self._X = X = self._rows.local()
        self._labels = np.array(labels, dtype=np.int32)
        self._tie = _SEARCH.tie if X.dtype == np.float32 else _SEARCH.tie64
        self._half = (self._rows.squares() / 2).astype(X.dtype)
        self._add_up()
        self._tops, self._stays = np.full(len(self._labels), np.inf), np.zeros(len(self._labels))

    @property
    def objective(self) -> float:
        """The objective Q, updated with each move."""
        return float(self._norms.sum())

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        return self._labels.copy()

    def batch(self) -> int:
        """Move all rows at once to their nearest concept vectors; keep one row in each cluster. Return the moves."""
        norms, before = self._norms, self._labels
        small = norms <= norms.max() * self._tie  # zero up to rounding: no direction
        scale = np.where(small, 0.0, 1 / np.maximum(norms, 1e-30)).astype(self._X.dtype)
        nearest = np.empty_like(before)
        for span, block in self._blocks():
            cosines = (block @ self._sums.T) * scale
            cosines[np.arange(len(cosines)), before[span]] += self._tie
            nearest[span] = cosines.argmax(axis=1)
        after = keep_one(nearest, before, self._k)
        moved = int(np.count_nonzero(after != before))
        if moved:
            self._labels = after
            self._add_up()
            self._tops[:] = np.inf
        return moved

    def sweep(self, order: Array, least: float) -> int:
        """Visit the rows in `order`; move each to its best cluster if that raises Q by more than `least`; return the
        moves.
        """
        self._settle()
        if len(self._labels) <= _SEARCH.few_rows:
            spans = range(0, len(order), _SEARCH.block)
            moved = sum(self._visit(order[start : start + _SEARCH.block], least) for start in spans)
        else:
            moved = self._sweep_by_bounds(order, least)
        self._moves += moved
        return moved

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
        block, labels = self._X[places], self._labels[places]
        products = block @ self._sums.T
        if self._native is not None:
            state = self._sums, self._norms, self._count, self._live
            moved = int(self._native.dense_block(block, products, self._half[places], labels, state, least))
            self._tops[places[labels != self._labels[places]]] = np.inf
            self._labels[places] = labels
            return moved
        moved, seen = 0, 0
        while True:  # rows before the first with a gain stay, so the gains of the rows after it hold
            gains = self._gains(places[seen:], products[seen:])
            able = np.flatnonzero(gains.max(axis=1, initial=-np.inf) > least)
            if not len(able):
                return moved
            seen, moved = seen + int(able[0]) + 1, moved + 1
            self._move(int(places[seen - 1]), int(gains[able[0]].argmax()), products[seen:], block[seen:])

    def _look(self, places: Array) -> Array:
        """Bound the gain of each row's best move by the joining gain minus the leaving loss, as square roots are
        concave.
        """
        labels, products = self._labels[places], self._X[places] @ self._sums.T
        scale, entries = (1 / np.maximum(self._norms, 1e-30)).astype(products.dtype), (np.arange(len(places)), labels)
        self._stays[places] = (products[entries] - self._half[places]) * scale[labels]
        products += self._half[places, None]
        products *= scale
        products[entries] = -np.inf
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
        shift = _lengths(shift)
        shortest = self._norms - shift - longest / 2
        change = np.where(shortest > 0, shift * longest / np.where(shortest > 0, shortest, 1.0), np.inf)
        change[shift == 0] = 0.0
        # 2. Bounds on leaving the current cluster.
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
        few = ((able[span], block) for span, block in self._blocks(able))
        for places, block in self._blocks() if 2 * len(able) > len(self._tops) else few:
            joining = (block @ self._sums[far].T + self._half[places, None]) * scale
            joining[self._labels[places, None] == far] = -np.inf
            self._tops[places] = np.maximum(self._tops[places], joining.max(axis=1))

    def chain(self, length: int) -> tuple[Array, int]:
        """Make the `length` best moves, each row once; undo those after the best prefix; return gains and moves
        kept.
        """
        self._settle()
        products = np.concatenate([block @ self._sums.T for _, block in self._blocks()])
        joining, free = self._joining(self._half, products, slice(None)), self._half > 0
        everyone, totals, undo = np.arange(len(products)), [0.0], list[tuple[int, int]]()
        while len(undo) < length:
            stay = joining[everyone, self._labels]
            joining[everyone, self._labels] = -np.inf
            gains = joining.max(axis=1) + self._leaving(everyone, products)
            gains[~free | (self._count[self._labels] == 1)] = -np.inf
            row = int(gains.argmax())
            to = int(joining[row].argmax())
            joining[everyone, self._labels] = stay
            if gains[row] == -np.inf:
                break
            source = int(self._labels[row])
            undo.append((row, source))
            free[row] = False
            totals.append(totals[-1] + self._move(row, to, products))
            joining[:, [source, to]] = self._joining(self._half, products, [source, to])
        best = int(np.argmax(totals))
        for row, label in reversed(undo[best:]):
            self._move(row, label)
        self._moves += len(undo)
        return np.array(totals[1:]), best

    def _joining(self, half: Array, products: Array, columns: Any) -> Array:
        """Return the change of Q for rows that join clusters, (m, c)."""
        norms, changes = self._norms[columns], 2 * (products[:, columns].astype(np.float64) + half[:, None])
        return np.asarray(np.sqrt(np.maximum(norms**2 + changes, 0.0)) - norms)

    def _leaving(self, places: Array, products: Array) -> Array:
        """Return the change of Q for rows that leave their clusters, (m,)."""
        groups, half = self._labels[places], self._half[places].astype(np.float64)
        left = np.maximum(self._norms[groups] ** 2 - 2 * (products[np.arange(len(groups)), groups] - half), 0.0)
        left[(self._live[groups] == 1) & (half > 0)] = 0.0  # not the root of a rounding error
        return np.asarray(np.sqrt(left) - self._norms[groups])

    def _gains(self, places: Array, products: Array) -> Array:
        """Return the change of Q for allowed moves, (m, k); -inf for others."""
        groups = self._labels[places]
        gains = self._joining(self._half[places], products, slice(None)) + self._leaving(places, products)[:, None]
        gains[np.arange(len(groups)), groups] = -np.inf
        gains[(self._count[groups] == 1) | (self._half[places] == 0)] = -np.inf
        return gains

    def _move(self, row: int, to: int, products: Any = None, block: Any = None) -> float:
        """Move a row; return the change of Q. Update the `products` of rows, by default all, with the two sums."""
        x, both = self._rows.take(np.array([row]))[0], [int(self._labels[row]), to]
        self._sums[both] += np.array([-x, x])
        self._count[both] += (-1, 1)
        if self._half[row] > 0:
            self._live[both] += (-1, 1)
        self._sums[both] *= (self._live[both] > 0)[:, None]  # nothing is left but rounding errors
        before, self._norms[both] = self._norms[both], _lengths(self._sums[both])
        self._labels[row], self._tops[:] = to, np.inf
        if products is not None:
            for span, rows in self._blocks() if block is None else [(slice(None), block)]:
                inner = rows @ x
                products[span, both[0]] -= inner
                products[span, to] += inner
        return float((self._norms[both] - before).sum())

    def _blocks(self, rows: Array | None = None) -> Iterator[tuple[slice, Any]]:
        """Yield spans of positions with their rows: views if all rows are used, else copies."""
        n = self._X.shape[0] if rows is None else len(rows)
        for start in range(0, n, _SEARCH.rows_at_once):
            span = slice(start, min(start + _SEARCH.rows_at_once, n))
            yield span, self._X[span] if rows is None else self._X[rows[span]]

    def _add_up(self) -> None:
        """Recompute sums, norms and counts from the labels, to remove accumulated rounding errors."""
        sums = cluster_sums(self._rows, self._labels, self._k)
        self._sums, self._norms, self._moves = sums.astype(self._X.dtype), _lengths(sums), 0
        self._count = np.bincount(self._labels, minlength=self._k)
        self._live = np.bincount(self._labels[self._half > 0], minlength=self._k)

    def _settle(self) -> None:
        if self._moves > len(self._labels) // 4 + 1000:
            self._add_up()


def _lengths(X: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
