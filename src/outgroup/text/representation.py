"""The two aligned spaces of a collection: one for groups, one of readable words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from sklearn import config_context

from ..errors import InputError, NoWordError, warn
from ..rows.arrays import normalize
from ..types import Array, OnCount, OnProgress, no_op
from .embeddings import Encode, encoded, encoder_of, unit_vectors
from .encoder import MEANING, Choice, MeaningEncoder, choose, is_installed
from .texts import text_order
from .vectorizer import Vectorizer, without_words

# --- Spaces and the representation

as_arrays = config_context(transform_output="default")
"""Decorates callers of transformers: sets their output to arrays, whatever the global scikit-learn configuration."""

AUTO = "auto"
"""The encoder that chooses between words alone, and words and meaning."""

T = TypeVar("T")

NO_WORD = "no known word"
NO_TEXT = "no text"
NO_VECTOR = "its embedding is zero"


@dataclass(frozen=True)
class Spaces:
    """Documents in two aligned spaces.

    `texts` are m documents, `space` (m, d) their rows for grouping, `words` (m, V) their TF-IDF rows: the same object
    if groups are found by words. `graph` (m, m) is the neighbour graph of the rows before averaging, None if it was not
    computed. `original` (m, d) are the rows before averaging, None if `space` is not averaged.
    """

    texts: list[str]
    space: Any
    words: Any
    graph: Any = None
    original: Any = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def apart(self) -> bool:
        """Whether groups use another space than the words."""
        return self.space is not self.words

    @property
    def unaveraged(self) -> Any:
        """The rows before averaging; averaging hides outliers."""
        return self.space if self.original is None else self.original

    @cached_property
    def mean(self) -> Array:
        """The mean of the rows of the space, (d,), cached."""
        return np.asarray(self.space.mean(axis=0)).ravel()

    @cached_property
    def _results(self) -> dict[Callable[[Spaces], Any], Any]:
        return {}

    def once(self, make: Callable[[Spaces], T]) -> T:
        """Return `make` of these documents, cached by the function."""
        if make not in self._results:
            self._results[make] = make(self)
        return cast("T", self._results[make])

    def with_columns(self, columns: Sequence[int]) -> Array:
        """Return the mask of documents that contain a word of these columns, (m,) bool."""
        return np.asarray(abs(self.words[:, list(columns)]).sum(axis=1)).ravel() > 0

    def masked(self, columns: Array, by_words: bool) -> tuple[Spaces, Array]:
        """Return the documents without the word columns `columns`, and the mask of those that still have a row.

        `by_words` is True if groups are found by words, averaged or not.
        """
        words = without_columns(self.words, columns)
        space = self.space if self.apart else words
        if by_words and self.apart:
            space = without_columns(space, columns)
        left = has_entries(space)
        original = words if by_words and self.original is not None else self.original
        return Spaces(self.texts, space, words, self.graph, original).take(np.flatnonzero(left)), left

    def rows(self, order: Any) -> Any:
        """Return the rows of the space in the given order; those in files keep theirs."""
        return self.space[order]

    def take(self, rows: Array) -> Spaces:
        """Return the documents of these row indices (m,)."""
        if len(rows) == len(self) and (np.diff(rows) > 0).all():
            return self
        words = self.words[rows]
        graph = None if self.graph is None else self.graph[rows][:, rows]
        space = self.space[rows] if self.apart else words
        return Spaces([self.texts[row] for row in rows], space, words, graph, self._original(words, lambda X: X[rows]))

    def join(self, other: Spaces) -> Spaces:
        """Concatenate these documents and those of `other`."""
        words = _stack(self.words, other.words)
        space = _stack(self.space, other.space) if self.apart else words
        original = self._original(words, lambda X: _stack(X, other.original))
        return Spaces([*self.texts, *other.texts], space, words, None, original)

    def _original(self, words: Any, changed: Callable[[Any], Any]) -> Any:
        """Apply `changed` to the original rows; if these are the `words`, return them."""
        if self.original is None:
            return None
        return words if self.original is self.words else changed(self.original)

    def mean_words(self, labels: Array, k: int) -> Array:
        """Return the mean word rows of `k` groups, (k, V) float64; label -1 is ignored."""
        inside = np.flatnonzero(labels >= 0)
        groups = labels[inside].astype(np.intp)
        members = sp.csr_matrix((np.ones(len(inside)), (groups, inside)), shape=(k, len(self)))
        sums = members @ self.words
        sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
        return np.asarray(sums / np.maximum(np.bincount(groups, minlength=k), 1)[:, None])

    def typical_words(self, sets: Sequence[Array], most: int = 8) -> list[list[int]]:
        """Return the columns of the words most typical of sets of rows: mean entry minus that of other rows."""
        labels = np.full(len(self), len(sets))
        for number, rows in enumerate(sets):
            labels[rows] = number
        counts, columns = np.bincount(labels, minlength=len(sets) + 1), []
        means = self.mean_words(labels, len(counts))
        for count, mean in zip(counts[:-1], means, strict=False):
            lift = mean - (counts @ means - count * mean) / max(len(self) - count, 1)
            columns.append([index for index in np.argsort(-lift, kind="stable")[:most].tolist() if lift[index] > 0])
        return columns

    def order(self, seeds: Array | None = None) -> Array:
        """Return the row indices in the sort order of the texts; `seeds` (m,) break ties.

        Random starts use row indices: a canonical order makes groups independent of the order of the input.
        """
        return text_order(self.texts, seeds)


class Representation:
    """Converts texts to rows: words of a vectorizer, and embeddings that are given or computed.

    `width` is the number of columns of the embeddings, None if groups are found by words. `encoder` is an argument of
    `encoder_of`, a `MeaningEncoder`, or "auto": `fit` then chooses, see `choice`. `average` is an optional transformer
    that averages rows with their neighbours `passes_` times; groups are then found among the averaged rows.
    `names_by_meaning` tells whether the encoder of meaning knows the language of the texts, so names may use it.
    """

    def __init__(
        self,
        vectorizer: Any,
        encoder: Any = None,
        width: int | None = None,
        average: Any = None,
        *,
        names_by_meaning: bool = False,
    ) -> None:
        self.vectorizer = vectorizer
        self.width = width
        self.average = average
        self.encoder = encoder
        self.choice: Choice | None = None  # of "auto"
        self.names_by_meaning = names_by_meaning
        built_in = encoder is None or encoder == AUTO or isinstance(encoder, MeaningEncoder)
        self._encode: Encode | None = None if built_in else encoder_of(encoder)

    @as_arrays
    def fit(
        self,
        texts: list[str],
        embeddings: Any,
        learn: Callable[[list[str]], Any],
        progress: OnProgress = no_op,
    ) -> tuple[Spaces, Array]:
        """Learn the words with `learn(texts)`; return the documents that have a row, and their mask (n,).

        A text without a known word has a row only if it has an embedding. Raises InputError for invalid embeddings
        (see `unit_vectors`).
        """
        vectors = self.vectors(texts, embeddings, "embeddings", progress)
        words = self._learned(texts, learn, vectors)
        if vectors is None and self.encoder == AUTO:
            self.choice = choose(texts, words, progress)
            self.encoder, self.names_by_meaning = self.choice.encoder, self.choice.readable
            vectors = self.vectors(texts, None, "embeddings", progress, remember=True)
        self.width = None if vectors is None else vectors.shape[1]
        return _aligned(texts, words, vectors)

    @as_arrays
    def collect(
        self, texts: list[str], embeddings: Any, name: str = "embeddings", *, remember: bool = True
    ) -> tuple[Spaces, Array]:
        """Return the documents of another collection in the known words, and the mask of those with a row (n,).

        Raises InputError for missing, unexpected or invalid embeddings.
        """
        vectors = self.vectors(texts, embeddings, name, remember=remember)
        if vectors is None and self.width is not None:
            raise InputError(
                f"the groups were found in embeddings of {self.width} columns; give {name} for these texts as well, "
                "or an encoder, in the constructor or by load(path, encoder=...)"
            )
        if vectors is not None and self.width is None:
            raise InputError(f"the groups were found by words: omit {name}, or fit again with embeddings")
        return _aligned(texts, self.vectorizer.transform(texts), vectors)

    @as_arrays
    def transform(self, texts: list[str], embeddings: Any = None, name: str = "embeddings") -> tuple[Spaces, Array]:
        """Return the new texts that have a row, and their mask (n,).

        Neighbours come from the documents of the fit. Raises InputError for missing, unexpected or invalid embeddings.
        """
        spaces, has_row = self.collect(texts, embeddings, name, remember=False)
        return self.among_fitted(spaces), has_row

    @as_arrays
    def among_fitted(self, spaces: Spaces) -> Spaces:
        """Average the rows of other documents with their neighbours among the fitted documents."""
        if not (self.passes and len(spaces)):
            return spaces
        averaged = self.average.transform(spaces.space, **_word_rows(spaces))
        return Spaces(spaces.texts, averaged, spaces.words, original=spaces.space)

    @property
    def meaning(self) -> MeaningEncoder | None:
        """The encoder that ships with its weights, None for other vectors or words alone."""
        return self.encoder if isinstance(self.encoder, MeaningEncoder) else None

    @property
    def for_names(self) -> Encode | None:
        """The function of the encoder of meaning for the names of groups; None for words alone."""
        return MeaningEncoder(MEANING.names).encode if self.names_by_meaning and is_installed() else None

    def plain_rows(self, spaces: Spaces) -> Any:
        """Return the rows of outlier scores and of several groups, never averaged: words if `meaning` groups
        (docs/decisions/0034), given embeddings, or words.
        """
        return spaces.unaveraged if self.meaning is None else spaces.words

    @property
    def names(self) -> list[str]:
        """The readable words of the columns; raises InputError if the vectorizer has no names."""
        if not hasattr(self.vectorizer, "get_feature_names_out"):
            name = type(self.vectorizer).__name__
            raise InputError(f"{name} does not name its columns: use a vectorizer with get_feature_names_out")
        return [str(word) for word in self.vectorizer.get_feature_names_out()]

    @property
    def passes(self) -> int:
        """How often rows were averaged with their neighbours; 0 for never."""
        return 0 if self.average is None else int(self.average.passes_)

    @property
    def uses_words(self) -> bool:
        """Whether words contribute to the neighbours of embeddings."""
        return bool(self.passes and self.average.n_words_)

    @as_arrays
    def among_themselves(self, spaces: Spaces, progress: OnCount | None = None) -> Spaces:
        """Average rows with their neighbours; the sort order of the texts breaks ties.

        If the rows stay unchanged, keep the neighbour graph, if computed.
        """
        if self.average is None or not len(spaces):
            return spaces
        order = spaces.order()
        averaged = self.average.fit_transform(spaces.space[order], progress=progress, **_word_rows(spaces, order))
        back, graph = np.argsort(order), self.average.graph_
        if graph is None:
            return spaces
        near = graph[back][:, back]
        if not self.passes:
            return replace(spaces, graph=near)
        return Spaces(spaces.texts, averaged[back], spaces.words, near, spaces.space)

    def _learned(self, texts: list[str], learn: Callable[[list[str]], Any], vectors: Array | None) -> Any:
        """Return the rows of words; they may have no columns if vectors define the groups."""
        try:
            return learn(texts)
        except NoWordError:
            if vectors is None or not isinstance(self.vectorizer, Vectorizer):
                raise
            warn("the texts contain no usable words: groups are found by embeddings alone, and have no words")
            return without_words(self.vectorizer, len(texts))

    @property
    def missing(self) -> str:
        """The reason why texts have no row."""
        return NO_WORD if self.width is None or self.meaning else NO_VECTOR

    def why(self, text: str) -> str:
        """Return the reason why a text has no row."""
        return self.missing if text.strip() or self.missing == NO_VECTOR else NO_TEXT

    def vectors(
        self, texts: list[str], embeddings: Any, name: str, progress: OnProgress = no_op, *, remember: bool = False
    ) -> Array | None:
        """Return unit rows of the given `embeddings` or, without them, of the encoder's vectors; None without both."""
        if embeddings is None and self.meaning is not None:
            return unit_vectors(self.meaning.encode(texts, progress, remember=remember), len(texts), name)
        if embeddings is None and self._encode is not None:
            embeddings, name = encoded(self._encode, texts), "the encoder's result"
        return None if embeddings is None else unit_vectors(embeddings, len(texts), name, self.width)


