"""Starts and batch steps of spherical k-means."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from spherical_examples import coherence, unit_rows

from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.spherical import (
    STARTS,
    batch,
    keep_one,
    partition_from,
    relabel,
    seed_plus_plus,
    spherical_kmeans,
    start,
)


def test_the_last_row_of_a_cluster_that_empties_stays():
    labels, before = np.array([0, 0, 0, 0]), np.array([0, 1, 1, 0])
    assert keep_one(labels, before, 2).tolist() == [0, 0, 1, 0]
    assert labels.tolist() == [0, 0, 0, 0]


def two_topics():
    return np.repeat(np.eye(2), 3, axis=0)


def test_an_empty_cluster_gets_the_row_that_fits_worst_and_no_row_of_zeros_first():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.8, 0.6], [1.0, 0.0]])
    assert partition_from(as_rows(X), np.zeros(4, dtype=np.int32), 2).labels.tolist() == [0, 0, 1, 0]


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_batch_steps_never_lower_the_objective(seed, k, signed):
    X = unit_rows(20, 8, seed, signed=signed)
    rows = as_rows(sp.csr_matrix(X))
    found = batch(rows, start(rows, k, "random", np.random.default_rng(seed)), tol=0.0)
    objectives = [step["objective"] for step in found.trace]
    assert all(b >= a - 1e-9 for a, b in pairwise(objectives))
    assert found.objective == pytest.approx(coherence(X, found.labels, k))
    assert set(found.labels) == set(range(k))


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_sums_follow_the_rows_that_moved(seed, n_moved):
    X, rng = unit_rows(12, 5, seed), np.random.default_rng(seed)
    rows, labels = as_rows(X), rng.permutation(np.arange(12) % 3).astype(np.int32)
    changed = labels.copy()
    changed[rng.choice(12, n_moved, replace=False)] = rng.integers(0, 3, n_moved)
    sums = relabel(rows, partition_from(rows, labels, 3), changed).sums
    assert np.allclose(sums, [X[changed == j].sum(axis=0) for j in range(3)])


@pytest.mark.parametrize("init", sorted(STARTS))
@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_no_cluster_is_empty_with_rows_of_zeros_and_duplicates(init, k):
    X = np.vstack([np.zeros((3, 4)), np.eye(4), np.eye(4)[:2]])
    fit = spherical_kmeans(as_rows(X), k, init=init, rng=np.random.default_rng(1))
    assert set(fit.labels) == set(range(k))
    assert np.isfinite(fit.centres).all()


def test_seeds_avoid_rows_of_zeros_while_others_are_left():
    X = np.vstack([np.zeros((50, 4)), np.eye(4)])
    chosen = seed_plus_plus(as_rows(sp.csr_matrix(X)), 4, np.random.default_rng(0))
    assert sorted(chosen) == [50, 51, 52, 53]


@pytest.mark.parametrize(
    ("k", "init", "message"),
    [
        (7, "random", "between 1 and 6"),
        (0, "random", "between 1 and 6"),
        (2, "nearest", "is not valid"),
        (2, np.zeros((3, 2)), "shape"),
        (2, np.zeros(5, dtype=int), "shape"),
        (2, np.array([0, 0, 0, 1, 1, 2]), "from 0 to 1"),
        (2, np.full(6, 0.5), "float64"),
    ],
)
def test_starts_that_cannot_be_used(k, init, message):
    with pytest.raises(InputError, match=message):
        spherical_kmeans(as_rows(two_topics()), k, init=init)
