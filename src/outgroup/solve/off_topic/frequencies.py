"""How often scores reach a point, or exceed it."""

from __future__ import annotations

import numpy as np

from ...types import Array


def above(scores: Array, points: Array | float) -> Array:
    """Return the share of `scores` above each of `points`.

    >>> float(above(np.array([1.0, 2.0, 2.0, 3.0]), 2.0))
    0.25
    """
    return np.asarray(1 - np.searchsorted(np.sort(scores), points, side="right") / len(scores))


def reach(scores: Array, points: Array | float) -> Array:
    """Return the share of `scores` at or above each of `points`, which is never 0 at a quantile of theirs.

    >>> float(reach(np.array([1.0, 2.0, 2.0, 3.0]), 2.0))
    0.75
    """
    return np.asarray(1 - np.searchsorted(np.sort(scores), points, side="left") / len(scores))
