"""The sparse products in SciPy: a fallback without a compiler, and the reference for tests of the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array


def empty_rows(n: int, columns: int, dtype: Any) -> Array:
    """Return an uninitialised array (n, columns)."""
    return np.empty((n, columns), dtype=dtype)


def lay_out(W: Array, span: slice, out: Array) -> None:
    """Copy `W.T[span]` to `out[span]`, for directions W (columns, d)."""
    out[span] = W[:, span].T


def scores(X: Any, directions: Array, columns: int, span: slice, rows: Array | None) -> Array:
    """Return the scores `X[span] @ directions`, or those of the listed `rows[span]`: (m, columns), in the dtype of
    X.
    """
    block = _rows_of(X, span) if rows is None else X[rows[span]]
    return np.asarray(block @ directions)


def add_terms(terms: Any, coefficients: Array, span: slice, total: Array) -> None:
    """Add `(terms[span] @ coefficients).T` to the float64 `total[:, span]`."""
    total[:, span] += (_rows_of(terms, span) @ coefficients).T


def add_members(X: Any, edges: Array, members: Array, weights: Array, span: slice, total: Array) -> None:
    """Add the weighted sum of the members of cluster c to the float64 row `total[c]`, for each c in `span`."""
    coefficients = sp.csr_matrix((weights, members, edges), shape=(len(edges) - 1, X.shape[0]))
    total[span] += (_rows_of(coefficients, span) @ X).toarray()


def correlate(terms: Any, x_terms: Array, x_values: Array, out: Array) -> None:
    """Add the product of every row with a sparse row to `out` (n,)."""
    out += terms[x_terms].T @ x_values


def hinges(scores: Array, own: Array, weights: Array | None) -> Array:
    """Return the coefficients of the hinge losses, (m, c), from scores and the group of each row."""
    rows = np.arange(len(scores))
    violated = scores >= scores[rows, own][:, None] - 1
    violated[rows, own] = False
    coefficients = -violated.astype(scores.dtype)
    coefficients[rows, own] = -coefficients.sum(axis=1)
    return coefficients if weights is None else coefficients * weights.astype(scores.dtype)[:, None]


def column_sums(values: Array) -> Array:
    """Return the sum of each column, (c,) float64."""
    return np.asarray(values.sum(axis=0, dtype=np.float64))


def highest(values: Array, count: int) -> tuple[Array, Array]:
    """Return the columns of the `count` highest positive values in each row, (m, count) int32, and these values,
    float32.
    """
    (m, n), values = values.shape, np.asarray(values, dtype=np.float32)
    lowest = np.partition(values, -count, axis=1)[:, -count] if count < n else np.zeros(m)
    row, column = np.nonzero((values > 0) & (values >= lowest[:, None]))
    order = np.lexsort((-values[row, column], row))  # stable: columns ascend within equal values
    row, column = row[order], column[order]
    place = np.arange(len(row)) - np.searchsorted(row, np.arange(m))[row]
    row, column, place = (each[place < count] for each in (row, column, place))
    index, found = np.full((m, count), -1, dtype=np.int32), np.zeros((m, count), dtype=np.float32)
    index[row, place], found[row, place] = column, values[row, column]
    return index, found


def tsne_slope(indptr: Array, indices: Array, places: Array, pull: float) -> Array:
    """Return the gradient of t-SNE, (2, m) float32, at `places` (2, m) whose neighbours attract by `pull`."""
    m, squares = places.shape[1], (places * places).sum(axis=0)
    near = squares[:, None] + squares - 2 * (places.T @ places)
    np.reciprocal(np.maximum(near, 0.0, out=near) + 1, out=near)
    np.fill_diagonal(near, 0.0)
    source = np.repeat(np.arange(m), np.diff(indptr))
    pulled = sp.csr_matrix((near[source, indices], indices, indptr), shape=(m, m))
    total, near = max(float(near.sum(dtype=np.float64)), 1e-12), near * near
    slopes = [np.ravel(each.sum(axis=1)) * places - (each @ places.T).T for each in (pulled, near)]
    return np.asarray(4 * (pull * slopes[0] - slopes[1] / total), dtype=np.float32)


def _rows_of(X: Any, span: slice) -> Any:
    """Return a span of rows of a CSR matrix as a view; SciPy's slices are copies."""
    indptr = X.indptr[span.start : span.stop + 1]
    stored = slice(indptr[0], indptr[-1])
    return sp.csr_matrix((X.data[stored], X.indices[stored], indptr - indptr[0]), shape=(len(indptr) - 1, X.shape[1]))
