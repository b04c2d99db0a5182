"""A fitted vectorizer as plain values and back: what a file says is checked before it is believed."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...errors import ModelError
from .weighting import Weights


class Saved(Weights):
    """The part of `Vectorizer` that is written and read."""

    def to_state(self) -> dict[str, Any]:
        """Return everything needed to vectorise again, as JSON values and one float array (no pickle).

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self)
        parameters = self.get_params()
        if parameters["stop_words"] not in ("auto", None):
            parameters["stop_words"] = sorted(parameters["stop_words"])
        return {"parameters": parameters, "stems": list(self.vocabulary_), "names": self._names, "idf": self.idf_}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the vectorizer whose `to_state` this was.

        Parameters
        ----------
        state : dict
            What `to_state` returned, perhaps read from a file.

        Returns
        -------
        Vectorizer, fitted

        Raises
        ------
        ModelError
            Something is missing, or its parts do not fit together.
        """
        try:
            vectorizer = cls(**state["parameters"])
            stems, names, idf = state["stems"], state["names"], state["idf"]
            vectorizer._check_parameters()
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the saved vectorizer is damaged: {error}") from error
        words = _is_words(stems) and _is_words(names) and len(set(stems)) == len(stems) == len(names)
        given = vectorizer.stop_words
        own = _is_words(given) if not isinstance(given, str) else given == "auto"
        if not words or not (own or given is None) or not _is_idf(idf, len(stems)):
            raise ModelError(
                "the saved vectorizer is damaged: its stems, names and weights are no words, or do not fit"
            )
        vectorizer.vocabulary_ = {stem: column for column, stem in enumerate(stems)}
        vectorizer.idf_, vectorizer._names = idf, names
        return vectorizer


def _is_words(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(word, str) for word in given)


def _is_idf(given: Any, n_words: int) -> bool:
    """Return whether weights are those of words: log((1 + n) / (1 + df)) + 1, from 1 to that of 2^64 documents, or 0
    for a word that is ignored."""
    real = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.shape == (n_words,)
    return real and bool(((given == 0) | ((given >= 1) & (given < 46))).all())
