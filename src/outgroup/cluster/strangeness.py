"""Strangeness: one minus the mean cosine of a row with its nearest rows.

High scores among the rows of a fit are outliers, and small, tight groups of such rows are pockets. High scores of new
rows are new themes, where several rows are near each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.special import bdtrc, bdtrik

from ..rows import Rows, as_rows, nearest, unit_rows
from ..rows.blocks import evenly_spaced
from ..rows.matrix import packed, unpacked
from ..solve.n_clusters import row_keys
from ..stopping import stop_if_asked
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench outliers` and `watch` (bench/reports/outliers.md, watch.md)."""

    outlier_near: int = 10  # nearest rows of an outlier score: they find more than the nearest centre
    near: int = 3  # nearest rows of all other scores
    links: int = 10  # nearest rows that may be linked
    rate: float = 0.05  # largest share of ordinary rows above a threshold
    doubt: float = 0.1  # chance of a higher rate
    fewest: int = 5  # rows of a pocket
    total: float = 0.2  # share of all rows that may be outliers, or in pockets
    share: float = 0.02  # of all rows in one pocket, at most: a larger set is a group, perhaps a whole theme
    gap: float = 2.0  # least ratio of the cosines inside and outside of a pocket
    fewest_new: int = 6  # distinct rows of a new theme
    tight: float = 0.75  # least cosine of a link in a theme, as a share of that of the threshold
    compared: float = 0.03  # least number of compared new rows, as a share of the rows of the fit
    most_rows: int = 50_000  # of a report, which looks for pockets by itself: the time is quadratic


STRANGE = _Constants()
_STORED, _HELD_OUT = 10_000, 2_000  # rows of the fit that a model keeps, and those that set their threshold
_SAMPLE, _MOST_POCKETS = 20, 10  # rows of a pocket that are compared with all rows; pockets


