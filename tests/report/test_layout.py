"""The map of content: alike lies near alike, off-topic apart, the same every time."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.summary.map import layout


def blobs(n, k, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % k
    scores = rng.normal(0, 0.3, (n, k)) + 2.0 * np.eye(k)[groups]
    words = np.abs(rng.normal(0, 0.1, (n, 3 * k))) + np.repeat(np.eye(k), 3, axis=1)[groups]
    return sp.csr_matrix(words / np.linalg.norm(words, axis=1, keepdims=True)), scores, groups


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (7, 3), (30, 30), (300, 1)])
def test_odd_sizes_have_finite_places(n, k):
    X, scores, groups = blobs(n, k)
    places = layout(X, scores, groups, np.zeros(n, bool))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1.0


def test_neighbours_on_the_map_are_of_the_same_group():
    X, scores, groups = blobs(1500, 12)
    places = layout(X, scores, groups, np.zeros(1500, bool))
    far = ((places[:, None] - places) ** 2).sum(axis=2) + 9.0 * np.eye(1500)
    assert np.mean(groups[far.argmin(axis=1)] == groups) > 0.97
