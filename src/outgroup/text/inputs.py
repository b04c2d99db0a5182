"""What a collection is opened on: texts as their owner holds them, and what lies beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from .as_texts import as_texts
from .tables import holds_fields, texts_of


@dataclass(frozen=True)
class Inputs:
    """Texts with their ids and titles, off-topic examples, and vectors of both; all but the texts may be None."""

    documents: Any
    ids: Iterable[object] | None
    titles: Iterable[object] | None
    universum: Any
    embeddings: Any
    universum_embeddings: Any

    @property
    def examples(self) -> list[str]:
        """The off-topic examples, none where nobody gave any."""
        given = self.universum
        return [] if given is None or not len(given) else as_texts(given, "universum")

    def without_fields(self) -> Self:
        """Return the same where documents or examples are a table or records: their texts, ids and titles."""
        documents, ids, titles, universum = self.documents, self.ids, self.titles, self.universum
        if holds_fields(documents):
            corpus = texts_of(documents)
            documents = corpus.texts
            ids, titles = corpus.ids if ids is None else ids, corpus.titles if titles is None else titles
        if universum is not None and holds_fields(universum):
            universum = texts_of(universum, name="universum").texts
        return replace(self, documents=documents, ids=ids, titles=titles, universum=universum)
