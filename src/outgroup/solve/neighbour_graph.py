"""The weighted nearest-neighbour graph, and an inverted file that finds it for many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from ..rows import Neighbours, Rows, as_rows, cluster_sums, highest, nearest, unit_rows
from ..rows.arrays import argmax
from ..rows.base import all_scores
from ..rows.neighbours import COUNT
from ..rows.threads import n_threads, ordered_map
from ..stopping import stop_if_asked
from ..types import Array, OnCount, Rng
from .restarts import Start, made, way_of
from .solution import filled
from .spherical import spherical_kmeans


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench neighbours` (docs/decisions/0015) and `aside` (0010)."""

    most_pairs: int = 10**10  # of dense rows, compared exactly: 100,000 rows with each other
    groups: float = 2.0  # of the inverted file, times the root of the number of rows
    searched: int = 64  # groups for the rows of one, which find 97 % of the neighbours
    sample: int = 64  # rows a group, from which the groups are found
    steps: int = 10  # of k-means, which need not converge
    spreading_steps: int = 30
    from_neighbours: float = 0.9  # of a row's spread label; the rest is its own


_GRAPH = _Constants()

# --- A random walk over the neighbour graph


def transition_matrix(weights: Any) -> Any:
    """Return the transition matrix of a random walk, (n, n) CSR: each row's weights divided by their sum.

    >>> import scipy.sparse as sp
    >>> transition_matrix(sp.csr_matrix([[0.0, 1.0], [3.0, 1.0]])).toarray().tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """
    return normalize(weights, norm="l1")


# --- Approximate nearest neighbours of many dense rows by an inverted file index
#
# Exact neighbours take time proportional to the square of the number of rows n. Here the rows are divided into
# 2 sqrt(n) groups, and the rows of each with those of its 64 nearest groups, about 32 sqrt(n). The groups are
# those of spherical k-means on a sample, from a fixed start, so the result does not depend on the number of threads.
# Sparse rows are always compared with all rows: inverted lists are fast, and groups of short texts contain few of their
# neighbours (docs/decisions/0015-neighbours.md).


def fast_nearest(rows: Any, among: Any = None, *, count: int = COUNT, progress: OnCount | None = None) -> Neighbours:
    """Return the nearest rows of each row, exactly by `nearest`, or approximately for very many dense rows.

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
    """Return approximate nearest rows: the rows of each group are compared with the rows of the nearest groups.

    >>> nearest_in_groups(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), count=1).index.tolist()
    [[1], [0], [1]]
    """
    others, m = rows if among is None else among, len(rows)
    # 1. The groups, by spherical k-means on a sample.
    k = min(len(others), max(1, round(_GRAPH.groups * np.sqrt(len(others)))))
    sample, rng = as_rows(others[:: max(1, len(others) // (_GRAPH.sample * k))]), np.random.default_rng(0)
    centres = spherical_kmeans(sample, k, init="random-rows", rng=rng, tol=1e-3, max_iter=_GRAPH.steps).centres
    members = _listed(highest(as_rows(others), centres), k)
    asking = members if among is None else _listed(highest(as_rows(rows), centres), k)
    near = np.argsort(centres @ -centres.T, axis=1, kind="stable")[:, : _GRAPH.searched]
    index, cosines = np.full((m, count), -1, dtype=np.int32), np.zeros((m, count), dtype=np.float32)

    # 2. The nearest rows of those in a group; a row is not its own neighbour.
    def ask(group: int) -> None:
        own, theirs = asking[group], np.sort(np.concatenate([members[each] for each in near[group]]))
        found = nearest(rows[own], others[theirs], count=count + (among is None))
        places, near_by = np.where(found.index < 0, -1, theirs[found.index]), found.cosines
        width = places.shape[1]
        if among is None:
            itself = places == own[:, None]
            dropped = np.where(itself.any(axis=1), itself.argmax(axis=1), width - 1)
            width -= 1
            order = np.arange(width) + (np.arange(width) >= dropped[:, None])
            places, near_by = np.take_along_axis(places, order, axis=1), np.take_along_axis(near_by, order, axis=1)
        index[own[:, None], np.arange(width)], cosines[own[:, None], np.arange(width)] = places, near_by

    asked = [group for group in range(k) if len(asking[group])]
    for start in range(0, len(asked), n_threads()):
        ordered_map(ask, asked[start : start + n_threads()])
        if progress is not None:
            progress(m * min(start + n_threads(), len(asked)) // len(asked), m)
    return Neighbours(index, cosines, len(others))


def _listed(groups: Array, k: int) -> list[Array]:
    """Return for each of `k` values the ascending positions where it occurs."""
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups, minlength=k))[:-1])


# --- A start corrected by a vote of the neighbours (docs/decisions/0024)


@dataclass(frozen=True)
class VotedStart:
    """A start corrected by one vote of each row and its neighbours, by cosines with the group directions.

    If the vote empties a group, the start is unchanged.
    """

    start: Start
    rows: Rows
    near: Any

    @property
    def way(self) -> str:
        """The description shown in `restarts_`."""
        return f"{way_of(self.start)}, neighbours asked"

    @property
    def found(self) -> bool:
        """Whether the partition was computed from the rows."""
        return getattr(self.start, "found", False)

    def __call__(self, rng: Rng) -> Array:
        labels, unit = made(self.start, rng), unit_rows(self.rows)
        directions = normalize(cluster_sums(unit, labels, int(labels.max()) + 1))
        voted = vote_of_neighbours(unit.map(directions, all_scores), transition_matrix(self.near))
        return labels if filled(voted) < filled(labels) else voted


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
    own = np.zeros((len(pins), k), dtype=np.float32)
    own[labelled, pins[labelled]] = 1 - _GRAPH.from_neighbours
    spread, shares = own.copy(), shares.astype(np.float32)
    for _ in range(_GRAPH.spreading_steps):
        stop_if_asked()
        spread = shares @ spread
        spread *= _GRAPH.from_neighbours
        spread += own
    sums, wanted = spread.sum(axis=0, dtype=np.float64), np.ones(k) if masses is None else masses
    return np.asarray(spread * np.where(sums > 0, wanted / np.where(sums > 0, sums, 1.0), 0.0).astype(np.float32))
