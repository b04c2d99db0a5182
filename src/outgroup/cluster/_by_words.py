"""Neighbours by the words of documents whose rows are embeddings: each space knows some that the other does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..rows import Neighbours, nearest
from ..rows.matrix import checked_matrix
from ..rows.threads import one_blas_thread
from ..types import Array, OnCount
from ._saved_rows import packed, unpacked
from .auto_passes import MOST_SPARSE
from .averaging import COPY, FALLING, silent


@dataclass(frozen=True)
class ByWords:
    """The TF-IDF rows of fitted documents, (n, V) CSR of unit length, among which neighbours are looked for."""

    rows: Any

    @classmethod
    def of(cls, words: Any, n: int) -> Self | None:
        """Return the words of `n` documents; None where these are too many, or none has a word.

        Raises InputError where they are those of other documents, ValueError for nan or infinity.
        """
        rows = _unit(words)
        if rows.shape[0] != n:
            raise InputError(f"there are {n} rows, and words of {rows.shape[0]}; give those of the same documents")
        return cls(rows) if rows.nnz and n <= MOST_SPARSE else None

    def of_new(self, words: Any, m: int) -> Any:
        """Return the words of `m` new documents as rows; raises InputError where they are missing or do not fit."""
        if words is None:
            raise InputError("neighbours were found by words, too; give the words of these rows as well")
        rows, shape = _unit(words), (m, self.rows.shape[1])
        if rows.shape != shape:
            raise InputError(f"the words have shape {rows.shape} where {shape} fits; give TF-IDF rows as in the fit")
        return rows

    @one_blas_thread()
    def nearest(self, new: Any = None, progress: OnCount | None = None) -> Neighbours:
        """Return the 20 nearest of each fitted row, or of each of the `new` ones, among the fitted rows.

        Each counts by how much nearer it is than the next, as among vectors.
        """
        asked, among = (self.rows, None) if new is None else (new, self.rows)
        return nearest(asked, among, count=FALLING + 1, progress=progress).falling()

    def same(self, new: Any, index: Array, likely: Array) -> Array:
        """Return which of the fitted rows numbered `index` (m, c) say the words of a `new` one, where that is `likely`.

        >>> words = ByWords.of(np.eye(2)[[0, 1]], 2)
        >>> words.same(words.rows[[1]], np.array([[0, 1]]), np.array([[True, True]])).tolist()
        [[False, True]]
        """
        found = np.zeros(likely.shape, dtype=bool)
        row, place = np.nonzero(likely)
        own, theirs = new[row], self.rows[index[row, place]]
        cosines = np.asarray(own.multiply(theirs).sum(axis=1)).ravel()
        found[row, place] = (cosines >= COPY) | (np.diff(own.indptr) + np.diff(theirs.indptr) == 0)
        return found

    def without(self, columns: Array) -> Self:
        """Return the same rows, which say nothing in some columns."""
        return type(self)(silent(self.rows, columns))

    def to_state(self) -> dict[str, Any]:
        """Return the rows as plain values and arrays."""
        return {"rows": packed(self.rows), "n_features": self.rows.shape[1]}

    @classmethod
    def from_state(cls, state: Any, n: int) -> Self | None:
        """Return the words of `n` documents that `to_state` described, None for None; raises ValueError for others."""
        if state is None:
            return None
        rows = unpacked(state["rows"], int(state["n_features"]))
        if not sp.issparse(rows) or rows.shape[0] != n:
            raise ValueError(f"its words have shape {rows.shape} for {n} rows")
        return cls(rows)


def _unit(words: Any) -> Any:
    """Return the rows as CSR of unit length, without entries that are zero."""
    rows = sp.csr_matrix(checked_matrix(words, "words", ensure_min_features=0), copy=True)
    rows.eliminate_zeros()
    return normalize(rows, copy=False) if rows.nnz else rows
