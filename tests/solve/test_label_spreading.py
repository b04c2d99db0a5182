"""Labels spread over neighbours: against the closed form, and what they leave alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from outgroup.solve import neighbour_graph
from outgroup.solve.neighbour_graph import spread_labels


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
        set_constants(patched, neighbour_graph, spreading_steps=300)
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
