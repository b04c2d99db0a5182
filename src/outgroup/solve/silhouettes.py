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
from ..rows.blocks import group_sizes, pieces
from ..types import Array

_NOTHING = 1e-6  # of a row's length: what is shorter is rounding, and has no direction
_BLOCK = 256  # centres that are compared with all others at once


@dataclass(frozen=True)
class Nearness:
    """Of k groups of unit rows: `sizes` (k,), `centres` (k, d) of unit length or zero, and what their rows have in the
    mean, each (k,) and 0 for an empty group: the cosine with the centre made without the row, `own`, and the silhouette
    (b - a) / max(a, b), with a and b one minus the cosines with this centre and with the nearest other."""

    sizes: Array
    centres: Array
    own: Array
    silhouettes: Array

    @cached_property
    def nearest(self) -> tuple[Array, Array]:
        """The group with the nearest other centre, (k,), and the cosine with that, (k,); minus infinity for an empty
        group and where there is no other."""
        k = len(self.sizes)
        found = [self._nearest(np.arange(start, min(start + _BLOCK, k))) for start in range(0, k, _BLOCK)]
        number, cosine = zip(*found, strict=True)
        return np.concatenate(number), np.concatenate(cosine)

    def _nearest(self, groups: Array) -> tuple[Array, Array]:
        cosines = self.centres[groups] @ self.centres.T
        cosines[self.sizes[groups] == 0] = -np.inf
        cosines[:, self.sizes == 0] = -np.inf
        cosines[np.arange(len(groups)), groups] = -np.inf
        return cosines.argmax(axis=1), cosines.max(axis=1)


def nearness(rows: Rows, labels: Array, k: int) -> Nearness:
    """Return how near unit `rows` are to their group of `labels` (n,), -1 for none, and to the nearest of the others.

    >>> from outgroup.rows import as_rows
    >>> found = nearness(as_rows(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 1, 1]), 2)
    >>> found.own.tolist(), found.silhouettes.tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    sums = cluster_sums(rows, labels, k)
    norms = np.sqrt(np.einsum("kd,kd->k", sums, sums))
    centres = sums / np.where(norms > _NOTHING, norms, 1.0)[:, None]
    sizes = group_sizes(labels, k)
    full = np.flatnonzero(sizes)
    place = np.full(k + 1, -1, dtype=np.int32)
    place[full] = np.arange(len(full))
    own, other = rows.map(centres[full], _own_and_other, place[labels])
    squares, found = rows.squares(), np.zeros((2, k))
    for span in pieces(len(labels)):
        group = labels[span]
        without = _without(own[span].astype(np.float64), squares[span], norms[group])
        for total, values in zip(found, (without, _silhouettes(without, other[span])), strict=True):
            total += np.bincount(group + 1, values, k + 1)[1:]
    return Nearness(sizes, centres, *(found / np.maximum(sizes, 1)))


def _without(own: Array, squares: Array, norms: Array) -> Array:
    """Return the cosine of rows with their centre without them, by that with all of its rows, whose sum is so long."""
    rest = np.sqrt(np.maximum(norms**2 - 2 * own * norms + squares, 0.0))
    found = np.where(rest > _NOTHING, (own * norms - squares) / np.where(rest > _NOTHING, rest, 1.0), 0.0)
    return np.clip(found, -1, 1)


def _silhouettes(own: Array, other: Array) -> Array:
    """Return (b - a) / max(a, b), from -1 to 1, with a and b one minus the two cosines; 0 where both are 0."""
    a, b = 1.0 - own, 1.0 - other
    larger = np.maximum(a, b)
    return np.where(larger > _NOTHING, (b - a) / np.where(larger > _NOTHING, larger, 1.0), 0.0)


def _own_and_other(scores: Any, places: Array) -> tuple[Any, Any]:
    """Map each row to its score for its own group and to the best of the others; 0 where there are none."""
    columns = places * (places >= 0)  # a row in no group is not looked at
    own = at(scores, columns) + 0
    if scores.shape[1] == 1:
        return own, own * 0
    rest = put(scores, columns, -np.inf)
    return own, at(rest, argmax(rest))
