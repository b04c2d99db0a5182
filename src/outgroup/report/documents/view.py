"""One document of a clustering as a person should see it: title, passage, and the words that put it where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def _shared(self) -> frozenset[str]:
        nameless = [text for title, text in zip(self.titles, self.texts, strict=True) if not title]
        return passages.shared_lines(nameless)

    def called(self, i: int) -> str:
        """Return what a document is called, "" where neither its title nor its text tells."""
        return passages.called(self.titles[i], self.texts[i], self._shared)

    def document(self, i: int) -> ShownDocument:
        rival = None if self.rivals is None else int(self.rivals[i])
        against = 0.0 if rival is None else self.coef[rival]
        why = words_.contributions(self.X[i], self.coef[self.labels[i]], against, self.names, WHY)
        return ShownDocument(*self.shown(i, why), margin=round(float(self.margins[i]), 6), rival=rival, words=why)

    def shown(self, i: int, why: list[tuple[str, float]]) -> tuple[str, str, str]:
        text = self.texts[i]
        return str(self.ids[i]), self.called(i) or str(self.ids[i]), passages.passage(text, why)
