"""The estimator: what theory and the paper say it must find, whatever form the rows have."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from outgroup import CPM3C
from outgroup.metrics import accuracy


def pair(a, b):
    X, y = load_digits(return_X_y=True)
    chosen = np.isin(y, (a, b))
    return X[chosen] / 16, y[chosen]


@pytest.mark.parametrize(("a", "b", "paper"), [(1, 7, 1.0), (3, 8, 0.95), (2, 7, 0.99)])
def test_digits_by_default_come_near_the_paper_without_labels(a, b, paper):
    X, y = pair(a, b)
    labels = CPM3C(2, n_init=3, random_state=0).fit_predict(X)
    assert accuracy(y, labels, matching="majority") >= paper - 0.005
