"""Strange rows score high among those of a fit and among new ones; tight sets of them are pockets and themes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from outgroup import CPM3C, MaxMarginClustering, SeededKMeans, SphericalKMeans
from outgroup.cluster.strangeness import Strangeness, pockets
from outgroup.errors import DAMAGE, InputError


def rows(n=200, strangers=0, seed=0):
    """Return unit rows of three groups in 12 dimensions, then strangers."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.eye(3, 12), n, axis=0) + 0.1 * rng.normal(size=(3 * n, 12))
    X = np.vstack([groups, rng.normal(size=(strangers, 12))])
    return X / np.linalg.norm(X, axis=1, keepdims=True)


STRANGE = np.arange(620) >= 600


@pytest.mark.parametrize("clusterer", [SphericalKMeans, MaxMarginClustering, SeededKMeans, CPM3C])
def test_scattered_strangers_score_high(clusterer):
    fitted = clusterer(3, random_state=0).fit(rows(strangers=20))
    assert fitted.outlier_score_.shape == (620,)
    assert roc_auc_score(STRANGE, fitted.outlier_score_) > 0.95


def test_new_strangers_score_high_and_ordinary_rows_keep_the_rate():
    new = rows(strangers=20, seed=1)
    fitted = SphericalKMeans(3, random_state=0).fit(rows())
    scores = fitted.outlier_score(new)
    assert roc_auc_score(STRANGE, scores) > 0.95
    assert np.mean(scores[~STRANGE] > fitted.outlier_threshold_) <= 0.08  # 5 % promised, of 600 rows
    assert np.mean(scores[STRANGE] > fitted.outlier_threshold_) > 0.8


def test_scores_need_the_rows_of_the_fit():
    fitted = SphericalKMeans(3, random_state=0).fit(rows())
    for other in (SphericalKMeans.from_state(fitted.to_state()), pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(InputError):
            _ = other.outlier_score_


def test_a_new_group_is_unlike_all_and_ordinary_rows_keep_the_rate():
    known, new = Strangeness.reference(rows()), rows(seed=1)
    assert np.mean(known.score(new) > known.threshold) <= 0.07  # 5 % promised, of 600 rows
    score = known.score(np.roll(new, 5, axis=1))
    assert ((score > known.threshold) & (score <= 1)).all()


@pytest.mark.parametrize("change", [{"threshold": -1.0}, {"rows": None}, {"rows": np.ones((3, 4))}, {"threshold": "x"}])
def test_a_damaged_state_is_refused(change):
    with pytest.raises(DAMAGE):
        Strangeness.from_state(Strangeness.reference(rows(40)).to_state() | change, 12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_new_rows_that_are_alike_are_a_theme(kind):
    known, new, rng = Strangeness.reference(kind(rows())), rows(20, seed=1), np.random.default_rng(0)
    scattered = rng.normal(size=(4, 12)) / 4
    theme = np.roll(new[:8], 6, axis=1)
    found = known.themes(kind(np.vstack([new[20:40], theme, scattered, theme])))
    assert [part.tolist() for part in found] == [[*range(20, 28), *range(32, 40)]]


def test_ordinary_rows_copies_and_few_rows_are_no_theme():
    known, theme = Strangeness.reference(rows()), np.roll(rows(8, seed=1)[:8], 6, axis=1)
    assert known.themes(rows(100, seed=2)) == []
    assert known.themes(np.repeat(theme[:1], 30, axis=0)) == []
    assert known.themes(theme[:4]) == []
    assert known.themes(theme[:0]) == []


def with_sets(*sizes):
    """Return 600 unit rows of three wide groups in 12 of 20 dimensions, then a tight set of each size in others."""
    rng = np.random.default_rng(0)
    wide = np.hstack([np.repeat(np.eye(3, 12), 200, axis=0) + 0.3 * rng.random((600, 12)), np.zeros((600, 8))])
    tight = [np.eye(20)[np.full(size, 12 + i)] + 0.05 * rng.random((size, 20)) for i, size in enumerate(sizes)]
    X = np.vstack([wide, *tight])
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_tight_rows_far_from_all_others_are_pockets(kind):
    found = sorted(sorted(part.tolist()) for part in pockets(kind(with_sets(5, 12))))
    assert found == [[*range(600, 605)], [*range(605, 617)]]


@pytest.mark.parametrize("X", [with_sets(), with_sets(4), np.zeros((30, 3)), np.eye(3), np.zeros((0, 3))])
def test_groups_and_few_rows_are_no_pockets(X):
    assert pockets(X) == []
