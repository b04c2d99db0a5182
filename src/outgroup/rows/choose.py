"""Pick the rows that fit what the caller gave, or say plainly why none does."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from .dense import DenseRows
from .matrix import checked_matrix
from .seam import Rows
from .sparse import SparseRows

_VERBS = ("fold", "map", "take", "correlate", "squares", "local")
_TELLING = ("fold", "correlate", "squares", "local")  # what has two of these, and is no array, was written to be rows


def is_rows(X: Any) -> bool:
    """Return whether `X` has the verbs of `Rows`.

    Parameters
    ----------
    X : anything

    Returns
    -------
    bool
        False for what was not written to be rows: arrays, matrices, lists.

    Raises
    ------
    InputError
        An object that has some of the verbs, naming what is missing, or another dtype than floats.
    """
    if isinstance(X, np.ndarray) or sp.issparse(X) or sum(hasattr(X, verb) for verb in _TELLING) < 2:
        return False
    name = type(X).__name__
    missing = [verb for verb in (*_VERBS, "shape", "dtype") if not hasattr(X, verb)]
    if missing:
        raise InputError(f"{name} lacks {', '.join(missing)}; rows have all of {', '.join(_VERBS)}, shape and dtype")
    if len(X.shape) != 2 or np.dtype(X.dtype) not in (np.float32, np.float64):
        raise InputError(f"{name} has shape {X.shape} and dtype {X.dtype}; rows are (n, d) of float32 or float64")
    return True


def as_rows(X: Any) -> Rows:
    """Return the `Rows` over `X`, or `X` itself where it is a `Rows` already.

    Its memory is shared where no conversion is needed, so leave it as it is while the rows are in use: the products
    trust the indices that are checked here.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d)
        Other number types than float32 become float64.

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        In scikit-learn's words: NaN, infinity, complex numbers, or anything but two dimensions.
    InputError
        Texts, a sparse matrix whose indices do not fit together, or an object with some of the verbs of `Rows`.

    Examples
    --------
    >>> as_rows([[1.0, 0.0], [0.0, 1.0]]).shape
    (2, 2)
    """
    if is_rows(X):
        rows: Rows = X
        return rows
    X = checked_matrix(X, order="C")
    if not sp.issparse(X):
        return DenseRows(X)
    X = _canonical(X)
    X.check_format(full_check=False)  # both index arrays get the same width
    return SparseRows(X)


def _canonical(X: Any) -> Any:
    """Return a CSR matrix with sorted indices and each entry once; SciPy would bring the caller's own arrays into order
    at some later time, which may be read-only, or in use by another thread."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
