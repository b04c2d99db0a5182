"""J never rises, labels belong to W, and the value is the formula's."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.rows import CentredRows, as_rows, highest
from outgroup.solve.master import Balance
from outgroup.solve.max_margin import Data, MarginObjective
from outgroup.types import no_op


def descend(X, U, labels, C, C_universum=0.0, *, center=False, on_step=no_op, **options):
    data = Data(as_rows(X), None if U is None else as_rows(U), center=center)
    objective = MarginObjective(data, 3, C, C_universum, class_weight=None, **options)
    return objective.solve_from(labels, None, on_step)


def objective(X, U, W, C, C_universum):
    """J of the M2DCU paper without the own terms, from the definition."""
    (n, k), S, T = (len(X), len(W)), X @ W.T, U @ W.T
    best = S.max(axis=1, keepdims=True)
    hinge = np.maximum(0, 1 - (best - S)).sum() - n  # the own term is 1 a row
    lean = np.maximum(0, k / (k - 1) * (T.max(axis=1) - T.mean(axis=1)) - 0.5).mean()
    return np.vdot(W, W) / 2 + C * hinge / (n * k) + C_universum * lean


def random_problem(seed, n=40, d=6):
    rng = np.random.default_rng(seed)
    X, U = rng.normal(size=(n, d)), rng.normal(size=(15, d))
    X -= X.mean(axis=0)
    return X, U, rng.integers(0, 3, n)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.5, 5.0, 50.0]), share=st.sampled_from([0.3, 1.0]))
def test_j_never_rises_and_is_the_formula(seed, C, share):
    X, U, labels = random_problem(seed)
    fit = descend(X, U, labels, C, share * C, tol=0.0, gap=1e-4, max_iter=30)
    objectives = [step["objective"] for step in fit.trace]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(objectives))
    assert fit.objective == pytest.approx(objective(X, U, fit.weights, C, share * C), rel=1e-9)
    assert fit.gap <= 1e-4
    assert all(step["lower_bound"] <= step["anchored"] * (1 + 1e-12) for step in fit.trace)
    assert all(step["objective"] <= step["anchored"] * (1 + 1e-12) for step in fit.trace)


def test_labels_are_the_assignment_under_the_weights(planted):
    X, y, U = planted
    rows = CentredRows(as_rows(X), np.asarray(X.mean(axis=0)).ravel())
    fit = descend(X, U, y, 30.0, 30.0, center=True)
    np.testing.assert_array_equal(fit.labels, highest(rows, fit.weights))
    np.testing.assert_array_equal(fit.labels, y)


def test_balance_is_kept_at_every_limit(planted):
    X, y, _ = planted
    total = np.asarray(X.sum(axis=0)).ravel()
    for limit in (0.0, 0.1, 1.0):
        fit = descend(X, None, y, 30.0, balance=Balance(total, limit))
        assert np.ptp(fit.weights @ total) <= limit + 1e-5
