"""New rows that are unlike every group: the promised rate, equal rows, and saved rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.cluster.novelty import Novelty, is_unusual


def rows(n=200, seed=0):
    """Return unit rows of three groups in 12 dimensions."""
    rng = np.random.default_rng(seed)
    X = np.repeat(np.eye(3, 12), n, axis=0) + 0.1 * rng.normal(size=(3 * n, 12))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_a_new_group_is_unlike_all_and_ordinary_rows_keep_the_rate():
    known, new = Novelty.of(rows()), rows(seed=1)
    assert np.mean(known.unlike(new)) <= 0.07  # 5 % promised, of 600 rows
    turned = np.roll(new, 5, axis=1)
    assert known.unlike(turned).all()
    assert ((known.score(turned) >= 0) & (known.score(turned) <= 1)).all()


@pytest.mark.parametrize("n", [15, 30, 60])
def test_the_rate_holds_for_few_rows_too(n):
    over = [np.mean(Novelty.of(rows(n, seed)).unlike(rows(200, 99 + seed))) for seed in range(20)]
    assert np.mean(over) <= 0.05
    assert np.mean(np.array(over) > 0.05) <= 0.25


def test_equal_rows_count_once():
    X = rows(20)
    once, often = Novelty.of(X), Novelty.of(np.vstack([X, np.repeat(X[:1], 500, axis=0)]))
    assert once.rows.shape == often.rows.shape
    assert once.threshold == often.threshold


def test_sparse_and_dense_rows_tell_the_same():
    X, new = rows(40), np.vstack([rows(10, 1), np.roll(rows(10, 1), 4, axis=1)])
    dense, sparse = Novelty.of(X), Novelty.of(sp.csr_matrix(X))
    assert dense.threshold == pytest.approx(sparse.threshold, abs=1e-5)
    assert (dense.unlike(new) == sparse.unlike(sp.csr_matrix(new))).all()


def test_few_rows_tell_nothing():
    known = Novelty.of(rows(14))
    assert not known.tells
    assert not known.unlike(np.eye(12)).any()
    assert not Novelty.of(rows()[:0]).tells


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_a_state_gives_the_same_scores(kind):
    known, new = Novelty.of(kind(rows(40))), kind(rows(5, 1))
    again = Novelty.from_state(known.to_state(), 12)
    assert again.score(new).tolist() == known.score(new).tolist()
    assert again.threshold == known.threshold


@pytest.mark.parametrize("change", [{"threshold": -1.0}, {"rows": None}, {"rows": np.ones((3, 4))}, {"threshold": "x"}])
def test_a_damaged_state_is_refused(change):
    with pytest.raises(ValueError, match=r"rows|convert"):
        Novelty.from_state(Novelty.of(rows(40)).to_state() | change, 12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_new_rows_that_are_alike_are_a_theme(kind):
    known, new, rng = Novelty.of(kind(rows())), rows(20, 1), np.random.default_rng(0)
    scattered = rng.normal(size=(4, 12)) / 4
    theme = np.roll(new[:8], 6, axis=1)
    found = known.themes(kind(np.vstack([new[20:40], theme, scattered, theme])))
    assert [each.tolist() for each in found] == [[*range(20, 28), *range(32, 40)]]


def test_ordinary_rows_copies_and_few_rows_are_no_theme():
    known, theme = Novelty.of(rows()), np.roll(rows(8, 1)[:8], 6, axis=1)
    assert known.themes(rows(100, 2)) == []
    assert known.themes(np.repeat(theme[:1], 30, axis=0)) == []
    assert known.themes(theme[:4]) == []
    assert known.themes(theme[:0]) == []


def test_a_count_is_unusual_by_more_than_chance():
    assert not is_unusual(0, 0)
    assert not is_unusual(3, 20)
    assert is_unusual(40, 300)


def test_a_theme_holds_rows_that_are_only_nearly_unlike_every_group():
    known, theme = Novelty.of(rows()), np.cos(0.4) * rows(20, 1)[:12]
    theme[:, 7] += np.sin(0.4)
    theme /= np.linalg.norm(theme, axis=1, keepdims=True)
    unlike = known.unlike(theme)
    new = np.vstack([rows(20, 2), theme])
    (found,) = known.themes(new)
    assert 0 < unlike.sum() < len(found) <= 12
    assert (found >= 60).all()
    assert known.themes(new, known.score(new))[0].tolist() == found.tolist()
    assert known.themes(theme[~unlike]) == []
