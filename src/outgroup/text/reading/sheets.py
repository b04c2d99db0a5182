"""Records of spreadsheets: one sheet of .xlsx and .xlsm (through the extra `io`) and .ods files."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Any

from ...errors import CorpusError, MissingExtraError, OutgroupError, OutgroupWarning
from .documents import UnreadableError
from .fields import Fields, name_among
from .json_records import Row
from .opendocument import opendocument_rows
from .source import Source
from .xml_parts import office_parts

SPREADSHEETS = (".xlsx", ".xlsm", ".ods")
"""Kinds of files that have sheets."""

MOST_CELLS = 1000
"""Columns of a sheet."""

LARGEST_SHEET = 1_000_000_000
"""Bytes that a spreadsheet may unpack to."""

_BATCH = 1024
_HEADS = 20  # rows, of those that are not empty, among which the header is
_SHEETS = 20  # that are looked at for the field of the text, or named: each look opens the file
_ALL = 1 << 30  # a number that no sheet has: looking for it reads the names of all


def sheet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows below the header: the first one with the fields of the text, for a title may stand above it.

    The sheet is the one that is asked for, or the first one with such a row and others below it, or else the first.
    Raises CorpusError for what is no spreadsheet or has no such sheet, and MissingExtraError where openpyxl is needed
    and not installed.
    """
    sheet = _sheet_of(source, fields)
    if not sheet.first:
        return
    headers, found = sheet.headers, sheet.header_at(fields)
    if found is None:
        _warn_of_other_sheets(source, sheet, fields.sheet)
    at = _fullest(headers) if found is None else found
    fields.require(headers[at], source.name)
    header = fields.unambiguous(headers[at], source.name)
    if at:
        said = f"{source.name}: row {sheet.first[at][0]} names the columns; what stands above it was left out"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    rows = chain(sheet.first[at + 1 :], sheet.rest)
    yield from ((number, _record(header, values)) for number, values in rows)
    if found is not None:
        _warn_of_other_sheets(source, sheet, fields.sheet)


@dataclass(frozen=True)
class _Sheet:
    """A sheet of a spreadsheet: its number from 0, its first rows that are not empty, the rest of them, and the names
    of all sheets, as far as the file was read."""

    number: int
    first: list[tuple[int, list[Any]]]
    rest: Generator[tuple[int, list[Any]]]
    names: list[str]

    @classmethod
    def of(cls, source: Source, number: int) -> _Sheet:
        names: list[str] = []
        valued = ((at, [_value(cell) for cell in cells]) for at, cells in _rows(source, number, names))
        rows = ((at, values) for at, values in valued if any(value not in (None, "") for value in values))
        return cls(number, list(islice(rows, _HEADS)), rows, names)

    @property
    def headers(self) -> list[list[str]]:
        return [_header(values) for _, values in self.first]

    def header_at(self, fields: Fields) -> int | None:
        return next((at for at, header in enumerate(self.headers) if _fits(header, fields)), None)

    def is_table(self, fields: Fields) -> bool:
        """Return whether a row has the fields of the text, and others stand below it: a cover may have such a cell."""
        at = self.header_at(fields)
        return at is not None and (at + 1 < len(self.first) or len(self.first) == _HEADS)


def _sheet_of(source: Source, fields: Fields) -> _Sheet:
    """Return the sheet that is asked for, or the first one that is a table of texts, or else the first one."""
    if fields.sheet:
        return _sheet_named(source, fields.sheet)
    first = _Sheet.of(source, 0)
    if first.is_table(fields):
        return first
    first.rest.close()  # the standard input is read at one place at a time
    for number in range(1, _SHEETS):
        fits = _fits_sheet(source, fields, number)
        if fits is None:
            break
        if fits:
            return _Sheet.of(source, number)
    return _Sheet.of(source, 0)


def _sheet_named(source: Source, asked: str) -> _Sheet:
    """Return the sheet of that name; raises CorpusError, which names those that there are, where there is none."""
    names = _Sheet.of(source, _ALL).names
    name = name_among(names, asked)
    if name not in names:
        shown = ", ".join(map(repr, names[:_SHEETS])) + (" ..." if len(names) > _SHEETS else "")
        raise CorpusError(f"{source.name}: no sheet {asked!r}; the sheets are {shown}")
    return _Sheet.of(source, names.index(name))


