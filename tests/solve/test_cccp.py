"""J never rises, labels belong to W, and the value is the formula's."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.rows import CentredRows, as_rows, highest
from outgroup.solve.cccp import cccp
from outgroup.solve.master import Balance
from outgroup.solve.risks import MarginRisk, UniversumRisk


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
    fit = cccp(
        MarginRisk(as_rows(X), C), [UniversumRisk(as_rows(U), share * C)], labels, 3, tol=0.0, gap=1e-4, max_iter=30
    )
    objectives = [step["objective"] for step in fit.trace]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(objectives))
    assert fit.objective == pytest.approx(objective(X, U, fit.weights, C, share * C), rel=1e-9)
    assert fit.gap <= 1e-4
    assert all(step["lower_bound"] <= step["anchored"] * (1 + 1e-12) for step in fit.trace)
    assert all(step["objective"] <= step["anchored"] * (1 + 1e-12) for step in fit.trace)


def test_labels_are_the_assignment_under_the_weights(planted):
    X, y, U = planted
    rows = CentredRows(as_rows(X), np.asarray(X.mean(axis=0)).ravel())
    fit = cccp(MarginRisk(rows, 30.0), [UniversumRisk(as_rows(U), 30.0)], y, 3)
    np.testing.assert_array_equal(fit.labels, highest(rows, fit.weights))
    np.testing.assert_array_equal(fit.labels, y)


def test_balance_is_kept_at_every_limit(planted):
    X, y, _ = planted
    total = np.asarray(X.sum(axis=0)).ravel()
    for limit in (0.0, 0.1, 1.0):
        fit = cccp(MarginRisk(as_rows(X), 30.0), [], y, 3, balance=Balance(total, limit))
        assert np.ptp(fit.weights @ total) <= limit + 1e-5


def test_steps_are_told_as_they_end(planted):
    X, y, _ = planted
    heard = []
    fit = cccp(MarginRisk(as_rows(X), 30.0), [], np.roll(y, 7), 3, on_step=heard.append)
    assert heard == fit.trace
    assert [step["step"] for step in heard] == list(range(1, len(heard) + 1))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_there_are_as_many_steps_as_are_allowed(most):
    X, U, labels = random_problem(3)
    risks = MarginRisk(as_rows(X), 50.0), [UniversumRisk(as_rows(U), 15.0)]
    whole = cccp(*risks, labels, 3, tol=0.0)
    assert len(whole.trace) > 3
    fit = cccp(*risks, labels, 3, tol=0.0, max_iter=most)
    assert [step["step"] for step in fit.trace] == list(range(1, most + 1))
    assert [step["objective"] for step in fit.trace] == [step["objective"] for step in whole.trace[:most]]
    assert fit.objective == whole.trace[most - 1]["objective"]


def test_a_step_that_wins_less_than_was_asked_for_is_the_last():
    X, U, labels = random_problem(3)
    risks = MarginRisk(as_rows(X), 50.0), [UniversumRisk(as_rows(U), 15.0)]
    objectives = [step["objective"] for step in cccp(*risks, labels, 3, tol=0.0).trace]
    won = [(before - after) / after for before, after in pairwise(objectives)]
    fit = cccp(*risks, labels, 3, tol=1.01 * won[0])
    assert len(fit.trace) == 2
    assert len(cccp(*risks, labels, 3, tol=0.99 * won[0]).trace) > 2


def test_steps_say_how_many_rows_moved_and_cuts_were_made():
    X, U, labels = random_problem(3)
    risks = MarginRisk(as_rows(X), 50.0), [UniversumRisk(as_rows(U), 15.0)]
    first = cccp(*risks, labels, 3, max_iter=1)
    assert first.trace[0]["moved"] == np.count_nonzero(first.labels != labels) > 0
    whole = cccp(*risks, labels, 3, tol=0.0)
    assert whole.trace[-1]["moved"] == 0
    assert all(step["cuts"] > 1 for step in whole.trace)
