"""The reject row: its certificate, what it separates, and held-out scores that are held out."""

from dataclasses import replace

import numpy as np
import pytest

from outgroup.rows import CentredRows, as_rows
from outgroup.solve.reject import RejectProblem, Verdict, minus_margins, off_topic_scores


def problem(planted, gap=1e-4):
    X, y, U = planted
    mean = np.asarray(X.mean(axis=0)).ravel()
    rows, universum = (CentredRows(as_rows(M), mean) for M in (X, U))
    return RejectProblem(rows, universum, y, 3, 1 - mean @ mean, gap)


def test_universum_scores_above_every_target(planted):
    reject = problem(planted)
    V = reject.solve().W
    assert V.shape == (4, 12)
    assert off_topic_scores(reject.universum, V).min() > off_topic_scores(reject.rows, V).max()


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
    scores, examples = reject.held_out(5, np.random.default_rng(0), 1e-4)
    one_by_one = replace(reject, side_by_side=False).held_out(5, np.random.default_rng(0), 1e-4)
    np.testing.assert_array_equal(one_by_one[0], scores)
    rng = np.random.default_rng(0)  # how rows and examples are dealt
    own, others = rng.permutation(np.arange(60) % 5), None
    rng.permutation(np.arange(0) % 5)
    others = rng.permutation(np.arange(10) % 5)
    V = reject.solve(np.flatnonzero(own != 2), np.flatnonzero(others != 2)).W
    np.testing.assert_allclose(scores[own == 2], off_topic_scores(reject.rows, V)[own == 2], atol=1e-6)
    np.testing.assert_allclose(examples[others == 2], off_topic_scores(reject.universum, V)[others == 2], atol=1e-6)


def test_rows_that_are_no_targets_are_scored_as_if_they_were_new(planted):
    reject = replace(problem(planted), among=np.arange(40))
    scores, _ = reject.held_out(4, np.random.default_rng(0), 1e-4)
    assert np.isfinite(scores).all()
    assert scores[40:].mean() > scores[:40].mean()  # nobody said that they belong to a group


def test_rows_that_look_like_junk_by_the_other_examples_are_no_targets(planted):
    asked = []

    def alike(present):
        asked.append(present)
        return np.arange(60) < 20

    reject = replace(problem(planted), alike=alike, side_by_side=False)
    scores, _ = reject.held_out(5, np.random.default_rng(0), 1e-4)
    assert [present.sum() for present in asked] == [8] * 5  # a fold's own two examples have no say
    assert np.array(asked).sum(axis=0).tolist() == [4] * 10
    plain, _ = problem(planted).held_out(5, np.random.default_rng(0), 1e-4)
    assert (scores[:20] > plain[:20]).all()  # nobody said that they belong to a group
    everything = replace(problem(planted), alike=lambda present: np.ones(60, dtype=bool))
    np.testing.assert_array_equal(everything.held_out(5, np.random.default_rng(0), 1e-4)[0], plain)


def test_few_examples_are_all_needed_for_the_fit(planted):
    X, y, U = planted
    reject = problem((X, y, U[:3]))
    scores, examples = reject.held_out(5, np.random.default_rng(0), 1e-2)
    assert examples is None
    assert np.isfinite(scores).all()


def test_margins_and_verdicts_by_hand():
    scores = np.array([[3.0, 1.0, 2.0], [0.0, 0.0, 5.0], [4.0, 4.0, 1.0]])
    rows, W = as_rows(scores), np.eye(3)
    assert minus_margins(rows, W).tolist() == [-1.0, -5.0, 0.0]
    assert minus_margins(rows, W, np.array([0.0, 0.0, 2.0])).tolist() == [-1.0, -7.0, -0.0]
    assert minus_margins(rows, W[:1]).tolist() == [0.0, 0.0, 0.0]
    shift = np.array([0.0, 3.0])
    best, ahead = rows.map(W[:2], Verdict(2, shift, True))
    assert (best.tolist(), ahead.tolist()) == ([1, 1, 1], [-1.0, -3.0, -3.0])
    best, ahead = rows.map(np.eye(3)[[0, 1, 0, 2]], Verdict(2, np.array([0.0, 3.0, 1.0, 0.0]), False))
    assert (best.tolist(), ahead.tolist()) == ([1, 1, 1], [-2.0, 4.0, -4.0])
