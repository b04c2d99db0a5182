"""The column by which groups are counted: a date or a category, asked for or found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError
from ..report.facts import By
from ..report.groups.by_column import by_column
from ..text.reading.dates import dates, days_of_seconds, holds_dates, periods
from ..text.reading.documents import Corpus
from ..text.reading.fields import name_among
from ..types import Array

_MOST_SHOWN = 20  # categories; the others are one
_TIMES = re.compile(r"date|time|stamp|created|updated|epoch|utc|datum|fecha|zeit|(^|[_ ])(ts|at|on)$")
_FEWEST_EACH = 2  # documents of a category on average, or the values are names and no categories


@dataclass(frozen=True)
class Chosen:
    """A column, and whether its values are dates."""

    column: str
    values: list[str]
    is_date: bool

    def count(self, rows: Sequence[int], labels: Array, k: int) -> By:
        """Count the documents that have these rows in the corpus."""
        values = [self.values[row] for row in rows]
        return self._by_date(values, labels, k) if self.is_date else self._by_category(values, labels, k)

    def named(self, rows: Sequence[int]) -> list[str]:
        """Return what each of these documents is counted under, "" where that is unknown."""
        values = [self.values[row] for row in rows]
        if not self.is_date:
            return [value.strip() for value in values]
        _, names, numbers = periods(dates(values, years=True))
        return ["" if number is None else names[number] for number in numbers]

    def _by_date(self, values: list[str], labels: Array, k: int) -> By:
        days = dates(values, years=True)
        unit, names, numbers = periods(days)
        wrong = [value for value, day in zip(values, days, strict=True) if day is None and value.strip()]
        said = f"{len(wrong):,} values are no date, such as {wrong[0]:.40}." if wrong else ""
        return by_column(self.column, unit, names, numbers, labels, k, said)

    def _by_category(self, values: list[str], labels: Array, k: int) -> By:
        common = Counter(value for value in values if value.strip()).most_common()
        names = [name for name, _ in common[:_MOST_SHOWN]]
        others = len(common) - len(names)
        number = {name: min(place, _MOST_SHOWN) for place, (name, _) in enumerate(common)}
        shown = names + ([f"{others} others"] if others else [])
        return by_column(self.column, "", shown, [number.get(value) for value in values], labels, k)


def choose(corpus: Corpus, asked: str, label: str) -> Chosen | None:
    """Return the column that was asked for, else the only one that holds dates, else None.

    `label` is what the documents' classes are called, which a folder has, too. Raises InputError for a column that does
    not exist, or whose values are neither dates nor categories.
    """
    columns = dict(corpus.columns)
    if corpus.labels is not None:
        columns.setdefault(label, corpus.labels)
    if not asked:
        found = [Chosen(name, values, True) for name, values in columns.items() if holds_dates(values)]
        found = found or [
            Chosen(name, days, True) for name, values in columns.items() if (days := _times(name, values))
        ]
        return found[0] if len(found) == 1 else None
    asked = name_among(columns, asked)
    if asked not in columns:
        known = ", ".join(map(repr, columns)) or "none"
        raise InputError(f"--by {asked!r}: there is no such column; the columns beside the text are: {known}")
    return _checked(asked, columns[asked])


def _times(name: str, values: list[str]) -> list[str]:
    """Return the days of a column of numbers that are times, as its name says; [] of any other."""
    days = days_of_seconds(values) if _TIMES.search(name.casefold()) else None
    return days if days is not None and holds_dates(days) else []


def _checked(name: str, values: list[str]) -> Chosen:
    some = [value for value in values if value.strip()]
    if days := _times(name, values):
        return Chosen(name, days, True)
    if some and 2 * sum(day is not None for day in dates(some, years=True)) > len(some):
        return Chosen(name, values, True)
    if not some or len(some) < _FEWEST_EACH * len(set(some)):
        if (seconds := days_of_seconds(values)) is not None:
            return Chosen(name, seconds, True)
        example = f", such as {some[0]!r:.60}" if some else ""
        raise InputError(
            f"--by {name!r}: its {len(some)} values are neither dates nor categories: {len(set(some))} different "
            f"ones{example}"
        )
    return Chosen(name, values, False)
