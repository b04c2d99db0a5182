"""SphericalKMeans as its users see it."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from rows_examples import ListedRows
from sklearn.exceptions import ConvergenceWarning
from spherical_examples import coherence, example_3_2, printed_start, unit_rows

from outgroup import SeededKMeans, SphericalKMeans
from outgroup.cluster.seeded import fitted
from outgroup.solve import refinement
from outgroup.solve.refinement import REFINEMENTS


@pytest.fixture(scope="module")
def X():  # noqa: N802
    return sp.csr_matrix(unit_rows(120, 30, 0, density=0.2))


@pytest.mark.parametrize("local_search", REFINEMENTS)
@pytest.mark.parametrize("init", ["bisect", "k-means++", "random", "random-rows"])
def test_every_start_with_every_refinement(X, init, local_search):
    model = SphericalKMeans(4, init=init, local_search=local_search, random_state=0).fit(X)
    assert set(model.labels_) == {0, 1, 2, 3}
    assert model.objective_ == pytest.approx(coherence(X.toarray(), model.labels_, 4))
    assert np.allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1)
    assert model.n_iter_ == len(model.trace_) >= 1
    assert {frozenset(step) for step in model.trace_} == {frozenset({"kind", "objective", "moved"})}


def test_each_refinement_is_at_least_as_good_as_batch_steps_from_the_same_start(X):
    start = np.arange(120) % 6
    found = [SphericalKMeans(6, init=start, local_search=s, random_state=0).fit(X).objective_ for s in REFINEMENTS]
    assert found[0] == min(found)
    assert max(found) > found[0] + 0.1


def test_more_starts_are_no_worse(X):
    one, five = (SphericalKMeans(6, n_init=m, local_search=None, init="random", random_state=0).fit(X) for m in (1, 5))
    assert five.objective_ >= one.objective_


def test_chains_of_three_escape_where_first_variation_is_stuck():
    X, start = example_3_2(5), printed_start(5)
    stuck = SphericalKMeans(5, init=start, local_search="first-variation").fit(X)
    free = SphericalKMeans(5, init=start, local_search="chains", chain_length=3).fit(X)
    assert stuck.objective_ == pytest.approx(5 * np.sqrt(5))
    assert free.objective_ == pytest.approx(12.009612, abs=1e-6)


def test_rows_without_unit_length_are_taken_as_they_are():
    X = sp.csr_matrix(np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 2.0]]))
    assert SphericalKMeans(2, normalize=False, random_state=0).fit(X).objective_ == pytest.approx(6.0)


def test_rows_of_zeros_are_allowed():
    X = np.vstack([np.zeros((3, 4)), np.eye(4), np.eye(4)])
    model = SphericalKMeans(4, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(8.0)
    assert np.array_equal(model.transform(X[:1]), np.zeros((1, 4)))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, ListedRows])
@pytest.mark.parametrize("local_search", REFINEMENTS)
def test_rows_of_zeros_are_where_prediction_puts_them(X, form, local_search):
    rows = X.toarray()
    rows[::5] = 0
    model = SphericalKMeans(4, local_search=local_search, n_init=2, random_state=0).fit(form(rows))
    assert np.array_equal(model.predict(form(rows)), model.labels_)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_many_rows_begin_with_the_groups_of_a_sample(monkeypatch, form):
    monkeypatch.setattr(refinement, "MOST_SAMPLED", 90)
    set_constants(monkeypatch, refinement, rows_of_a_group=30)
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    X = form(np.eye(3)[y] + 0.2 * rng.random((600, 3)))
    fit = SphericalKMeans(3, random_state=0).fit(X)
    assert fit.trace_[0]["kind"] == "sample"
    assert fit.restarts_[0]["searched"] == 600
    assert len(np.unique(y * 3 + fit.labels_)) == 3
    np.testing.assert_array_equal(fit.labels_, SphericalKMeans(3, random_state=0).fit(X).labels_)


def shapeless(n=400, d=5):
    """Unit rows without groups, so that another order of visits ends elsewhere."""
    X = np.abs(np.random.default_rng(0).normal(size=(n, d)))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("form", [np.asarray, ListedRows])
def test_all_rows_follow_a_sample_the_same_way_each_time(form, monkeypatch):
    monkeypatch.setattr(refinement, "MOST_SAMPLED", 60)
    set_constants(monkeypatch, refinement, rows_of_a_group=10)
    X = shapeless()
    one, other = (SphericalKMeans(6, random_state=3).fit(form(X)) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    first, *steps = one.trace_
    assert (first["kind"], first["moved"]) == ("sample", 400)
    assert {step["kind"] for step in steps} == {"sweep" if form is np.asarray else "batch"}
    objectives = [step["objective"] for step in one.trace_]
    assert all(b >= a - 1e-9 for a, b in pairwise(objectives))
    assert objectives[-1] == pytest.approx(one.objective_)
    assert one.objective_ == pytest.approx(coherence(X, one.labels_, 6))
    assert one.restarts_[0]["searched"] == (400 if form is np.asarray else 60)


@pytest.mark.parametrize("estimator", [SphericalKMeans, SeededKMeans])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fewer_directions_than_groups_are_told(estimator, make, dtype):
    X = np.outer([1, 3, 7, 0.1, 11], [1, 2, 0, 0.7])
    X[3:, 0] = 0
    rows = make(X.astype(dtype))
    with pytest.warns(ConvergenceWarning, match="2 different directions") as told:
        estimator(3, random_state=0).fit(rows)
    assert [each.filename for each in told] == [__file__]
    with pytest.warns(ConvergenceWarning, match="^3 rows"):
        estimator(3, random_state=0).fit(rows[:3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator(2, random_state=0).fit(rows)
        assert fitted(SphericalKMeans(3, random_state=0), rows).labels_.shape == (5,)


@pytest.mark.parametrize("search", ["sweep", "first-variation", "chains", "ping-pong", "split-merge", None])
@pytest.mark.parametrize("init", ["bisect", "k-means++", "random", "random-rows"])
def test_equal_rows_stay_together_where_groups_are_more_than_rows_that_differ(search, init):
    rows = np.array([[3.0, 1.0, 0.0, 0.2], [0.0, 2.0, 1.0, 0.1], [1.0, 0.0, 1.0, 4.0]])
    which = np.random.default_rng(0).permutation(np.repeat(np.arange(3), [9, 7, 5]))
    X = rows[which]
    with pytest.warns(ConvergenceWarning, match="3 different directions"):
        groups = SphericalKMeans(6, local_search=search, init=init, n_init=2, random_state=0).fit(X)
    assert [len({*groups.labels_[which == row]}) for row in range(3)] == [1, 1, 1]
    assert len({*groups.labels_}) == 3
    assert groups.predict(X).tolist() == groups.labels_.tolist()


def test_equal_rows_of_weight_stay_together_beside_examples():
    X = np.repeat(np.eye(4)[:2], 8, axis=0)
    with pytest.warns(ConvergenceWarning):
        groups = SphericalKMeans(4, random_state=0).fit(X, sample_weight=np.arange(16) % 3, universum=np.eye(4)[2:])
    assert [len({*groups.labels_[rows]}) for rows in (slice(8), slice(8, 16))] == [1, 1]
