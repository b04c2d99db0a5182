"""How figures are put into words, the same on page and terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..facts import Summary

_SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MEANINGS = {
    "Stability": "How far other starts of the fit agree with the one that was kept: 1 is fully, 0 no more than chance.",
    "Tight groups": "Groups that were found again in at least three of four fits on parts of the documents, and hold "
    "together.",
    "Accuracy": "The share of documents whose group is matched with their label; each group is matched with one label.",
    "NMI": "Normalised mutual information: how much the groups tell of the labels, from 0 to 1.",
    "Adjusted Rand": "Pairs of documents that groups and labels keep together or apart alike: 1 is all, 0 is chance.",
    "Off-topic": "Documents that look like the off-topic examples more than like any group.",
    "Skipped": "Documents that are in no result, each with its reason.",
    "Same text": "Sets of documents with exactly the same text; all were kept.",
}
"""What the figures at the top of the page mean."""
_STABILITY = [
    (0.9, "other starts end in nearly the same groups, which does not say that these are right"),
    (0.7, "other starts end in much the same groups, with some documents elsewhere"),
    (0.4, "other starts put many documents elsewhere; more starts or another number of groups may help"),
    (-1.0, "other starts find other groups; do not lean on these without a second look"),
]


def counted(n: int, one: str) -> str:
    """
    >>> counted(1, "group"), counted(1200, "document")
    ('1 group', '1,200 documents')
    """
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def figure(value: float | None, digits: int = 2) -> str:
    """A number for people: fixed digits, a true minus, a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    shown = f"{round(value, digits) + 0.0:,.{digits}f}" if abs(value) < 1e15 else f"{value:.{digits}e}"
    return shown.replace("-", "−")


def digits(values: Iterable[float | None]) -> int:
    """How many decimals show two digits of the largest of `values`.

    >>> digits([0.031, None, 0.004])
    3
    """
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return 2 if largest == 0.0 else min(8, max(2, 1 - math.floor(math.log10(largest))))


def percent(share: float) -> str:
    """
    >>> percent(0.256), percent(0.004), percent(0.0)
    ('26 %', '0.4 %', '0 %')
    """
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


UNTOLD = "cannot be told"


def expected(share: float | None, low: float | None = None, high: float | None = None) -> str:
    """What to expect: a share, or from what to what it lies where it is not known more closely.

    >>> expected(0.9), expected(None, 0.6, 0.95), expected(None)
    ('90 %', '60 to 95 %', 'cannot be told')
    """
    if share is not None:
        return percent(share)
    if low is None or high is None:
        return UNTOLD
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def when(date: str) -> str:
    """
    >>> when("2026-05-01T08:30+02:00"), when("1 May")
    ('2026-05-01 08:30', '1 May')
    """
    return date[:16].replace("T", " ") if re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", date) else date


def empty(numbers: list[int]) -> str:
    """
    >>> empty([3]), empty([1, 2, 5])
    ('Group 3 is empty.', 'Groups 1, 2 and 5 are empty.')
    """
    if len(numbers) < 2:
        return f"Group {numbers[0]} is empty." if numbers else ""
    return f"Groups {listed(numbers)} are empty."


def listed(parts: Sequence[Any]) -> str:
    """
    >>> listed([1, 2, 5]), listed(["one"])
    ('1, 2 and 5', 'one')
    """
    said = [str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def stability(summary: Summary) -> str:
    """How far the result can be trusted to come again, in a sentence."""
    n, value = len(summary.restarts), summary.stability
    if len(summary.groups) == 1:
        return "One group of all documents is what every start finds."
    if value is None:
        return "One start was fitted, so nothing is known of how stable the groups are."
    who = f"{_SMALL[n] if 1 < n < len(_SMALL) else n} restarts agree" if n > 1 else "the restarts agree"
    meaning = next(words for least, words in _STABILITY if value >= least or least < 0)
    return f"{who[0].upper()}{who[1:]} at {figure(value)}: {meaning}."


def certificate(last: dict[str, Any]) -> str:
    """How well the fit's last step was solved, in a sentence."""
    said = f"The kept result ends at an objective of {figure(last.get('objective'), 4)}"
    gap = last.get("gap")
    return said + (f"; its last step was solved to a proven gap of {gap:.1g}." if gap is not None else ".")


def universum(summary: Summary) -> str | None:
    """What the Universum was, or None."""
    if not summary.universum or not summary.universum.get("count"):
        return None
    source = summary.universum.get("source")
    return counted(summary.universum["count"], "off-topic example") + (f" from {source}" if source else "")
