"""Sparse rows in fewer columns, with the same products among them.

Of very many words most are in one document alone, and every direction is an array of k times all of them. The columns
that only one row has say nothing but how long that part of the row is: they turn into one column a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array

_WORTH = 0.5  # of the columns: fewer than this are left, or the rows stay as they are


@dataclass(frozen=True)
class Narrow:
    """Matrices in fewer columns, and what makes directions among them directions among all `width` columns.

    Column c is column `place[c]` of the narrow ones times `share[c]`; of what no row has, the share is 0.
    """

    matrices: list[Any]
    place: Array
    share: Array

    def widened(self, W: Array) -> Array:
        """Return directions (k, columns of the matrices) as (k, d): every row's products with them are the same."""
        return np.asarray(W[:, self.place] * self.share)


def narrow(*matrices: Any) -> Narrow | None:
    """Return CSR matrices of the same columns with those that one row alone has made one a row.

    That turns and drops axes of the space, and changes no product of two rows. None where more than half of the columns
    would be left.

    >>> X = sp.csr_matrix(np.array([[1.0, 3.0, 4.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 1.0, 0.0]]))
    >>> found = narrow(X)
    >>> found.matrices[0].toarray().tolist(), found.widened(np.array([[1.0, 5.0, 0.0]])).tolist()
    ([[1.0, 5.0, 0.0], [2.0, 0.0, 1.0]], [[1.0, 3.0, 4.0, 0.0, 0.0, 0.0]])
    """
    d = matrices[0].shape[1]
    whole = matrices[0] if len(matrices) == 1 else sp.vstack(matrices, format="csr")
    rows_of = np.bincount(whole.indices, minlength=d)
    single = rows_of == 1
    left = np.count_nonzero(rows_of > 1)
    if not whole.nnz:  # no column would be left, and no rows without columns are opened
        return None
    if left + min(whole.shape[0], np.count_nonzero(single)) > _WORTH * d or not whole.has_canonical_format:
        return None
    return _narrowed(whole, [matrix.shape[0] for matrix in matrices], single, rows_of > 1)


def _narrowed(whole: Any, sizes: list[int], single: Array, shared: Array) -> Narrow:
    n, left = whole.shape[0], int(np.count_nonzero(shared))
    row = np.repeat(np.arange(n), np.diff(whole.indptr))
    alone = single[whole.indices]
    lengths = np.sqrt(np.bincount(row[alone], np.square(whole.data[alone], dtype=np.float64), n))
    owners = np.flatnonzero(lengths)
    number = np.zeros(n, dtype=np.int64)
    number[owners] = left + np.arange(len(owners))
    place, share = np.zeros(len(single), dtype=np.int64), shared.astype(np.float64)
    place[shared] = np.arange(left)
    place[whole.indices[alone]] = number[row[alone]]
    share[whole.indices[alone]] = whole.data[alone] / np.where(lengths > 0, lengths, 1.0)[row[alone]]
    shape = (n, left + len(owners))
    kept = sp.csr_matrix((whole.data[~alone], (row[~alone], place[whole.indices[~alone]])), shape)
    own = sp.csr_matrix((lengths[owners].astype(whole.dtype), (owners, number[owners])), shape)
    narrowed = (kept + own).tocsr()
    edges = np.cumsum([0, *sizes])
    parts = [narrowed[first:last] for first, last in pairwise(edges.tolist())]
    return Narrow(parts, place, share)
