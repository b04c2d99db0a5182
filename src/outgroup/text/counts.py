"""Count words, phrases and stems of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import chdtri, xlogy

from ..types import Array, OnProgress
from .tokenizer import pairs, segmenter, stem, stop_words, words_of
from .tokens import Tokens

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
    columns, ends = _where(columns >= 0, columns, ends)
    ones, starts = np.ones(len(columns), dtype=np.int32), np.concatenate([[0], ends])
    counts = sp.csr_matrix((ones, columns.astype(np.int32, copy=False), starts), shape=(len(ends), width))
    counts.sum_duplicates()
    return counts


def _where(mask: Array, words: Array, ends: Array) -> tuple[Array, Array]:
    """Return the words in a mask, and the ends of the texts among them."""
    return words[mask], ends - np.searchsorted(np.flatnonzero(~mask), ends)


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


# --- Phrases: pairs of adjacent words that are more frequent than chance ("credit card")


def find_phrases(words: Array, ends: Array, n_words: int, fewest: int) -> Array:
    """Return adjacent word pairs that occur more often than by chance, (m, 2) int64, ascending.

    A pair must occur `fewest` times, more often than expected, and with a log-likelihood ratio (Dunning,
    Computational Linguistics 19(1), 1993) that is significant at 0.001 over all pairs tried (Bonferroni).

    Parameters
    ----------
    words : int array, shape (m,)
        The numbers of the words, negative for dropped ones.
    ends : int array, shape (n,)
        The ends of the texts among the words.
    n_words : int
    fewest : int >= 1

    Examples
    --------
    >>> words = np.array([0, 1, 2, 0, 1, 3, 0, 1] * 20)
    >>> find_phrases(words, np.array([160]), 4, 2).tolist()
    [[0, 1], [1, 2], [1, 3], [2, 0], [3, 0]]
    """
    keys, together = np.unique(_keys(words, ends, n_words)[1], return_counts=True)
    first = np.bincount(keys // n_words, weights=together, minlength=n_words)
    second = np.bincount(keys % n_words, weights=together, minlength=n_words)
    often = together >= fewest
    keys, both = keys[often], together[often]
    frequent = _more_than_chance(both, first[keys // n_words], second[keys % n_words], float(together.sum()))
    return np.column_stack([keys[frequent] // n_words, keys[frequent] % n_words])


def count_phrases(words: Array, ends: Array, phrases: Array, n_words: int) -> Any:
    """Return the counts of the phrases in the texts, CSR int32 (n, m)."""
    wanted = phrases[:, 0] * n_words + phrases[:, 1]
    order, (texts, keys) = np.argsort(wanted), _keys(words, ends, n_words)
    place = np.minimum(np.searchsorted(wanted, keys, sorter=order), max(len(wanted) - 1, 0))
    equal = wanted[order][place] == keys if len(wanted) else np.zeros(len(keys), dtype=bool)
    stops = np.searchsorted(texts[equal], np.arange(len(ends)), side="right")
    return count_columns(order[place[equal]], stops, len(wanted))


def _keys(words: Array, ends: Array, n_words: int) -> tuple[Array, Array]:
    """Return the texts and the keys of adjacent word pairs; stop words are left out, short words do not count."""
    words, ends = _where(words > _SHORT, words.astype(np.int64), ends)
    text = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    inside = (words[:-1] >= 0) & (words[1:] >= 0) & (text[:-1] == text[1:])
    return text[:-1][inside], (words[:-1] * n_words + words[1:])[inside]


def _more_than_chance(both: Array, first: Array, second: Array, total: float) -> Array:
    """Return the mask of phrases, from the counts of the pairs and of their words as first and second."""
    observed = np.stack([both, first - both, second - both, total - first - second + both])
    others = total - first, total - second
    expected = np.stack([first * second, first * others[1], others[0] * second, others[0] * others[1]])
    expected = expected / max(total, 1.0)
    ratio = 2 * (xlogy(observed, observed) - xlogy(observed, np.maximum(expected, 1e-300))).sum(axis=0)
    return (both > expected[0]) & (ratio > chdtri(1, 0.001 / max(len(both), 1)))


# --- Counts of stems and phrases, before selection

_STOP, _SHORT = -1, -2  # words without a stem


@dataclass
class Tally:
    """The counts of the terms (stems and phrases) in the texts, CSR (n, terms); the stems are sorted.

    `words` (m,) are the stems of the words in order, -1 for a stop word and -2 for one of too few letters, and `ends`
    (n,) the ends of the texts in them.
    `totals` are the total counts of the `forms`, and `stems` their stems.
    """

    terms: list[str]
    counts: Any
    words: Array
    ends: Array
    forms: list[str]
    totals: list[int]
    stems: list[str]

    def add(self, phrases: Array) -> None:
        """Append pairs of stems as terms, joined by a space, which stems do not contain."""
        counts = count_phrases(self.words, self.ends, phrases, len(self.terms))
        self.counts = sp.hstack([self.counts, counts], format="csr", dtype=np.int32)
        self.terms = self.terms + [f"{self.terms[first]} {self.terms[second]}" for first, second in phrases.tolist()]


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


def known_phrases(terms: list[str], vocabulary: Iterable[str]) -> np.ndarray:
    """Return the phrases of the vocabulary that consist of terms, as pairs of term indices, (m, 2)."""
    number_of = {term: number for number, term in enumerate(terms)}
    phrases = [term.split(" ") for term in vocabulary if " " in term]
    known = [[number_of[word] for word in phrase] for phrase in phrases if all(word in number_of for word in phrase)]
    return np.array(known, dtype=np.int64).reshape(-1, 2)


def names_of(forms: list[str], totals: list[int], stems: list[str], vocabulary: dict[str, int]) -> list[str]:
    """Return the most frequent word forms of the columns; for a phrase, the forms of its words; ties by alphabet."""
    parts = {part for term in vocabulary for part in term.split(" ")}
    best: dict[str, tuple[int, str]] = {}
    for count, form, stemmed in zip(totals, forms, stems, strict=True):
        if stemmed in parts:
            best[stemmed] = min(best.get(stemmed, (0, "")), (-count, form))
    return [" ".join(best.get(part, (0, part))[1] for part in term.split(" ")) for term in vocabulary]


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
        term_of = np.full(len(forms) + 1, _STOP, dtype=np.int32)
        term_of[:-1][totals > 0], term_of[-1] = columns_of(stems, terms), _SHORT
        words = np.where(inside, term_of[words], np.minimum(words, 0) + _STOP).astype(np.int32, copy=False)
        return Tally(
            terms, count_columns(words, ends, len(terms)), words, ends, known, totals[totals > 0].tolist(), stems
        )

    def count(self, texts: Iterable[str]) -> tuple[list[str], Any, list[str], list[int]]:
        """Count the words of a block of texts; return the arguments of `Frequencies.add`."""
        tally = self.tally(texts)
        return tally.terms, tally.counts, tally.forms, tally.totals

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
