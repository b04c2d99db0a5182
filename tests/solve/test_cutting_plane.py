"""The certificate, and agreement with scikit-learn's support vector machine where the problems are the same."""

import numpy as np
import pytest
from factories import set_constants
from sklearn.svm import LinearSVC

from outgroup.rows import as_rows
from outgroup.solve import master as masters
from outgroup.solve.cutting_plane import minimise, value_of
from outgroup.solve.master import Master
from outgroup.solve.risks import Cut, MarginRisk, UniversumRisk


def solve(X, y, k, C, universum=None, tol=1e-3):
    risks = [MarginRisk(as_rows(X), C)]
    if universum is not None:
        risks.append(UniversumRisk(as_rows(universum), C, 0.5))
    shape = (k, X.shape[1])
    return minimise(risks, y, np.zeros(shape), Master([r.weight for r in risks], shape), tol), risks


def test_two_clusters_with_fixed_labels_are_a_support_vector_machine(planted):
    # With w = W_0 - W_1: J = 1/4 ||w||^2 + C/(2 n) sum hinge, half of the SVM's objective at its C = C_l / n.
    X, y, _ = planted
    X, y = X[:40].toarray(), y[:40]
    C = 50.0
    solution, _ = solve(X, y, 2, C, tol=1e-6)
    svm = LinearSVC(C=C / 40, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=100_000).fit(X, y)
    w = svm.coef_[0]
    hinge = np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w)).sum()
    assert solution.value == pytest.approx((w @ w / 2 + C / 40 * hinge) / 2, rel=1e-4)
    np.testing.assert_allclose(solution.W[1] - solution.W[0], w, atol=1e-2)


def test_the_value_at_a_point_by_hand():
    W = np.array([[3.0, 4.0]])
    risks = [MarginRisk(as_rows(W), 2.0), UniversumRisk(as_rows(W), 10.0)]
    assert value_of(risks, [Cut(W, 0.0, 0.5), Cut(W, 0.0, 0.1)], W) == 25 / 2 + 2 * 0.5 + 10 * 0.1


def test_every_risk_gives_a_cut_each_round(planted):
    X, y, U = planted
    risks, shape = [MarginRisk(as_rows(X), 30.0), UniversumRisk(as_rows(U), 30.0, 0.5)], (3, X.shape[1])
    master = Master([30.0, 30.0], shape)
    assert minimise(risks, y, np.zeros(shape), master, 1e-3, max_cuts=1).n_cuts == 1
    assert len(master) == 2


def test_a_gap_is_closed_with_few_cuts_held(planted, monkeypatch):
    X, y, U = planted
    many, _ = solve(X, y, 3, 1000.0, U, 1e-4)
    set_constants(monkeypatch, masters, most_cuts=12, idle_rounds=5)  # W has 36 entries
    risks, shape = [MarginRisk(as_rows(X), 1000.0), UniversumRisk(as_rows(U), 1000.0, 0.5)], (3, X.shape[1])
    master = Master([1000.0, 1000.0], shape)
    few = minimise(risks, y, np.zeros(shape), master, 1e-3)
    assert len(master) <= 2 * (12 + 5) < few.n_cuts
    assert 0 <= few.gap <= 1e-3
    assert few.lower_bound <= many.value <= few.value * (1 + 1e-4)


def test_no_point_is_below_the_bound(planted):
    X, y, U = planted
    solution, risks = solve(X, y, 3, 30.0, U)
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1e-2, 0.1, 1.0):
        W = solution.W + scale * rng.normal(size=solution.W.shape)
        value = np.vdot(W, W) / 2 + sum(r.weight * r.cut(W, y).value for r in risks)
        assert value >= solution.lower_bound


def test_a_cap_on_cuts_is_kept_and_the_gap_says_so(planted):
    X, y, U = planted
    risks = [MarginRisk(as_rows(X), 1000.0), UniversumRisk(as_rows(U), 1000.0)]
    solution = minimise(risks, y, np.zeros((3, 12)), Master([1000.0, 1000.0], (3, 12)), 1e-9, max_cuts=3)
    assert solution.n_cuts == 3
    assert solution.gap > 1e-9
