"""PCKMeans: pairs hold against the nearest mean, and rows without pairs go to theirs."""

import numpy as np

from bench.baselines.constrained import Links, by_links


def test_a_pair_that_must_link_overrules_the_nearest_mean():
    y = np.repeat([0, 1, 2], 10)
    X = np.eye(3)[y] + 0.05 * np.random.default_rng(0).random((30, 3))
    rows = np.array([3, 10, 11, 12])  # row 3 lies in the first group, its partners in the second
    must = np.zeros((4, 4), dtype=bool)
    must[0, 1:] = must[1:, 0] = True
    none = np.zeros_like(must)
    for links, expected in ((Links(rows, none, none), 0), (Links(rows, must, none), 1)):
        found = by_links(X, np.where(np.arange(30) % 10 == 5, 2, y), 3, links, 0)
        np.testing.assert_array_equal(np.delete(found, 3), np.delete(y, 3))
        assert found[3] == expected
