"""The map of content: alike lies near alike, off-topic apart, the same every time."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.summary.map import layout, tidied


def blobs(n, k, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % k
    scores = rng.normal(0, 0.3, (n, k)) + 2.0 * np.eye(k)[groups]
    words = np.abs(rng.normal(0, 0.1, (n, 3 * k))) + np.repeat(np.eye(k), 3, axis=1)[groups]
    return sp.csr_matrix(words / np.linalg.norm(words, axis=1, keepdims=True)), scores, groups


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (7, 3), (30, 30), (300, 1)])
def test_odd_sizes_have_finite_places(n, k):
    X, scores, groups = blobs(n, k)
    places = layout(X, scores, groups, np.zeros(n, bool))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1.0


def test_neighbours_on_the_map_are_of_the_same_group():
    X, scores, groups = blobs(1500, 12)
    places = layout(X, scores, groups, np.zeros(1500, bool))
    far = ((places[:, None] - places) ** 2).sum(axis=2) + 9.0 * np.eye(1500)
    assert np.mean(groups[far.argmin(axis=1)] == groups) > 0.97


def disc(x, y, n=200):
    turn, far = 2.4 * np.arange(n), 0.15 * np.sqrt((np.arange(n) + 0.5) / n)
    return np.column_stack([x + far * np.cos(turn), y + far * np.sin(turn)]).astype(np.float32)


def test_parts_of_a_merged_group_move_together_and_the_others_stay_apart():
    places = np.vstack([disc(-0.8, 0.0), disc(0.0, 0.1), disc(0.8, 0.0)])
    parts = np.repeat([0, 1, 4], 200)
    groups = np.where(parts == 4, 0, parts)
    groups[200:205] = -1  # a few that left their group
    tidy = tidied(places, parts, groups)
    distances = np.linalg.norm(tidy[:, None] - tidy, axis=2)
    between = {(a, b): distances[np.ix_(parts == a, parts == b)].min() for a, b in [(0, 4), (0, 1), (1, 4)]}
    assert between[0, 4] < 0.1 < min(between[0, 1], between[1, 4])
    for part in (0, 1, 4):  # as a whole
        own, before = tidy[parts == part], places[parts == part]
        turned = np.corrcoef((own - own.mean(axis=0)).ravel(), (before - before.mean(axis=0)).ravel())[0, 1]
        assert turned > 0.99
    assert np.abs(tidy).max() <= 1.0


def test_a_document_amid_another_group_moves_with_that():
    places = np.vstack([disc(-0.8, 0.0), disc(0.0, 0.1), disc(0.8, 0.0)])
    parts = np.repeat([0, 1, 2], 200)
    places[0] = [0.001, 0.101]  # amid part 1
    tidy = tidied(places, parts, np.where(parts == 2, 0, parts))
    assert np.linalg.norm(tidy[0] - tidy[parts == 1], axis=1).min() < 0.03
