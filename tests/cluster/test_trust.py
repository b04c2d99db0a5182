"""How far groups can be trusted: by hand, on planted groups, and where there is little or nothing to say."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import around_axes
from rows_examples import ListedRows

from outgroup.cluster.trust import group_trust
from outgroup.errors import InputError


def word_of(trust, number):
    return next(each for each in trust.groups if each.number == number).word


def test_planted_groups_are_tight_found_again_and_apart():
    X, y = around_axes()
    trust = group_trust(X, y)
    assert [each.word for each in trust.groups] == ["tight"] * 4
    assert all(each.found_again >= 15 and each.fits == 20 for each in trust.groups)
    assert all(each.apart > 0.8 and each.tightness > 0.9 for each in trust.groups)
    assert trust.silhouette > 0.8
    assert (trust.empty, trust.notes) == ([], [])


def test_a_group_of_what_fits_nowhere_is_leftovers_and_comes_last():
    X, y = around_axes(5)
    rng = np.random.default_rng(1)
    strays = rng.standard_normal((60, X.shape[1]))
    X = np.vstack([X, strays / np.linalg.norm(strays, axis=1, keepdims=True)])
    trust = group_trust(X, np.append(y, np.full(60, 5)))
    assert word_of(trust, 5) == "leftovers"
    assert trust.order[-1] == 5


def test_two_halves_of_one_group_are_mixed_with_each_other():
    X, y = around_axes(4, each=60)
    halves = np.where((y == 3) & (np.arange(len(y)) % 8 < 4), 4, y)
    trust = {each.number: each for each in group_trust(X, halves).groups}
    assert (trust[3].mixed_with, trust[4].mixed_with) == (4, 3)
    assert trust[0].word == "tight"


def test_sparse_and_dense_single_and_double_say_the_same():
    X, y = around_axes()
    first = group_trust(X, y)
    for same in (sp.csr_matrix(X), X.astype(np.float32)):
        found = group_trust(same, y)
        assert found.silhouette == pytest.approx(first.silhouette, abs=1e-5)
        assert [each.word for each in found.groups] == [each.word for each in first.groups]


def test_rows_elsewhere_are_judged_by_a_sample_and_it_is_said():
    X, y = around_axes()
    found, local = group_trust(ListedRows(X), y), group_trust(X, y)
    assert "drawn at random" in found.notes[0]
    assert found.silhouette == pytest.approx(local.silhouette)
    assert [each.word for each in found.groups] == [each.word for each in local.groups]


def test_what_is_set_aside_has_no_say():
    X, y = around_axes()
    rng = np.random.default_rng(2)
    junk = rng.standard_normal((50, X.shape[1]))
    whole = group_trust(np.vstack([X, junk]), np.append(y, np.full(50, -1)))
    assert whole == group_trust(X, y)


def test_an_empty_group_is_named_and_a_single_document_is_bad_for_nothing():
    X, y = around_axes(3)
    y[0] = 5
    trust = group_trust(X, y, n_clusters=8)
    assert trust.empty == [3, 4, 6, 7]
    alone = trust.groups[-1]
    assert (alone.number, alone.size) == (5, 1)
    assert np.isfinite([alone.score, alone.silhouette, alone.tightness]).all()


def test_equal_rows_are_no_nearer_to_one_group_than_to_the_other():
    trust = group_trust(np.tile([1.0, 0.0], (20, 1)), np.arange(20) % 2)
    assert trust.silhouette == 0
    assert {each.word for each in trust.groups} <= {"loose", "mixed", "leftovers"}


def test_words_that_stand_together_are_coherent_and_different():
    X, y = around_axes(2)
    words = sp.csr_matrix(np.repeat(np.eye(2)[y], 2, axis=1))
    trust = group_trust(X, y, words=words, first_words=[[0, 1], [2, 3]])
    assert (trust.coherence, trust.diversity) == (1.0, 1.0)
    assert group_trust(X, y, words=words, first_words=[[0, 2], [2, 0]]).coherence == -1.0
    assert group_trust(X, y).coherence is None


@pytest.mark.parametrize("labels", [[0, 1], [0.5] * 4, [-1] * 4, [-2, 0, 0, 0]])
def test_labels_that_do_not_fit_are_refused(labels):
    with pytest.raises(InputError, match="labels"):
        group_trust(np.eye(4), labels)


def test_what_cannot_be_asked_is_refused():
    X, y = around_axes(2)
    with pytest.raises(InputError, match="fits is 0"):
        group_trust(X, y, fits=0)
    with pytest.raises(InputError, match="1 lists for 2"):
        group_trust(X, y, words=sp.csr_matrix(X), first_words=[[0, 1]], fits=2)


def test_words_of_other_rows_are_refused():
    X, y = around_axes(2)
    with pytest.raises(InputError, match=f"words has {len(X) - 1} rows for {len(X)} documents"):
        group_trust(X, y, words=sp.csr_matrix(X[:-1]), first_words=[[0], [1]], fits=2)
