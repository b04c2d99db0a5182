"""Sentences about off-topic verdicts."""

import numpy as np
import pytest

from outgroup.solve.threshold import JUNK
from outgroup.summary.sentences import THRESHOLDS, advice, found, promise

from .conftest import choice


def test_fewer_than_ten_examples_set_nothing_aside(full):
    """A threshold without a value makes no promise."""
    nothing = choice("conformal", np.inf)
    summary = full(off_topic=np.zeros(30, dtype=bool), threshold=nothing)
    assert all(str(number) in advice(summary) for number in (THRESHOLDS.fewest_examples, THRESHOLDS.mixture_examples))
    assert JUNK.fewest == THRESHOLDS.fewest_examples
    assert not summary.off_topic.flags
    assert promise(summary.off_topic.threshold) == ""


@pytest.fixture
def judged(full):
    """A summary of 100 documents with a threshold and decisions."""

    def build(flagged, away, back, aside=True, share=0.1):
        n, score = 100, np.arange(100.0)
        thrown, pinned = np.arange(n) < away, np.arange(n) >= n - back
        out = ((score > 99.5 - flagged) & ~pinned) | thrown
        labels = np.where(out if aside else thrown, -1, np.arange(n) % 4)
        choices = choice("conformal", 99.5 - flagged, share=share)
        changes = {"labels": labels, "off_topic": out, "off_topic_score": score, "threshold": choices}
        return full(n, 4, **changes, away=thrown, pinned=pinned)

    return build


@pytest.fixture
def decided(judged):
    """The sentence on off-topic documents."""
    return lambda *given, **changes: found(judged(*given, **changes))


def test_flagged_documents_that_decisions_keep_are_counted(decided):
    back = "The threshold flags 9 documents; decisions keep 2 of these in a group."
    assert decided(9, 0, 2) == f"7 of 100 documents (7 %) were set aside as off-topic. {back}"
    assert decided(9, 3, 2) == (
        "10 of 100 documents (10 %) were set aside as off-topic: 3 by decisions, 7 by the threshold. " + back
    )
    assert decided(2, 0, 2) == f"No document was set aside as off-topic. {back.replace('9', '2')}"
