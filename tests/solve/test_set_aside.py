"""Junk set aside: a planted case by hand, and what must hold whatever the rows."""

import numpy as np
import pytest

from outgroup.rows import as_rows
from outgroup.solve.off_topic import OffTopicSearch
from outgroup.solve.reject import RejectProblem

THREE = np.eye(6)[[0, 1, 2]]


def planted(n=40, junk=20, seed=0):
    """Two groups of n rows around the first two axes, junk around the third, and 60 examples of it."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [n, n, junk])
    X = THREE[y] + 0.1 * rng.standard_normal((len(y), 6))
    U = THREE[np.full(60, 2)] + 0.1 * rng.standard_normal((60, 6))
    return X, y, U


def search(X, U, method="mixture", **changes):
    kept = changes.pop("kept", np.zeros(len(X), dtype=bool))
    return OffTopicSearch(as_rows(X), as_rows(U), kept, method=method, **changes)


def nearest_axis(X):
    """Two groups: the greater of the first two coordinates."""
    return X[:, :2].argmax(axis=1).astype(np.int32)


def apart(X, U, **changes):
    return search(X, U, **changes).fit(nearest_axis(X), 2, np.ones(len(X), dtype=bool), np.random.default_rng(0))


def ahead(X, found, k):
    """How far the best kind of junk is ahead of the best of k groups, for each row."""
    scores = X @ found.coef.T + found.intercept
    return scores[:, k:].max(axis=1) - scores[:, :k].max(axis=1)


def test_what_is_out_is_what_scores_above_the_threshold():
    X, _, U = planted(seed=3)
    found = apart(X, U)
    np.testing.assert_array_equal(found.out, ahead(X, found, 2) > found.threshold.value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["conformal", "mixture"])
def test_without_junk_no_more_goes_out_than_was_promised(method, seed):
    X, _, U = planted(n=300, junk=0, seed=seed)
    out = apart(X, U, method=method).out
    assert out.mean() <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5


def test_a_conformal_threshold_never_takes_out_more_than_its_rate():
    X, y, U = planted(n=200, junk=100)
    found = apart(X, U[:20], method="conformal")
    assert 0 < found.out.sum() <= 0.05 * 500
    assert (y[found.out] == 2).all()
    assert found.threshold.method == "conformal"


def blurred(seed=0):
    """Two groups, junk that reaches into one of them, and 100 examples of it."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [400, 400, 80])
    centres = THREE + 0.4 * THREE[[0, 2, 1]]
    X = centres[y] + 0.4 * rng.standard_normal((880, 6))
    U = centres[2] + 0.4 * rng.standard_normal((100, 6))
    return X, y, U


@pytest.mark.parametrize("seed", range(4))
def test_looks_beside_other_groups_follow_the_first(seed):
    X, y, U = blurred(seed)
    asked = search(X, U)
    first = asked.fit(nearest_axis(X), 2, np.ones(880, dtype=bool), np.random.default_rng(0))
    assert first.out[y == 2].mean() > 0.3
    assert first.out[y < 2].mean() <= 0.05
    inside = ~first.out
    rest = np.where(inside, nearest_axis(X), -1)
    before = first.coef, first.intercept
    again = asked.fit(rest, 2, inside, np.random.default_rng(0), first.threshold, before)
    assert again.threshold.value == first.threshold.value
    assert (again.out != first.out).mean() <= 0.02
    assert again.out[y < 2].mean() <= 0.05


@pytest.mark.parametrize("examples", [3, 9])
def test_with_few_examples_nothing_goes_out_and_no_threshold_is_fitted(examples, monkeypatch):
    X, _, U = planted()
    monkeypatch.setattr(RejectProblem, "held_out", None)
    found = apart(X, U[:examples])
    assert not found.out.any()
    threshold = found.threshold
    assert (threshold.method, threshold.rate, threshold.share) == ("conformal", 0.05, None)
    assert (threshold.value, threshold.flagged) == (np.inf, 0)
