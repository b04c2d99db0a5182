"""Every estimator: the same groups whatever form, type and threads the rows have, from its state, and for any `y`.

Nothing is drawn but from `random_state`.
"""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from factories import around_axes
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans, group_trust, k_profile, universum
from outgroup.errors import InputError, ModelError
from outgroup.rows import threads

X, Y = around_axes(4, 60)
MAKES = {
    "CPM3C": lambda k=4: CPM3C(k, n_init=2, random_state=0),
    "margin": lambda k=4: MaxMarginClustering(k, n_init=2, random_state=0),
    "seeded": lambda k=4: SeededKMeans(k, random_state=0),
    "spherical": lambda k=4: SphericalKMeans(k, n_init=2, random_state=0),
}
SEARCHES = {
    f"spherical, {init}, {search}": lambda init=init, search=search: SphericalKMeans(
        4, init=init, local_search=search, n_init=2, random_state=0
    )
    for init in ("k-means++", "random-rows")
    for search in (None, "sweep", "first-variation", "ping-pong")
}
FORMS = {
    "csc": sp.csc_matrix,
    "float32": lambda A: A.astype(np.float32),
    "csr float32": lambda A: sp.csr_matrix(A, dtype=np.float32),
}
every_estimator = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
as_dense_and_sparse = pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
GIVEN = np.random.default_rng


@pytest.fixture
def no_draw_without_a_seed(monkeypatch):
    def drawn(seed=None):
        assert seed is not None, "a generator without a seed"
        return GIVEN(seed)

    monkeypatch.setattr(np.random, "default_rng", drawn)
    monkeypatch.setattr(np.random, "mtrand", None)  # the generator that scikit-learn takes without a random_state


@every_estimator
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_and_types_of_rows(make, form):
    expected, found = make().fit(X), make().fit(form(X))
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.predict(X), expected.predict(form(X)))
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-4)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-3 * np.abs(expected.coef_).max())


@pytest.mark.parametrize("make", (MAKES | SEARCHES).values(), ids=MAKES | SEARCHES)
@as_dense_and_sparse
def test_threads_and_y_change_no_byte(make, form, no_draw_without_a_seed):
    fits = []
    for n, y in ((1, None), (2, Y), (3, np.roll(Y, 7))):
        with threads(n):
            found = make().fit(form(X), y)
        fits.append((found.coef_.tobytes(), found.labels_.tobytes(), found.objective_))
    assert fits[0] == fits[1] == fits[2]


@as_dense_and_sparse
def test_steering_profiles_trust_and_examples_draw_from_their_random_state(form, no_draw_without_a_seed):
    seeds = np.where(np.arange(len(Y)) < 8, Y, -1)
    MaxMarginClustering(4, n_init=2, random_state=0).fit(form(X), universum=form(X[:20]), seeds=seeds)
    SphericalKMeans("auto", random_state=0).fit(form(X))
    k_profile(form(X), (2, 6), random_state=0)
    group_trust(form(X), SeededKMeans(4, random_state=0).fit(form(X), seeds=seeds).labels_, random_state=0)
    universum.mean(form(X), 3, random_state=0)


@every_estimator
def test_a_state_goes_through_json_and_back(make):
    fitted = make().fit(X)
    state = fitted.to_state()
    json.dumps(state, default=lambda array: array.tolist())
    again = type(fitted).from_state(state)
    np.testing.assert_array_equal(again.predict(X), fitted.labels_)
    assert again.get_params() == fitted.get_params() == clone(again).get_params()
    for damaged in (state | {"fitted": {}}, {"params": {}, "fitted": {}}):
        with pytest.raises(ModelError):
            type(fitted).from_state(damaged)
    with pytest.raises(NotFittedError):
        make().to_state()


@every_estimator
def test_one_group_and_as_many_as_rows(make):
    assert not make(1).fit(X).labels_.any()
    assert set(make(5).fit(np.eye(5)).labels_) == set(range(5))
    with pytest.raises(InputError):
        make(6).fit(np.eye(5))
