"""The words that become columns: measures of a word's worth, and counts in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

# --- Which words become columns: three measures of a word's worth, from counts alone

Counts = Any  # CSR matrix of int, shape (n documents, V words), indices sorted and unique within a row


def document_frequency(counts: Counts) -> np.ndarray:
    """Return in how many documents each word occurs: int array of shape (V,).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> document_frequency(sp.csr_matrix([[2, 0, 1], [1, 0, 0]])).tolist()
    [2, 0, 1]
    """
    return np.bincount(counts.indices, minlength=counts.shape[1])


def distinct(counts: Counts) -> np.ndarray:
    """Return the number of the first of the rows that hold the same words equally often, ascending.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> distinct(sp.csr_matrix([[2, 0, 1], [1, 0, 0], [2, 0, 1]])).tolist()
    [0, 1]
    """
    signs = np.random.default_rng(0).integers(1, 2**62, size=counts.shape[1])
    sums = counts.astype(np.int64) @ signs  # a sum of 64 bits, which wraps: equal for equal rows, and hardly for others
    return np.sort(np.unique(sums, return_index=True)[1])


def rare_among_distinct(counts: Counts, frequency: np.ndarray, share: float) -> np.ndarray:
    """Return which words occur in at most a `share` of the rows that differ, or in one, (V,) bool.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1, 1, 0], [1, 1, 0], [1, 0, 1]])
    >>> rare_among_distinct(X, document_frequency(X), 0.5).tolist()
    [False, True, True]
    """
    rows = distinct(counts)
    most, copies = max(1, share * len(rows)), counts.shape[0] - len(rows)
    candidates = np.flatnonzero(frequency - copies <= most)  # of the others too many rows differ, whatever is equal
    found = np.zeros(counts.shape[1], dtype=bool)
    found[candidates] = document_frequency(counts[rows][:, candidates]) <= most
    return found


def total_frequency(counts: Counts) -> np.ndarray:
    """Return how often each word occurs in all documents together: int array of shape (V,).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> total_frequency(sp.csr_matrix([[2, 0, 1], [1, 0, 0]])).tolist()
    [3, 0, 1]
    """
    return np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1]).astype(np.int64)


def mutual_information(counts: Counts) -> np.ndarray:
    """Return each word's part of the mutual information between words and documents, in nats: float array, shape (V,).

    With n_dw the count of word w in document d, n_d and n_w its sums and N the sum of all,
    I(w) = sum_d n_dw / N log(N n_dw / (n_d n_w)): how far the word's documents are from those of an average word,
    times how often it occurs (the joint distribution of Dhillon, Mallela and Modha, KDD 2003, which the
    dual-supervision paper selects by).

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> mutual_information(sp.csr_matrix([[1, 1], [1, 0]])).round(4).tolist()  # a third of log(3/4 3/2), of log(3/2)
    [0.0393, 0.1352]
    """
    words = total_frequency(counts)
    documents = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    by_word = counts.tocsc()
    n = by_word.data.astype(np.float64)
    total = n.sum()
    per_word = np.repeat(words, np.diff(by_word.indptr))
    parts = n / total * np.log(total * n / (documents[by_word.indices] * per_word))
    # An exact sum does not depend on the documents' order, so neither does a choice between near equals.
    return np.array([math.fsum(parts[start:end]) for start, end in pairwise(by_word.indptr)])


MEASURES = {
    "document_frequency": document_frequency,
    "total_frequency": total_frequency,
    "mutual_information": mutual_information,
}


def best_columns(counts: Counts, allowed: np.ndarray, measure: str, limit: int | None) -> np.ndarray:
    """Return the columns to keep, in increasing order.

    Parameters
    ----------
    counts : CSR matrix, shape (n, V), or int array, shape (V,)
        The words of each document, or what `measure` gives of them.
    allowed : bool array, shape (V,)
        Which columns may be kept at all.
    measure : {"document_frequency", "total_frequency", "mutual_information"}
        What ranks them; the earlier column wins a tie.
    limit : int or None
        How many to keep at most.

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
    worth = (counts if isinstance(counts, np.ndarray) else MEASURES[measure](counts))[columns]
    return np.sort(columns[np.argsort(-worth, kind="stable")[:limit]])


