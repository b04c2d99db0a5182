"""How often each term was seen in a stream of texts, in bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
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

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> seen = Seen()
    >>> for _ in range(2):
    ...     seen.add(["tea", "bread"], sp.csr_matrix([[2, 1], [1, 0]]), ["tea", "breads"], [3, 1])
    >>> seen.n, seen.documents, seen.occurrences["tea"], seen.forms["breads"]
    (4, {'tea': 4, 'bread': 2}, 6, 2)
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self.n = 0
        self.documents: dict[str, int] = {}
        self.occurrences: dict[str, int] = {}
        self.forms: dict[str, int] = {}

    def add(self, terms: Sequence[str], counts: Any, forms: Sequence[str], totals: Sequence[int]) -> None:
        """Add a block: `counts` (m, terms), and how often each of its `forms` occurred."""
        self.n += counts.shape[0]
        _add(self.documents, terms, document_frequency(counts).tolist())
        _add(self.occurrences, terms, total_frequency(counts).tolist())
        _add(self.forms, forms, totals)
        if len(self.documents) > self._most:
            self.documents = _most_frequent(self.documents, self._most // 2)
            self.occurrences = {term: self.occurrences[term] for term in self.documents}
        if len(self.forms) > self._most:
            self.forms = _most_frequent(self.forms, self._most // 2)

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
