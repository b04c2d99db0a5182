"""Modularity: how much more a partition keeps neighbours together than chance would (Newman and Girvan, 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows import nearest
from ...types import Array
from ..graph import joined

_NEIGHBOURS = 30  # of a row: docs/decisions/0021-how-many-groups.md


@dataclass(frozen=True)
class Graph:
    """The graph of nearest neighbours: `weights` (n, n) CSR, symmetric, cosines with the neighbours that a row has."""

    weights: Any

    @classmethod
    def of(cls, X: Any) -> Graph:
        """Return the graph of the unit rows of a CSR or dense matrix."""
        return cls(joined(nearest(X, count=min(_NEIGHBOURS, X.shape[0]))))

    def modularity(self, labels: Array, k: int) -> float:
        """Return which share of all weight lies within the groups `labels` (n,), less what chance would leave there.

        Chance joins rows as often as they are joined, whoever they are; 0 without an edge.

        >>> pairs = Graph(sp.csr_matrix(np.eye(4)[[1, 0, 3, 2]]))
        >>> pairs.modularity(np.array([0, 0, 1, 1]), 2), pairs.modularity(np.array([0, 1, 0, 1]), 2)
        (0.5, -0.5)
        """
        n, total = len(labels), float(self.weights.sum())
        if total <= 0:
            return 0.0
        member = sp.csr_matrix((np.ones(n), (np.arange(n), labels)), shape=(n, k))
        between = np.asarray((member.T @ self.weights @ member).todense()) / total
        return float(np.trace(between) - np.square(between.sum(axis=1)).sum())
