"""What each number of groups does on halves of the rows: found alike, apart from each other, explaining what is new.

For each k the rows are cut into two halves at random, each is clustered by itself, and its centres say where all rows
belong. *Stability* is how far the two halves agree on all rows (adjusted Rand index; Lange, Roth, Braun and Buhmann,
2004). *Silhouette* and *cosine* are of rows that the centres have not seen: how much nearer they are to their centre
than to the next, and how near. Rows that made the centres would flatter every further group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

_HALVINGS = 3
_TOL = 1e-3
_FEWEST, _MOST = 2, 3  # candidates
_APART = 1.25  # times as many groups: numbers within a fifth of each other are no choice


@dataclass(frozen=True)
class Measured:
    """Of `k` groups: the three figures, and the group of each row by one of the fits, (n,)."""

    k: int
    cosine: float
    silhouette: float
    stability: float
    labels: Array


def measure(
    X: Any, ks: Sequence[int], rng: Rng, on_k: Callable[[int, int], None] = lambda done, total: None
) -> list[Measured]:
    """Return what each number of groups does on halves of the unit rows `X`, CSR or dense.

    >>> X = np.eye(4)[[0, 1, 2, 3] * 10]
    >>> [found] = measure(X, [4], np.random.default_rng(0))
    >>> found.stability, found.silhouette
    (1.0, 1.0)
    """
    X, lock, done = searchable(X), Lock(), [0]

    def heard() -> None:
        with lock:
            done[0] += 1
            on_k(done[0], _HALVINGS * len(ks))

    each = ordered_map(lambda child: _halved(X, ks, child, heard), rng.spawn(_HALVINGS))
    figures = np.mean([figures for figures, _ in each], axis=0).tolist()
    labels = each[0][1]
    return [Measured(k, a, b, c, own) for k, (a, b, c), own in zip(ks, figures, labels, strict=True)]


def _halved(X: Any, ks: Sequence[int], rng: Rng, heard: Callable[[], None]) -> tuple[list[list[float]], list[Array]]:
    """Return cosine, silhouette and stability of two halves for each k, and where the first puts all rows.

    One bisection gives a half its start for every k, and all k the same halves: they differ in nothing else.
    """
    order = rng.permutation(X.shape[0])
    halves = [np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])]
    trees = [bisections(X[half], ks[-1], rng) for half in halves]
    figures, labels = [], []
    for k in ks:
        pairs = zip(halves, trees, strict=True)
        scores = [np.asarray(X @ _centres(X[half], fewer(*tree, k), k, rng).T) for half, tree in pairs]
        places = [each.argmax(axis=1) for each in scores]
        unseen = np.concatenate([scores[0][halves[1]], scores[1][halves[0]]])
        figures.append([*_near(unseen), adjusted_rand(*places)])
        labels.append(places[0])
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


def candidates(found: Sequence[Measured]) -> tuple[list[int], int]:
    """Return two or three numbers of groups that are worth looking at, ascending, and the best of them.

    They are the most prominent peaks of silhouette and stability over k, no two within a fifth of each other; where
    there are fewer than two, the highest others. The best is where both stand highest, each as a share of its range.

    >>> heights = {2: 0.1, 3: 0.3, 4: 0.2, 5: 0.1, 6: 0.2, 7: 0.1}
    >>> candidates([Measured(k, 0.0, height, 0.0, np.zeros(0)) for k, height in heights.items()])
    ([3, 6], 3)
    """
    curves = [np.array([each.silhouette for each in found]), np.array([each.stability for each in found])]
    prominent = np.max([_prominence(curve) for curve in curves], axis=0)
    height = sum((curve - curve.min()) / (float(np.ptp(curve)) or 1.0) for curve in curves)
    chosen: list[int] = []
    for i in np.lexsort((-height, -prominent)).tolist():
        near = any(max(found[i].k, found[j].k) < _APART * min(found[i].k, found[j].k) for j in chosen)
        if not near and len(chosen) < (_MOST if prominent[i] else _FEWEST):
            chosen.append(i)
    return sorted(found[i].k for i in chosen), found[max(chosen, key=lambda i: float(height[i]))].k


def _prominence(curve: Any) -> Array:
    """Return how far each peak stands above the higher of the saddles that lead to higher ground, as a share of the
    curve's height; 0 for what is no peak.

    The first number may be a peak, since there is nothing before it; the last may be a slope that goes on.
    """
    values = np.array(curve)
    height = float(np.ptp(values)) or 1.0
    found = np.zeros(len(values))
    for i, value in enumerate(values[:-1]):
        if value > values[i + 1] and (i == 0 or value >= values[i - 1]):
            saddle = max(_saddle(values[i + 1 :], value), _saddle(values[:i][::-1], value))
            found[i] = (value - (saddle if np.isfinite(saddle) else values.min())) / height
    return found


def _saddle(beyond: Array, value: float) -> float:
    """Return how low the way to what is higher than `value` goes on one side; minus infinity where nothing is."""
    higher = np.flatnonzero(beyond > value)
    return float(beyond[: higher[0]].min()) if len(higher) and higher[0] else -np.inf
