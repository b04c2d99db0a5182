"""A collection in two aligned spaces: the one in which groups are found, and the words that people read."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context

from ..errors import InputError, NoWordError, OutgroupWarning
from ..types import Array, OnCount
from .embeddings import Encode, encoded, encoder_of, unit_vectors
from .texts import text_order
from .vectorizer import Weights, without_words

# --- A collection in two aligned spaces: the one in which groups are found, and the words that people read

as_arrays = config_context(transform_output="default")
"""Decorates what calls a transformer: it shall give arrays, whatever output people have scikit-learn set to."""

NEAREST = 15  # rows that a row knows as its neighbours
NO_WORD = "no word left that is known"
NO_TEXT = "no text"
NO_VECTOR = "its embedding is zero"


@dataclass(frozen=True)
class Spaces:
    """Documents in two aligned spaces.

    `texts` are m documents, `space` (m, d) their rows in which groups are found, `words` (m, V) their TF-IDF rows; both
    are one object where groups are found by words. `graph` (m, m) is who is near whom, by the rows before they were
    averaged with their neighbours, if they were; None where none were looked for. `original` (m, d) are the rows before
    that; None where `space` is as it came.
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
        """Whether groups are found in another space than that of the words."""
        return self.space is not self.words

    @cached_property
    def mean(self) -> Array:
        """The mean of the rows of the space, (d,), found once."""
        return np.asarray(self.space.mean(axis=0)).ravel()

    @cached_property
    def _nearest(self) -> dict[int, tuple[Array, Array]]:
        return {}

    def nearest(self, row: int) -> tuple[Array, Array]:
        """Return the numbers of the 15 nearest rows of a row, or fewer, and their cosines, which are above 0."""
        if row not in self._nearest:
            one = self.space[row]
            cosines = np.asarray(self.space @ (one.toarray().ravel() if sp.issparse(one) else one), dtype=np.float64)
            cosines[row] = -np.inf
            found = np.argsort(-cosines, kind="stable")[:NEAREST]
            found = found[cosines[found] > 0]
            self._nearest[row] = found, cosines[found]
        return self._nearest[row]

    def take(self, rows: Array) -> Spaces:
        """Return the documents of these row numbers (m,)."""
        if len(rows) == len(self) and (np.diff(rows) > 0).all():
            return self
        words = self.words[rows]
        graph = None if self.graph is None else self.graph[rows][:, rows]
        space = self.space[rows] if self.apart else words
        return Spaces([self.texts[row] for row in rows], space, words, graph, self._original(words, lambda X: X[rows]))

    def join(self, other: Spaces) -> Spaces:
        """Return these documents and then the other's."""
        words = _stack(self.words, other.words)
        space = _stack(self.space, other.space) if self.apart else words
        original = self._original(words, lambda X: _stack(X, other.original))
        return Spaces([*self.texts, *other.texts], space, words, None, original)

    def _original(self, words: Any, changed: Callable[[Any], Any]) -> Any:
        """Return the original rows `changed`, which are the `words` where groups are found by these."""
        if self.original is None:
            return None
        return words if self.original is self.words else changed(self.original)

    def mean_words(self, labels: Array, k: int) -> Array:
        """Return the mean word row of each of `k` groups, (k, V) float64: what its texts say; -1 is in none of them."""
        inside = np.flatnonzero(labels >= 0)
        own = labels[inside].astype(np.intp)
        members = sp.csr_matrix((np.ones(len(inside)), (own, inside)), shape=(k, len(self)))
        sums = members @ self.words
        sums = sums.toarray() if sp.issparse(sums) else np.asarray(sums)
        return np.asarray(sums / np.maximum(np.bincount(own, minlength=k), 1)[:, None])

    def order(self, seeds: Array | None = None) -> Array:
        """Return the row numbers in the order of the texts themselves, equal ones by their `seeds` (m,).

        Starts are drawn by row number, and a file and a folder of the same documents, or tomorrow's export of them,
        shall give the same groups.
        """
        return text_order(self.texts, seeds)


