"""Generalised maximum-margin clustering into two groups."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from outgroup.cluster.base import Clusterer, enough_rows

from .graph import Array
from .kernels import KERNELS, kernel_matrix
from .semidefinite import modelling, solved

_RIDGE = 1e-3  # of the kernel's mean diagonal: its inverse is needed, and not too large


class GeneralisedMMC(Clusterer):
    """Two groups by a semidefinite program of n variables only, with a bias (Valizadegan and Jin, NIPS 2006).

    With w = (z, b), z_i the label of row i times a margin of at least 1, minimises

        w.Q w + C sum_i max(0, 1 - z_i^2),    Q = P^T K^-1 P + C_balance (1, 0)(1, 0)^T,    P = (I, 1)

    through its dual: maximise sum_i g_i with 0 <= g <= C and Q - diag(g, 0) positive semidefinite. The multiplier of
    that constraint stands for w w^T: the signs of its first eigenvector are the labels. Needs the extra `sdp`.

    Parameters
    ----------
    C : float, default 100.0
    C_balance : float, default 1.0
        Weight of the groups' imbalance; 0 would put all into one.
    kernel : {"linear", "rbf"}, default "rbf"
    gamma : float or "scale", default "scale"
        Width of the radial kernel exp(-gamma d^2); "scale" is 1 / (d Var(X)).

    Attributes
    ----------
    labels_ : (n,) int32
    multipliers_ : (n,) g
    objective_ : float, a lower bound on the minimum above
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "C_balance": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(KERNELS)],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, *, C: float = 100.0, C_balance: float = 1.0, kernel: str = "rbf", gamma: float | str = "scale"
    ) -> None:
        self.C = C
        self.C_balance = C_balance
        self.kernel = kernel
        self.gamma = gamma

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the two groups of `X` (n, d); `y` is ignored.

        Raises InputError for fewer than two rows, MissingExtraError without cvxpy, SolverError when it fails.
        """
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], 2)
        Q = quadratic_form(kernel_matrix(X, self.kernel, self.gamma), self.C_balance)
        self.multipliers_, products, self.objective_ = dual(Q, self.C)
        self.labels_ = (np.linalg.eigh(products)[1][:, -1] > 0).astype(np.int32)
        return self


def quadratic_form(K: Array, C_balance: float) -> Array:
    """Return Q, shape (n + 1, n + 1)."""
    n = len(K)
    P = np.hstack([np.eye(n), np.ones((n, 1))])
    ones = np.append(np.ones(n), 0.0)
    ridge = _RIDGE * (np.trace(K) / n or 1.0) * np.eye(n)
    return np.asarray(P.T @ np.linalg.solve(K + ridge, P) + C_balance * np.outer(ones, ones))


def dual(Q: Array, C: float) -> tuple[Array, Array, float]:
    """Return the multipliers g (n,), the matrix (n, n) that stands for z z^T, and the sum of g."""
    cp = modelling()
    n = len(Q) - 1
    g = cp.Variable(n)
    size = float(np.abs(Q).max())
    positive = (Q - cp.diag(cp.hstack([g, np.zeros(1)]))) / size >> 0
    value = solved(cp.Problem(cp.Maximize(cp.sum(g)), [g >= 0, g <= C, positive]))
    return np.asarray(g.value), np.asarray(positive.dual_value)[:n, :n], value
