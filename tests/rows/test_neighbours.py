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
from outgroup.rows import averaged, nearest, neighbour_graph, threads


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
    with products.using(module), threads(n_threads), mock.patch.object(neighbour_graph, "_SPARSE_AT_ONCE", 1000):
        found, among = nearest(form(X), count=count), nearest(form(X), form(Y), count=count)
    np.testing.assert_array_equal(
        found.index[:, : n + 1], by_sorting(X, X, count, apart=False)[:, : found.index.shape[1]]
    )
    np.testing.assert_array_equal(among.index, by_sorting(X, Y, count, apart=True))
    rows, places = np.nonzero(found.index >= 0)
    cosines = np.einsum("id,id->i", X[rows], X[found.index[rows, places]])
    np.testing.assert_allclose(found.cosines[rows, places], cosines, atol=1e-6)


@pytest.mark.parametrize("pieces", [1, 1 << 22])
def test_averaged_rows_are_the_formula_in_every_form(pieces, monkeypatch):
    monkeypatch.setattr(neighbour_graph, "_DENSE_ROWS", pieces)
    X, Y = unit(5), unit(6, 20)
    P = nearest(X, Y, count=3).shares
    expected = normalize(X + P @ Y)
    np.testing.assert_allclose(averaged(X, P, Y), expected, atol=1e-7)
    np.testing.assert_allclose(averaged(sp.csr_matrix(X), P, sp.csr_matrix(Y)).toarray(), expected, atol=1e-7)
