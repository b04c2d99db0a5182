"""What `bench near` measures by: shares of neighbours found, and rows grown between rows."""

import numpy as np
import pytest

near = pytest.importorskip("bench.studies.near", reason="the measurements are not part of an installed package")


def test_recall_by_hand_leaves_out_what_was_never_there():
    exact = np.array([[1, 2], [0, -1], [-1, -1]])
    assert near.recall(np.array([[2, 5], [0, 7], [1, 2]]), exact) == pytest.approx((0.5 + 1.0) / 2)


def test_rows_are_grown_near_those_that_are_there():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 16)).astype(np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    grown = near.grown(X, 200)
    assert np.linalg.norm(grown, axis=1) == pytest.approx(np.ones(200), abs=1e-5)
    assert np.array_equal(grown, near.grown(X, 200))
    nearest, chance = (grown @ X.T).max(axis=1), (near.grown(rng.normal(size=(40, 16)), 200) @ X.T).max(axis=1)
    assert nearest.mean() > chance.mean() + 0.15
