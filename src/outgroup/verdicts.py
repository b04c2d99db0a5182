"""What a fitted model says of each document: the groups' scores, how off-topic it is, the verdict, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .model import DocumentClustering, spread
from .report import pulled_out

Array = np.ndarray[Any, Any]

_WORDS = 8  # words that are told of a document


@dataclass(frozen=True)
class Verdicts:
    """Of n documents: `scores` (n, k) and `off_topic_score` (n,) are nan for a document without a known word.

    `off_topic` (n,) bool is None where there are no verdicts: without a Universum the score is only minus the margin.
    `words` (n,) holds what pulled an off-topic document out, and "" for all others.
    """

    scores: Array
    off_topic_score: Array
    off_topic: Array | None
    words: Sequence[str]


def judge(model: DocumentClustering, X: Any, kept: Array) -> Verdicts:
    """Return the verdicts on n documents, of which those that are `kept` (n,) have a row in `X` (m, V)."""
    groups, some = model.clusterer_, X.shape[0] > 0
    scores = groups.decision_function(X) if some else np.empty((0, len(groups.coef_)))
    score = groups.off_topic_score(X) if some else np.empty(0)
    if groups.reject_coef_ is None:
        out, words = None, np.full(len(kept), "", dtype=object)
    else:
        over = score > groups.off_topic_["value"]
        out, words = spread(over, kept, False, bool), spread(_words(model, X, over), kept, "", object)
    return Verdicts(spread(scores, kept, np.nan, float), spread(score, kept, np.nan, float), out, words.tolist())


def _words(model: DocumentClustering, X: Any, over: Array) -> Array:
    groups, said = model.clusterer_, np.full(len(over), "", dtype=object)
    if over.any():
        names = model.get_feature_names_out().tolist()
        found = pulled_out(X[over], groups.reject_coef_, groups.reject_intercept_, names, _WORDS)
        said[over] = [" ".join(word for word, _ in words) for words in found]
    return said