def _word_rows(spaces: Spaces, order: Any = slice(None)) -> dict[str, Any]:
    """Return the words as an extra argument of the neighbour search; {} if the rows are words themselves."""
    return {"words": spaces.words[order]} if spaces.apart else {}


def _aligned(texts: list[str], words: Any, vectors: Array | None) -> tuple[Spaces, Array]:
    has_row = has_entries(words if vectors is None else vectors)
    spaces = Spaces(texts, words if vectors is None else vectors, words)
    return spaces.take(np.flatnonzero(has_row)), has_row


def _stack(first: Any, second: Any) -> Any:
    return sp.vstack([first, second], format="csr") if sp.issparse(first) else np.concatenate([first, second])


def without_columns(X: Any, columns: Array) -> Any:
    """Return rows with zeros in these columns, scaled to unit length again."""
    X = sp.csr_matrix(X, copy=True)
    X.data[np.isin(X.indices, columns)] = 0
    X.eliminate_zeros()
    return normalize(X, copy=False) if X.shape[0] else X  # off-topic examples may share no word with the documents


def has_entries(X: Any) -> Array:
    """Return the mask of nonzero rows, (n,); NaN counts as nonzero, so that the clusterer rejects it."""
    if isinstance(X, np.ndarray):
        return np.asarray(X.any(axis=1))
    return np.asarray(np.asarray(abs(X).sum(axis=1)).ravel() != 0)


