"""Every document of a clustering, column by column: what a page needs to list, find and show each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...types import Array
from ..facts import Documents, Fixed
from ..groups.grouped import Grouped
from ..inputs import Judged
from ..map.layout import layout
from .nearest import nearest
from .reader import Reader
from .reasons import reasons
from .typicality import typicality


def every_document(
    reader: Reader, grouped: Grouped, scores: Array, out: Array, judged: Judged,
    fields: Mapping[str, Sequence[str | None]], fixed: Fixed | None, *, each: bool,
) -> Documents:  # fmt: skip
    """Gather the columns; `grouped` are the documents in groups, `out` (n,) are off-topic.

    Those aside are in no group, and their runner-up is the nearest.

    Unless `each` is true, there are no texts, words or neighbours: who asks for a document is told by a `Reader`.
    """
    look, aside, n = reader.look, reader.aside, len(scores)
    home, rival = look.labels, np.full(n, -1) if look.rivals is None else look.rivals
    nothing = np.zeros((n, 0), np.int32), np.zeros((n, 0))
    words, pull = reasons(look, home, rival, aside, reader.reject) if each else nothing
    fixed = fixed or _fixed(reader, scores, each)
    score = np.full(n, np.nan) if judged.off_topic_score is None else judged.off_topic_score
    return Documents(
        ids=[str(each) for each in look.ids],
        titles=[*map(look.called, range(n))] if each else [],
        texts=list(look.texts) if each else [],
        group=np.where(aside, -1, home).astype(np.int32),
        rival=np.where(aside, home, rival).astype(np.int32),
        flagged=out,
        margin=look.margins.astype(np.float32),
        typical=typicality(look.X, home, grouped.sums).astype(np.float32),
        off_topic_score=np.asarray(score, dtype=float).astype(np.float32),
        place=fixed.place,
        why=words,
        pull=pull,
        near=fixed.near,
        words=[str(name) for name in look.names],
        fields={name: [str(value or "") for value in values] for name, values in fields.items()},
    )


def _fixed(reader: Reader, scores: Array, each: bool) -> Fixed:
    """Return where documents lie on the map, and where `each` is told, which are nearest to it."""
    look, aside = reader.look, reader.aside
    near = nearest(look.X, np.where(aside, -1, look.labels)) if each else np.zeros((len(scores), 0), np.int32)
    return Fixed(layout(look.X, scores, look.labels, aside), near)
