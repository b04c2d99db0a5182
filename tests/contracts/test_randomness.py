"""Nothing is drawn but from `random_state`: else results differ from run to run where rows leave a choice."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans, group_trust, k_profile, universum

X = np.eye(12)[np.arange(60) % 3] + 0.2 * np.abs(np.random.default_rng(0).standard_normal((60, 12)))
X /= np.linalg.norm(X, axis=1, keepdims=True)
SEEDS = np.r_[[0, 1, 2], np.full(57, -1)]
GIVEN = np.random.default_rng


@pytest.fixture(autouse=True)
def nothing_without_a_seed(monkeypatch):
    def drawn(seed=None):
        assert seed is not None, "a generator without a seed"
        return GIVEN(seed)

    monkeypatch.setattr(np.random, "default_rng", drawn)
    monkeypatch.setattr(np.random, "mtrand", None)  # what scikit-learn takes where nobody says anything


ESTIMATORS = {
    "margin": lambda: MaxMarginClustering(3, n_init=3, random_state=0),
    "CPM3C": lambda: CPM3C(3, n_init=2, random_state=0),
    "spherical, auto": lambda: SphericalKMeans("auto", random_state=0),
    **{
        f"spherical, {init}, {search}": lambda init=init, search=search: SphericalKMeans(
            3, init=init, local_search=search, n_init=2, random_state=0
        )
        for init in ("k-means++", "random-rows")
        for search in (None, "sweep", "first-variation", "ping-pong")
    },
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_draw_from_their_random_state(name, form):
    first, second = (ESTIMATORS[name]().fit(form(X)) for _ in range(2))
    assert first.labels_.tolist() == second.labels_.tolist()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_steering_profiles_trust_and_examples_are_drawn_from_it(form):
    steered = MaxMarginClustering(3, n_init=2, random_state=0).fit(form(X), universum=form(X[:20]), seeds=SEEDS)
    assert set(steered.labels_.tolist()) <= {-1, 0, 1, 2}
    assert k_profile(form(X), (2, 6), random_state=0).chosen in range(2, 7)
    labels = SeededKMeans(3, random_state=0).fit(form(X), seeds=SEEDS).labels_
    assert len(group_trust(form(X), labels, random_state=0).groups) == 3
    assert universum.mean(form(X), 3, random_state=0).shape[1] == 12