# --- Test whether embeddings match the texts: near texts share words


def are_related(spaces: Spaces) -> bool:
    """Return whether documents share more words with their nearest document by embeddings than with random ones.

    Matching embeddings exceed the mean by far (8 to 120 standard deviations on two collections of 50 to 18,828
    documents); shuffled rows do not. Returns True for too few documents.
    """
    words = sp.csr_matrix(spaces.words)  # another library's vectorizer may give an array
    known = np.flatnonzero(np.diff(words.indptr))
    if len(known) < 50:
        return True
    rows = known[np.linspace(0, len(known) - 1, min(len(known), 500)).astype(int)]
    words = words[rows]
    common = np.asarray((words @ words.T).toarray(), dtype=np.float64)
    np.fill_diagonal(common, 0)
    near = common[np.arange(len(rows)), _nearest(np.asarray(spaces.space[rows]))]
    count = len(rows) - 1
    mean = common.sum(axis=1) / count
    variance = np.maximum((common**2).sum(axis=1) / count - mean**2, 0)
    return bool((near - mean).sum() >= 3 * np.sqrt(variance.sum()))  # chance passes once in some hundreds


def _nearest(X: Array) -> Array:
    """Return the nearest other rows of unit rows, (n,)."""
    cosines = X @ X.T
    np.fill_diagonal(cosines, -np.inf)
    return np.asarray(cosines.argmax(axis=1))
