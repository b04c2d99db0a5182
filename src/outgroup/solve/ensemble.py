"""Ensembles of quick fits on subsamples: they measure how stable groups are, how probable, and how many to form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from ..metrics import adjusted_rand
from ..rows import Rows, as_rows, nearest, unit_rows
from ..rows.base import all_scores
from ..rows.threads import ordered_map
from ..rows.wrappers import sample
from ..types import Array, OnCount, Rng, no_op
from .local_search import Schedule, refine, searchable
from .n_clusters import graph_quality, neighbours_of
from .refinement import bisections, undo_splits
from .spherical import centres_of, start

# A fit takes half of the rows, or fewer of many, and sweeps from k-means++ (the profile of the number of groups: from
# repeated bisection), the fastest method that does not use the groups. Unseen rows get the group of the nearest centre.


@dataclass(frozen=True)
class _Constants:
    """Constants (docs/decisions/0014, 0021); with 40 fits the calibration error of ten groups is .045, with 100 .02."""

    fits: int = 100  # of probabilities
    rows: int = 3_000  # of a sample of a large collection, at least
    rows_of_a_group: int = 50
    unseen: int = 4_000  # unseen rows to which a fit assigns a group, at most
    tol: float = 1e-3  # of Q, at which the sweeps of a fit stop
    recovered: float = 0.5  # Jaccard index above which a fit finds a group again


ENSEMBLE = _Constants()


class Refit(NamedTuple):
    """A quick fit: the rows it used (m,) with their clusters, and some unseen rows."""

    seen: Array
    clusters: Array
    unseen: Array


class Ensemble:
    """Quick fits on subsamples of rows that are in groups, computed when they are first needed.

    Parameters
    ----------
    rows : Rows
        Of unit length. Rows outside memory are sampled.
    labels : (n,) whole numbers
        The groups of the rows, -1 for none. The fits use only the number of groups.
    random_state : int, default 0

    Examples
    --------
    >>> fits = Ensemble(as_rows(np.eye(2)[[0, 1] * 10]), np.array([0, 1] * 10))
    >>> found = fits.stability(np.array([0, 1] * 10), 2, 5)
    >>> found.times.tolist(), found.fits.tolist(), found.mixed_with[1].tolist()
    ([5, 5], [5, 5], [0.0, 0.0])
    >>> row, group = fits.unseen(np.array([0, 1] * 10), 2)
    >>> bool((row % 2 == group).all())
    True
    """

    def __init__(self, rows: Rows, labels: Array, random_state: int = 0) -> None:
        self._rng, matrix, index = np.random.default_rng(random_state), rows.local(), np.arange(len(labels))
        self.sampled = matrix is None
        if matrix is None:
            index, matrix = sample(rows, self._rng)
        inside = labels[index] >= 0
        self.inside, self.clusters = index[inside], len(np.unique(labels[index[inside]]))
        self.X = matrix if inside.all() else matrix[inside]
        n, most = len(self.inside), max(ENSEMBLE.rows, ENSEMBLE.rows_of_a_group * self.clusters)
        self.size = max(self.clusters, min(n // 2, most))
        self._fits = list[Refit]()

    @classmethod
    def of(cls, X: Any, labels: Array, earlier: Self | None = None, random_state: int = 0) -> Self:
        """Return the ensemble of rows `X` (n, d) of any length: the `earlier` one if it has these rows and groups."""
        inside = np.flatnonzero(labels >= 0)
        groups = len(np.unique(labels[inside]))
        if earlier is not None and np.array_equal(earlier.inside, inside) and earlier.clusters == groups:
            return earlier
        return cls(unit_rows(as_rows(X)), labels, random_state)

    def first(self, fits: int, on_fit: OnCount = no_op) -> list[Refit]:
        """Return the first fits; `on_fit` gets the number of fits done and of all."""
        missing, lock = fits - len(self._fits), Lock()
        if missing <= 0 or not len(self.inside):
            on_fit(fits, fits)
            return self._fits[:fits]
        X, done = searchable(self.X), count(len(self._fits) + 1)

        def make(rng: Rng) -> Refit:
            n = len(self.inside)
            part = np.sort(rng.choice(n, self.size, replace=False))
            initial = start(as_rows(X[part]), self.clusters, "k-means++", rng).labels
            clusters = _sweep(X[part], initial, self.clusters, rng)
            unseen = np.sort(rng.permutation(np.delete(np.arange(n), part))[: ENSEMBLE.unseen])
            with lock:
                on_fit(next(done), fits)
            return Refit(part, clusters, unseen)

        self._fits += ordered_map(make, self._rng.spawn(missing))
        return self._fits[:fits]

    def stability(self, labels: Array, k: int, fits: int, on_fit: OnCount = no_op) -> Stability:
        """Return the stability of the groups `labels` (n,), 0 to k - 1, over some fits."""
        if not len(self.inside):
            return Stability(np.full((fits, k), np.nan), sp.csr_matrix((k, k)))
        groups = labels[self.inside]
        tables = [self._contingency(groups, fit, k) for fit in self.first(fits, on_fit)]
        return Stability(np.array([_jaccard(table) for table in tables]), _together(tables))

    def unseen(self, labels: Array, k: int, fits: int = ENSEMBLE.fits) -> tuple[Array, Array]:
        """Return pairs of a row of `X` and its group, from fits that did not see the row.

        The clusters of a fit are matched to the groups `labels` (n,), 0 to k - 1.
        """
        group_of_row, refits, X = labels[self.inside], self.first(fits), searchable(self.X)

        def nearest_groups(fit: Refit) -> Array:
            group, cluster = linear_sum_assignment(self._contingency(group_of_row, fit, k).toarray(), maximize=True)
            group_of = np.zeros(self.clusters, dtype=int)
            group_of[cluster] = group
            if not len(fit.unseen):
                return group_of[:0]
            centres = centres_of(X[fit.seen], fit.clusters, self.clusters).astype(X.dtype)
            return group_of[np.asarray(as_rows(X[fit.unseen]).map(centres, all_scores)).argmax(axis=1)]

        return np.concatenate([fit.unseen for fit in refits]), np.concatenate(ordered_map(nearest_groups, refits))

    def _contingency(self, labels: Array, fit: Refit, k: int) -> Any:
        """Return the contingency table of groups (rows) and clusters (columns), CSR."""
        ones = np.ones(len(fit.seen), dtype=np.int64)
        return sp.csr_matrix((ones, (labels[fit.seen], fit.clusters)), shape=(k, self.clusters))


def _sweep(X: Any, labels: Array, k: int, rng: Rng) -> Array:
    """Return the clusters of rows after sweeps, (m,)."""
    return refine(X, labels, k, Schedule("sweep", tol=ENSEMBLE.tol), rng)[0]


# --- Stability of groups: the matched Jaccard index (Hennig, Cluster-wise assessment of cluster stability,
# Computational Statistics & Data Analysis, 2007)
#
# The Jaccard index of a group is its highest one with any cluster. Above 0.5 the group is found again (Hennig calls a
# group of up to 0.5 dissolved). More than half of such a cluster belongs to the group, so only one group can be found
# again in it.


@dataclass(frozen=True)
class Stability:
    """Stability of k groups over m fits: `jaccard` (m, k), nan if a fit lacks the rows; `together` CSR (k, k)."""

    jaccard: Array
    together: Any

    @cached_property
    def times(self) -> Array:
        """The number of fits that found a group again, (k,)."""
        return np.asarray((np.nan_to_num(self.jaccard) > ENSEMBLE.recovered).sum(axis=0))

    @cached_property
    def fits(self) -> Array:
        """The number of fits that contain rows of each group, (k,)."""
        return np.asarray((~np.isnan(self.jaccard)).sum(axis=0))

    @cached_property
    def mean(self) -> Array:
        """The mean Jaccard index of each group, (k,); 0 for a group in no fit."""
        return np.asarray(np.nan_to_num(self.jaccard).sum(axis=0) / np.maximum(self.fits, 1))

    @cached_property
    def mixed_with(self) -> tuple[Array, Array]:
        """The group that most often shares clusters with a group, (k,), and this rate relative to that within both."""
        diagonal, pairs = np.sqrt(self.together.diagonal()), self.together.tocoo()
        diagonal = np.where(diagonal > 0, diagonal, np.inf)
        share = np.where(pairs.row == pairs.col, 0.0, pairs.data / diagonal[pairs.row] / diagonal[pairs.col])
        shares = sp.csr_matrix((share, (pairs.row, pairs.col)), shape=pairs.shape)
        return np.asarray(shares.argmax(axis=1)).ravel(), shares.max(axis=1).toarray().ravel()


def _jaccard(table: Any) -> Array:
    """Return the groups' highest Jaccard indices with a cluster; nan for a group without rows."""
    rows, columns, shared = _sizes(table), np.asarray(table.sum(axis=0)).ravel(), table.tocoo()
    highest = np.where(rows > 0, 0.0, np.nan)
    np.maximum.at(highest, shared.row, shared.data / (rows[shared.row] + columns[shared.col] - shared.data))
    return highest


