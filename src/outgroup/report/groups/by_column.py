"""Groups over time, or by a category: counts of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...types import Array
from ..facts import By


def by_column(
    column: str, unit: str, names: Sequence[str], numbers: Sequence[int | None], labels: Array, k: int, wrong: str = ""
) -> By:
    """Count the documents of each group by the number of their period or category, None where it is unknown.

    A label of -1 is that of a document that is set aside: it is in no group, and counts nowhere. `unit` is "day",
    "week" ... for periods, in order, and "" for categories. `wrong` says which values were none.

    Examples
    --------
    >>> by_column("when", "year", ["2023", "2024"], [0, 1, None], np.array([0, 0, 1]), 2).counts
    [[1, 1], [0, 0]]
    """
    counts = np.zeros((k, len(names)), dtype=int)
    for label, number in zip(labels.tolist(), numbers, strict=True):
        if number is not None and label >= 0:
            counts[label, number] += 1
    unknown = sum(number is None for number in numbers)
    return By(column, unit, [str(name) for name in names], counts.tolist(), unknown, wrong)
