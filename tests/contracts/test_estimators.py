"""scikit-learn's own checks, with no exception."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from outgroup import CPM3C, MaxMarginClustering, NeighbourAverage, SeededKMeans, SphericalKMeans

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    # one check asks for the default of eight groups of a data set that has three
    pytest.mark.filterwarnings("ignore:only . of 8 groups have rows:sklearn.exceptions.ConvergenceWarning"),
]


_AVERAGE = NeighbourAverage(passes=1)


@parametrize_with_checks([CPM3C(max_cuts=20), MaxMarginClustering(), SeededKMeans(), SphericalKMeans(), _AVERAGE])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
