"""Votes and labels on the graph of nearest neighbours, and an approximate search for very many rows.

The graph is `rows.neighbour_graph.Neighbours`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._native.products import current
from ..rows import Neighbours, Rows, as_rows, highest, nearest, unit_rows
from ..rows.arrays import argmax, normalize
from ..rows.base import all_scores
from ..rows.blocks import even_spans
from ..rows.neighbour_graph import COUNT
from ..rows.threads import ordered_map
from ..stopping import stop_if_asked
from ..types import Array, OnCount
from .solution import filled
from .spherical import centres_of, spherical_kmeans


@dataclass(frozen=True)
class _Constants:
    """Constants (docs/decisions/0015), and by `python -m bench aside` (0010)."""

    most_pairs: int = 10**10  # of dense rows, compared exactly: 100,000 rows with each other
    groups: float = 2.0  # of the inverted file, times the root of the number of rows
    searched: int = 32  # groups for a row: half as many lose .002 of NMI
    sample: int = 64  # rows a group, from which the groups are found
    steps: int = 10  # of k-means, which need not converge
    rows_at_once: int = 1 << 15
    spreading_steps: int = 30
    from_neighbours: float = 0.9  # of a row's spread label; the rest is its own


_GRAPH = _Constants()

# --- Approximate nearest neighbours of many dense rows by an inverted file index
#
# Exact neighbours take time proportional to the square of the number of rows n. Here the rows are divided into
# 2 sqrt(n) groups, and a row is compared with the rows of the 32 nearest groups, about 16 sqrt(n). The groups are
# those of spherical k-means on a sample, from a fixed start, so the result does not depend on the number of threads.
# Sparse rows are always compared with all rows: inverted lists are fast, and groups of short texts contain few of their
# neighbours (docs/decisions/0015-neighbours.md).


def fast_nearest(rows: Any, among: Any = None, *, count: int = COUNT, progress: OnCount | None = None) -> Neighbours:
    """Return the nearest rows of all rows, exactly by `nearest`, or approximately for very many dense rows.

    >>> fast_nearest(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), count=1).index.tolist()
    [[1], [0], [1]]
    """
    others = rows if among is None else among
    if not isinstance(others, np.ndarray) or len(rows) * len(others) <= _GRAPH.most_pairs:
        return nearest(rows, among, count=count, progress=progress)
    return nearest_in_groups(rows, among, count=count, progress=progress)


def nearest_in_groups(
    rows: Array, among: Array | None = None, *, count: int = COUNT, progress: OnCount | None = None
) -> Neighbours:
    """Return approximate nearest rows: rows are compared with the rows of their nearest groups.

    >>> nearest_in_groups(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), count=1).index.tolist()
    [[1], [0], [1]]
    """
    others, results, n = rows if among is None else among, [], len(rows)
    k = min(len(others), max(1, round(_GRAPH.groups * np.sqrt(len(others)))))
    sample, rng = as_rows(others[:: max(1, len(others) // (_GRAPH.sample * k))]), np.random.default_rng(0)
    found = spherical_kmeans(sample, k, init="random-rows", rng=rng, tol=1e-3, max_iter=_GRAPH.steps)
    centres = found.centres.astype(rows.dtype)
    members = _positions(highest(as_rows(others), centres), k)
    for span in even_spans(0, n, -(-n // _GRAPH.rows_at_once)):
        index, cosines = _candidates(rows[span], others, centres, members, count + (among is None))
        if among is None:
            cosines[index == np.arange(span.start, span.stop)[:, None]] = 0.0
        places, best = current().highest(cosines, count)
        results.append((np.where(places < 0, -1, np.take_along_axis(index, np.maximum(places, 0), axis=1)), best))
        if progress is not None:
            progress(span.stop, n)
    index, cosines = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
    return Neighbours(index, cosines, len(others))


def _candidates(rows: Array, others: Array, centres: Array, members: list[Array], count: int) -> tuple[Array, Array]:
    """Return the `count` nearest `others` of some rows in each of their nearest groups, side by side, with the cosines.

    `members` are the row numbers of the groups; -1 and 0 stand for missing rows.
    """
    k, p = len(centres), min(_GRAPH.searched, len(centres))
    groups = as_rows(rows).map(centres, lambda scores: np.argpartition(-scores, p - 1, axis=1)[:, :p])
    pairs, shape = _positions(groups.ravel(), k), (len(rows) * p, count)
    index, cosines = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)

    def search(group: int) -> None:
        if len(pairs[group]) and len(members[group]):
            near = nearest(rows[pairs[group] // p], others[members[group]], count=count)
            width = near.index.shape[1]
            index[pairs[group], :width] = np.where(near.index < 0, -1, members[group][near.index])
            cosines[pairs[group], :width] = near.cosines

    ordered_map(search, range(k))
    return index.reshape(len(rows), -1), cosines.reshape(len(rows), -1)


def _positions(groups: Array, k: int) -> list[Array]:
    """Return the ascending positions of `k` values."""
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups, minlength=k))[:-1])


# --- A start corrected by a vote of the neighbours (docs/decisions/0024)


def voted(labels: Array, rows: Rows, near: Any) -> Array:
    """Return the partition `labels` (n,) after one vote of each row and its neighbours, by cosines with the directions.

    If the vote empties a group, the partition is unchanged.
    """
    unit = unit_rows(rows)
    scores = unit.map(centres_of(unit, labels, int(labels.max()) + 1), all_scores)
    after = vote_of_neighbours(scores, normalize(near, norm="l1"))
    return labels if filled(after) < filled(labels) else after


def vote_of_neighbours(scores: Array, shares: Any) -> Array:
    """Return the argmax of (S + P S) / 2, (n,) int32, where S are `scores` (n, k) and P neighbours' `shares` (n, n).

    >>> import scipy.sparse as sp
    >>> clear, between = [1.0, 0.0], [0.4, 0.5]
    >>> vote_of_neighbours(np.array([clear, between]), sp.csr_matrix([[0, 1], [1, 0]])).tolist()
    [0, 0]
    """
    return np.asarray(argmax(scores + shares @ scores), dtype=np.int32)


# --- Label spreading over the neighbour graph: rows near a labelled row probably belong to its group


def spread_labels(shares: Any, pins: Array, k: int, masses: Array | None = None) -> Array:
    """Spread labels over the neighbour graph, (n, k) float32; the column of a labelled group sums to 1, or to its mass.

    F <- .9 P F + .1 F_0, thirty times, with P the `shares` (n, n) of the neighbours, and F_0 a 1 for each labelled row
    in `pins` (n,), -1 for the others (Zhou et al., Learning with Local and Global Consistency, NIPS 2003). Then the
    masses of the groups become equal, or `masses` (k,) (Zhu, Ghahramani and Lafferty, ICML 2003), so that a group with
    many near rows does not dominate.

    >>> import scipy.sparse as sp
    >>> line = sp.csr_matrix([[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 1, 0]])
    >>> spread_labels(line, np.array([0, -1, -1, 1]), 2).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    labelled = np.flatnonzero(pins >= 0)
    initial = np.zeros((len(pins), k), dtype=np.float32)
    initial[labelled, pins[labelled]] = 1 - _GRAPH.from_neighbours
    spread, shares = initial.copy(), shares.astype(np.float32)
    for _ in range(_GRAPH.spreading_steps):
        stop_if_asked()
        spread = shares @ spread
        spread *= _GRAPH.from_neighbours
        spread += initial
    sums, targets = spread.sum(axis=0, dtype=np.float64), np.ones(k) if masses is None else masses
    return np.asarray(spread * np.where(sums > 0, targets / np.where(sums > 0, sums, 1.0), 0.0).astype(np.float32))
