"""Count the stems of texts, and select those that become columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array, OnProgress
from .tokenizer import pairs, segmenter, stem, stop_words, words_of
from .tokens import Tokens

# --- Counts of columns


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


def in_columns(counts: Any, terms: list[str], vocabulary: dict[str, int]) -> Any:
    """Return the counts of terms in the columns of a vocabulary, CSR (n, V); unknown terms are left out."""
    return merge_columns(counts, columns_of(terms, vocabulary), len(vocabulary))


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
        stored = (np.ones(len(words), dtype=np.int32), np.where(inside, words, len(forms)), np.append(0, ends))
        counts = sp.csr_matrix(stored, shape=(len(ends), len(forms) + 1))
        return Tally(terms, merge_columns(counts, term_of, len(terms)), known, totals[totals > 0].tolist(), stems)

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


# --- Measures of the worth of a word, from counts

Counts = Any  # CSR matrix of int, shape (n documents, V words), indices sorted and unique within a row


def document_frequency(counts: Counts) -> np.ndarray:
    """Return the document frequencies of the words, an int array (V,).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> document_frequency(sp.csr_matrix([[2, 0, 1], [1, 0, 0]])).tolist()
    [2, 0, 1]
    """
    return np.bincount(counts.indices, minlength=counts.shape[1])


def distinct(counts: Counts) -> np.ndarray:
    """Return the indices of the first rows of sets of equal rows, ascending.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> distinct(sp.csr_matrix([[2, 0, 1], [1, 0, 0], [2, 0, 1]])).tolist()
    [0, 1]
    """
    signs = np.random.default_rng(0).integers(1, 2**62, size=counts.shape[1])
    sums = counts.astype(np.int64) @ signs  # a 64-bit hash, with overflow: unequal rows rarely collide
    return np.sort(np.unique(sums, return_index=True)[1])


def rare_among_distinct(counts: Counts, frequency: np.ndarray, share: float) -> np.ndarray:
    """Return the mask of words that occur in at most a `share` of the distinct rows, or in one row, (V,) bool.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1, 1, 0], [1, 1, 0], [1, 0, 1]])
    >>> rare_among_distinct(X, document_frequency(X), 0.5).tolist()
    [False, True, True]
    """
    rows = distinct(counts)
    most, copies = max(1, share * len(rows)), counts.shape[0] - len(rows)
    candidates = np.flatnonzero(frequency - copies <= most)  # all others exceed the limit, whichever rows are equal
    rare = np.zeros(counts.shape[1], dtype=bool)
    rare[candidates] = document_frequency(counts[rows][:, candidates]) <= most
    return rare


def mutual_information(counts: Counts) -> np.ndarray:
    """Return the terms of the words in the mutual information of words and documents, in nats, (V,).

    With n_dw the count of word w in document d, n_d and n_w its sums and N the sum of all,
    I(w) = sum_d n_dw / N log(N n_dw / (n_d n_w)): the divergence of the documents of w from the average, times the
    frequency of w (the joint distribution of Dhillon, Mallela and Modha, KDD 2003; the criterion of the
    dual-supervision paper).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> mutual_information(sp.csr_matrix([[1, 1], [1, 0]])).round(4).tolist()  # a third of log(3/4 3/2), of log(3/2)
    [0.0393, 0.1352]
    """
    words = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1])
    documents = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    by_word = counts.tocsc()
    n = by_word.data.astype(np.float64)
    total = n.sum()
    per_word = np.repeat(words, np.diff(by_word.indptr))
    parts = n / total * np.log(total * n / (documents[by_word.indices] * per_word))
    # An exact sum does not depend on the order of the documents, so ties do not either.
    return np.array([math.fsum(parts[start:end]) for start, end in pairwise(by_word.indptr)])


def best_columns(counts: Counts, allowed: np.ndarray, measure: str, limit: int | None) -> np.ndarray:
    """Return the columns to keep, ascending.

    Parameters
    ----------
    counts : CSR matrix, shape (n, V), or int array, shape (V,)
        The counts, or the result of `measure`.
    allowed : bool array, shape (V,)
        The mask of eligible columns.
    measure : {"document_frequency", "mutual_information"}
        The rank of columns; the earlier column wins a tie.
    limit : int or None
        The maximum of columns.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> counts = sp.csr_matrix([[5, 1, 1], [0, 1, 0]])
    >>> best_columns(counts, np.array([True, True, True]), "document_frequency", 1).tolist()
    [1]
    """
    columns = np.flatnonzero(allowed)
    if limit is None or len(columns) <= limit:
        return columns
    if not isinstance(counts, np.ndarray):
        counts = mutual_information(counts) if measure == "mutual_information" else document_frequency(counts)
    return np.sort(columns[np.argsort(-counts[columns], kind="stable")[:limit]])


# --- Frequencies of blocks of texts, in bounded memory


class Frequencies:
    """Term frequencies, accumulated in blocks.

    Beyond `most` terms or forms, by default two million (300 MB), drops the rarest half, by documents or occurrences;
    frequent terms always stay.

    Attributes
    ----------
    n : int
        Documents so far.
    documents : dict of str to int
        The document frequencies of the terms.
    forms : dict of str to int
        The total counts of the word forms.

    Examples
    --------
    >>> frequencies = Frequencies()
    >>> for _ in range(2):
    ...     frequencies.add(2, ["tea", "bread"], [2, 1], ["tea", "breads"], [3, 1])
    >>> frequencies.n, frequencies.documents, frequencies.forms["breads"]
    (4, {'tea': 4, 'bread': 2}, 2)
    """

    def __init__(self, most: int = 2_000_000) -> None:
        self._most = most
        self.n = 0
        self.documents: dict[str, int] = {}
        self.forms: dict[str, int] = {}

    def add(
        self, n: int, terms: Sequence[str], documents: Sequence[int], forms: Sequence[str], totals: Sequence[int]
    ) -> None:
        """Add a block of `n` documents: document frequencies of its terms, and totals of its word forms."""
        self.n += n
        self.documents = self._sums(self.documents, terms, documents)
        self.forms = self._sums(self.forms, forms, totals)

    def _sums(self, sums: dict[str, int], names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
        """Add counts by name; of too many names, return the most frequent half, ties by alphabet."""
        for name, count in zip(names, counts, strict=True):
            if count:
                sums[name] = sums.get(name, 0) + count
        if len(sums) <= self._most:
            return sums
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0]))[: self._most // 2])

    def sorted(self) -> tuple[list[str], np.ndarray]:
        """Return the sorted terms, and their document frequencies."""
        terms = sorted(self.documents)
        return terms, np.array([self.documents[term] for term in terms], dtype=np.int64)
