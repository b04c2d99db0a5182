"""The constraints of CPM3C against their definition, row by row, and the algorithm's promises."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.rows import as_rows, highest
from outgroup.solve.cpm3c import Constraints, CuttingPlaneObjective, runner_up
from outgroup.solve.master import Balance
from outgroup.solve.max_margin import Data
from outgroup.types import no_op


def constraint_by_definition(X, W, choice):
    """The right side of Eq. (11)'s constraint, as a demand on the slack, with z from the scores of W itself."""
    total = 0.0
    for x, c in zip(X, choice, strict=True):
        if c < 0:
            continue
        scores = W @ x
        z = np.array([all(scores[p] > scores[q] for q in range(len(W)) if q != p) for p in range(len(W))])
        total += 1 - (scores @ z + z[c] - scores[c])
    return total / len(X)


@pytest.fixture
def case():
    rng = np.random.default_rng(1)
    X, W = rng.standard_normal((40, 5)), rng.standard_normal((4, 5))
    return X, W, as_rows(X), rng


def fitted(X, y, k=3, **options):
    objective = CuttingPlaneObjective(Data(as_rows(X), center=False), k, 5.0, **options)
    return objective.solve(y.astype(np.int32), no_op)


def centred(X):
    return X.toarray() - X.toarray().mean(axis=0)


def automatic(X, k):
    return CuttingPlaneObjective(Data(as_rows(X)), k)


def test_a_constraint_is_the_papers_at_any_w(case):
    X, W, rows, rng = case
    for _ in range(5):
        choice = rng.integers(-1, 4, 40).astype(np.int32)
        V = rng.standard_normal(W.shape)
        working = Constraints(rows, 4, highest(rows, V))
        working.add(choice)
        assert working.slack(V) == pytest.approx(max(0, constraint_by_definition(X, V, choice)))


def test_the_weighted_objective_is_the_papers_with_weights(planted):
    X, y, _ = planted
    A, weights = centred(X), np.where(np.arange(60) % 4 == 0, 2.0, 0.8)
    fit = fitted(A, y, row_weights=weights)
    scores = np.sort(A @ fit.weights.T, axis=1)
    risk = (weights * np.maximum(0, 1 - (scores[:, -1] - scores[:, -2]))).mean()
    assert fit.objective == pytest.approx(0.5 * (fit.weights**2).sum() + 5.0 * risk)
    assert fit.trace[-1]["violation"] <= 0.01


def test_it_ends_with_no_constraint_violated_and_the_lowest_objective_kept(planted):
    X, y, _ = planted
    fit = fitted(centred(X), y, epsilon=1e-3)
    last = fit.trace[-1]
    assert last["violation"] <= 1e-3
    assert last["objective"] - last["working"] == pytest.approx(5.0 * last["violation"], abs=1e-9)
    assert all(step["gap"] <= 1e-6 for step in fit.trace)
    assert fit.objective == min(step["objective"] for step in fit.trace)


def test_automatic_weight_reaches_margin_one_at_a_third_of_it(planted):
    X, y, _ = planted
    A = centred(X)
    labels = y.astype(np.int32)
    C = automatic(X, 3).with_scale(labels).C
    rivals = runner_up(as_rows(A), labels, 3)
    g = np.zeros((3, A.shape[1]))
    for x, own, rival in zip(A, labels, rivals, strict=True):
        g[own] += x / len(A)
        g[rival] -= x / len(A)
    W = C / 3 * g
    margins = [W[own] @ x - W[rival] @ x for x, own, rival in zip(A, labels, rivals, strict=True)]
    assert np.mean(margins) == pytest.approx(1.0)


def test_groups_as_they_are_score_as_spherical_k_means_and_have_the_objective_of_their_weights():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    X = np.eye(4)[y] + 0.2 * np.abs(rng.normal(size=(40, 4)))
    objective = automatic(X, 4).with_scale(y).with_row_weights(y)
    own, fit = objective.as_partition(y)
    scores = X @ fit.weights.T
    assert np.array_equal(fit.labels, scores.argmax(axis=1))
    ordered = np.sort(scores, axis=1)
    loss = np.maximum(0, 1 - (ordered[:, -1] - ordered[:, -2]))
    value = (fit.weights**2).sum() / 2 + own.C * (own.row_weights * loss).mean()
    assert fit.objective == pytest.approx(value)
    assert replace(objective, balance=Balance(X.sum(axis=0), 1.0)).as_partition(y) is None
    assert [each.C / objective.C for each in objective.stronger] == [10.0]
    assert CuttingPlaneObjective(Data(as_rows(X)), 4, class_weight=None).with_scale(y).stronger == ()
