"""Pick the rows that fit what the caller gave, or say plainly why none does."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from .memory import MemoryRows
from .seam import Rows


def as_rows(X: Any) -> Rows:
    """Return the `Rows` over `X`: an array or sparse matrix (n, d); other number types than float32 become float64.

    Raises ValueError, in scikit-learn's words, for NaN, infinity, complex numbers, or anything but two dimensions.

    >>> as_rows([[1.0, 0.0], [0.0, 1.0]]).shape
    (2, 2)
    """
    if isinstance(X, MemoryRows):
        return X
    return MemoryRows(check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"))
