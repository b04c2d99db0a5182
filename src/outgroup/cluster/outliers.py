"""Outliers without examples: rows far from all other rows, and pockets, which are small, tight groups of such rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from ..rows import Rows, as_rows, nearest, unit_rows
from ..rows.blocks import evenly_spaced
from ..solve.n_clusters import row_keys
from ..stopping import stop_if_asked
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants of outliers; the nearest rows find more of them than the nearest centre (`bench outliers`)."""

    near: int = 10  # nearest rows
    rate: float = 0.05  # of ordinary rows above the threshold, at most
    strangers: float = 0.2  # share of the rows that may be outliers below the threshold


_OUTLIERS = _Constants()


@dataclass(frozen=True, eq=False)
class Outliers:
    """Outlier scores: one minus the mean cosine of a row with the 10 nearest rows of the fit.

    A row is not its own neighbour, so scores of new rows are comparable. The score finds scattered outliers; similar
    outliers form a group of their own.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n, d)
        The rows of the fit, of unit length.
    score : (n,) float64 array
        Their scores, 0 to 1.
    threshold : float
        At most 5 % of ordinary rows have a score above it: the conformal quantile of the distinct rows at 4 %, since
        a fifth of the highest scores may be outliers.

    Examples
    --------
    >>> X = np.repeat(np.eye(4), [5, 5, 5, 1], axis=0) + 0.01
    >>> outliers = Outliers.of(X)
    >>> int(outliers.score.argmax())
    15
    """

    rows: Any
    score: Array
    threshold: float

    @classmethod
    def of(cls, X: Any) -> Self:
        """Score the rows `X` (n, d), in memory."""
        rows = unit_rows(as_rows(X))
        score = strangeness(rows, None, _OUTLIERS.near)
        return cls(rows.local(), score, threshold_of(score))

    def of_new(self, X: Any) -> Array:
        """Return the scores of new rows (m, d), (m,) float64; nan for a row of zeros.

        Examples
        --------
        >>> outliers = Outliers.of(np.repeat(np.eye(3), 4, axis=0))
        >>> outliers.of_new(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])).round(2).tolist()
        [0.6, 0.42]
        """
        rows = unit_rows(as_rows(X))
        return np.where(rows.squares() > 0, strangeness(rows, self.rows, _OUTLIERS.near), np.nan)


def strangeness(rows: Rows, among: Any, count: int, *, itself: bool = False) -> Array:
    """Return one minus the mean cosine of unit rows with the `count` nearest rows of `among`, (n,) float64.

    None for `among`: the rows themselves. With `itself`, a row is in `among`, and does not count. A missing neighbour
    has cosine 0.
    """
    cosines = nearest(rows, among, count=count + itself).cosines.sum(axis=1, dtype=np.float64)
    return np.asarray(np.clip(1 - (cosines - (rows.squares() if itself else 0.0)) / count, 0, 1))


def threshold_of(score: Array) -> float:
    """Return the score that at most 5 % of ordinary rows exceed; inf for few rows. Equal scores count once.

    >>> threshold_of(np.arange(100.0)), threshold_of(np.arange(3.0))
    (96.0, inf)
    """
    distinct = np.unique(score.round(9))
    place = ceil((len(distinct) + 1) * (1 - _OUTLIERS.rate * (1 - _OUTLIERS.strangers))) - 1
    return float(distinct[place]) if place < len(distinct) else inf


# --- Pockets: small, tight groups of rows that are far from all others, such as automatic replies


@dataclass(frozen=True)
class _PocketConstants:
    """Constants of pockets; planted and false pockets: bench/reports/outliers.md."""

    near: int = 3  # nearest rows of a mean cosine
    links: int = 10  # nearest rows that may be linked
    fewest: int = 5  # rows
    share: float = 0.02  # of all rows, at most, above the fewest: a larger set is a group, perhaps a whole theme
    total: float = 0.2  # share of all rows in pockets, at most
    far: float = 0.05  # share of the rows whose nearest rows are farther than those outside of a pocket
    gap: float = 2.0  # least ratio of the cosines inside and outside
    sample: int = 20  # rows of a pocket, evenly spaced, that are compared with all rows
    most: int = 10  # pockets
    most_rows: int = 50_000  # of a report, which looks for pockets by itself: the time is quadratic


POCKETS = _PocketConstants()


def pockets(X: Any) -> list[Array]:
    """Return the row indices of the pockets in `X` (n, d), the clearest first: at most 10, and a fifth of the rows.

    The row nearest to the mean of a pocket comes first.

    Two rows are linked if both are among the 10 nearest of the other. The candidates are the branches of the
    single-linkage tree of these links: 5 rows, or more up to 2 % of all. A candidate is a pocket if the median of its
    rows is farther from the 3 nearest rows outside than 95 % of all rows are from their 3 nearest, and twice as near to
    those inside. Equal rows count as one neighbour.

    Examples
    --------
    >>> X = np.eye(5)[np.arange(300) % 3] + 0.1 * np.cos(np.outer(np.arange(300), np.arange(5)) ** 2)
    >>> X[:6] = np.eye(5)[4] + 0.02 * X[6:12]
    >>> [sorted(rows.tolist()) for rows in pockets(X)]
    [[0, 1, 2, 3, 4, 5]]
    """
    if X.shape[0] < POCKETS.fewest:
        return []
    X = halved(X)
    first, copy_of = copies(X)
    if len(first) < POCKETS.fewest:
        return []
    rows = as_rows(X[first])
    near, weight = nearest(rows, None, count=POCKETS.links), np.bincount(copy_of, minlength=len(first))
    inside = near.cosines[:, : POCKETS.near].mean(axis=1)
    far = float(np.quantile(inside[np.asarray(rows.squares()) > 0], POCKETS.far)) if inside.any() else 0.0
    in_pocket, candidates = np.zeros(len(first), dtype=bool), []
    for branch in sorted(_branches(near, weight), key=lambda item: -weight[item].sum()):
        stop_if_asked()
        gap = 0.0 if in_pocket[branch].any() else _gap(rows, near, weight, branch, far)
        if gap > 0:
            in_pocket[branch] = True
            candidates.append((gap, branch))
    best = [branch for _, branch in sorted(candidates, key=lambda item: (-item[0], item[1][0]))[: POCKETS.most]]
    within_total = np.cumsum([weight[branch].sum() for branch in best]) <= POCKETS.total * len(copy_of)
    return [_from_the_middle(rows, branch, copy_of) for branch, fits in zip(best, within_total, strict=True) if fits]


