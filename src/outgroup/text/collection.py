"""A collection of documents: ids, rows, off-topic examples, and the selection for a fit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, warn
from ..types import Array, OnCount, OnProgress, no_op
from .representation import Representation, Spaces, are_related, as_arrays
from .texts import as_texts, is_encoded_twice
from .tokenizer import warn_of_pairs
from .vectorizer import Vectorizer

Learn = Callable[[list[str]], Any]

OUTLIER = "unlike all other documents"
"""The reason for an outlier that is set aside."""

LABELLED_AWAY = "labelled off-topic"
"""The reason for a text of the collection to join the Universum."""

_STRANGE = (
    "the embeddings do not seem to belong to these texts, because nearest neighbours do not share more words than "
    "other texts: give them in the order of the texts"
)


@dataclass(frozen=True)
class Inputs:
    """Texts, ids, titles, off-topic examples, and the embeddings of both; all but the texts may be None."""

    documents: Any
    ids: Iterable[object] | None
    titles: Iterable[object] | None
    universum: Any
    embeddings: Any
    universum_embeddings: Any

    @cached_property
    def examples(self) -> list[str]:
        """The off-topic examples; cached, because they may come from an iterator."""
        examples = self.universum
        absent = examples is None or (isinstance(examples, Sized) and not len(examples))
        return [] if absent else as_texts(examples, "universum")


@dataclass(frozen=True)
class Collection:
    """n documents; those in the mask `kept` (n,) have rows in `spaces`; `universum` has further off-topic examples.

    `representation.why` gives the reason for a document without a row; `outliers` (n,) is the mask of those set aside.
    `sample_weight` (n,) are the weights of the documents in fits, None for equal ones.
    """

    ids: list[str]
    titles: list[str]
    texts: list[str]
    representation: Representation
    spaces: Spaces
    kept: Array
    universum: Spaces | None
    outliers: Array | None = None
    sample_weight: Array | None = None
    _quiet: dict[frozenset[str], Collection] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The indices of the documents by id."""
        return {identity: number for number, identity in enumerate(self.ids)}

    @cached_property
    def order(self) -> Array:
        """The sort order of the m rows' texts, cached (see `Spaces.order`)."""
        return self.spaces.order()

    @cached_property
    def words(self) -> list[str]:
        """The vocabulary as readable words."""
        return self.representation.names

    @as_arrays
    def columns(self, word: str) -> list[int]:
        """Return the columns of a word after the analysis of the texts; [] if it is unknown."""
        row = sp.csr_matrix(self.representation.vectorizer.transform([word]))
        return sorted(set(row.indices[row.data != 0].tolist()))

    def is_stop_word(self, word: str) -> bool:
        """Return whether a word is a stop word; False for a vectorizer of another class."""
        vectorizer = self.representation.vectorizer
        return isinstance(vectorizer, Vectorizer) and vectorizer.analyser.leaves_out(word)

    def with_columns(self, columns: Sequence[int]) -> Array:
        """Return the mask of documents that contain a word of these columns, (n,) bool."""
        mask = np.zeros(len(self), dtype=bool)
        mask[np.flatnonzero(self.kept)] = self.spaces.with_columns(columns)
        return mask

    def leave_out(self, outliers: Array) -> Collection:
        """Return the documents without the rows of `outliers`, (n,) bool."""
        spaces = self.spaces.take(np.flatnonzero(~outliers[self.kept]))
        return replace(self, spaces=spaces, kept=self.kept & ~outliers, outliers=outliers)

    @as_arrays
    def averaged(self, average: Any, progress: OnCount | None = None) -> Collection:
        """Return the documents with rows averaged with their neighbours."""
        representation = copy.copy(self.representation)
        representation.average = average
        spaces = representation.among_themselves(self.spaces, progress)
        universum = None if self.universum is None else representation.among_fitted(self.universum)
        return replace(self, representation=representation, spaces=spaces, universum=universum)

    def without_words(self, ignored: frozenset[str]) -> Collection:
        """Return the documents with zeros in the columns of `ignored` words; the last result is cached."""
        if not ignored:
            return self
        documents = self._quiet.get(ignored)  # another thread may clear the cache
        if documents is None:
            documents = self.without(frozenset(column for word in ignored for column in self.columns(word)))
            self._quiet.clear()
            self._quiet[ignored] = documents
        return documents

    def without(self, ignored: frozenset[int]) -> Collection:
        """Return the documents with zeros in the columns `ignored`."""
        if not ignored:
            return self
        columns = np.array(sorted(ignored))
        representation = copy.copy(self.representation)
        representation.vectorizer = _without_weights(self.representation.vectorizer, columns)
        by_words = self.representation.width is None
        if (by_words and representation.passes) or representation.uses_words:
            representation.average = self.representation.average.without_columns(columns)
        spaces, left = self.spaces.masked(columns, by_words)
        kept = self.kept.copy()
        kept[np.flatnonzero(self.kept)[~left]] = False
        universum = None if self.universum is None else self.universum.masked(columns, by_words)[0]
        return replace(self, representation=representation, spaces=spaces, kept=kept, universum=universum)


