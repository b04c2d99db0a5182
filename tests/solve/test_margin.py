"""Balanced hinges: the weights, the descent under them, and what the balance is for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from outgroup import CPM3C, MaxMarginClustering
from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.cutting_plane import minimise
from outgroup.solve.master import Balance, Master
from outgroup.solve.max_margin import (
    Data,
    MarginObjective,
    Seeding,
    all_equal,
    balanced_weights,
    c_scale,
    spread_margins,
    value,
)
from outgroup.solve.risks import MarginRisk, UniversumRisk
from outgroup.types import no_op


def random_rows(seed, n=30, d=5, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.choice(k, n, p=[0.7, 0.2, 0.1]).astype(np.int32)


def test_weights_worked_by_hand():
    # six rows in groups of 3, 2 and 1: 6/(3*3), 6/(3*2), 6/(3*1)
    weights = balanced_weights(np.array([0, 0, 0, 1, 1, 2]), 3)
    np.testing.assert_allclose(weights, [2 / 3] * 3 + [1.0] * 2 + [2.0])
    assert weights.sum() == pytest.approx(6)


def test_margins_worked_by_hand():
    # means 0, 2 and 4 on a line, at distances (2, 4), (2, 2) and (2, 4) from the others
    margins = spread_margins(as_rows(np.array([[-1.0], [1.0], [2.0], [4.0]])), np.array([0, 0, 1, 2]), 3)
    far, near = np.sqrt((4 + 16) / 2), np.sqrt((4 + 4) / 2)
    np.testing.assert_allclose(margins, np.array([far, far, near, far]) / ((2 * far + near) / 3))


def direct(X, W, weights, C, margins=1.0):
    """J from its definition, weights and margins by the row, u the best group of each."""
    (n, k), S, asked = (len(X), len(W)), X @ W.T, np.broadcast_to(margins, len(X))
    hinge = np.maximum(0, asked[:, None] - (S.max(axis=1, keepdims=True) - S)).sum(axis=1) - asked  # less the own term
    return np.vdot(W, W) / 2 + C * (weights * hinge).sum() / (n * k)


def leaning(U, W, epsilon=0.5):
    """The risk of the Universum from its definition: how far the best group's score lies above the mean."""
    k, T = len(W), U @ W.T
    return np.maximum(0, k / (k - 1) * (T.max(axis=1) - T.mean(axis=1)) - epsilon).mean()


@pytest.mark.parametrize(("share", "class_weight"), [(0.0, "balanced"), (0.0, None), (0.3, "balanced"), (1.0, None)])
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.5, 5.0, 50.0]))
def test_j_never_rises_is_the_formula_and_has_its_bound(seed, C, share, class_weight):
    (X, labels), U = random_rows(seed), np.random.default_rng(seed).normal(size=(15, 5))
    data = Data(as_rows(X), as_rows(U) if share else None)
    objective = MarginObjective(data, 3, C, share * C, class_weight=class_weight, tol=0.0, gap=1e-4)
    objective = objective.with_scale(labels).with_row_weights(labels)
    fit = objective.solve_from(labels, None, no_op)
    assert all(b["objective"] <= a["objective"] * (1 + 1e-12) for a, b in pairwise(fit.trace))
    weights = np.ones(30) if class_weight is None else objective.row_weights
    J = direct(X - objective.data.mean, fit.weights, weights, C, 1.0 if class_weight is None else objective.row_margins)
    assert fit.objective == pytest.approx(J + share * C * leaning(U - objective.data.mean, fit.weights), rel=1e-9)
    assert max(step["gap"] for step in fit.trace) <= 1e-4
    for step in fit.trace:
        assert max(step["lower_bound"], step["objective"]) <= step["anchored"] * (1 + 1e-12)


@pytest.mark.parametrize(("seed", "emphasis"), [(0, 0.5), (1, 1.0), (2, 50.0)])
def test_j_never_rises_and_is_the_formula_with_seeds(planted, seed, emphasis):
    X, _, U = planted
    rng = np.random.default_rng(seed)
    pins = np.where(rng.random(60) < 0.2, rng.integers(0, 3, 60), -1).astype(np.int32)  # many of them wrong
    seeding = Seeding(pins, np.where(pins >= 0, emphasis, 1.0))
    objective = MarginObjective(Data(as_rows(X), as_rows(U), center=False), 3, 40.0, 40.0, class_weight=None)
    objective = replace(objective, seeding=seeding, tol=0.0, gap=1e-5, max_iter=40)
    fit = objective.solve(rng.integers(0, 3, 60).astype(np.int32), no_op)
    assert all(b["objective"] <= a["objective"] * (1 + 1e-5) for a, b in pairwise(fit.trace))
    assert all(step["lower_bound"] <= step["anchored"] + 1e-9 for step in fit.trace)
    assert max(step["gap"] for step in fit.trace) <= 1e-5
    margin = MarginRisk(as_rows(X), 40.0, seeding.emphasis, pins=pins)
    risks = [margin, UniversumRisk(as_rows(U), 40.0)]
    assert fit.objective == pytest.approx(value(risks, margin.hold(fit.labels), fit.weights))


