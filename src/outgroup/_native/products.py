"""The two products that touch big data, natively where the package was built with a compiler, by SciPy elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp



def scores(block: Any, directions: Any) -> Any:
    """Return `block @ directions`, dense, for directions of shape (d, c)."""
    return np.asarray(block @ directions)


def gather(block: Any, coefficients: Any) -> Any:
    """Return `coefficients.T @ block` as a dense float64 array of shape (c, d)."""
    if hasattr(coefficients, "columns"):
        coefficients = _one_hot_matrix(coefficients, block.dtype)
    else:
        coefficients = np.asarray(coefficients, dtype=block.dtype)
    total = (block.T @ coefficients).T if sp.issparse(block) else coefficients.T @ block
    return np.asarray(total.todense() if sp.issparse(total) else total, dtype=np.float64)


def _one_hot_matrix(one_hot: Any, dtype: Any) -> Any:
    row = np.flatnonzero(one_hot.columns >= 0)
    weights = np.ones(len(row)) if one_hot.weights is None else one_hot.weights[row]
    shape = (len(one_hot.columns), one_hot.n_columns)
    return sp.csr_matrix((weights.astype(dtype), (row, one_hot.columns[row])), shape=shape)
