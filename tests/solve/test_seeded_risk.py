"""Seeds in the maximum-margin problem: rows held to a cluster, and what that costs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from outgroup.rows import as_rows
from outgroup.solve.cutting_plane import CuttingPlanes, minimise
from outgroup.solve.master import Master
from outgroup.solve.max_margin import Data, MarginObjective, Seeding, value
from outgroup.solve.risks import MarginRisk, UniversumRisk
from outgroup.types import no_op


def test_pins_hold_their_rows_and_no_other():
    risk = MarginRisk(as_rows(np.eye(4)), 1.0, np.ones(4), pins=np.array([2, -1, 0, -1]))
    assert risk.hold(np.array([1, 1, 1, 1])).tolist() == [2, 1, 0, 1]


@pytest.mark.parametrize("emphasis", [0.5, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_j_never_rises_and_the_bound_holds_with_seeds(planted, emphasis, seed):
    X, _, U = planted
    rng = np.random.default_rng(seed)
    pins = np.where(rng.random(60) < 0.2, rng.integers(0, 3, 60), -1).astype(np.int32)  # many of them wrong
    margin = MarginRisk(as_rows(X), 40.0, np.where(pins >= 0, emphasis, 1.0), pins=pins)
    seeding = Seeding(pins, margin.emphasis)
    objective = MarginObjective(Data(as_rows(X), as_rows(U), center=False), 3, 40.0, 40.0, class_weight=None)
    objective = replace(objective, seeding=seeding, tol=0.0, gap=1e-5, max_iter=40)
    fit = objective.solve(rng.integers(0, 3, 60).astype(np.int32), no_op)
    objectives = [step["objective"] for step in fit.trace]
    assert all(b <= a * (1 + 1e-5) for a, b in pairwise(objectives))
    assert all(step["lower_bound"] <= step["anchored"] + 1e-9 for step in fit.trace)
    assert fit.gap <= 1e-5
    assert fit.objective == pytest.approx(
        value([margin, UniversumRisk(as_rows(U), 40.0)], margin.hold(fit.labels), fit.weights)
    )


def test_with_every_row_held_it_is_one_convex_problem(planted):
    X, y, _ = planted
    data, seeding = Data(as_rows(X), center=False), Seeding(y.astype(np.int32), np.ones(60))
    objective = MarginObjective(data, 3, 40.0, class_weight=None, gap=1e-6, seeding=seeding)
    fit = objective.solve(np.zeros(60, dtype=np.int32), no_op)
    svm = minimise([MarginRisk(as_rows(X), 40.0)], y, np.zeros((3, 12)), Master([40.0], (3, 12)), CuttingPlanes(1e-6))
    assert fit.n_iter == 1
    assert fit.objective == pytest.approx(svm.value, rel=1e-5)
    assert np.array_equal(fit.labels, y)
