"""Select words as columns by measures of their worth, and accumulate counts in limited memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

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


MEASURES = {measure.__name__: measure for measure in (document_frequency, mutual_information)}


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
    worth = (counts if isinstance(counts, np.ndarray) else MEASURES[measure](counts))[columns]
    return np.sort(columns[np.argsort(-worth, kind="stable")[:limit]])


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
