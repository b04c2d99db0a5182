"""Pockets: tight rows far from all others are found, ordinary groups and scattered rows are not."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.cluster.outliers import pockets


def rows(*sizes, seed=0):
    """Return 600 unit rows of three wide groups in 12 of 20 dimensions, then a tight set of each size in others."""
    rng = np.random.default_rng(seed)
    wide = np.hstack([np.repeat(np.eye(3, 12), 200, axis=0) + 0.3 * rng.random((600, 12)), np.zeros((600, 8))])
    tight = [np.eye(20)[np.full(size, 12 + i)] + 0.05 * rng.random((size, 20)) for i, size in enumerate(sizes)]
    X = np.vstack([wide, *tight])
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def found(X):
    return [sorted(each.tolist()) for each in pockets(X)]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_tight_rows_far_from_all_others_are_pockets(kind):
    assert sorted(found(kind(rows(5, 12)))) == [[*range(600, 605)], [*range(605, 617)]]


def test_groups_and_few_rows_are_none():
    assert found(rows()) == []
    assert found(rows(4)) == []
    assert found(np.zeros((30, 3))) == found(np.eye(3)) == found(np.zeros((0, 3))) == []


def test_a_fiftieth_of_all_rows_is_a_pocket_and_more_is_a_group():
    assert found(rows(12)) == [[*range(600, 612)]]
    assert found(rows(13)) == found(rows(300)) == []


def test_copies_count_as_rows_of_a_pocket():
    X = np.vstack([rows(), np.repeat(np.eye(20)[12:13], 7, axis=0)])
    assert found(X) == [[*range(600, 607)]]


def test_the_middle_row_comes_first():
    X = rows(9)
    X[608] += 0.2 * X[0]
    X[608] /= np.linalg.norm(X[608])
    best = pockets(X)[0]
    cosines = X[best] @ X[best].mean(axis=0)
    assert best[-1] == 608
    assert (np.diff(cosines) <= 1e-3).all()


def test_the_order_of_the_rows_does_not_matter():
    X, order = rows(8, 12), np.random.default_rng(3).permutation(620)
    assert sorted(sorted(order[each].tolist()) for each in pockets(X[order])) == sorted(found(X))