class Representation:
    """How texts become rows: a vectorizer's words, and beside them embeddings where they are given or encoded.

    `width` is the number of columns of the embeddings, None where groups are found by words; `encoder` is what
    `encoder_of` takes. `average`, if any, is a transformer that averages rows with their neighbours (`passes_` times):
    groups are then found among the averaged rows.
    """

    def __init__(self, vectorizer: Any, encoder: Any = None, width: int | None = None, average: Any = None) -> None:
        self.vectorizer = vectorizer
        self.width = width
        self.average = average
        self._encode: Encode | None = None if encoder is None else encoder_of(encoder)

    @as_arrays
    def fit(self, texts: list[str], embeddings: Any, learn: Callable[[list[str]], Any]) -> tuple[Spaces, Array]:
        """Learn the words by `learn(texts)`, and return the documents that have a row, and which they are, (n,) bool.

        A text without a known word has none, but takes part where it has an embedding. Raises InputError for embeddings
        that do not fit (see `unit_vectors`).
        """
        vectors = self._vectors(texts, embeddings, "embeddings")
        self.width = None if vectors is None else vectors.shape[1]
        spaces, kept = _aligned(texts, self._learned(texts, learn), vectors)
        return self.among_themselves(spaces), kept

    @as_arrays
    def collect(self, texts: list[str], embeddings: Any) -> tuple[Spaces, Array]:
        """Return the documents of another collection, in the words that are known, with neighbours of its own.

        Raises InputError where embeddings are missing, unexpected or do not fit.
        """
        spaces, kept = self._known(texts, embeddings, "embeddings")
        return self.among_themselves(spaces), kept

    @as_arrays
    def transform(self, texts: list[str], embeddings: Any = None, name: str = "embeddings") -> tuple[Spaces, Array]:
        """Return the documents of new texts that have a row, and which they are, (n,) bool.

        Their neighbours, if any, are among the documents of the fit. Raises InputError where embeddings are missing,
        unexpected or do not fit.
        """
        spaces, kept = self._known(texts, embeddings, name)
        return self.among_fitted(spaces), kept

    @as_arrays
    def among_fitted(self, spaces: Spaces) -> Spaces:
        """Average the rows of other documents with their neighbours among the documents of the fit."""
        if not (self.passes and len(spaces)):
            return spaces
        averaged = self.average.transform(spaces.space, **_words_beside(spaces))
        return Spaces(spaces.texts, averaged, spaces.words, original=spaces.space)

    @property
    def names(self) -> list[str]:
        """The words of the columns, as people should read them; raises InputError for a vectorizer that names none."""
        if not hasattr(self.vectorizer, "get_feature_names_out"):
            name = type(self.vectorizer).__name__
            raise InputError(f"{name} names no words, by which groups are told; use one with get_feature_names_out")
        return [str(word) for word in self.vectorizer.get_feature_names_out()]

    @property
    def passes(self) -> int:
        """How often rows were averaged with their neighbours; 0 for never."""
        return 0 if self.average is None else int(self.average.passes_)

    @property
    def hears_words(self) -> bool:
        """Whether the neighbours of embeddings were found by words, too."""
        return bool(self.passes and self.average.n_words_)

    @as_arrays
    def among_themselves(self, spaces: Spaces, progress: OnCount | None = None) -> Spaces:
        """Average rows with their neighbours, found in the order of the texts: of equal ones the first is nearer.

        Where that leaves rows as they are, the neighbours, if they were looked for, are kept beside them.
        """
        if self.average is None or not len(spaces):
            return spaces
        order = spaces.order()
        averaged = self.average.fit_transform(spaces.space[order], progress=progress, **_words_beside(spaces, order))
        back, graph = np.argsort(order), self.average.graph_
        if graph is None:
            return spaces
        near = graph[back][:, back]
        if not self.passes:
            return replace(spaces, graph=near)
        return Spaces(spaces.texts, averaged[back], spaces.words, near, spaces.space)

    def _learned(self, texts: list[str], learn: Callable[[list[str]], Any]) -> Any:
        """Return the rows of words; where groups are found among embeddings, texts need have none."""
        try:
            return learn(texts)
        except NoWordError:
            if self.width is None or not isinstance(self.vectorizer, Weights):
                raise
            said = "no text has a word that counts: the groups are found among the embeddings, and no words name them"
            warnings.warn(said, OutgroupWarning, stacklevel=6)
            return without_words(self.vectorizer, len(texts))

    def _known(self, texts: list[str], embeddings: Any, name: str) -> tuple[Spaces, Array]:
        vectors = self._vectors(texts, embeddings, name)
        if vectors is None and self.width is not None:
            raise InputError(
                f"the groups were found in embeddings of {self.width} columns; give {name} for these texts as well, "
                "or an encoder"
            )
        if vectors is not None and self.width is None:
            raise InputError(f"the groups were found by words; leave {name} out, or fit again with embeddings")
        return _aligned(texts, self.vectorizer.transform(texts), vectors)

    @property
    def missing(self) -> str:
        """Why a text has no row."""
        return NO_WORD if self.width is None else NO_VECTOR

    def why(self, text: str) -> str:
        """Return why this text has no row."""
        return self.missing if text.strip() or self.width is not None else NO_TEXT

    def _vectors(self, texts: list[str], embeddings: Any, name: str) -> Array | None:
        if embeddings is None and self._encode is not None:
            embeddings, name = encoded(self._encode, texts), "the encoder's result"
        return None if embeddings is None else unit_vectors(embeddings, len(texts), name, self.width)


