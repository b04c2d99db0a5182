"""Explain the group of a document: its words, the second best group, and the nearest documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..document_clustering import DocumentClustering
from ..pipeline import rows_of
from ..report.words import pulled_out
from ..text.representation import Spaces

_WORDS = 8


@dataclass(frozen=True)
class Explanation:
    """The explanation of a prediction: the `group` (-1 for none) and its name, the `second` best group and the `margin`
    between both, the `words` with the largest contributions, and the ids of the `nearest` documents of the group.

    `off_topic` is True above the off-topic threshold, None without one. For an off-topic text, `group` is the nearest
    one, and `words` are those with the largest contributions to the rejection.
    """

    group: int
    name: str
    second: int | None
    margin: float
    off_topic_score: float | None
    words: list[tuple[str, float]]
    nearest: list[str]
    off_topic: bool | None = None

    def __str__(self) -> str:
        """Return the explanation in a few lines."""
        if self.group < 0:
            return f"in no group: {self.name or 'no word of it is known, or its embedding is zero'}"
        behind = "" if self.second is None else f", ahead of group {self.second} by {self.margin:.3g}"
        words = ", ".join(f"{word} +{value:.2g}" for word, value in self.words)
        called = f"group {self.group}" + (f" ({self.name})" if self.name != f"group {self.group}" else "")
        place = f"{'off-topic; nearest to ' if self.off_topic else ''}{called}"
        like = f"\nlike: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{place}{behind}\nwords: {words or 'none'}{like}"


def explain(model: DocumentClustering, names: Sequence[str], text: str, embeddings: Any = None) -> Explanation:
    """Return the explanation of a fitted model's prediction for a text; `names` are those of its groups."""
    spaces, kept = model.represent([text], embeddings=embeddings)
    if not kept[0]:
        return Explanation(-1, "", None, float("nan"), None, [], [])
    return _explained(model, names, spaces)


def explain_row(model: DocumentClustering, names: Sequence[str], row: int) -> Explanation:
    """Return the explanation of the group of document `row` of the fit."""
    if not model.kept_[row]:
        return Explanation(-1, dict(model.skipped_)[row], None, float("nan"), None, [], [])
    spaces = model.spaces_.take(np.array([np.count_nonzero(model.kept_[:row])]))
    return _explained(model, names, spaces, row)


def _explained(model: DocumentClustering, names: Sequence[str], spaces: Spaces, row: int | None = None) -> Explanation:
    """Return the explanation of the one document of `spaces`, which is document `row` of the fit, or a new one."""
    X, numbers, groups = rows_of(spaces, model.clusterer_), model.numbers_.tolist(), model.clusterer_
    scores = np.asarray(groups.decision_function(X))[0]
    order = np.argsort(-scores, kind="stable").tolist()
    label = -1 if row is None else int(model.labels_[row])
    group = numbers.index(label) if label >= 0 else order[0]
    second = next((place for place in order if place != group), None)
    margin = float(scores[group] - (0.0 if second is None else scores[second]))
    rejects = getattr(groups, "reject_coef_", None) is not None
    off = float(groups.off_topic_score(X)[0]) if rejects else None
    away = None if off is None else off > groups.off_topic_["value"]
    if away and label >= 0 and getattr(groups, "set_aside", False):
        away = False  # its label keeps it in the group
    words = _why_not(model, spaces.words) if away else _why(model, spaces.words, group, second)
    like = _like(model, spaces.space, numbers[group], row)
    return Explanation(
        numbers[group], names[group], None if second is None else numbers[second], margin, off, words, like, away
    )


def _why(model: DocumentClustering, words: Any, group: int, second: int | None) -> list[tuple[str, float]]:
    """Return the words with the largest contributions to the margin between a group and the second best."""
    coef = model.word_coef_
    against = np.zeros_like(coef[group]) if second is None else coef[second]
    names = model.representation_.names
    return pulled_out(words, np.vstack([against, coef[group]]), np.zeros(2), 1, names, _WORDS)[0]


def _why_not(model: DocumentClustering, words: Any) -> list[tuple[str, float]]:
    """Return the words with the largest contributions to the reject score over the best group."""
    assert model.word_reject_ is not None
    names = model.representation_.names
    return pulled_out(words, *model.word_reject_, len(model.word_coef_), names, _WORDS)[0]


def _like(model: DocumentClustering, space: Any, group: int, row: int | None) -> list[str]:
    """Return the ids of the group's documents nearest to a row, without document `row`; none for a loaded model."""
    if not hasattr(model, "spaces_"):
        return []
    inside = np.flatnonzero(model.kept_)
    members = np.flatnonzero((model.labels_[inside] == group) & (inside != (-1 if row is None else row)))
    cosines = model.spaces_.space[members] @ np.asarray(space.toarray() if hasattr(space, "toarray") else space)[0]
    best = members[np.argsort(-cosines, kind="stable")[:3]]
    return [model.ids_[each] for each in inside[best].tolist()]
