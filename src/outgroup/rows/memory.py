"""Rows in memory: NumPy arrays and SciPy CSR matrices, in blocks, on threads."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._native import products
from .seam import Array, Rule
from .threads import ordered_map

_DENSE_BLOCK = 1 << 20  # bytes of a dense block: it should stay in cache between the two products
_SPARSE_BLOCKS = 4  # a sparse block's sum is a dense (columns, d) array, so sparse data wants few blocks


class MemoryRows:
    """The rows of a NumPy array or a SciPy CSR matrix, of float32 or float64 (see `Rows`)."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions = self._directions(W)

        def task(rows: Any) -> tuple[Array, Any]:
            block, coefficients, tally = self._apply(directions, rule, each, rows)
            return products.gather(block, coefficients), tally

        return add_up(ordered_map(task, self._blocks(on)))

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        directions = self._directions(W)

        def task(rows: Any) -> Any:
            block = self._X[rows]
            return rule(_scores(block, directions), *(e[rows] for e in each))

        return join(list(ordered_map(task, self._blocks(on))))

    def take(self, index: Array) -> Array:
        rows = self._X[index]
        return rows.toarray() if sp.issparse(rows) else np.array(rows)

    def correlate(self, x: Any) -> Array:
        if not sp.issparse(self._X):
            return np.asarray(self._X @ _dense_vector(x, self.dtype))
        x = sp.csr_matrix(x, dtype=self.dtype)
        return np.asarray((self._by_term[:, x.indices] @ x.data)).ravel()

    @cached_property
    def _by_term(self) -> Any:
        return self._X.tocsc()

    def _directions(self, W: Array | None) -> Array | None:
        return None if W is None else np.ascontiguousarray(np.asarray(W).T, dtype=self.dtype)

    def _apply(self, directions: Array | None, rule: Rule, each: tuple[Array, ...], rows: Any) -> tuple[Any, Any, Any]:
        block = self._X[rows]
        coefficients, tally = rule(_scores(block, directions), *(e[rows] for e in each))
        return block, coefficients, tally

    def _blocks(self, on: Array | None) -> list[Any]:
        n = self.shape[0] if on is None else len(on)
        count = _SPARSE_BLOCKS if sp.issparse(self._X) else -(-n * self.shape[1] * self.dtype.itemsize // _DENSE_BLOCK)
        edges = np.linspace(0, n, max(1, min(count, n)) + 1).astype(int)
        spans = [slice(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]
        return spans if on is None else [on[span] for span in spans]


def _scores(block: Any, directions: Array | None) -> Array | None:
    return None if directions is None else products.scores(block, directions)


def _dense_vector(x: Any, dtype: Any) -> Array:
    return np.asarray(x.toarray() if sp.issparse(x) else x, dtype=dtype).ravel()


def add_up(parts: Any) -> tuple[Array, Any]:
    """Sum (array, tally) pairs in their order; tallies may be nested tuples."""
    parts = iter(parts)
    total = next(parts)
    for part in parts:
        total = _plus(total, part)
    return total  # type: ignore[no-any-return]


def _plus(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return tuple(_plus(x, y) for x, y in zip(a, b, strict=True))
    return a + b


def join(parts: list[Any]) -> Any:
    """Concatenate per-row results, arrays or tuples of arrays, in block order."""
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    return np.concatenate(parts)
