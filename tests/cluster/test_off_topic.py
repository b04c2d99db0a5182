"""Off-topic documents found by the estimator, and the groups left alone."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from outgroup import MaxMarginClustering
from outgroup.errors import InputError


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


def test_groups_never_hold_minus_one_unless_asked(fitted):
    groups, X, _, U = fitted
    assert groups.labels_.min() >= 0
    assert groups.predict(U).min() >= 0
    assert groups.decision_function(X).shape == (660, 4)
    verdict = groups.predict(X, off_topic=True)
    np.testing.assert_array_equal(verdict[verdict >= 0], groups.labels_[verdict >= 0])


def test_expectations_are_near_what_happens(fitted):
    groups, X, junk, _ = fitted
    expected = groups.off_topic_
    verdict = groups.off_topic_score(X) > expected["value"]
    assert expected["method"] == "mixture"
    assert expected["recall_low"] - 0.1 <= verdict[junk].mean() <= expected["recall_high"] + 0.1
    assert expected["precision"] is None  # known to .3 alone
    assert expected["precision_low"] <= verdict[junk].sum() / verdict.sum() <= expected["precision_high"]
    assert verdict[junk].sum() / verdict.sum() > 0.85
    assert expected["share_low"] <= 60 / 660 <= expected["share_high"] + 0.03


def test_conformal_flags_no_more_than_the_rate(fitted):
    _, X, _, U = fitted
    groups = steered(X, U, off_topic_threshold="conformal")
    assert 0 < groups.off_topic_["flagged"] <= 0.05 * 660
    assert [choice["method"] for choice in groups.off_topic_["choices"]] == ["conformal", "mixture"]


def test_a_higher_rate_flags_more(fitted):
    _, X, _, U = fitted
    values = [steered(X, U, n_init=1, off_topic_rate=rate).off_topic_["value"] for rate in (0.01, 0.05, 0.3)]
    assert values[0] >= values[1] >= values[2]


def test_finding_junk_does_not_change_the_groups(fitted):
    groups, X, _, U = fitted
    other = steered(X, U, off_topic_rate=0.3)
    np.testing.assert_array_equal(groups.coef_, other.coef_)


def test_without_universum_the_margin_is_all_there_is(fitted):
    _, X, _, _ = fitted
    groups = MaxMarginClustering(4, n_init=1, random_state=0).fit(X)
    best = np.sort(groups.decision_function(X), axis=1)
    np.testing.assert_allclose(groups.off_topic_score(X), best[:, -2] - best[:, -1])
    assert groups.reject_coef_ is None
    assert groups.off_topic_["method"] == "conformal"
    assert (groups.predict(X, off_topic=True) == -1).mean() <= 0.05


@pytest.mark.parametrize("examples", [1, 2, 4, 5])
def test_a_handful_of_examples_works(fitted, examples):
    _, X, junk, U = fitted
    groups = MaxMarginClustering(4, n_init=1, random_state=0).fit(X, universum=U[:examples])
    assert roc_auc_score(junk, groups.off_topic_score(X)) > 0.7
    assert (groups.predict(X, off_topic=True)[~junk] == -1).mean() <= 0.05


def test_units_do_not_matter(fitted):
    _, X, _, U = fitted
    groups, large = (steered(X * c, U * c, off_topic_threshold="conformal") for c in (1.0, 64.0))
    np.testing.assert_allclose(large.off_topic_score(X * 64.0), groups.off_topic_score(X), rtol=1e-6, atol=1e-9)


def test_no_rate_no_search(fitted):
    groups, X, _, U = fitted
    plain = steered(X, U, off_topic_rate=None)
    np.testing.assert_array_equal(plain.labels_, groups.labels_)
    assert plain.reject_coef_ is None
    with pytest.raises(InputError, match="off_topic_rate"):
        plain.predict(X, off_topic=True)


def test_one_group_and_a_universum(fitted):
    _, X, junk, U = fitted
    groups = MaxMarginClustering(1, n_init=1, random_state=0).fit(X, universum=U)
    assert roc_auc_score(junk, groups.off_topic_score(X)) > 0.9


def test_state_keeps_the_verdict(fitted):
    groups, X, _, _ = fitted
    assert groups.reject_coef_.shape == (4 + 60 // 20, 80)
    again = MaxMarginClustering.from_state(groups.to_state())
    np.testing.assert_array_equal(again.predict(X, off_topic=True), groups.predict(X, off_topic=True))
