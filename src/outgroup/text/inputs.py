"""What a collection is opened on: texts as their owner holds them, and what lies beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import dataclass, replace
from functools import cached_property
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

    @cached_property
    def examples(self) -> list[str]:
        """The off-topic examples, none where nobody gave any; read once, for they may come one by one."""
        given = self.universum
        none = given is None or (isinstance(given, Sized) and not len(given))
        return [] if none else as_texts(given, "universum")

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
