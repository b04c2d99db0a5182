"""Universum: each source by hand and by property."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from outgroup import universum
from outgroup.errors import InputError

SMALL = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.sampled_from([-2, 0, 0, 1, 3])
)


def blobs(seed=0, n=60, d=5):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(0, 0.3, (n, d)), rng.normal(4, 0.3, (n, d))])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.coo_matrix])
def test_rest_parts_rows_by_label_and_keeps_their_order(kind):
    X = kind(np.arange(8.0).reshape(4, 2))
    targets, others = universum.rest(X, ["a", "x", "b", "a"], ["a", "b"])
    assert type(targets) is (np.ndarray if kind is np.asarray else sp.csr_matrix)
    np.testing.assert_array_equal(targets[:, 0] if kind is np.asarray else targets.toarray()[:, 0], [0, 4, 6])
    assert others.shape == (1, 2)


@given(SMALL, st.integers(1, 20), st.integers(0, 2**31 - 1))
@settings(max_examples=60, deadline=None)
def test_random_stays_within_bounds_whatever_holds_the_rows(X, n, seed):
    drawn = universum.random(X, n, seed)
    assert drawn.shape == (n, X.shape[1])
    assert (drawn >= X.min(axis=0)).all()
    assert (drawn <= X.max(axis=0)).all()
    assert not drawn[:, ~X.any(axis=0)].any()
    np.testing.assert_array_equal(universum.random(sp.csr_matrix(X), n, seed).toarray(), drawn)


def test_random_is_as_sparse_as_the_targets_and_uniform_where_nothing_is_zero():
    X = sp.random(400, 50, density=0.05, random_state=1, format="csr", dtype=np.float32)
    drawn = universum.random(X, 400, 0)
    assert sp.issparse(drawn)
    assert drawn.dtype == np.float32
    assert drawn.nnz == pytest.approx(X.nnz, rel=0.15)
    full = universum.random(np.array([[1.0], [3.0]]), 4000, 0)
    assert full.mean() == pytest.approx(2.0, abs=0.05)
    assert full.var() == pytest.approx(4 / 12, abs=0.03)


def test_mean_blends_every_two_centres():
    X = np.array([[2.0, 0, 0], [4.0, 0, 0], [0, 1.0, 0], [0, 0, 5.0]])
    blends = universum.mean(X, 3, random_state=0)
    expected = {(1.5, 0.5, 0.0), (1.5, 0.0, 2.5), (0.0, 0.5, 2.5)}
    assert {tuple(row) for row in blends.tolist()} == expected
    sparse = universum.mean(sp.csr_matrix(X, dtype=np.float32), 3, random_state=0)
    assert sparse.dtype == np.float32
    np.testing.assert_allclose(sparse.toarray(), blends)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_select_keeps_the_near_ones(kind):
    X = blobs()
    near, far = blobs(seed=1, n=5), np.full((90, 5), -20.0) + np.arange(90)[:, None] / 90
    chosen = universum.select(kind(X), kind(np.vstack([far, near])), 2, random_state=0)
    np.testing.assert_array_equal(chosen, np.arange(90, 100))


TWO = ["one", "two"]
REFUSED = [
    *((universum.rest, (TWO, y, targets), said) for y, targets, said in (
        (["a"], ["a"], "1 labels for 2"), (["a", "a"], ["a"], "^every document"), (["a", "a"], ["b"], "^no document"),
        (None, ["a"], "y is None; give a label for each"), ([["a"], ["b"]], ["a"], "y is .*; give a label for each"),
        (["a", "b"], None, "targets is None; give the labels to cluster"),
    )),
    (universum.rest, (None, ["a", "b"], ["a"]), "X is None; give rows or texts"),
    *((universum.mean, (np.eye(4), k), "clusters") for k in (1, 5)),
    *((ask, (np.eye(4), wrong), "^(n|n_clusters)=.* is not valid")
      for ask in (universum.random, universum.mean) for wrong in ("3", 2.5, None, True, [2], 0)),
    *((ask, (wrong, 2), r"^X contains (texts|no numbers: [^\n]*); [^\n]*Vectorizer$")
      for ask in (universum.random, universum.mean)
      for wrong in ("text", None, ["a", "b"], [[1, "a"]], 3, [[np.nan, 1.0]], [[1.0], [1.0, 2.0]])),
    *((ask, (np.eye(4), 2, wrong), "^random_state is .*; give a whole number")
      for ask in (universum.random, universum.mean) for wrong in ("x", 2.5, np.random.default_rng(0))),
    *((universum.select, (np.eye(4), np.eye(4), k), "^n_clusters=") for k in (9, "3")),
    (universum.select, (np.eye(4), ["a", "b"], 2), "^candidates contains texts"),
    *((universum.select, (np.eye(4), np.eye(4), 2, share), "fraction") for share in (0.0, 1.5, "0.1", None, True)),
    (universum.select, (np.eye(4), np.eye(4), 2, 0.1, "x"), "^random_state is"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "given", "said"), REFUSED)
def test_what_cannot_be_used_is_refused_by_name(ask, given, said):
    with pytest.raises(InputError, match=said):
        ask(*given)
