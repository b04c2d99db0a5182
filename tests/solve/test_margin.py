"""Balanced hinges: the weights, the descent under them, and what the balance is for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from outgroup import MaxMarginClustering
from outgroup.rows import as_rows
from outgroup.solve.cutting_plane import minimise
from outgroup.solve.data import Data
from outgroup.solve.margin import MarginObjective, balanced_weights, c_scale
from outgroup.solve.master import Master
from outgroup.solve.risks import MarginRisk


def quiet(step):
    pass


def random_rows(seed, n=30, d=5, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.choice(k, n, p=[0.7, 0.2, 0.1]).astype(np.int32)


def test_weights_worked_by_hand():
    # six rows in groups of 3, 2 and 1: 6/(3*3), 6/(3*2), 6/(3*1)
    weights = balanced_weights(np.array([0, 0, 0, 1, 1, 2]), 3)
    np.testing.assert_allclose(weights, [2 / 3] * 3 + [1.0] * 2 + [2.0])
    assert weights.sum() == pytest.approx(6)


def test_an_empty_group_takes_part_of_no_weight():
    np.testing.assert_allclose(balanced_weights(np.array([0, 0, 2, 2]), 3), 4 / (3 * 2))


def test_groups_of_equal_size_are_not_changed():
    X, _ = random_rows(0)
    labels = np.arange(30, dtype=np.int32) % 3
    plain, balanced = (
        MarginObjective(Data.of(as_rows(X)), 3, class_weight=weight).resolved(labels).weighted(labels)
        for weight in (None, "balanced")
    )
    one, other = plain.solve(labels, quiet), balanced.solve(labels, quiet)
    assert pytest.approx(balanced.C) == plain.C
    assert one.objective == pytest.approx(other.objective, rel=1e-9)
    np.testing.assert_array_equal(one.labels, other.labels)


def direct(X, W, weights, C):
    """J from its definition, weights by the row, u the best group of each."""
    (n, k), S = (len(X), len(W)), X @ W.T
    hinge = np.maximum(0, 1 - (S.max(axis=1, keepdims=True) - S)).sum(axis=1) - 1  # the own term is 1 a row
    return np.vdot(W, W) / 2 + C * (weights * hinge).sum() / (n * k)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.5, 5.0, 50.0]))
def test_j_never_rises_is_the_formula_and_has_its_bound(seed, C):
    X, labels = random_rows(seed)
    X -= X.mean(axis=0)
    objective = MarginObjective(Data.of(as_rows(X)), 3, C=C, tol=0.0, gap=1e-4).resolved(labels).weighted(labels)
    fit = objective.solve(labels, quiet)
    values = [step["objective"] for step in fit.trace]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(values))
    assert fit.objective == pytest.approx(direct(X, fit.weights, objective.row_weights, C), rel=1e-9)
    assert all(step["lower_bound"] <= step["anchored"] * (1 + 1e-12) for step in fit.trace)
    assert fit.gap <= 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_an_independent_solver_finds_the_same_minimum(seed):
    """The convex problem of one anchor, its hinges smoothed to nothing by SciPy's own variables and constraints."""
    X, labels = random_rows(seed, n=12, d=2)
    C, weights = 4.0, balanced_weights(labels, 3)
    pairs = [(i, r) for i in range(12) for r in range(3) if r != labels[i]]
    cost = np.array([C * weights[i] / 36 for i, _ in pairs])

    def margins(w):
        S = X @ w[:6].reshape(3, 2).T
        return np.array([S[i, labels[i]] - S[i, r] for i, r in pairs])

    found = minimize(
        lambda z: z[:6] @ z[:6] / 2 + cost @ z[6:], np.concatenate([np.zeros(6), np.ones(len(pairs))]),
        jac=lambda z: np.concatenate([z[:6], cost]), method="SLSQP", options={"maxiter": 500, "ftol": 1e-10},
        bounds=[(None, None)] * 6 + [(0, None)] * len(pairs),
        constraints=[{"type": "ineq", "fun": lambda z: margins(z) - 1 + z[6:]}],
    )  # fmt: skip
    ours = minimise(
        [MarginRisk(as_rows(X), C, emphasis=weights)], labels, np.zeros((3, 2)), Master([C], (3, 2)), tol=1e-6
    )
    assert found.success
    assert ours.value == pytest.approx(found.fun, rel=1e-5)
    assert ours.lower_bound <= found.fun * (1 + 1e-6)


def test_the_automatic_weight_gives_a_balanced_mean_margin_of_one():
    X, labels = random_rows(4)
    X -= X.mean(axis=0)
    weights = balanced_weights(labels, 3)
    G = np.stack([(weights * ((labels == j) - 1 / 3)) @ X for j in range(3)]) / 30
    S = c_scale(as_rows(X), labels, 3, weights=weights) * X @ G.T
    own = S[np.arange(30), labels]
    assert np.mean(weights * (3 * own - S.sum(axis=1)) / 2) == pytest.approx(1)


def uneven(seed=0, sizes=(400, 400, 10, 10, 10, 10)):
    """Planted groups: two large ones, and beside each of them small ones."""
    rng = np.random.default_rng(seed)
    k = len(sizes)
    y = np.repeat(np.arange(k), sizes).astype(np.int32)
    centres = np.eye(k)
    centres[2:] += 0.8 * centres[np.arange(k - 2) % 2]
    X = centres[y] + 0.55 + 0.12 * rng.normal(size=(len(y), k))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


def test_small_groups_stay_where_the_papers_form_empties_them():
    X, y = uneven()
    objective = MarginObjective(Data.of(as_rows(X)), 6)
    alive = [
        len(np.unique(form.resolved(y).weighted(y).solve(y, quiet).labels))
        for form in (objective, replace(objective, class_weight=None))
    ]
    assert alive[0] == 6
    assert alive[1] < 6


def test_the_numbers_of_groups_in_the_start_change_nothing_but_the_groups_numbers():
    X, y = uneven(1)
    swap = np.array([3, 5, 0, 1, 4, 2])
    one = MaxMarginClustering(6, random_state=0).fit(X, init=y)
    other = MaxMarginClustering(6, random_state=0).fit(X, init=swap[y])
    np.testing.assert_array_equal(swap[one.labels_], other.labels_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-3)


def test_the_papers_form_is_one_parameter_away():
    X, y = uneven(2, sizes=(60, 50, 20))
    plain = MaxMarginClustering(3, class_weight=None, C=500.0, random_state=0).fit(X, init=y)
    W, centred = plain.coef_, X - X.mean(axis=0)
    assert plain.objective_ == pytest.approx(direct(centred, W, np.ones(len(X)), 500.0), rel=1e-6)
