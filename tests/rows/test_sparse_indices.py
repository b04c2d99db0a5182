"""Damaged sparse matrices are refused in plain words, by every estimator, before anything compiled reads them."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError
from outgroup.rows.matrix import sound

ESTIMATORS = {
    "SphericalKMeans": SphericalKMeans(n_clusters=2, random_state=0),
    "SeededKMeans": SeededKMeans(n_clusters=2, random_state=0),
    "MaxMarginClustering": MaxMarginClustering(n_clusters=2, n_init=1, random_state=0),
    "CPM3C": CPM3C(n_clusters=2, n_init=1, random_state=0),
}


def rows(n=12, d=9, format="csr"):
    rng = np.random.default_rng(0)
    return sp.csr_matrix(rng.random((n, d)) * (rng.random((n, d)) < 0.5) + 0.01 * np.eye(n, d)).asformat(format)


def jump(X):
    X.indptr[3] = 10**6


def fall(X):
    X.indptr[2] = X.indptr[4] + 1


def far_column(X):
    X.indices[5] = 10**6


def few_values(X):
    X.data = X.data[:-3]


def no_values(X):
    X.data, X.indices = X.data[:0], X.indices[:0]


@pytest.fixture(scope="module", params=ESTIMATORS)
def fitted(request):
    return ESTIMATORS[request.param].fit(rows())


@pytest.mark.parametrize("damage", [jump, fall, far_column, few_values, no_values])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_every_estimator_refuses_it(fitted, format, damage):
    X = rows(format=format)
    damage(X)
    for ask in (clone(fitted).fit, fitted.predict, fitted.decision_function):
        with pytest.raises(InputError, match="rebuild the matrix"):
            ask(X)


@pytest.mark.parametrize("format", ["coo", "bsr", "lil"])
def test_other_formats_are_looked_at_too(format):
    X = rows(format=format)
    assert (sound(X) != X).nnz == 0
    if format == "coo":
        X.row[0] = 99
    elif format == "bsr":
        X.indices[0] = 99
    else:
        X.rows[0][0] = 99
    with pytest.raises(InputError, match="rebuild the matrix"):
        SphericalKMeans(n_clusters=2).fit(X)


def odd_twin(X):
    """The same matrix with wide, unsorted and repeated indices."""
    backwards = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(X.indptr)])
    odd = X.copy()
    odd.data, odd.indices = np.repeat(X.data[backwards] / 2, 2), np.repeat(X.indices[backwards], 2).astype(np.int64)
    odd.indptr = 2 * X.indptr.astype(np.int64)
    odd.has_sorted_indices = odd.has_canonical_format = False
    return odd


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_arrays_of_the_caller_are_not_brought_into_order(name):
    """Joblib gives its processes read-only arrays, and threads may share a matrix."""
    odd, noise = odd_twin(rows()), odd_twin(rows(3))
    before = odd.indices.copy()
    for each in (odd, noise):
        for part in (each.data, each.indices, each.indptr):
            part.flags.writeable = False
    clone(ESTIMATORS[name]).fit(odd, universum=noise).predict(odd)
    assert np.array_equal(odd.indices, before)


@given(st.data())
def test_what_passes_can_be_walked(data):
    X = rows(5, 4)
    X.indptr = np.array(data.draw(st.lists(st.integers(-2, 30), min_size=4, max_size=7)), dtype=np.int64)
    X.indices = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=len(X.data), max_size=len(X.data))))
    try:
        sound(X)
    except InputError:
        return
    assert len(X.indptr) == 6
    for row in range(5):
        assert all(0 <= X.indices[p] < 4 for p in range(X.indptr[row], X.indptr[row + 1]))


def test_a_matrix_of_empty_columns_is_refused_before_it_takes_memory():
    wide = sp.csr_matrix((np.ones(40), (np.arange(40) % 20, np.arange(40) * 49_999_999)), shape=(20, 2_000_000_000))
    tracemalloc.start()
    for estimator in (MaxMarginClustering, SphericalKMeans):
        with pytest.raises(InputError, match="remove empty columns"):
            estimator(n_clusters=2).fit(wide)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
