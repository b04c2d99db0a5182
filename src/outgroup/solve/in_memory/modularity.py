"""How well a partition keeps neighbours together: by modularity, which finds few groups, and in bits, which finds many.

Modularity is how much more weight lies within groups than chance would leave there (Newman and Girvan, 2004). It cannot
see groups that are small against the whole (Fortunato and Barthélemy, 2007). The bits that groups save in writing the
graph down can: see `planted_partition`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...rows import Neighbours, nearest
from ...types import Array
from .planted_partition import bits_saved

_NEIGHBOURS = 30  # of a row: docs/decisions/0021-how-many-groups.md


@dataclass(frozen=True)
class Graph:
    """The graph of nearest neighbours: a tie from row `source` to row `target`, (m,) each, of `weight` (m,); `n` rows.

    A tie counts in either direction, so what is mutual counts twice.
    """

    source: Array
    target: Array
    weight: Array
    n: int

    @classmethod
    def of(cls, X: Any) -> Graph:
        """Return the graph of the unit rows of a CSR or dense matrix, with their cosines."""
        return cls.joining(nearest(X, count=min(_NEIGHBOURS, X.shape[0])))

    @classmethod
    def joining(cls, found: Neighbours) -> Graph:
        """Return the graph of rows and their neighbours.

        >>> Graph.joining(Neighbours(np.array([[1], [-1]]), np.array([[0.5], [0.0]]), 2)).target.tolist()
        [1]
        """
        there = found.index >= 0
        source = np.repeat(np.arange(found.n), there.sum(axis=1))
        return cls(source, found.index[there], found.cosines[there].astype(np.float64), found.n)

    @cached_property
    def strength(self) -> Array:
        """The weights of each row's ties, summed, (n,)."""
        return np.asarray(self._ends(self.weight))

    @cached_property
    def degree(self) -> Array:
        """The number of each row's ties, (n,)."""
        return np.asarray(self._ends(np.ones(len(self.source))))

    def _ends(self, of: Array) -> Array:
        return np.asarray(np.bincount(self.source, of, self.n) + np.bincount(self.target, of, self.n))

    def kept(self, labels: Array, k: int) -> tuple[float, float]:
        """Return how well the groups `labels` (n,) keep ties within: modularity, and the bits they save each tie.

        Modularity is which share of all weight lies within groups, less what chance would leave there, which joins rows
        as often as they are joined, whoever they are. Both are 0 without a tie.

        >>> pairs = Graph(np.array([0, 2]), np.array([1, 3]), np.ones(2), 4)
        >>> pairs.kept(np.array([0, 0, 1, 1]), 2)[0], pairs.kept(np.array([0, 1, 0, 1]), 2)[0]
        (0.5, -0.5)
        """
        total = float(self.weight.sum())
        if total <= 0:
            return 0.0, 0.0
        within = labels[self.source] == labels[self.target]
        volumes = np.bincount(labels, self.strength, k) / (2 * total)
        modularity = float(self.weight[within].sum() / total - np.square(volumes).sum())
        sizes, degrees = np.bincount(labels, minlength=k), np.bincount(labels, self.degree, k)
        return modularity, bits_saved(sizes, degrees, int(within.sum()))
