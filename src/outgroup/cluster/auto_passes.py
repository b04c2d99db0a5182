"""How often "auto" averages rows with their neighbours, as far as can be told without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

_LEAST_ROWS = 1000  # for "auto": few rows have no near neighbours
MOST_SPARSE, _MOST_DENSE = 100_000, 1_000_000  # rows: of more the search is long
_A_GROUP = 20  # rows of a mean group: a row's neighbours should find room in it
_SHORT = 30  # known words of a mean document: texts of about 80 words (docs/decisions/0015-neighbours.md)
_DENSE = 0.25  # the share of entries that are not zero from which rows are vectors, not counts of words
_OF_VECTORS = 5  # passes over dense rows: more change next to nothing


def passes_for(X: Any, groups: int | None) -> int:
    """Return how many passes help these rows, as far as can be told without labels."""
    n = X.shape[0]
    if not enough(X, groups):
        return 0
    entries = X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    if entries > _DENSE * n * X.shape[1]:
        return _OF_VECTORS
    return int(are_short(n, entries))


def enough(X: Any, groups: int | None) -> bool:
    """Return whether rows are so many that their neighbours are near, and not so many that the search is long."""
    most = MOST_SPARSE if sp.issparse(X) else _MOST_DENSE
    return max(_LEAST_ROWS, _A_GROUP * int(groups or 0)) <= X.shape[0] <= most


def are_short(n: int, entries: float) -> bool:
    """Return whether n texts with so many known words together are few and short enough that "auto" averages them."""
    return n <= MOST_SPARSE and entries <= _SHORT * n
