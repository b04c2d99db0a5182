"""Probabilities of groups: calibrated by fits on other samples, and sets that cover."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.cluster.membership import Membership
from outgroup.rows import as_rows
from outgroup.solve.ensemble import Ensemble


def overlapping(n=300, noise=0.45, seed=0):
    """Return unit rows of three overlapping groups, and the nearest centre of each."""
    rng = np.random.default_rng(seed)
    X = np.repeat(np.eye(3, 6), n, axis=0) + noise * rng.normal(size=(3 * n, 6))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, X[:, :3].argmax(axis=1)


def test_rows_sum_to_one_and_agree_with_the_groups():
    X, labels = overlapping()
    p = Membership.of(X, labels, 3).of_new(X)
    assert np.allclose(p.sum(axis=1), 1)
    assert np.mean(p.argmax(axis=1) == labels) > 0.95
    assert (p >= 0).all()


def test_probabilities_are_the_share_of_other_fits_that_agree():
    X, labels = overlapping()
    p = Membership.of(X, labels, 3).of_new(X)
    row, group = Ensemble(as_rows(X), labels, 99).unseen(labels, 3)
    top, right = p.max(axis=1)[row], p.argmax(axis=1)[row] == group
    for low, high in ((0.3, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01)):
        inside = (top >= low) & (top < high)
        if inside.sum() > 500:
            assert top[inside].mean() == pytest.approx(right[inside].mean(), abs=0.06)


def test_rows_between_groups_are_less_certain():
    X, labels = overlapping(noise=0.2)
    p = Membership.of(X, labels, 3).of_new(np.array([[1.0, 0, 0, 0, 0, 0], [1.0, 1.0, 0, 0, 0, 0]]))
    assert p[0].max() > p[1].max()


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_sets_cover_as_often_as_promised(coverage):
    X, labels = overlapping()
    found = Membership.of(X, labels, 3)
    chosen = found.sets(found.of_new(X), coverage)
    row, group = Ensemble(as_rows(X), labels, 99).unseen(labels, 3)
    assert chosen[row, group].mean() >= coverage - 0.03
    assert chosen.any(axis=1).all()


def test_higher_coverage_gives_no_smaller_sets():
    X, labels = overlapping()
    found = Membership.of(X, labels, 3)
    p = found.of_new(X)
    sizes = [found.sets(p, coverage).sum() for coverage in (0.5, 0.8, 0.95, 1.0)]
    assert sizes == sorted(sizes)


def test_sparse_and_dense_rows_have_equal_probabilities():
    X, labels = overlapping(60)
    dense, sparse = Membership.of(X, labels, 3), Membership.of(sp.csr_matrix(X), labels, 3)
    assert np.allclose(dense.of_new(X[:5]), sparse.of_new(sp.csr_matrix(X[:5])), atol=0.05)


def test_one_group_and_documents_in_none_have_probabilities():
    X, labels = overlapping(20)
    assert Membership.of(X, np.zeros(60, dtype=int), 1).of_new(X).tolist() == [[1.0]] * 60
    some = np.where(np.arange(60) % 7 == 0, -1, labels)
    assert np.allclose(Membership.of(X, some, 3).of_new(X).sum(axis=1), 1)
    assert np.isfinite(Membership.of(X[:3], np.array([0, 1, 2]), 3).of_new(X)).all()
