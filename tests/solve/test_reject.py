"""The reject row: its certificate, what it separates, and held-out scores that are held out."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.rows import CentredRows, as_rows
from outgroup.solve.reject import Parts, RejectProblem, minus_margins, off_topic_scores


def problem(planted, gap=1e-4):
    X, y, U = planted
    mean = np.asarray(X.mean(axis=0)).ravel()
    rows, universum = (CentredRows(as_rows(M), mean) for M in (X, U))
    return RejectProblem(rows, universum, y, 3, 1 - mean @ mean, gap)


def test_certificate(planted):
    assert 0 <= problem(planted).solve().gap <= 1e-4
    assert 1e-4 < problem(planted).solve(gap=0.3).gap <= 0.3


def test_value_is_the_formula(planted):
    X, y, U = planted
    mean = np.asarray(X.mean(axis=0)).ravel()
    reject, solution = problem(planted), problem(planted).solve()
    T, T_off = (X.toarray() - mean) @ solution.W.T, (U.toarray() - mean) @ solution.W.T
    C = 3.75 * 10 / reject.energy
    own = T[np.arange(60), y][:, None]
    targets = np.maximum(0, 1 - own + T).sum() - 60
    universum = np.maximum(0, 1 - T_off[:, 3:] + T_off[:, :3]).sum()
    value = np.vdot(solution.W, solution.W) / 2 + C / 3 * targets / (60 * 4) + C * universum / (10 * 4)
    assert solution.value == pytest.approx(value)


def test_held_out_scores_come_from_fits_without_the_row(planted):
    reject = problem(planted)
    folds = reject.split(5, np.random.default_rng(0))
    assert np.bincount(folds.rows).tolist() == [12] * 5
    assert np.bincount(folds.examples).tolist() == [2] * 5
    scores, examples = reject.held_out(folds, 1e-4)
    one_by_one = replace(reject, side_by_side=False).held_out(folds, 1e-4)
    np.testing.assert_array_equal(one_by_one[0], scores)
    own, others = folds.rows, folds.examples
    V = reject.solve(np.flatnonzero(own != 2), np.flatnonzero(others != 2)).W
    np.testing.assert_allclose(scores[own == 2], off_topic_scores(reject.rows, V, 3)[own == 2], atol=1e-6)
    np.testing.assert_allclose(examples[others == 2], off_topic_scores(reject.universum, V, 3)[others == 2], atol=1e-6)


def kinds_of_junk(planted):
    """The problem with the rows 50 to 59 as further junk, of two kinds."""
    plain, junk = problem(planted), np.arange(50, 60)
    kinds = Parts(np.arange(60) % 2, np.arange(10) % 2, 2)
    return plain, replace(plain, among=np.arange(50), junk=junk, kinds=kinds)


def test_kinds_of_junk_have_rows_of_their_own_and_rows_may_be_junk(planted):
    X, y, U = planted
    plain, reject = kinds_of_junk(planted)
    solution = reject.solve()
    assert solution.W.shape == (5, 12)
    mean = np.asarray(X.mean(axis=0)).ravel()
    T, T_off = (X.toarray() - mean) @ solution.W.T, (U.toarray() - mean) @ solution.W.T
    C = 3.75 / reject.energy

    def hinges(T, own, rivals):
        return np.maximum(0, 1 - T[np.arange(len(T)), own][:, None] + T[:, :rivals]).sum()

    targets, examples = hinges(T[:50], y[:50], 5) - 50, hinges(T_off, 3 + np.arange(10) % 2, 3)
    junk = hinges(T[50:], 3 + np.arange(50, 60) % 2, 3)
    value = np.vdot(solution.W, solution.W) / 2 + C / 5 * (20 / 3 * targets / 50 + examples + junk)
    assert solution.value == pytest.approx(value)
    ahead = off_topic_scores(reject.rows, solution.W, 3)
    np.testing.assert_allclose(ahead, T[:, 3:].max(axis=1) - T[:, :3].max(axis=1), atol=1e-9)
    assert (ahead[50:] > off_topic_scores(plain.rows, plain.solve().W, 3)[50:]).all()


def test_junk_that_is_held_out_is_no_example(planted):
    _, reject = kinds_of_junk(planted)
    folds = reject.split(5, np.random.default_rng(0))
    scores, _ = reject.held_out(folds, 1e-4)
    out = folds.rows == 1
    V = reject.solve(
        np.flatnonzero(~out[:50]), np.flatnonzero(folds.examples != 1), junk_on=50 + np.flatnonzero(~out[50:])
    ).W
    np.testing.assert_allclose(scores[out], off_topic_scores(reject.rows, V, 3)[out], atol=1e-3)
    alone = reject.held_out(replace(folds, rows=np.where(np.arange(60) < 50, folds.rows, 2)), 1e-4)[0]
    assert np.isfinite(alone).all()  # one fit has none of it


def test_margins_and_scores_by_hand():
    scores = np.array([[3.0, 1.0, 2.0], [0.0, 0.0, 5.0], [4.0, 4.0, 1.0]])
    rows, W = as_rows(scores), np.eye(3)
    assert minus_margins(rows, W, np.zeros(3)).tolist() == [-1.0, -5.0, 0.0]
    assert minus_margins(rows, W, np.array([0.0, 0.0, 2.0])).tolist() == [-1.0, -7.0, -0.0]
    assert minus_margins(rows, W[:1], np.zeros(1)).tolist() == [0.0, 0.0, 0.0]
    directions, shift = np.eye(3)[[0, 1, 2, 2]], np.array([0.0, 3.0, -3.0, 1.0])  # two groups, two kinds of junk
    assert off_topic_scores(rows, directions, 2, shift).tolist() == [-1.0, 3.0, -5.0]
