"""Local search in NumPy and SciPy: what there is without the native kernels, and what they are tested against.

Up to some hundreds of rows it makes the very moves of the native search. Above, a sweep visits blocks of rows in place
of single rows: those of a block move to their nearest concept vector all at once, which lowers Q never (it is a batch
step on some of the rows), and takes a thousandth of the Python calls.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array
from ..spherical import keep_one

_TIE = 1e-12
_SINGLE_ROWS = 400  # up to so many a sweep moves row by row
_TOGETHER = 32  # of these looked at at once
_BLOCKS = 8  # of a sweep above
_FEW_MOVES = 100  # whose rows are added to the sums one by one
_CANCELLED = 1e-4  # of a square: what is left then is rounding, and is taken anew


class PlainSearch:
    """The native search's twin (see `outgroup.solve.in_memory.local_search.Search`), in float64."""

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
        """Q, the sum of the clusters' coherences."""
        return float(np.sqrt(self._squares).sum())

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        return self._labels.copy()

    def batch(self) -> int:
        """Move every row to its nearest concept vector, emptying no cluster."""
        before = self._labels
        self._labels = keep_one(self._nearest(self._X, before), before, self._k)
        self._add_up()
        return int(np.count_nonzero(self._labels != before))

    def sweep(self, order: Array, least: float) -> int:
        """Visit rows, or blocks of them, in `order`, each moving at once to where it gains."""
        if len(order) > _SINGLE_ROWS:
            return sum(self._sweep_block(rows) for rows in np.array_split(order, _BLOCKS))
        products, moved, place = np.asarray(self._X @ self._sums), 0, 0
        while place < len(order):  # rows before the first that gains stay, and change nothing for those after them
            rows = order[place : place + _TOGETHER]
            gains = self._gains(rows, products[rows])
            able = np.flatnonzero(gains.max(axis=1) > least)
            if len(able):
                self._move_and_follow(rows[able[0]], int(gains[able[0]].argmax()), products)
                moved += 1
            place += int(able[0]) + 1 if len(able) else len(rows)
        return moved

    def chain(self, length: int) -> tuple[Array, int]:
        """Take steepest moves, each row once; keep the best prefix."""
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
        """Return the change of Q for moving one row to each cluster."""
        joined = self._changes(np.array([row]), self._product(row)[None])[0]
        return np.where(np.arange(self._k) == self._labels[row], 0.0, joined)

    def _add_up(self) -> None:
        """Make the sums (d, k), their squares, and the number of rows that are not zero, from the labels alone."""
        n = len(self._labels)
        member = sp.csr_matrix((np.ones(n), self._labels, np.arange(n + 1)), shape=(n, self._k))
        self._sums = np.ascontiguousarray((member.T @ self._X).toarray().T)
        self._squares = np.einsum("dk,dk->k", self._sums, self._sums)
        self._live = np.bincount(self._labels[self._half > 0], minlength=self._k)

    def _product(self, row: int) -> Array:
        """Return the products (k,) of one row with the sums."""
        stored = slice(self._X.indptr[row], self._X.indptr[row + 1])
        return np.asarray(self._X.data[stored] @ self._sums[self._X.indices[stored]])

    def _changes(self, rows: Array, products: Array) -> Array:
        """Return the change of Q (m, k) for moving each row to each other cluster."""
        half, own, norms = self._half[rows, None], self._labels[rows], np.sqrt(self._squares)
        joining = np.sqrt(np.maximum(self._squares + 2 * (products + half), 0.0)) - norms
        left = np.maximum(self._squares[own] - 2 * (products[np.arange(len(rows)), own] - half[:, 0]), 0.0)
        left[(self._live[own] == 1) & (half[:, 0] > 0)] = 0.0  # not the root of a rounding rest
        return np.asarray(joining + (np.sqrt(left) - norms[own])[:, None])

    def _gains(self, rows: Array, products: Array) -> Array:
        """Return the changes of the moves that are allowed; -inf for the others."""
        gains, own = self._changes(rows, products), self._labels[rows]
        gains[np.arange(len(rows)), own] = -np.inf
        last = np.bincount(self._labels, minlength=self._k)[own] == 1
        gains[last | (self._half[rows] == 0)] = -np.inf
        return gains

    def _nearest(self, X: Any, own: Array) -> Array:
        cosines = (X @ self._sums) / np.maximum(np.sqrt(self._squares), 1e-30)
        cosines[np.arange(len(own)), own] += _TIE
        return np.asarray(cosines.argmax(axis=1).astype(np.int32))

    def _sweep_block(self, rows: Array) -> int:
        """Move each of the rows to its nearest concept vector; a cluster that would be emptied keeps its rows."""
        own = self._labels[rows]
        nearest = self._nearest(self._X[rows], own)
        leaving = np.bincount(own[nearest != own], minlength=self._k)
        emptied = leaving == np.bincount(self._labels, minlength=self._k)
        moving = np.flatnonzero((nearest != own) & ~emptied[own])
        if len(moving) <= _FEW_MOVES:
            for i in moving:
                self._move(rows[i], int(nearest[i]))
        else:
            self._labels[rows[moving]] = nearest[moving]
            self._add_up()
        return len(moving)

    def _move(self, row: Any, to: int) -> None:
        """Move one row: its terms in two sums, and their squares."""
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
        """Move one row, and change the products (n, k) of all rows with the two sums."""
        own = int(self._labels[row])
        self._move(row, to)
        inner = self._inner[row] if len(self._labels) <= _SINGLE_ROWS else (self._X @ self._X[[row]].T).toarray()[:, 0]
        products[:, own] -= inner
        products[:, to] += inner

    @cached_property
    def _inner(self) -> Array:
        """The products of few rows with each other, (n, n)."""
        return np.asarray((self._X @ self._X.T).toarray())

    def _follow(self, j: int, change: float) -> None:
        """Change the squared norm of one sum; where all but rounding cancels, take it from the sum itself."""
        before = self._squares[j]
        self._squares[j] = before + change
        if self._live[j] == 0:
            self._sums[:, j] = 0
        if self._live[j] == 0 or self._squares[j] < _CANCELLED * before:
            self._squares[j] = self._sums[:, j] @ self._sums[:, j]
