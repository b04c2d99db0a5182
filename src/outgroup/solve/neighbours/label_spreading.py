"""Labels spread over the graph of nearest neighbours: what is near a labelled row is likely of its group."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...stopping import stop_if_asked
from ...types import Array

_STEPS = 30
_PASSED_ON = 0.9  # of what a row says, its neighbours' part; the rest is its own label


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
