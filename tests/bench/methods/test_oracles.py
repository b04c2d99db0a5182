"""The oracles of the benchmarks label what the paper says they label."""

import numpy as np
import pytest
import scipy.sparse as sp

oracles = pytest.importorskip("bench.methods.oracles", reason="the measurements are not part of an installed package")


def test_chi_squared_by_hand():
    # a word in all 4 of class 0 and none of 4 of class 1; one in half of each
    table = np.array([[4.0, 0.0], [2.0, 2.0], [0.0, 0.0]])
    assert oracles.chi_squared(table, np.array([4, 4])).tolist() == [8, 0, 0]


def test_words_are_labelled_for_the_classes_where_they_occur_most():
    y = np.repeat([0, 1, 2], 4)
    X = np.zeros((12, 5))
    X[:4, 0] = 0.7  # class 0 alone
    X[4:8, 1] = X[8:10, 1] = 0.2  # class 1, and half as often class 2
    X[4:8, 2] = X[8:9, 2] = 0.4  # class 1, a quarter as often class 2
    X[::4, 3] = 0.9  # every class alike: tells nothing
    X[11, 4] = 0.5  # occurs in no labelled document
    seeds = np.where(np.arange(12) % 4 == 0, y, -1)
    labelled = oracles.words(sp.csr_matrix(X), y, seeds, top=2)
    assert labelled.T.astype(int).tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]]
