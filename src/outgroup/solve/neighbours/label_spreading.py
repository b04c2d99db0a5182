"""Labels spread over the graph of nearest neighbours: what is near a labelled row is likely of its group."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...stopping import stop_if_asked
from ...types import Array

_STEPS = 30
_PASSED_ON = 0.9  # of what a row says, its neighbours' part; the rest is its own label
_DOUBT = 1e-4  # of a share: that no label reaches a row from a group is no proof
_NOTHING = 1e-30


def spread_labels(shares: Any, pins: Array, k: int, masses: Array | None = None) -> Array:
    """Return how much of each group's label reaches each row, (n, k) float32; a labelled group's sum is 1, or its mass.

    F <- .9 P F + .1 F_0, thirty times, with P the `shares` (n, n) of the neighbours and F_0 a 1 for each labelled row
    in `pins` (n,), -1 for the others (Zhou et al., Learning with Local and Global Consistency, NIPS 2003); then the
    masses of the groups are made equal, or `masses` (k,) where these are known (Zhu, Ghahramani and Lafferty, ICML
    2003), so that a group with many near rows does not take all.

    >>> import scipy.sparse as sp
    >>> line = sp.csr_matrix([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]])
    >>> spread_labels(line, np.array([0, -1, -1, 1]), 2).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    labelled = np.flatnonzero(pins >= 0)
    own = np.zeros((len(pins), k), dtype=np.float32)
    own[labelled, pins[labelled]] = 1 - _PASSED_ON
    spread, shares = own.copy(), shares.astype(np.float32)
    for _ in range(_STEPS):
        stop_if_asked()
        spread = shares @ spread
        spread *= _PASSED_ON
        spread += own
    sums, wanted = spread.sum(axis=0, dtype=np.float64), np.ones(k) if masses is None else masses
    return np.asarray(spread * np.where(sums > 0, wanted / np.where(sums > 0, sums, 1.0), 0.0).astype(np.float32))


def spread_partition(shares: Any, pins: Array, k: int, found: Array, *, masses: Array | None = None) -> Array:
    """Return the group whose label reaches each row most, (n,) int32; `masses` (k,) are those of the groups.

    A row stays in its group of the partition `found` (n,) where no label reaches it, or where that group has no label.

    >>> import scipy.sparse as sp
    >>> pairs = sp.csr_matrix(np.eye(6)[[1, 0, 3, 2, 5, 4]])
    >>> spread_partition(pairs, np.array([1, -1, 0, -1, -1, -1]), 3, np.array([0, 0, 1, 1, 2, 2])).tolist()
    [1, 1, 0, 0, 2, 2]
    """
    return _placed(spread_labels(shares, pins, k, masses), pins, found)


def joined_partition(shares: Any, pins: Array, k: int, found: Array) -> Array:
    """Return the group that labels reach each row from most, and its fellows in the partition `found`, too, (n,) int32.

    What reaches a row, as shares of it, times the mean of these shares of the rows without a label in its group of
    `found` (n,): the graph knows what centres do not, and the other way round. Rows stay as in `spread_partition`.

    >>> import scipy.sparse as sp
    >>> near = np.eye(5, k=1) + np.eye(5, k=-1)
    >>> line = sp.csr_matrix(near / near.sum(axis=1, keepdims=True))
    >>> pins, found = np.array([0, -1, -1, -1, 1]), np.array([0, 0, 1, 1, 1])
    >>> spread_partition(line, pins, 2, found).tolist(), joined_partition(line, pins, 2, found).tolist()
    ([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    """
    reach = spread_labels(shares, pins, k).astype(np.float64)
    own = reach / np.maximum(reach.sum(axis=1, keepdims=True), _NOTHING)
    reached = own.any(axis=1, keepdims=True)
    return _placed((own + _DOUBT * reached) * _means(own, np.where(pins < 0, found, -1), k)[found], pins, found)


def _means(values: Array, groups: Array, k: int) -> Array:
    """Return the mean of the `values` (n, k) in each of the `groups` (n,), (k, k); rows in -1 have no part in it."""
    rows = np.flatnonzero(groups >= 0)
    members = sp.csr_matrix((np.ones(len(rows)), (groups[rows], rows)), shape=(k, len(groups)))
    return np.asarray(members @ values) / np.maximum(np.bincount(groups[rows], minlength=k), 1)[:, None]


def _placed(reach: Array, pins: Array, found: Array) -> Array:
    """Return where most reaches each row, (n,) int32, but its group of `found` where nothing does, or no label is."""
    labelled = np.bincount(pins[pins >= 0], minlength=reach.shape[1]) > 0
    reached = (reach.max(axis=1) > 0) & labelled[found]
    nearest = np.where(reached, reach.argmax(axis=1), found)
    return np.where(pins >= 0, pins, nearest).astype(np.int32)
