"""How texts become weighted words: counted, the rare and the common left out, each by its share of the documents."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

from ...errors import InputError, NoWordError
from .analyser import Analyser
from .languages import language_names
from .select import best_columns, rare_among_distinct

_MOST = 2**63 - 1  # documents


class Weights(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The part of `Vectorizer` that counts, chooses and weighs words, by the parameters that it names."""

    language: str
    stop_words: Any
    min_df: float | str
    max_df: float
    max_features: int | None
    selection: str
    sublinear_tf: bool
    phrases: bool
    keep_numbers: bool
    min_length: int
    segmentation: str

    vocabulary_: dict[str, int]
    idf_: np.ndarray
    _names: list[str]

    def _check_parameters(self) -> None:
        try:
            self._validate_params()
            language_names(self.language)
        except ValueError as error:
            raise InputError(str(error)) from error

    @property
    def analyser(self) -> Analyser:
        """What a word is, as plain values."""
        return Analyser(self.language, self.stop_words, self.keep_numbers, self.min_length, self.segmentation)

    def _fewest(self, n: int) -> float:
        return _fewest(n) if isinstance(self.min_df, str) else _documents(self.min_df, n)

    def _select(self, frequency: np.ndarray, n: int, counts: Any) -> np.ndarray:
        """Return the columns to keep, by the number of texts, of all `n`, in which each occurs."""
        fewest = self._fewest(n)
        most = max(1, _documents(self.max_df, n))
        allowed = (frequency >= fewest) & self._not_common(frequency, most, counts)
        kept = best_columns(counts, allowed, self.selection, self.max_features)
        if not len(frequency):
            raise NoWordError(
                f"no word left: {n} text{'s hold' if n > 1 else ' holds'} nothing but stop words, digits (words with "
                f"{{keep_numbers}}), words of fewer letters than {{min_length}}, {self.min_length}, and signs such as "
                "emoji"
            )
        if not len(kept):
            raise NoWordError(
                f"no word left: of {len(frequency)} stems in {n} texts none occurs in at least "
                f"{fewest:g} and at most {most:g} texts; give more texts that differ, or change {{min_df}} and "
                "{max_df}"
            )
        return kept

    def _not_common(self, frequency: np.ndarray, most: float, counts: Any) -> np.ndarray:
        """Return which columns occur in no more than so many texts, or, where many say the same, of those that differ.

        What half of the answers repeat word for word is no stop word. A stream does not look at it: it has no counts.
        """
        rare = frequency <= most
        if rare.all() or isinstance(self.max_df, Integral) or not sp.issparse(counts):
            return rare
        return rare | rare_among_distinct(counts, frequency, float(self.max_df))

    def _learn(self, stems: list[str], frequency: np.ndarray, n: int) -> None:
        self.vocabulary_ = {stem: column for column, stem in enumerate(stems)}
        self.idf_ = np.log((1 + n) / (1 + frequency)) + 1

    def _weigh(self, counts: Any) -> Any:
        weights = counts.data.astype(np.float64)
        if self.sublinear_tf:
            weights = np.log(weights) + 1
        weights *= self.idf_[counts.indices]
        row = np.repeat(np.arange(counts.shape[0], dtype=np.int32), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(row, weights=weights**2, minlength=counts.shape[0]))
        weights /= np.where(lengths > 0, lengths, 1.0)[row]  # words that a session ignores weigh nothing
        return sp.csr_matrix((weights.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


def without_words(vectorizer: Weights, n: int) -> Any:
    """Let a vectorizer know no word at all, and return the rows that n texts have then, (n, 0)."""
    vectorizer._learn([], np.empty(0), n)
    vectorizer._names = []
    return sp.csr_matrix((n, 0), dtype=np.float32)


def _documents(limit: float, n: int) -> float:
    """Return a limit as a number of documents; scikit-learn's convention: an int is one already, a float is a share."""
    return min(int(limit), _MOST) if isinstance(limit, Integral) else limit * n


def _fewest(n: int) -> int:
    """Return the fewest documents a word must occur in, for n documents: a word of one or two tells no group apart."""
    return 1 if n < 10 else 2 if n < 50 else 3
