"""The documents that read most like each document, among those of its own group."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rows import nearest as nearest_rows
from ...types import Array

_COMPARED = 5_000  # documents that are compared with each other: a larger group is cut into parts, each evenly drawn


def nearest(X: Any, groups: Array, count: int = 5) -> Array:
    """Return the row numbers of the nearest documents of the same group, (n, count) int32, nearest first; -1 for none.

    `X` is CSR (n, V) with unit rows, `groups` (n,) int. In a group of more than 5,000 documents each is compared with
    those of a part of the group, evenly drawn.

    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> nearest(X, np.zeros(4, dtype=int), 2).tolist()
    [[1, 3], [3, 0], [3, 1], [1, 2]]
    """
    found = np.full((X.shape[0], count), -1, dtype=np.int32)
    if not X.shape[1]:  # without a word nothing reads like another
        return found
    order = np.argsort(groups, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        for part in _parts(members):
            near = nearest_rows(X[part], count=count).index
            found[part, : near.shape[1]] = np.where(near >= 0, part[near], -1)
    return found


def nearest_of(X: Any, groups: Array, row: int, count: int = 5) -> list[int]:
    """Return the documents nearest to one, as `nearest` finds them, in a moment.

    >>> from scipy.sparse import csr_matrix
    >>> nearest_of(csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]]), np.zeros(4, dtype=int), 0, 2)
    [1, 3]
    """
    parts = _parts(np.flatnonzero(groups == groups[row]))
    others = next(part for part in parts if row in part)
    others = others[others != row]
    near = nearest_rows(X[[row]], X[others], count=count).index[0] if len(others) and X.shape[1] else ()
    return [int(others[place]) for place in near if place >= 0]


def _parts(members: Array) -> list[Array]:
    count = -(-len(members) // _COMPARED)
    return [members[first::count] for first in range(count)]