def test_with_every_row_held_it_is_one_convex_problem(planted):
    X, y, _ = planted
    data, seeding = Data(as_rows(X), center=False), Seeding(y.astype(np.int32), np.ones(60))
    objective = MarginObjective(data, 3, 40.0, class_weight=None, gap=1e-6, seeding=seeding)
    fit = objective.solve(np.zeros(60, dtype=np.int32), no_op)
    svm = minimise([MarginRisk(as_rows(X), 40.0)], y, np.zeros((3, 12)), Master([40.0], (3, 12)), 1e-6)
    assert fit.n_iter == 1
    assert fit.objective == pytest.approx(svm.value, rel=1e-5)
    assert np.array_equal(fit.labels, y)


@pytest.mark.parametrize("limit", [0.0, 0.1, 1.0])
def test_balance_is_kept_at_every_limit(planted, limit):
    X, y, _ = planted
    total = np.asarray(X.sum(axis=0)).ravel()
    data = Data(as_rows(X), center=False)
    fit = MarginObjective(data, 3, 30.0, class_weight=None, balance=Balance(total, limit)).solve_from(y, None, no_op)
    assert np.ptp(fit.weights @ total) <= limit + 1e-5


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
    risk, master = MarginRisk(as_rows(X), C, emphasis=weights), Master([C], (3, 2))
    ours = minimise([risk], labels, np.zeros((3, 2)), master, 1e-6)
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
    objective = MarginObjective(Data(as_rows(X)), 6)
    alive = [
        len(np.unique(form.with_scale(y).with_row_weights(y).solve(y, no_op).labels))
        for form in (objective, replace(objective, class_weight=None))
    ]
    assert alive[0] == 6
    assert alive[1] < 6


def between(k=8, each=20):
    """Groups side by side on an arc: the means of the inner ones lie between those of others."""
    angle = np.repeat(np.linspace(0.1, 1.4, k), each) + np.tile(np.linspace(-0.05, 0.05, each), k)
    return np.c_[np.cos(angle), np.sin(angle)], np.repeat(np.arange(k, dtype=np.int32), each)


def test_a_step_that_would_empty_a_group_is_not_taken():
    X, y = between(4)
    for C in (10.0, 30.0, 100.0, 300.0):
        objective = MarginObjective(Data(as_rows(X)), 4, C=C).with_scale(y).with_row_weights(y)
        fit = objective.solve(y, no_op)
        assert fit.empty == 0 or fit.n_iter == 1
        assert fit.objective == fit.trace[-1]["objective"]


def test_a_universum_that_would_empty_a_group_is_counted_and_not_followed():
    X, y = between(4)
    U = X[60:]
    objective = (
        MarginObjective(Data(as_rows(X), as_rows(U)), 4, C=300.0, C_universum=4e5).with_scale(y).with_row_weights(y)
    )
    fit = replace(objective, data=replace(objective.data, outside=None)).solve(y, no_op)
    assert objective.solve_from(y, None, no_op).labels.tolist() != fit.labels.tolist()
    steered = objective.solve(y, no_op)
    assert steered.empty == fit.empty == 0
    np.testing.assert_array_equal(steered.weights, fit.weights)
    universum = 4e5 * leaning(U - objective.data.mean, fit.weights)
    centred = X - objective.data.mean
    J = direct(centred, fit.weights, objective.row_weights, 300.0, objective.row_margins)
    assert steered.objective == pytest.approx(J + universum)


ROW = np.array([[0.6, 0.0, 0.48, 0.64]], dtype=np.float32)


@pytest.mark.parametrize("length", [1e-4, 1.0, 1e4])
def test_rounding_is_in_proportion_to_the_length_of_rows(length):
    rows = length * np.repeat(ROW.astype(np.float64), 40, axis=0)
    assert all_equal(as_rows(rows))
    rows[-1] *= 1 + 1e-9  # its square is below the rounding of the distances
    assert all_equal(as_rows(rows))
    rows[-1] *= 1.01
    assert not all_equal(as_rows(rows))


@pytest.mark.parametrize("estimator", [MaxMarginClustering, CPM3C])
@pytest.mark.parametrize("n", [20, 1000])
def test_equal_rows_are_refused_alike_whatever_their_number(estimator, n):
    with pytest.raises(InputError, match="all rows are equal"):
        estimator(3, n_init=1, random_state=0).fit(sp.csr_matrix(np.repeat(ROW, n, axis=0)))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_groups_that_differ_by_rounding_alone_have_no_scale(length):
    X, labels = length * np.eye(2)[[0, 0, 1, 1]], np.array([0, 0, 1, 1])
    assert c_scale(as_rows(X), labels, 2) == pytest.approx(2 / length**2)  # G is (1/4, -1/4), (-1/4, 1/4)
    near = c_scale(as_rows(X), labels, 2, size=length * 0.3 / (4 * np.finfo(float).eps))
    assert near == pytest.approx(2 / length**2)  # ||G|| is half a length
    with pytest.raises(InputError, match="rows are equal up"):
        c_scale(as_rows(X), labels, 2, size=length * 0.7 / (4 * np.finfo(float).eps))
