"""Groups and documents as small tables: a DataFrame of the library that is at hand, or one that prints well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np

from ..report.clean import clean
from ..report.facts import Summary
from ..session.reporting.arrays_by_number import ByNumber
from ..text.collection import LABELLED_AWAY
from ..text.reading.documents import Corpus

_LIBRARIES = ("pandas", "polars")
_SHOWN, _WIDEST = 30, 40  # rows, and letters of a cell, that are printed


@dataclass(frozen=True)
class Form:
    """How tables shall look: the library of DataFrames that was given, None for none, and its index, where it has
    one."""

    library: str | None = None
    index: Any = None

    @classmethod
    def of(cls, given: Any) -> Form:
        """Return the form of what somebody gave.

        >>> Form.of(["a text"])
        Form(library=None, index=None)
        """
        library = type(given).__module__.partition(".")[0]
        if library not in _LIBRARIES:
            return cls()
        return cls(library, getattr(given, "index", None) if library == "pandas" else None)  # an array has none


def table(columns: Mapping[str, Sequence[Any]], form: Form) -> Any:
    """Return columns of equal length as a DataFrame: of the library of `form`, else in use, else installed, else a
    `Table`; with the index of `form`, where it has one."""
    if form.index is not None:
        return import_module("pandas").DataFrame(dict(columns), index=form.index)
    in_use = [form.library] if form.library else [name for name in _LIBRARIES if name in sys.modules]
    for name in in_use or [name for name in _LIBRARIES if find_spec(name)]:
        return import_module(name).DataFrame(dict(columns))
    return Table(columns)


class Table:
    """Columns by name, that print as a table.

    Examples
    --------
    >>> print(Table({"name": ["tea", "trains"], "size": [2, 10]}))
    name    size
    tea        2
    trains    10
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*self._columns.values(), strict=True):
            yield dict(zip(self._columns, row, strict=True))

    def __repr__(self) -> str:
        lines = [self.columns, *[[_cell(value) for value in row.values()] for row in islice(self, _SHOWN)]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [all(isinstance(value, int | float) for value in values) for values in self._columns.values()]
        shown = [_line(line, widths, right) for line in lines]
        more = len(self) - _SHOWN
        return "\n".join(shown + ([f"and {more} more"] if more > 0 else []))


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    each = zip(cells, widths, right, strict=True)
    return "  ".join(cell.rjust(width) if last else cell.ljust(width) for cell, width, last in each).rstrip()


def _cell(value: Any) -> str:
    said = "" if value is None else f"{value:.3g}" if isinstance(value, float) else clean(str(value))
    said = " ".join(said.split())
    return said if len(said) <= _WIDEST else said[: _WIDEST - 1] + "…"


def topics_of(known: Mapping[int, Mapping[str, Any]], form: Form) -> Any:
    """Return what is `described` of groups, by their numbers, as a table, the largest first."""
    order = sorted(known, key=lambda number: (-known[number]["size"], number))
    whole = max(sum(each["size"] for each in known.values()), 1)
    full = [known[number] for number in order]
    return table(
        {
            "group": order,
            "name": [each["name"] for each in full],
            "size": [each["size"] for each in full],
            "share": [round(each["size"] / whole, 6) for each in full],
            "trust": [each.get("trust", "") for each in full],
            "found_again": [each.get("found_again", 0) for each in full],
            "words": [", ".join(each["words"]) for each in full],
            "example": [each.get("example", "") for each in full],
        },
        Form(form.library),
    )


def documents_of(summary: Summary, shown: ByNumber, corpus: Corpus, why: Mapping[int, str], form: Form) -> Any:
    """Return the documents as a table, in their order; `why` each of the skipped ones was left out, by its number."""
    found, place = summary.documents, np.cumsum(shown.rows) - 1
    names = [group.name for group in summary.groups]
    rows = [int(place[row]) if shown.rows[row] else None for row in range(len(corpus))]
    groups = [-1 if row is None else int(found.group[row]) for row in rows]
    verdicts = shown.verdicts
    thrown = [False] * len(rows) if verdicts.away is None else verdicts.away.tolist()
    unlike = [out or None for out in thrown] if verdicts.off_topic is None else verdicts.off_topic.tolist()
    return table(
        {
            "id": list(corpus.ids),
            "title": list(corpus.titles),
            "group": groups,
            "name": [names[g] if g >= 0 else LABELLED_AWAY * out for g, out in zip(groups, thrown, strict=True)],
            "margin": [float("nan") if row is None else float(found.margin[row]) for row in rows],
            "off_topic_score": verdicts.off_topic_score.tolist(),
            "off_topic": unlike,
            "second": [-1 if row is None else int(found.rival[row]) for row in rows],
            "skipped": [why.get(number, "") for number in range(len(rows))],
        },
        form,
    )
