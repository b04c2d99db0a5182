"""How often each term was seen in a stream of texts, in bounded memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .select import document_frequency, total_frequency

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
