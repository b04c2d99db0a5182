"""Which of several starts is kept, by what, and where starts come from."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.max_margin import Data
from outgroup.solve.restarts import (
    NamedStart,
    best_of,
    by_size,
    completed,
    partition_of,
    spherical_start,
    start_from,
)
from outgroup.solve.solution import Fit, filled, lost_groups

X = np.array([[3.0, 0.0], [2.0, 0.5], [0.0, 3.0], [0.5, 2.0]])
FULL, ONE_EMPTY = np.array([0, 0, 1, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)


@dataclass(frozen=True)
class Given:
    """An objective whose fit is its start, of the J that the start's last number says."""

    small = False
    shift: float = 0.0
    stronger: tuple = ()

    def with_scale(self, labels):
        return replace(self, shift=100.0 * labels[-1])

    def with_row_weights(self, labels):
        return self

    def comparable_objective(self, fit):
        return fit.objective

    def as_partition(self, labels):
        return None

    def solve(self, labels, on_step):
        on_step({"step": 1})
        return Fit(np.eye(2), labels[:-1].astype(np.int32), labels[-1] + self.shift, 0.0)


def kept(*ends):
    starts = [np.append(labels, objective) for labels, objective in ends]
    best = best_of(Given(), starts, np.random.default_rng(0))
    assert [restart["kept"] for restart in best.restarts].count(True) == 1
    return best


def test_the_lowest_objective_is_kept_among_starts_with_as_many_groups():
    best = kept((FULL, 3.0), (FULL, 1.0), (FULL, 2.0))
    assert [restart["objective"] - 300 for restart in best.restarts] == [3.0, 1.0, 2.0]
    assert best.fit.objective == 301.0


def test_as_many_groups_as_were_asked_for_come_before_the_objective():
    best = kept((ONE_EMPTY, 1.0), (FULL, 2.0), (FULL, 3.0))
    assert (best.fit.objective, best.fit.empty) == (102.0, 0)
    assert [restart["empty"] for restart in best.restarts] == [1, 0, 0]


@dataclass(frozen=True)
class Emptying(Given):
    """The same, but the weaker it is the more groups it empties; J grows with its strength."""

    strength: int = 0

    def with_scale(self, labels):
        return replace(self, stronger=tuple(replace(self, strength=s) for s in (1, 2, 3)) if not self.strength else ())

    def solve(self, labels, on_step):
        fit = super().solve(labels, on_step)
        return replace(
            fit,
            weights=np.eye(3),
            labels=np.minimum(fit.labels, self.strength),
            objective=fit.objective + self.strength,
        )


def test_where_every_start_loses_groups_a_stronger_objective_is_tried():
    labels = np.array([0, 1, 2, 2, 0.0])
    best = best_of(Emptying(), [labels, labels], np.random.default_rng(0))
    assert best.objective.strength == 2
    assert (best.fit.empty, best.fit.objective) == (0, 2.0)
    assert [restart["objective"] for restart in best.restarts] == [2.0, 2.0]


@dataclass(frozen=True)
class Swapping(Given):
    """While it is weak it moves two rows of the last group into the first. J is the number of the first row's group."""

    strength: int = 0

    def with_scale(self, labels):
        return replace(self, stronger=tuple(replace(self, strength=s) for s in (1, 2, 3)) if not self.strength else ())

    def solve(self, labels, on_step):
        ended = labels.copy()
        if self.strength < 2:
            ended[np.flatnonzero(ended == ended.max())[:2]] = 0
        return Fit(np.eye(3), ended, float(labels[0]), 0.0)


def climbed(*labels):
    """A start that was found in rows, whatever these are."""
    return NamedStart("found", lambda rng: np.array(labels), from_rows=True)


def test_groups_that_were_found_are_lost_where_a_third_of_their_rows_leave_them():
    labels = (0, 1, 1, 2, 2, 2)
    found, given = (
        best_of(Swapping(), [start], np.random.default_rng(0)) for start in (climbed(*labels), np.array(labels))
    )
    assert (found.objective.strength, given.objective.strength) == (2, 0)  # a guess may be improved on
    assert found.fit.labels.tolist() == [0, 1, 1, 2, 2, 2]


def test_a_start_that_keeps_its_groups_comes_before_one_of_lower_objective():
    loses, keeps = climbed(0, 0, 1, 1, 2, 2, 2, 2), climbed(1, 0, *[2] * 6)
    best = best_of(Swapping(), [loses, keeps], np.random.default_rng(0))
    assert [restart["kept"] for restart in best.restarts] == [False, True]
    assert [restart["objective"] for restart in best.restarts] == [0.0, 1.0]
    assert best.objective.strength == 0


def test_steps_and_starts_are_told_and_may_end_it():
    steps, done = [], []
    starts = [np.append(FULL, value) for value in (1.0, 2.0, 3.0)]
    rng = np.random.default_rng(0)
    best_of(Given(), starts, rng, on_start=lambda *told: done.append(told), on_step=steps.append)
    assert steps == [{"start": i, "step": 1} for i in range(3)]
    assert done == [(1, 3), (2, 3), (3, 3)]

    def enough(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        best_of(Given(), starts, rng, on_step=enough)


def test_climbs_to_the_same_groups_are_the_same_array():
    X = as_rows(np.eye(4)[[3, 0, 2, 1, 3, 0, 2, 1]])
    start = spherical_start(Data(X), 4)
    found = [partition_of(start, np.random.default_rng(i)).tolist() for i in range(5)]
    assert found == [[0, 1, 2, 3, 0, 1, 2, 3]] * 5


def test_clusters_are_numbered_by_size_and_their_weights_with_them():
    fit = by_size(Fit(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0, 2, 1, 2, 0]), 0.0, 0.0), 3)
    assert fit.labels.tolist() == [0, 1, 0, 2, 0, 1]
    assert fit.weights.ravel().tolist() == [3.0, 1.0, 2.0]


def test_rows_without_a_group_go_to_the_nearest_mean_direction():
    rows, labels = as_rows(np.array([[9.0, 0.0], [0.0, 1.0], [0.1, 0.5], [0.5, 0.1]])), np.array([2, 0, -1, -1])
    assert completed(rows, labels, 3).tolist() == [2, 0, 0, 2]
    assert labels.tolist() == [2, 0, -1, -1]
    with pytest.raises(InputError, match="row in a group"):
        completed(rows, np.full(4, -1), 3)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_a_group_whose_rows_were_all_taken_away_is_filled_by_a_split(kind):
    rows = np.repeat(np.eye(4), 5, axis=0) + np.random.default_rng(0).random((20, 4)) / 50
    labels = np.repeat([0, 0, 1, 3], 5)  # no row is in group 2 any more
    start = start_from(Data(as_rows(kind(rows))), 4, labels)
    assert filled(start(np.random.default_rng(0)) if callable(start) else start) == 4


@pytest.mark.parametrize(("joining", "lost"), [(4, 0), (6, 1)])
def test_a_group_that_outgrows_the_start_by_rows_of_others_is_a_loss(joining, lost):
    start = np.repeat(np.arange(12), 10)
    end = start.copy()
    end[10::10][:joining] = 0  # one row of each of so many other groups
    assert lost_groups(start, end) == lost
