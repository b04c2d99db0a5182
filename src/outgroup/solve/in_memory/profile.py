"""What each number of groups does: rows that made no centre, and how the centres of others hold them together.

The rows are cut into two halves at random, each is clustered by itself, and its centres say where all rows belong.
*Modularity* is how much more the groups keep nearest neighbours together than chance would; its peak over k says about
how many groups there are, or too few, where they are many. *Bits* are what the groups save in writing down who is near
whom; they see small groups, and where there are few subjects their parts. *Silhouette* and *cosine* are how much nearer
rows are to their centre than to the next, and how near. These four are of rows that the centres have not seen: rows
that made the centres would flatter every further group. *Stability* is how far the two halves agree on all rows
(adjusted Rand index; Lange, Roth, Braun and Buhmann, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from ...metrics import adjusted_rand
from ...rows import as_rows, cluster_sums
from ...rows.threads import ordered_map
from ...types import Array, Rng
from .bisection import bisections, fewer
from .local_search import refine, searchable
from .modularity import Graph

_TOL = 1e-3
_NEAR = 0.2  # of a number: as far from a candidate as people's number may lie, and still be said to be it
_CANDIDATES = 3
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Measured:
    """Of `k` groups: the five figures, and the group of each row of the first part, (n,)."""

    k: int
    modularity: float
    bits: float
    cosine: float
    silhouette: float
    stability: float
    labels: Array


def measure(
    parts: Sequence[Any], ks: Sequence[int], rng: Rng, on_k: Callable[[int, int], None] = lambda done, total: None
) -> list[Measured]:
    """Return what each number of groups does on unit rows, of which the matrices `parts`, CSR or dense, were drawn.

    Figures are means over the parts.

    >>> X = np.eye(4)[[0, 1, 2, 3] * 10]
    >>> [found] = measure([X], [4], np.random.default_rng(0))
    >>> round(found.modularity, 1), found.stability, found.silhouette
    (0.7, 1.0, 1.0)
    """
    counted, total = count(1), len(parts) * len(ks)
    lock = Lock()

    def heard() -> None:
        with lock:
            on_k(next(counted), total)

    tasks = zip(parts, rng.spawn(len(parts)), strict=True)
    each = ordered_map(lambda task: _halved(searchable(task[0]), ks, task[1], heard), tasks)
    figures = np.mean([found for found, _ in each], axis=0).T.tolist()
    return [Measured(*own) for own in zip(ks, *figures, each[0][1], strict=True)]


def _halved(
    X: Any, ks: Sequence[int], rng: Rng, heard: Callable[[], None]
) -> tuple[list[tuple[float, ...]], list[Array]]:
    """Return five figures of two halves for each k, in the order of `Measured`, and where one puts all rows, (n,).

    One bisection gives a half its start for every k, and all k the same halves: they differ in nothing else.
    """
    order = rng.permutation(X.shape[0])
    halves = [np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])]
    trees, graphs = [bisections(X[half], ks[-1], rng) for half in halves], [Graph.of(X[half]) for half in halves]
    figures, labels = list[tuple[float, ...]](), list[Array]()
    for k in ks:
        pairs = zip(halves, trees, strict=True)
        scores = [np.asarray(X @ _centres(X[half], fewer(*tree, k), k, rng).T) for half, tree in pairs]
        unseen, groups = [scores[1][halves[0]], scores[0][halves[1]]], [each.argmax(axis=1) for each in scores]
        kept = [graph.kept(own.argmax(axis=1), k) for graph, own in zip(graphs, unseen, strict=True)]
        figures.append((*np.mean(kept, axis=0).tolist(), *_near(np.concatenate(unseen)), adjusted_rand(*groups)))
        labels.append(groups[0])
        heard()
    return figures, labels


def _centres(X: Any, labels: Array, k: int, rng: Rng) -> Array:
    labels = refine(X, labels, k, local_search="sweep", tol=_TOL, rng=rng)[0]
    return np.asarray(normalize(cluster_sums(as_rows(X), labels, k)), dtype=X.dtype)


def _near(scores: Array) -> tuple[float, float]:
    """Return the mean cosine with the nearest centre, and the mean silhouette, of rows and their scores."""
    own, following = _own_and_next(scores).astype(np.float64).T
    apart = np.where(following < 1, (own - following) / np.maximum(1 - following, 1e-12), 0.0)
    return float(own.mean()), float(apart.mean())


def _own_and_next(scores: Array) -> Array:
    """Return the two highest scores of each row, (n, 2), the highest first."""
    return np.asarray(-np.partition(-scores, 1, axis=1)[:, :2])


def candidates(ks: Sequence[int], modularities: Sequence[float], bits: Sequence[float]) -> tuple[list[int], int]:
    """Return up to three numbers of groups that are worth looking at, ascending, and that of the highest modularity.

    They lie about it, as `around` says, unless most bits are saved beyond what these cover: then they are modularity's
    number, that of the bits, and one halfway, by the logarithm.

    >>> ks = list(range(2, 41))
    >>> few = [-abs(k - 10) for k in ks]
    >>> candidates(ks, few, few), candidates(ks, few, [-abs(k - 40) for k in ks])
    (([7, 10, 15], 10), ([10, 20, 40], 10))
    """
    near, best = around(ks, modularities)
    finest = ks[int(np.argmax(bits))]
    if finest <= (1 + _NEAR) * near[-1]:
        return near, best
    between = min(ks, key=lambda k: abs(math.log(k * k / (best * finest))))
    return sorted({best, between, finest}), best


def around(ks: Sequence[int], modularities: Sequence[float]) -> tuple[list[int], int]:
    """Return up to three numbers of groups that are worth looking at, ascending, and the best of them.

    The best is that of the highest modularity. The others lie as far below and above it as they may while every number
    between lies within a fifth of one of them; where the range `ks` ends, both lie on the same side.

    >>> around(range(2, 21), [-abs(k - 10) for k in range(2, 21)]), around([2, 3, 4, 5], [0.4, 0.3, 0.2, 0.1])
    (([7, 10, 15], 10), ([2, 3, 4], 2))
    """
    best = ks[int(np.argmax(modularities))]
    chosen, ends = [best], [best, best]
    steps = [(0, _below), (1, _above)] * (_CANDIDATES - 1)
    for end, step in steps:
        further = step(ks, ends[end])
        if further is not None and len(chosen) < _CANDIDATES:
            chosen.append(further)
            ends[end] = further
    return sorted(chosen), best


def _above(ks: Sequence[int], k: int) -> int | None:
    """Return the greatest of `ks` that leaves no number between itself and `k` without one of the two near it."""
    first_beyond = math.floor(k / (1 - _NEAR) + _ROUNDING) + 1
    most = math.floor((1 + _NEAR) * first_beyond + _ROUNDING)
    return max((each for each in ks if k < each <= most), default=None)


def _below(ks: Sequence[int], k: int) -> int | None:
    """Return the least of `ks` that leaves no number between itself and `k` without one of the two near it."""
    first_beyond = math.ceil(k / (1 + _NEAR) - _ROUNDING) - 1
    least = math.ceil((1 - _NEAR) * first_beyond - _ROUNDING)
    return min((each for each in ks if least <= each < k), default=None)
