"""t-SNE (van der Maaten and Hinton, JMLR 2008): places in the plane where the neighbours of a row stay near it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._native.products import current
from ..rows import nearest
from ..stopping import stop_if_asked
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants of the descent (docs/decisions/0012)."""

    steps: int = 240
    early: int = 70  # of these, steps in which neighbours attract more
    exaggeration: float = 12.0  # how much more; the step is n over it (Belkina et al., Nature Communications 2019)


_TSNE = _Constants()


def tsne(X: Array, start: Array) -> Array:
    """Return places (m, 2) of the unit rows X (m, d), by a descent from `start` (m, 2) without random numbers.

    A row and its nearest rows, in either direction, attract each other by the same weight: the neighbourhoods of a
    given perplexity give nearly the same places (Böhm, Berens and Kobak, JMLR 2022). All pairs repel each other.

    >>> X = np.eye(3)[np.arange(60) % 3]
    >>> places = tsne(X, np.random.default_rng(0).normal(0, 1e-4, (60, 2)))
    >>> middles = np.array([places[group::3].mean(axis=0) for group in range(3)])
    >>> nearest = ((places[:, None] - middles) ** 2).sum(axis=2).argmin(axis=1)
    >>> bool((nearest == np.arange(60) % 3).all())
    True
    """
    graph = nearest(X).adjacency
    indptr, indices = graph.indptr.astype(np.int32), graph.indices.astype(np.int32)
    places = np.ascontiguousarray(start.T, dtype=np.float32)
    speed, gain, rate = np.zeros_like(places), np.ones_like(places), max(50.0, len(start) / _TSNE.exaggeration)
    for step in range(_TSNE.steps):
        stop_if_asked()
        early = step < _TSNE.early
        pull = (_TSNE.exaggeration if early else 1.0) / max(len(indices), 1)
        slope = current().tsne_slope(indptr, indices, places, pull)
        gain = np.where(slope * speed < 0, gain + 0.2, np.maximum(0.8 * gain, 0.01)).astype(np.float32)
        speed = (0.5 if early else 0.8) * speed - rate * gain * slope
        places = places + speed
        places = places - places.mean(axis=1, keepdims=True)
    return np.asarray(places.T, dtype=np.float64)
