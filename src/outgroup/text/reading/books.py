"""Spreadsheets opened once, their sheets row by row: .xlsx and .xlsm (through the extra `io`) and .ods files."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...errors import CorpusError, MissingExtraError, OutgroupError
from .documents import UnreadableError
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
_ALL = 1 << 30  # a number that no sheet has: looking for it reads the names of all

Cells = tuple[int, list[Any]]
"""The number of a row, from 1, and its values."""


@dataclass(frozen=True)
class Book:
    """An open spreadsheet: the names of its sheets, and what gives the rows of one, by its number from 0."""

    source: Source
    names: list[str]
    read: Callable[[int], Iterator[Cells]]

    def rows(self, number: int) -> Generator[Cells]:
        """Yield the rows of a sheet that are not empty; damage is a CorpusError."""
        with _plainly(self.source):
            for at, cells in self.read(number):
                values = [_value(cell) for cell in cells]
                if any(value not in (None, "") for value in values):
                    yield at, values


@contextmanager
def opened(source: Source) -> Iterator[Book]:
    """Open a spreadsheet. Raises CorpusError for what is none, MissingExtraError where openpyxl is needed and not
    installed."""
    reader = _opendocument if source.kind == ".ods" else _workbook
    with ExitStack() as stack:
        with _plainly(source):
            book = Book(source, *reader(source, stack))
        yield book


@contextmanager
def _plainly(source: Source) -> Iterator[None]:
    try:
        yield
    except (OutgroupError, Warning, MemoryError):
        raise
    except UnreadableError as error:
        raise CorpusError(f"{source.name}: {error}") from error
    except Exception as error:  # hostile files break readers in every way
        why = f"it is damaged, or another kind of file ({type(error).__name__}); save it again, or as .csv"
        raise CorpusError(f"{source.name}: not a readable spreadsheet: {why}") from error


def _workbook(source: Source, stack: ExitStack) -> tuple[list[str], Callable[[int], Iterator[Cells]]]:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError('reading .xlsx files needs openpyxl: pip install "outgroup[io]"') from error
    stream = stack.enter_context(source.seekable())
    stack.enter_context(office_parts(stream, LARGEST_SHEET))
    with _quiet():
        sheets = openpyxl.load_workbook(stream, read_only=True, data_only=True).worksheets

    def read(number: int) -> Iterator[Cells]:
        sheets[number].reset_dimensions()  # what a file says of its own size need not be true
        rows = enumerate(sheets[number].iter_rows(max_col=MOST_CELLS, values_only=True), start=1)
        while batch := _batch(rows):
            yield from batch

    return [each.title for each in sheets], read


def _batch(rows: Iterator[tuple[int, Any]]) -> list[Cells]:
    with _quiet():
        return [(number, _trimmed(list(row))) for number, row in islice(rows, _BATCH)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Say nothing of what openpyxl does not know: extensions, styles, wrong dates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _opendocument(source: Source, stack: ExitStack) -> tuple[list[str], Callable[[int], Iterator[Cells]]]:
    parts = stack.enter_context(office_parts(stack.enter_context(source.seekable()), LARGEST_SHEET))

    def read(number: int, names: list[str] | None = None) -> Iterator[Cells]:
        with parts.open("content.xml") as content:
            yield from opendocument_rows(content, [] if names is None else names, MOST_CELLS, number)

    names: list[str] = []
    for _ in read(_ALL, names):
        pass
    return names, read


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
