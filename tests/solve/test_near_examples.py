"""Neighbours that are examples: counted by hand, held out, and what they tell where scores do not."""

import numpy as np
import pytest
import scipy.sparse as sp
from rows_examples import ListedRows

from outgroup.rows import as_rows, unit_rows
from outgroup.solve import near_examples as module
from outgroup.solve.mixture import Mixture, evidence, junk_share
from outgroup.solve.near_examples import near_examples


def around(centre, count, rng, width=0.2):
    return centre + width * rng.standard_normal((count, len(centre)))


@pytest.fixture
def kinds():
    """Rows around four axes, 300, 300, 40 and 40, and 60 examples: all of the third kind."""
    rng, axes = np.random.default_rng(0), np.eye(6)
    X = np.vstack([around(axes[kind], count, rng) for kind, count in enumerate((300, 300, 40, 40))])
    return X, np.repeat(np.arange(4), (300, 300, 40, 40)), around(axes[2], 60, rng)


def by_hand(X, U, row):
    """The share of examples in the cosines of the 15 nearest of one row of both."""
    everything = np.vstack([X, U])
    everything /= np.linalg.norm(everything, axis=1, keepdims=True)
    cosines = everything @ everything[row]
    cosines[row] = -1
    nearest = np.argsort(-cosines)[:15]
    return cosines[nearest[nearest >= len(X)]].sum() / cosines[nearest].sum()


def test_shares_are_those_of_the_15_nearest_of_both(kinds):
    X, _, U = kinds
    own, examples = near_examples(as_rows(X), as_rows(U)).shares()
    for row in (0, 310, 605, 639, 670):
        assert own[row] == pytest.approx(by_hand(X, U, row), abs=1e-5)
    for row in (0, 59):
        assert examples[row] == pytest.approx(by_hand(X, U, len(X) + row), abs=1e-5)


def test_hidden_junk_has_as_many_examples_beside_it_as_examples_have(kinds):
    X, y, U = kinds
    own, examples = near_examples(as_rows(X), as_rows(U)).shares()
    assert abs(own[y == 2].mean() - examples.mean()) < 0.05
    assert own[y != 2].mean() < 0.01


def test_length_and_form_of_rows_do_not_matter(kinds):
    X, _, U = kinds
    expected = near_examples(as_rows(X), as_rows(U)).shares()[0]
    for other in (as_rows(3 * X), as_rows(sp.csr_matrix(X)), unit_rows(as_rows(X))):
        np.testing.assert_allclose(near_examples(other, as_rows(U)).shares()[0], expected, atol=1e-6)


def test_rows_and_examples_may_lie_elsewhere(kinds):
    X, _, U = kinds
    expected = near_examples(as_rows(X), as_rows(U)).shares()
    for rows, others in ((ListedRows(X), as_rows(U)), (as_rows(X), ListedRows(U)), (ListedRows(X), ListedRows(U))):
        own, examples = near_examples(rows, others).shares()
        np.testing.assert_allclose(own, expected[0], atol=1e-6)
        np.testing.assert_allclose(examples, expected[1], atol=1e-6)


def test_rows_that_are_rather_junk_are_found_by_the_examples_present_alone(kinds):
    X, y, U = kinds
    near = near_examples(as_rows(X), as_rows(U))
    everything, half = near.alike(np.ones(60, dtype=bool)), near.alike(np.arange(60) < 30)
    assert everything[y == 2].mean() > 0.9
    assert half[y == 2].mean() > 0.7
    assert not everything[y != 2].any()
    assert not half[y != 2].any()
    np.testing.assert_array_equal(near.shares(np.zeros(60, dtype=bool))[0], 0)


def test_examples_of_something_else_make_nothing_junk(kinds):
    X, _, _ = kinds
    near = near_examples(as_rows(X), as_rows(around(np.eye(6)[5], 60, np.random.default_rng(1))))
    assert not near.alike(np.ones(60, dtype=bool)).any()


def test_many_rows_are_sampled_and_too_many_examples_tell_nothing(kinds, monkeypatch):
    X, y, U = kinds
    monkeypatch.setattr(module, "_ALL", 100)
    monkeypatch.setattr(module, "sample", lambda rows, rng: (np.arange(0, 680, 2), X[::2]))
    near = near_examples(as_rows(X), as_rows(U))
    np.testing.assert_array_equal(near.on, np.arange(0, 680, 2))
    found = near.alike(np.ones(60, dtype=bool))
    assert found.shape == (680,)
    assert found[(y == 2) & (np.arange(680) % 2 == 0)].mean() > 0.9
    assert not found[1::2].any()
    monkeypatch.setattr(module, "MOST_SAMPLED", 59)
    assert near_examples(as_rows(X), as_rows(U)) is None


def test_neighbours_tell_apart_what_scores_alike():
    rng = np.random.default_rng(3)
    scores = np.r_[rng.normal(0, 1, 1700), rng.normal(4, 1, 300)]  # of which 100 alone are junk
    examples = rng.normal(4, 1, 200)
    beside = np.r_[np.zeros(1900), rng.uniform(0.2, 0.6, 100)], rng.uniform(0.2, 0.6, 200)
    assert junk_share(scores, examples) > 0.08
    told, blind = Mixture(scores, examples, beside), Mixture(scores, examples)
    assert told.share == pytest.approx(0.05, abs=0.02)
    junk = np.arange(2000) >= 1900
    lost = [(scores > each.threshold(0.035, 0.2))[~junk].mean() for each in (told, blind)]
    assert lost[0] <= 0.05 < lost[1]


def test_evidence_never_falls_with_the_score_or_with_the_examples_beside():
    rng = np.random.default_rng(4)
    scores, examples = rng.normal(size=400), rng.normal(-2, 1, 80)  # examples score lower than the rest
    beside = rng.uniform(0, 0.2, 400), rng.uniform(0.1, 0.5, 80)
    own, _ = evidence(scores, examples, *beside)
    order = np.lexsort((scores, beside[0]))
    assert (np.diff(own[order]) >= -1e-9).all()
    same = evidence(np.array([0.0, 1.0, 2.0]), np.ones(5), np.full(3, 0.2), np.full(5, 0.2))[0]
    assert (np.diff(same) >= 0).all()
