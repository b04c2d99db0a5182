"""Local search in NumPy, every gain anew at every step: for small data without the native room, and to check it by."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array
from ..spherical import keep_one

_TIE = 1e-12


class PlainSearch:
    """The native search's twin in results, not in speed (see `outgroup.solve.local_search.Search`)."""

    def __init__(self, X: Any, labels: Array, k: int) -> None:
        self._X = sp.csr_matrix(X, dtype=np.float64)
        self._half = np.asarray(self._X.multiply(self._X).sum(axis=1)).ravel() / 2
        self._labels, self._k = np.array(labels, dtype=np.int32), k

    @property
    def objective(self) -> float:
        """Q, the sum of the clusters' coherences."""
        return float(np.linalg.norm(self._sums(), axis=1).sum())

    @property
    def labels(self) -> Array:
        """A copy of the labels."""
        return self._labels.copy()

    def batch(self) -> int:
        """Move every row to its nearest concept vector, emptying no cluster."""
        sums = self._sums()
        cosines = (self._X @ sums.T) / np.maximum(np.linalg.norm(sums, axis=1), 1e-30)
        cosines[np.arange(len(self._labels)), self._labels] += _TIE
        before, self._labels = self._labels, keep_one(cosines.argmax(axis=1).astype(np.int32), self._labels, self._k)
        return int(np.count_nonzero(self._labels != before))

    def sweep(self, order: Array, least: float) -> int:
        """Visit rows in `order`, each moving at once to where it gains most."""
        moved = 0
        for row in order:
            gains = self._gains(np.array([row]))[0]
            if gains.max() > least:
                self._labels[row] = gains.argmax()
                moved += 1
        return moved

    def chain(self, length: int) -> tuple[Array, int]:
        """Take steepest moves, each row once; keep the best prefix."""
        free, totals = np.ones(len(self._labels), dtype=bool), [0.0]
        undo: list[tuple[Any, Any]] = []
        while len(undo) < length:
            gains = np.where(free[:, None], self._gains(np.arange(len(free))), -np.inf)
            row, to = np.unravel_index(gains.argmax(), gains.shape)
            if gains[row, to] == -np.inf:
                break
            undo.append((row, self._labels[row]))
            free[row], self._labels[row] = False, to
            totals.append(totals[-1] + gains[row, to])
        kept = int(np.argmax(totals))
        for row, label in reversed(undo[kept:]):
            self._labels[row] = label
        return np.array(totals[1:]), kept

    def gains(self, row: int) -> Array:
        """Return the change of Q for moving one row to each cluster."""
        sums = self._sums()
        norms, x, own = np.linalg.norm(sums, axis=1), self._X[[row]].toarray()[0], self._labels[row]
        joined = np.linalg.norm(sums + x, axis=1) - norms + np.linalg.norm(sums[own] - x) - norms[own]
        return np.where(np.arange(self._k) == own, 0.0, joined)

    def _sums(self) -> Array:
        shape = (len(self._labels), self._k)
        member = sp.csr_matrix((np.ones(shape[0]), (np.arange(shape[0]), self._labels)), shape=shape)
        return np.asarray((member.T @ self._X).toarray())

    def _gains(self, rows: Array) -> Array:
        """Gains (len(rows), k) of the moves that are allowed; -inf for the others."""
        sums = self._sums()
        squares, product, half = (sums**2).sum(axis=1), self._X[rows] @ sums.T, self._half[rows, None]
        each, own = np.arange(len(rows)), self._labels[rows]
        joining = np.sqrt(np.maximum(squares + 2 * (product + half), 0.0)) - np.sqrt(squares)
        left = np.maximum(squares - 2 * (product - half), 0.0)
        left[:, np.bincount(self._labels[self._half > 0], minlength=self._k) == 1] = (
            0  # not the root of a rounding rest
        )
        leaving = np.sqrt(left) - np.sqrt(squares)
        gains = joining + leaving[each, own][:, None]
        gains[each, own] = -np.inf
        last = np.bincount(self._labels, minlength=self._k)[own] == 1
        gains[last | (half[:, 0] == 0)] = -np.inf
        return np.asarray(gains)
