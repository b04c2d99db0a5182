"""Modularity, and what groups save in the description of a graph: against the definitions."""

from math import comb, factorial, log

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.rows import Neighbours, nearest
from outgroup.solve.n_clusters import bits_saved, graph_quality, neighbours_of


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


def planted(seed, n=12, ties=20, groups=3):
    """A symmetric matrix of how often rows are tied, no row with itself, and labels."""
    rng = np.random.default_rng(seed)
    ends = [rng.choice(n, 2, replace=False) for _ in range(ties)]
    tied = np.zeros((n, n), dtype=int)
    for a, b in ends:
        tied[a, b] += 1
        tied[b, a] += 1
    return tied, rng.permutation(np.arange(n) % groups)


def nats(tied, labels):
    """-ln P(ties, labels): who is where, then ties within, of each group, of each pair, of each row, and the graph."""
    groups, n, ties = int(labels.max()) + 1, len(labels), int(tied.sum()) // 2
    member = np.eye(groups, dtype=int)[labels]
    between, sizes, ends = member.T @ tied @ member, member.sum(axis=0), tied.sum(axis=1)
    inner, upper = np.diag(between) // 2, between[np.triu_indices(groups, 1)]
    pairs = groups * (groups - 1) // 2

    def ln(*numbers):
        return sum(log(factorial(int(number))) for number in numbers)

    who = log(n) + log(comb(n - 1, groups - 1)) + ln(n) - ln(*sizes)
    within = log(ties + 1) if groups > 1 else 0.0
    of_groups = sum(inner) * log(groups) - ln(sum(inner)) + ln(*inner)
    of_pairs = (sum(upper) * log(pairs) if pairs else 0.0) - ln(sum(upper)) + ln(*upper)
    of_rows = sum(
        log(comb(int(size + total) - 1, int(total))) for size, total in zip(sizes, between.sum(axis=1), strict=True)
    )
    graphs = ln(*between.sum(axis=1)) - ln(*upper) - sum(int(each) * log(2) for each in inner) - ln(*inner)
    graphs += ln(*tied[np.triu_indices(n, 1)]) - ln(*ends)
    return who + within + of_groups + of_pairs + of_rows + graphs


def saved(tied, labels):
    groups = int(labels.max()) + 1
    sizes, degrees = np.bincount(labels), np.bincount(labels, tied.sum(axis=1), groups)
    return bits_saved(sizes, degrees, int(tied[labels[:, None] == labels].sum()) // 2)


@pytest.mark.parametrize("seed", range(5))
def test_they_are_what_the_model_says_step_by_step(seed):
    tied, labels = planted(seed, groups=2 + seed % 3)
    nothing = np.zeros(12, dtype=int)
    expected = (nats(tied, nothing) - nats(tied, labels)) / log(2) / 20
    assert saved(tied, labels) == pytest.approx(expected)


def test_empty_groups_and_no_ties_are_nothing():
    sizes, degrees = np.array([5, 5]), np.array([30, 30])
    assert bits_saved(np.array([5, 0, 5]), np.array([30, 0, 30]), 30) == bits_saved(sizes, degrees, 30)
    assert bits_saved(sizes, 0 * degrees, 0) == 0


def test_a_ring_of_cliques_is_seen_where_modularity_joins_them_by_two():
    """The example of Fortunato and Barthélemy (2007): cliques of ten rows, each tied once to the next."""
    cliques = 200
    within, ties = 45 * cliques, 46 * cliques
    single = np.full(cliques, 10), np.full(cliques, 92), within
    joined = np.full(cliques // 2, 20), np.full(cliques // 2, 184), within + cliques // 2

    def modularity(_, degrees, within):
        return within / ties - np.square(degrees / (2 * ties)).sum()

    assert modularity(*single) < modularity(*joined)
    assert bits_saved(*single) > bits_saved(*joined)
