"""Balanced hinges: the weights, the descent under them, and what the balance is for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from outgroup import MaxMarginClustering
from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.cutting_plane import CuttingPlanes, minimise
from outgroup.solve.master import Master
from outgroup.solve.max_margin import (
    Data,
    MarginObjective,
    Seeding,
    balanced_weights,
    c_scale,
    checked_balance,
    spread_margins,
)
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


def test_margins_worked_by_hand():
    # means 0, 2 and 4 on a line, at distances (2, 4), (2, 2) and (2, 4) from the others
    margins = spread_margins(as_rows(np.array([[-1.0], [1.0], [2.0], [4.0]])), np.array([0, 0, 1, 2]), 3)
    far, near = np.sqrt((4 + 16) / 2), np.sqrt((4 + 4) / 2)
    np.testing.assert_allclose(margins, np.array([far, far, near, far]) / ((2 * far + near) / 3))


def test_margins_do_not_depend_on_where_zero_is_on_the_unit_or_on_groups_without_rows():
    X, labels = random_rows(3)
    margins = spread_margins(as_rows(X), labels, 3)
    np.testing.assert_allclose(spread_margins(as_rows(7 * X + 2), labels, 3), margins)
    np.testing.assert_allclose(spread_margins(as_rows(X), 2 * labels, 6), margins)


def test_groups_of_equal_means_are_asked_for_the_same():
    X = np.array([[1.0], [3.0], [0.0], [4.0]])
    np.testing.assert_array_equal(spread_margins(as_rows(X), np.array([0, 0, 1, 1]), 2), np.ones(4))
    np.testing.assert_array_equal(spread_margins(as_rows(X), np.zeros(4, int), 1), np.ones(4))


def tight_and_loose(seed, each=60, own=2, common=8):
    """Texts of six groups: half with words of a few, half with words of many, and words that all use."""
    rng = np.random.default_rng(seed)
    words = [8] * 3 + [80] * 3
    first, y = np.cumsum([60, *words]), np.repeat(np.arange(6), each).astype(np.int32)
    X = np.zeros((len(y), first[-1]))
    for row, group in zip(X, y, strict=True):
        row[first[group] + rng.choice(words[group], own, replace=False)] = 1
        row[rng.choice(60, common, replace=False)] = 1
    return X / np.sqrt(own + common), y


def test_rows_stay_where_groups_are_tight_and_loose():
    left = np.zeros(2, dtype=int)
    for seed in range(3):
        X, y = tight_and_loose(seed)
        own = MarginObjective(Data(as_rows(X)), 6).with_scale(y).with_row_weights(y)
        forms = own, replace(own, row_margins=None)
        left += [np.count_nonzero(form.solve(y, quiet).labels != y) for form in forms]
    assert 2 * left[0] < left[1]  # of 1,080 rows


def test_a_row_is_asked_for_a_margin_in_proportion_to_its_length():
    X, labels = random_rows(1)
    rows = as_rows(X)
    own = MarginObjective(Data(rows), 3, C=1.0).with_row_weights(labels)
    asked = own.row_margins / spread_margins(rows, labels, 3)
    np.testing.assert_allclose(asked / asked[0], np.linalg.norm(X, axis=1) / np.linalg.norm(X[0]))
    assert np.average(asked, weights=balanced_weights(labels, 3)) == pytest.approx(1)


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_two_groups_of_equal_size_are_not_changed():
    X = unit(random_rows(0)[0])
    labels = np.arange(30, dtype=np.int32) % 2
    plain, balanced = (
        MarginObjective(Data(as_rows(X)), 2, class_weight=weight).with_scale(labels).with_row_weights(labels)
        for weight in (None, "balanced")
    )
    one, other = plain.solve(labels, quiet), balanced.solve(labels, quiet)
    assert pytest.approx(balanced.C) == plain.C
    assert one.objective == pytest.approx(other.objective, rel=1e-9)
    np.testing.assert_array_equal(one.labels, other.labels)


def direct(X, W, weights, C, margins=1.0):
    """J from its definition, weights and margins by the row, u the best group of each."""
    (n, k), S, asked = (len(X), len(W)), X @ W.T, np.broadcast_to(margins, len(X))
    hinge = np.maximum(0, asked[:, None] - (S.max(axis=1, keepdims=True) - S)).sum(axis=1) - asked  # less the own term
    return np.vdot(W, W) / 2 + C * (weights * hinge).sum() / (n * k)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.5, 5.0, 50.0]))
def test_j_never_rises_is_the_formula_and_has_its_bound(seed, C):
    X, labels = random_rows(seed)
    objective = MarginObjective(Data(as_rows(X)), 3, C=C, tol=0.0, gap=1e-4).with_scale(labels).with_row_weights(labels)
    fit = objective.solve(labels, quiet)
    values = [step["objective"] for step in fit.trace]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(values))
    assert fit.objective == pytest.approx(
        direct(X - objective.data.mean, fit.weights, objective.row_weights, C, objective.row_margins), rel=1e-9
    )
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
    risk, master = MarginRisk(as_rows(X), C, emphasis=weights), Master([C], (3, 2))
    ours = minimise([risk], labels, np.zeros((3, 2)), master, CuttingPlanes(1e-6))
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
        len(np.unique(form.with_scale(y).with_row_weights(y).solve(y, quiet).labels))
        for form in (objective, replace(objective, class_weight=None))
    ]
    assert alive[0] == 6
    assert alive[1] < 6


def test_a_weight_of_two_is_the_row_twice():
    X = unit(random_rows(2)[0])
    y = (np.arange(30) >= 20).astype(np.int32)
    twice = np.r_[np.arange(30), np.arange(20, 30)]
    balanced = MarginObjective(Data(as_rows(X)), 2, gap=1e-6).with_scale(y).with_row_weights(y)
    plain = MarginObjective(Data(as_rows(X[twice])), 2, class_weight=None, gap=1e-6).with_scale(y[twice])
    np.testing.assert_allclose(balanced.data.mean, plain.data.mean)
    assert pytest.approx(balanced.C) == plain.C
    one, other = balanced.solve(y, quiet), plain.solve(y[twice], quiet)
    assert one.objective == pytest.approx(other.objective, rel=1e-5)
    np.testing.assert_array_equal(one.labels[twice], other.labels)


def test_groups_of_uneven_sizes_part_between_their_means():
    rng = np.random.default_rng(0)
    X = np.where(np.arange(1000) < 950, -1.0, 1.0)[:, None] + np.c_[rng.uniform(-0.9, 0.9, 1000)]
    X = np.c_[X, np.zeros(1000)]
    y = (np.arange(1000) >= 950).astype(np.int32)
    objective = MarginObjective(Data(as_rows(X), as_rows(X[:3])), 2).with_scale(y).with_row_weights(y)
    np.testing.assert_array_equal(objective.solve(y, quiet).labels, y)
    np.testing.assert_allclose(objective.data.mean, [X[y == 0, 0].mean() / 2 + X[y == 1, 0].mean() / 2, 0], atol=1e-12)
    np.testing.assert_allclose(objective.data.universum.take(np.array([0])), X[:1] - objective.data.mean)


def between(k=8, each=20):
    """Groups side by side on an arc: the means of the inner ones lie between those of others."""
    angle = np.repeat(np.linspace(0.1, 1.4, k), each) + np.tile(np.linspace(-0.05, 0.05, each), k)
    return np.c_[np.cos(angle), np.sin(angle)], np.repeat(np.arange(k, dtype=np.int32), each)


def test_groups_whose_means_lie_between_those_of_others_stay():
    X, y = between()
    objective = MarginObjective(Data(as_rows(X)), 8).with_scale(y)
    assert objective.with_row_weights(y).solve(y, quiet).empty > 0
    fit = MaxMarginClustering(8, random_state=0).fit(X, init=y)
    np.testing.assert_array_equal(fit.labels_, y)
    np.testing.assert_array_equal(fit.predict(X, off_topic=False), y)
    S = X @ fit.coef_.T
    assert np.mean(8 * S[np.arange(160), y] - S.sum(axis=1)) / 7 == pytest.approx(1)


def test_a_step_that_would_empty_a_group_is_not_taken():
    X, y = between(4)
    for C in (10.0, 30.0, 100.0, 300.0):
        objective = MarginObjective(Data(as_rows(X)), 4, C=C).with_scale(y).with_row_weights(y)
        fit = objective.solve(y, quiet)
        assert fit.empty == 0 or fit.n_iter == 1
        assert fit.objective == fit.trace[-1]["objective"]


def test_the_papers_form_is_one_parameter_away():
    X, y = uneven(2, sizes=(60, 50, 20))
    plain = MaxMarginClustering(3, class_weight=None, C=500.0, random_state=0).fit(X, init=y)
    W, centred = plain.coef_, X - X.mean(axis=0)
    assert plain.objective_ == pytest.approx(direct(centred, W, np.ones(len(X)), 500.0), rel=1e-6)


def leaning(U, W, epsilon=0.5):
    """The risk of the Universum from its definition: how far the best group's score lies above the mean."""
    k, T = len(W), U @ W.T
    return np.maximum(0, k / (k - 1) * (T.max(axis=1) - T.mean(axis=1)) - epsilon).mean()


