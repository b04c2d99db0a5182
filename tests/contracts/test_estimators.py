"""scikit-learn's own checks, with no exception."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from outgroup.cluster.max_margin import MaxMarginClustering

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")


@parametrize_with_checks([MaxMarginClustering()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
