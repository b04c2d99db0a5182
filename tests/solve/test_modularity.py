"""Modularity of a partition on the graph of nearest neighbours, against its definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.rows import nearest
from outgroup.solve.n_clusters import Graph
from outgroup.solve.neighbour_graph import adjacency


def by_pairs(weights, labels):
    """Modularity from its definition, pair of rows by pair of rows."""
    degrees, total = weights.sum(axis=1), weights.sum()
    same = labels[:, None] == labels
    return float((same * (weights / total - np.outer(degrees, degrees) / total**2)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_its_definition_says_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    ties = sp.random(30, 30, 0.2, random_state=seed)
    labels = rng.integers(0, 4, 30)
    found, _ = Graph(ties.row, ties.col, ties.data, 30).kept(labels, 4)
    assert found == pytest.approx(by_pairs((ties + ties.T).toarray(), labels))


def test_one_group_and_no_edge_are_nothing():
    assert Graph.of(np.eye(3)[[0, 1, 2] * 5]).kept(np.zeros(15, dtype=int), 1) == pytest.approx((0.0, 0.0))
    assert Graph.of(np.eye(4)).kept(np.arange(4), 4) == (0.0, 0.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_groups_without_a_neighbour_in_common_have_all_there_is(form):
    graph = Graph.of(form(np.eye(3)[[0, 1, 2] * 50]))
    kept, bits = graph.kept(np.arange(150) % 3, 3)
    assert kept == pytest.approx(2 / 3)
    assert np.log2(3) - 0.2 < bits < np.log2(3)
    other, more = graph.kept(np.arange(150) % 2, 2)
    assert other < 0.1
    assert more < 0


def test_neighbours_are_joined_in_either_direction_by_their_cosines():
    rng = np.random.default_rng(1)
    X = np.abs(rng.normal(size=(12, 3)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    found, cosines = adjacency(nearest(X, count=2)).toarray(), X @ X.T - 2 * np.eye(12)
    chosen = np.argsort(-cosines, axis=1)[:, :2]
    expected = np.zeros((12, 12))
    for row, others in enumerate(chosen):
        expected[row, others] += cosines[row, others]
        expected[others, row] += cosines[row, others]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
