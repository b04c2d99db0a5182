"""Single moves: every gain against the objective computed anew, the native loops against NumPy's."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from spherical_examples import coherence, example_3_2, printed_start, unit_rows

from outgroup._native import products
from outgroup.solve.local_search import SCHEDULES, BlockSearch, Schedule, open_search, refine

needs_native = pytest.mark.skipif(products.kernels() is None, reason="no native kernels here")


def dense(X, labels, k):
    return open_search(X.toarray(), labels, k)


NATIVE = [pytest.param(opened, marks=needs_native) for opened in (open_search, dense)]
SEARCHES = [BlockSearch, *NATIVE]


def near(signed):
    """How near: where signs let a cluster's rows cancel out, its norm is the root of a rounded square."""
    return 1e-7 if signed else 1e-9


def dealt(n, k, seed):
    return np.random.default_rng(seed).permutation(np.arange(n) % k).astype(np.int32)


@pytest.mark.parametrize("opened", SEARCHES)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), signed=st.booleans(), moves=st.integers(0, 12))
def test_the_best_move_gains_the_difference_of_objectives(opened, seed, k, signed, moves):
    X, labels = unit_rows(15, 6, seed, signed=signed), dealt(15, k, seed)
    X *= np.random.default_rng(seed).uniform(0.5, 4.0, (15, 1))  # their weights
    search = opened(sp.csr_matrix(X), labels, k)
    search.chain(moves)  # also after moves
    labels = search.labels
    before = coherence(X, labels, k)
    assert search.objective == pytest.approx(before, abs=4 * near(signed))
    gains = [
        coherence(X, np.where(np.arange(15) == row, to, labels), k) - before
        for row, own in enumerate(labels)
        for to in range(k)
        if to != own and X[row].any() and np.count_nonzero(labels == own) > 1
    ]
    totals, _ = search.chain(1)
    assert totals.tolist() == pytest.approx([max(gains)] if gains else [], abs=4e-7)


def certain(X, labels, k, length, near):
    """How many steps of a chain have one gain: where two moves gain the same, either may be made, and others follow."""
    X, labels, rows = X.toarray(), labels.copy(), np.arange(len(labels))
    free = X.any(axis=1)
    for step in range(length):
        member = np.eye(k)[labels]
        sums, alone = member.T @ X, member.sum(axis=0) == 1
        norms = np.linalg.norm(sums, axis=1)
        left = np.linalg.norm(sums[labels] - X, axis=1) - norms[labels]
        gains = np.linalg.norm(sums + X[:, None], axis=2) - norms + left[:, None]
        gains[~free | alone[labels]] = gains[rows, labels] = -np.inf
        *_, second, best = np.sort(gains, axis=None) if gains.size > 1 else (-np.inf, gains.item())
        if best == -np.inf:
            break
        if second >= best - near:
            return step + 1
        row, to = np.unravel_index(gains.argmax(), gains.shape)
        labels[row], free[row] = to, False
    return None


@pytest.mark.parametrize("opened", NATIVE)
@example(seed=3782, k=5, signed=True, length=7)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), signed=st.booleans(), length=st.integers(1, 20))
def test_native_chains_are_the_plain_ones(opened, seed, k, signed, length):
    X, labels = sp.csr_matrix(unit_rows(25, 8, seed, signed=signed)), dealt(25, k, seed)
    native, plain = opened(X, labels, k), BlockSearch(X, labels, k)
    for _ in range(3):
        sure = certain(X, plain.labels, k, length, near(signed))
        (totals, kept), (expected, expected_kept) = native.chain(length), plain.chain(length)
        assert np.allclose(totals[:sure], expected[:sure], atol=near(signed))
        assert native.objective == pytest.approx(coherence(X.toarray(), native.labels, k), abs=10 * near(signed))
        if sure is not None:
            break
        best = expected[expected_kept - 1] if expected_kept else 0.0
        assert (totals[kept - 1] if kept else 0.0) == pytest.approx(best, abs=near(signed))
        assert native.objective == pytest.approx(plain.objective, abs=near(signed))


