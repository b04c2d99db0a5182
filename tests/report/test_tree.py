"""The tree of groups: losses and gains are those of the coherence, computed here from scratch."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.summary.tree import merges, splits
from outgroup.summary.words import Grouped


def rows(n=60, d=8, seed=0):
    X = np.abs(np.random.default_rng(seed).normal(size=(n, d)))
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True))


def coherence(X, groups):
    return sum(np.linalg.norm(X[groups == g].sum(axis=0)) for g in np.unique(groups))


def test_each_merge_loses_what_it_says_and_is_the_cheapest():
    X, k = rows(), 5
    groups = np.arange(60) % k
    nodes = {g: [g] for g in range(k)}
    whole, now = coherence(X, groups), groups.copy()
    for step, each in enumerate(merges(Grouped(X, groups, k))):
        losses = {
            (a, b): coherence(X, now) - coherence(X, np.where(now == b, a, now))
            for a in np.unique(now)
            for b in np.unique(now)
            if a < b
        }
        assert each.loss == pytest.approx(min(losses.values()) / whole, abs=2e-6)
        nodes[k + step] = nodes.pop(each.a) + nodes.pop(each.b)
        now = np.where(np.isin(groups, nodes[k + step]), k + step, now)
    assert sorted(nodes.popitem()[1]) == list(range(k))


def test_groups_that_were_merged_away_merge_no_more():
    X, groups = rows(), np.array([0, 2, 3])[np.arange(60) % 3]
    packed = np.searchsorted([0, 2, 3], groups)
    found, alone = merges(Grouped(X, groups, 4), [0, 2, 3]), merges(Grouped(X, packed, 3))
    assert [each.loss for each in found] == [each.loss for each in alone]
    assert {found[0].a, found[0].b} == {(0, 2, 3)[alone[0].a], (0, 2, 3)[alone[0].b]}
    assert found[1].b == 4 or found[1].a == 4


def test_an_empty_group_merges_for_nothing():
    found = merges(Grouped(rows(12), np.zeros(12, dtype=int), 3))
    assert [each.loss for each in found] == [0.0, 0.0]


def test_the_group_of_two_topics_splits_first_into_them():
    topics = np.repeat(np.eye(6), 10, axis=0) + 0.01
    X = sp.csr_matrix(topics / np.linalg.norm(topics, axis=1, keepdims=True))
    groups = np.array([0, 0, 1, 2, 3, 4]).repeat(10)
    first = splits(Grouped(X, groups, 5), list("abcdef"))[0]
    assert (first.group, sorted(first.sizes)) == (0, [10, 10])
    assert {words[0] for words in first.words} == {"a", "b"}
    apart = np.where(groups > 0, groups, 0) + np.array([5, 0, 0, 0, 0, 0]).repeat(10)
    assert first.gain == pytest.approx((coherence(X, apart) - coherence(X, groups)) / coherence(X, groups), abs=2e-6)


@pytest.mark.parametrize("seed", range(5))
def test_halves_are_topics_also_where_single_documents_are_far_from_all(seed):
    """Words in a few documents each, as in texts: two documents that share none may be of one topic."""
    rng, topic = np.random.default_rng(seed), np.repeat([0, 1], [90, 60])
    X = np.zeros((150, 140))
    for row, own in enumerate(topic):
        X[row, rng.choice(50, 4, replace=False) + 50 * own] = 0.4
        X[row, 100 + rng.choice(40, 4, replace=False)] = 0.3
    (found,) = splits(Grouped(sp.csr_matrix(X), np.zeros(150, dtype=int), 1), np.arange(140))
    assert {frozenset(int(word) // 50 for word in words) for words in found.words} == {frozenset([0]), frozenset([1])}


def test_groups_of_equal_documents_do_not_split():
    X = sp.csr_matrix(np.eye(3).repeat(4, axis=0))
    assert splits(Grouped(X, np.arange(3).repeat(4), 3), "abc") == []
