"""A clusterer says what it can do: what it declares is what its `fit` takes, no more and no less."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from outgroup import CPM3C, DocumentClustering, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError
from outgroup.types import FindsOffTopic, Reports, StartsFrom, Steerable

CLUSTERERS = [CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans]
STEERING = ("seeds", "word_seeds", "seed_weights", "words", "graph")
TEXTS = ["bread and butter", "butter on bread", "a train to town", "the town's train"]


@pytest.mark.parametrize("make", CLUSTERERS)
def test_what_is_declared_is_what_fit_takes(make):
    taken, made = set(inspect.signature(make.fit).parameters), make()
    assert isinstance(made, FindsOffTopic) == ("universum" in taken)
    assert isinstance(made, StartsFrom) == ("init" in taken)
    assert set(made.steered_by if isinstance(made, Steerable) else ()) == taken & set(STEERING)
    assert set(made.reports if isinstance(made, Reports) else ()) == taken & {"progress", "on_step"}


class Halves(BaseEstimator):
    """Another library's clusterer, which declares nothing."""

    n_clusters = 2

    def fit(self, X, y=None):
        self.labels_ = np.arange(X.shape[0]) % 2
        self.coef_, self.n_features_in_ = np.eye(2, X.shape[1]), X.shape[1]
        return self

    def predict(self, X):
        return np.zeros(X.shape[0], dtype=int)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seeds": {"food": ["0"]}}, "Halves does not support seeds"),
        ({"universum": ["bread on a train"]}, "Halves does not support a universum"),
        ({"init": [0, 0, 1, 1]}, "Halves does not support init"),
    ],
)
def test_what_it_does_not_declare_is_refused_in_words(given, words):
    with pytest.raises(InputError, match=words):
        DocumentClustering(clusterer=Halves()).fit(TEXTS, **given)