def _together(tables: list[Any]) -> Any:
    """Return how often rows of two groups are in the same cluster, over all tables: the share of pairs, CSR (k, k)."""
    sizes = [_sizes(table) for table in tables]
    alone = [sp.diags(size, dtype=np.int64) for size in sizes]
    same = sum(table @ table.T - rows for table, rows in zip(tables, alone, strict=True)).tocoo()
    pairs = sum(size[same.row] * (size[same.col] - (same.row == same.col)) for size in sizes)
    return sp.csr_matrix((same.data / np.maximum(pairs, 1), (same.row, same.col)), shape=same.shape)


def _sizes(table: Any) -> Array:
    return np.asarray(table.sum(axis=1)).ravel()


# --- Quality of each number of groups, on held-out rows
#
# The rows are split into two random halves. The centres of the clusters of a half assign all rows to groups.
# *Modularity* is the share of neighbour pairs within groups, above that expected by chance. Its maximum over k is near
# the number of groups, or below it if there are many. *Bits* are the description length of the neighbour graph that the
# groups save; they detect small groups, and parts of groups if there are few subjects. Both use rows that did not form
# the centres, since rows that did would favour every additional group. *Stability* is the agreement of the two halves
# on all rows (adjusted Rand index; Lange, Roth, Braun and Buhmann, 2004).


