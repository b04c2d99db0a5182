"""How far groups can be trusted: by hand, on planted groups, and where there is little or nothing to say."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import around_axes

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
