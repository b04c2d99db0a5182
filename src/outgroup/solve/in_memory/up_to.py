"""Numbers of groups that rows can be divided in: no more than there are different rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import InputError


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


def _different(X: Any, most: int) -> int:
    """Return how many different rows there are, or `most` as soon as there are so many."""
    seen = set[bytes]()
    for row in _rows(X):
        seen.add(row)
        if len(seen) == most:
            break
    return len(seen)


def _rows(X: Any) -> Iterator[bytes]:
    if not sp.issparse(X):
        yield from (row.tobytes() for row in np.asarray(X))
        return
    X = sp.csr_matrix(X)
    for start, end in zip(X.indptr, islice(X.indptr, 1, None), strict=False):
        yield X.indices[start:end].tobytes() + X.data[start:end].tobytes()
