"""Records of spreadsheets: the first sheet of .xlsx (through the extra `io`) and .ods files."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice, zip_longest
from typing import Any

from ...errors import CorpusError, MissingExtraError, OutgroupError, OutgroupWarning
from .documents import UnreadableError
from .fields import Fields
from .json_records import Row
from .opendocument import opendocument_rows
from .source import Source
from .xml_parts import office_parts

MOST_CELLS = 1000
"""Columns of a sheet."""

LARGEST_SHEET = 1_000_000_000
"""Bytes that a spreadsheet may unpack to."""

_BATCH = 1024
_HEADS = 20  # rows, of those that are not empty, among which the header is


def sheet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows below the header: the first one with the fields of the text, for a title may stand above it.

    Raises CorpusError for what is no spreadsheet, and MissingExtraError where openpyxl is needed and not installed.
    """
    valued = ((number, [_value(cell) for cell in cells]) for number, cells in _rows(source))
    rows = ((number, values) for number, values in valued if any(value not in (None, "") for value in values))
    first = list(islice(rows, _HEADS))
    if not first:
        return
    headers = [_header(values) for _, values in first]
    at = next((at for at, header in enumerate(headers) if _fits(header, fields)), _fullest(headers))
    fields.require(headers[at], source.name)
    header = fields.unambiguous(headers[at], source.name)
    if at:
        said = f"{source.name}: row {first[at][0]} names the columns; what stands above it was left out"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    yield from ((number, _record(header, values)) for number, values in chain(first[at + 1 :], rows))


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


def _rows(source: Source) -> Iterator[tuple[int, list[Any]]]:
    reader = _workbook if source.kind == ".xlsx" else _opendocument
    try:
        yield from reader(source)
    except (OutgroupError, Warning, MemoryError):
        raise
    except UnreadableError as error:
        raise CorpusError(f"{source.name}: {error}") from error
    except Exception as error:  # hostile files break readers in every way
        why = f"it is damaged, or another kind of file ({type(error).__name__}); save it again, or as .csv"
        raise CorpusError(f"{source.name}: not a readable spreadsheet: {why}") from error


def _workbook(source: Source) -> Iterator[tuple[int, list[Any]]]:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError('reading .xlsx files needs openpyxl: pip install "outgroup[io]"') from error
    with source.seekable() as stream, office_parts(stream, LARGEST_SHEET):
        with _quiet():
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # what a file says of its own size need not be true
        rows = enumerate(sheet.iter_rows(max_col=MOST_CELLS, values_only=True), start=1)
        while batch := _batch(rows):
            yield from batch
    _tell_of_others(source, book.sheetnames)


def _batch(rows: Iterator[tuple[int, Any]]) -> list[tuple[int, list[Any]]]:
    with _quiet():
        return [(number, _trimmed(list(row))) for number, row in islice(rows, _BATCH)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Say nothing of what openpyxl does not know: extensions, styles, wrong dates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _opendocument(source: Source) -> Iterator[tuple[int, list[Any]]]:
    names: list[str] = []
    with source.seekable() as file, office_parts(file, LARGEST_SHEET) as parts, parts.open("content.xml") as content:
        yield from opendocument_rows(content, names, MOST_CELLS)
    _tell_of_others(source, names)


def _tell_of_others(source: Source, names: list[str]) -> None:
    if len(names) > 1:
        others = ", ".join(repr(name) for name in islice(names, 1, 4)) + (" ..." if len(names) > 4 else "")
        said = f"{source.name}: the first sheet, {names[0]!r}, was read; the others were not: {others}"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


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
