"""The words behind each document's place, and how much each of them adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...types import Array
from ..inputs import Reject
from ..words import kind_and_group
from .view import WHY, DocumentView

_BLOCK = 1 << 11  # documents


@dataclass(frozen=True)
class _Push:
    """For each of r rows, where its words push it: towards the direction `towards[own]`, and not `against[other]`."""

    towards: Array
    own: Array
    against: Array
    other: Array

    def of(self, some: Array) -> _Push:
        """Return the same for some of the rows."""
        return _Push(self.towards, self.own[some], self.against, self.other[some])

    def by_entry(self, row: Array, column: Array) -> Array:
        """Return how much each entry of the rows adds, for one unit of it."""
        return np.asarray(self.towards[self.own[row], column] - self.against[self.other[row], column])


def reasons(look: DocumentView, home: Array, rival: Array, out: Array, reject: Reject | None) -> tuple[Array, Array]:
    """Return the words that put each document where it is, (n, 8) int32, -1 for none, and what each adds, (n, 8)."""
    words, pull = np.full((len(home), WHY), -1, dtype=np.int32), np.zeros((len(home), WHY), dtype=np.float32)
    inside, outside = np.flatnonzero(~out), np.flatnonzero(out)
    against = np.vstack([look.coef, np.zeros(look.coef.shape[1])])  # row -1: nothing, where there is one group
    _fill(words, pull, look.X, inside, _Push(look.coef, home[inside], against, rival[inside]))
    if reject is not None and len(outside):
        kind, group = kind_and_group(look.X[outside], *reject, len(look.coef))
        _fill(words, pull, look.X, outside, _Push(reject[0], kind, reject[0], group))
    return words, pull


def _fill(words: Array, pull: Array, X: Any, rows: Array, push: _Push) -> None:
    """Fill in, for these rows, the words that push them most.

    Some rows at a time, of one group as a rule: what is sorted, and a direction, stay in the cache.
    """
    order = np.argsort(push.own, kind="stable")
    for start in range(0, len(rows), _BLOCK):
        some = order[start : start + _BLOCK]
        row, place, column, adds = _top(X[rows[some]], push.of(some))
        words[rows[some][row], place] = column
        pull[rows[some][row], place] = adds


def _top(part: Any, push: _Push) -> tuple[Array, Array, Array, Array]:
    """Return the entries that push their rows most: row, place among the row's, column, and how much."""
    row = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
    adds = part.data * push.by_entry(row, part.indices)
    positive = adds > 0
    row, column, adds = row[positive], part.indices[positive], adds[positive]
    order = np.lexsort((-adds, row))
    row, column, adds = row[order], column[order], adds[order]
    place = np.arange(len(row)) - np.searchsorted(row, row)
    best = place < WHY
    return row[best], place[best], column[best], adds[best]
