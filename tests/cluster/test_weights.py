"""`sample_weight`: whole numbers equal repeated rows, and only shares of weights count."""

import numpy as np
import pytest
import scipy.sparse as sp
from factories import KITCHEN, TRAINS
from rows_examples import ListedRows

from outgroup import CPM3C, DocumentClustering, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError

RNG = np.random.default_rng(0)
N, D, K = 40, 12, 4
X = np.eye(D)[RNG.integers(0, K, N)] + np.abs(RNG.normal(size=(N, D))) * (RNG.random((N, D)) < 0.4)
W = RNG.integers(1, 4, N)
AGAIN = np.repeat(np.arange(N), W)
START = RNG.integers(0, K, N)

ESTIMATORS = [
    SphericalKMeans(K, local_search=None, random_state=0),
    MaxMarginClustering(K, random_state=0),
    MaxMarginClustering(K, class_weight=None, random_state=0),
    MaxMarginClustering(K, center=False, balance=100, random_state=0),
    CPM3C(K, random_state=0),
    CPM3C(K, class_weight=None, random_state=0),
    SeededKMeans(K, weights={"documents": 1, "clusters": 1}, random_state=0),
]
PLAIN = [SphericalKMeans, MaxMarginClustering, CPM3C, SeededKMeans]

pytestmark = pytest.mark.filterwarnings("ignore:only . of . groups:sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, ListedRows])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: str(each)[:60])
def test_whole_weights_equal_repeated_rows(estimator, kind):
    weighted = estimator.fit(kind(X), sample_weight=W, init=START)
    found = weighted.labels_, weighted.coef_, weighted.objective_
    repeated = estimator.fit(kind(X[AGAIN]), init=START[AGAIN])
    assert np.array_equal(found[0][AGAIN], repeated.labels_)
    np.testing.assert_allclose(found[1], repeated.coef_, rtol=1e-6, atol=1e-8)
    assert found[2] == pytest.approx(repeated.objective_)


def test_local_search_has_the_weights():
    weights = RNG.uniform(0.5, 4.0, N)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    found = SphericalKMeans(K, random_state=0).fit(X, sample_weight=weights)
    assert found.objective_ == pytest.approx(float(weights @ (unit @ found.cluster_centers_.T).max(axis=1)))
    plain = SphericalKMeans(K, random_state=0, local_search=None).fit(X, sample_weight=weights, init=found.labels_)
    assert plain.objective_ == pytest.approx(found.objective_)


@pytest.mark.parametrize("kind", PLAIN)
def test_a_row_of_weight_zero_takes_no_part(kind):
    weights = np.where(np.arange(N) % 5 == 0, 0.0, 1.0)
    whole = kind(K, random_state=0).fit(X, sample_weight=weights, init=START)
    rest = kind(K, random_state=0).fit(X[weights > 0], init=START[weights > 0])
    np.testing.assert_allclose(whole.coef_, rest.coef_, atol=1e-10)
    assert np.array_equal(whole.labels_, np.where(weights > 0, whole.labels_, rest.predict(X)))
    assert np.array_equal(whole.labels_[weights > 0], rest.labels_)
    assert whole.outlier_score_.shape == (N,)


@pytest.mark.parametrize("kind", PLAIN)
@pytest.mark.parametrize(
    "weights",
    [-np.ones(N), np.full(N, np.nan), np.full(N, np.inf), np.zeros(N), np.ones(N - 1), np.ones((N, 1)), ["a"] * N],
)
def test_invalid_weights_are_refused(kind, weights):
    with pytest.raises(ValueError, match="weights"):
        kind(K).fit(X, sample_weight=weights)


TEXTS = (KITCHEN + TRAINS) * 3


def test_texts_have_weights_by_a_field_or_an_array():
    weights = RNG.uniform(0.5, 2, len(TEXTS))
    records = [{"text": text, "w": w} for text, w in zip(TEXTS, weights, strict=True)]
    given = DocumentClustering(2, random_state=0).fit(TEXTS, sample_weight=weights)
    by_field = DocumentClustering(2, random_state=0).fit(records, sample_weight="w")
    own = MaxMarginClustering(2, random_state=0)
    own.fit(given.spaces_.space[given.order_], sample_weight=weights[given.order_])
    assert given.clusterer_.objective_ == by_field.clusterer_.objective_ == own.objective_
    assert given.clusterer_.objective_ != DocumentClustering(2, random_state=0).fit(TEXTS).clusterer_.objective_
    with pytest.raises(InputError, match="'mass'"):
        DocumentClustering(2).fit(records, sample_weight="mass")
