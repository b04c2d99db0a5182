"""Probabilities of groups: calibrated by fits on other samples, and sets that cover."""

import numpy as np
import pytest

from outgroup.cluster.membership import Membership
from outgroup.rows import as_rows
from outgroup.solve.ensemble import Ensemble


def overlapping(n=300, noise=0.45, seed=0):
    """Return unit rows of three overlapping groups, and the nearest centre of each."""
    rng = np.random.default_rng(seed)
    X = np.repeat(np.eye(3, 6), n, axis=0) + noise * rng.normal(size=(3 * n, 6))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, X[:, :3].argmax(axis=1)


@pytest.fixture(scope="module")
def fitted():
    """The groups of the rows, and for pairs of a row and a fit without it the row and the group that the fit finds."""
    X, labels = overlapping()
    row, group = Ensemble(as_rows(X), labels, 99).unseen(labels, 3)
    return labels, Membership.of(X, labels, 3), X, row, group


def test_rows_sum_to_one_and_agree_with_the_groups(fitted):
    labels, found, X, *_ = fitted
    p = found.of_new(X)
    assert np.allclose(p.sum(axis=1), 1)
    assert np.mean(p.argmax(axis=1) == labels) > 0.95
    assert (p >= 0).all()


def test_probabilities_are_the_share_of_other_fits_that_agree(fitted):
    _, found, X, row, group = fitted
    p = found.of_new(X)
    top, right = p.max(axis=1)[row], p.argmax(axis=1)[row] == group
    for low, high in ((0.3, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01)):
        inside = (top >= low) & (top < high)
        if inside.sum() > 500:
            assert top[inside].mean() == pytest.approx(right[inside].mean(), abs=0.06)


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_sets_cover_as_often_as_promised(fitted, coverage):
    _, found, X, row, group = fitted
    chosen = found.sets(found.of_new(X), coverage)
    assert chosen[row, group].mean() >= coverage - 0.03
    assert chosen.any(axis=1).all()
