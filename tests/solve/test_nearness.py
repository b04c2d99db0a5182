"""Cosines with the own centre and the next, against the plain formulas."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from outgroup.rows import as_rows
from outgroup.solve.coherence import coherence, diversity
from outgroup.solve.in_memory.found_again import FoundAgain, found_again
from outgroup.solve.nearness import nearness


def by_hand(X, labels, k):
    """Each row's cosine with its group's centre without it, and with the nearest of the others."""
    own, other = np.zeros(len(X)), np.zeros(len(X))
    for i, group in enumerate(labels):
        rest = X[(labels == group) & (np.arange(len(X)) != i)].sum(axis=0)
        own[i] = X[i] @ rest / max(np.linalg.norm(rest), 1e-300)
        sums = [X[labels == g].sum(axis=0) for g in range(k) if g != group and (labels == g).any()]
        other[i] = max((X[i] @ s / np.linalg.norm(s) for s in sums), default=0.0)
    return own, other


@given(st.integers(0, 10_000))
def test_cosines_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    X = rng.random((n, 4)) + 0.01
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    labels = rng.integers(0, k, n)
    found = nearness(as_rows(X), labels, k)
    own, other = by_hand(X, labels, k)
    assert found.own == pytest.approx(own, abs=1e-7)
    assert found.other == pytest.approx(other, abs=1e-7)
    assert (np.abs(found.silhouettes) <= 1 + 1e-9).all()


def test_a_row_in_no_group_has_no_cosine_with_any():
    found = nearness(as_rows(np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8], [0.0, 1.0]])), np.array([0, -1, 0, 1]), 2)
    assert (found.own[1], found.other[1]) == (0, 0)
    assert found.other.tolist() == pytest.approx([0, 0, 0.8, 1 / 5**0.5])


def test_a_group_alone_and_rows_of_zeros_have_no_cosine():
    found = nearness(as_rows(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])), np.array([0, 0, 1]), 3)
    assert found.own.tolist() == [0, 0, 0]
    assert found.sizes.tolist() == [2, 1, 0]
    assert found.alike[2].max() == -np.inf


def test_jaccard_and_mixing_by_hand():
    jaccard = np.array([[1.0, 0.5], [0.6, np.nan]])
    again = FoundAgain(jaccard, jaccard, np.array([[0.8, 0.2], [0.2, 0.2]]))
    assert again.times.tolist() == [2, 0]
    assert again.fits.tolist() == [2, 1]
    assert again.mean.tolist() == pytest.approx([0.8, 0.5])
    assert again.mixing == pytest.approx(np.array([[0.0, 0.5], [0.5, 0.0]]))


def test_three_times_the_same_row_can_be_found_in_any_part():
    found = found_again(np.eye(3)[[0, 1, 2] * 10], np.arange(30) % 3, 4, 3, np.random.default_rng(0))
    assert np.isnan(found.jaccard[:, 3]).all()
    assert found.together[3].tolist() == [0, 0, 0, 0]


def test_words_that_meet_as_chance_has_it_have_no_coherence():
    words = sp.csr_matrix([[1, 1], [1, 0], [0, 1], [0, 0]])
    assert coherence(words, [0, 1]) == pytest.approx(0)
    assert coherence(sp.csr_matrix([[1, 1]]), [0, 1]) == 1
    assert coherence(words, [0]) is None
    assert diversity([[], []]) is None


def test_all_pairs_of_a_group_are_together_where_it_is_found_again():
    found = found_again(np.eye(2)[[0, 1] * 10], np.array([0, 1] * 10), 3, 5, np.random.default_rng(0))
    assert found.together == pytest.approx(np.diag([1.0, 1.0, 0.0]))
    assert np.isnan(found.matched[:, 2]).all()


def test_without_rows_no_group_is_found():
    found = found_again(np.empty((0, 2)), np.empty(0, dtype=int), 3, 4, np.random.default_rng(0))
    assert found.jaccard.shape == found.matched.shape == (4, 3)
    assert found.fits.tolist() == found.times.tolist() == [0, 0, 0]
    assert found.together.tolist() == np.zeros((3, 3)).tolist()


def test_the_same_seed_finds_the_same_whatever_the_rows():
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(200, 6)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    one, other = (found_again(X, np.arange(200) % 4, 4, 8, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one.together, other.together)


def test_the_mean_of_a_group_is_over_its_rows():
    found = nearness(as_rows(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 2, -1]), 3)
    assert found.mean(np.array([1.0, 3.0, 5.0, 7.0])).tolist() == [2.0, 0.0, 5.0]
