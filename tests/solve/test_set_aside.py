"""Junk set aside: a planted case by hand, and what must hold whatever the rows."""

import numpy as np
import pytest

from outgroup.rows import as_rows
from outgroup.solve.off_topic import Groups, OffTopicSearch, fitted_with_threshold
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
    return Groups(X[:, :2].argmax(axis=1).astype(np.int32), 2)


def apart(X, U, **changes):
    asked = search(X, U, **changes)
    found = asked.fit(nearest_axis(X), np.ones(len(X), dtype=bool), np.random.default_rng(0))
    return asked.within_limits(found, 2)


def ahead(X, found, k):
    """How far the best kind of junk is ahead of the best of k groups, for each row."""
    scores = X @ found.coef.T + found.intercept
    return scores[:, k:].max(axis=1) - scores[:, :k].max(axis=1)


def test_planted_junk_goes_out_and_nothing_else():
    X, y, U = planted()
    found = apart(X, U)
    assert found.out[y == 2].any()
    assert found.out[y < 2].mean() <= 0.05


def test_what_is_out_is_what_scores_above_the_threshold():
    X, _, U = planted(seed=3)
    found = apart(X, U)
    np.testing.assert_array_equal(found.out, ahead(X, found, 2) > found.threshold["value"])


def test_junk_stays_out_though_a_person_threw_the_farthest_of_it_away():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [400, 400, 200])

    def drawn(y):
        """Rows around an axis each; junk is by far or hardly like junk."""
        lengths = np.where(y == 2, rng.uniform(0.4, 1.6, len(y)), 1.0)
        return np.eye(20)[y] * lengths[:, None] + 0.15 * rng.standard_normal((len(y), 20))

    X, U = drawn(y), drawn(np.full(60, 2))
    labels = X[:, :2].argmax(axis=1).astype(np.int32)

    def look(rows, examples, **changes):
        every = np.ones(len(rows), dtype=bool)
        return search(X[rows], examples, **changes).fit(Groups(labels[rows], 2), every, np.random.default_rng(0))

    found = look(np.arange(len(X)), U)
    away = np.argsort(-ahead(X, found, 2))[:80]
    rest = np.setdiff1d(np.arange(len(X)), away)
    later = look(rest, np.vstack([U, X[away]]), thrown=np.arange(140) >= 60)
    assert found.out[y == 2].mean() >= 0.95
    assert later.out[y[rest] == 2].mean() >= 0.95
    assert not later.out[y[rest] < 2].any()
    assert later.threshold["flagged"] == later.out.sum()
    assert later.threshold["share"] == pytest.approx(0.2, abs=0.02)  # of all, what was thrown away among them


def test_rows_that_are_kept_stay():
    X, y, U = planted()
    kept = np.zeros(len(X), dtype=bool)
    kept[-3:] = True
    found = apart(X, U, kept=kept)
    assert found.out[(y == 2) & ~kept].any()
    assert not found.out[kept].any()


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
    assert found.threshold["method"] == "conformal"


def test_what_a_conformal_threshold_beside_another_in_force_would_take_stays_within_its_rate():
    """Rows that learned from the junk lift what is like it above what held-out scores were compared with."""
    X, _, U = planted(n=200, junk=100)
    found = apart(X, U)
    (other,) = [each for each in found.threshold["choices"] if each["method"] == "conformal"]
    assert found.out.sum() > 0.05 * 500
    assert 0 < (ahead(X, found, 2) > other["value"]).sum() <= 0.05 * 500


def test_nothing_goes_out_where_too_few_would_be_left():
    X, _, U = planted(n=1, junk=50)
    found = apart(X, U)
    assert np.count_nonzero(~found.out) >= 2


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
    groups = Groups(X[:, :2].argmax(axis=1).astype(np.int32), 2)
    first = asked.fit(groups, np.ones(880, dtype=bool), np.random.default_rng(0))
    assert first.out[y == 2].mean() > 0.3
    assert first.out[y < 2].mean() <= 0.05
    inside = ~first.out
    rest = Groups(np.where(inside, groups.labels, -1), 2)
    again = asked.refit(rest, inside, first.threshold, first.junk, (first.coef, first.intercept))
    assert again.threshold["value"] == first.threshold["value"]
    assert again.junk.tolist() == first.junk.tolist()
    assert (again.out != first.out).mean() <= 0.02
    assert again.out[y < 2].mean() <= 0.05


