"""The methods of the dual-supervision and first-variation papers as the runner calls them."""

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("bench.methods.dual_supervision", reason="the measurements are not part of an installed package")

from bench.data import Rows
from bench.methods import dual_supervision as dual_methods
from bench.methods.bundle import Bundle


def drawn(seed):
    """Three classes of eight rows, each of two words of its own class and one of all."""
    rng, y = np.random.default_rng(seed), np.repeat([0, 1, 2], 8)
    X = np.zeros((24, 13))
    for row, label in enumerate(y):
        X[row, [*(4 * label + rng.choice(4, 2, replace=False)), 12]] = 1
    order = rng.permutation(24)
    return Rows(sp.csr_matrix(X / np.sqrt(3))[order], y[order])


@pytest.fixture
def bundle():
    draws = [drawn(seed) for seed in range(2)]
    return Bundle(draws[0].X, draws[0].y, draws=draws)


@pytest.mark.parametrize("unseeded", [0, 2, 3])
def test_clusters_without_seeds_have_neither_documents_nor_words(unseeded):
    seeds, words = dual_methods.labelled(drawn(0), 0, 3, unseeded)
    counts = np.bincount(seeds[seeds >= 0], minlength=3)
    assert sorted(counts) == [0] * unseeded + [3] * (3 - unseeded)
    assert not words[counts == 0].any()
    assert words[counts > 0].any(axis=1).all()


@pytest.mark.parametrize("name", dual_methods.HEARD)
def test_each_start_is_judged_by_the_classes_of_its_own_draw(bundle, name):
    starts = [dual_methods.METHODS[name].start(bundle, seed, documents=4) for seed in range(2)]
    assert [start.y.tolist() for start in starts] == [draw.y.tolist() for draw in bundle.draws]
    assert all((start.labels == start.y).mean() > 0.8 for start in starts)  # seeded clusters keep their number
