"""Labels spread over neighbours: against the closed form, and what they leave alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.solve.neighbours import label_spreading
from outgroup.solve.neighbours.graph import walk
from outgroup.solve.neighbours.label_spreading import joined_partition, spread_labels, spread_partition

BOTH = pytest.mark.parametrize("partition", [spread_partition, joined_partition])


def graph(seed, n=30):
    rng = np.random.default_rng(seed)
    P = rng.random((n, n)) * (rng.random((n, n)) < 0.2)
    P /= np.maximum(P.sum(axis=1, keepdims=True), 1e-12)
    pins = np.where(rng.random(n) < 0.3, rng.integers(3, size=n), -1)
    return P, pins


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_many_steps_come_to_the_closed_form(seed):
    P, pins = graph(seed)
    own = (pins[:, None] == np.arange(3)) * 0.1
    exact = np.linalg.solve(np.eye(30) - 0.9 * P, own)
    steps, label_spreading._STEPS = label_spreading._STEPS, 300
    found = spread_labels(sp.csr_matrix(P), pins, 3)
    label_spreading._STEPS = steps
    np.testing.assert_allclose(found, exact / np.maximum(exact.sum(axis=0), 1e-12), atol=1e-5)


def test_each_labelled_group_has_the_same_mass():
    P, pins = graph(1)
    masses = spread_labels(sp.csr_matrix(P), pins, 4).sum(axis=0)
    np.testing.assert_allclose(masses, [1, 1, 1, 0], atol=1e-5)


@BOTH
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_labels_stay_and_groups_without_one_keep_their_rows(partition, seed):
    P, pins = graph(seed)
    found = np.random.default_rng(seed).integers(5, size=30)
    labels = partition(sp.csr_matrix(P), pins, 5, found)
    assert np.array_equal(labels[pins >= 0], pins[pins >= 0])
    free = (pins < 0) & (found > 2)
    assert np.array_equal(labels[free], found[free])
    assert labels.dtype == np.int32


@BOTH
def test_what_no_label_reaches_stays_where_it_is(partition):
    alone = sp.csr_matrix((4, 4))
    assert partition(alone, np.array([1, -1, -1, 0]), 2, np.array([0, 0, 1, 1])).tolist() == [1, 0, 1, 0]


@BOTH
def test_a_label_reaches_rows_of_other_labelled_groups_alone(partition):
    chain = sp.csr_matrix(np.eye(4)[[1, 0, 3, 2]])
    pins = np.array([0, -1, 1, -1])
    assert partition(chain, pins, 3, np.array([1, 1, 0, 0])).tolist() == [0, 0, 1, 1]
    assert partition(chain, pins, 3, np.array([1, 2, 0, 2])).tolist() == [0, 2, 1, 2]


def test_groups_take_the_masses_that_are_known():
    line = sp.diags([np.ones(19), np.ones(19)], [-1, 1]).tocsr()
    pins = np.full(20, -1)
    pins[[0, 19]] = 0, 1
    steps, known = walk(line), np.array([3.0, 1.0])
    np.testing.assert_allclose(spread_labels(steps, pins, 2, known).sum(axis=0), known, rtol=1e-5)
    equal, large = (spread_partition(steps, pins, 2, pins * 0, masses=each) for each in (None, known))
    assert np.count_nonzero(large == 0) > np.count_nonzero(equal == 0) == 10


def test_groups_found_say_what_the_neighbours_leave_open():
    line = walk(sp.diags([np.ones(6), np.ones(6)], [-1, 1]).tocsr())
    pins, found = np.array([0, -1, -1, -1, -1, -1, 1]), np.array([0, 0, 0, 1, 1, 1, 1])
    reach = spread_labels(line, pins, 2)
    own = reach / reach.sum(axis=1, keepdims=True)
    assert own[3] == pytest.approx([0.5, 0.5])
    means = np.array([own[1:3].mean(axis=0), own[3:6].mean(axis=0)])
    expected = np.where(pins >= 0, pins, (own * means[found]).argmax(axis=1))
    assert joined_partition(line, pins, 2, found).tolist() == expected.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert joined_partition(line, pins, 2, np.array([0, 0, 0, 0, 1, 1, 1]))[3] == 0
