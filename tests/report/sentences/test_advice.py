"""Sentences about off-topic verdicts, for each case that a user may be in."""

import numpy as np
import pytest

from outgroup.report.sentences.advice import ALL_FROM, advice, found
from outgroup.solve.off_topic.threshold import MIXTURE_FROM

from ..conftest import choice


@pytest.fixture
def said(full):
    """The advice for 100 documents, of which a threshold flags some, and another one others."""

    def say(flagged, other=0, method="conformal", share=0.1, precision=0.9):
        score = np.arange(100.0)
        used = choice(method, 99.5 - flagged, share=share, precision=precision, recall=0.5)
        rest = choice({"conformal": "mixture", "mixture": "conformal"}[method], 99.5 - other, share=share)
        threshold = {"method": method, "choices": sorted([used, rest], key=lambda each: each["method"])}
        out = score > used["value"]
        return advice(full(100, 4, off_topic_score=score, off_topic=out, threshold=threshold))

    return say


def test_where_the_other_threshold_flags_more_it_is_named(said):
    assert said(5, 28, share=0.3) == (
        "About 30 % of the collection looks off-topic, but only 5 % was flagged. "
        "To flag 28 %, run again with --off-topic-threshold mixture."
    )


def test_where_no_threshold_flags_more_examples_or_the_rate_are(said):
    for method in ("conformal", "mixture"):
        assert said(5, 5, method, share=0.3).endswith(
            "but only 5 % was flagged. Give more examples, or allow more mistakes, such as with --off-topic-rate 0.1."
        )


def test_where_only_a_share_may_go_out_it_is_said_how_many_examples_change_that(full):
    only = choice("conformal", 94.5, share=0.3, precision=0.9, recall=None)
    score = np.arange(100.0)
    threshold = {"method": "conformal", "choices": [only]}
    summary = full(100, 4, off_topic_score=score, off_topic=score > 94.5, threshold=threshold)
    assert f"Give {MIXTURE_FROM} examples or more" in advice(summary)
    assert ALL_FROM == MIXTURE_FROM


def test_where_far_more_is_flagged_than_looks_off_topic_a_lower_rate_is(said):
    assert said(9, 9, share=0.02, precision=0.2) == (
        "About 2 % of the collection looks off-topic, and 9 % was flagged: look at them before you leave any out, "
        "or try --off-topic-rate 0.025."
    )


def test_where_all_is_well_nothing_is_asked_for(said):
    assert said(9, 12) == (
        "About 10 % of the collection looks off-topic, and 9 % was flagged. By estimate 90 % of these are right. They "
        "are 50 % of what is like the examples."
    )
    assert "--" not in said(0, 0, share=0.0, precision=None)


def test_without_an_estimate_or_verdicts_nothing_is_claimed(said, make, full):
    assert "too few" in said(3, share=None, precision=None)
    assert advice(make()) == ""
    assert advice(full(threshold=None)) == ""


@pytest.mark.parametrize(("count", "words"), [(0, "No document was"), (1, "1 of 30 documents (3 %) was flagged")])
def test_counts_are_told_in_good_grammar(full, count, words):
    assert found(full(off_topic=np.arange(30) < count)).startswith(words)
