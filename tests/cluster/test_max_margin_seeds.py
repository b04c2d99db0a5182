"""Seeds in MaxMarginClustering: they number the groups, correct them, and change nothing that they confirm."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import MaxMarginClustering


@pytest.fixture
def topics(topics):
    """The same as sparse rows of unit length."""
    X, y = topics
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


def fitted(X, **given):
    return MaxMarginClustering(3, n_init=3, random_state=0).fit(X, **given)


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_seeded_groups_keep_their_numbers(topics, shift):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::7] = ((y + shift) % 3)[::7]
    fit = fitted(X, seeds=seeds)
    assert np.array_equal(fit.labels_, (y + shift) % 3)
    assert np.array_equal(fit.predict(X), fit.labels_)


def test_breaking_a_label_costs_the_more_the_heavier_it_is(topics):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::10] = y[::10]
    wrong = np.array([1, 2, 3])
    seeds[wrong] = 2  # three documents of topic 0
    margins = []
    for weight in (0.01, 1.0, 100.0):
        fit = MaxMarginClustering(3, C=30.0, seed_weight=weight, random_state=0).fit(X, seeds=seeds)
        scores = fit.decision_function(X)[wrong]
        margins.append((scores[:, 2] - scores[:, :2].max(axis=1)).mean())
    assert margins[0] < margins[1] < margins[2]
    assert margins[0] < 0 < margins[2]
