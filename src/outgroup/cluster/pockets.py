"""Pockets: small, tight groups of rows that are far from all others, such as automatic replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from ..rows import as_rows, nearest
from ..stopping import stop_if_asked
from ..types import Array
from .novelty import copies, halved


@dataclass(frozen=True)
class _Constants:
    """`bench outliers --pockets` prints the pockets that are found, and those of collections without any."""

    near: int = 3  # nearest rows of a mean cosine
    links: int = 10  # nearest rows that may be linked
    fewest: int = 5  # rows
    share: float = 0.2  # of all rows, at most
    far: float = 0.05  # share of the rows whose nearest rows are farther than those outside of a pocket
    gap: float = 2.0  # least ratio of the cosines inside and outside
    sample: int = 20  # rows of a pocket, evenly spaced, that are compared with all rows
    most: int = 10  # pockets


LARGEST = 50_000
"""Most rows for which commands look for pockets unasked: the time is quadratic."""

_SET = _Constants()


def pockets(X: Any) -> list[Array]:
    """Return the row numbers of each pocket of `X` (n, d): at most 10 with a fifth of the rows, the clearest first.

    The middle row of each comes first.

    Rows are linked if each is among the 10 nearest of the other. The candidates are the branches of the single-linkage
    tree of these links: at least 5 rows, at most a fifth of all. A candidate is a pocket if the median of its rows is
    farther from the 3 nearest rows outside than 95 % of all rows are from their 3 nearest, and twice as near to those
    inside. Equal rows count as one neighbour.

    Examples
    --------
    >>> X = np.eye(5)[np.arange(90) % 3] + 0.1 * np.cos(np.outer(np.arange(90), np.arange(5)) ** 2)
    >>> X[:6] = np.eye(5)[4] + 0.02 * X[6:12]
    >>> [sorted(rows.tolist()) for rows in pockets(X)]
    [[0, 1, 2, 3, 4, 5]]
    """
    if X.shape[0] < _SET.fewest:
        return []
    X = halved(X)
    first, copy_of = copies(X)
    if len(first) < _SET.fewest:
        return []
    rows = as_rows(X[first])
    near, weight = nearest(rows, None, count=_SET.links), np.bincount(copy_of, minlength=len(first))
    inside = near.cosines[:, : _SET.near].mean(axis=1)
    far = float(np.quantile(inside[np.asarray(rows.squares()) > 0], _SET.far)) if inside.any() else 0.0
    taken, found = np.zeros(len(first), dtype=bool), []
    for branch in sorted(_branches(near, weight), key=lambda each: -weight[each].sum()):
        stop_if_asked()
        gap = 0.0 if taken[branch].any() else _gap(rows, near, weight, branch, far)
        if gap > 0:
            taken[branch] = True
            found.append((gap, branch))
    best = [branch for _, branch in sorted(found, key=lambda each: (-each[0], each[1][0]))[: _SET.most]]
    few = np.cumsum([weight[branch].sum() for branch in best]) <= _SET.share * len(copy_of)
    return [_from_the_middle(rows, branch, copy_of) for branch, kept in zip(best, few, strict=True) if kept]


def _branches(near: Any, weight: Array) -> list[Array]:
    """Return the branches of the single-linkage tree of mutual neighbours that are large enough, and not too large."""
    n, width = near.index.shape
    linked = near.index.ravel() >= 0
    one, other = np.repeat(np.arange(n), width)[linked], near.index.ravel()[linked]
    graph = sp.csr_matrix((near.cosines.ravel()[linked], (one, other)), shape=(n, n))
    mutual = graph.minimum(graph.T)
    mutual.data = 2 - mutual.data  # a distance above zero
    tree = minimum_spanning_tree(mutual).tocoo()
    order, most = np.argsort(tree.data, kind="stable"), _SET.share * weight.sum()
    members, of, found = [[row] for row in range(n)], list(range(n)), list[list[int]]()
    size = weight.tolist()
    for a, b in zip(tree.row[order].tolist(), tree.col[order].tolist(), strict=True):
        large, small = (of[a], of[b]) if size[of[a]] >= size[of[b]] else (of[b], of[a])
        if size[small] >= _SET.fewest:  # both are branches
            found += [list(members[each]) for each in (large, small) if size[each] <= most]
        for row in members[small]:
            of[row] = large
        members[large] += members[small]
        size[large] += size[small]
    found += [members[each] for each in sorted(set(of)) if _SET.fewest <= size[each] <= most]
    return [np.array(each) for each in found]


def _gap(rows: Any, near: Any, weight: Array, branch: Array, far: float) -> float:
    """Return the mean cosine with the 3 nearest rows inside minus that outside, medians; 0 unless it is a pocket."""
    some = branch[np.linspace(0, len(branch) - 1, min(len(branch), _SET.sample)).astype(int)]
    own = np.zeros(len(weight), dtype=bool)
    own[branch] = True
    there, cosines = own[near.index[some]] & (near.index[some] >= 0), near.cosines[some]
    equal = np.arange(_SET.near) < weight[some, None] - 1  # copies of a row are inside
    inside = _median(np.hstack([equal.astype(cosines.dtype), np.where(there, cosines, 0)]))
    least = min(far, inside / _SET.gap)
    if _median(np.where(there, 0, cosines)) >= least:  # most branches end here, without a product
        return 0.0
    products = np.atleast_2d(rows.correlate(rows.take(some)).T)
    products[:, branch] = 0
    outside = _median(products)
    return inside - outside if outside < least else 0.0


def _median(cosines: Array) -> float:
    """Return the median over rows of the mean of the 3 largest."""
    return float(np.median(np.partition(cosines, -_SET.near, axis=1)[:, -_SET.near :].mean(axis=1)))


def _from_the_middle(rows: Any, branch: Array, copy_of: Array) -> Array:
    """Return all rows of a branch, copies included, in descending order of the cosine with their mean."""
    own = rows.take(branch)
    cosines = np.zeros(copy_of.max() + 1) - 1
    cosines[branch] = np.asarray(own @ np.asarray(own.mean(axis=0)).ravel()).ravel()
    found = np.flatnonzero(np.isin(copy_of, branch))
    return found[np.argsort(-cosines[copy_of[found]].round(6), kind="stable")]
