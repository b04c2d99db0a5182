"""Which of several starts is kept, and by what."""

import numpy as np
import pytest

from outgroup.rows import as_rows
from outgroup.solve.margin import Problem
from outgroup.solve.result import Fit
from outgroup.solve.starts import best_of

X = np.array([[3.0, 0.0], [2.0, 0.5], [0.0, 3.0], [0.5, 2.0]])
FULL, ONE_EMPTY = np.array([0, 0, 1, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)


class Given(Problem):
    """A problem whose starts end where they are told to, one after another."""

    small = False

    def __init__(self, ends):
        super().__init__(
            as_rows(X), None, 2, center=True, balance=None, epsilon=0.5, C=1.0, C_universum=0.0, tol=0.01, gap=1e-3,
            max_iter=9,
        )  # fmt: skip
        self._ends = iter(ends)

    def solve(self, labels):
        labels, objective = next(self._ends)
        return Fit(np.eye(2), labels, objective, 0.0)


def kept(*ends):
    best = best_of(Given(ends), len(ends), np.random.default_rng(0), lambda done, total: None)
    assert [restart["kept"] for restart in best.restarts].count(True) == 1
    return best


def test_the_lowest_objective_is_kept_among_starts_with_as_many_groups():
    best = kept((FULL, 3.0), (FULL, 1.0), (FULL, 2.0))
    assert best.fit.objective == 1.0
    assert [restart["objective"] for restart in best.restarts] == [3.0, 1.0, 2.0]


def test_as_many_groups_as_were_asked_for_come_before_the_objective():
    best = kept((ONE_EMPTY, 1.0), (FULL, 2.0), (FULL, 3.0))
    assert (best.fit.objective, best.fit.empty) == (2.0, 0)
    assert [restart["empty"] for restart in best.restarts] == [1, 0, 0]


def test_stability_follows_the_same_order():
    best = kept((ONE_EMPTY, 1.0), (FULL, 2.0), (ONE_EMPTY, 0.5), (FULL, 3.0))
    # halves {0,1}|{2,3}, {0,2}|{1,3}, {0,3}|{1,2}: full against full, empty against full, full against full
    assert best.stability == pytest.approx((1 + 0 + 1) / 3)
