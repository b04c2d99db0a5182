"""Clustering with local and global regularisation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import eigsh
from sklearn.base import _fit_context
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from outgroup.cluster.base import Clusterer, enough_rows

from .graph import Array, nearest, neighbour_affinity

_BELOW_ZERO = -1e-6  # the eigenvalues sought lie just above zero: seek from just below it


class CLGR(Clusterer):
    """Groups that neighbours predict, and that change little along a graph (Wang, Zhang and Li, SIGIR 2007).

    Minimises over Q (n, k) with orthonormal columns

        tr Q^T ((A - I)^T (A - I) + weight L) Q,    A[i, N_i] = x_i^T X_i (X_i^T X_i + ridge m I)^-1

    where row i of A predicts i's memberships from those of its m neighbours N_i by ridge regression on them (X_i holds
    them as columns), and L is the Laplacian of the neighbours' self-tuning graph. The rows of Q, scaled to unit length,
    are then grouped by k-means.

    Parameters
    ----------
    n_clusters : int, default 8
    n_neighbors : int, default 20
        Size m of the neighbourhoods.
    ridge : float, default 0.1
        Regularisation of the local predictors.
    weight : float, default 1.0
        Weight of smoothness along the graph against local prediction.
    random_state : int, RandomState instance or None, default None

    Attributes
    ----------
    labels_ : (n,) int32
    objective_ : float, the minimum above

    Examples
    --------
    >>> rows = [[1.0, 0.1], [0.9, 0.0], [0.1, 1.0], [0.0, 0.9]]
    >>> labels = CLGR(2, n_neighbors=1, random_state=0).fit_predict(rows)
    >>> labels[0] == labels[1], labels[0] == labels[2]
    (np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "weight": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_clusters: int = 8, *, n_neighbors: int = 20, ridge: float = 0.1, weight: float = 1.0,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.weight = weight
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the groups of `X` (n, d); `y` is ignored. Raises InputError for fewer rows than clusters."""
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], self.n_clusters)
        if X.shape[0] == self.n_clusters:  # as many eigenvectors as rows: nothing to choose
            self.labels_, self.objective_ = np.arange(self.n_clusters, dtype=np.int32), 0.0
            return self
        rng = check_random_state(self.random_state)
        values, Q = _lowest(self._matrix(X.astype(np.float64)), self.n_clusters, rng)
        self.objective_ = float(values.sum())
        unit = Q / np.maximum(np.linalg.norm(Q, axis=1, keepdims=True), 1e-12)
        self.labels_ = KMeans(self.n_clusters, n_init=10, random_state=rng).fit_predict(unit).astype(np.int32)
        return self

    def _matrix(self, X: Any) -> Any:
        distances, neighbours = nearest(X, self.n_neighbors)
        n, m = neighbours.shape
        X = sp.csr_matrix(X) if sp.issparse(X) else X  # older SciPy has no rows of sparse arrays
        predictors = np.concatenate([_predictor(X[i], X[near], self.ridge) for i, near in enumerate(neighbours)])
        A = sp.csr_matrix((predictors, neighbours.ravel(), np.arange(0, n * m + 1, m)), shape=(n, n))
        local = A - sp.eye_array(n)
        return local.T @ local + self.weight * laplacian(neighbour_affinity(distances, neighbours))


def _predictor(x: Any, near: Any, ridge: float) -> Array:
    """Return the weights (m,) with which ridge regression on the rows `near` (m, d) predicts at `x`."""
    gram, products = near @ near.T, near @ x.T
    if sp.issparse(gram):
        gram, products = gram.toarray(), products.toarray()
    return np.linalg.solve(gram + ridge * len(gram) * np.eye(len(gram)), np.ravel(products))


def _lowest(M: Any, k: int, rng: Any) -> tuple[Array, Array]:
    """Return the k smallest eigenvalues of a positive semidefinite sparse matrix, and their vectors (n, k)."""
    found: tuple[Array, Array] = eigsh(sp.csc_matrix(M), k, sigma=_BELOW_ZERO, v0=rng.uniform(-1, 1, M.shape[0]))
    return found
