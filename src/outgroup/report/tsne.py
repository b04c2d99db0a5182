"""Exact t-SNE (van der Maaten and Hinton, JMLR 2008) of a few hundred points: no random numbers, one matrix at a time.

scikit-learn's takes ten times as long here (docs/decisions/0012-map.md).
"""

from __future__ import annotations

import numpy as np

from ..types import Array

_STEPS, _EARLY = 240, 70  # gradient steps, and those in which likeness counts more
_EXAGGERATION = 8.0
_BISECTIONS = 30


def tsne(features: Array, start: Array, perplexity: float = 30.0) -> Array:
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
        share = _shares(far, middle)
        entropy = -(share * np.log(np.maximum(share, 1e-30))).sum(axis=1)
        wide = entropy > np.log(perplexity)
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    share = _shares(far, (low + high) / 2)
    return np.asarray((share + share.T) / (2 * len(share)), dtype=np.float32)


def _shares(far: Array, precision: Array) -> Array:
    share = np.exp(-far * np.exp(precision).astype(np.float32)[:, None])
    np.fill_diagonal(share, 0.0)
    return share / np.maximum(share.sum(axis=1, keepdims=True), 1e-30)


def _distances(points: Array) -> Array:
    squares, ones = (points**2).sum(axis=1), np.ones(len(points), dtype=points.dtype)
    found = np.column_stack([-2.0 * points, squares, ones]) @ np.column_stack([points, ones, squares]).T
    return np.maximum(found, 0.0, out=found)
