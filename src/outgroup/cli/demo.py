"""The demo: run the main job on the bundled documents and count the off-topic documents found."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..demo import documents_path, off_topic_path
from .result import Outcome
from .settings import ClusterSettings

_HIDDEN = "off-topic"  # the label of the bundled documents that belong to no topic


def demo_settings(out: Path) -> ClusterSettings:
    """Return the settings of the demo, which replaces its earlier result."""
    return ClusterSettings(documents_path(), k=5, universum=off_topic_path(), out=out, force=True)


def off_topic_sentence(outcome: Outcome) -> str:
    """Return a sentence with the true and false positives among the off-topic documents."""
    hidden = np.array([label == _HIDDEN for label in outcome.corpus.labels or ()])
    verdicts = outcome.verdicts
    if verdicts.off_topic is None:
        return ""
    count, first = int(hidden.sum()), np.argsort(-verdicts.off_topic_score, kind="stable")[: hidden.sum()]
    right, wrong = int(verdicts.off_topic[hidden].sum()), int(verdicts.off_topic[~hidden].sum())
    return (
        f"{count} of these {len(hidden)} documents belong to none of the topics. From {outcome.model.n_universum_} "
        f"other off-topic examples, and without a label, {right} of the {count} were set aside, and {wrong} of the "
        f"{(~hidden).sum()} on-topic documents by mistake. Of the {count} highest off-topic scores, "
        f"{hidden[first].sum()} are theirs."
    )