@dataclass(frozen=True, eq=False)
class Strangeness:
    """Scores of rows by the mean cosine with the nearest rows of a fit, and a threshold.

    Parameters
    ----------
    rows : (n, d) array or CSR matrix
        Rows of the fit, of unit length.
    threshold : float
        At most 5 % of ordinary rows exceed it, for `reference` with a chance of 90 %: set on rows that are scored
        without themselves. inf for few rows, fewer than 45 of a `reference`.
    near : int, default 3
        Number of nearest rows in a score.
    own : (n,) float64 array, default empty
        The scores of the rows without themselves, of `outliers`.

    Examples
    --------
    >>> X = np.vstack([np.eye(3)[i % 2] + 0.01 * np.cos([i, 2 * i, 3 * i]) for i in range(60)])
    >>> known = Strangeness.reference(X)
    >>> (known.score(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])) > known.threshold).tolist()
    [False, True]
    """

    rows: Any
    threshold: float
    near: int = STRANGE.near
    own: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def outliers(cls, X: Any) -> Self:
        """Score the rows `X` (n, d), in memory, by their 10 nearest rows.

        The score finds scattered outliers; similar outliers form a group of their own. Equal scores count once in the
        threshold, and a fifth of the rows may be outliers: 4 % of all exceed it.

        >>> X = np.repeat(np.eye(4), [5, 5, 5, 1], axis=0) + 0.01
        >>> int(Strangeness.outliers(X).own.argmax())
        15
        """
        rows = unit_rows(as_rows(X))
        own = strangeness(rows, None, STRANGE.outlier_near)
        threshold = seldom_exceeded(np.unique(own.round(9)), STRANGE.rate * (1 - STRANGE.total), doubt=0.5)
        return cls(rows.local(), threshold, STRANGE.outlier_near, own)

    @classmethod
    def reference(cls, X: Any) -> Self:
        """Keep at most 10,000 distinct rows of `X` (n, d), evenly spaced in the given order, to compare new rows."""
        if not X.shape[0]:
            return cls(X, inf)
        rows = halved(X[evenly_spaced(X.shape[0], _STORED)])
        rows = rows[copies(rows)[0]]
        held_out = unit_rows(as_rows(rows[evenly_spaced(rows.shape[0], _HELD_OUT)]))
        return cls(rows, seldom_exceeded(strangeness(held_out, rows, STRANGE.near, itself=True)))

    def score(self, X: Any) -> Array:
        """Return the scores of new rows (m, d), (m,) float64, from 0 to 1; nan for a row of zeros.

        >>> known = Strangeness.outliers(np.repeat(np.eye(3), 4, axis=0))
        >>> known.score(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])).round(2).tolist()
        [0.6, 0.42]
        """
        if not X.shape[0] or not self.rows.shape[0]:
            return np.zeros(X.shape[0])
        rows = unit_rows(as_rows(X))
        return np.where(rows.squares() > 0, strangeness(rows, self.rows, self.near), np.nan)

    def themes(self, X: Any, score: Array | None = None) -> list[Array]:
        """Return the row indices of new themes in the new rows (m, d), the largest theme first.

        `score` (m,) is their score, if it is known.

        The rows unlike every group are compared, and those with the next highest scores, at least 3 % of the number of
        rows of the fit. Among so few, ordinary rows are rarely nearer to each other than to the fit. Two rows
        are linked if one is among the 10 nearest of the other, and their cosine exceeds the other's mean cosine with
        the 3 nearest rows of the fit, and 0.75 of the cosine of the threshold. A theme is a connected component of 6
        distinct rows or more, with one that is unlike every group.

        >>> X = np.vstack([np.eye(4)[i % 2] + 0.01 * np.cos([i, 2 * i, 3 * i, 4 * i]) for i in range(60)])
        >>> [len(rows) for rows in Strangeness.reference(X).themes(np.roll(X[:12:2], 2, axis=1))]
        [6]
        """
        score = self.score(X) if score is None else score
        unlike = score > self.threshold
        if not unlike.any():
            return []
        most = max(np.count_nonzero(unlike), int(STRANGE.compared * self.rows.shape[0]))
        rows = np.sort(np.argsort(-score, kind="stable")[:most])
        first, copy_of = copies(halved(X[rows]))
        if len(first) < STRANGE.fewest_new:
            return []
        unit = halved(X[rows[first]])
        near = nearest(unit, None, count=STRANGE.links)
        least_cosine = np.maximum(1 - score[rows[first]], STRANGE.tight * (1 - self.threshold))
        linked = (near.index >= 0) & (near.cosines > least_cosine[:, None])
        index = np.where(linked, near.index, np.arange(len(first))[:, None])
        pairs = (np.ones(index.size), (np.repeat(np.arange(len(first)), index.shape[1]), index.ravel()))
        _, component = connected_components(sp.csr_matrix(pairs, shape=(len(first),) * 2), directed=False)
        themes = [rows[component[copy_of] == i] for i in np.flatnonzero(np.bincount(component) >= STRANGE.fewest_new)]
        return sorted((theme for theme in themes if unlike[theme].any()), key=lambda theme: (-len(theme), theme[0]))

    def to_state(self) -> dict[str, Any]:
        """Return plain arrays and numbers for `from_state`."""
        return {"rows": as_dtype(packed(self.rows), np.float16), "threshold": self.threshold}

    @classmethod
    def from_state(cls, state: Any, d: int) -> Self:
        """Return the rows stored in a state; raise an error of `errors.DAMAGE` if a value is invalid."""
        rows, threshold = unpacked(as_dtype(state["rows"], np.float32), d), float(state["threshold"])
        if not threshold >= 0 or np.abs(rows.data if sp.issparse(rows) else rows).max(initial=0) > 1 + 1e-2:
            raise ValueError("its rows do not have unit length, or the threshold is negative")
        return cls(rows, threshold)


def strangeness(rows: Rows, among: Any, count: int, *, itself: bool = False) -> Array:
    """Return one minus the mean cosine of unit rows with the `count` nearest rows of `among`, (n,) float64.

    None for `among`: the rows themselves. With `itself`, a row is in `among`, and does not count. A missing neighbour
    has cosine 0.
    """
    cosines = nearest(rows, among, count=count + itself).cosines.sum(axis=1, dtype=np.float64)
    return np.asarray(np.clip(1 - (cosines - (rows.squares() if itself else 0.0)) / count, 0, 1))


def seldom_exceeded(score: Array, rate: float = STRANGE.rate, doubt: float = STRANGE.doubt) -> float:
    """Return the score that at most a share `rate` of rows like these exceed, with a chance of 1 - `doubt`.

    inf for few rows: fewer than 45 by default.

    >>> seldom_exceeded(np.arange(100.0)), seldom_exceeded(np.arange(44.0))
    (98.0, inf)
    """
    place = ceil(bdtrik(doubt, len(score), rate)) - 1 if len(score) else -1
    return float(np.sort(score)[::-1][place]) if 0 <= place < len(score) else inf


