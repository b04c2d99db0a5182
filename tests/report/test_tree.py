"""The tree of groups: losses and gains are those of the coherence, computed here from scratch."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.summary.tree import merges, splits
from outgroup.summary.words import GroupedRows


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
    for step, each in enumerate(merges(GroupedRows(X, groups, k))):
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


def test_the_group_of_two_topics_splits_first_into_them():
    topics = np.repeat(np.eye(6), 10, axis=0) + 0.01
    X = sp.csr_matrix(topics / np.linalg.norm(topics, axis=1, keepdims=True))
    groups = np.array([0, 0, 1, 2, 3, 4]).repeat(10)
    first = splits(GroupedRows(X, groups, 5), list("abcdef"))[0]
    assert (first.group, sorted(first.sizes)) == (0, [10, 10])
    assert {words[0] for words in first.words} == {"a", "b"}
    apart = np.where(groups > 0, groups, 0) + np.array([5, 0, 0, 0, 0, 0]).repeat(10)
    assert first.gain == pytest.approx((coherence(X, apart) - coherence(X, groups)) / coherence(X, groups), abs=2e-6)
