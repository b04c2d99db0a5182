"""Every clusterer sets junk aside: labels of -1, that predictions repeat, and groups of the rest."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError

METHODS = {
    "max-margin": lambda **given: MaxMarginClustering(4, n_init=2, random_state=0, **given),
    "spherical": lambda **given: SphericalKMeans(4, random_state=0, **given),
    "seeded": lambda **given: SeededKMeans(4, random_state=0, **given),
    "cpm3c": lambda **given: CPM3C(4, n_init=2, random_state=0, **given),
}


def collection(seed=0, n=400, hidden=50, examples=80, d=60):
    """Four planted groups with junk of its own words among them, whether each row is junk, and more of it."""
    rng = np.random.default_rng(seed)
    topic = np.r_[np.arange(n) % 4, np.full(hidden + examples, 4)]
    A = 0.3 * rng.random((len(topic), d)) * (rng.random((len(topic), d)) < 0.1)
    A += (np.arange(d) % 5 == topic[:, None]) * (rng.random((len(topic), d)) < 0.5) * rng.random((len(topic), d))
    A = sp.csr_matrix(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9))
    return A[: n + hidden], topic[: n + hidden] == 4, A[n + hidden :]


@pytest.fixture(scope="module", params=METHODS)
def method(request):
    return lambda **given: METHODS[request.param](off_topic_threshold="mixture", **given)


@pytest.fixture(scope="module")
def groups(method):
    """What a method finds in the collection beside its junk, which tests ask and do not change."""
    X, _, U = collection()
    found = method()
    np.testing.assert_array_equal(found.fit_predict(X, universum=U), found.labels_)
    return found


def test_junk_has_no_group_and_predictions_agree(groups):
    X, junk, _ = collection()
    assert (groups.labels_[junk] == -1).mean() >= 0.9
    assert (groups.labels_[~junk] == -1).mean() <= 0.05
    assert groups.labels_.dtype == np.int32
    np.testing.assert_array_equal(groups.predict(X), groups.labels_)
    assert groups.predict(X, off_topic=False).min() >= 0


def test_new_rows_get_the_same_promise_and_figures_are_near_what_happens(groups):
    X, junk, _ = collection(seed=1)
    verdict, expected = groups.predict(X, off_topic=True) == -1, groups.off_topic_
    assert verdict[~junk].mean() <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5  # what chance allows of 400
    assert verdict[junk].mean() > 0.4
    assert roc_auc_score(junk, groups.off_topic_score(X)) > 0.97
    assert expected["recall_low"] - 0.1 <= verdict[junk].mean() <= expected["recall_high"] + 0.1


def test_without_universum_the_margin_is_all_there_is():
    X, _, _ = collection()
    groups = MaxMarginClustering(4, n_init=1, random_state=0).fit(X)
    best = np.sort(groups.decision_function(X), axis=1)
    np.testing.assert_allclose(groups.off_topic_score(X), best[:, -2] - best[:, -1])
    assert groups.reject_coef_ is None
    assert groups.off_topic_["method"] == "conformal"
    assert (groups.predict(X, off_topic=True) == -1).mean() <= 0.05


@pytest.mark.parametrize("wrong", [[True], np.arange(80), np.ones((80, 1), dtype=bool)])
def test_discarded_is_one_boolean_an_example(method, wrong):
    X, _, U = collection()
    with pytest.raises(InputError, match="give 80 booleans"):
        method().fit(X, universum=U, discarded=wrong)


@pytest.mark.parametrize(("hidden", "examples"), [(0, 20), (20, 10), (20, 49)])
def test_few_examples_set_no_more_aside_than_the_estimate_of_junk_and_flag_the_rest(method, hidden, examples):
    X, junk, U = collection(hidden=hidden, examples=examples)
    groups = method().fit(X, universum=U)
    out, found = groups.labels_ == -1, groups.off_topic_
    share = found["share_low"] if found["share"] is None else found["share"]
    assert out.sum() <= share * len(junk)
    np.testing.assert_array_equal(groups.predict(X), groups.labels_)
    flagged = groups.predict(X, off_topic=True) == -1
    assert (flagged | ~out).all()
    assert out.sum() < flagged.sum() <= 0.05 * len(junk)
    again = type(groups).from_state(groups.to_state())
    np.testing.assert_array_equal(again.predict(X), groups.labels_)
    np.testing.assert_array_equal(again.predict(X, off_topic=True) == -1, flagged)
    if hidden and examples > 10:
        assert out[junk].mean() > 0.5
        assert out[~junk].mean() < 0.01


def test_a_labelled_row_stays_in_its_group():
    X, junk, U = collection()
    first = np.flatnonzero(junk)[:3]
    seeds = np.full(len(junk), -1)
    seeds[first] = 2
    for name in ("seeded", "max-margin"):
        groups = METHODS[name](off_topic_threshold="mixture").fit(X, universum=U, seeds=seeds)
        assert (groups.labels_[first] >= 0).all()
        assert (groups.labels_[junk] == -1).mean() > 0.5
