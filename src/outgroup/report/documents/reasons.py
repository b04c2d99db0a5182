"""The words behind each document's place, and how much each of them adds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from ..inputs import Reject
from ..words import kind_and_group
from .view import WHY, DocumentView

_BLOCK = 1 << 11  # documents


def reasons(look: DocumentView, home: Array, rival: Array, out: Array, reject: Reject | None) -> tuple[Array, Array]:
    """Return the words that put each document where it is, (n, 8) int32, -1 for none, and what each adds, (n, 8)."""
    words, pull = np.full((len(home), WHY), -1, dtype=np.int32), np.zeros((len(home), WHY), dtype=np.float32)
    inside, outside = np.flatnonzero(~out), np.flatnonzero(out)
    against = np.vstack([look.coef, np.zeros(look.coef.shape[1])])  # row -1: nothing, where there is one group
    _top(words, pull, look.X, inside, look.coef, home[inside], against, rival[inside])
    if reject is not None and len(outside):
        kind, group = kind_and_group(look.X[outside], *reject, len(look.coef))
        _top(words, pull, look.X, outside, reject[0], kind, reject[0], group)
    return words, pull


def _top(
    words: Array, pull: Array, X: Any, rows: Array, towards: Array, own: Array, against: Array, other: Array
) -> None:
    """Fill in, for these rows, the words that raise `towards[own]` above `against[other]` most.

    Some rows at a time, of one group as a rule: what is sorted, and a direction, stay in the cache.
    """
    order = np.argsort(own, kind="stable")
    for start in range(0, len(rows), _BLOCK):
        some = order[start : start + _BLOCK]
        _top_of_some(words, pull, X, rows[some], towards, own[some], against, other[some])


def _top_of_some(
    words: Array, pull: Array, X: Any, rows: Array, towards: Array, own: Array, against: Array, other: Array
) -> None:
    part = X[rows]
    row = np.repeat(np.arange(len(rows)), np.diff(part.indptr))
    adds = part.data * (towards[own[row], part.indices] - against[other[row], part.indices])
    positive = adds > 0
    row, column, adds = row[positive], part.indices[positive], adds[positive]
    order = np.lexsort((-adds, row))
    row, column, adds = row[order], column[order], adds[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    best = place < WHY
    words[rows[row[best]], place[best]] = column[best]
    pull[rows[row[best]], place[best]] = adds[best]
