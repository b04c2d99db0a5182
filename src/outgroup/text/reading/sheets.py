"""Records of spreadsheets: which of the sheets hold them, and below which row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from typing import Any

from ...errors import CorpusError, OutgroupWarning
from .books import SPREADSHEETS, Book, Cells, opened
from .fields import Fields, name_among
from .json_records import Row
from .source import Source

_HEADS = 20  # rows, of those that are not empty, among which the header is
_SHEETS = 60  # that are looked at: more than a year has weeks
_NAMED = 20  # sheets that an error names
_SHEET = "sheet"  # the column that tells joined sheets apart


def sheet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows below the header: a row with the fields of the text, for a title may stand above it.

    The sheet is the one that is asked for, or the first one with such a row and others below it, or else the fullest.
    Sheets behind it that name the same columns are one table with it, unless one was asked for: people write one for
    each month. Raises CorpusError for what is no spreadsheet or has no such sheet, and MissingExtraError where openpyxl
    is needed and not installed.
    """
    with opened(source) as book:
        sheets = _sheets_of(book, fields)
        if not fields.sheet:
            _tell(source, book.names, sheets)
        if not sheets[0].first:
            return
        header, at = _header_of(source, sheets, fields)
        if at:
            said = f"{source.name}: row {sheets[0].first[at][0]} names the columns; what stands above it was left out"
            warnings.warn(said, OutgroupWarning, stacklevel=2)
        if len(sheets) == 1:
            yield from ((number, _record(header, values)) for number, values in sheets[0].below(at))
        else:
            yield from _joined(sheets, header, fields)


@dataclass(frozen=True)
class _Sheet:
    """A sheet of an open spreadsheet, by its number from 0."""

    book: Book
    number: int

    @property
    def name(self) -> str:
        return self.book.names[self.number]

    @cached_property
    def first(self) -> list[Cells]:
        """The first rows that are not empty."""
        rows = self.book.rows(self.number)
        found = list(islice(rows, _HEADS))
        rows.close()
        return found

    @cached_property
    def headers(self) -> list[list[str]]:
        return [_header(values) for _, values in self.first]

    @property
    def filled(self) -> int:
        """How many cells the first rows have."""
        return sum(len(values) for _, values in self.first)

    def below(self, at: int) -> Iterator[Cells]:
        """Yield the rows below one of the first."""
        return islice(self.book.rows(self.number), at + 1, None)

    def header_at(self, fields: Fields, *, widest: bool = False) -> int | None:
        """Return the place of the first row with the fields of the text, or of one that is wider than all above it."""
        widths = [0, *(len(header) for header in self.headers)]
        fit = (at for at, header in enumerate(self.headers) if all(name in header for name in fields.texts(header)))
        return next((at for at in fit if not widest or widths[at + 1] > max(widths[: at + 1])), None)

    def is_table(self, fields: Fields, *, widest: bool = False) -> bool:
        """Return whether a row has the fields of the text, and others stand below it: a cover may have such a cell."""
        at = self.header_at(fields, widest=widest)
        return at is not None and (at + 1 < len(self.first) or len(self.first) == _HEADS)


def _sheets_of(book: Book, fields: Fields) -> list[_Sheet]:
    """Return the sheets that are read.

    A list of keys and values on a cover may have the field of the text among its keys, in a row as wide as the others.
    """
    if fields.sheet:
        return [_sheet_named(book, fields.sheet)]
    every = [_Sheet(book, number) for number in range(min(len(book.names), _SHEETS))]
    for widest in (True, False):
        tables = [sheet for sheet in every if sheet.is_table(fields, widest=widest)]
        if tables:
            return [sheet for sheet in tables if _names(sheet, fields) == _names(tables[0], fields)]
    return [max(every, key=lambda sheet: sheet.filled)]


def _names(sheet: _Sheet, fields: Fields) -> list[str]:
    at = sheet.header_at(fields)
    return [] if at is None else sheet.headers[at]


def _sheet_named(book: Book, asked: str) -> _Sheet:
    """Return the sheet of that name; raises CorpusError, which names those that there are, where there is none."""
    name = name_among(book.names, asked)
    if name not in book.names:
        shown = ", ".join(map(repr, book.names[:_NAMED])) + (" ..." if len(book.names) > _NAMED else "")
        raise CorpusError(f"{book.source.name}: no sheet {asked!r}; the sheets are {shown}")
    return _Sheet(book, book.names.index(name))


def _header_of(source: Source, sheets: list[_Sheet], fields: Fields) -> tuple[list[str], int]:
    """Return the names of the columns, with one for the sheet where there are several, and the place of their row."""
    headers, found = sheets[0].headers, sheets[0].header_at(fields)
    at = _fullest(headers) if found is None else found
    header = [*headers[at], *([_SHEET] if len(sheets) > 1 else [])]
    fields.require(header, source.name)
    return fields.unambiguous(header, source.name), at


def _joined(sheets: list[_Sheet], header: list[str], fields: Fields) -> Iterator[Row]:
    """Yield the rows of several sheets, which are called as formulas call them."""
    for sheet in sheets:
        at = sheet.header_at(fields)
        assert at is not None
        for number, values in sheet.below(at):
            yield f"{sheet.name}!{number}", _record(header[:-1], values) | {header[-1]: sheet.name}


def _header(values: list[Any]) -> list[str]:
    return [str(value or "").strip() or f"column {at}" for at, value in enumerate(values, start=1)]


def _fullest(headers: list[list[str]]) -> int:
    """Return the number of the first row of most cells: the likeliest header, where none has the field that is asked
    for."""
    return max(range(len(headers)), key=lambda at: len(headers[at]))


def _record(header: list[str], values: list[Any]) -> dict[str, Any]:
    """Return a row by its names; what stands beyond the header is named by its place."""
    beyond = [f"column {at}" for at in range(len(header) + 1, len(values) + 1)]
    return {name: value for name, value in zip_longest(header + beyond, values) if name in header or value is not None}


def _tell(source: Source, names: list[str], sheets: list[_Sheet]) -> None:
    """Say which sheets are read as one table, and which are not read."""
    others = [name for number, name in enumerate(names) if number not in {sheet.number for sheet in sheets}]
    said = []
    if len(sheets) > 1:
        shown = _listed([sheet.name for sheet in sheets])
        said.append(f"{len(sheets)} sheets name the same columns and were read as one table: {shown}")
    elif others:
        said.append(f"the {'first ' if not sheets[0].number else ''}sheet, {sheets[0].name!r}, was read")
    if others:
        said.append(f"the others were not: {_listed(others)}")
    if said:
        how = f"--sheet NAME, or in Python sheet='NAME', reads {'one alone' if len(sheets) > 1 else 'another'}"
        warnings.warn(f"{source.name}: {'; '.join([*said, how])}", OutgroupWarning, stacklevel=2)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (" ..." if len(names) > 3 else "")


def warn_of_no_sheets(name: str, fields: Fields) -> None:
    """Warn where a sheet is asked for of what has none."""
    if fields.sheet:
        kinds = f"{', '.join(SPREADSHEETS[:-1])} and {SPREADSHEETS[-1]}"
        said = f"{name} has no sheets, as {kinds} have: sheet {fields.sheet!r} says nothing here"
        warnings.warn(said, OutgroupWarning, stacklevel=4)