@pytest.mark.parametrize("opened", NATIVE)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), signed=st.booleans())
def test_native_sweeps_and_batch_steps_are_the_plain_ones(opened, seed, k, signed):
    X, labels = sp.csr_matrix(unit_rows(25, 8, seed, signed=signed)), dealt(25, k, seed)
    native, plain = opened(X, labels, k), BlockSearch(X, labels, k)
    order = np.random.default_rng(seed).permutation(25).astype(np.int32)
    for step in [lambda s: s.batch(), lambda s: s.sweep(order, 1e-6)] * 2:
        assert step(native) == step(plain)
        assert np.array_equal(native.labels, plain.labels)


@pytest.mark.parametrize("stages", [*SCHEDULES])
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), signed=st.booleans())
def test_the_objective_never_falls_and_no_cluster_empties(stages, seed, k, signed):
    X, labels = unit_rows(24, 8, seed, signed=signed), dealt(24, k, seed)
    found, objective, trace = refine(sp.csr_matrix(X), labels, k, Schedule(stages), np.random.default_rng(seed))
    path = [coherence(X, labels, k), *(step["objective"] for step in trace)]
    assert all(b >= a - near(signed) for a, b in pairwise(path))
    assert objective == pytest.approx(coherence(X, found, k), abs=near(signed))
    assert set(found) == set(range(k))


@pytest.mark.parametrize("stages", ["first-variation", "chains", "ping-pong"])
def test_a_chain_that_gains_leads_back_to_the_first_stage(stages):
    kinds = []
    for seed in range(20):
        schedule = Schedule(stages, chain_length=3)
        X = sp.csr_matrix(unit_rows(24, 8, seed))
        _, _, trace = refine(X, dealt(24, 3, seed), 3, schedule, np.random.default_rng(seed))
        gains = [b["objective"] - a["objective"] > schedule.tol * a["objective"] for a, b in pairwise(trace)]
        chains = zip(trace[1:], gains, trace[2:], strict=False)
        kinds += [after["kind"] for step, gained, after in chains if gained and step["kind"] == SCHEDULES[stages][-1]]
    assert len(kinds) > 0
    assert set(kinds) == {"batch"}


@pytest.mark.parametrize("opened", SEARCHES)
def test_example_3_2_from_the_printed_start(opened):
    X, k = example_3_2(5), 5
    search = opened(X, printed_start(5), k)
    assert search.objective == pytest.approx(5 * np.sqrt(5))
    assert search.batch() == 0
    totals, kept = search.chain(1)
    assert kept == 0
    assert totals[0] == pytest.approx(-0.007, abs=5e-4)
    for _ in range(40):
        search.chain(3)
    assert search.objective == pytest.approx(12.009612, abs=1e-6)


@pytest.mark.parametrize("opened", SEARCHES)
@given(seed=st.integers(0, 10_000))
def test_nothing_is_left_of_a_cluster_whose_last_row_that_is_not_zero_leaves(opened, seed):
    x = unit_rows(1, 7, seed, density=1.0)[0] * (0.5 + seed / 20_000)
    X = np.vstack([x, np.zeros(7), x])
    search = opened(sp.csr_matrix(X), np.array([0, 0, 1], dtype=np.int32), 2)
    totals, _ = search.chain(1)  # the only move there is, to an equal row
    assert totals[0] == pytest.approx(0.0, abs=1e-14)
    for moved in (X, -X):
        search = opened(sp.csr_matrix(np.vstack([moved[0], X[1:]])), np.array([0, 0, 1], dtype=np.int32), 2)
        search.chain(2)
        assert search.objective == pytest.approx(coherence(np.vstack([moved[0], X[1:]]), search.labels, 2), abs=1e-14)
