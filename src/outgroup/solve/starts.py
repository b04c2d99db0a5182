"""Starts of a fit: partitions by local search on unit rows, from nothing or from given groups.

The coherence of the spherical fit chooses among several starts, and one is solved: J of several solved starts chooses
no better (docs/decisions/0031).
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..rows import Rows, cluster_sums
from ..rows.arrays import argmax, normalize
from ..rows.threads import ordered_map
from ..types import Array, Rng
from .local_search import Schedule
from .max_margin import Data, small
from .refinement import fit as spherical_fit


def start_of(data: Data, k: int, rng: Rng, count: int = 1, given: Array | None = None, *, fixed: bool = False) -> Array:
    """Return the partition from which a fit descends, (n,) int32.

    It is that of the most coherent of `count` default fits of `SphericalKMeans`, or the groups `given` (n,), where -1
    marks rows without one. Local search refines given groups unless they are `fixed`: rows set aside may have formed a
    group, or joined two. For rows outside memory, local search uses a sample.
    """
    if given is None:
        side_by_side = small(data.original, k * data.original.shape[1])
        return local_search_start(data.unit, k, Schedule(), rng, count, side_by_side=side_by_side)
    labels = completed(data.rows, given, k, data.sample)
    return labels if fixed else local_search_start(data.unit, k, Schedule(init=labels), rng)


def local_search_start(
    unit: Rows, k: int, schedule: Schedule, rng: Rng, count: int = 1, *, side_by_side: bool = False
) -> Array:
    """Return the partition of the best of `count` spherical fits; equal groups always have equal numbers."""
    over = ordered_map if side_by_side else map
    fits = over(lambda child: spherical_fit(unit, k, schedule, child), [rng, *rng.spawn(count - 1)])
    return by_first_row(max(fits, key=lambda fit: fit.objective).labels)


def by_first_row(labels: Array) -> Array:
    """Renumber groups by their first rows, (n,) int32.

    >>> by_first_row(np.array([5, 2, 5, 0])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], dtype=np.int32)


def completed(rows: Rows, labels: Array, k: int, sample: Array | None = None) -> Array:
    """Assign rows marked -1 to the group direction with the highest score; return the partition, (n,) int32.

    `sample` (n,) are the weights of the rows in the means.

    Raises InputError if no row is in a group.

    >>> from outgroup.rows import as_rows
    >>> completed(as_rows(np.eye(2)[[0, 1, 0, 1]]), np.array([0, 1, -1, -1]), 2).tolist()
    [0, 1, 0, 1]
    """
    labels = np.array(labels, dtype=np.int32)
    missing = np.flatnonzero(labels < 0)
    if len(missing) == len(labels):
        raise InputError("init puts no row in a group: omit init, or give some rows a group")
    if len(missing) == 0:
        return labels
    sums = cluster_sums(rows, labels, k, weights=sample)
    groups = np.unique(labels[labels >= 0])
    labels[missing] = groups[rows.map(normalize(sums[groups]), argmax, on=missing)]
    return labels
