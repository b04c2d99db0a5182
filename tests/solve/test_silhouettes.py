"""Cosines with the own centre and the next, against the plain formulas."""

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from outgroup.rows import as_rows, blocks
from outgroup.solve.ensemble import Stability
from outgroup.solve.silhouettes import coherence, diversity, nearness


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
def test_means_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    X = rng.random((n, 4)) + 0.01
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    labels = np.concatenate([[0], rng.integers(-1, k, n - 1)])
    with mock.patch.object(blocks, "_AT_ONCE", 3):
        found = nearness(as_rows(X), labels, k)
    own, other = by_hand(X, labels, k)
    a, b = 1 - own, 1 - other
    silhouettes = np.divide(b - a, np.maximum(a, b), out=np.zeros(n), where=np.maximum(a, b) > 1e-6)
    assert found.sizes.tolist() == [int((labels == g).sum()) for g in range(k)]
    for g in range(k):
        inside = labels == g
        assert found.cosine[g] == pytest.approx(own[inside].mean() if inside.any() else 0, abs=1e-6)
        assert found.silhouettes[g] == pytest.approx(silhouettes[inside].mean() if inside.any() else 0, abs=1e-5)


def test_a_row_in_no_group_counts_for_none():
    X = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8], [0.0, 1.0]])
    found, without = (
        nearness(as_rows(X[on]), labels, 2)
        for on, labels in (([0, 1, 2, 3], np.array([0, -1, 0, 1])), ([0, 2, 3], np.array([0, 0, 1])))
    )
    assert found.cosine.tolist() == pytest.approx(without.cosine.tolist())
    assert found.silhouettes.tolist() == pytest.approx(without.silhouettes.tolist())
    assert found.cosine.tolist() == pytest.approx([0.6, 0])


def test_a_group_alone_and_rows_of_zeros_have_no_cosine():
    found = nearness(as_rows(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])), np.array([0, 0, 1]), 3)
    assert found.cosine.tolist() == [0, 0, 0]
    assert found.sizes.tolist() == [2, 1, 0]
    assert found.nearest[1].tolist() == [0, 0, -np.inf]
    assert found.nearest[0].tolist()[:2] == [1, 0]


def test_jaccard_and_mixing_by_hand():
    jaccard = np.array([[1.0, 0.5], [0.6, np.nan]])
    again = Stability(jaccard, sp.csr_matrix([[0.8, 0.2, 0], [0.2, 0.2, 0], [0, 0, 0]]))
    assert again.times.tolist() == [2, 0]
    assert again.fits.tolist() == [2, 1]
    assert again.mean.tolist() == pytest.approx([0.8, 0.5])
    assert again.mixed_with[0].tolist()[:2] == [1, 0]
    assert again.mixed_with[1] == pytest.approx([0.5, 0.5, 0.0])


def test_words_that_meet_as_chance_has_it_have_no_coherence():
    words = sp.csr_matrix([[1, 1], [1, 0], [0, 1], [0, 0]])
    assert coherence(words, [0, 1]) == pytest.approx(0)
    assert coherence(sp.csr_matrix([[1, 1]]), [0, 1]) == 1
    assert coherence(words, [0]) is None
    assert diversity([[], []]) is None
