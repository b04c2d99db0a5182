"""Groups found once more from where each row and its neighbours say (docs/decisions/0024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...rows.arrays import argmax
from ...rows.rules import all_scores
from ...types import Array, OnStep, Rng
from ..best import Best, gone_on
from ..margin import MarginObjective
from ..result import filled
from .graph import walk


@dataclass(frozen=True)
class NeighbourVote:
    """A start: the groups `labels` (n,) that rows and their neighbours say."""

    labels: Array

    @property
    def way(self) -> str:
        """What `restarts_` says of it."""
        return "the groups before, neighbours asked"

    def __call__(self, rng: Rng) -> Array:
        return self.labels


def neighbours_asked(
    best: Best[MarginObjective], objective: MarginObjective, near: Any, rng: Rng, on_step: OnStep
) -> Best[MarginObjective]:
    """Return the fit from where rows and those that are `near` (n, n) say, or `best` where a group would have none.

    Labelled rows start where their labels are.
    """
    labels = said_by(best.objective.data.rows.map(best.fit.weights, all_scores), walk(near))
    if objective.seeding is not None:
        pins = objective.seeding.pins
        labels = np.where(pins >= 0, pins, labels).astype(np.int32)
    if filled(labels) < filled(best.fit.labels):
        return best
    return gone_on(best, objective, NeighbourVote(labels), rng, on_step=on_step)


def said_by(scores: Array, shares: Any) -> Array:
    """Return the group that each row and, in the mean, its neighbours score highest on, (n,) int32.

    The `scores` (n, k) are the rows' own, and `shares` (n, n) those of the neighbours; half of the say is a row's own.

    >>> import scipy.sparse as sp
    >>> clear, between = [1.0, 0.0], [0.4, 0.5]
    >>> said_by(np.array([clear, between]), sp.csr_matrix([[0, 1], [1, 0]])).tolist()
    [0, 0]
    """
    return np.asarray(argmax(scores + shares @ scores), dtype=np.int32)
