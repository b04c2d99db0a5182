"""Numbers of groups that rows can be divided in: no more than there are different rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import InputError
from ...types import Array


def up_to(ks: Sequence[int], X: Any) -> list[int]:
    """Return those of the ascending numbers `ks` that are not above the number of different rows of `X`, CSR or dense;
    and that number itself, where it ends them.

    Raises InputError where none is left.

    >>> up_to([2, 3, 4, 8], np.eye(3)[[0, 1, 2, 0, 1, 2]]), up_to([2, 8], np.eye(4)), up_to([2, 3], np.eye(4))
    ([2, 3], [2, 4], [2, 3])
    """
    different = _different(X, ks[-1])
    if different < ks[0]:
        few = f"only {different} of the documents are different ones" if different > 1 else "all documents are alike"
        raise InputError(f"{few}, which are too few for {ks[0]} groups; give a number of groups, or other documents")
    return sorted({*(k for k in ks if k <= different), min(ks[-1], different)})


def directions_up_to(most: int, X: Any) -> int:
    """Return how many rows of unit length differ by more than rounding, or `most` as soon as there are so many.

    >>> directions_up_to(9, np.array([[0.6, 0.8], [0.6 + 1e-15, 0.8], [1.0, 0.0]]))
    2
    """
    return _different(X, most, 5 if X.dtype == np.float32 else 9)


def _different(X: Any, most: int, digits: int | None = None) -> int:
    """Return how many different rows there are, to so many digits, or `most` as soon as there are so many."""
    seen = set[bytes]()
    for row in _rows(X, digits):
        seen.add(row)
        if len(seen) == most:
            break
    return len(seen)


def _rows(X: Any, digits: int | None) -> Iterator[bytes]:
    if not sp.issparse(X):
        yield from (_bytes_of(row, digits) for row in np.asarray(X))
        return
    X = sp.csr_matrix(X)
    for start, end in zip(X.indptr, islice(X.indptr, 1, None), strict=False):
        yield X.indices[start:end].tobytes() + _bytes_of(X.data[start:end], digits)


def _bytes_of(row: Array, digits: int | None) -> bytes:
    return (row if digits is None else row.round(digits) + 0.0).tobytes()  # there is a zero below zero, too
