"""Off-topic documents found by the estimator, and the groups left alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from outgroup import MaxMarginClustering


def collection(seed=0, n=600, hidden=60, examples=60, d=80):
    """Planted groups with junk hidden among them, which of them is junk, and more junk as examples."""
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=n)
    words = rng.random((n, d)) * (rng.random((n, d)) < 0.06)
    words[:, :60] += (np.arange(60) % 4 == y[:, None]) * (rng.random((n, 60)) < 0.4) * rng.random((n, 60))
    junk = rng.random((hidden + examples, d)) * (rng.random((hidden + examples, d)) < 0.1)
    junk[:, 55:] += (rng.random((hidden + examples, 25)) < 0.4) * rng.random((hidden + examples, 25))
    unit = [sp.csr_matrix(A / np.linalg.norm(A, axis=1, keepdims=True)) for A in (words, junk)]
    X = sp.vstack([unit[0], unit[1][:hidden]]).tocsr()
    return X, np.r_[np.zeros(n, bool), np.ones(hidden, bool)], unit[1][hidden:]


def steered(X, U, **parameters):
    parameters = {"n_init": 3, "off_topic_threshold": "mixture", "set_aside": False, "random_state": 0, **parameters}
    return MaxMarginClustering(4, **parameters).fit(X, universum=U)


@pytest.fixture(scope="module")
def fitted():
    X, junk, U = collection()
    return steered(X, U), X, junk, U


def test_hidden_junk_is_found(fitted):
    groups, X, junk, _ = fitted
    assert roc_auc_score(junk, groups.off_topic_score(X)) > 0.97
    verdict = groups.predict(X, off_topic=True) == -1
    assert verdict[junk].mean() > 0.4
    assert verdict[~junk].mean() <= 0.05


def test_new_documents_get_the_same_promise(fitted):
    groups, _, _, _ = fitted
    X, junk, _ = collection(seed=1)
    verdict = groups.predict(X, off_topic=True) == -1
    assert verdict[~junk].mean() <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5  # what chance allows of 600
    assert verdict[junk].mean() > 0.4


def test_expectations_are_near_what_happens(fitted):
    groups, X, junk, _ = fitted
    expected = groups.off_topic_
    verdict = groups.off_topic_score(X) > expected["value"]
    assert expected["method"] == "mixture"
    assert expected["recall_low"] - 0.1 <= verdict[junk].mean() <= expected["recall_high"] + 0.1
    assert expected["precision_low"] <= verdict[junk].sum() / verdict.sum() <= expected["precision_high"]


def test_without_universum_the_margin_is_all_there_is(fitted):
    _, X, _, _ = fitted
    groups = MaxMarginClustering(4, n_init=1, random_state=0).fit(X)
    best = np.sort(groups.decision_function(X), axis=1)
    np.testing.assert_allclose(groups.off_topic_score(X), best[:, -2] - best[:, -1])
    assert groups.reject_coef_ is None
    assert groups.off_topic_["method"] == "conformal"
    assert (groups.predict(X, off_topic=True) == -1).mean() <= 0.05