_SURPRISE = 0.001  # chance that ordinary documents are as often unlike every group


def is_unusual(count: int, n: int) -> bool:
    """Return whether `count` rows unlike every group, out of `n`, are more than chance explains at the expected 5 %.

    >>> is_unusual(14, 280), is_unusual(78, 280)
    (False, True)
    """
    return count > 0 and bool(bdtrc(count - 1, n, STRANGE.rate) < _SURPRISE)


# --- Pockets: small, tight groups of rows that are far from all others, such as automatic replies


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
    if X.shape[0] < STRANGE.fewest:
        return []
    X = halved(X)
    first, copy_of = copies(X)
    if len(first) < STRANGE.fewest:
        return []
    rows = as_rows(X[first])
    near, weight = nearest(rows, None, count=STRANGE.links), np.bincount(copy_of, minlength=len(first))
    inside = near.cosines[:, : STRANGE.near].mean(axis=1)
    far = float(np.quantile(inside[np.asarray(rows.squares()) > 0], STRANGE.rate)) if inside.any() else 0.0
    in_pocket, candidates = np.zeros(len(first), dtype=bool), []
    for branch in sorted(_branches(near, weight), key=lambda item: -weight[item].sum()):
        stop_if_asked()
        gap = 0.0 if in_pocket[branch].any() else _gap(rows, near, weight, branch, far)
        if gap > 0:
            in_pocket[branch] = True
            candidates.append((gap, branch))
    best = [branch for _, branch in sorted(candidates, key=lambda item: (-item[0], item[1][0]))[:_MOST_POCKETS]]
    within_total = np.cumsum([weight[branch].sum() for branch in best]) <= STRANGE.total * len(copy_of)
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
    order, most = np.argsort(tree.data, kind="stable"), max(STRANGE.fewest, STRANGE.share * weight.sum())
    members, root, branches = [[row] for row in range(n)], list(range(n)), list[list[int]]()
    size = weight.tolist()
    for a, b in zip(tree.row[order].tolist(), tree.col[order].tolist(), strict=True):
        large, small = (root[a], root[b]) if size[root[a]] >= size[root[b]] else (root[b], root[a])
        if size[small] >= STRANGE.fewest:  # both are branches
            branches += [list(members[branch]) for branch in (large, small) if size[branch] <= most]
        for row in members[small]:
            root[row] = large
        members[large] += members[small]
        size[large] += size[small]
    branches += [members[branch] for branch in sorted(set(root)) if STRANGE.fewest <= size[branch] <= most]
    return [np.array(branch) for branch in branches]


def _gap(rows: Any, near: Any, weight: Array, branch: Array, far: float) -> float:
    """Return the median cosine of rows of a branch inside minus that outside; 0 if the branch is not a pocket."""
    sampled = branch[evenly_spaced(len(branch), _SAMPLE)]
    in_branch = np.zeros(len(weight), dtype=bool)
    in_branch[branch] = True
    is_inside, cosines = in_branch[near.index[sampled]] & (near.index[sampled] >= 0), near.cosines[sampled]
    means = _means(np.where(is_inside, 0, cosines))
    if np.median(means) >= far:  # most branches end here, without a product
        return 0.0
    equal = np.arange(STRANGE.near) < weight[sampled, None] - 1  # copies of a row are inside
    inside = float(np.median(_means(np.hstack([equal.astype(cosines.dtype), np.where(is_inside, cosines, 0)]))))
    least = min(far, inside / STRANGE.gap)
    if np.median(means) >= least:
        return 0.0
    incomplete = np.flatnonzero((~is_inside).sum(axis=1) < STRANGE.near)  # rows whose nearest rows outside are unknown
    if len(incomplete):
        products = np.ascontiguousarray(np.atleast_2d(rows.correlate(rows.local()[sampled[incomplete]]).T))
        products[:, branch], positions = 0, np.arange(len(incomplete))
        means[incomplete] = 0
        for _ in range(STRANGE.near):  # three searches are faster than a partition of long rows
            best = products.argmax(axis=1)
            means[incomplete] += products[positions, best] / STRANGE.near
            products[positions, best] = 0
    outside = float(np.median(means))
    return inside - outside if outside < least else 0.0


def _means(cosines: Array) -> Array:
    """Return the means of the 3 largest cosines in the rows."""
    return np.asarray(np.partition(cosines, -STRANGE.near, axis=1)[:, -STRANGE.near :].mean(axis=1))


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
