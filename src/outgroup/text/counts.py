"""Count the stems of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array, OnProgress
from .tokenizer import pairs, segmenter, stem, stop_words, words_of
from .tokens import Tokens
from .vocabulary import document_frequency

# --- Counts of columns


def count_columns(columns: Array, ends: Array, width: int) -> Any:
    """Return the counts of the columns in the texts, CSR int32 (n, width), with sorted, unique indices.

    Parameters
    ----------
    columns : int array, shape (m,)
        The columns of the words; negative ones are left out.
    ends : int array, shape (n,)
        The ends of the texts among the words.
    width : int

    Examples
    --------
    >>> count_columns(np.array([1, 0, 1, -1, 0]), np.array([3, 5]), 2).toarray().tolist()
    [[1, 2], [1, 0]]
    """
    kept = columns >= 0
    columns = columns[kept].astype(np.int32, copy=False)
    starts = np.concatenate([[0], ends - np.searchsorted(np.flatnonzero(~kept), ends)])
    counts = sp.csr_matrix((np.ones(len(columns), dtype=np.int32), columns, starts), shape=(len(ends), width))
    counts.sum_duplicates()
    return counts


def merge_columns(counts: Any, column_of: np.ndarray, width: int) -> Any:
    """Sum columns with the same target index; drop those with a negative one.

    Parameters
    ----------
    counts : CSR matrix, shape (n, m)
    column_of : array of int, shape (m,)
        The targets of the columns; a negative one drops a column.
    width : int
        The number of target columns.

    Returns
    -------
    CSR matrix of the same dtype, shape (n, width), indices sorted.

    Examples
    --------
    >>> merge_columns(sp.csr_matrix([[1, 2, 4]]), np.array([1, -1, 1]), 2).toarray().tolist()
    [[0, 5]]
    """
    columns = np.asarray(column_of, dtype=np.int32)[counts.indices]
    targeted = columns >= 0
    starts = np.concatenate([[0], np.cumsum(targeted)])[counts.indptr].astype(counts.indptr.dtype)
    merged = sp.csr_matrix((counts.data[targeted], columns[targeted], starts), shape=(counts.shape[0], width))
    merged.sum_duplicates()
    return merged


# --- Counts of stems, before selection


@dataclass(frozen=True)
class Tally:
    """The counts of the terms, sorted stems, in the texts, CSR (n, terms).

    `totals` are the total counts of the `forms`, and `stems` their stems.
    """

    terms: list[str]
    counts: Any
    forms: list[str]
    totals: list[int]
    stems: list[str]

    @property
    def frequencies(self) -> tuple[int, list[str], list[int], list[str], list[int]]:
        """The arguments of `Frequencies.add`."""
        return self.counts.shape[0], self.terms, document_frequency(self.counts).tolist(), self.forms, self.totals


def expanded(words: Array, ends: Array, lengths: Array) -> tuple[Array, Array]:
    """Replace each word w by `lengths[w]` parts; return the indices of the parts, and the ends of texts.

    >>> expanded(np.array([1, 0, 1]), np.array([1, 3]), np.array([1, 2]))
    (array([1, 2, 0, 1, 2]), array([2, 5]))
    """
    counts, starts = lengths[words], np.cumsum(lengths) - lengths
    behind = np.cumsum(counts)
    index = np.repeat(starts[words] - behind + counts, counts)
    return index + np.arange(len(index)), np.append(behind, 0)[ends - 1]


def _without(inside: Array, ends: Array) -> Array:
    """Return the mask of words in texts without a word `inside`, (m,) bool."""
    lengths = np.diff(ends, prepend=0)
    has_word, filled = np.zeros(len(ends), dtype=bool), lengths > 0
    if filled.any():
        has_word[filled] = np.logical_or.reduceat(inside, (ends - lengths)[filled])
    return np.repeat(~has_word, lengths)


def _among(words: AbstractSet[str], number_of: dict[str, int]) -> Array:
    """Return the mask of the numbers of `words`, (m,) bool; the number -1 is the last."""
    mask = np.zeros(len(number_of), dtype=bool)
    mask[[number_of[word] for word in words if word in number_of]] = True
    return mask


def columns_of(stems: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    column_of = {stem: column for column, stem in enumerate(vocabulary)}
    return np.array([column_of.get(stem, -1) for stem in stems], dtype=np.int32)


def names_of(forms: list[str], totals: list[int], stems: list[str], vocabulary: Iterable[str]) -> list[str]:
    """Return the most frequent word forms of the columns; ties by alphabet."""
    best = dict.fromkeys(vocabulary, (0, ""))
    for count, form, stemmed in zip(totals, forms, stems, strict=True):
        if stemmed in best:
            best[stemmed] = min(best[stemmed], (-count, form))
    return [form or term for term, (_, form) in best.items()]


# --- Parameters of tokenisation, cheap to send to another process


@dataclass(frozen=True)
class Analyser:
    """The parameters of a `Vectorizer` for tokens and stop words."""

    language: str = "english"
    stop_words: Any = "auto"
    keep_numbers: bool = False
    min_length: int = 2
    segmentation: str = "pairs"

    def tally(self, texts: Iterable[str] | Tokens, progress: OnProgress | None = None) -> Tally:
        """Count the stems of texts without stop words; a text that holds only stop words of the language keeps them."""
        tokens = texts if isinstance(texts, Tokens) else Tokens.of(texts, self.keep_numbers, progress)
        # 1. All words in order, by number; a form is several words in a script without spaces, and a short one none.
        parts = words_of(tokens.forms, self.min_length, self.cut(), self.language)
        number_of = {"": -1}
        numbers = (number_of.setdefault(word, len(number_of) - 1) for part in parts for word in part or ("",))
        flat = np.fromiter(numbers, dtype=np.int32)
        forms = list(number_of)[1:]
        words, ends = tokens.words, tokens.ends
        if len(flat) > len(parts):
            words, ends = expanded(words, ends, np.fromiter((len(part) or 1 for part in parts), dtype=np.int64))
        words = flat[words]
        # 2. Those that count: no stop words, but those of the language in texts that hold no other word.
        inside = ~_among({"", *self.dropped()}, number_of)[words]
        inside |= _among(stop_words(self.language, self.cut()), number_of)[words] & _without(inside, ends)
        # 3. Their stems.
        totals = np.bincount(words[inside], minlength=len(forms))
        known = list(compress(forms, totals))
        stems = stem(known, self.language)
        terms = sorted(set(stems))
        term_of = np.full(len(forms) + 1, -1, dtype=np.int32)
        term_of[:-1][totals > 0] = columns_of(stems, terms)
        counts = count_columns(np.where(inside, term_of[words], -1), ends, len(terms))
        return Tally(terms, counts, known, totals[totals > 0].tolist(), stems)

    def leaves_out(self, word: str) -> bool:
        """Return whether a word is a stop word.

        >>> english = Analyser("english", "auto", False, 2, "pairs")
        >>> english.leaves_out("The"), english.leaves_out("tea")
        (True, False)
        """
        parts = words_of(Tokens.of([word], self.keep_numbers).forms, self.min_length, self.cut(), self.language)
        words = {*chain.from_iterable(parts)}
        return bool(words) and self.dropped() >= words

    def cut(self) -> Callable[[str], list[str]]:
        """Return a function that splits a run of letters in a script without spaces."""
        return segmenter(self.language) if self.segmentation == "words" else pairs

    def dropped(self) -> frozenset[str]:
        """Return the stop words."""
        if self.stop_words is None:
            return frozenset()
        automatic = isinstance(self.stop_words, str)
        return stop_words(self.language, self.cut()) if automatic else frozenset(self.stop_words)
