"""What a report tells of off-topic documents: which, why, and what another threshold would do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from ..facts import OffTopicDocument, OffTopicFacts, ThresholdFacts, Weighted, plain
from ..inputs import Judged, Reject
from ..words import pulled_out
from .reader import Reader
from .view import WHY, DocumentView

_SHOWN = 30  # documents shown
_SAID = tuple(name for name in ThresholdFacts.__dataclass_fields__ if name not in ("flagged", "used"))


def off_topic_facts(reader: Reader, out: Array, judged: Judged) -> OffTopicFacts | None:
    """Gather the documents that are `out` (n,), the farthest first, and the thresholds there were to choose from.

    None where nobody looked for off-topic documents.
    """
    if judged.off_topic is None:
        return None
    score = None if judged.off_topic_score is None else np.asarray(judged.off_topic_score, dtype=float)
    documents = _documents(reader.look, out, score, judged.reject)
    nobody = np.zeros(len(out), dtype=bool)
    away, pinned = (nobody if given is None else given for given in (judged.away, judged.pinned))
    over = None if score is None else np.where(away, -np.inf, score)  # no threshold was asked for these
    thresholds = _thresholds(judged.threshold or {}, over)
    value = next((each.value for each in thresholds if each.used), None)
    back = 0 if over is None or value is None else int(((over > value) & pinned & ~out).sum())
    return OffTopicFacts(int(out.sum()), documents, thresholds, bool(reader.aside.any()), int(away.sum()), back)


def _documents(look: DocumentView, out: Array, score: Array | None, reject: Reject | None) -> list[OffTopicDocument]:
    order = np.argsort(-np.where(out, -look.margins if score is None else score, -np.inf), kind="stable")
    shown = order[: min(_SHOWN, int(out.sum()))]
    why: list[list[Weighted]] = [[] for _ in shown]
    if reject is not None and len(shown):
        why = pulled_out(look.X[shown], *reject, len(look.coef), look.names, WHY)
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