def test_as_many_held_out_scores_are_above_as_were_said_to_be_junk(monkeypatch):
    X, y, U = planted(n=200, junk=60)
    scores, held_out = [], RejectProblem.held_out

    def heard(problem, *given):
        scores.append((problem, held_out(problem, *given)[0]))
        return held_out(problem, *given)

    monkeypatch.setattr(RejectProblem, "held_out", heard)
    groups = Groups(X[:, :2].argmax(axis=1).astype(np.int32), 2)
    found = search(X, U).fit(groups, np.ones(460, dtype=bool), np.random.default_rng(0))
    (before, _), (after, placed) = scores
    assert before.junk is None
    np.testing.assert_array_equal(after.junk, found.junk)
    assert (y[found.junk] == 2).all()
    assert not np.isin(found.junk, after.targets).any()
    assert (placed > found.threshold["value"]).sum() == found.threshold["flagged"] > 30


def test_beside_other_groups_as_many_rows_are_out_as_before():
    X, y, U = planted()
    before = apart(X, U)
    merged = Groups(np.zeros(len(X), dtype=np.int32), 1)
    found = fitted_with_threshold(search(X, U), merged, ~before.out, np.random.default_rng(0), before.threshold)
    assert before.out.sum() == found.out.sum() > 0
    assert (y[found.out] == 2).all()
    np.testing.assert_array_equal(found.out, ahead(X, found, 1) > found.threshold["value"])


def looked(seed=0):
    """A case that was looked at once: rows, the first groups, the search and what it found."""
    X, y, U = planted(seed=seed)
    first, inside = Groups(X[:, :2].argmax(axis=1).astype(np.int32), 2), np.ones(len(X), dtype=bool)
    return y, first, search(X, U), search(X, U).fit(first, inside, np.random.default_rng(0))


def test_a_threshold_that_is_known_spares_the_fits_that_place_it(monkeypatch):
    y, first, looks, before = looked()
    monkeypatch.setattr(RejectProblem, "held_out", None)
    for inside in (np.ones(len(y), dtype=bool), y < 2):
        for row in (None, (before.coef, before.intercept)):
            found = fitted_with_threshold(looks, first, inside, np.random.default_rng(1), before.threshold, row)
            out = found.out
            np.testing.assert_array_equal(out, ahead(looks.rows.local(), found, 2) > found.threshold["value"])
            assert out[y < 2].mean() <= 0.05
            if row is None:  # other scores: as many as were out
                assert out.sum() == np.count_nonzero(~inside)
            else:
                told = ("method", "value", "flagged", "share", "precision", "recall")
                assert [found.threshold[name] for name in told] == [before.threshold[name] for name in told]
                assert out[y == 2].mean() > 0.5


def test_a_threshold_that_nothing_passes_is_kept():
    y, first, looks, before = looked()
    never = before.threshold | {"value": np.inf}
    found = fitted_with_threshold(looks, first, np.ones(len(y), dtype=bool), np.random.default_rng(1), never)
    assert not found.out.any()
    assert found.threshold == never


@pytest.mark.parametrize("examples", [3, 9])
def test_with_few_examples_nothing_goes_out_whoever_asks(examples, monkeypatch):
    X, _, U = planted()
    first, few = Groups(X[:, :2].argmax(axis=1).astype(np.int32), 2), search(X, U[:examples])
    rng, inside = np.random.default_rng(0), np.ones(len(X), dtype=bool)
    asked = few.within_limits(few.fit(first, inside, rng), 2)
    monkeypatch.setattr(RejectProblem, "held_out", None)
    for found in (asked, fitted_with_threshold(few, first, inside, rng, None)):
        told = found.threshold
        assert not found.out.any()
        assert (told["value"], told["flagged"]) == (np.inf, 0)
        assert [(each["value"], each["flagged"]) for each in told["choices"]] == [(np.inf, 0)]
    assert (told["method"], told["rate"], told["share"]) == ("conformal", 0.05, None)
