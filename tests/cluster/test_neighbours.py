"""Rows averaged with their neighbours: the formula, new rows, what "auto" decides, and damaged states."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from sklearn.preprocessing import normalize

from outgroup import NeighbourAverage
from outgroup.cluster import neighbour_average
from outgroup.errors import InputError, ModelError


def rows(n=120, d=20, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * (rng.random((n, d)) < share)
    X[:, 0] += 0.01
    return normalize(X)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def shares(cosines, form):
    """Return the shares of the nearest in each row: of vectors 20, by how much nearer they are than the next."""
    if form is sp.csr_matrix:
        counted = np.where(cosines >= np.sort(cosines, axis=1)[:, [-15]], cosines, 0)
    else:
        counted = np.maximum(cosines - np.sort(cosines, axis=1)[:, [-21]], 0)
    return counted / counted.sum(axis=1, keepdims=True)


def passed(X, Y, passes, own, form):
    """Return Y averaged with its neighbours among X, which are so as well, and X itself so."""
    P, Q, A, B = shares(X @ X.T - np.eye(len(X)), form), shares(Y @ X.T, form), X, Y
    for _ in range(passes):
        B, A = normalize(own * Y + (1 - own) * (Q @ A)), normalize(own * X + (1 - own) * (P @ A))
    return B, A


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("passes", "own"), [(1, 0.5), (2, 0.3), (5, 0.3)])
def test_rows_hear_of_their_neighbours_and_stay_by_what_they_say_themselves(form, passes, own):
    X, new = rows(), rows(5, seed=1)
    average = NeighbourAverage(passes)
    found = average.fit_transform(form(X))
    assert average.passes_ == passes
    assert sp.issparse(found) == sp.issparse(form(X))
    B, A = passed(X, new, passes, own, form)
    np.testing.assert_allclose(dense(found), A, atol=1e-6)
    np.testing.assert_allclose(dense(average.transform(form(X[[7, 3]]))), A[[7, 3]], atol=1e-6)
    mixed = dense(average.transform(form(np.vstack([new, X[:2]]))))
    np.testing.assert_allclose(mixed, np.vstack([B, A[:2]]), atol=1e-6)


def test_auto_helps_vectors_and_short_texts_where_groups_have_room(monkeypatch):
    set_constants(monkeypatch, neighbour_average, fewest=100)
    vectors, short, long = rows(share=1), sp.random(120, 400, 0.02, "csr"), sp.random(120, 400, 0.1, "csr")
    assert [NeighbourAverage().fit(X).passes_ for X in (vectors, short, long)] == [5, 1, 0]
    paragraphs = [sp.random(120, 400, share, "csr") for share in (0.07, 0.08)]  # of 28 and 32 words
    assert [NeighbourAverage().fit(X).passes_ for X in paragraphs] == [1, 0]
    assert [NeighbourAverage(n_groups=k).fit(vectors).passes_ for k in (6, 7)] == [5, 0]
    assert NeighbourAverage(n_groups=np.int8(7)).fit(vectors).passes_ == 0
    assert NeighbourAverage().fit(vectors[:99]).passes_ == 0
    like = sp.csr_matrix(vectors)  # words with the neighbours of the vectors
    assert NeighbourAverage(n_groups=7).fit(vectors, words=like).passes_ == 0
    set_constants(monkeypatch, neighbour_average, fewest_in_both=120)
    assert NeighbourAverage(n_groups=7).fit(vectors, words=like).passes_ == 5
    assert NeighbourAverage(n_groups=7).fit(vectors[:119], words=like[:119]).passes_ == 0
    assert NeighbourAverage(n_groups=7).fit(vectors, words=short).passes_ == 0  # random words
    assert [NeighbourAverage(passes).fit(vectors, words=short).n_words_ for passes in ("auto", 5)] == [0, 400]
    assert NeighbourAverage().fit(vectors, words=sp.csr_matrix((120, 400))).passes_ == 5  # no word
    set_constants(monkeypatch, neighbour_average, most_sparse=110)
    assert [NeighbourAverage().fit(X).passes_ for X in (vectors, short)] == [5, 0]
    set_constants(monkeypatch, neighbour_average, most_dense=110)
    assert NeighbourAverage().fit(vectors).passes_ == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("passes", -1), ("n_features", 3), ("rows", None), ("rows", "x"), ("graph", []), ("graph", None),
        ("graph", [np.full((120, 15), 120), np.zeros((120, 15))]),
        ("graph", [np.zeros((3, 15), dtype=int), np.zeros((3, 15))]),
        ("words", "x"), ("words", {"rows": np.ones((120, 3)), "n_features": 3}), ("words", {"rows": None}),
        ("words", {"rows": [np.ones(3), np.zeros(3, int), np.arange(4)], "n_features": 2}),
    ],
)  # fmt: skip
def test_a_damaged_state_is_said_to_be(field, value):
    state = NeighbourAverage(2).fit(rows(), words=rows(seed=9)).to_state()
    with pytest.raises(ModelError, match="neighbour graph is damaged"):
        NeighbourAverage.from_state(state | {field: value})


def test_rows_that_were_not_kept_are_asked_for():
    state = NeighbourAverage(1).fit(rows()).to_state() | {"rows": None, "graph": None}
    with pytest.raises(InputError, match="does not contain its fitted rows"):
        NeighbourAverage.from_state(state).transform(rows())


def with_words(n=120):
    """Return vectors and words of the same documents, and those of five new ones."""
    vectors, words = rows(n, share=1), rows(n, 50, seed=4, share=0.1)
    return vectors, sp.csr_matrix(words), rows(5, share=1, seed=1), sp.csr_matrix(rows(5, 50, seed=5, share=0.1))


def falling(cosines):
    return shares(cosines, np.asarray)


def test_vectors_hear_of_the_nearest_by_words_too_half_and_half():
    X, W, new, new_words = with_words()
    V, V_new = W.toarray(), new_words.toarray()
    n = len(X)
    P = (falling(X @ X.T - np.eye(n)) + falling(V @ V.T - np.eye(n))) / 2
    A = X
    for _ in range(4):
        A = normalize(0.3 * X + 0.7 * (P @ A))
    average = NeighbourAverage(5)
    found = average.fit_transform(X, words=3 * W)  # they are scaled to unit length
    np.testing.assert_allclose(found, normalize(0.3 * X + 0.7 * (P @ A)), atol=1e-6)
    Q = (falling(new @ X.T) + falling(V_new @ V.T)) / 2
    expected = normalize(0.3 * new + 0.7 * (Q @ A))
    np.testing.assert_allclose(average.transform(new, words=new_words), expected, atol=1e-6)
    again = NeighbourAverage.from_state(average.to_state())
    np.testing.assert_array_equal(again.transform(new, words=new_words.toarray()), average.transform(new, words=V_new))
    assert (again.n_words_, NeighbourAverage(5).fit(X).n_words_) == (50, 0)


def test_words_that_do_not_fit_are_refused():
    X, W, new, new_words = with_words()
    with pytest.raises(InputError, match="119"):
        NeighbourAverage(1).fit(X, words=W[1:])
    with pytest.raises(ValueError, match="words contains NaN"):
        NeighbourAverage(1).fit(X, words=np.full((len(X), 2), np.nan))
    average = NeighbourAverage(1).fit(X, words=W)
    with pytest.raises(InputError, match="words"):
        average.transform(new)
    with pytest.raises(InputError, match=r"5, 49"):
        average.transform(new, words=new_words[:, 1:])
