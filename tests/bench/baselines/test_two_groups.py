"""The methods for two groups against their objectives over all labellings of a few rows."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_blobs

from bench.baselines import GeneralisedMMC, IterativeSVR, SemidefiniteMMC
from bench.baselines.generalised import quadratic_form
from bench.baselines.kernels import kernel_matrix
from outgroup.metrics import accuracy


@pytest.fixture
def few():
    return make_blobs(8, centers=[[0, 0], [4, 4]], random_state=0)


def labellings(n):
    return [np.array([1, *rest]) for rest in product([-1, 1], repeat=n - 1)]


def test_regression_keeps_the_balance_and_ends_where_labels_repeat():
    X, y = make_blobs(90, centers=[[0, 0], [5, 5]], random_state=0)
    groups = IterativeSVR(kernel="linear", random_state=0).fit(X)
    assert accuracy(y, groups.labels_) == 1
    assert groups.n_iter_ < groups.max_iter
    skewed = IterativeSVR(balance=0.1, random_state=0).fit_predict(np.r_[X[y == 0], X[y == 1][:10]])
    assert abs(np.diff(np.bincount(skewed))[0]) <= 0.1 * len(skewed) + 1


def margin_problem(K, y, C):
    """The dual of the support vector machine without bias, twice over, by a general method."""
    G = K * np.outer(y, y)
    value = lambda a: a @ G @ a - 2 * a.sum()  # noqa: E731
    found = minimize(value, np.full(len(y), C / 2), jac=lambda a: 2 * (G @ a - 1), bounds=[(0, C)] * len(y))
    return -found.fun


def test_the_relaxation_lies_below_every_balanced_labelling_and_finds_the_best(few):
    pytest.importorskip("cvxpy", reason="needs the extra sdp")
    X, y = few
    groups = SemidefiniteMMC(C=1.0, balance=0.5).fit(X)
    K = kernel_matrix(X, "rbf", "scale")
    values = {tuple(s): margin_problem(K, s, 1.0) for s in labellings(8) if abs(s.sum()) <= 4}
    assert groups.objective_ <= min(values.values()) + 1e-3
    assert accuracy(min(values, key=values.get), groups.labels_) == 1
    assert accuracy(y, groups.labels_) == 1
    np.testing.assert_allclose(np.diag(groups.matrix_), 1, atol=1e-3)
    assert np.abs(groups.matrix_.sum(axis=1)).max() <= 4 + 1e-2


def test_the_generalised_bound_lies_below_every_labelling(few):
    pytest.importorskip("cvxpy", reason="needs the extra sdp")
    X, y = few
    groups = GeneralisedMMC(C=100.0).fit(X)
    Q = quadratic_form(kernel_matrix(X, "rbf", "scale"), 1.0)
    best_bias = lambda z: -(Q[-1, :-1] @ z) / Q[-1, -1]  # noqa: E731
    values = {tuple(z): (w := np.append(z, best_bias(z))) @ Q @ w for z in labellings(8)}
    assert groups.objective_ <= min(values.values()) + 1e-3
    assert accuracy(y, groups.labels_) == 1
    positive = Q - np.diag(np.append(groups.multipliers_, 0))
    assert np.linalg.eigvalsh(positive)[0] >= -1e-3 * np.abs(Q).max()
