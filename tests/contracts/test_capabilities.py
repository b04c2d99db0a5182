"""A clusterer of another library gets only the arguments that its `fit` has."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from outgroup import DocumentClustering
from outgroup.errors import InputError

TEXTS = ["bread and butter", "butter on bread", "a train to town", "the town's train"]


class Halves(BaseEstimator):
    """Another library's clusterer."""

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
def test_an_input_without_an_argument_of_fit_is_an_error(given, words):
    with pytest.raises(InputError, match=words):
        DocumentClustering(clusterer=Halves()).fit(TEXTS, **given)
