"""Measures of trust: stability on samples, silhouettes, and coherence of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import Rows, as_rows, cluster_sums
from ..rows.arrays import argmax, at, put
from ..rows.blocks import group_sizes, pieces
from ..rows.threads import ordered_map
from ..types import Array, Rng
from .local_search import Schedule, refine, searchable
from .spherical import start

# --- Stability of groups on samples of the rows: the matched Jaccard index (Hennig, Cluster-wise assessment of cluster
# stability, Computational Statistics & Data Analysis, 2007)
#
# Each fit takes half of the rows, or fewer of many, and starts from k-means++ followed by sweeps, the fastest method
# that does not use the groups. The Jaccard index of a group is its highest one with any cluster. Above 0.5 the group is
# found again (Hennig calls a group of up to 0.5 dissolved). More than half of such a cluster belongs to the group, so
# only one group can be found again in it.


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench trust` (docs/decisions/0014)."""

    rows: int = 3_000  # of a sample of a large collection, at least
    rows_of_a_group: int = 50
    tol: float = 1e-3  # of Q, at which the sweeps of a fit stop
    found: float = 0.5  # Jaccard index above which a group is found again
    no_length: float = 1e-6  # of a row: shorter vectors are rounding errors without a direction
    centres_at_once: int = 256  # compared with all others


_STABILITY = _Constants()


@dataclass(frozen=True)
class FoundAgain:
    """Stability of k groups over m fits: `jaccard` (m, k), nan if a fit lacks the group's rows; `together` CSR (k,
    k).
    """

    jaccard: Array
    together: Any

    @cached_property
    def times(self) -> Array:
        """The number of fits that found each group again, (k,)."""
        return np.asarray((np.nan_to_num(self.jaccard) > _STABILITY.found).sum(axis=0))

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
        """The group that most often shares clusters with each group, (k,), and this rate relative to the rate within
        both (k,).
        """
        own, found = np.sqrt(self.together.diagonal()), self.together.tocoo()
        own = np.where(own > 0, own, np.inf)
        share = np.where(found.row == found.col, 0.0, found.data / own[found.row] / own[found.col])
        shares = sp.csr_matrix((share, (found.row, found.col)), shape=found.shape)
        return np.asarray(shares.argmax(axis=1)).ravel(), shares.max(axis=1).toarray().ravel()


def found_again(
    X: Any, labels: Array, k: int, fits: int, rng: Rng, on_fit: Callable[[int, int], None] = lambda done, total: None
) -> FoundAgain:
    """Return the stability on samples of `k` groups of unit rows `X`, CSR or dense; `labels` (n,), -1 for none.

    >>> X = np.eye(2)[[0, 1] * 10]
    >>> found = found_again(X, np.array([0, 1] * 10), 2, 5, np.random.default_rng(0))
    >>> found.times.tolist(), found.fits.tolist(), found.mixed_with[1].tolist()
    ([5, 5], [5, 5], [0.0, 0.0])
    """
    if not len(labels):
        return FoundAgain(np.full((fits, k), np.nan), sp.csr_matrix((k, k)))
    X, clusters = searchable(X), len(np.unique(labels))
    count = sample_size(len(labels), clusters)
    lock, done = Lock(), [0]

    def table(child: Rng) -> Any:
        part = np.sort(child.choice(len(labels), count, replace=False))
        found = _crossed(labels[part], refitted(X[part], clusters, child), k, clusters)
        with lock:
            done[0] += 1
            on_fit(done[0], fits)
        return found

    tables = ordered_map(table, rng.spawn(fits))
    return FoundAgain(np.array([_jaccard(each) for each in tables]), _together(tables))


