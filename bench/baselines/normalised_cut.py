"""Normalised cut on a self-tuning graph."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.cluster import SpectralClustering
from sklearn.utils._param_validation import Interval

from outgroup.cluster.base import Clusterer, enough_rows

from .graph import self_tuning_affinity


class NormalisedCut(Clusterer):
    """Groups that cut a graph of rows where it is thin, relative to what they keep (Shi and Malik, PAMI 2000).

    Relaxes the minimum over partitions of sum_c cut(c) / volume(c) to eigenvectors, on the affinity
    exp(-d_ij^2 / (s_i s_j)), s_i the distance to the 7th neighbour (Zelnik-Manor and Perona, NIPS 2004).

    Parameters
    ----------
    n_clusters : int, default 8
    n_neighbors : int, default 7
        Which neighbour sets a row's scale.
    random_state : int, RandomState instance or None, default None

    Attributes
    ----------
    labels_ : (n,) int32

    Notes
    -----
    Memory: an (n, n) float64 array or two.

    Examples
    --------
    >>> labels = NormalisedCut(2, n_neighbors=1, random_state=0).fit_predict([[0.0], [0.1], [5.0], [5.2]])
    >>> labels[0] == labels[1], labels[0] == labels[2]
    (np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_clusters: int = 8, *, n_neighbors: int = 7, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the groups of `X` (n, d); `y` is ignored. Raises InputError for fewer rows than clusters."""
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], self.n_clusters)
        if X.shape[0] == self.n_clusters:  # as many eigenvectors as rows: nothing to cut
            self.labels_ = np.arange(self.n_clusters, dtype=np.int32)
            return self
        cut = SpectralClustering(self.n_clusters, affinity="precomputed", random_state=self.random_state)
        self.labels_ = cut.fit_predict(self_tuning_affinity(X, self.n_neighbors)).astype(np.int32)
        return self