def _words_beside(spaces: Spaces, order: Any = slice(None)) -> dict[str, Any]:
    """Return the words by which neighbours are found, too, where the rows as they came are none."""
    return {"words": spaces.words[order]} if spaces.apart else {}


def _aligned(texts: list[str], words: Any, vectors: Array | None) -> tuple[Spaces, Array]:
    kept = has_entries(words if vectors is None else vectors)
    spaces = Spaces(texts, words if vectors is None else vectors, words)
    return spaces.take(np.flatnonzero(kept)), kept


def _stack(first: Any, second: Any) -> Any:
    return sp.vstack([first, second], format="csr") if sp.issparse(first) else np.concatenate([first, second])


def has_entries(X: Any) -> Array:
    """Return which rows are not zero, (n,) bool; a row with nan is not, and its clusterer will say so."""
    if isinstance(X, np.ndarray):
        return np.asarray(X.any(axis=1))
    return np.asarray(np.asarray(abs(X).sum(axis=1)).ravel() != 0)


# --- Whether embeddings are those of the texts: texts that are near by them share words, in whatever language

_LOOKED_AT = 500  # documents
_FEWEST = 50  # of which less can be said
_CHANCE = 3.0  # standard deviations: one order in some hundreds is that near to the texts by chance


def are_related(spaces: Spaces) -> bool:
    """Return whether documents share more words with the nearest one among embeddings than with any other.

    They do by far where a row of the embeddings is that of its text (8 to 120 standard deviations on two collections of
    50 to 18,828 documents), and do not where the rows stand in another order. True where there are too few to tell.
    """
    words = sp.csr_matrix(spaces.words)  # another library's vectorizer may give an array
    told = np.flatnonzero(np.diff(words.indptr))
    if len(told) < _FEWEST:
        return True
    rows = told[np.linspace(0, len(told) - 1, min(len(told), _LOOKED_AT)).astype(int)]
    words = words[rows]
    common = np.asarray((words @ words.T).toarray(), dtype=np.float64)
    np.fill_diagonal(common, 0)
    near = common[np.arange(len(rows)), _nearest(np.asarray(spaces.space[rows]))]
    count = len(rows) - 1
    mean = common.sum(axis=1) / count
    variance = np.maximum((common**2).sum(axis=1) / count - mean**2, 0)
    return bool((near - mean).sum() >= _CHANCE * np.sqrt(variance.sum()))


def _nearest(X: Array) -> Array:
    """Return which of the other unit rows is nearest to each, (n,)."""
    cosines = X @ X.T
    np.fill_diagonal(cosines, -np.inf)
    return np.asarray(cosines.argmax(axis=1))
