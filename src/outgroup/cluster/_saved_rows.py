"""Rows and their neighbours as plain arrays, and back: what a file says is checked before it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import Neighbours
from ._base import FLOATS


def packed(X: Any) -> Any:
    """Return rows as arrays, those of a sparse matrix as a list of three."""
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else X


def unpacked(given: Any, d: int) -> Any:
    """Return the rows that `packed` made arrays of, None for None; raises ValueError unless they have d columns."""
    if given is None:
        return None
    if isinstance(given, list | tuple):
        data, indices, indptr = (np.asarray(each) for each in given)
        X: Any = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, d))
        X.check_format(full_check=True)
    else:
        X = np.ascontiguousarray(given)
    if X.dtype not in FLOATS or X.ndim != 2 or X.shape[1] != d or not np.isfinite(X.sum()):
        raise ValueError(f"its rows have shape {X.shape} and dtype {X.dtype}")
    return X


def graph_of(given: Any, X: Any) -> Neighbours | None:
    """Return the neighbours of the rows `X` (n, d) from their index and cosines, None where there are no rows.

    Raises ValueError where these are none, or there are neighbours without rows.
    """
    if X is None and given is None:
        return None
    if X is None:
        raise ValueError("neighbours without rows")
    n = X.shape[0]
    index, cosines = (np.asarray(each) for each in given)
    right = index.ndim == 2 and index.shape == cosines.shape and len(index) == n and index.dtype.kind == "i"
    if not right or cosines.dtype.kind != "f" or not np.isfinite(cosines).all():
        raise ValueError(f"neighbours have shapes {index.shape} and {cosines.shape} for {n} rows")
    if index.min(initial=-1) < -1 or index.max(initial=-1) >= n:
        raise ValueError(f"a neighbour is numbered {index.max()} of {n}")
    return Neighbours(index.astype(np.int32), cosines.astype(np.float32), n)