def open_collection(
    inputs: Inputs, representation: Representation, *, learn: Learn | None = None, progress: OnProgress = no_op
) -> Collection:
    """Return the documents with rows; `learn(texts)` learns the words, None means that they are fitted.

    `progress` counts the texts that the encoder of meaning has encoded.

    Raises InputError unless ids are unique and one per text, and if no document has a row.
    """
    texts, others = as_texts(inputs.documents, "documents"), inputs.examples
    ids, titles = ids_of(inputs.ids, len(texts)), _titles(inputs.titles, len(texts))
    _warn_of_both(texts, others)
    _warn_of_broken(texts)
    if learn is None:
        spaces, kept = representation.collect(texts, inputs.embeddings)
    else:
        spaces, kept = representation.fit(texts, inputs.embeddings, learn, progress)
        warn_of_pairs(representation.vectorizer)
    if not kept.any():
        raise _nothing_left(representation)
    if inputs.embeddings is not None:
        warn_of_zeros(np.flatnonzero(~kept))
        if not are_related(spaces):
            warn(_STRANGE)
    examples = _examples(representation, others, inputs.universum_embeddings) if others else None
    return Collection(ids, titles, texts, representation, spaces, kept, examples)


def warn_of_zeros(rows: Array) -> None:
    """Warn about the documents in `rows`, whose embeddings are zero."""
    if len(rows):
        be = "embeddings are" if len(rows) > 1 else "embedding is"
        warn(f"{len(rows):,} {be} zero, the first that of document {rows[0]}: these documents are skipped")


def ids_of(ids: Iterable[object] | None, n: int) -> list[str]:
    """Return the ids of n documents, by default their positions; raise InputError unless they are n unique ids."""
    if ids is not None and not isinstance(ids, Iterable):
        raise InputError(f"ids is {type(ids).__name__}; give {n} unique ids, one per document")
    result = [str(number) for number in range(n)] if ids is None else [str(identity) for identity in ids]
    if len(result) != n or len(set(result)) != n:
        number = f"{len(set(result))} different of {len(result)} given"
        raise InputError(f"ids must be {n} unique ids, one per document; {number}")
    return result


def _titles(titles: Iterable[object] | None, n: int) -> list[str]:
    """Return the titles of n documents, by default ""; raise InputError unless there are n titles."""
    result = [""] * n if titles is None else [str(title) for title in titles]
    if len(result) != n:
        raise InputError(
            f"there are {len(result)} titles for {n} documents: give a title for each document, or omit titles"
        )
    return result


def _examples(representation: Representation, texts: list[str], embeddings: Any) -> Spaces:
    examples, _ = representation.transform(texts, embeddings, "universum_embeddings")
    if not len(examples):
        warn("no off-topic example contains a word of the vocabulary, so the Universum has no effect")
    return examples


