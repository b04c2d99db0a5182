"""A start put right by who is near whom (docs/decisions/0024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from ...rows import Rows, cluster_sums, unit_rows
from ...rows.arrays import argmax
from ...rows.rules import all_scores
from ...types import Array, Rng
from ..result import filled
from ..starts import Start, made, way_of
from .graph import walk


@dataclass(frozen=True)
class Voted:
    """A start in which each row goes where it and its neighbours say, by the cosines with the groups' directions.

    Where a group would have no row, the start stays as it was.
    """

    start: Start
    rows: Rows
    near: Any

    @property
    def way(self) -> str:
        """What `restarts_` says of it."""
        return f"{way_of(self.start)}, neighbours asked"

    @property
    def found(self) -> bool:
        """Whether the groups were found in the rows, and are no guess of somebody's."""
        return getattr(self.start, "found", False)

    def __call__(self, rng: Rng) -> Array:
        labels, unit = made(self.start, rng), unit_rows(self.rows)
        directions = normalize(cluster_sums(unit, labels, int(labels.max()) + 1))
        said = said_by(unit.map(directions, all_scores), walk(self.near))
        return labels if filled(said) < filled(labels) else said


def said_by(scores: Array, shares: Any) -> Array:
    """Return the group that each row and, in the mean, its neighbours score highest on, (n,) int32.

    The `scores` (n, k) are the rows' own, and `shares` (n, n) those of the neighbours; half of the say is a row's own.

    >>> import scipy.sparse as sp
    >>> clear, between = [1.0, 0.0], [0.4, 0.5]
    >>> said_by(np.array([clear, between]), sp.csr_matrix([[0, 1], [1, 0]])).tolist()
    [0, 0]
    """
    return np.asarray(argmax(scores + shares @ scores), dtype=np.int32)
