"""The risks of maximum-margin clustering; one pass over the rows gives a cutting plane (linear lower bound) at W.

With S = X W^T, and anchors u fixed by the concave-convex procedure (M2DCU, SIGIR 2011, Eqs. 11-13):

    margin risk     R_l = 1/(n k) sum_i sum_{r != u_i} max(0, 1 - (S[i,u_i] - S[i,r]))
    Universum risk  R_u = 1/N sum_j max(0, k/(k-1) (max_p S*[j,p] - mean_p S*[j,p]) - epsilon)

The paper's sum over r includes r = u_i, a constant 1/k, which is omitted here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..rows import Rows
from ..rows.arrays import argmax, at, cast, hinges, like, namespace, set_at, total
from ..types import Array


@dataclass(frozen=True)
class Cut:
    """A cutting plane of a convex risk: `R(V) >= offset + <slope, V>` for all V, with equality (`value`) at its own
    W.
    """

    slope: Array
    offset: float
    value: float


class Risk(Protocol):
    """A convex function of W, known by its cuts."""

    weight: float

    def cut(self, W: Array, anchor: Array) -> Cut:
        """Return the cut at `W` (k, d); `anchor` (n,) is the cluster of each target row."""


def _cut(W: Array, slope: Array, offset: float) -> Cut:
    return Cut(slope, offset, offset + float(np.vdot(slope, W)))


@dataclass(eq=False)
class MarginRisk:
    """The hinge loss of each row's margin over every rival cluster (view 1); its cuts are valid for one anchor only.

    `emphasis` (n,), v_i, multiplies each row's hinges; `margins` (n,), a_i > 0, are the required margins; None: 1.
    `pins` (n,), an extension of the paper, has the fixed cluster of some rows, -1 for the others. The hinge of a row
    with a fixed cluster is convex, so the descent on J and the bounds are unchanged.
    """

    rows: Rows
    weight: float
    emphasis: Array | None = None
    margins: Array | None = None
    pins: Array | None = None

    def cut(self, W: Array, anchor: Array) -> Cut:
        scale = 1.0 / (self.rows.shape[0] * len(W))
        slope, violated = self._fold(W, anchor)
        slope *= -scale
        return _cut(W, slope, scale * float(violated))

    def hold(self, labels: Array) -> Array:
        """Return the anchor for rows in the clusters `labels` (n,): the labels, or the fixed clusters."""
        return labels if self.pins is None else np.where(self.pins >= 0, self.pins, labels)

    def _fold(self, W: Array, anchor: Array) -> tuple[Array, float]:
        if self.margins is None:
            state = (anchor,) if self.emphasis is None else (anchor, self.emphasis)
            return self.rows.fold(W, _margin_rule, *state)
        emphasis = np.ones(self.rows.shape[0]) if self.emphasis is None else self.emphasis
        return self.rows.fold(W, _wide_margin_rule, anchor, emphasis, self.margins)


@dataclass(eq=False)
class RejectRisk(MarginRisk):
    """The margin risk of off-topic rows: their row of W, `row_of` (n,) from `k` on, against the first `k` rows of W.

    Kinds of off-topic rows are separated from the groups, not from each other.
    """

    row_of: Array = field(kw_only=True)
    k: int = field(kw_only=True)

    def _fold(self, W: Array, anchor: Array) -> tuple[Array, float]:
        return self.rows.fold(W, _OverGroups(self.k), self.row_of)


@dataclass(frozen=True)
class _OverGroups:
    """A rule: the margin rule with the first `k` columns as rivals."""

    k: int

    def __call__(self, scores: Array, row_of: Array) -> tuple[Array, float]:
        groups = like((np.arange(scores.shape[1]) < self.k).astype(np.float64), scores)
        coefficients = -cast(scores >= at(scores, row_of)[:, None] - 1, scores.dtype) * groups
        count = -namespace(scores).sum(coefficients, axis=1)
        return set_at(coefficients, row_of, count), total(count)


def _margin_rule(scores: Array, anchor: Array, *emphasis: Array) -> tuple[Array, float]:
    coefficients = hinges(scores, anchor, *emphasis)
    return coefficients, total(at(coefficients, anchor))


def _wide_margin_rule(scores: Array, anchor: Array, emphasis: Array, margins: Array) -> tuple[Array, float]:
    """A rule for rows with margins other than 1: each row's scores are divided by its margin."""
    margins = cast(margins, scores.dtype)
    coefficients = hinges(scores / margins[:, None], anchor, emphasis)
    return coefficients, total(at(coefficients, anchor) * margins)


@dataclass(eq=False)
class UniversumRisk:
    """The hinge loss of how far a Universum row leans to one cluster (view 2).

    Its argmax is of the current W, not of the anchor. It is convex, so its cuts hold for every anchor and the objective
    cannot rise (docs/decisions/0004).
    """

    rows: Rows
    weight: float
    epsilon: float = 0.5

    def cut(self, W: Array, anchor: Array) -> Cut:
        n, k = self.rows.shape[0], len(W)
        slope, leaning = self.rows.fold(W, _Leaning(self.epsilon))
        slope *= k / ((k - 1) * n)
        return _cut(W, slope, -self.epsilon / n * float(leaning))


@dataclass(frozen=True)
class _Leaning:
    """A rule for the Universum's risk: rows that lean to a cluster by more than `epsilon`."""

    epsilon: float

    def __call__(self, scores: Array) -> tuple[Array, float]:
        xp, k = namespace(scores), scores.shape[1]
        best = argmax(scores)
        leaning = k / (k - 1) * (at(scores, best) - xp.mean(scores, axis=1)) >= self.epsilon
        pull = cast(leaning, scores.dtype)
        coefficients = xp.zeros_like(scores) - (pull / k)[:, None]
        return set_at(coefficients, best, at(coefficients, best) + pull), total(pull)
