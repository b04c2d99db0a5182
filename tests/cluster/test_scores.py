"""How well rows fit the groups, as one number: by hand, at an optimum, and where scikit-learn asks for it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import normalize

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans


@pytest.fixture(scope="module", name="X")
def rows():
    rng = np.random.default_rng(0)
    return normalize(np.eye(3, 8)[np.arange(60) % 3] + 0.2 * rng.random((60, 8)))


@pytest.mark.parametrize("make", [SphericalKMeans, SeededKMeans])
def test_the_score_of_the_rows_of_a_fit_is_its_objective_by_the_row(X, make):
    groups = make(3, random_state=0).fit(X)
    assert groups.score(X) == pytest.approx(groups.objective_ / 60)
    assert groups.score(sp.csr_matrix(7 * X)) == pytest.approx(groups.score(X))
    assert groups.score(-X) < 0


@pytest.mark.parametrize("make", [MaxMarginClustering, CPM3C])
def test_the_score_of_linear_groups_is_minus_the_mean_slack(X, make):
    groups = make(3, random_state=0).fit(X)
    first, second = np.sort(groups.decision_function(X), axis=1)[:, :-3:-1].T
    assert groups.score(X) == pytest.approx(-np.maximum(0, 1 - (first - second)).mean())
    assert -1 <= groups.score(np.full((1, 8), 0.1)) < groups.score(X) <= 0
    assert make(1, random_state=0).fit(X).score(X) == 0


def test_parameters_are_chosen_by_it(X):
    search = GridSearchCV(SphericalKMeans(random_state=0), {"n_clusters": [1, 3]}, cv=3).fit(X)
    assert search.best_params_ == {"n_clusters": 3}