def _fits_sheet(source: Source, fields: Fields, number: int) -> bool | None:
    """Return whether a sheet is a table of texts, None where there is no such sheet."""
    sheet = _Sheet.of(source, number)
    return sheet.is_table(fields) if len(sheet.names) > number else None


def _header(values: list[Any]) -> list[str]:
    return [str(value or "").strip() or f"column {at}" for at, value in enumerate(values, start=1)]


def _fits(header: list[str], fields: Fields) -> bool:
    return all(name in header for name in fields.texts(header))


def _fullest(headers: list[list[str]]) -> int:
    """Return the number of the first row of most cells: the likeliest header, where none has the field that is asked
    for."""
    return max(range(len(headers)), key=lambda at: len(headers[at]))


def _record(header: list[str], values: list[Any]) -> dict[str, Any]:
    """Return a row by its names; what stands beyond the header is named by its place."""
    beyond = [f"column {at}" for at in range(len(header) + 1, len(values) + 1)]
    return {name: value for name, value in zip_longest(header + beyond, values) if name in header or value is not None}


def _rows(source: Source, number: int, names: list[str]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows of a sheet with their numbers, none where there are fewer sheets; `names` gets those of all."""
    reader = _opendocument if source.kind == ".ods" else _workbook
    try:
        yield from reader(source, number, names)
    except (OutgroupError, Warning, MemoryError):
        raise
    except UnreadableError as error:
        raise CorpusError(f"{source.name}: {error}") from error
    except Exception as error:  # hostile files break readers in every way
        why = f"it is damaged, or another kind of file ({type(error).__name__}); save it again, or as .csv"
        raise CorpusError(f"{source.name}: not a readable spreadsheet: {why}") from error


def _workbook(source: Source, number: int, names: list[str]) -> Iterator[tuple[int, list[Any]]]:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError('reading .xlsx files needs openpyxl: pip install "outgroup[io]"') from error
    with source.seekable() as stream, office_parts(stream, LARGEST_SHEET):
        with _quiet():
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            names += [each.title for each in book.worksheets]
            if number >= len(names):
                return
            sheet = book.worksheets[number]
            sheet.reset_dimensions()  # what a file says of its own size need not be true
        rows = enumerate(sheet.iter_rows(max_col=MOST_CELLS, values_only=True), start=1)
        while batch := _batch(rows):
            yield from batch


def _batch(rows: Iterator[tuple[int, Any]]) -> list[tuple[int, list[Any]]]:
    with _quiet():
        return [(number, _trimmed(list(row))) for number, row in islice(rows, _BATCH)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Say nothing of what openpyxl does not know: extensions, styles, wrong dates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _opendocument(source: Source, number: int, names: list[str]) -> Iterator[tuple[int, list[Any]]]:
    with source.seekable() as file, office_parts(file, LARGEST_SHEET) as parts, parts.open("content.xml") as content:
        yield from opendocument_rows(content, names, MOST_CELLS, number)


def _warn_of_other_sheets(source: Source, sheet: _Sheet, asked: str) -> None:
    """Say which sheets were not read, unless one was asked for."""
    others = [repr(name) for number, name in enumerate(sheet.names) if number != sheet.number]
    if others and not asked:
        own = f"the {'first ' if not sheet.number else ''}sheet, {sheet.names[sheet.number]!r}, was read"
        said = f"{own}; the others were not: {', '.join(others[:3])}{' ...' if len(others) > 3 else ''}"
        how = "--sheet NAME, or in Python sheet='NAME', reads another"
        warnings.warn(f"{source.name}: {said}; {how}", OutgroupWarning, stacklevel=2)


def warn_of_no_sheets(name: str, fields: Fields) -> None:
    """Warn where a sheet is asked for of what has none."""
    if fields.sheet:
        kinds = f"{', '.join(SPREADSHEETS[:-1])} and {SPREADSHEETS[-1]}"
        said = f"{name} has no sheets, as {kinds} have: sheet {fields.sheet!r} says nothing here"
        warnings.warn(said, OutgroupWarning, stacklevel=4)


def _trimmed(cells: list[Any]) -> list[Any]:
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _value(cell: Any) -> Any:
    """Return a cell as a person would write it: whole numbers without a point, days without midnight."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return int(cell)
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat()
    return cell
