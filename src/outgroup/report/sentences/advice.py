"""What the off-topic verdicts promise, and what to do about them, in sentences: the same on page and terminal."""

from __future__ import annotations

from ..facts import OffTopicFacts, Summary, ThresholdFacts
from .wording import UNTOLD, expected, percent

_ENOUGH = 0.75  # of the off-topic documents that there seem to be: then no more is asked for
FROM = 10  # examples for a verdict
ALL_FROM = 50  # examples for a threshold that takes out more than its rate
_DOUBTFUL = 0.5  # expected share of right verdicts below which they need a second look


def found(summary: Summary) -> str:
    """How many documents are off-topic, whether they are still in groups, and what of it a person decided."""
    off_topic = summary.off_topic
    back = "" if off_topic is None else _given_back(off_topic)
    if off_topic is None or off_topic.count == 0:
        return f"No document was {'set aside as' if back else 'found to be'} off-topic.{back}"
    aside = summary.n_aside if off_topic.aside else off_topic.count
    what = "set aside" if off_topic.aside else "flagged"
    said = f"{aside:,} of {summary.n_documents:,} documents ({percent(aside / summary.n_documents)})"
    said = f"{said} {_were(aside)} {what} as off-topic{_by_whom(off_topic.thrown_away, aside)}.{back}"
    others = off_topic.count - aside
    return f"{said} {others:,} more {_were(others)} flagged, and left in the groups." if others else said


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _by_whom(thrown: int, aside: int) -> str:
    """Say how many of the documents that are set aside a person threw away; "" for none.

    >>> _by_whom(3, 12), _by_whom(3, 3)
    (": 3 by a person's decisions, 9 by the threshold", ", by a person's decisions")
    """
    if thrown in (0, aside):
        return ", by a person's decisions" if thrown else ""
    return f": {thrown:,} by a person's decisions, {aside - thrown:,} by the threshold"


def _given_back(off_topic: OffTopicFacts) -> str:
    """Say why the threshold flags more than it sets aside; "" where it does not."""
    back = off_topic.taken_back
    if off_topic.used is None or not back:
        return ""
    said = f" The threshold flags {off_topic.used.flagged:,}, but {back:,} of these"
    return f"{said} {_were(back)} given to a group by a person's decisions."


def taking_back(summary: Summary) -> str:
    """How to undo it for one document, or for all; empty where nothing was set aside."""
    if summary.off_topic is None or not summary.off_topic.aside or not summary.off_topic.count:
        return ""
    return (
        "To take one back, press y on it in the workbench, or in report.html, which saves a steering.toml for "
        "--from RESULT --steer: a labelled document is never set aside. --keep-off-topic leaves those that the "
        "threshold flags in their groups."
    )


def promise(used: ThresholdFacts) -> str:
    """What a threshold promises, and on what condition."""
    rate, mistaken = percent(used.rate), "of the on-topic documents are flagged by mistake"
    if used.method == "conformal":
        unconditional = "whatever the off-topic ones are like: so hardly more than that share of all can be flagged"
        return f"At most {rate} {mistaken}, {unconditional}."
    condition = "if the off-topic ones among the documents are like the examples"
    return f"By estimate at most {rate} {mistaken}, {condition}: no guarantee."


def advice(summary: Summary) -> str:
    """How much of the collection looks off-topic, and what to do where the threshold in force flags far less or more.

    Empty where nothing was looked for.
    """
    used = summary.off_topic.used if summary.off_topic else None
    if summary.off_topic is None or used is None:
        return ""
    if used.share is None and used.share_high is None:
        return _too_few(summary.off_topic, used)
    flagged = used.flagged / summary.n_documents
    looks = f"{_about(used)} of the collection looks off-topic"
    if used.share is not None and flagged < _ENOUGH * used.share:
        return (
            f"{looks}, but only {percent(flagged)} was flagged. {_more(summary.off_topic, used, summary.n_documents)}"
        )
    if used.precision is not None and used.precision < _DOUBTFUL:
        lower = f"--off-topic-rate {used.rate / 2:g}"
        return f"{looks}, and {percent(flagged)} was flagged: look at them before you leave any out, or try {lower}."
    return f"{looks}, and {percent(flagged)} was flagged. {_sureness(used)}".rstrip()


def _too_few(off_topic: OffTopicFacts, used: ThresholdFacts) -> str:
    """Why nothing can be told of how much is off-topic, and what would help."""
    if used.value is None:
        return f"Fewer than {FROM} examples set nothing aside: give {FROM} at least, better {ALL_FROM}."
    untold = "How much of the collection is off-topic cannot be told"
    if off_topic.thrown_away:
        return f"{untold} by documents that a person picked: give others as --universum, better {ALL_FROM}."
    return f"{untold} by so few examples: give 20 or more, better {ALL_FROM}."


def _about(used: ThresholdFacts) -> str:
    if used.share is not None:
        return f"About {percent(used.share)}"
    return expected(None, used.share_low, used.share_high)


def _sureness(used: ThresholdFacts) -> str:
    """How many of the verdicts are right by estimate, and how much of what is like the examples they reach."""
    if not used.flagged:
        return ""
    right = expected(used.precision, used.precision_low, used.precision_high)
    if right == UNTOLD:
        right = "How many of these are right cannot be told: look at the least sure."
    else:
        right = f"By estimate {right} of these are right."
    reached = expected(used.recall, used.recall_low, used.recall_high)
    return right if reached == UNTOLD else f"{right} Of what is like the examples, {reached} is flagged."


def _more(off_topic: OffTopicFacts, used: ThresholdFacts, n: int) -> str:
    """How to find more: by the other threshold if it flags more, else by a higher rate."""
    most = max(off_topic.thresholds, key=lambda each: each.flagged)
    if most.flagged > used.flagged:
        return f"To flag {percent(most.flagged / n)}, run again with --off-topic-threshold {most.method}."
    few = all(each.method == "conformal" for each in off_topic.thresholds)
    enough = f"{ALL_FROM} examples or more, by which all goes out that is likely junk" if few else "more examples"
    return f"Give {enough}, or allow more mistakes, such as with --off-topic-rate {min(0.5, 2 * used.rate):g}."
