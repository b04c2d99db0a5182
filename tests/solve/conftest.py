"""Small problems with planted groups, as sparse and dense rows."""

import numpy as np
import pytest
import scipy.sparse as sp


@pytest.fixture
def planted():
    """Three groups of 20 sparse unit rows over 12 features, their labels, and 10 rows that mix all features."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    X = 0.2 * rng.random((60, 12)) * (rng.random((60, 12)) < 0.4)
    for i, group in enumerate(y):
        X[i, 4 * group + rng.choice(4, 3, replace=False)] += 1
    U = rng.random((10, 12))
    unit = lambda A: A / np.linalg.norm(A, axis=1, keepdims=True)  # noqa: E731
    return sp.csr_matrix(unit(X)), y, sp.csr_matrix(unit(U))