def sample_size(n: int, clusters: int) -> int:
    """Return the sample size for n rows: half of them, but limited."""
    return max(clusters, min(n // 2, max(_STABILITY.rows, _STABILITY.rows_of_a_group * clusters)))


def refitted(X: Any, k: int, rng: Rng) -> Array:
    """Return the clusters of a quick fit of unit rows, (n,): k-means++ and sweeps."""
    begun = start(as_rows(X), k, "k-means++", rng).labels
    return refine(X, begun, k, Schedule("sweep", tol=_STABILITY.tol), rng)[0]


def _crossed(groups: Array, clusters: Array, k: int, c: int) -> Any:
    """Return the contingency table of groups (rows) and clusters (columns), CSR."""
    return sp.csr_matrix((np.ones(len(groups), dtype=np.int64), (groups, clusters)), shape=(k, c))


def _jaccard(table: Any) -> Array:
    """Return each group's highest Jaccard index with a cluster; nan for a group without rows."""
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


# --- Cosines of rows with their own and the next centre, and silhouettes, in one pass
#
# The centre of a row's own group excludes the row: in high dimensions a row is near every sum that includes it, so
# small groups would always look tight. The silhouette is the simplified one (Hruschka, de Castro and Campello, 2004):
# distances to centres take O(nk) instead of O(n^2).


@dataclass(frozen=True)
class Nearness:
    """The `sizes` (k,) of groups, and their `centres` (k, d), of unit length or zero.

    `own` (k,) is the mean cosine of a group's rows with their centre, computed without the row itself. `silhouettes`
    (k,) are the means of (b - a) / max(a, b), with a and b one minus the cosines with this centre and with the nearest
    other one. Both are 0 for an empty group."""

    sizes: Array
    centres: Array
    own: Array
    silhouettes: Array

    @cached_property
    def nearest(self) -> tuple[Array, Array]:
        """Return for each group the nearest other centre, (k,), and its cosine, (k,); -inf without one."""
        k = len(self.sizes)
        found = [
            self._nearest(np.arange(start, min(start + _STABILITY.centres_at_once, k)))
            for start in range(0, k, _STABILITY.centres_at_once)
        ]
        number, cosine = zip(*found, strict=True)
        return np.concatenate(number), np.concatenate(cosine)

    def _nearest(self, groups: Array) -> tuple[Array, Array]:
        cosines = self.centres[groups] @ self.centres.T
        cosines[self.sizes[groups] == 0] = -np.inf
        cosines[:, self.sizes == 0] = -np.inf
        cosines[np.arange(len(groups)), groups] = -np.inf
        return cosines.argmax(axis=1), cosines.max(axis=1)


def nearness(rows: Rows, labels: Array, k: int) -> Nearness:
    """Return how near unit `rows` are to their own group in `labels` (n,), -1 for none, and to the nearest other group.

    >>> from outgroup.rows import as_rows
    >>> found = nearness(as_rows(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 1, 1]), 2)
    >>> found.own.tolist(), found.silhouettes.tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    sums = cluster_sums(rows, labels, k)
    norms = np.sqrt(np.einsum("kd,kd->k", sums, sums))
    centres = sums / np.where(norms > _STABILITY.no_length, norms, 1.0)[:, None]
    sizes = group_sizes(labels, k)
    full = np.flatnonzero(sizes)
    place = np.full(k + 1, -1, dtype=np.int32)
    place[full] = np.arange(len(full))
    own, other = rows.map(centres[full], _own_and_other, place[labels])
    squares, found = rows.squares(), np.zeros((2, k))
    for span in pieces(len(labels)):
        group = labels[span]
        without = _without(own[span].astype(np.float64), squares[span], norms[group])
        for total, values in zip(found, (without, _silhouettes(without, other[span])), strict=True):
            total += np.bincount(group + 1, values, k + 1)[1:]
    return Nearness(sizes, centres, *(found / np.maximum(sizes, 1)))


def _without(own: Array, squares: Array, norms: Array) -> Array:
    """Return each row's cosine with its centre computed without the row, from the cosine with it and the sum's
    length.
    """
    rest = np.sqrt(np.maximum(norms**2 - 2 * own * norms + squares, 0.0))
    found = np.where(
        rest > _STABILITY.no_length, (own * norms - squares) / np.where(rest > _STABILITY.no_length, rest, 1.0), 0.0
    )
    return np.clip(found, -1, 1)


def _silhouettes(own: Array, other: Array) -> Array:
    """Return (b - a) / max(a, b), from -1 to 1, where a and b are one minus the cosines; 0 if both are 0."""
    a, b = 1.0 - own, 1.0 - other
    larger = np.maximum(a, b)
    return np.where(larger > _STABILITY.no_length, (b - a) / np.where(larger > _STABILITY.no_length, larger, 1.0), 0.0)


def _own_and_other(scores: Any, places: Array) -> tuple[Any, Any]:
    """A rule: return each row's score for its own group, and the best score for another group; 0 without others."""
    columns = places * (places >= 0)  # the score of a row in no group is not used
    own = at(scores, columns) + 0
    if scores.shape[1] == 1:
        return own, own * 0
    rest = put(scores, columns, -np.inf)
    return own, at(rest, argmax(rest))


# --- Coherence and diversity of the first words of groups
#
# Coherence is the mean normalised pointwise mutual information of each pair of a group's words, with a whole document
# as the window (Bouma, 2009; Aletras and Stevenson, 2013): log(p(a,b) / p(a)p(b)) / -log p(a,b), which is 1 for words
# that always occur together, 0 for words that occur together by chance, -1 for words that never do. Diversity is the
# share of distinct words among all of these (Dieng, Ruiz and Blei, 2020).


def coherence(words: Any, columns: Sequence[int]) -> float | None:
    """Return the mean NPMI of pairs of `columns` over the rows of a CSR matrix; None for fewer than two columns.

    >>> from scipy.sparse import csr_matrix
    >>> words = csr_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    >>> coherence(words, [0, 1]), coherence(words, [0, 2])
    (1.0, -1.0)
    """
    if len(columns) < 2:
        return None
    held = (words[:, list(columns)] != 0).astype(np.float64)
    together = np.asarray((held.T @ held).todense()) / words.shape[0]
    alone = together.diagonal()
    pairs = np.triu_indices(len(columns), 1)
    return float(_npmi(together[pairs], np.outer(alone, alone)[pairs]).mean())


def _npmi(joint: Array, chance: Array) -> Array:
    """Return the normalised pointwise mutual information; 1 for words in every document."""
    safe = np.where((joint > 0) & (joint < 1), joint, 0.5)
    found = np.log(safe / np.where(joint > 0, chance, 1.0)) / -np.log(safe)
    return np.where(joint <= 0, -1.0, np.where(joint >= 1, 1.0, found))


def diversity(columns: Sequence[Sequence[int]]) -> float | None:
    """Return the share of distinct words among the words of all groups; None without words.

    >>> diversity([[0, 1], [1, 2]])
    0.75
    """
    every = [column for each in columns for column in each]
    return len(set(every)) / len(every) if every else None
