"""How near each row is to its own group and to the next: what cosine silhouettes are made of, one pass over the rows.

A row's own group is taken without the row, or small groups would always look tight: in high dimensions a row is near to
whatever it is a part of. The rest is the simplified silhouette (Hruschka, de Castro and Campello, 2004), which measures
distances to centres and so takes O(nk) in place of O(n^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..rows import Rows, cluster_sums
from ..rows.arrays import argmax, at, put
from ..types import Array

_NOTHING = 1e-6  # of a row's length: what is shorter is rounding, and has no direction


@dataclass(frozen=True)
class Nearness:
    """Of n unit rows in k groups, -1 for none: the cosines with the `own` centre (n,), made without the row, and with
    the nearest `other` (n,); `centres` (k, d), of unit length or zero. Rows in no group have zeros."""

    labels: Array
    sizes: Array
    centres: Array
    own: Array
    other: Array

    @cached_property
    def silhouettes(self) -> Array:
        """(b - a) / max(a, b) of each row, from -1 to 1, with a and b one minus the two cosines; 0 where both are 0."""
        a, b = 1.0 - self.own, 1.0 - self.other
        larger = np.maximum(a, b)
        return np.where(larger > _NOTHING, (b - a) / np.where(larger > _NOTHING, larger, 1.0), 0.0)

    @cached_property
    def alike(self) -> Array:
        """The cosines of the centres, (k, k); minus infinity for a group with itself and for empty groups."""
        found = self.centres @ self.centres.T
        found[self.sizes == 0] = -np.inf
        found[:, self.sizes == 0] = -np.inf
        np.fill_diagonal(found, -np.inf)
        return np.asarray(found)

    def mean(self, values: Array) -> Array:
        """Return the mean of a value a row over each group, (k,); 0 for an empty one."""
        inside = self.labels >= 0
        total = np.bincount(self.labels[inside], values[inside], len(self.sizes))
        return np.asarray(total / np.maximum(self.sizes, 1))


def nearness(rows: Rows, labels: Array, k: int) -> Nearness:
    """Return how near unit `rows` are to their group of `labels` (n,), -1 for none, and to the nearest of the others.

    >>> from outgroup.rows import as_rows
    >>> found = nearness(as_rows(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 1, 1]), 2)
    >>> found.own.tolist(), found.other.tolist(), found.silhouettes.tolist()
    ([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0])
    """
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    sums = cluster_sums(rows, labels, k)
    norms = np.sqrt(np.einsum("kd,kd->k", sums, sums))
    centres = sums / np.where(norms > _NOTHING, norms, 1.0)[:, None]
    full = np.flatnonzero(sizes)
    place = np.full(k + 1, -1)
    place[full] = np.arange(len(full))
    own, other = rows.map(centres[full], _own_and_other, place[labels].astype(np.int32))
    own, other, squares = own.astype(np.float64), other.astype(np.float64), rows.squares()
    total = norms[labels]
    rest = np.sqrt(np.maximum(total**2 - 2 * own * total + squares, 0.0))
    without = np.where(rest > _NOTHING, (own * total - squares) / np.where(rest > _NOTHING, rest, 1.0), 0.0)
    inside = labels >= 0
    return Nearness(
        labels, sizes, centres, np.where(inside, np.clip(without, -1, 1), 0.0), np.where(inside, other, 0.0)
    )


def _own_and_other(scores: Any, places: Array) -> tuple[Any, Any]:
    """Map each row to its score for its own group and to the best of the others; 0 where there are none."""
    columns = places * (places >= 0)  # a row in no group is not looked at
    own = at(scores, columns) + 0
    if scores.shape[1] == 1:
        return own, own * 0
    rest = put(scores, columns, -np.inf)
    return own, at(rest, argmax(rest))
