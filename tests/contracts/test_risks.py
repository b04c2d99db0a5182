"""What every risk promises: its slope is its gradient, and its cut lies below it everywhere, so it is convex."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from rows_examples import ListedRows

from outgroup.rows import CentredRows, as_rows
from outgroup.solve import risks
from outgroup.solve.risks import MarginRisk, RejectRisk, UniversumRisk

N, D, K = 12, 5, 3
STEP = 1e-6


def margin(*drawn):
    """A margin risk with some of the values of its rows drawn at random."""

    def made(rows, rng):
        values = {"pins": rng.integers(-1, K, N), "emphasis": rng.random(N) + 0.1, "margins": rng.random(N) + 0.5}
        return MarginRisk(rows, 1.0, **{name: values[name] for name in drawn})

    return made


RISKS = {
    "margin": margin(),
    "margin, weighed rows": margin("emphasis"),
    "margin, margins by row": margin("emphasis", "margins"),
    "margin, seeds": margin("pins", "emphasis", "margins"),
    "reject row": lambda rows, rng: RejectRisk(rows, 1.0, row_of=np.full(N, K - 1), k=K - 1),
    "reject rows of kinds": lambda rows, rng: RejectRisk(rows, 1.0, row_of=rng.integers(1, K, size=N), k=1),
    "Universum": lambda rows, rng: UniversumRisk(rows, 1.0, 0.3),
}
ROWS = {
    "dense": as_rows,
    "sparse": lambda X: as_rows(sp.csr_matrix(X)),
    "centred": lambda X: CentredRows(as_rows(sp.csr_matrix(X)), X.mean(axis=0)),
    "third party": ListedRows,
}
every_risk = pytest.mark.parametrize("risk", RISKS)
on_every_kind = pytest.mark.parametrize("kind", ROWS)


def example(seed, risk, kind):
    """A risk on random rows, a W, another, and an anchor that the risk may hold rows to."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.7)
    made = RISKS[risk](ROWS[kind](X), rng)
    W, V, labels = rng.normal(size=(K, D)), rng.normal(size=(K, D)), rng.integers(K, size=N).astype(np.int32)
    return made, W, V, made.hold(labels) if hasattr(made, "hold") else labels


def test_every_risk_is_tried():
    found = {
        thing
        for _, thing in inspect.getmembers(risks, inspect.isclass)
        if thing.__module__ == risks.__name__ and hasattr(thing, "cut") and thing is not risks.Risk
    }
    assert {type(example(0, risk, "dense")[0]) for risk in RISKS} == found


@on_every_kind
@every_risk
@given(seed=st.integers(0, 2**32 - 1))
def test_a_cut_touches_its_risk_and_lies_below_it_everywhere(risk, kind, seed):
    made, W, V, anchor = example(seed, risk, kind)
    cut = made.cut(W, anchor)
    assert cut.value == pytest.approx(cut.offset + np.vdot(cut.slope, W), abs=1e-9)
    assert cut.value >= 0
    for point in (V, 10 * V, W + 0.01 * V, np.zeros_like(W)):
        assert cut.offset + np.vdot(cut.slope, point) <= made.cut(point, anchor).value + 1e-9


@on_every_kind
@every_risk
@pytest.mark.parametrize("seed", range(5))
def test_a_slope_is_the_gradient(risk, kind, seed):
    made, W, V, anchor = example(seed, risk, kind)
    ahead, behind = (made.cut(W + sign * STEP * V, anchor).value for sign in (1, -1))
    assert np.vdot(made.cut(W, anchor).slope, V) == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-6)
