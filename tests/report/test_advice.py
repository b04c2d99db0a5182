"""Sentences about off-topic verdicts."""

import re

import numpy as np
import pytest

from outgroup.solve.threshold import JUNK
from outgroup.summary.sentences import FEWEST_EXAMPLES, MIXTURE_EXAMPLES, advice, found, promise

from .conftest import choice


def test_fewer_than_ten_examples_set_nothing_aside(full):
    """A threshold without a value makes no promise."""
    nothing = choice("conformal", np.inf)
    summary = full(off_topic=np.zeros(30, dtype=bool), threshold=nothing)
    assert all(str(number) in advice(summary) for number in (FEWEST_EXAMPLES, MIXTURE_EXAMPLES))
    assert JUNK.fewest == FEWEST_EXAMPLES
    assert not summary.off_topic.flags
    assert promise(summary.off_topic.threshold) == ""


@pytest.mark.parametrize(
    ("flagged", "away", "back", "counts"),
    [(9, 0, 2, ["7", "100", "7", "9", "2"]), (9, 3, 2, ["10", "100", "10", "3", "7", "9", "2"]), (2, 0, 2, ["2", "2"])],
)
def test_flagged_documents_that_decisions_keep_are_counted(full, flagged, away, back, counts):
    """Of 100 documents, of which decisions threw `away` the first and keep the last."""
    n, score = 100, np.arange(100.0)
    thrown, pinned = np.arange(n) < away, np.arange(n) >= n - back
    out = ((score > 99.5 - flagged) & ~pinned) | thrown
    summary = full(
        n, 4, labels=np.where(out, -1, np.arange(n) % 4), off_topic=out, off_topic_score=score,
        threshold=choice("conformal", 99.5 - flagged, share=0.1), away=thrown, pinned=pinned,
    )  # fmt: skip
    assert re.findall(r"\d+", found(summary)) == counts