# --- How often each term was seen in a stream of texts, in bounded memory

_MOST = 2_000_000  # terms, or forms, that are remembered: some 300 MB


class Seen:
    """Frequencies of terms, added up block by block.

    Beyond `most` terms the rarest are forgotten, by the number of documents or occurrences, until half of them are
    left; a term that matters in a large collection is never among them.

    Attributes
    ----------
    n : int
        Documents so far.
    documents, occurrences : dict of str to int
        In how many documents a term was, and how often in all.
    forms : dict of str to int
        How often each word form was seen.
    numbers : dict of str to int
        The number of each term, in the order of appearance; a term that was forgotten gets another one when it comes
        again.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> seen = Seen()
    >>> for _ in range(2):
    ...     _ = seen.add(["tea", "bread"], sp.csr_matrix([[2, 1], [1, 0]]), ["tea", "breads"], [3, 1])
    >>> seen.n, seen.documents, seen.occurrences["tea"], seen.forms["breads"]
    (4, {'tea': 4, 'bread': 2}, 6, 2)
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self.n = 0
        self.documents: dict[str, int] = {}
        self.occurrences: dict[str, int] = {}
        self.forms: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self._next = 0

    def add(self, terms: Sequence[str], counts: Any, forms: Sequence[str], totals: Sequence[int]) -> np.ndarray:
        """Add a block: `counts` (m, terms), and how often each of its `forms` occurred; return the terms' numbers."""
        frequencies = document_frequency(counts).tolist(), total_frequency(counts).tolist()
        return self.add_frequencies(counts.shape[0], terms, *frequencies, forms, totals)

    def add_frequencies(
        self, n: int, terms: Sequence[str], documents: Sequence[int], occurrences: Sequence[int],
        forms: Sequence[str], totals: Sequence[int],
    ) -> np.ndarray:  # fmt: skip
        """Add a block of `n` documents by its terms' and forms' frequencies; return the terms' numbers, (terms,)."""
        self.n += n
        _add(self.documents, terms, documents)
        _add(self.occurrences, terms, occurrences)
        _add(self.forms, forms, totals)
        numbers = self._numbered(terms)
        if len(self.documents) > self._most:
            self.documents = _most_frequent(self.documents, self._most // 2)
            self.occurrences = {term: self.occurrences[term] for term in self.documents}
            self.numbers = {term: number for term, number in self.numbers.items() if term in self.documents}
        if len(self.forms) > self._most:
            self.forms = _most_frequent(self.forms, self._most // 2)
        return numbers

    def plus(self, other: Seen) -> Seen:
        """Take in what was seen elsewhere, and return this."""
        terms = list(other.documents)
        documents, occurrences = list(other.documents.values()), [other.occurrences[term] for term in terms]
        self.add_frequencies(other.n, terms, documents, occurrences, list(other.forms), list(other.forms.values()))
        return self

    def columns(self, vocabulary: Mapping[str, int]) -> np.ndarray:
        """Return the column of each number, -1 for what is not among the words, (numbers,) int32."""
        found = np.full(self._next, -1, dtype=np.int32)
        for word, column in vocabulary.items():
            if word in self.numbers:
                found[self.numbers[word]] = column
        return found

    def _numbered(self, terms: Sequence[str]) -> np.ndarray:
        for term in terms:
            if term not in self.numbers:
                self.numbers[term] = self._next
                self._next += 1
        return np.array([self.numbers[term] for term in terms], dtype=np.int32)

    def sorted(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Return the terms in order, in how many documents each was, and how often."""
        terms = sorted(self.documents)
        each = [
            np.array([found[term] for term in terms], dtype=np.int64) for found in (self.documents, self.occurrences)
        ]
        return terms, each[0], each[1]


def _add(found: dict[str, int], names: Sequence[str], counts: Sequence[int]) -> None:
    for name, count in zip(names, counts, strict=True):
        if count:
            found[name] = found.get(name, 0) + count


def _of(found: dict[str, int], names: list[str]) -> np.ndarray:
    return np.array([found[name] for name in names], dtype=np.int64)


def _most_frequent(found: dict[str, int], most: int) -> dict[str, int]:
    """Return the most frequent entries; of equals, the alphabetically first."""
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:most]
    return dict(best)
