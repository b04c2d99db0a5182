"""Which document went where, as a workbook for Excel: one sheet, written row by row, the same bytes for the same rows.

Texts are cells of text, so that nothing is a formula, ids keep their zeros, and nobody guesses an encoding.
"""

from __future__ import annotations

import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Self

from ..errors import InputError, MissingExtraError, OutgroupWarning, OutputError
from ..readers.documents import LONGEST_CELL
from ..report.clean import clean
from ..report.sentences import counted
from ..storage.folders import PARTS
from .assignments import NUMBERS, CsvTable, Row, counting, is_number

MOST_ROWS = 1_048_575
"""Rows of a sheet below its header."""

_WIDTHS = {"id": 16, "title": 50, "name": 30, "off_topic_words": 30, "skipped": 30}  # in digits
_USUAL_WIDTH = 12
_ABOUT = {"author": "Outgroup", "created": datetime(1980, 1, 1)}
_CORE, _LONGEST_CORE = "docProps/core.xml", 10_000
_MADE = b"<cp:lastModifiedBy>Outgroup</cp:lastModifiedBy>"
_TIME = b"1980-01-01T00:00:00Z"  # that it was made, and changed last


def check_rows(count: int) -> None:
    """Raise InputError where so many documents do not fit into a sheet, MissingExtraError where none can be written."""
    _library()
    if count > MOST_ROWS:
        raise InputError(f"a sheet of Excel has room for {MOST_ROWS:,} documents, not {count:,}: ask for --table csv")


def write(table: CsvTable, file: IO[bytes], folder: Path) -> Counter[str]:
    """Write a table as a workbook, and return how often each group stands in it, "" for the skipped.

    Its parts lie in the `folder` meanwhile, and are gone after an error, too: documents' text goes nowhere else. Texts
    that are longer than a cell may be are cut, with a warning. Raises OutputError for what is too large for one.
    """
    groups, library = Counter[str](), _library()
    with TemporaryDirectory(prefix=PARTS, dir=folder, ignore_cleanup_errors=True) as parts:
        book = library.Workbook(file, {"constant_memory": True, "tmpdir": parts})
        book.set_properties(_ABOUT)
        with _Sheet(book, table.header) as sheet, _plainly(library):
            for row in counting(table.rows, groups):
                sheet.add(row)
            sheet.end()
            book.close()
    if sheet.cut:
        said = f"{counted(sheet.cut, 'text')} of more than {LONGEST_CELL:,} letters, which no cell holds, cut with …"
        warnings.warn(said, OutgroupWarning, stacklevel=2)
    return groups


@contextmanager
def _plainly(library: Any) -> Iterator[None]:
    try:
        yield
    except library.exceptions.FileSizeError as error:  # larger than 4 GB
        raise OutputError("the table is too large for a sheet of Excel: ask for --table csv") from error
    except library.exceptions.FileCreateError as error:  # the disk is full
        raise error.args[0] from None


def written_here(path: Path) -> bool:
    """Return whether a file is a workbook as `write` makes it: a program that saves it again says so in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(_CORE).file_size > _LONGEST_CORE:
                return False
            said = archive.read(_CORE)
    except (OSError, ValueError, LookupError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return False
    return _MADE in said and said.count(_TIME) == 2


def _library() -> Any:
    try:
        import xlsxwriter
    except ImportError as error:
        raise MissingExtraError('writing .xlsx files needs XlsxWriter: pip install "outgroup[io]"') from error
    return xlsxwriter


class _Sheet:
    """The sheet of a table; it counts its rows and the texts that it cuts."""

    def __init__(self, book: Any, header: Row) -> None:
        self._sheet, self._columns = book.add_worksheet("assignments"), len(header)
        self._text, bold = book.add_format({"num_format": "@"}), book.add_format({"num_format": "@", "bold": True})
        self._numeric = [name in NUMBERS for name in header]
        self._rows = self.cut = 0
        for column, name in enumerate(header):
            self._sheet.set_column(column, column, _WIDTHS.get(name, _USUAL_WIDTH))
            self._sheet.write_string(0, column, self._fitting(clean(name)), bold)
        self._sheet.freeze_panes(1, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sheet.row_data_fh.close()  # the library leaves it open after an error

    def add(self, row: Row) -> None:
        self._rows += 1
        for column, (said, number) in enumerate(zip(row, self._numeric, strict=True)):
            if said and number and is_number(said):
                self._sheet.write_number(self._rows, column, float(said))
            elif said:
                self._sheet.write_string(self._rows, column, self._fitting(clean(said)), self._text)

    def end(self) -> None:
        self._sheet.autofilter(0, 0, self._rows, self._columns - 1)

    def _fitting(self, text: str) -> str:
        """Return as much of a text as a cell holds: Excel counts the pairs of bytes of UTF-16."""
        if 2 * len(text) <= LONGEST_CELL or len(pairs := text.encode("utf-16-le")) <= 2 * LONGEST_CELL:
            return text
        self.cut += 1
        return pairs[: 2 * (LONGEST_CELL - 1)].decode("utf-16-le", "ignore") + "…"
