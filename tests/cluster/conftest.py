"""Small rows with planted topics."""

import numpy as np
import pytest


@pytest.fixture
def topics():
    """60 rows over 12 words in three topics of four words each, and their topics."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    X = 0.3 * rng.random((60, 12)) * (rng.random((60, 12)) < 0.3)
    for i, topic in enumerate(y):
        X[i, 4 * topic + rng.choice(4, 2, replace=False)] += 1
    return X, y
