"""The table of assignments as an Excel workbook: written row by row, with reproducible bytes.

Texts are text cells: no formulas, and ids keep leading zeros.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from ..errors import InputError, OutputError, counted, required, warn
from ..readers.documents import LIMITS
from ..storage.folders import PARTS
from ..summary.clean import clean
from .assignments import NUMBERS, CsvTable, Row, counting, is_number

MOST_ROWS = 1_048_575
"""Maximum number of rows of a sheet, without the header."""
ASSIGNMENTS = "assignments"
"""The sheet of the documents."""

_WIDTHS = {
    "id": 16,
    "title": 50,
    "snippet": 50,
    "words": 50,
    "typical documents": 50,
    "name": 30,
    "off_topic_words": 30,
    "skipped": 30,
}  # in digits
_NUMBERED = re.compile("(level|group)_[0-9]+")
_ABOUT = {"author": "Outgroup", "created": datetime(1980, 1, 1)}
_CORE = "docProps/core.xml"
_MADE = b"<cp:lastModifiedBy>Outgroup</cp:lastModifiedBy>"
_TIME = b"1980-01-01T00:00:00Z"  # created and modified


def check_rows(count: int) -> None:
    """Raise InputError if there are too many rows, and MissingExtraError if the library is missing."""
    _library()
    if count > MOST_ROWS:
        raise InputError(f"{count:,} documents exceed the {MOST_ROWS:,} rows of an Excel sheet: use --table csv")


def write(table: CsvTable, file: IO[bytes], folder: Path, others: Mapping[str, CsvTable] | None = None) -> Counter[str]:
    """Write a table as a workbook; return the number of rows by group, "" for skipped documents.

    `others` are the further sheets by name.

    Temporary files with document text stay inside `folder` and are always removed. Warns about texts that are truncated
    to the size of a cell. Raises OutputError for a workbook of more than 4 GB.
    """
    groups, library = Counter[str](), _library()
    with TemporaryDirectory(prefix=PARTS, dir=folder, ignore_cleanup_errors=True) as parts:
        book = library.Workbook(file, {"constant_memory": True, "tmpdir": parts})
        book.set_properties(_ABOUT)
        with ExitStack() as sheets, _known_errors(library):
            cut = _fill(book, ASSIGNMENTS, table, counting(table, groups), sheets)
            for name, other in (others or {}).items():
                _fill(book, name, other, other.rows, sheets)
            book.close()
    if cut:
        warn(f"{counted(cut, 'text')} truncated to {LIMITS.cell:,} characters, the limit of a cell")
    return groups


@contextmanager
def _known_errors(library: Any) -> Iterator[None]:
    try:
        yield
    except library.exceptions.FileSizeError as error:  # larger than 4 GB
        raise OutputError("the table is too large for an Excel workbook: use --table csv") from error
    except library.exceptions.FileCreateError as error:  # the disk is full
        raise error.args[0] from None


def written_here(path: Path) -> bool:
    """Return whether `write` made the workbook; other programs change its metadata when they save it."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(_CORE).file_size > 10_000:
                return False
            metadata = archive.read(_CORE)
    except (OSError, ValueError, LookupError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        return False
    return _MADE in metadata and metadata.count(_TIME) == 2


def _library() -> Any:
    return required("xlsxwriter", "io", "writing .xlsx files needs XlsxWriter")


def _fill(book: Any, name: str, table: CsvTable, rows: Iterable[Row], sheets: ExitStack) -> int:
    """Write a table to a new sheet, whose file `sheets` closes; return the number of truncated texts."""
    sheet, cut, n = book.add_worksheet(name), 0, 0
    sheets.callback(lambda: sheet.row_data_fh.close())  # the library leaves it open after an error
    text, bold = book.add_format({"num_format": "@"}), book.add_format({"num_format": "@", "bold": True})
    numbers = NUMBERS | {"outlier_score"}
    numeric = table.numeric or [name in numbers or _NUMBERED.fullmatch(name) is not None for name in table.header]
    for column, head in enumerate(table.header):
        sheet.set_column(column, column, _WIDTHS.get(head, 12))
        sheet.write_string(0, column, _fitting(clean(head)), bold)
    sheet.freeze_panes(1, 0)
    for n, row in enumerate(rows, start=1):
        for column, (cell, is_numeric) in enumerate(zip(row, numeric, strict=True)):
            if cell and is_numeric and is_number(cell):
                sheet.write_number(n, column, float(cell))
            elif cell:
                shown = _fitting(cleaned := clean(cell))
                cut += shown != cleaned
                sheet.write_string(n, column, shown, text)
    sheet.autofilter(0, 0, n, len(table.header) - 1)
    return cut


def _fitting(text: str) -> str:
    """Truncate a text to the maximum length of a cell, in UTF-16 code units."""
    if 2 * len(text) <= LIMITS.cell or len(pairs := text.encode("utf-16-le")) <= 2 * LIMITS.cell:
        return text
    return pairs[: 2 * (LIMITS.cell - 1)].decode("utf-16-le", "ignore") + "…"
