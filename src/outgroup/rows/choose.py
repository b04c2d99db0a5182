"""Pick the rows that fit what the caller gave, or say plainly why none does."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from .centred import CentredRows
from .dense import DenseRows
from .seam import Rows
from .sparse import SparseRows


def as_rows(X: Any) -> Rows:
    """Return the `Rows` over `X`: an array or sparse matrix (n, d); other number types than float32 become float64.

    Its memory is shared where no conversion is needed, so leave it as it is while the rows are in use: the products
    trust the indices that are checked here. Raises ValueError, in scikit-learn's words, for NaN, infinity, complex
    numbers, or anything but two dimensions; and for a sparse matrix whose indices lie outside its shape.

    >>> as_rows([[1.0, 0.0], [0.0, 1.0]]).shape
    (2, 2)
    """
    if isinstance(X, DenseRows | SparseRows | CentredRows):
        return X
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
    if not sp.issparse(X):
        return DenseRows(X)
    X.check_format(full_check=True)
    return SparseRows(X)
