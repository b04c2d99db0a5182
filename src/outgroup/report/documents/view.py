"""One document of a clustering as a person should see it: title, passage, and the words that put it where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...types import Array
from .. import passages
from .. import words as words_
from ..facts import ShownDocument

WHY = 8  # words behind one document's place


@dataclass(frozen=True)
class DocumentView:
    """All that is needed to show a single document."""

    X: Any
    labels: Array
    coef: Array
    names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    margins: Array
    rivals: Array | None

    def document(self, i: int) -> ShownDocument:
        rival = None if self.rivals is None else int(self.rivals[i])
        against = 0.0 if rival is None else self.coef[rival]
        why = words_.contributions(self.X[i], self.coef[self.labels[i]], against, self.names, WHY)
        return ShownDocument(*self.shown(i, why), margin=round(float(self.margins[i]), 6), rival=rival, words=why)

    def shown(self, i: int, why: list[tuple[str, float]]) -> tuple[str, str, str]:
        text = self.texts[i]
        title = passages.called(self.titles[i], text)
        return str(self.ids[i]), title or str(self.ids[i]), passages.passage(text, why)
