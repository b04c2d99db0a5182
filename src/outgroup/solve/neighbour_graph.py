"""The weighted nearest-neighbour graph, and an inverted file that finds it for many rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..rows import Neighbours, Rows, as_rows, highest, nearest, unit_rows
from ..rows.arrays import argmax, normalize
from ..rows.base import all_scores
from ..rows.blocks import even_spans
from ..rows.neighbours import COUNT
from ..rows.threads import n_threads, ordered_map
from ..stopping import stop_if_asked
from ..types import Array, OnCount, Rng
from .restarts import NamedStart, Start, partition_of, way_of
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
    rows_at_once: int = 1 << 17
    scores_at_once: int = 1 << 22
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
    groups, results, n = _InvertedFile.of(rows if among is None else among), [], len(rows)
    for span in even_spans(0, n, -(-n // _GRAPH.rows_at_once)):
        best = _NearestSoFar(span.stop - span.start, count + (among is None))
        for done, queries, index, cosines in groups.answers(rows[span], best.width):
            best.take(queries, index, cosines)
            if progress is not None:
                progress(span.start + int(done * (span.stop - span.start)), n)
        results.append(best.others(np.arange(span.start, span.stop)) if among is None else (best.index, best.cosines))
    index, cosines = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
    return Neighbours(index, cosines, len(groups.rows))


@dataclass(frozen=True)
class _InvertedFile:
    """Rows (n, d) in g groups: the centres (g, d), and the row indices of each group."""

    rows: Array
    centres: Array
    members: list[Array]

    @classmethod
    def of(cls, rows: Array) -> Self:
        k = min(len(rows), max(1, round(_GRAPH.groups * np.sqrt(len(rows)))))
        sample = as_rows(rows[:: max(1, len(rows) // (_GRAPH.sample * k))])
        rng = np.random.default_rng(0)
        centres = spherical_kmeans(sample, k, init="random-rows", rng=rng, tol=1e-3, max_iter=_GRAPH.steps).centres
        return cls(rows, centres.astype(rows.dtype), _positions(highest(as_rows(rows), centres), k))

    def answers(self, rows: Array, width: int) -> Iterator[tuple[float, Array, Array, Array]]:
        """Yield by group the finished share, the rows compared with it, and their nearest rows in it."""
        near = self._nearest(rows)
        queries = [positions // near.shape[1] for positions in _positions(near.ravel(), len(self.centres))]

        def ask(group: int) -> tuple[float, Array, Array, Array]:
            selected, members = queries[group], self.members[group]
            near = nearest(rows[selected], self.rows[members], count=width)
            return (group + 1) / len(queries), selected, np.where(near.index < 0, -1, members[near.index]), near.cosines

        nonempty = [group for group in range(len(queries)) if len(queries[group]) and len(self.members[group])]
        for start in range(0, len(nonempty), n_threads()):
            yield from ordered_map(ask, nonempty[start : start + n_threads()])

    def _nearest(self, rows: Array) -> Array:
        """Return the groups nearest to the rows, (m, p), unordered."""
        k, p = len(self.centres), min(_GRAPH.searched, len(self.centres))
        spans = even_spans(0, len(rows), -(-len(rows) * k // _GRAPH.scores_at_once))
        parts = ordered_map(lambda span: np.argpartition(rows[span] @ -self.centres.T, p - 1, axis=1)[:, :p], spans)
        return np.concatenate(parts)


class _NearestSoFar:
    """The nearest rows found so far for m rows: indices and cosines, (m, width), nearest first."""

    def __init__(self, m: int, width: int) -> None:
        self.width = width
        self.index = np.full((m, width), -1, dtype=np.int32)
        self.cosines = np.zeros((m, width), dtype=np.float32)

    def take(self, rows: Array, index: Array, cosines: Array) -> None:
        """Add neighbours found for some rows."""
        all_indices, all_cosines = np.hstack([self.index[rows], index]), np.hstack([self.cosines[rows], cosines])
        best = np.argsort(-all_cosines, axis=1, kind="stable")[:, : self.width]
        self.index[rows] = np.take_along_axis(all_indices, best, axis=1)
        self.cosines[rows] = np.take_along_axis(all_cosines, best, axis=1)

    def others(self, rows: Array) -> tuple[Array, Array]:
        """Return the lists without their own `rows` (m,); a list without its row loses its last entry."""
        itself = self.index == rows[:, None]
        dropped = np.where(itself.any(axis=1), itself.argmax(axis=1), self.width - 1)
        keep, shape = np.arange(self.width) != dropped[:, None], (len(rows), self.width - 1)
        return self.index[keep].reshape(shape), self.cosines[keep].reshape(shape)


def _positions(groups: Array, k: int) -> list[Array]:
    """Return the ascending positions of `k` values."""
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups, minlength=k))[:-1])


# --- A start corrected by a vote of the neighbours (docs/decisions/0024)


def voted_start(start: Start, rows: Rows, near: Any) -> NamedStart:
    """Return a start corrected by one vote of each row and its neighbours, by cosines with the group directions.

    If the vote empties a group, the start is unchanged.
    """

    def make(rng: Rng) -> Array:
        labels, unit = partition_of(start, rng), unit_rows(rows)
        scores = unit.map(centres_of(unit, labels, int(labels.max()) + 1), all_scores)
        voted = vote_of_neighbours(scores, normalize(near, norm="l1"))
        return labels if filled(voted) < filled(labels) else voted

    return NamedStart(f"{way_of(start)}, vote of neighbours", make, getattr(start, "from_rows", False))


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
