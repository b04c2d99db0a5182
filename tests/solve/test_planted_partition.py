"""What groups save in the description of a graph: against the model's probabilities, and where modularity is blind."""

from math import comb, factorial, log

import numpy as np
import pytest

from outgroup.solve.n_clusters import bits_saved


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
