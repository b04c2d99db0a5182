"""PCKMeans: k-means that pairs of rows steer (Basu et al., SDM 2004)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

STEPS = 30
WEIGHT = 1.0  # of a violated pair; the squared distance of two unit rows is at most 4

Array = np.ndarray[Any, Any]


class Links(NamedTuple):
    """The linked rows (m,), and masks (m, m) of the must-links and cannot-links between them."""

    rows: Array
    must: Array
    cannot: Array


def by_links(X: Any, groups: Array, k: int, links: Links, seed: int) -> Array:
    """Return the groups (n,) of PCKMeans from the start `groups` (n,)."""
    rng = np.random.default_rng(seed)
    for _ in range(STEPS):
        costs, before = _costs(X, groups, k), groups
        groups = costs.argmin(axis=1)
        groups[links.rows] = before[links.rows]
        for one in rng.permutation(len(links.rows)):
            row, must = links.rows[one], links.must[one]
            apart = np.bincount(groups[links.rows[must]], minlength=k)
            together = np.bincount(groups[links.rows[links.cannot[one]]], minlength=k)
            groups[row] = (costs[row] + WEIGHT * (must.sum() - apart + together)).argmin()
        if np.array_equal(groups, before):
            break
    return groups


def _costs(X: Any, groups: Array, k: int) -> Array:
    """Return the squared distance of each row to each mean, (n, k), less a constant of the row."""
    inside = np.flatnonzero(groups >= 0)
    member = sp.csr_matrix((np.ones(len(inside)), (groups[inside], inside)), shape=(k, len(groups)))
    sizes = np.maximum(np.bincount(groups[inside], minlength=k), 1)
    means = np.asarray((member @ X).todense() if sp.issparse(X) else member @ X) / sizes[:, None]
    return np.asarray((means**2).sum(axis=1) - 2 * np.asarray(X @ means.T))
