"""The graph of nearest neighbours as weights: who is near whom, in either direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ...rows import Neighbours


def joined(neighbours: Neighbours) -> Any:
    """Return who is whose neighbour, in either direction, as a symmetric CSR matrix of cosines, (n, n).

    What is mutual weighs twice.

    >>> import numpy as np
    >>> found = Neighbours(np.array([[1], [0], [1]]), np.array([[0.5], [0.5], [0.25]]), 3)
    >>> joined(found).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.25], [0.0, 0.25, 0.0]]
    """
    index, n = neighbours.index, neighbours.n
    there = index >= 0
    rows = np.repeat(np.arange(n), index.shape[1])[there.ravel()]
    one_way = sp.csr_matrix((neighbours.cosines[there], (rows, index[there])), shape=(n, n))
    return (one_way + one_way.T).tocsr()


def walk(weights: Any) -> Any:
    """Return each row's weights divided by their sum: where a step from it leads, (n, n) CSR.

    >>> walk(sp.csr_matrix([[0.0, 1.0], [3.0, 1.0]])).toarray().tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """
    return normalize(weights, norm="l1")
