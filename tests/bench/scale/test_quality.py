"""What fits from shards are compared by: J with all rows alike, as starts are."""

import numpy as np
import pytest
import scipy.sparse as sp

quality = pytest.importorskip("bench.scale.quality", reason="the measurements are not part of an installed package")

from outgroup import MaxMarginClustering, SphericalKMeans  # noqa: E402


def test_fits_are_compared_by_what_starts_compete_on():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(np.eye(4)[rng.choice(4, 90, p=[0.6, 0.2, 0.1, 0.1])] + 0.5 * rng.random((90, 4)))
    alike, balanced = (
        MaxMarginClustering(4, class_weight=weight, random_state=0, off_topic_rate=None).fit(X)
        for weight in (None, "balanced")
    )
    assert quality.comparable(alike, X) == pytest.approx(alike.objective_, rel=1e-6)
    assert quality.comparable(balanced, X) != pytest.approx(balanced.objective_, rel=1e-3)
    plain = SphericalKMeans(4, random_state=0).fit(X)
    assert quality.comparable(plain, X) == plain.objective_
