"""Every clusterer sets junk aside: labels of -1, that predictions repeat, and groups of the rest."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering, NeighbourAverage, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError
from outgroup.rows import AveragedRows, as_rows

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


def test_junk_has_no_group_with_weights(method):
    X, junk, U = collection()
    weights = np.random.default_rng(0).uniform(0.0, 2.0, len(junk)) * (np.arange(len(junk)) % 7 > 0)
    found = method().fit(X, universum=U, sample_weight=weights)
    assert (found.labels_[junk] == -1).mean() >= 0.9
    assert (found.labels_[~junk] == -1).mean() <= 0.05
    np.testing.assert_array_equal(found.predict(X), found.labels_)


def tilted_collection(seed=3, n=400, hidden=200, examples=60, d=20):
    """Two planted groups, junk that leans towards one of them, whether each row is junk, and more of it."""
    rng = np.random.default_rng(seed)
    topic = np.repeat([0, 1, 2], [n, n, hidden + examples])
    lean = np.where(topic == 2, rng.uniform(0, 0.8, len(topic)), 0.0)[:, None]
    A = np.cos(lean) * np.eye(d)[topic] + np.sin(lean) * np.eye(d)[rng.integers(2, size=len(topic))]
    A += 0.12 * rng.standard_normal(A.shape)
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    return A[: 2 * n + hidden], topic[: 2 * n + hidden] == 2, A[2 * n + hidden :]


def test_what_a_person_threw_away_is_no_sample_of_the_junk(method):
    X, junk, U = tilted_collection()
    first = method().set_params(n_clusters=2).fit(X, universum=U)
    away = np.argsort(-first.off_topic_score(X))[:80]
    rest = np.setdiff1d(np.arange(len(X)), away)
    examples, thrown = np.vstack([U, X[away]]), np.arange(len(U) + 80) >= len(U)
    later = method().set_params(n_clusters=2).fit(X[rest], universum=examples, thrown_away=thrown)
    assert (first.labels_[junk] == -1).mean() >= 0.95
    assert (later.labels_[junk[rest]] == -1).mean() >= 0.95  # 0 where they are taken for a sample
    assert (later.labels_[~junk[rest]] == -1).mean() <= 0.05


@pytest.mark.parametrize("wrong", [[True], np.arange(80), np.ones((80, 1), dtype=bool)])
def test_what_was_thrown_away_is_one_boolean_an_example(method, wrong):
    X, _, U = collection()
    with pytest.raises(InputError, match="give 80 booleans"):
        method().fit(X, universum=U, thrown_away=wrong)


def averaged_collection():
    """The same collection, its junk and more of it, averaged among its neighbours and as they came."""
    X, junk, U = collection()
    average = NeighbourAverage(passes=1).fit(X)
    rows, examples = (AveragedRows(as_rows(average.transform(each)), as_rows(each)) for each in (X, U))
    return rows, junk, examples


def test_junk_among_averaged_rows_is_told_by_the_originals(method):
    rows, junk, examples = averaged_collection()
    groups = method().fit(rows, universum=examples)
    np.testing.assert_array_equal(groups.off_topic_score(rows), groups.off_topic_score(rows.original))
    assert np.abs(groups.off_topic_score(rows) - groups.off_topic_score(rows.rows)).max() > 0.1
    np.testing.assert_array_equal(groups.predict(rows), groups.labels_)
    np.testing.assert_array_equal(groups.predict(rows, off_topic=False), groups.predict(rows.rows, off_topic=False))
    assert (groups.labels_[junk] == -1).mean() >= 0.9
    assert (groups.labels_[~junk] == -1).mean() <= 0.05


def test_what_only_the_originals_say_is_learned(method):
    X, junk, U = collection()
    alike = sp.vstack([X[~junk], X[~junk][: junk.sum()]], format="csr")  # junk became like the others
    rows = AveragedRows(as_rows(alike), as_rows(X))
    examples = AveragedRows(as_rows(X[~junk][: U.shape[0]]), as_rows(U))
    groups = method().fit(rows, universum=examples)
    assert (groups.labels_[junk] == -1).mean() >= 0.9
    assert (groups.labels_[~junk] == -1).mean() <= 0.05


@pytest.mark.parametrize("examples", [10, 20, 49])
@pytest.mark.parametrize("hidden", [0, 20])
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


def test_few_examples_set_the_rate_aside_where_the_user_asks_for_the_promise(method):
    X, junk, U = collection(hidden=0, examples=20)
    out = method().set_params(off_topic_threshold="conformal").fit(X, universum=U).labels_ == -1
    assert 0.04 * len(junk) < out.sum() <= 0.05 * len(junk)


def test_flags_alone_leave_every_row_in_its_group(method):
    X, junk, U = collection()
    groups = method(set_aside=False).fit(X, universum=U)
    assert groups.labels_.min() >= 0
    np.testing.assert_array_equal(groups.predict(X), groups.labels_)
    assert (groups.predict(X, off_topic=True)[junk] == -1).mean() > 0.8


def test_the_groups_are_those_of_the_rest_alone(groups):
    X, _, _ = collection()
    inside = groups.labels_ >= 0
    own = groups.decision_function(X).argmax(axis=1)
    np.testing.assert_array_equal(own[inside], groups.labels_[inside])
    assert len(np.unique(groups.labels_[inside])) == 4


def test_state_keeps_what_was_set_aside(groups):
    X, _, _ = collection()
    again = type(groups).from_state(groups.to_state())
    np.testing.assert_array_equal(again.predict(X), groups.labels_)


@pytest.mark.parametrize("universum", [np.ones((3, 59)), np.empty((0, 60)), np.full((2, 60), np.nan)])
def test_a_universum_of_no_use_is_told(method, universum):
    X, _, _ = collection(n=40, hidden=4, examples=1)
    with pytest.raises(ValueError, match=r"universum|columns|NaN"):
        method().fit(X, universum=universum)


def test_a_labelled_row_stays_in_its_group():
    X, junk, U = collection()
    first = np.flatnonzero(junk)[:3]
    seeds = np.full(len(junk), -1)
    seeds[first] = 2
    for name in ("seeded", "max-margin"):
        groups = METHODS[name](off_topic_threshold="mixture").fit(X, universum=U, seeds=seeds)
        assert (groups.labels_[first] >= 0).all()
        assert (groups.labels_[junk] == -1).mean() > 0.5


def test_an_estimator_without_a_threshold_says_so():
    X, _, U = collection(n=40, hidden=4, examples=4)
    groups = SphericalKMeans(4, off_topic_rate=None, random_state=0).fit(X, universum=U)
    with pytest.raises(InputError, match="off_topic_rate"):
        groups.predict(X, off_topic=True)


def test_examples_narrow_their_margins_also_where_nothing_goes_out():
    X, _, U = collection(hidden=0)
    given = {"C_universum": 10.0, "epsilon": 0.0, "random_state": 0}
    found = MaxMarginClustering(4, **given).fit(X, universum=U)
    alone = MaxMarginClustering(4, **given).fit(X)
    assert found.labels_.min() >= 0

    def margin(fit):
        ranked = np.sort(fit.decision_function(U), axis=1)
        return (ranked[:, -1] - ranked[:, -2]).mean()

    assert margin(found) < 0.9 * margin(alone)


@pytest.mark.parametrize(
    ("given", "weight"),
    [({}, 0.0), ({"C_universum": 10.0}, 10.0), ({"set_aside": False}, None), ({"off_topic_rate": None}, None)],
)
def test_groups_weigh_the_universum_unless_documents_are_set_aside(given, weight):
    X, _, U = collection()
    found = MaxMarginClustering(4, n_init=2, random_state=0, **given).fit(X, universum=U)
    assert found.C_universum_ == (found.C_ if weight is None else weight)
