"""Every document of a clustering, column by column: what a page needs to list, find and show each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..types import Array
from .document import WHY, Look
from .facts import Documents, Fixed
from .layout import layout
from .nearest import nearest
from .typical import typicality
from .words import called

Reject = tuple[Array, Array]


def every_document(
    look: Look,
    scores: Array,
    out: Array,
    aside: Array,
    out_score: Array | None,
    reject: Reject | None,
    fields: Mapping[str, Sequence[str | None]],
    fixed: Fixed | None = None,
    *,
    each: bool = True,
) -> Documents:
    """Gather the columns; `out` (n,) are off-topic, and those `aside` in no group: their runner-up is the nearest.

    Unless `each` is true, there are no texts, words or neighbours: who asks for a document is told by a `Reader`.
    """
    n, k = scores.shape
    home = look.labels
    rival = np.full(n, -1) if look.rivals is None else look.rivals
    words, pull = reasons(look, home, rival, aside, reject) if each else (np.zeros((n, 0), np.int32), np.zeros((n, 0)))
    fixed = fixed or Fixed(
        layout(look.X, scores, home, aside),
        nearest(look.X, np.where(aside, -1, home)) if each else np.zeros((n, 0), np.int32),
    )
    score = np.full(n, np.nan) if out_score is None else np.asarray(out_score, dtype=float)
    return Documents(
        ids=[str(each) for each in look.ids],
        titles=[called(title, text) for title, text in zip(look.titles, look.texts, strict=True)] if each else [],
        texts=list(look.texts) if each else [],
        group=np.where(aside, -1, home).astype(np.int32),
        rival=np.where(aside, home, rival).astype(np.int32),
        flagged=out,
        margin=look.margins.astype(np.float32),
        typical=typicality(look.X, home, k, ~aside).astype(np.float32),
        off_topic_score=score.astype(np.float32),
        place=fixed.place,
        why=words,
        pull=pull,
        near=fixed.near,
        words=[str(name) for name in look.names],
        fields={name: [str(value or "") for value in values] for name, values in fields.items()},
    )


def reasons(look: Look, home: Array, rival: Array, out: Array, reject: Reject | None) -> tuple[Array, Array]:
    """Return the words that put each document where it is, (n, 8) int32, -1 for none, and what each adds, (n, 8)."""
    words, pull = np.full((len(home), WHY), -1, dtype=np.int32), np.zeros((len(home), WHY), dtype=np.float32)
    inside, outside = np.flatnonzero(~out), np.flatnonzero(out)
    against = np.vstack([look.coef, np.zeros(look.coef.shape[1])])  # row -1: nothing, where there is one group
    _top(words, pull, look.X, inside, look.coef, home[inside], against, rival[inside])
    if reject is not None and len(outside):
        coef, intercept = reject
        best = np.asarray(look.X[outside] @ coef[:-1].T + intercept[:-1]).argmax(axis=1)
        _top(words, pull, look.X, outside, coef, np.full(len(outside), len(coef) - 1), coef, best)
    return words, pull


def _top(
    words: Array, pull: Array, X: Any, rows: Array, towards: Array, own: Array, against: Array, other: Array
) -> None:
    """Fill in, for these rows, the words that raise `towards[own]` above `against[other]` most."""
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
