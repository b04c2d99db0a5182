"""Why documents were skipped, counted, with what a user can mend first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .documents import NEEDS_IO

_MENDABLE = (
    NEEDS_IO,
    "locked by a password",
    "a file of records among",
    "an archive among",
    "cannot be read",
    "folder cannot be read",
    "link to a folder",
    "larger than",
    "unsupported kind",
)


def reasons(skipped: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
    """Return the reasons of (where, reason) with how often each occurs: those that can be mended first, then by number.

    Examples
    --------
    >>> reasons([("a", "no text"), ("b", "no text"), ("c.pdf", "needs pip install 'outgroup[io]'")])
    [("needs pip install 'outgroup[io]'", 1), ('no text', 2)]
    """
    counts = Counter(reason for _, reason in skipped)
    return sorted(counts.items(), key=lambda each: (_place(each[0]), -each[1], each[0]))


def reason_in_words(reason: str, count: int) -> str:
    """Return a reason and its number as words.

    Examples
    --------
    >>> reason_in_words("needs pip install 'outgroup[io]'", 25), reason_in_words("no text", 1)
    ("25 files need pip install 'outgroup[io]'", '1: no text')
    """
    if reason == NEEDS_IO:
        return f"1 file {reason}" if count == 1 else f"{count:,} files {reason.replace('needs', 'need', 1)}"
    return f"{count:,}: {reason}"


def all_in_words(found: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return reasons and their numbers, each as words and with its number; a single one has been counted already.

    Examples
    --------
    >>> all_in_words([("no text", 2), ("larger than 1 MB", 1)]), all_in_words([("no text", 2)])
    ([('2: no text', 2), ('1: larger than 1 MB', 1)], [('no text', 2)])
    """
    told = list(found)
    alone = len(told) == 1 and told[0][0] != NEEDS_IO
    return [(reason if alone else reason_in_words(reason, count), count) for reason, count in told]


def _place(reason: str) -> int:
    return next((place for place, each in enumerate(_MENDABLE) if reason.startswith(each)), len(_MENDABLE))
