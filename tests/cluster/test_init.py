"""A start that is given: labels or a fitted model, whose numbers the groups keep."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.errors import InputError

CLUSTERERS = [MaxMarginClustering, CPM3C, SphericalKMeans, SeededKMeans]


@pytest.fixture(scope="module")
def planted():
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=120, p=[0.2, 0.3, 0.5])
    X = (np.arange(30) % 3 == y[:, None]) * rng.random((120, 30)) + 0.2 * rng.random((120, 30))
    return sp.csr_matrix(X / np.linalg.norm(X, axis=1, keepdims=True)), y.astype(np.int32)


@pytest.mark.parametrize("make", CLUSTERERS)
def test_groups_keep_the_numbers_of_a_start(make, planted):
    X, y = planted
    np.testing.assert_array_equal(make(3, random_state=0).fit(X, init=y).labels_, y)
    model = make(3, random_state=0).fit(X, init=y)
    np.testing.assert_array_equal(make(3, random_state=5).fit(X, init=model).labels_, y)


@pytest.mark.parametrize("make", CLUSTERERS)
@pytest.mark.parametrize(
    ("init", "words"),
    [
        ([0, 1, 2], "shape"),
        (np.full(120, 0.5), "integers"),
        (np.full(120, 3), "0 to 2"),
        (np.full(120, -2), "0 to 2"),
        (np.full(120, -1), "no row in a group"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(make, planted, init, words):
    with pytest.raises(InputError, match=words):
        make(3).fit(planted[0], init=init)
