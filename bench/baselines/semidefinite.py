"""Maximum-margin clustering into two groups by semidefinite programming."""

from __future__ import annotations

import warnings
from importlib import import_module
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from outgroup.cluster.base import Clusterer, enough_rows
from outgroup.errors import MissingExtraError, OutgroupWarning, SolverError, installing

from .graph import Array
from .kernels import KERNELS, kernel_matrix

_MAX_ITER = 5_000  # what is not solved by then hardly ever is


def modelling() -> Any:
    """Return cvxpy; raises MissingExtraError where it is not installed."""
    try:
        return import_module("cvxpy")
    except ImportError as error:
        raise MissingExtraError(f"semidefinite programs need cvxpy: {installing('sdp')}") from error


def solved(problem: Any) -> float:
    """Solve a cvxpy problem and return its value; warns when it is inaccurate.

    Raises SolverError when that fails.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # said below, in the house's words
            problem.solve(solver="SCS", max_iters=_MAX_ITER)
    except Exception as error:  # cvxpy's and the solver's own trees of exceptions
        raise SolverError(f"the semidefinite solver failed: {error}; give fewer rows, or scale them") from error
    if problem.value is None or not np.isfinite(problem.value):
        raise SolverError(f"the semidefinite solver ended {problem.status}; give fewer rows, or scale them")
    if problem.status != "optimal":
        warnings.warn("the semidefinite program was not solved to full accuracy", OutgroupWarning, stacklevel=4)
    return float(problem.value)


class SemidefiniteMMC(Clusterer):
    """Two groups by the convex relaxation of the best support vector machine over labels (Xu et al., NIPS 2004).

    Minimises over M, which stands for y y^T with y in {-1, 1}^n,

        max_{0 <= a <= C} 2 a.1 - a.(K o M) a      subject to  M >= 0, diag M = 1, -l <= M 1 <= l

    and labels by the sign of M's first eigenvector. For two groups and about a hundred rows; needs the extra `sdp`.

    Parameters
    ----------
    C : float, default 1.0
    kernel : {"linear", "rbf"}, default "rbf"
    gamma : float or "scale", default "scale"
        Width of the radial kernel exp(-gamma d^2); "scale" is 1 / (d Var(X)).
    balance : float in (0, 1], default 0.3
        l as a share of the rows.

    Attributes
    ----------
    labels_ : (n,) int32
    matrix_ : (n, n) M
    objective_ : float, the relaxation's minimum: no labels of such balance have a wider margin
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions(KERNELS)],
        "gamma": [StrOptions({"scale"}), Interval(Real, 0, None, closed="neither")],
        "balance": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self, *, C: float = 1.0, kernel: str = "rbf", gamma: float | str = "scale", balance: float = 0.3
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.balance = balance

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the two groups of `X` (n, d); `y` is ignored.

        Raises InputError for fewer than two rows, MissingExtraError without cvxpy, SolverError when it fails.
        """
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], 2)
        K = kernel_matrix(X, self.kernel, self.gamma)
        limit = max(self.balance * len(K), len(K) % 2)  # an odd number of rows cannot be halved
        self.matrix_, self.objective_ = relaxation(K, self.C, limit)
        self.labels_ = (np.linalg.eigh(self.matrix_)[1][:, -1] > 0).astype(np.int32)
        return self


def relaxation(K: Array, C: float, limit: float) -> tuple[Array, float]:
    """Return the minimiser M and the minimum, with the inner maximum written as a linear matrix inequality."""
    cp = modelling()
    n = len(K)
    M, mu, nu, delta = cp.Variable((n, n), PSD=True), cp.Variable(n), cp.Variable(n), cp.Variable()
    column = cp.reshape(1 + mu - nu, (n, 1), order="C")
    corner = cp.reshape(delta - 2 * C * cp.sum(nu), (1, 1), order="C")
    constraints = [
        cp.bmat([[cp.multiply(K, M), column], [column.T, corner]]) >> 0,
        cp.diag(M) == 1,
        mu >= 0,
        nu >= 0,
        cp.abs(cp.sum(M, axis=1)) <= limit,
    ]
    value = solved(cp.Problem(cp.Minimize(delta), constraints))
    return np.asarray(M.value), value