def test_values_without_seeds_and_without_weights_are_the_formula():
    X, y = random_rows(1)
    U = np.random.default_rng(5).normal(size=(8, 5))
    pins = np.where(np.arange(30) < 6, (y + 1) % 3, -1)
    seeding = Seeding(pins, np.where(pins >= 0, 9.0, 1.0))
    objective = MarginObjective(Data(as_rows(X), as_rows(U)), 3, C=5.0, C_universum=2.0, seeding=seeding)
    objective = objective.with_scale(y).with_row_weights(y)
    fit, centred, weights = objective.solve_from(y, None, quiet), X - objective.data.mean, objective.row_weights
    universum = 2.0 * leaning(U - objective.data.mean, fit.weights)
    J = direct(centred, fit.weights, weights, 5.0, objective.row_margins)
    assert objective.objective_without_seeds(fit) == pytest.approx(J + universum)
    assert objective.objective_without_seeds(fit) < fit.objective
    free = replace(objective, seeding=None)
    assert free.objective_without_seeds(fit) == fit.objective
    assert free.comparable_objective(fit) == pytest.approx(direct(centred, fit.weights, np.ones(30), 5.0))


def test_a_universum_that_would_empty_a_group_is_counted_and_not_followed():
    X, y = between(4)
    U = X[60:]
    objective = (
        MarginObjective(Data(as_rows(X), as_rows(U)), 4, C=300.0, C_universum=4e5).with_scale(y).with_row_weights(y)
    )
    fit = replace(objective, data=replace(objective.data, outside=None)).solve(y, quiet)
    assert objective.solve_from(y, None, quiet).labels.tolist() != fit.labels.tolist()
    steered = objective.solve(y, quiet)
    assert steered.empty == fit.empty == 0
    np.testing.assert_array_equal(steered.weights, fit.weights)
    universum = 4e5 * leaning(U - objective.data.mean, fit.weights)
    centred = X - objective.data.mean
    J = direct(centred, fit.weights, objective.row_weights, 300.0, objective.row_margins)
    assert steered.objective == pytest.approx(J + universum)


def test_a_balance_of_centred_rows_is_refused():
    with pytest.raises(InputError, match="effect on centred rows"):
        checked_balance(as_rows(np.eye(2)), 0.1, center=True)
    assert checked_balance(as_rows(np.eye(2)), None, center=True) is None
