"""Outlier scores without examples: scattered rows score high, and the promised rate of ordinary rows holds."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError


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


def test_scores_need_the_rows_of_the_fit():
    X, _ = collection()
    fitted = SphericalKMeans(3, random_state=0).fit(X)
    loaded = SphericalKMeans.from_state(fitted.to_state())
    copied = pickle.loads(pickle.dumps(fitted))
    for each in (loaded, copied):
        with pytest.raises(InputError):
            _ = each.outlier_score_
