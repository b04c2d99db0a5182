"""New rows that are unlike every group: the promised rate, equal rows, and saved rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.cluster.novelty import Novelty


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
