"""Maximum-margin clustering into two groups by iterated support vector regression."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.cluster import KMeans
from sklearn.svm import SVR
from sklearn.utils._param_validation import Interval, StrOptions

from outgroup.cluster.base import Clusterer, enough_rows

from .graph import Array
from .kernels import KERNELS, width


class IterativeSVR(Clusterer):
    """Two groups: regress on the labels, move the threshold, label anew (Zhang, Tsang and Kwok, ICML 2007).

    From a k-means partition y in {-1, 1}, repeats: fit f by support vector regression with the Laplacian loss |y - f|;
    choose the threshold b, among those that keep the groups balanced, of least sum_i ||f(x_i) + b| - 1|; set
    y = sign(f + b).

    Parameters
    ----------
    C : float, default 1.0
        Weight of the loss.
    kernel : {"linear", "rbf"}, default "rbf"
    gamma : float or "scale", default "scale"
        Width of the radial kernel exp(-gamma d^2); "scale" is 1 / (d Var(X)).
    balance : float in (0, 1), default 0.3
        The groups' sizes differ by at most this share of the rows.
    max_iter : int, default 50
        Most repetitions; it ends when no label changes.
    random_state : int, RandomState instance or None, default None
        Of the k-means start.

    Attributes
    ----------
    labels_ : (n,) int32
    scores_ : (n,) f(x) + b of the last repetition
    n_iter_ : int

    Examples
    --------
    >>> labels = IterativeSVR(kernel="linear", random_state=0).fit_predict([[0.0], [0.1], [5.0], [5.2]])
    >>> labels[0] == labels[1], labels[0] == labels[2]
    (np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(KERNELS)],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "balance": [Interval(Real, 0, 1, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, C: float = 1.0, kernel: str = "rbf", gamma: float | str = "scale", balance: float = 0.3,
        max_iter: int = 50, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.balance = balance
        self.max_iter = max_iter
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the two groups of `X` (n, d); `y` is ignored. Raises InputError for fewer than two rows."""
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], 2)
        regression = SVR(kernel=self.kernel, gamma=width(X, self.gamma), C=self.C, epsilon=0.0)
        signs = 2 * KMeans(2, n_init=1, random_state=self.random_state).fit_predict(X) - 1
        self.n_iter_, before = 0, np.zeros_like(signs)
        while self.n_iter_ < self.max_iter and not np.array_equal(before, signs):
            scores = regression.fit(X, signs).predict(X)
            self.scores_ = scores + threshold(scores, self.balance)
            before, signs = signs, np.where(self.scores_ > 0, 1, -1)
            self.n_iter_ += 1
        self.labels_ = (signs > 0).astype(np.int32)
        return self


def threshold(scores: Array, balance: float) -> float:
    """Return the b of least sum_i ||s_i + b| - 1| among those half way between neighbours that keep the balance."""
    s = np.sort(scores)
    n = len(s)
    least = max(1, int(np.ceil((1 - balance) * n / 2)))
    below = np.arange(min(least, n // 2), max(n - least, n // 2) + 1)
    candidates = -(s[below - 1] + s[np.minimum(below, n - 1)]) / 2
    losses = [np.abs(np.abs(s + b) - 1).sum() for b in candidates]
    return float(candidates[int(np.argmin(losses))])
