"""Which words become columns: three measures of a word's worth, from counts alone."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

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
