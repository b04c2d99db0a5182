"""scikit-learn's own checks, with no exception.

Not of PLSA, to which they would give negative counts, and not of the semidefinite programs, which take minutes there.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bench.baselines import CLGR, IterativeSVR, NormalisedCut

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")


@parametrize_with_checks([CLGR(), IterativeSVR(), NormalisedCut()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
