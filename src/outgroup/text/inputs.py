"""What a collection is opened on: texts as their owner holds them, and what lies beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from .tables import holds_fields, texts_of


@dataclass(frozen=True)
class Inputs:
    """Texts with their ids and titles, off-topic examples, and vectors of both; all but the texts may be None."""

    documents: Sequence[str]
    ids: Sequence[str] | None
    titles: Sequence[str] | None
    universum: Sequence[str] | None
    embeddings: Any
    universum_embeddings: Any

    def without_fields(self) -> Self:
        """Return the same where documents or examples are a table or records: their texts, ids and titles."""
        documents, ids, titles, universum = self.documents, self.ids, self.titles, self.universum
        if holds_fields(documents):
            corpus = texts_of(documents)
            documents, ids, titles = corpus.texts, ids or corpus.ids, titles or corpus.titles
        if universum is not None and holds_fields(universum):
            universum = texts_of(universum, name="universum").texts
        return replace(self, documents=documents, ids=ids, titles=titles, universum=universum)
