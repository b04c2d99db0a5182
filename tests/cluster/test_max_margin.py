"""MaxMarginClustering: bad input refused, seeds kept and corrected, neighbours asked."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import MaxMarginClustering


def documents(n=300, k=4, d=60, seed=0, noise=0.6):
    """Sparse unit rows with planted groups, and rows that mix the words of all groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    own = (np.arange(d)[None, :] % k == y[:, None]) * (rng.random((n, d)) < 0.5) * rng.random((n, d))
    X = own + noise * (rng.random((n, d)) < 0.15) * rng.random((n, d))
    U = (rng.random((n // 5, d)) < 0.3) * rng.random((n // 5, d))
    unit = [sp.csr_matrix(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), 1e-9)) for A in (X, U)]
    return unit[0], y, unit[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.full((6, 3), np.nan)}, "NaN"),
        ({"universum": np.ones((0, 60))}, "no rows"),
        ({"balance": 1.0}, "center=False"),
        ({"C": -1.0}, "C"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_bad_input_gets_a_plain_error(change, words):
    X = change.pop("X", documents()[0])
    universum = change.pop("universum", None)
    with pytest.raises(ValueError, match=words):
        MaxMarginClustering(4, **change).fit(X, universum=universum)


@pytest.fixture
def topics(topics):
    """The same as sparse rows of unit length."""
    X, y = topics
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y


def fitted(X, **given):
    return MaxMarginClustering(3, n_init=3, random_state=0).fit(X, **given)


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_seeded_groups_keep_their_numbers(topics, shift):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::7] = ((y + shift) % 3)[::7]
    fit = fitted(X, seeds=seeds)
    assert np.array_equal(fit.labels_, (y + shift) % 3)
    assert np.array_equal(fit.predict(X), fit.labels_)


def test_breaking_a_label_costs_the_more_the_heavier_it_is(topics):
    X, y = topics
    seeds = np.full(60, -1)
    seeds[::10] = y[::10]
    wrong = np.array([1, 2, 3])
    seeds[wrong] = 2  # three documents of topic 0
    margins = []
    for weight in (0.01, 1.0, 100.0):
        fit = MaxMarginClustering(3, C=30.0, seed_weight=weight, random_state=0).fit(X, seeds=seeds)
        scores = fit.decision_function(X)[wrong]
        margins.append((scores[:, 2] - scores[:, :2].max(axis=1)).mean())
    assert margins[0] < margins[1] < margins[2]
    assert margins[0] < 0 < margins[2]


def pairs(seed=0):
    """Two groups, and ten rows between them that look a little more like the second and whose neighbours are of the
    first."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal([2, 0, 1], 0.3, (40, 3)), rng.normal([0, 2, 1], 0.3, (40, 3))
    between = rng.normal([0.95, 1.05, 1], 0.01, (10, 3))
    X = np.vstack([first, second, between])
    ties = np.zeros((90, 90))
    ties[:40, :40] = ties[40:80, 40:80] = 1.0
    ties[80:, :40] = ties[:40, 80:] = 1.0
    np.fill_diagonal(ties, 0)
    return X, sp.csr_matrix(ties)


def test_rows_between_groups_go_where_their_neighbours_are():
    X, near = pairs()
    alone, asked = MaxMarginClustering(2, random_state=0), MaxMarginClustering(2, random_state=0)
    before, labels = alone.fit_predict(X), asked.fit(X, graph=near).labels_
    assert set(before[80:]) == set(before[40:80])
    assert set(labels[80:]) == set(labels[:40]) != set(labels[40:80])
    np.testing.assert_array_equal(asked.predict(X), labels)  # the groups are found again, not put right afterwards
    assert asked.objective_ >= asked.lower_bound_
    assert asked.n_iter_ == len(asked.trace_)


def test_labelled_rows_are_where_they_were_put_after_neighbours_are_asked():
    X, near = pairs()
    seeds = np.full(90, -1)
    seeds[[0, 40, 85]] = 0, 1, 1
    labels = MaxMarginClustering(2, random_state=0).fit(X, seeds=seeds, graph=near).labels_
    assert set(labels[80:85]) == {0}
    assert labels[seeds >= 0].tolist() == [0, 1, 1]
