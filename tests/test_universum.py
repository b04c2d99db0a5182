"""Universum: each source by hand and by property."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from rows_examples import ListedRows

from outgroup import universum
from outgroup.errors import InputError
from outgroup.rows import threads

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


def test_rest_parts_rows_that_lie_elsewhere():
    targets, others = universum.rest(ListedRows(np.arange(8.0).reshape(4, 2)), ["a", "x", "b", "a"], ["a", "b"])
    assert targets.take(np.arange(3))[:, 0].tolist() == [0, 4, 6]
    assert others.take(np.arange(1)).tolist() == [[2, 3]]


def test_rest_takes_numbers_and_a_single_name():
    assert universum.rest(["one", "two"], np.array([1, 2]), [2]) == (["two"], ["one"])
    with pytest.raises(InputError, match="labels 'd'"):
        universum.rest(["one", "two"], ["a", "b"], ["e", "d"])
    assert universum.rest(["one", "two"], ["news", "new"], "news") == (["one"], ["two"])
    assert universum.rest(("one", "two"), np.array([3, 4]), np.int64(3)) == (["one"], ["two"])


def test_rest_goes_by_place_where_a_table_was_shuffled():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts, y = ["zero", "one", "two", "three"], [0, 1, 0, 1]
    column = pd.Series(texts, index=[3, 2, 1, 0])
    targets, others = universum.rest(column, y, {0})
    assert (targets.tolist(), others.tolist()) == (["zero", "two"], ["one", "three"])
    assert targets.index.tolist() == [3, 1]
    for frame in (column.to_frame("text"), pl.DataFrame({"text": texts})):
        targets, others = universum.rest(frame, y, {0})
        assert (list(targets["text"]), list(others["text"])) == (["zero", "two"], ["one", "three"])


@pytest.mark.parametrize(
    ("y", "targets", "words"),
    [(["a"], ["a"], "1 labels for 2"), (["a", "a"], ["a"], "^every document"), (["a", "a"], ["b"], "^no document")],
)
def test_rest_refuses_what_leaves_a_side_empty(y, targets, words):
    with pytest.raises(InputError, match=words):
        universum.rest(["one", "two"], y, targets)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((None, ["a", "b"], ["a"]), "X is None; give rows or texts"),
        ((["one", "two"], None, ["a"]), "y is None; give a label for each"),
        ((["one", "two"], [["a"], ["b"]], ["a"]), "y is .*; give a label for each"),
        ((["one", "two"], ["a", "b"], None), "targets is None; give the labels to cluster"),
    ],
)
def test_rest_names_what_is_no_rows_or_labels(given, words):
    with pytest.raises(InputError, match=words):
        universum.rest(*given)


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


def test_random_counts_no_stored_zeros():
    X = sp.csr_matrix((np.array([0.0, 1.0]), ([0, 1], [0, 1])), shape=(2, 2))
    assert not universum.random(X, 50, 0).toarray()[:, 0].any()


def test_random_refuses_no_rows():
    with pytest.raises(InputError, match="at least 1"):
        universum.random(np.eye(2), 0)


def test_mean_blends_every_two_centres():
    X = np.array([[2.0, 0, 0], [4.0, 0, 0], [0, 1.0, 0], [0, 0, 5.0]])
    blends = universum.mean(X, 3, random_state=0)
    expected = {(1.5, 0.5, 0.0), (1.5, 0.0, 2.5), (0.0, 0.5, 2.5)}
    assert {tuple(row) for row in blends.tolist()} == expected
    sparse = universum.mean(sp.csr_matrix(X, dtype=np.float32), 3, random_state=0)
    assert sparse.dtype == np.float32
    np.testing.assert_allclose(sparse.toarray(), blends)


@pytest.mark.parametrize("k", [0, 1, 5])
def test_mean_refuses_what_cannot_be_blended(k):
    with pytest.raises(InputError):
        universum.mean(np.eye(4), k)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_select_keeps_the_near_ones(kind):
    X = blobs()
    near, far = blobs(seed=1, n=5), np.full((90, 5), -20.0) + np.arange(90)[:, None] / 90
    chosen = universum.select(kind(X), kind(np.vstack([far, near])), 2, random_state=0)
    np.testing.assert_array_equal(chosen, np.arange(90, 100))


def test_select_works_on_many_sparse_features():
    rng = np.random.default_rng(0)
    X = np.abs(np.hstack([rng.random((150, 100)), np.zeros((150, 100))]))
    strange = np.hstack([np.zeros((20, 100)), rng.random((20, 100))])
    alike = np.abs(np.hstack([rng.random((20, 100)), np.zeros((20, 100))]))
    candidates = sp.csr_matrix(np.vstack([strange, alike]))
    chosen = universum.select(sp.csr_matrix(X), candidates, 1, fraction=0.5, random_state=0)
    np.testing.assert_array_equal(chosen, np.arange(20, 40))


@pytest.mark.parametrize(("fraction", "m", "kept"), [(0.1, 30, 3), (0.1, 31, 4), (1.0, 7, 7), (1e-9, 5, 1)])
def test_select_rounds_up(fraction, m, kept):
    assert len(universum.select(blobs(), blobs(2, n=20)[:m], 2, fraction, random_state=0)) == kept


def test_select_repeats_whatever_the_threads():
    X, candidates = blobs(d=150), blobs(3, d=150)
    with threads(1):
        one = universum.select(X, candidates, 3, 0.3, random_state=5)
    with threads(2):
        np.testing.assert_array_equal(one, universum.select(X, candidates, 3, 0.3, random_state=5))


@pytest.mark.parametrize(
    ("change", "words"),
    [({"fraction": 0.0}, "fraction"), ({"fraction": 1.5}, "fraction"), ({"n_clusters": 9}, "9 components")],
)
def test_select_refuses_what_it_cannot_use(change, words):
    with pytest.raises(InputError, match=words):
        universum.select(np.eye(4), np.eye(4), **({"n_clusters": 2} | change))


def test_a_few_rows_elsewhere_are_all_seen_and_alike_each_time():
    X = blobs()
    for of_rows, of_matrix in (
        (universum.random(ListedRows(X), 5, 3).toarray(), universum.random(X, 5, 3)),
        (universum.select(ListedRows(X), X + 1, 2, 0.1, 3), universum.select(X, X + 1, 2, 0.1, 3)),
    ):
        assert of_rows.shape == of_matrix.shape
    many = np.random.default_rng(0).normal(size=(33_000, 2))
    one, other = (universum.random(ListedRows(many, 1_000), 5, 3).toarray() for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert (one >= many.min(axis=0)).all()
    assert (one <= many.max(axis=0)).all()


@pytest.mark.parametrize("wrong", ["3", 2.5, None, True, [2], float("nan")])
def test_numbers_that_are_none_are_told_by_name(wrong):
    X = blobs(n=10)
    for ask in (
        lambda: universum.random(X, wrong),
        lambda: universum.mean(X, wrong),
        lambda: universum.select(X, X, wrong),
    ):
        with pytest.raises(InputError, match=r"^(n|n_clusters) is .*; give a whole number"):
            ask()


@pytest.mark.parametrize("wrong", ["0.1", None, [0.1], True])
def test_shares_that_are_none_are_told(wrong):
    with pytest.raises(InputError, match=r"^fraction is .*; give a number above 0 and up to 1"):
        universum.select(blobs(n=10), blobs(n=10), 2, wrong)


@pytest.mark.parametrize("wrong", ["text", None, ["a", "b"], [[1, "a"]], 3, [[np.nan, 1.0]], [[1.0], [1.0, 2.0]]])
def test_what_holds_no_numbers_is_told_by_name(wrong):
    X = blobs(n=10)
    for ask in (
        lambda: universum.random(wrong, 2),
        lambda: universum.mean(wrong, 2),
        lambda: universum.select(wrong, X, 2),
    ):
        with pytest.raises(InputError, match=r"^X contains (texts|no numbers: [^\n]*); [^\n]*Vectorizer$"):
            ask()
    with pytest.raises(InputError, match=r"^candidates contains (texts|no numbers)"):
        universum.select(X, wrong, 2)


@pytest.mark.parametrize("wrong", ["x", 2.5, np.random.default_rng(0)])
def test_random_states_that_are_none_are_told(wrong):
    X = blobs(n=10)
    for ask in (universum.random, universum.mean):
        with pytest.raises(InputError, match=r"^random_state is .*; give a whole number"):
            ask(X, 2, wrong)
    with pytest.raises(InputError, match=r"^random_state is"):
        universum.select(X, X, 2, random_state=wrong)
