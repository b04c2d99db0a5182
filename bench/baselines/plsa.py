"""Probabilistic latent semantic analysis."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_non_negative

from outgroup.cluster.base import Clusterer, enough_rows


class PLSA(Clusterer):
    """Groups by the commonest topic of each document, topics by maximum likelihood (Hofmann, SIGIR 1999).

    Maximises sum_dw n_dw log sum_z P(z|d) P(w|z). Its stationary points are those of non-negative matrix factorisation
    with the Kullback-Leibler loss, whose normalised factors are the probabilities: scikit-learn's does the work.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of topics.
    n_init : int, default 1
        Number of random starts; the greatest likelihood is kept.
    tol, max_iter : float, default 1e-4; int, default 200
        When a start ends: the relative change of the loss, the most updates.
    random_state : int, RandomState instance or None, default None

    Attributes
    ----------
    labels_ : (n,) int32
    components_ : (k, d), P(w|z)
    document_topics_ : (n, k), P(z|d); a document without words has P(z|d) = 1/k
    log_likelihood_ : float
    n_iter_ : int, number of updates of the kept start

    Examples
    --------
    >>> counts = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 5, 2], [0, 0, 1, 3]]
    >>> labels = PLSA(2, n_init=3, random_state=0).fit_predict(counts)
    >>> labels[0] == labels[1], labels[0] == labels[2]
    (np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, n_clusters: int = 8, *, n_init: int = 1, tol: float = 1e-4, max_iter: int = 200, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the topics of the counts `X` (n, d), none negative; `y` is ignored.

        Raises InputError for fewer rows than clusters, ValueError for negative numbers, NaN and infinity.
        """
        X = self._checked(X, reset=True)
        check_non_negative(X, "PLSA")
        enough_rows(X.shape[0], self.n_clusters)
        rng = check_random_state(self.random_state)
        best = min((self._start(X, rng) for _ in range(self.n_init)), key=lambda start: start[2])
        self.document_topics_, self.components_ = _probabilities(best[0], best[1])
        self.labels_ = self.document_topics_.argmax(axis=1).astype(np.int32)
        self.n_iter_ = best[3]
        self.log_likelihood_ = log_likelihood(X, self.document_topics_, self.components_)
        return self

    def _start(self, X: Any, rng: Any) -> tuple[np.ndarray, np.ndarray, float, int]:
        model = NMF(
            self.n_clusters, init="random", solver="mu", beta_loss="kullback-leibler", tol=self.tol,
            max_iter=self.max_iter, random_state=rng,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the limit is the caller's
            W = model.fit_transform(X)
        return W, model.components_, model.reconstruction_err_, model.n_iter_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _probabilities(W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return P(z|d) and P(w|z) from the factors of the counts."""
    length = H.sum(axis=1)
    joint = W * length
    total = joint.sum(axis=1, keepdims=True)
    topics = np.divide(joint, total, out=np.full_like(joint, 1 / joint.shape[1]), where=total > 0)
    words = np.divide(H, length[:, None], out=np.full_like(H, 1 / H.shape[1]), where=length[:, None] > 0)
    return topics, words


def log_likelihood(X: Any, topics: np.ndarray, words: np.ndarray) -> float:
    """Return sum_dw n_dw log sum_z P(z|d) P(w|z) over the words that occur."""
    d, w = X.nonzero()
    counts = np.asarray(X[d, w]).ravel()
    return float(counts @ np.log(np.maximum(np.einsum("ez,ez->e", topics[d], words.T[w]), 1e-300)))
