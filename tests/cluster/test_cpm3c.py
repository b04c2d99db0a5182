"""The estimator: what theory and the paper say it must find, whatever form the rows have."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from outgroup import CPM3C
from outgroup.metrics import accuracy, nmi


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(300, centers=[[0, 6], [5, -3], [-5, -3]], random_state=0)


def pair(a, b):
    X, y = load_digits(return_X_y=True)
    chosen = np.isin(y, (a, b))
    return X[chosen] / 16, y[chosen]


@pytest.mark.parametrize(("a", "b", "paper"), [(1, 7, 1.0), (3, 8, 0.95), (2, 7, 0.99)])
def test_digits_by_default_come_near_the_paper_without_labels(a, b, paper):
    X, y = pair(a, b)
    labels = CPM3C(2, n_init=3, random_state=0).fit_predict(X)
    assert accuracy(y, labels, matching="majority") >= paper - 0.005


def test_certificate_and_trace(blobs):
    groups = CPM3C(3, n_init=3, random_state=0).fit(blobs[0])
    assert groups.trace_[-1]["violation"] <= groups.epsilon
    assert all(step["gap"] <= 1e-6 for step in groups.trace_)
    assert groups.n_iter_ == len(groups.trace_)
    assert groups.objective_ == min(restart["objective"] for restart in groups.restarts_)
    np.testing.assert_array_equal(groups.labels_, groups.predict(blobs[0]))


def test_raw_rows_keep_the_balance():
    X, y = pair(1, 7)
    groups = CPM3C(2, center=False, balance=1.0, n_init=3, random_state=0).fit(X)
    assert np.ptp(groups.coef_ @ X.sum(axis=0)) <= 1.0 + 1e-5
    assert accuracy(y, groups.labels_) > 0.9


def test_a_kernel_in_front_separates_the_moons():
    X, y = make_moons(200, noise=0.05, random_state=0)
    kernel = Nystroem(gamma=20.0, n_components=100, random_state=0)
    plain = CPM3C(2, random_state=0).fit_predict(X)
    lifted = make_pipeline(kernel, CPM3C(2, random_state=0)).fit_predict(X)
    assert accuracy(y, lifted) > accuracy(y, plain)


@pytest.mark.parametrize(
    ("options", "X", "words"),
    [
        ({}, np.ones((9, 3)), "all rows are equal"),
        ({}, np.eye(2), "there are 2; choose"),
        ({"balance": 1.0}, np.eye(9), "center=False"),
        ({"epsilon": 0.0}, np.eye(9), "epsilon"),
        ({"C": "large"}, np.eye(9), "C"),
        ({}, np.full((9, 3), np.nan), "NaN"),
    ],
)
def test_bad_input_gets_a_plain_error(options, X, words):
    with pytest.raises(ValueError, match=words):
        CPM3C(3, **options).fit(X)


def test_fewer_groups_than_asked_for_are_told():
    X, _ = load_digits(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"only \d of 10 groups have rows; .* MaxMarginClustering"):
        groups = CPM3C(10, n_init=2, random_state=0, max_cuts=20, class_weight=None).fit(X / 16)
    empty = 10 - len(np.unique(groups.labels_))
    assert empty == min(restart["empty"] for restart in groups.restarts_) > 0


@pytest.mark.parametrize("k", [4, 10, 20])
def test_by_default_no_group_is_lost(k):
    X, y = load_digits(return_X_y=True)
    X, y = (X, y) if k > 4 else (X[np.isin(y, [1, 2, 7, 9])], y[np.isin(y, [1, 2, 7, 9])])
    groups = CPM3C(k, random_state=0).fit(X / 16)
    assert len(np.unique(groups.labels_)) == k
    assert np.array_equal(np.unique(groups.predict(X / 16)), np.arange(k))
    assert nmi(y, groups.labels_) > 0.7
    assert groups.lower_bound_ <= groups.objective_
