"""The master against an independent solver of its primal, and its bound."""

import numpy as np
import pytest
from scipy.optimize import minimize

from outgroup.errors import SolverError
from outgroup.solve.master import Balance, Master
from outgroup.solve.risks import Cut

SHAPE = (2, 3)
WEIGHTS = [4.0, 2.0]


def random_cuts(seed, count=5):
    rng = np.random.default_rng(seed)
    return [(i % 2, Cut(rng.normal(size=SHAPE), float(rng.normal()), 0.0)) for i in range(count)]


def primal(cuts, W):
    """1/2 ||W||^2 + sum_v C_v max(0, highest cut of v), from the definition."""
    W = W.reshape(SHAPE)
    risk = [max([0.0] + [c.offset + np.vdot(c.slope, W) for v, c in cuts if v == view]) for view in range(2)]
    return np.vdot(W, W) / 2 + np.dot(WEIGHTS, risk)


def reference(cuts, constraints=()):
    """The same problem with slack variables, for a general solver."""

    def objective(z):
        return z[:6] @ z[:6] / 2 + np.dot(WEIGHTS, z[6:])

    above = [
        {"type": "ineq", "fun": lambda z, v=v, c=c: z[6 + v] - c.offset - np.vdot(c.slope, z[:6])} for v, c in cuts
    ]
    start = np.concatenate([np.zeros(6), [10.0, 10.0]])
    bounds = [(None, None)] * 6 + [(0, None)] * 2
    return minimize(objective, start, bounds=bounds, constraints=[*above, *constraints], method="SLSQP", tol=1e-12).fun


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_a_general_solver(seed):
    cuts = random_cuts(seed)
    master = Master(WEIGHTS, SHAPE)
    for view, cut in cuts:
        master.add({view: cut})
    W, bound = master.solve()
    assert bound == pytest.approx(reference(cuts), abs=1e-6)
    assert bound - 1e-12 <= primal(cuts, W) <= bound + 1e-6


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_balance_holds_and_costs_what_it_should(seed, limit):
    cuts, total = random_cuts(seed), np.array([3.0, -1.0, 2.0])
    master = Master(WEIGHTS, SHAPE, Balance(total, limit))
    for view, cut in cuts:
        master.add({view: cut})
    W, bound = master.solve()
    assert np.ptp(W @ total) <= limit + 1e-12
    constraints = [
        {"type": "ineq", "fun": lambda z, sign=sign: limit - sign * (z[:3] - z[3:6]) @ total} for sign in (1, -1)
    ]
    assert bound == pytest.approx(reference(cuts, constraints), abs=1e-5)
    assert bound <= primal(cuts, W) + 1e-9


def test_dropping_a_view_forgets_its_cuts_only():
    cuts = random_cuts(3)
    master, rest = Master(WEIGHTS, SHAPE), Master(WEIGHTS, SHAPE)
    for view, cut in cuts:
        master.add({view: cut})
        if view == 1:
            rest.add({view: cut})
    master.drop(0)
    assert len(master) == len(rest) == 2
    assert master.solve()[1] == pytest.approx(rest.solve()[1])


def test_idle_cuts_are_retired_and_the_bound_stays():
    master = Master([1.0], (1, 1))
    master.add({0: Cut(np.array([[1.0]]), 1.0, 0.0)})
    master.add({0: Cut(np.array([[1.0]]), -5.0, 0.0)})  # never the higher one
    bounds = [master.solve()[1] for _ in range(25)]
    assert len(master) == 1
    np.testing.assert_allclose(bounds, 0.5, atol=1e-7)


def test_infinite_slopes_are_an_error_that_says_so():
    with pytest.raises(SolverError, match="scale the rows"):
        Master([1.0], (1, 1)).add({0: Cut(np.array([[np.inf]]), 1.0, 0.0)})


@pytest.mark.parametrize("seed", range(12, 20))
def test_a_balance_that_costs_next_to_nothing_leads_nobody_astray(seed):
    rng = np.random.default_rng(seed)
    master = Master([100.0], (2, 6), Balance(1e5 * rng.normal(size=6), 10.0))
    likely = 0.3 * rng.normal(size=(2, 6))
    cuts = []
    for i in range(31):
        slope = likely + 0.05 * (i % 7 + 1) / 7 * rng.normal(size=(2, 6))
        cuts.append((0, Cut(slope - slope.mean(axis=0), rng.random(), 0.0)))
        master.add(dict(cuts[-1:]))
    W, bound = master.solve()
    value = np.vdot(W, W) / 2 + 100 * max(0.0, *(cut.offset + np.vdot(cut.slope, W) for _, cut in cuts))
    assert bound <= value + 1e-9
    assert value - bound <= 1e-3 * value
