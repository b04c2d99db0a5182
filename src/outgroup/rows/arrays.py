"""Array functions for the rules, with NumPy or any library of the array API standard.

A rule computes in the library of its scores: NumPy for rows in memory, CuPy or PyTorch for rows on a graphics card.
NumPy arrays are written in place; the others use the functions of the standard.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native.products import current
from ..types import Array


def namespace(x: Any) -> Any:
    """Return the array module of `x`: NumPy, the module that the array declares, or array-api-compat."""
    if isinstance(x, np.ndarray):
        return np
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__()
    import array_api_compat

    return array_api_compat.array_namespace(x)


def normalize(X: Any, **options: Any) -> Any:
    """Return rows of unit length, by scikit-learn, which is imported at the first call."""
    from sklearn.preprocessing import normalize

    return normalize(X, **options)


def like(values: Array, x: Any) -> Any:
    """Convert a few NumPy `values` to the library, device and dtype of `x`."""
    if isinstance(x, np.ndarray):
        return values.astype(x.dtype, copy=False)
    values = values if values.flags.writeable else values.copy()  # PyTorch warns of read-only arrays
    return namespace(x).asarray(values, dtype=x.dtype, device=x.device)


def cast(x: Any, dtype: Any) -> Any:
    """Return `x` with another dtype, given as a dtype of its library or of NumPy."""
    if isinstance(x, np.ndarray):
        return x.astype(dtype)
    xp = namespace(x)
    return xp.astype(x, getattr(xp, dtype.name) if isinstance(dtype, np.dtype) else dtype)


def argmax(scores: Any) -> Any:
    """Return the column with the highest score in each row, (n,) int32; the first of equal ones."""
    if isinstance(scores, np.ndarray):
        return scores.argmax(axis=1).astype(np.int32)
    xp = namespace(scores)
    return xp.astype(xp.argmax(scores, axis=1), xp.int32)


def masked(scores: Any, columns: Any) -> Any:
    """Return a copy of `scores` (n, c) with minus infinity in the given column of each row."""
    return set_at(scores.copy() if isinstance(scores, np.ndarray) else scores, columns, -np.inf)


def at(scores: Any, columns: Any) -> Any:
    """Return the entry of `scores` (n, c) in the given column of each row, (n,)."""
    if isinstance(scores, np.ndarray):
        return scores[np.arange(len(scores)), columns]
    xp = namespace(scores)
    return xp.take_along_axis(scores, xp.astype(columns, xp.int64)[:, None], axis=1)[:, 0]


def set_at(scores: Any, columns: Any, values: Any) -> Any:
    """Return `scores` (n, c) with the entry in each row's column replaced by `values`, a number or (n,).

    A NumPy array is changed in place.
    """
    if isinstance(scores, np.ndarray):
        scores[np.arange(len(scores)), columns] = values
        return scores
    xp = namespace(scores)
    numbers = xp.arange(scores.shape[1], dtype=columns.dtype, device=scores.device)
    values = xp.asarray(values, dtype=scores.dtype, device=scores.device)
    return xp.where(numbers[None, :] == columns[:, None], values[:, None] if values.ndim else values, scores)


def zeros(x: Any, columns: int) -> Any:
    """Return zeros (n, columns) with the dtype and device of `x` (n,)."""
    if isinstance(x, np.ndarray):
        return np.zeros((len(x), columns), dtype=x.dtype)
    return namespace(x).zeros((x.shape[0], columns), dtype=x.dtype, device=x.device)


def hinges(scores: Any, own: Any, weights: Any = None) -> Any:
    """Return -1 for each rival column with a score within 1 of the `own` column, and the number of these in that
    column.

    Both times the row's weight, if `weights` (n,) are given; shape (n, c).

    >>> hinges(np.array([[3.0, 2.5, 0.0], [1.0, 5.0, 4.5]]), np.array([0, 1])).tolist()
    [[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]
    """
    if isinstance(scores, np.ndarray):
        return current().hinges(scores, own, weights)
    violated = set_at(scores >= at(scores, own)[:, None] - 1, own, False)
    coefficients = -cast(violated, scores.dtype)
    coefficients = set_at(coefficients, own, -namespace(scores).sum(coefficients, axis=1))
    return coefficients if weights is None else coefficients * cast(weights, scores.dtype)[:, None]


def total(x: Any) -> float:
    """Return the sum of all entries, accumulated in float64."""
    if isinstance(x, np.ndarray):
        return float(x.sum(dtype=np.float64))
    xp = namespace(x)
    return float(xp.sum(x if x.dtype == xp.float64 else xp.astype(x, xp.float64)))
