"""scikit-learn's own checks, with no exception."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from outgroup import CPM3C, MaxMarginClustering, NeighbourAverage, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    # one check asks for the default of eight groups of a data set that has three
    pytest.mark.filterwarnings("ignore:only . of 8 groups have rows:sklearn.exceptions.ConvergenceWarning"),
]
_AVERAGE = NeighbourAverage(passes=1)
_FEW = {"CPM3C": {"n_clusters": 3, "n_init": 1}, "SeededKMeans": {"n_clusters": 1}}
"""For the checks that compare whole fits of weighted rows with fits of repeated rows in another order: groups have
numbers of their own for each start, and by first rows, where they are not numbered by size."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # some checks fit few directions
@parametrize_with_checks(
    [CPM3C(max_cuts=20), MaxMarginClustering(n_init=2), SeededKMeans(), SphericalKMeans(), _AVERAGE]
)
def test_scikit_learn_checks(estimator, check):
    if "sample_weight_equivalence" in str(check):
        estimator.set_params(**_FEW.get(type(estimator).__name__, {"n_clusters": 3}))
    check(estimator)


@pytest.mark.parametrize("estimator", [CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans])
@pytest.mark.parametrize("off_topic", [False, True])
@pytest.mark.filterwarnings("error")
def test_tables_with_named_columns_are_fitted_without_a_warning(estimator, off_topic):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    names = [f"topic {column}" for column in range(6)]
    X = pandas.DataFrame(np.eye(6)[np.arange(60) % 3] + 0.1 * rng.random((60, 6)), columns=names)
    U = pandas.DataFrame(np.eye(6)[np.full(12, 5)] + 0.1 * rng.random((12, 6)), columns=names)
    groups = estimator(3, random_state=0).fit(X, universum=U if off_topic else None)
    assert list(groups.feature_names_in_) == names
    assert (groups.predict(X) >= -1).all()
    found = [name for name in dir(groups) if name.endswith("_") and not name.startswith("_")]
    assert [name for name in found if name not in estimator.__doc__] == []
    with pytest.raises(InputError, match=r"columns of universum.*universum\[X.columns\]"):
        groups.fit(X, universum=U[names[::-1]])


@pytest.mark.parametrize("words", ["x", 5, [1], np.ones(6), np.ones((2, 3)), {}])
@pytest.mark.parametrize("estimator", [MaxMarginClustering(2), SeededKMeans(2), NeighbourAverage()])
@pytest.mark.parametrize("weights", [None, [0, 1, 1, 1, 1, 1]])
def test_words_that_are_no_matrix_of_the_rows_are_refused(estimator, words, weights):
    if isinstance(estimator, NeighbourAverage) and weights:
        pytest.skip("it takes no weights")
    given = {} if weights is None else {"sample_weight": weights}
    with pytest.raises((InputError, ValueError, TypeError), match=r"words|2D array|float"):
        estimator.fit(np.eye(6) + 0.1, words=words, **given)


@pytest.mark.parametrize("graph", ["x", b"x", {}, (1,), [["a"]], 10**30, np.ones((2, 6)), np.full((6, 6), -1.0)])
@pytest.mark.parametrize("weights", [None, [0, 1, 1, 1, 1, 1]])
def test_a_graph_that_is_no_matrix_of_the_rows_is_refused(graph, weights):
    with pytest.raises(InputError, match=r"^graph"):
        MaxMarginClustering(2).fit(np.eye(6) + 0.1, graph=graph, sample_weight=weights)
