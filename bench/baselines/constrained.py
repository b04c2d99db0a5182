"""K-means that labels steer: around seeds (Basu et al., ICML 2002), and by pairs, PCKMeans (Basu et al., SDM 2004).

Both are methods of `python -m bench steer people --method`: a callable of a task, labels and the groups so far.
`python -m bench steer pairs` gives PCKMeans the answers about pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

STEPS = 30
WEIGHT = 1.0  # of a violated pair; the squared distance of two unit rows is at most 4

Array = np.ndarray[Any, Any]


def seeded_kmeans(task: Any, labels: Array, start: Array | None) -> Array:
    """Return the groups (n,) of k-means that begins at the means of the labelled rows; a label can be overruled."""
    groups = _first(task, labels, start)
    for _ in range(STEPS):
        groups, before = _costs(task.rows, groups, task.k).argmin(axis=1), groups
        if np.array_equal(groups, before):
            break
    return groups


def pckmeans(task: Any, labels: Array, start: Array | None) -> Array:
    """Return the groups (n,) of k-means with must-links and cannot-links between all labelled rows.

    N labels are the answers to N (N - 1) / 2 questions about pairs, all of which the method gets.
    """
    labelled = np.flatnonzero(labels >= 0)
    same = labels[labelled][:, None] == labels[labelled]
    links = Links(labelled, same & ~np.eye(len(labelled), dtype=bool), ~same)
    return by_links(task.rows, _first(task, labels, start), task.k, links, task.seed)


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


def _first(task: Any, labels: Array, start: Array | None) -> Array:
    """Return groups from the means of the labelled rows; groups without a label begin at `start`, or at a row each."""
    rng, n = np.random.default_rng(task.seed), task.rows.shape[0]
    begun = np.full(n, -1) if start is None else start.copy()
    begun[np.isin(begun, labels[labels >= 0])] = -1
    begun[labels >= 0] = labels[labels >= 0]
    missing = np.setdiff1d(np.arange(task.k), begun)
    begun[rng.choice(np.flatnonzero(begun < 0), len(missing), replace=False)] = missing
    return _costs(task.rows, begun, task.k).argmin(axis=1)


def _costs(X: Any, groups: Array, k: int) -> Array:
    """Return the squared distance of each row to each mean, (n, k), less a constant of the row."""
    inside = np.flatnonzero(groups >= 0)
    member = sp.csr_matrix((np.ones(len(inside)), (groups[inside], inside)), shape=(k, len(groups)))
    sizes = np.maximum(np.bincount(groups[inside], minlength=k), 1)
    means = np.asarray((member @ X).todense() if sp.issparse(X) else member @ X) / sizes[:, None]
    return np.asarray((means**2).sum(axis=1) - 2 * np.asarray(X @ means.T))