def _branches(near: Any, weight: Array) -> list[Array]:
    """Return the branches of suitable size in the single-linkage tree of mutual neighbours."""
    n, width = near.index.shape
    linked = near.index.ravel() >= 0
    source, target = np.repeat(np.arange(n), width)[linked], near.index.ravel()[linked]
    graph = sp.csr_matrix((near.cosines.ravel()[linked], (source, target)), shape=(n, n))
    mutual = graph.minimum(graph.T)
    mutual.data = 2 - mutual.data  # a distance above zero
    tree = minimum_spanning_tree(mutual).tocoo()
    order, most = np.argsort(tree.data, kind="stable"), max(POCKETS.fewest, POCKETS.share * weight.sum())
    members, root, branches = [[row] for row in range(n)], list(range(n)), list[list[int]]()
    size = weight.tolist()
    for a, b in zip(tree.row[order].tolist(), tree.col[order].tolist(), strict=True):
        large, small = (root[a], root[b]) if size[root[a]] >= size[root[b]] else (root[b], root[a])
        if size[small] >= POCKETS.fewest:  # both are branches
            branches += [list(members[branch]) for branch in (large, small) if size[branch] <= most]
        for row in members[small]:
            root[row] = large
        members[large] += members[small]
        size[large] += size[small]
    branches += [members[branch] for branch in sorted(set(root)) if POCKETS.fewest <= size[branch] <= most]
    return [np.array(branch) for branch in branches]


def _gap(rows: Any, near: Any, weight: Array, branch: Array, far: float) -> float:
    """Return the median cosine of rows of a branch inside minus that outside; 0 if the branch is not a pocket."""
    sampled = branch[evenly_spaced(len(branch), POCKETS.sample)]
    in_branch = np.zeros(len(weight), dtype=bool)
    in_branch[branch] = True
    is_inside, cosines = in_branch[near.index[sampled]] & (near.index[sampled] >= 0), near.cosines[sampled]
    means = _means(np.where(is_inside, 0, cosines))
    if np.median(means) >= far:  # most branches end here, without a product
        return 0.0
    equal = np.arange(POCKETS.near) < weight[sampled, None] - 1  # copies of a row are inside
    inside = float(np.median(_means(np.hstack([equal.astype(cosines.dtype), np.where(is_inside, cosines, 0)]))))
    least = min(far, inside / POCKETS.gap)
    if np.median(means) >= least:
        return 0.0
    incomplete = np.flatnonzero((~is_inside).sum(axis=1) < POCKETS.near)  # rows whose nearest rows outside are unknown
    if len(incomplete):
        products = np.ascontiguousarray(np.atleast_2d(rows.correlate(rows.local()[sampled[incomplete]]).T))
        products[:, branch], positions = 0, np.arange(len(incomplete))
        means[incomplete] = 0
        for _ in range(POCKETS.near):  # three searches are faster than a partition of long rows
            best = products.argmax(axis=1)
            means[incomplete] += products[positions, best] / POCKETS.near
            products[positions, best] = 0
    outside = float(np.median(means))
    return inside - outside if outside < least else 0.0


def _means(cosines: Array) -> Array:
    """Return the means of the 3 largest cosines in the rows."""
    return np.asarray(np.partition(cosines, -POCKETS.near, axis=1)[:, -POCKETS.near :].mean(axis=1))


def _from_the_middle(rows: Any, branch: Array, copy_of: Array) -> Array:
    """Return the rows of a branch with their copies, in descending order of cosine with the mean row."""
    unit = rows.take(branch)
    cosines = np.zeros(copy_of.max() + 1) - 1
    cosines[branch] = np.asarray(unit @ np.asarray(unit.mean(axis=0)).ravel()).ravel()
    members = np.flatnonzero(np.isin(copy_of, branch))
    return members[np.argsort(-cosines[copy_of[members]].round(6), kind="stable")]


# --- Equal rows, in half precision


def as_dtype(rows: Any, dtype: Any) -> Any:
    """Return packed rows with values of another dtype."""
    return [np.asarray(rows[0]).astype(dtype), *rows[1:]] if isinstance(rows, list | tuple) else rows.astype(dtype)


def halved(X: Any) -> Any:
    """Return unit rows in the precision of saved models, so that scores are the same after loading."""
    X = unit_rows(as_rows(X)).local()
    data = (X.data if sp.issparse(X) else X).astype(np.float16).astype(np.float32)
    return sp.csr_matrix((data, X.indices, X.indptr), shape=X.shape) if sp.issparse(X) else data


def copies(X: Any) -> tuple[Array, Array]:
    """Return the indices of the first of equal rows, and for all rows the positions of their first, (n,)."""
    numbers: dict[bytes, int] = {}
    place = np.array([numbers.setdefault(key, len(numbers)) for key in row_keys(X)], dtype=np.int64)
    return np.unique(place, return_index=True)[1], place
