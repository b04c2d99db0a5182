"""Rows of a NumPy array in memory: matrix products of blocks that stay in cache, on threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .base import OneHot, Rule, correlated
from .blocks import add_up, checked_directions, checked_subset, even_spans, join
from .threads import ordered_map

_BLOCK = 1 << 20  # bytes of a block: it should still be in cache for its second product
_LEAST_ROWS = 256  # of a block, or adding its sums up would cost more than making them
_MOST_RUNS = 16  # of blocks: each has its own sums, added up at the end


class DenseRows:
    """The rows of a C-contiguous array of float32 or float64 (see `Rows`).

    Blocks, and runs of blocks, are fixed by the array's shape. A fold takes, beyond X, the float64 sums of each run.
    """

    def __init__(self, X: Array) -> None:
        self._X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions = self._directions(W)

        def task(run: list[Any]) -> Any:
            return add_up(_contribution(*self._apply(directions, rule, each, rows)) for rows in run)

        total, tally = add_up(ordered_map(task, self._runs(on)))
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        directions = self._directions(W)

        def task(run: list[Any]) -> Any:
            return join([self._apply(directions, rule, each, rows)[1] for rows in run])

        return join(ordered_map(task, self._runs(on)))

    def take(self, index: Array) -> Array:
        return np.array(self._X[index])

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        X = self._X
        return np.concatenate(
            ordered_map(lambda rows: np.einsum("ij,ij->i", X[rows], X[rows], dtype=np.float64), self._parts(len(X)))
        )

    def local(self) -> Any:
        return self._X

    def _directions(self, W: Array | None) -> Array | None:
        if W is None:
            return None
        return np.ascontiguousarray(checked_directions(W, self.shape[1]).T, dtype=self.dtype)

    def _apply(self, directions: Array | None, rule: Rule, each: tuple[Array, ...], rows: Any) -> tuple[Array, Any]:
        block = self._X[rows]
        return block, rule(None if directions is None else block @ directions, *(e[rows] for e in each))

    def _runs(self, on: Array | None) -> list[list[Any]]:
        """Lists of blocks, a block being a slice of rows or, with `on`, their numbers."""
        rows = checked_subset(on, self.shape[0])
        n = self.shape[0] if rows is None else len(rows)
        parts = self._parts(n)
        blocks = parts if rows is None else [rows[part] for part in parts]
        return [blocks[run] for run in even_spans(0, len(blocks), _MOST_RUNS)]

    def _parts(self, n: int) -> list[slice]:
        length = max(_LEAST_ROWS, _BLOCK // (self.shape[1] * self.dtype.itemsize))
        return even_spans(0, n, -(-n // length))


def _contribution(block: Array, result: tuple[Any, Any]) -> tuple[Array, Any]:
    coefficients, tally = result
    if not isinstance(coefficients, OneHot):
        return np.asarray(np.asarray(coefficients, dtype=block.dtype).T @ block, dtype=np.float64), tally
    edges, members, weights = coefficients.grouped()
    matrix = sp.csr_matrix((weights, members, edges), shape=(len(edges) - 1, len(block)))
    return np.asarray(matrix @ block), tally
