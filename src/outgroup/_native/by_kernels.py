"""The sparse products by the native kernels; `products` documents each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Array
from . import library as kernels

_LINE = 64  # bytes of a cache line: rows of dense numbers begin at one and fill whole ones
_NAMES = {"BASELINE": "no vector extension assumed", "AVX2": "AVX2", "AVX512": "AVX-512"}


def instructions() -> str:
    """Name the instruction set in use."""
    return _NAMES[kernels.level().name]


def empty_rows(n: int, columns: int, dtype: Any) -> Array:
    """Return an uninitialised array (n, columns rounded up to whole cache lines), beginning at a cache line."""
    size = np.dtype(dtype).itemsize
    width = -(-columns * size // _LINE) * _LINE
    memory = np.empty(n * width + _LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + n * width].view(dtype).reshape(n, width // size)


def lay_out(W: Array, span: slice, out: Array) -> None:
    """Set `out[span] = W.T[span]`, zeros beyond the columns that W has."""
    kernels.lay_out(W, span.start, span.stop, out)


def scores(X: Any, directions: Array, columns: int, span: slice, rows: Array | None) -> Array:
    """Return `X[span] @ directions`, or of the listed `rows[span]`: shape (m, columns), in the dtype of X."""
    out = np.empty((span.stop - span.start, columns), dtype=X.dtype)
    kernels.scores(X.indptr, X.indices, X.data, directions, span.start, span.stop, rows, out)
    return out


def add_terms(terms: Any, coefficients: Array, span: slice, total: Array) -> None:
    """Add `(terms[span] @ coefficients).T` to the float64 `total[:, span]`."""
    kernels.add_terms(terms.indptr, terms.indices, terms.data, coefficients, span.start, span.stop, total)


def add_members(X: Any, edges: Array, members: Array, weights: Array, span: slice, total: Array) -> None:
    """Add to each float64 `total[c]`, c in span, its members' rows times their weights."""
    kernels.add_members(X.indptr, X.indices, X.data, edges, members, weights, span.start, span.stop, total)


def correlate(terms: Any, x_terms: Array, x_values: Array, out: Array) -> None:
    """Add the products of all rows with one sparse row to `out` (n,)."""
    kernels.correlate(terms.indptr, terms.indices, terms.data, x_terms, x_values, out)


def hinges(scores: Array, own: Array, weights: Array | None) -> Array:
    """Return the coefficients of the margin's rule, (m, c)."""
    out = np.empty(scores.shape, dtype=scores.dtype)
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=scores.dtype)
    kernels.hinges(np.ascontiguousarray(scores), np.ascontiguousarray(own, dtype=np.int32), weights, out)
    return out


def column_sums(values: Array) -> Array:
    """Return the sum of each column, (c,) float64."""
    if values.dtype not in (np.float32, np.float64):
        return np.asarray(values.sum(axis=0, dtype=np.float64))
    sums = np.zeros(values.shape[1])
    kernels.column_sums(np.ascontiguousarray(values), sums)
    return sums


def highest(values: Array, count: int) -> tuple[Array, Array]:
    """Return the columns of each row's highest numbers above zero, (m, count) int32, and the numbers, float32."""
    index = np.empty((len(values), count), dtype=np.int32)
    found = np.empty((len(values), count), dtype=np.float32)
    kernels.highest(np.ascontiguousarray(values, dtype=np.float32), index, found)
    return index, found
