"""What a fitted model says of each document: the groups' scores, how off-topic it is, the verdict, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import DocumentClustering
from ..model.fitting import rows_of, spread
from ..report.words import pulled_out
from ..text.representation import Spaces
from ..types import Array, FindsOffTopic

_WORDS = 8  # words that are told of a document


@dataclass(frozen=True)
class Verdicts:
    """Of n documents: `scores` (n, k) and `off_topic_score` (n,) are nan for a document without a known word.

    `off_topic` (n,) bool is None where there are no verdicts: without a Universum the score is only minus the margin,
    and some clusterers have none at all, which makes it nan.
    Where they are set `aside`, off-topic documents are in no group. Those that are `away` (n,) bool a person said to be
    off-topic: they always are, and in no group; None where nobody said so of any.
    `words` (n,) holds what pulled an off-topic document out, and "" for all others.
    """

    scores: Array
    off_topic_score: Array
    off_topic: Array | None
    words: Sequence[str]
    aside: bool = False
    away: Array | None = None


NO_VERDICTS = Verdicts(np.empty((0, 1)), np.empty(0), None, [])
"""On documents of which all are skipped."""


def judge(model: DocumentClustering, spaces: Spaces, kept: Array, labels: Array | None = None) -> Verdicts:
    """Return the verdicts on n documents, of which those that are `kept` (n,) have rows in `spaces`.

    `labels` (n,) are the groups of the documents of the fit: among them a labelled one stays, whatever its score.
    """
    n, groups = len(kept), model.clusterer_
    if not len(spaces):
        return Verdicts(np.full((n, 1), np.nan), np.full(n, np.nan), None, [""] * n)
    X = rows_of(spaces, groups)
    scores = spread(groups.decision_function(X), kept, np.nan, float)
    score = groups.off_topic_score(X) if isinstance(groups, FindsOffTopic) else np.full(X.shape[0], np.nan)
    if getattr(groups, "reject_coef_", None) is None:
        return Verdicts(scores, spread(score, kept, np.nan, float), None, [""] * n)
    over, aside = score > groups.off_topic_["value"], bool(getattr(groups, "set_aside", False))
    if aside and labels is not None:
        over = labels[kept] < 0
    words = spread(_words(model, spaces.words, over), kept, "", object).tolist()
    return Verdicts(scores, spread(score, kept, np.nan, float), spread(over, kept, False, bool), words, aside)


def _words(model: DocumentClustering, words: Any, over: Array) -> Array:
    said = np.full(len(over), "", dtype=object)
    if over.any() and model.word_reject_ is not None:
        names = model.representation_.names
        found = pulled_out(words[over], *model.word_reject_, len(model.word_coef_), names, _WORDS)
        said[over] = [" ".join(word for word, _ in words) for words in found]
    return said
