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
