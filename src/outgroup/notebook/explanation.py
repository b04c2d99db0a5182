"""Why a text is in its group: the words that put it there, the second best group, documents like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import DocumentClustering
from ..report.words import pulled_out

_WORDS, _NEAREST = 8, 3


@dataclass(frozen=True)
class Explanation:
    """Why a text is where it is: its `group` (-1 for none) and its name, the `second` best and by how much it is
    behind, the `words` that put it there with their share, and the `nearest` documents of the group, by id.

    `off_topic` is whether it is beyond the threshold, None where there is none: the group is then the nearest one, and
    the words are those that pulled it out of it."""

    group: int
    name: str
    second: int | None
    margin: float
    off_topic_score: float | None
    words: list[tuple[str, float]]
    nearest: list[str]
    off_topic: bool | None = None

    def __str__(self) -> str:
        """The explanation in a few lines."""
        if self.group < 0:
            return "in no group: no word of it is known, or its embedding is zero"
        behind = "" if self.second is None else f", ahead of group {self.second} by {self.margin:.3g}"
        words = ", ".join(f"{word} +{value:.2g}" for word, value in self.words)
        called = f"group {self.group}" + (f" ({self.name})" if self.name != f"group {self.group}" else "")
        place = f"{'off-topic; nearest to ' if self.off_topic else ''}{called}"
        like = f"\nlike: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{place}{behind}\nwords: {words or 'none'}{like}"


def explain(model: DocumentClustering, names: Sequence[str], text: str, embeddings: Any = None) -> Explanation:
    """Return why a fitted model, whose groups have these `names`, puts a text where it does."""
    if not isinstance(text, str):
        raise InputError(f"explain takes one text, not {type(text).__name__}; give the text itself, such as texts[3]")
    spaces, kept = model.represent([text], embeddings=embeddings)
    if not kept[0]:
        return Explanation(-1, "", None, float("nan"), None, [], [])
    scores = model.decision_function([text], embeddings=embeddings)[0]
    order = np.argsort(-scores, kind="stable")
    group, second = int(order[0]), int(order[1]) if len(order) > 1 else None
    margin = float(scores[group] - (0.0 if second is None else scores[second]))
    tells = getattr(model.clusterer_, "reject_coef_", None) is not None
    off = float(model.off_topic_score([text], embeddings=embeddings)[0]) if tells else None
    away = None if off is None else off > model.clusterer_.off_topic_["value"]
    words = _why_not(model, spaces.words) if away else _why(model, spaces.words, group, second)
    numbers = model.numbers_.tolist()
    like = _like(model, spaces.space, numbers[group])
    ahead_of = None if second is None else numbers[second]
    return Explanation(numbers[group], names[group], ahead_of, margin, off, words, like, away)


def _why(model: DocumentClustering, words: Any, group: int, second: int | None) -> list[tuple[str, float]]:
    """Return the words that raise a row of words for the group above the second best."""
    coef = model.word_coef_
    against = np.zeros_like(coef[group]) if second is None else coef[second]
    names = model.representation_.names
    return pulled_out(words, np.vstack([against, coef[group]]), np.zeros(2), 1, names, _WORDS)[0]


def _why_not(model: DocumentClustering, words: Any) -> list[tuple[str, float]]:
    """Return the words that raise "none of these" for a row of words above the best group."""
    assert model.word_reject_ is not None
    names = model.representation_.names
    return pulled_out(words, *model.word_reject_, len(model.word_coef_), names, _WORDS)[0]


def _like(model: DocumentClustering, space: Any, group: int) -> list[str]:
    """Return the ids of the group's documents that are most like a row of the space; none of a loaded model's."""
    if not hasattr(model, "spaces_"):
        return []
    members = np.flatnonzero(model.labels_[model.kept_] == group)
    cosines = model.spaces_.space[members] @ np.asarray(space.toarray() if hasattr(space, "toarray") else space)[0]
    best = members[np.argsort(-cosines, kind="stable")[:_NEAREST]]
    ids = np.array(model.ids_, dtype=object)[model.kept_]
    return [str(each) for each in ids[best]]
