"""What a report tells of off-topic documents: which, why, and what another threshold would do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array
from .document import WHY, Look
from .facts import OffTopic, OffTopicDocument, ThresholdFacts, Weighted, plain
from .words import pulled_out

Reject = tuple[Array, Array]
"""Directions (k + 1, V) and intercepts (k + 1,), "none of these" last."""

_SHOWN = 30  # documents shown
_SAID = tuple(name for name in ThresholdFacts.__dataclass_fields__ if name not in ("flagged", "used"))


def off_topic_facts(
    look: Look, out: Array, score: Array | None, reject: Reject | None, threshold: dict[str, Any] | None, *,
    aside: bool = False,
) -> OffTopic:  # fmt: skip
    """Gather the documents that are `out` (n,), the farthest first, and the thresholds there were to choose from."""
    score = None if score is None else np.asarray(score, dtype=float)
    documents = _documents(look, out, score, reject)
    return OffTopic(int(out.sum()), documents, _thresholds(threshold or {}, score), aside)


def checked_reject(coef: Array, reject_coef: Array | None, reject_intercept: Array | None) -> Reject | None:
    """Return both or None; raises InputError unless they fit the groups' directions `coef` (k, V)."""
    if reject_coef is None and reject_intercept is None:
        return None
    k, V = coef.shape
    directions, intercepts = np.asarray(reject_coef), np.asarray(reject_intercept)
    if directions.shape != (k + 1, V) or intercepts.shape != (k + 1,):
        raise InputError(
            f"reject_coef {directions.shape} and reject_intercept {intercepts.shape} do not fit {k} groups and {V} "
            f"words: give {(k + 1, V)} and {(k + 1,)}"
        )
    return directions, intercepts


def _documents(look: Look, out: Array, score: Array | None, reject: Reject | None) -> list[OffTopicDocument]:
    order = np.argsort(-np.where(out, -look.margins if score is None else score, -np.inf), kind="stable")
    shown = order[: min(_SHOWN, int(out.sum()))]
    why: list[list[Weighted]] = [[] for _ in shown]
    if reject is not None and len(shown):
        why = pulled_out(look.X[shown], *reject, look.names, WHY)
    found = []
    for i, words in zip(shown.tolist(), why, strict=True):
        value = None if score is None else plain(round(float(score[i]), 6))
        found.append(OffTopicDocument(*look.shown(i, words), group=int(look.labels[i]), score=value, words=words))
    return found


def _thresholds(threshold: dict[str, Any], score: Array | None) -> list[ThresholdFacts]:
    """What each threshold flags is counted where there are scores: those it was set on were held out of the fit."""
    found = []
    for choice in threshold.get("choices", ()):
        flagged = choice["flagged"] if score is None else (score > choice["value"]).sum()
        said = {name: plain(choice.get(name)) for name in _SAID}
        found.append(ThresholdFacts(**said, flagged=int(flagged), used=choice["method"] == threshold["method"]))
    return found
