"""Sentences about off-topic verdicts, for each case that a user may be in."""

import numpy as np
import pytest

from outgroup.report.sentences import ALL_FROM, FROM, advice, found, taking_back
from outgroup.solve.threshold import JUNK

from .conftest import choice


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
    assert f"Give {JUNK.mixture_from} examples or more" in advice(summary)
    assert JUNK.mixture_from == ALL_FROM


def test_where_far_more_is_flagged_than_looks_off_topic_a_lower_rate_is(said):
    assert said(9, 9, share=0.02, precision=0.2) == (
        "About 2 % of the collection looks off-topic, and 9 % was flagged: look at them before you leave any out, "
        "or try --off-topic-rate 0.025."
    )


def test_where_all_is_well_nothing_is_asked_for(said):
    assert said(9, 12) == (
        "About 10 % of the collection looks off-topic, and 9 % was flagged. By estimate 90 % of these are right. Of "
        "what is like the examples, 50 % is flagged."
    )
    assert "--" not in said(0, 0, share=0.0, precision=None)


def test_without_an_estimate_or_verdicts_nothing_is_claimed(said, make, full):
    assert "cannot be told by so few examples" in said(3, share=None, precision=None)
    assert advice(make()) == ""
    assert advice(full(threshold=None)) == ""


def test_who_gave_fewer_than_ten_examples_is_told_that_these_set_nothing_aside(full):
    """Nothing is promised of a threshold that nothing can pass: it read as if there was no junk."""
    nothing = {"method": "conformal", "choices": [choice("conformal", np.inf)]}
    summary = full(off_topic=np.zeros(30, dtype=bool), threshold=nothing)
    assert advice(summary) == f"Fewer than {FROM} examples set nothing aside: give {FROM} at least, better {ALL_FROM}."
    assert JUNK.fewest == FROM
    assert summary.off_topic.verdicts == []


@pytest.mark.parametrize(("count", "words"), [(0, "No document was"), (1, "1 of 30 documents (3 %) was flagged")])
def test_counts_are_told_in_good_grammar(full, count, words):
    assert found(full(off_topic=np.arange(30) < count)).startswith(words)


@pytest.fixture
def judged(full):
    """A summary of 100 documents, of which some score above the threshold, and a person decided about others."""

    def summed(flagged, away, back, aside=True, share=0.1):
        n, score = 100, np.arange(100.0)
        thrown, pinned = np.arange(n) < away, np.arange(n) >= n - back
        out = ((score > 99.5 - flagged) & ~pinned) | thrown
        labels = np.where(out if aside else thrown, -1, np.arange(n) % 4)
        choices = {"method": "conformal", "choices": [choice("conformal", 99.5 - flagged, share=share)]}
        changes = {"labels": labels, "off_topic": out, "off_topic_score": score, "threshold": choices}
        return full(n, 4, **changes, away=thrown, pinned=pinned)

    return summed


@pytest.fixture
def decided(judged):
    """What is said of such documents."""
    return lambda *given, **changes: found(judged(*given, **changes))


def test_who_set_documents_aside_is_told(decided):
    assert decided(9, 0, 0) == "9 of 100 documents (9 %) were set aside as off-topic."
    assert decided(9, 3, 0) == (
        "12 of 100 documents (12 %) were set aside as off-topic: 3 by a person's decisions, 9 by the threshold."
    )
    assert decided(0, 1, 0) == "1 of 100 documents (1 %) was set aside as off-topic, by a person's decisions."


def test_why_fewer_are_set_aside_than_the_threshold_flags_is_told(decided):
    back = "The threshold flags 9, but 2 of these were given to a group by a person's decisions."
    assert decided(9, 0, 2) == f"7 of 100 documents (7 %) were set aside as off-topic. {back}"
    assert decided(9, 3, 2) == (
        "10 of 100 documents (10 %) were set aside as off-topic: 3 by a person's decisions, 7 by the threshold. " + back
    )
    assert decided(2, 0, 2) == f"No document was set aside as off-topic. {back.replace('9', '2')}"


def test_what_is_flagged_and_stays_is_not_said_to_be_set_aside(decided):
    assert decided(9, 3, 0, aside=False) == (
        "3 of 100 documents (3 %) were set aside as off-topic, by a person's decisions. "
        "9 more were flagged, and left in the groups."
    )


def test_what_a_person_threw_away_is_not_counted_among_those_that_the_threshold_flags(full):
    n, score = 100, np.arange(100.0)
    out = score > 90.5  # nine, three of which were thrown away, whatever their score
    choices = {"method": "conformal", "choices": [choice("conformal", 90.5, share=0.1)]}
    labels = np.where(out, -1, np.arange(n) % 4)
    summary = full(n, 4, labels=labels, off_topic=out, off_topic_score=score, threshold=choices, away=score > 96.5)
    assert (summary.off_topic.thrown_away, summary.off_topic.used.flagged) == (3, 6)
    assert ": 3 by a person's decisions, 6 by the threshold." in found(summary)


def test_what_a_person_picked_tells_no_share(judged):
    assert "by documents that a person picked" in advice(judged(5, 3, 0, share=None))


def test_taking_back_works_with_every_method(judged):
    """Not every method takes a seeds file, which was what it spoke of."""
    said = taking_back(judged(5, 0, 0))
    assert "press y on it in the workbench" in said
    assert "--from RESULT --steer" in said
    assert "--seeds" not in said
