"""Modularity of a partition on the graph of nearest neighbours, against its definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.rows import Neighbours, nearest
from outgroup.solve.n_clusters import graph_quality, neighbours_of


def by_pairs(weights, labels):
    """Modularity from its definition, pair of rows by pair of rows."""
    degrees, total = weights.sum(axis=1), weights.sum()
    same = labels[:, None] == labels
    return float((same * (weights / total - np.outer(degrees, degrees) / total**2)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_its_definition_says_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    index = np.array([rng.choice(30, 6, replace=False) for _ in range(30)])
    near = Neighbours(np.where(rng.random((30, 6)) < 0.2, -1, index), rng.random((30, 6)), 30)
    labels = rng.integers(0, 4, 30)
    assert graph_quality(near, labels, 4)[0] == pytest.approx(by_pairs(near.adjacency.toarray(), labels))


def test_one_group_and_no_edge_are_nothing():
    assert graph_quality(nearest(np.eye(3)[[0, 1, 2] * 5]), np.zeros(15, dtype=int), 1) == pytest.approx((0.0, 0.0))
    assert graph_quality(nearest(np.eye(4)), np.arange(4), 4) == (0.0, 0.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_groups_without_a_neighbour_in_common_have_all_there_is(form):
    near = nearest(form(np.eye(3)[[0, 1, 2] * 50]), count=neighbours_of(10_000))
    modularity, bits = graph_quality(near, np.arange(150) % 3, 3)
    assert modularity == pytest.approx(2 / 3)
    assert np.log2(3) - 0.2 < bits < np.log2(3)
    other, more = graph_quality(near, np.arange(150) % 2, 2)
    assert other < 0.1
    assert more < 0
