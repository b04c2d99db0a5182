"""Neighbours in the nearest groups, and labels that spread over them: most of the exact ones, and the closed form."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from outgroup.errors import CancelledError
from outgroup.rows import nearest, threads
from outgroup.solve import neighbour_votes
from outgroup.solve.neighbour_votes import nearest_in_groups, spread_labels
from outgroup.stopping import stoppable


@pytest.fixture(scope="module")
def rows():
    """1,600 rows about 40 directions, in an order of chance."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(40, 16))
    X = means[rng.integers(0, 40, 1600)] + 0.7 * rng.normal(size=(1600, 16))
    return normalize(X).astype(np.float32)


def shared(found, exact):
    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(found.index, exact.index, strict=True)]) / 15


def test_most_neighbours_are_found_and_all_where_every_group_is_looked_at(rows, monkeypatch):
    exact = nearest(rows)
    found = nearest_in_groups(rows)
    assert 0.95 < shared(found, exact) < 1
    cosines = (rows[:, None] * rows[found.index]).sum(axis=2)
    np.testing.assert_allclose(found.cosines, cosines, atol=1e-6)
    assert not (found.index == np.arange(1600)[:, None]).any()
    set_constants(monkeypatch, neighbour_votes, searched=2)
    assert shared(nearest_in_groups(rows), exact) < shared(found, exact) - 0.1
    set_constants(monkeypatch, neighbour_votes, searched=80)  # twice the root of 1,600
    np.testing.assert_array_equal(nearest_in_groups(rows).index, exact.index)


def test_new_rows_look_among_the_others_and_a_copy_finds_itself(rows):
    new, among = rows[:200], rows[100:]
    found = nearest_in_groups(new, among)
    assert shared(found, nearest(new, among)) > 0.95
    assert found.index[100:, 0].tolist() == list(range(100))
    assert found.shares.shape == (200, 1500)


def test_threads_change_nothing_and_progress_is_told(rows):
    told = []
    with threads(1):
        one = nearest_in_groups(rows, progress=lambda done, of: told.append((done, of)))
    with threads(3):
        three = nearest_in_groups(rows)
    np.testing.assert_array_equal(one.index, three.index)
    np.testing.assert_array_equal(one.cosines, three.cosines)
    assert told[-1] == (1600, 1600)
    assert told == sorted(told)
    with stoppable(lambda: True), pytest.raises(CancelledError):
        nearest_in_groups(rows)


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
    with pytest.MonkeyPatch.context() as patched:
        set_constants(patched, neighbour_votes, spreading_steps=300)
        found = spread_labels(sp.csr_matrix(P), pins, 3)
    np.testing.assert_allclose(found, exact / np.maximum(exact.sum(axis=0), 1e-12), atol=1e-5)


def test_groups_take_the_masses_that_are_known():
    line = sp.diags([np.ones(19), np.ones(19)], [-1, 1]).tocsr()
    pins = np.full(20, -1)
    pins[[0, 19]] = 0, 1
    steps, known = normalize(line, norm="l1"), np.array([3.0, 1.0])
    np.testing.assert_allclose(spread_labels(steps, pins, 2, known).sum(axis=0), known, rtol=1e-5)
    equal, large = (spread_labels(steps, pins, 2, masses).argmax(axis=1) for masses in (None, known))
    assert np.count_nonzero(large == 0) > np.count_nonzero(equal == 0) == 10
