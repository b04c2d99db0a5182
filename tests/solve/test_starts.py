"""Where starts come from, and how a fit keeps their groups."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.errors import InputError
from outgroup.rows import as_rows
from outgroup.solve.max_margin import Data, Objective
from outgroup.solve.solution import Fit, by_size, filled, lost_groups
from outgroup.solve.starts import completed, start_of
from outgroup.types import no_op


@dataclass(frozen=True)
class Swapping(Objective):
    """An objective whose fit moves `moved` rows of the last group into the first, unless C is large enough."""

    moved: int = 2
    enough: float = 2.0

    multiples = (1.0, 2.0, 3.0)

    def _scale(self, labels):
        return 1.0

    def as_partition(self, labels):
        return replace(self, C=0.0), Fit(np.eye(3), labels, 9.0, 0.0)

    def solve(self, labels, on_step):
        on_step({"C": self.C})
        ended = labels.copy()
        if self.enough > self.C:
            ended[np.flatnonzero(ended == ended.max())[: self.moved]] = 0
        return Fit(np.eye(3), ended, 1.0, 0.0)


LABELS = np.array([0, 1, 1, 2, 2, 2])


@pytest.mark.parametrize(
    ("found", "moved", "enough", "tried", "C"),
    [
        (False, 3, 2.0, [1.0, 2.0], 2.0),  # a group without rows is lost
        (False, 2, 2.0, [1.0], 1.0),  # a given partition may be improved on
        (True, 2, 2.0, [1.0, 2.0], 2.0),  # a group in the rows is lost where a third of its rows leave it
        (False, 3, 9.0, [1.0, 2.0, 3.0], 0.0),  # no C keeps the groups: the partition itself is the result
    ],
)
def test_stronger_objectives_are_tried_while_groups_are_lost(found, moved, enough, tried, C):
    steps, objective = [], Swapping(Data(as_rows(np.arange(12.0).reshape(6, 2))), 3, moved=moved, enough=enough)
    best, fit = objective.fit(LABELS, found=found, on_step=steps.append)
    assert [step["C"] for step in steps] == tried
    assert best.C == C
    assert fit.empty == 0
    paper, fit = replace(objective, class_weight=None).fit(LABELS, found=found, on_step=no_op)
    assert (paper.C, fit.empty) == (1.0, int(moved == 3))  # the paper's form ignores lost groups


def test_climbs_to_the_same_groups_are_the_same_array():
    X = as_rows(np.eye(4)[[3, 0, 2, 1, 3, 0, 2, 1]])
    found = [start_of(Data(X), 4, np.random.default_rng(i)).tolist() for i in range(5)]
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
    assert filled(start_of(Data(as_rows(kind(rows))), 4, np.random.default_rng(0), given=labels)) == 4


@pytest.mark.parametrize(("joining", "lost"), [(4, 0), (6, 1)])
def test_a_group_that_outgrows_the_start_by_rows_of_others_is_a_loss(joining, lost):
    start = np.repeat(np.arange(12), 10)
    end = start.copy()
    end[10::10][:joining] = 0  # one row of each of so many other groups
    assert lost_groups(start, end) == lost
