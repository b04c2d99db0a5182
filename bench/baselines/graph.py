"""Graphs over rows, with distances scaled to each row's own neighbourhood."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import euclidean_distances
from sklearn.neighbors import NearestNeighbors

_CONNECTED = 1e-300  # what underflows to zero would fall into separate graphs

Array = np.ndarray[Any, Any]


def self_tuning_affinity(X: Any, n_neighbors: int) -> Array:
    """Return exp(-d_ij^2 / (s_i s_j)) with s_i the distance to the `n_neighbors`-th neighbour and a diagonal of 0.

    Shape (n, n), float64 (Zelnik-Manor and Perona, NIPS 2004).
    """
    squared = euclidean_distances(X, squared=True).astype(np.float64, copy=False)
    nth = min(n_neighbors, len(squared) - 1)
    scale = _no_zeros(np.sqrt(np.partition(squared, nth, axis=1)[:, nth]))
    squared /= -scale[:, None]
    squared /= scale
    affinity: Array = np.maximum(np.exp(squared, out=squared), _CONNECTED)
    np.fill_diagonal(affinity, 0.0)
    return affinity


def nearest(X: Any, n_neighbors: int) -> tuple[Array, Array]:
    """Return distances and numbers of each row's neighbours, itself left out, shape (n, m) each, nearest first."""
    m = min(n_neighbors, X.shape[0] - 1)
    found: tuple[Array, Array] = NearestNeighbors(n_neighbors=m).fit(X).kneighbors()
    return found


def neighbour_affinity(distances: Array, neighbours: Array) -> Any:
    """Return the self-tuning affinity between rows of which one is among the other's neighbours: CSR, (n, n)."""
    n, m = neighbours.shape
    scale = _no_zeros(distances[:, -1])
    weights = np.exp(-(distances**2) / (scale[:, None] * scale[neighbours]))
    directed = sp.csr_matrix((weights.ravel(), neighbours.ravel(), np.arange(0, n * m + 1, m)), shape=(n, n))
    return directed.maximum(directed.T)


def _no_zeros(scale: Array) -> Array:
    """Rows with copies of themselves get the smallest scale that any other row has."""
    positive = scale[scale > 0]
    return np.where(scale > 0, scale, positive.min() if len(positive) else 1.0)
