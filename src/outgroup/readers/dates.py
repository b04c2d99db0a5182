"""Parse the dates of a column, and count them by period."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class _DateRules:
    """Rules that decide whether a column holds dates, and in which periods they are counted."""

    periods: int = 32  # of a column
    share: float = 0.8  # the least fraction of dates among the values
    sample: int = 2_000  # first values that are read


DATES = _DateRules()


_WRITTEN = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%d. %B %Y", "%d-%b-%Y", "%Y/%m/%d", "%Y.%m.%d")
_NUMERIC = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)(?:[ T].*)?")
_ISO = re.compile(r"\d{4}-\d\d(-\d\d([ T].*)?)?|\d{4}-W\d\d.*")
_SECONDS = re.compile(r"(\d{9,10})(?:\d{3})?(?:\.\d*)?")
_FROM, _TO = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1990, 2100))
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_UNITS: tuple[tuple[str, Callable[[date], int], Callable[[int], str]], ...] = (
    ("day", date.toordinal, lambda i: date.fromordinal(i).isoformat()),
    ("week", lambda d: (d.toordinal() - 1) // 7, lambda i: date.fromordinal(7 * i + 1).isoformat()),
    ("month", lambda d: 12 * d.year + d.month - 1, lambda i: f"{i // 12:04}-{i % 12 + 1:02}"),
    ("quarter", lambda d: 4 * d.year + (d.month - 1) // 3, lambda i: f"{i // 4:04} Q{i % 4 + 1}"),
    ("year", lambda d: d.year, lambda i: f"{i:04}"),
    ("decade", lambda d: d.year // 10, lambda i: f"{i:03}0s"),
    ("century", lambda d: d.year // 100, lambda i: f"{i:02}00s"),
)


def dates(values: Sequence[str], years: bool = False) -> list[date | None]:
    """Return the day of each value; None if the value is not a date.

    Parameters
    ----------
    values : sequence of str
        ISO 8601, a mail date, "5 May 2024", "2024/05/31", or numeric: 31.5.2024, 5/31/2024. All values together
        decide if the day or the month comes first; if they are ambiguous, the month is second with full stops and first
        with slashes.
    years : bool, default False
        Whether to accept four digits alone as a year, and two digits at the end of a date. Leave it off for a column
        that may hold other numbers.

    Examples
    --------
    >>> [str(day) for day in dates(["2024-05-31", "31 May 2024", "soon", "2024"])]
    ['2024-05-31', '2024-05-31', 'None', 'None']
    >>> [str(day) for day in dates(["5/6/2024", "5/31/2024"])]
    ['2024-05-06', '2024-05-31']
    >>> [str(day) for day in dates(["31.5.24", "2024"], years=True)]
    ['2024-05-31', '2024-01-01']
    """
    month_first = _month_first(values)
    return [_day(value.strip(), month_first, years) for value in values]


def holds_dates(values: Sequence[str]) -> bool:
    """Return whether at least 80 % of the nonblank values are dates, on at least two different days.

    Examples
    --------
    >>> holds_dates(["2024-05-31", "", "2024-06-01"]), holds_dates(["5", "2024-06-01"]), holds_dates(["2024"])
    (True, False, False)
    """
    some = [value for value in values if value.strip()][: DATES.sample]
    days = dates(some)
    known = {day for day in days if day is not None}
    return len(known) > 1 and sum(day is not None for day in days) >= DATES.share * len(some)


def days_of_seconds(values: Sequence[str]) -> list[str] | None:
    """Return the days (UTC) of Unix timestamps in seconds or milliseconds.

    Returns None unless at least 80 % of the non-blank values are timestamps of the years 1990 to 2099. Other values
    stay unchanged.

    Examples
    --------
    >>> days_of_seconds(["1717171717", "1717171717.5", "1717171717000"]), days_of_seconds(["1717171717", "5", "6"])
    (['2024-05-31', '2024-05-31', '2024-05-31'], None)
    """
    days = [_day_of_seconds(value.strip()) for value in values]
    some = sum(not value.isspace() and value != "" for value in values)
    found = sum(day is not None for day in days)
    if not found or found < DATES.share * some:
        return None
    return [value if day is None else day for value, day in zip(values, days, strict=True)]


def _day_of_seconds(value: str) -> str | None:
    found = _SECONDS.fullmatch(value)
    seconds = int(found[1]) if found else 0
    return datetime.fromtimestamp(seconds, UTC).date().isoformat() if _FROM <= seconds < _TO else None


def periods(days: Sequence[date | None]) -> tuple[str, list[str], list[int | None]]:
    """Return the shortest unit that gives at most 32 periods, the periods in order, and the period index of each day.

    Examples
    --------
    >>> periods([date(2024, 5, 31), None, date(2024, 6, 2)])
    ('day', ['2024-05-31', '2024-06-01', '2024-06-02'], [0, None, 2])
    """
    known = [day for day in days if day is not None]
    if not known:
        return "day", [], [None] * len(days)
    first, last = min(known), max(known)
    unit, number, name = next((each for each in _UNITS if each[1](last) - each[1](first) < DATES.periods), _UNITS[-1])
    start = number(first)
    names = [name(i) for i in range(start, number(last) + 1)]
    return unit, names, [None if day is None else number(day) - start for day in days]


def _day(value: str, month_first: bool, years: bool) -> date | None:
    year = date(int(value), 1, 1) if years and _YEAR.fullmatch(value) else None
    return _iso(value) or _in_figures(value, month_first, years) or _in_words(value) or year


def _iso(value: str) -> date | None:
    if not _ISO.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value if len(value) > 7 else f"{value}-01").date()
    except ValueError:
        return None


def _in_figures(value: str, month_first: bool, short: bool) -> date | None:
    found = _NUMERIC.fullmatch(value)
    if not found or (len(found[3]) == 2 and not short):
        return None
    one, two, year = map(int, found.groups())
    if len(found[3]) == 2:
        year += 2000 if year < 69 else 1900  # as in POSIX
    try:
        return date(year, one, two) if month_first else date(year, two, one)
    except ValueError:
        return None


def _in_words(value: str) -> date | None:
    if len(value) > 60 or not any(sign.isdigit() for sign in value):
        return None
    for form in _WRITTEN:
        with suppress(ValueError):
            return datetime.strptime(value, form).date()
    if ":" in value:
        with suppress(ValueError, TypeError, IndexError, OverflowError):
            return parsedate_to_datetime(value).date()
    return None


def _month_first(values: Sequence[str]) -> bool:
    found = [match for value in values[: DATES.sample] if (match := _NUMERIC.fullmatch(value.strip()))]
    first, second = (max((int(match[at]) for match in found), default=0) for at in (1, 2))
    if (first > 12) != (second > 12):
        return second > 12
    return any("/" in match.group() for match in found)
