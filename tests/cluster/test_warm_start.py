"""A fit that goes on from a partition: what a labelled word does to it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from outgroup.cluster.max_margin import MaxMarginClustering
from outgroup.cluster.warm_start import WarmStart, fit_from

SIZES, OWN, COMMON = (300, 100, 60), 10, 30
Y = np.repeat(np.arange(3, dtype=np.int32), SIZES)


@pytest.fixture(scope="module")
def rows():
    """Documents of five words of their group and two that are anybody's."""
    rng, X = np.random.default_rng(0), np.zeros((len(Y), 3 * OWN + COMMON))
    for row, group in zip(X, Y, strict=True):
        row[group * OWN + rng.choice(OWN, 5, replace=False)] = 1
        row[3 * OWN + rng.choice(COMMON, 2, replace=False)] = 1
    return sp.csr_matrix(normalize(X))


@pytest.mark.parametrize("group", range(3))
def test_a_labelled_word_speaks_for_its_group_itself_and_not_by_the_intercepts_alone(rows, group):
    nothing, held = np.full(len(Y), -1), np.ones(len(Y), bool)
    for word in range(3 * OWN, 3 * OWN + COMMON):
        example = sp.csr_matrix(np.eye(rows.shape[1])[[word]])
        start = WarmStart(Y, held, nothing, np.ones(len(Y)), example, np.array([group]), np.array([0.02]))
        fitted = fit_from(MaxMarginClustering(3, random_state=0), rows, start, 3)
        assert fitted.coef_[:, word].argmax() == group
