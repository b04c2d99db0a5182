"""K-means steered by labels: seeds place groups, pairs hold, and a method enters the comparison by its name."""

from types import SimpleNamespace

import numpy as np
import pytest

from bench.baselines.constrained import pckmeans, seeded_kmeans


@pytest.fixture
def three():
    """Three tight groups of ten rows of unit length."""
    rng = np.random.default_rng(0)
    X = np.repeat(np.eye(3), 10, axis=0) + 0.05 * rng.random((30, 3))
    return SimpleNamespace(rows=X / np.linalg.norm(X, axis=1, keepdims=True), k=3, seed=0)


@pytest.mark.parametrize("method", [seeded_kmeans, pckmeans])
def test_one_label_a_group_places_all_rows(three, method):
    y = np.repeat([2, 0, 1], 10)
    labels = np.where(np.arange(30) % 10 == 0, y, -1)
    np.testing.assert_array_equal(method(three, labels, None), y)


def test_a_pair_that_must_link_overrules_the_nearest_mean(three):
    labels = np.full(30, -1)
    labels[[0, 1, 2, 3, 10, 20]] = [0, 0, 0, 1, 1, 2]  # row 3 lies in the first group, and its label in the second
    assert pckmeans(three, labels, None)[3] == 1
    assert seeded_kmeans(three, labels, None)[3] == 0
