"""The nearest rows: against sorting all cosines, whatever the form of the rows, the blocks and the threads."""

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_examples import ListedRows
from sklearn.preprocessing import normalize

from outgroup._native import by_scipy, products
from outgroup.rows import averaged, nearest, neighbours, threads
from outgroup.rows import neighbours as nearest_sparse


def unit(seed, n=40, d=9):
    rng = np.random.default_rng(seed)
    return normalize(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5) * (rng.random((n, 1)) < 0.9))


def by_sorting(X, Y, count, *, apart):
    cosines = (X @ Y.T).astype(np.float32)
    if not apart:
        np.fill_diagonal(cosines, 0)
    found = np.full((len(X), count), -1)
    for row, values in enumerate(cosines):
        order = [i for i in np.argsort(-values, kind="stable") if values[i] > 1e-7][:count]
        found[row, : len(order)] = order
    return found


def long_indices(X):
    X = sp.csr_matrix(X)
    return sp.csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 8),
    st.sampled_from([np.asarray, sp.csr_matrix, long_indices, ListedRows]),
    st.sampled_from([products.current(), by_scipy]), st.sampled_from([1, 40, 150]), st.integers(1, 3),
)  # fmt: skip
def test_neighbours_are_those_of_sorted_cosines(seed, count, form, module, n, n_threads):
    X, Y = unit(seed, n), unit(seed + 1, 130)
    with products.using(module), threads(n_threads), mock.patch.object(nearest_sparse, "_SPARSE_AT_ONCE", 1000):
        found, among = nearest(form(X), count=count), nearest(form(X), form(Y), count=count)
    np.testing.assert_array_equal(
        found.index[:, : n + 1], by_sorting(X, X, count, apart=False)[:, : found.index.shape[1]]
    )
    np.testing.assert_array_equal(among.index, by_sorting(X, Y, count, apart=True))
    rows, places = np.nonzero(found.index >= 0)
    cosines = np.einsum("id,id->i", X[rows], X[found.index[rows, places]])
    np.testing.assert_allclose(found.cosines[rows, places], cosines, atol=1e-6)


def test_rows_whose_entries_are_unordered_or_in_parts_have_the_same_neighbours():
    X = sp.csr_matrix(unit(2))
    twice = np.repeat(np.arange(X.nnz)[::-1], 2)  # each entry in two halves, and rows from behind
    rows = np.repeat(np.arange(40), np.diff(X.indptr))[twice]
    order = np.argsort(rows, kind="stable")
    halves = sp.csr_matrix((X.data[twice][order] / 2, X.indices[twice][order], 2 * X.indptr), shape=X.shape)
    np.testing.assert_array_equal(nearest(halves).index, nearest(X).index)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_blocks_and_threads_change_nothing(form, monkeypatch):
    X = form(unit(3, 200).astype(np.float32))
    whole, told = nearest(X), []
    monkeypatch.setattr(neighbours, "_AT_ONCE", 2000)
    monkeypatch.setattr(nearest_sparse, "_SPARSE_AT_ONCE", 5000)
    with threads(2):
        pieces = nearest(X, progress=lambda done, total: told.append((done, total)))
    np.testing.assert_array_equal(pieces.index, whole.index)
    np.testing.assert_allclose(pieces.cosines, whole.cosines, atol=1e-6)
    assert told[-1] == (200, 200)
    assert len(told) > 2


def test_of_equal_rows_the_lower_number_is_nearer():
    X = np.array([[1.0, 0.0]] * 4 + [[0.0, 1.0]])
    found = nearest(X, count=2)
    assert found.index.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [-1, -1]]
    assert found.shares.toarray()[0].tolist() == [0, 0.5, 0.5, 0, 0]
    assert not found.shares[4].nnz


def test_more_neighbours_than_rows():
    assert nearest(np.array([[0.6, 0.8]])).index.tolist() == [[-1]]
    assert nearest(np.eye(2) + 0.1, count=15).index.tolist() == [[1, -1], [0, -1]]


@pytest.mark.parametrize("pieces", [1, 1 << 22])
def test_averaged_rows_are_the_formula_in_every_form(pieces, monkeypatch):
    monkeypatch.setattr(neighbours, "_DENSE_ROWS", pieces)
    X, Y = unit(5), unit(6, 20)
    P = nearest(X, Y, count=3).shares
    expected = normalize(X + P @ Y)
    np.testing.assert_allclose(averaged(X, P, Y), expected, atol=1e-7)
    np.testing.assert_allclose(averaged(sp.csr_matrix(X), P, sp.csr_matrix(Y)).toarray(), expected, atol=1e-7)
