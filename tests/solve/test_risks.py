"""Risks against their formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from outgroup.rows import as_rows
from outgroup.solve.risks import MarginRisk, UniversumRisk

numbers = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))


EMPHASIS = np.array([1.0, 0.2, 5.0, 0.0, 2.0])


def margin_risk(X, W, anchor, emphasis):
    S, (n, k) = X @ W.T, (len(X), len(W))
    losses = [emphasis[i] * max(0, 1 - S[i, anchor[i]] + S[i, r]) for i in range(n) for r in range(k) if r != anchor[i]]
    return sum(losses) / (n * k)


def universum_risk(U, W, epsilon):
    S, k = U @ W.T, len(W)
    return np.mean([max(0, k / (k - 1) * (s.max() - s.mean()) - epsilon) for s in S])


def test_margin_risk_worked_by_hand():
    # scores (1.5, 0), anchor 0: margin 1.5, no loss; (0.25, 0.5), anchor 1: margin 0.25, loss 0.75; over n k = 4
    X, W = np.array([[1.5, 0.0], [0.25, 0.5]]), np.eye(2)
    cut = MarginRisk(as_rows(X), 1.0).cut(W, np.array([0, 1]))
    assert cut.value == pytest.approx(0.75 / 4)
    assert cut.offset == pytest.approx(1 / 4)
    np.testing.assert_allclose(cut.slope, np.array([[0.25, 0.5], [-0.25, -0.5]]) / 4)


def test_universum_risk_worked_by_hand():
    # scores (2, 0): k/(k-1) (2 - 1) - 0.5 = 1.5; (0.25, 0) leans 0.25 < 0.5: free
    U = np.array([[2.0, 0.0], [0.25, 0.0]])
    cut = UniversumRisk(as_rows(U), 1.0, 0.5).cut(np.eye(2), np.array([]))
    assert cut.value == pytest.approx(1.5 / 2)
    np.testing.assert_allclose(cut.slope, [[1.0, 0.0], [-1.0, 0.0]])


@given(
    X=arrays(float, (5, 3), elements=numbers),
    W=arrays(float, (3, 3), elements=numbers),
    anchor=arrays(int, 5, elements=st.integers(0, 2)),
)
def test_values_are_the_formulas(X, W, anchor):
    for risk, formula in [
        (MarginRisk(as_rows(X), 1.0), lambda M: margin_risk(X, M, anchor, np.ones(5))),
        (MarginRisk(as_rows(X), 1.0, EMPHASIS, pins=np.full(5, -1)), lambda M: margin_risk(X, M, anchor, EMPHASIS)),
        (UniversumRisk(as_rows(X), 1.0, 0.5), lambda M: universum_risk(X, M, 0.5)),
    ]:
        assert risk.cut(W, anchor).value == pytest.approx(formula(W), abs=1e-9)


def test_pins_hold_their_rows_and_no_other():
    risk = MarginRisk(as_rows(np.eye(4)), 1.0, np.ones(4), pins=np.array([2, -1, 0, -1]))
    assert risk.hold(np.array([1, 1, 1, 1])).tolist() == [2, 1, 0, 1]
