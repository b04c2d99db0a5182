"""Refuse a sparse matrix whose index arrays do not fit together, before anything compiled walks along them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError

_WIDE, _EMPTY = 10_000_000, 100  # columns that are always fine, and columns a stored value beyond that
_REMEDY = "build the matrix anew, and change its index arrays by SciPy's own functions alone"


def sound(X: Any, name: str = "X") -> Any:
    """Return `X`, a sparse matrix with index arrays of one type, contiguous as all its arrays.

    Raises InputError where the indices do not fit together, or nearly all columns are empty: each group has a number
    for each column.

    SciPy and scikit-learn look at the ends of the index arrays, not at what is between: converting, scaling or
    multiplying such a matrix may read and write anywhere. Unsorted and repeated indices, of 32 or 64 bits, are fine.

    >>> sound(sp.csr_matrix(np.eye(2))).shape
    (2, 2)
    """
    if not sp.issparse(X):
        return X
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X, name)
    elif X.format == "coo":
        for axis, (numbers, end) in enumerate(zip((X.row, X.col), X.shape, strict=True)):
            _check_within(numbers, end, f"{name}.{('row', 'col')[axis]}")
    elif X.format == "lil":
        _check_within(np.concatenate([np.asarray(row, dtype=np.int64) for row in X.rows]), X.shape[1], f"{name}.rows")
    if X.shape[1] > max(_WIDE, _EMPTY * X.nnz):
        said = f"{name} has {X.shape[1]:,} columns and {X.nnz:,} stored values, and each group takes all columns"
        raise InputError(f"{said}; leave out the empty ones")
    return _even(X) if X.format in ("csr", "csc", "bsr") else X


def _even(X: Any) -> Any:
    arrays = X.data, X.indices, X.indptr
    if X.indices.dtype == X.indptr.dtype and all(each.flags.c_contiguous for each in arrays):
        return X
    return type(X)(tuple(map(np.ascontiguousarray, arrays)), shape=X.shape)


def _check_compressed(X: Any, name: str) -> None:
    high, wide = X.blocksize if X.format == "bsr" else (1, 1)
    lines, columns = (X.shape[1], X.shape[0]) if X.format == "csc" else (X.shape[0] // high, X.shape[1] // wide)
    starts = np.asarray(X.indptr)
    if starts.shape != (lines + 1,):
        raise InputError(f"{name}.indptr has {starts.size} entries where {lines + 1} belong; {_REMEDY}")
    wrong = np.flatnonzero((starts[1:] < starts[:-1]) | (starts[1:] > len(X.indices)))
    if starts[0] != 0 or len(wrong):
        place = 0 if starts[0] != 0 else int(wrong[0]) + 1
        what = f"{name}.indptr[{place}] is {starts[place]}, and {len(X.indices)} entries are stored"
        raise InputError(f"{what}: they must rise from 0 to that; {_REMEDY}")
    if len(X.data) != len(X.indices):
        raise InputError(f"{name} has {len(X.indices)} indices and {len(X.data)} values; {_REMEDY}")
    _check_within(X.indices[: starts[-1]], columns, f"{name}.indices")


def _check_within(numbers: Any, end: int, name: str) -> None:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= end):
        worst = numbers.min() if numbers.min() < 0 else numbers.max()
        raise InputError(f"{name} has {worst}, and only 0 to {end - 1} exist; {_REMEDY}")
