"""The estimator: groups found, certificates given, and nothing but the data decides the result."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from outgroup import MaxMarginClustering
from outgroup.errors import InputError, ModelError
from outgroup.metrics import adjusted_rand
from outgroup.rows import threads
from outgroup.solve import max_margin as solver_data
from outgroup.solve import restarts as solver_starts


def documents(n=300, k=4, d=60, seed=0, noise=0.6):
    """Sparse unit rows with planted groups, and rows that mix the words of all groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    own = (np.arange(d)[None, :] % k == y[:, None]) * (rng.random((n, d)) < 0.5) * rng.random((n, d))
    X = own + noise * (rng.random((n, d)) < 0.15) * rng.random((n, d))
    U = (rng.random((n // 5, d)) < 0.3) * rng.random((n // 5, d))
    unit = [sp.csr_matrix(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9)) for A in (X, U)]
    return unit[0], y, unit[1]


def fit(X, U=None, **parameters):
    """Groups without a verdict on what is off-topic, which takes five times as long; see test_off_topic.py."""
    given = {"n_init": 4, "set_aside": False, "off_topic_rate": None, "random_state": 0, **parameters}
    return MaxMarginClustering(4, **given).fit(X, universum=U)


def test_planted_groups_are_found_with_and_without_universum():
    X, y, U = documents()
    assert adjusted_rand(y, fit(X).labels_) > 0.95
    assert adjusted_rand(y, fit(X, U).labels_) > 0.95


def leaning(groups, U):
    return np.ptp(groups.decision_function(U), axis=1).mean()


def test_universum_documents_lean_less_when_they_are_given():
    X, _, U = documents()
    steered = fit(X, U, epsilon=0.0)
    assert leaning(steered, U) < 0.7 * leaning(fit(X, C=steered.C_), U)


def test_certificate_and_trace():
    X, _, U = documents()
    groups = fit(X, U, gap=1e-4)
    assert all(step["gap"] <= 1e-4 for step in groups.trace_)
    assert groups.lower_bound_ <= groups.trace_[-1]["anchored"]
    assert groups.objective_ == groups.trace_[-1]["objective"]
    assert groups.n_iter_ == len(groups.trace_)
    assert len(groups.restarts_) == 1


def test_groups_are_numbered_by_size():
    X, _, _ = documents()
    sizes = np.bincount(fit(X).labels_, minlength=4)
    assert (np.diff(sizes) <= 0).all()


def test_labels_are_the_prediction_and_the_highest_score():
    X, _, U = documents()
    groups = fit(X, U)
    scores = groups.decision_function(X)
    np.testing.assert_array_equal(groups.labels_, groups.predict(X))
    np.testing.assert_array_equal(groups.labels_, scores.argmax(axis=1))
    np.testing.assert_allclose(scores, X @ groups.coef_.T + groups.intercept_, atol=1e-10)


def test_sparse_dense_float32_and_float64_agree():
    X, _, U = documents(n=800)
    reference = fit(X, U)
    for A, B in [(X.toarray(), U.toarray()), (X.astype("f"), U.astype("f")), (X.toarray().astype("f"), U.astype("f"))]:
        other = fit(A, B)
        assert np.mean(other.labels_ == reference.labels_) >= 0.999
        assert other.objective_ == pytest.approx(reference.objective_, rel=1e-5)


def test_threads_change_no_byte():
    X, _, U = documents(n=1000)
    results = []
    for n in (1, 2, 3):
        with threads(n):
            groups = fit(X, U)
        results.append((groups.coef_.tobytes(), groups.labels_.tobytes(), groups.objective_))
    assert results[0] == results[1] == results[2]


def test_starts_side_by_side_and_one_after_another_end_alike(monkeypatch):
    X, _, U = documents()
    beside = fit(X, U)
    set_constants(monkeypatch, solver_data, small=0)
    after = fit(X, U)
    assert after.restarts_ == beside.restarts_
    np.testing.assert_array_equal(after.coef_, beside.coef_)


def test_random_state_repeats_and_ignored_y_does_not_leak():
    X, y, _ = documents(noise=2.0)
    first = MaxMarginClustering(4, n_init=2, random_state=3).fit(X)
    second = MaxMarginClustering(4, n_init=2, random_state=3).fit(X, y)
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_units_do_not_matter_with_automatic_weights():
    X, _, U = documents()
    small, large = fit(X, U), fit(X * 1024.0, U * 1024.0)
    np.testing.assert_array_equal(small.labels_, large.labels_)
    np.testing.assert_allclose(large.C_, small.C_ / 1024.0**2)


def test_a_shift_of_all_rows_does_not_matter_when_centred():
    X, _, _ = documents()
    near, far = fit(X.toarray()), fit(X.toarray() + 3.0)
    assert adjusted_rand(near.labels_, far.labels_) == 1


def test_balance_without_centring():
    X, _, _ = documents()
    total = np.asarray(X.sum(axis=0)).ravel()
    groups = fit(X, center=False, balance=0.1)
    assert np.ptp(groups.coef_ @ total) <= 0.1 + 1e-5
    np.testing.assert_array_equal(groups.intercept_, 0)


def test_one_cluster_takes_everything():
    X, _, U = documents()
    groups = MaxMarginClustering(1, n_init=1, set_aside=False).fit(X, universum=U)
    np.testing.assert_array_equal(groups.labels_, 0)
    assert np.isnan(groups.stability_)


def test_as_many_clusters_as_documents():
    X = np.eye(5)
    assert set(MaxMarginClustering(5, n_init=1, random_state=0).fit(X).labels_) == set(range(5))


def test_duplicates_and_rows_of_zeros_are_borne():
    X = sp.vstack([documents()[0]] * 2 + [sp.csr_matrix((5, 60))]).tocsr()
    groups = fit(X)
    np.testing.assert_array_equal(groups.labels_[:300], groups.labels_[300:600])
    assert len(groups.labels_) == 605


def test_progress_counts_the_descents():
    heard = []
    X = documents()[0]
    MaxMarginClustering(4, n_init=3).fit(X, progress=lambda done, total: heard.append((done, total)))
    assert heard == [(1, 1)]


def test_state_goes_through_json_and_back():
    X, _, U = documents()
    groups = fit(X, U, off_topic_rate=0.05)
    state = groups.to_state()
    json.dumps(state, default=lambda array: array.tolist())
    again = MaxMarginClustering.from_state(state)
    np.testing.assert_array_equal(again.predict(X), groups.labels_)
    del state["fitted"]["coef_"]
    with pytest.raises(ModelError, match="coef_"):
        MaxMarginClustering.from_state(state)
    with pytest.raises(NotFittedError):
        MaxMarginClustering().to_state()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.ones((6, 3))}, "all rows are equal"),
        ({"X": np.eye(3)}, "there are 3; choose"),
        ({"X": np.full((6, 3), np.nan)}, "NaN"),
        ({"X": np.full((6, 3), np.inf)}, "infinity"),
        ({"universum": np.ones((2, 5))}, "5 columns"),
        ({"universum": np.ones((0, 60))}, "no rows"),
        ({"universum": np.full((2, 60), np.nan)}, "NaN"),
        ({"balance": 1.0}, "center=False"),
        ({"C": -1.0}, "C"),
        ({"C": 1e308}, "'C' parameter"),
        ({"C_universum": 10**401}, "'C_universum' parameter"),
        ({"seed_weight": 1e308}, "'seed_weight' parameter"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_bad_input_gets_a_plain_error(change, words):
    X = change.pop("X", documents()[0])
    universum = change.pop("universum", None)
    with pytest.raises(ValueError, match=words):
        MaxMarginClustering(4, **change).fit(X, universum=universum)


def test_errors_are_of_the_house_where_the_house_raises_them():
    with pytest.raises(InputError):
        MaxMarginClustering(4).fit(np.ones((6, 3)))


@pytest.mark.parametrize(("k", "starts"), [(2, 20), (4, 10), (8, 5), (20, 2), (50, 1)])
def test_few_groups_get_several_starts(monkeypatch, k, starts):
    fit, fits = solver_starts.spherical_fit, []
    monkeypatch.setattr(solver_starts, "spherical_fit", lambda *given: fits.append(given) or fit(*given))
    MaxMarginClustering(k, random_state=0).fit(documents()[0])
    assert len(fits) == starts


@pytest.mark.parametrize(("weight", "more"), [("balanced", " or more starts"), (None, ", more starts or a smaller C")])
def test_groups_without_rows_are_told_with_what_may_help(weight, more):
    X = sp.csr_matrix(np.repeat(np.eye(3), 5, axis=0))
    with pytest.warns(ConvergenceWarning, match=rf"only \d of 4 groups have rows; .*{more}$"):
        fit(X, class_weight=weight)
