"""Exact t-SNE (van der Maaten and Hinton, JMLR 2008) of a few hundred points: no random numbers, one matrix at a time.

scikit-learn's takes ten times as long here (docs/decisions/0012-map.md).
"""

from __future__ import annotations

import numpy as np

from ...types import Array

_STEPS, _EARLY = 240, 70  # gradient steps, and those in which likeness counts more
_EXAGGERATION = 8.0
_BISECTIONS = 20  # of precisions' logarithms, 24 wide: to 2e-5


def tsne(features: Array, start: Array, perplexity: float) -> Array:
    """Return places (m, 2) for m points, from the places `start` (m, 2) on; nearby points stay nearby.

    >>> line = np.arange(12.0)[:, None]
    >>> placed = tsne(line, 1e-3 * np.hstack([line, line**2 / 12]), perplexity=3)
    >>> bool(np.linalg.norm(placed[0] - placed[1]) < np.linalg.norm(placed[0] - placed[11]))
    True
    """
    like = _likeness(features.astype(np.float32), perplexity)
    places, speed, gain = start.astype(np.float32), np.zeros_like(start, np.float32), np.ones_like(start, np.float32)
    rate = max(20.0, len(places) / 4)
    early = like * np.float32(_EXAGGERATION)
    for step in range(_STEPS):
        slope = _slope(early if step < _EARLY else like, places)
        gain = np.where(slope * speed < 0, gain + 0.2, np.maximum(0.8 * gain, 0.01))
        speed = (0.5 if step < _EARLY else 0.8) * speed - rate * gain * slope
        places = places + speed
        places = places - places.mean(axis=0)
    return np.asarray(places, dtype=float)


def _slope(like: Array, places: Array) -> Array:
    near = _distances(places)
    near += 1.0
    np.reciprocal(near, out=near)
    np.fill_diagonal(near, 0.0)
    pull = near * np.float32(-1.0 / near.sum())
    pull += like
    pull *= near
    return 4.0 * (pull.sum(axis=1)[:, None] * places - pull @ places)


def _likeness(features: Array, perplexity: float) -> Array:
    """Symmetric shares of likeness, (m, m), with so many neighbours each; precisions are found by bisection."""
    far = _distances(features)
    np.fill_diagonal(far, np.inf)
    far = far / (float(np.median(far[np.isfinite(far)])) or 1.0)
    far -= far.min(axis=1, keepdims=True)
    np.fill_diagonal(far, 1e4)
    low, high = np.full(len(far), -10.0), np.full(len(far), 14.0)  # logarithms of the precisions
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        wide = _entropy(far, middle) > np.log(perplexity)
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    share = _weights(far, (low + high) / 2)
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray((share + share.T) / (2 * len(share)), dtype=np.float32)


def _entropy(far: Array, precision: Array) -> Array:
    """Entropy of each row's shares, the logarithm of their total plus precision times their mean distance."""
    weights = _weights(far, precision)
    total = weights.sum(axis=1)
    return np.asarray(np.log(total) + np.exp(precision) * np.einsum("ij,ij->i", weights, far) / total)


def _weights(far: Array, precision: Array) -> Array:
    """exp(-precision * distance), with none for a point itself; the nearest has 1."""
    weights = far * -np.exp(precision).astype(np.float32)[:, None]
    np.exp(weights, out=weights)
    np.fill_diagonal(weights, 0.0)
    return weights


def _distances(points: Array) -> Array:
    squares, ones = (points**2).sum(axis=1), np.ones(len(points), dtype=points.dtype)
    found = np.column_stack([-2.0 * points, squares, ones]) @ np.column_stack([points, ones, squares]).T
    return np.maximum(found, 0.0, out=found)
