"""The number of clusters that the data choose."""

import numpy as np
import pytest
import scipy.sparse as sp
from spherical_examples import unit_rows

from outgroup import SphericalKMeans
from outgroup.solve.in_memory import variable_k
from outgroup.solve.in_memory.variable_k import _merged, choose_clusters, likeness


def planted(k, n, seed, share=0.5):
    """Rows of 80 words drawn from `k` topics that share half of their words' weight with one background."""
    rng = np.random.default_rng(seed)
    background, y = rng.dirichlet(np.full(2000, 0.05)), rng.integers(0, k, n)
    topics = [share * background + (1 - share) * rng.dirichlet(np.full(2000, 0.02)) for _ in range(k)]
    X = np.log1p([rng.multinomial(80, topics[j]) for j in y])
    X *= np.log(n / np.maximum((X > 0).sum(axis=0), 1))
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


@pytest.mark.parametrize("k", [2, 5, 11])
def test_planted_topics_are_counted(k):
    X, y = planted(k, 60 * k, seed=k)
    labels = choose_clusters(X, np.random.default_rng(0))
    assert len(set(labels)) == k
    assert all(len(set(y[labels == j])) == 1 for j in range(k))


def test_one_topic_stays_whole():
    X, _ = planted(1, 300, seed=0)
    assert set(choose_clusters(X, np.random.default_rng(0))) == {0}


def test_likeness_by_hand():
    half = np.sqrt(0.5)
    X = sp.csr_matrix(np.array([[1.0, 0, 0], [half, half, 0], [0, 0, 1.0], [half, 0, half]]))
    found = likeness(X, np.array([0, 0, 1, 1]), 2)
    within, between = half, (0 + half + 0 + 0.5) / 4
    assert found == pytest.approx(np.array([[0, between / within], [between / within, 0]]))


def test_a_group_without_rows_is_like_nothing():
    assert (
        likeness(sp.csr_matrix(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 1, 1]), 4).tolist()
        == np.zeros((4, 4)).tolist()
    )


def test_a_random_cut_through_one_thing_is_alike():
    X, labels = planted(1, 400, seed=1)[0], np.arange(400) % 2
    assert likeness(X, labels, 2)[0, 1] == pytest.approx(1.0, abs=0.05)


def test_merging_closes_the_gap():
    assert _merged(np.array([0, 1, 2, 3, 1]), 0, 1).tolist() == [0, 0, 1, 2, 0]


def test_dense_rows_have_as_many_clusters_as_sparse_ones():
    X, _ = planted(4, 200, seed=3)
    dense = X.toarray() + 1e-9  # no zero is left, or they would be taken for sparse
    assert SphericalKMeans("auto", random_state=0).fit(dense).n_clusters_ == 4


def test_the_estimator_takes_auto():
    X, _ = planted(4, 200, seed=3)
    model = SphericalKMeans("auto", random_state=0).fit(X)
    assert model.n_clusters_ == len(model.cluster_centers_) == 4
    assert SphericalKMeans.from_state(model.to_state()).n_clusters_ == 4


def test_nothing_to_choose_from():
    assert SphericalKMeans("auto").fit(np.zeros((3, 2))).n_clusters_ == 1
    assert SphericalKMeans("auto").fit(unit_rows(1, 5, 0, density=1.0)).n_clusters_ == 1


def by_pairs(X, labels):
    """Likeness of two clusters from its definition, pair of rows by pair of rows."""
    cosines, own = X @ X.T, [np.flatnonzero(labels == j) for j in range(2)]
    within = [np.mean([cosines[a, b] for a in rows for b in rows if a != b]) for rows in own]
    return cosines[np.ix_(*own)].mean() / np.sqrt(within[0] * within[1])


@pytest.mark.parametrize("zeros", [0, 1, 3])
def test_likeness_is_that_of_every_pair_of_rows(zeros):
    X = np.array([[1.0, 0, 0.1], [0.1, 1.0, 0], [0, 1.0, 0.4], [0.3, 0, 1.0]])
    X = np.vstack([X / np.linalg.norm(X, axis=1, keepdims=True), np.zeros((zeros, 3))])
    labels = np.append([0, 0, 1, 1], np.arange(zeros) % 2)
    found = likeness(sp.csr_matrix(X), labels, 2)
    assert found[0, 1] == found[1, 0] == pytest.approx(by_pairs(X, labels))


def test_a_split_that_later_ones_made_needless_is_taken_back(monkeypatch):
    X, taken_back = np.random.default_rng(17).dirichlet(np.full(6, 0.3), 40), []
    monkeypatch.setattr(variable_k, "_merged", lambda *given: taken_back.append(given) or _merged(*given))
    X = sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True))
    labels = choose_clusters(X, np.random.default_rng(17))
    assert len(taken_back) == 1
    assert set(labels) == {0, 1, 2, 3, 4}
    assert likeness(X, labels, 5).max() < 0.7
