"""Splits: repeated bisection as a start, and exchanging a merge for a split."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from spherical_examples import coherence, unit_rows

from outgroup._native import products
from outgroup.solve.local_search import Schedule, refine
from outgroup.solve.refinement import bisections, merge_losses, split_groups, split_merge


def topics(k, size, seed=0):
    """`k` orthogonal topics of `size` noisy rows each."""
    rng = np.random.default_rng(seed)
    X = np.kron(np.eye(k), np.ones((size, 4))) * rng.uniform(0.5, 1.5, (k * size, 4 * k))
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True))


@given(seed=st.integers(0, 10_000), k=st.integers(1, 12))
def test_bisection_fills_every_cluster(seed, k):
    X = np.vstack([np.zeros((2, 6)), unit_rows(5, 6, seed), unit_rows(5, 6, seed)])
    assert set(bisections(sp.csr_matrix(X), k, np.random.default_rng(seed))[0]) == set(range(k))


needs_native = pytest.mark.skipif(products.kernels() is None, reason="no native kernels here")


@pytest.mark.parametrize("form", [sp.csr_matrix, pytest.param(np.asarray, marks=needs_native)])
def test_a_split_gains_what_it_says(form):
    X = unit_rows(30, 10, 4)
    groups = [np.arange(5, 25), np.arange(3), np.arange(1)]
    splits = split_groups(form(X), groups, np.random.default_rng(0))
    for rows, split in zip(groups[:2], splits, strict=False):
        halves = coherence(X[rows], split.right.astype(int), 2)
        assert split.gain == pytest.approx(halves - np.linalg.norm(X[rows].sum(axis=0)))
        assert 0 < split.right.sum() < len(rows)
    assert splits[2].gain == -np.inf  # one row


def test_many_groups_are_exchanged_together():
    X, k = topics(128, 6), 128
    topic = np.repeat(np.arange(k), 6)
    stuck = topic.astype(np.int32)
    for pair in range(0, 40, 4):  # two topics in one group, a third in two
        stuck[topic == pair + 1] = pair
        stuck[np.flatnonzero(topic == pair + 2)[:3]] = pair + 1
    labels, trace = split_merge(X, stuck, k, Schedule(), np.random.default_rng(0))
    assert all(len(set(labels[topic == j])) == 1 for j in range(k))
    assert sum(step["kind"] == "split and merge" for step in trace) < 10


def test_merge_losses_are_differences_of_objectives():
    X, labels = unit_rows(20, 8, 1), np.arange(20) % 4
    sums = np.array([X[labels == group].sum(axis=0) for group in range(4)])
    losses = merge_losses(sums @ sums.T)
    for a, b in [(0, 1), (1, 3)]:
        merged = coherence(X, np.where(labels == b, a, labels), 4)
        assert losses[a, b] == pytest.approx(coherence(X, labels, 4) - merged)
    assert np.isinf(losses[np.tril_indices(4)]).all()


def test_exchanging_a_merge_for_a_split_leaves_an_optimum_that_single_moves_cannot():
    X = topics(3, 20)
    stuck = np.array([0] * 10 + [1] * 10 + [2] * 40, dtype=np.int32)  # one topic in two halves, two topics in one
    before = refine(X, stuck, 3, Schedule("sweep"), np.random.default_rng(0))[1]
    labels, trace = split_merge(X, stuck, 3, Schedule(), np.random.default_rng(0))
    assert trace[-1]["objective"] >= before
    assert all(len(set(labels[20 * j : 20 * j + 20])) == 1 for j in range(3))
    assert {step["kind"] for step in trace} <= {"sweep", "split and merge"}