def _nothing_left(representation: Representation) -> InputError:
    why = f"each is {LABELLED_AWAY}, or skipped ({representation.missing})"
    return InputError(f"no document remains to be grouped: {why}")


def _warn_of_both(texts: Sequence[str], universum: Sequence[str]) -> None:
    """Warn about texts that are both documents and off-topic examples; raise InputError if all documents are."""
    both = {text for text in set(texts).intersection(universum) if text.strip()}
    if not both:
        return
    if all(text in both for text in texts if text.strip()):
        raise InputError("all documents are also off-topic examples: give other examples, or other documents")
    row, text = next((row, text) for row, text in enumerate(texts) if text in both)
    subject = f"{len(both)} texts are" if len(both) > 1 else "1 text is"
    begins = " ".join(text.split())[:60]
    warn(
        f"{subject} both among the documents and among the off-topic examples, which is contradictory; the first is "
        f'document {row}, which begins "{begins}"'
    )


def _warn_of_broken(texts: Sequence[str]) -> None:
    """Warn if at least two texts, and one in a hundred, were encoded twice."""
    broken = [row for row, text in enumerate(texts) if is_encoded_twice(text)]
    if len(broken) >= max(2, len(texts) / 100):
        begins = " ".join(texts[broken[0]].split())[:60]
        warn(
            f"{len(broken):,} texts seem to be UTF-8 that another program read as Windows-1252, so their letters are "
            f'wrong; export them again as UTF-8. The first is document {broken[0]}, which begins "{begins}"'
        )


def _without_weights(vectorizer: Any, columns: Array) -> Any:
    if not hasattr(vectorizer, "idf_"):
        raise InputError(f"a {type(vectorizer).__name__} cannot ignore words; use Outgroup's Vectorizer")
    masked = copy.copy(vectorizer)
    masked.idf_ = np.array(vectorizer.idf_, dtype=np.float64)
    masked.idf_[columns] = 0.0
    return masked


@dataclass(frozen=True)
class FitDocuments:
    """The documents of a fit: the mask `inside` (n,), their `spaces` (m rows), and off-topic `examples` in sorted
    order.

    `away` are the indices of documents labelled off-topic; `discarded` (N,) is their mask among the examples.
    """

    documents: Collection
    inside: Array
    spaces: Spaces
    examples: Spaces | None
    away: frozenset[int]
    discarded: Array | None = None

    @classmethod
    def of(cls, documents: Collection, away: frozenset[int]) -> FitDocuments:
        """Move the documents with indices `away` to the examples."""
        out = np.zeros(len(documents), dtype=bool)
        out[list(away)] = True
        gone = out[documents.kept]
        examples = documents.spaces.take(np.flatnonzero(gone))
        if documents.universum is not None:
            examples = examples.join(documents.universum)
        inside = documents.kept & ~out
        if not inside.any():
            raise _nothing_left(documents.representation)
        spaces = documents.spaces.take(np.flatnonzero(~gone))
        if not len(examples):
            return cls(documents, inside, spaces, None, away)
        order = examples.order()
        return cls(documents, inside, spaces, examples.take(order), away, order < np.count_nonzero(gone))

    def sample_weight(self, order: Array) -> Array | None:
        """Return the weights of rows in `order`, (m,); None if they are equal."""
        weights = self.documents.sample_weight
        return None if weights is None else weights[self.inside][order]

    def order(self) -> Array:
        """Return the row indices in the sort order of texts, from the cached order of all rows."""
        stay = self.inside[self.documents.kept]
        order = self.documents.order
        return np.asarray((np.cumsum(stay) - 1)[order[stay[order]]])

    def skipped(self) -> list[tuple[int, str]]:
        """Return the indices of the skipped documents, with reasons."""
        return [(row, self._why(row)) for row in np.flatnonzero(~self.inside).tolist()]

    def _why(self, row: int) -> str:
        if row in self.away and self.documents.kept[row]:
            return LABELLED_AWAY
        if self.documents.outliers is not None and self.documents.outliers[row]:
            return OUTLIER
        return self.documents.representation.why(self.documents.texts[row])
