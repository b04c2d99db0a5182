"""Neighbours that are asked where a start puts the rows."""

import numpy as np
import scipy.sparse as sp

from outgroup import MaxMarginClustering


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
    assert [each["start"] for each in asked.restarts_] == ["bisect, split-merge, vote of neighbours"]
    assert asked.objective_ >= asked.lower_bound_


def test_labelled_rows_are_where_they_were_put_after_neighbours_are_asked():
    X, near = pairs()
    seeds = np.full(90, -1)
    seeds[[0, 40, 85]] = 0, 1, 1
    labels = MaxMarginClustering(2, random_state=0).fit(X, seeds=seeds, graph=near).labels_
    assert set(labels[80:85]) == {0}
    assert labels[seeds >= 0].tolist() == [0, 1, 1]
