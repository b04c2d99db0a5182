"""The documents that read most like each document, among those of its own group."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .lowest import lowest

_BLOCK = 512  # rows at once: the cosines of a block with a group are dense
_COMPARED = 1_500  # documents of a group that others are compared with; more are drawn evenly


def nearest(X: Any, groups: Array, count: int = 5) -> Array:
    """Return the row numbers of the nearest documents of the same group, (n, count) int32, nearest first; -1 for none.

    `X` is CSR (n, V) with unit rows, `groups` (n,) int. In a group of more than 1,500 documents each is compared with
    1,500 of them, evenly drawn.

    >>> X = sp.csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> nearest(X, np.zeros(4, dtype=int), 2).tolist()
    [[1, 3], [3, 0], [3, 1], [1, 2]]
    """
    found = np.full((X.shape[0], count), -1, dtype=np.int32)
    order = np.argsort(groups, kind="stable")
    edges = np.flatnonzero(np.diff(groups[order])) + 1
    for members in np.split(order, edges):
        _fill(found, X, members, _evenly(members))
    return found


def nearest_of(X: Any, groups: Array, row: int, count: int = 5) -> list[int]:
    """Return the documents nearest to one, as `nearest` finds them, in a moment.

    >>> nearest_of(sp.csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]]), np.zeros(4, dtype=int), 0, 2)
    [1, 3]
    """
    members = np.flatnonzero(groups == groups[row])
    found = np.full((1, count), -1, dtype=np.int32)
    others = _evenly(members)
    cosines = (X[[row]] @ sp.csr_matrix(X[others].T)).toarray()
    cosines[:, others == row] = -1.0
    _best(found, np.array([0]), cosines, others)
    return [int(near) for near in found[0] if near >= 0]


def _evenly(members: Array) -> Array:
    spaced = np.linspace(0, len(members) - 1, min(len(members), _COMPARED)).astype(int)
    return members[np.unique(spaced)]


def _fill(found: Array, X: Any, members: Array, others: Array) -> None:
    columns = sp.csr_matrix(X[others].T)
    for start in range(0, len(members), _BLOCK):
        rows = members[start : start + _BLOCK]
        cosines = (X[rows] @ columns).toarray()
        cosines[rows[:, None] == others] = -1.0
        _best(found, rows, cosines, others)


def _best(found: Array, rows: Array, cosines: Array, others: Array) -> None:
    top = _highest(cosines, found.shape[1])
    like = np.take_along_axis(cosines, top, axis=1) > 0
    found[rows, : top.shape[1]] = np.where(like, others[top], -1)


def _highest(values: Array, count: int) -> Array:
    """Column numbers of the highest values of each row, highest first, lower numbers first among equal ones."""
    if values.shape[1] > 4 * count:
        some = np.sort(lowest(-values, count), axis=1)
    else:
        some = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    order = np.argsort(-np.take_along_axis(values, some, axis=1), axis=1, kind="stable")[:, :count]
    return np.take_along_axis(some, order, axis=1)
