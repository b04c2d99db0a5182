"""The demo: the bundled documents through the main job, and what the off-topic examples did for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from .demo import documents_path, off_topic_path
from .job import Outcome
from .progress import Steps
from .settings import ClusterSettings

_STARTS = 100  # few documents leave many local optima, and each start takes a twentieth of a second
_HIDDEN = "off-topic"  # the label of the bundled documents that belong to no topic


def demo_settings(out: Path) -> ClusterSettings:
    """Return the job of the demo, which may replace its earlier result."""
    return ClusterSettings(documents_path(), k=5, universum=off_topic_path(), n_init=_STARTS, out=out, force=True)


def lesson(outcome: Outcome, steps: Steps) -> str:
    """Say what the Universum did to the hidden off-topic documents, in plain words; fits once more without it."""
    hidden = np.array([label == _HIDDEN for label in outcome.corpus.labels or ()])[outcome.model.labels_ >= 0]
    groups = outcome.model.clusterer_
    alone = clone(groups).fit(outcome.model.X_, progress=steps.of("fitting without the examples"))
    with_it, without = (_told_apart(each, outcome.model.X_, hidden) for each in (groups, alone))
    return (
        f"{hidden.sum()} of these documents belong to none of the topics. The {outcome.model.n_universum_} off-topic "
        "examples pushed such documents to the borders: of a hidden one and any other, the hidden one lies nearer to a "
        f"border in {100 * with_it:.0f} of 100 pairs. Without the examples: in {100 * without:.0f} (chance: 50)."
    )


def _told_apart(groups: Any, X: Any, hidden: Any) -> float:
    """Return the share of pairs, a hidden document and another, in which the hidden one has the smaller margin."""
    scores = np.sort(groups.decision_function(X), axis=1)
    return float(roc_auc_score(hidden, scores[:, -2] - scores[:, -1]))