def measure(parts: Sequence[Any], ks: Sequence[int], rng: Rng, on_k: OnCount = no_op) -> list[list[float]]:
    """Return the criteria for each number of groups on samples `parts` of unit rows, CSR or dense.

    The criteria are modularity, bits and stability, means over the parts.

    >>> X = np.eye(4)[[0, 1, 2, 3] * 10]
    >>> np.round(measure([X], [4], np.random.default_rng(0)), 1)[0, [0, 2]].tolist()
    [0.7, 1.0]
    """
    finished, lock = count(1), Lock()

    def advance() -> None:
        with lock:
            on_k(next(finished), len(parts) * len(ks))

    tasks = zip(parts, rng.spawn(len(parts)), strict=True)
    results = ordered_map(lambda task: _halved(searchable(task[0]), ks, task[1], advance), tasks)
    figures: list[list[float]] = np.mean(results, axis=0).tolist()
    return figures


def _halved(X: Any, ks: Sequence[int], rng: Rng, advance: Callable[[], None]) -> list[tuple[float, ...]]:
    """Return the criteria of `measure` on two halves for each k.

    All k use the same halves, and the same bisections of them as their start.
    """
    order = rng.permutation(X.shape[0])
    halves = [np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])]
    trees = [bisections(X[half], ks[-1], rng) for half in halves]
    graphs = [nearest(X[half], count=neighbours_of(len(half))) for half in halves]
    figures = list[tuple[float, ...]]()
    for k in ks:
        pairs = zip(halves, trees, strict=True)
        swept = [_sweep(X[half], undo_splits(*tree, k), k, rng) for half, tree in pairs]
        centres = [centres_of(X[half], part, k).astype(X.dtype) for half, part in zip(halves, swept, strict=True)]
        groups = [np.asarray(X @ of_half.T).argmax(axis=1) for of_half in centres]
        unseen = [groups[1][halves[0]], groups[0][halves[1]]]
        shares = [graph_quality(graph, part, k) for graph, part in zip(graphs, unseen, strict=True)]
        figures.append((*np.mean(shares, axis=0).tolist(), adjusted_rand(*groups)))
        advance()
    return figures
