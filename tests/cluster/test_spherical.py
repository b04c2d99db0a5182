"""SphericalKMeans as its users see it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from factories import set_constants
from rows_examples import ListedRows
from sklearn.exceptions import ConvergenceWarning
from spherical_examples import coherence, unit_rows

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
