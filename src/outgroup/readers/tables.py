"""Read tables: delimited text (.csv, .tsv), spreadsheets (.xlsx, .xlsm, .ods) and files of SQLite."""

from __future__ import annotations

import csv
import datetime
import re
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice, zip_longest
from operator import itemgetter
from typing import Any

from ..errors import CorpusError, counted, quoted, required, warn
from .documents import LIMITS, UnreadableError
from .fields import Fields, name_among
from .json_records import Row
from .office import checked_xml, events, office_parts
from .source import Source, whole_lines
from .sqlite import tables_of

# --- Delimited text: separated by commas, semicolons, tabs or bars

USUAL = {".csv": ",", ".tsv": "\t"}


def table_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows of a table as records; warn about lines above the header, which are skipped."""
    limit = csv.field_size_limit(LIMITS.document)  # of all programs in this process
    try:
        first = list(islice(rest := whole_lines(source, fields.encoding), _LINES))
        separator, row, above = find_header(first, USUAL.get(source.kind, ","), fields)
        yield from _named(source, _numbered(source, separator, row, above, first[above:], rest), fields)
        if any(line.strip(f"{separator} \r\n") and not _DECLARED.fullmatch(line.strip()) for line in first[:above]):
            warn(f"{source.name}: line {above + 1} is the header; the lines above it were skipped")
    finally:
        csv.field_size_limit(limit)


_Numbered = tuple[int, int, list[str]]
"""The number of a row, as a spreadsheet shows it; its first line in the file, as an editor shows it; its cells."""


def _named(source: Source, rows: Iterator[_Numbered], fields: Fields) -> Iterator[Row]:
    """Yield the rows as records; the first row has the field names."""
    names = _names(next(rows, (0, 0, []))[2])
    if names:
        if names[0].startswith('{"'):
            raise CorpusError(f"{source.name}: not a table but JSON objects: rename the file to .jsonl")
        names = fields.header(names, source.name)
    rows = _without_questions(rows, source, itemgetter(2))
    for number, line, cells in rows:
        if len(cells) != len(names) and len(cells := _fitted(cells, len(names))) != len(names):
            raise _uneven(source, line, len(cells), len(names), rows)
        yield number, dict(zip(names, cells, strict=True))


def _names(cells: Sequence[Any]) -> list[str]:
    """Return the names in a header; a line break counts as a space, and a cell without a name has its position."""
    return [_name(cell) or f"column {at}" for at, cell in enumerate(cells, start=1)]


def _name(cell: Any) -> str:
    return " ".join(str("" if cell is None else cell).replace("\ufeff", "").split())


_QUESTIONS = re.compile(r"""\{\s*["']ImportId["']|Open-Ended Response$""")
"""A cell in the last header row of Qualtrics, and of SurveyMonkey in English."""


def _without_questions(rows: Iterator[Any], source: Source, cells: Callable[[Any], Sequence[Any]]) -> Iterator[Any]:
    """Yield the rows of a table without the further header rows of surveys, at most two."""
    first = list(islice(rows, 2))
    marks = (any(_QUESTIONS.match(str(cell)) for cell in cells(row)) for row in first)
    skipped = max((position for position, marked in enumerate(marks, start=1) if marked), default=0)
    if skipped:
        warn(f"{source.name}: {counted(skipped, 'row')} below the header describe the questions and were skipped")
    return chain(first[skipped:], rows)


def _numbered(
    source: Source, separator: str, row: int, above: int, first: list[str], rest: Iterator[str]
) -> Iterator[_Numbered]:
    """Yield each row that is not empty, from the header, the first line, on."""
    # in a tab-separated file quotes may be plain characters
    unquoted = separator == "\t" and _is_unquoted(source)
    rules: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if unquoted else {"strict": True}
    names = "".join(first[:1]).split(separator)[1:]
    rules["skipinitialspace"] = all(name.startswith(" ") for name in names)
    reader, line = csv.reader(chain(first, rest), delimiter=separator, **rules), above + 1
    try:
        for number, cells in enumerate(reader, start=row):
            if cells:
                yield number, line, cells
            line = above + reader.line_num + 1
    except csv.Error as error:
        here, what = above + reader.line_num, str(error)
        if "expected after" in what:
            opened = f", or close the one that opens in line {line}" if here > line else ""
            wrong = f'a quote inside a quoted text: write two quotes ("", not \\"){opened}'
        elif "unexpected end" in what:
            wrong = f"a quote opens here and never closes, up to line {here}: close it; is the file complete?"
            here = line
        else:
            wrong = what
        raise CorpusError(f"{source.name}, line {here}: wrong table: {wrong}") from error


def _fitted(cells: list[str], width: int) -> list[str]:
    """Return a row without trailing empty cells, which spreadsheets append."""
    return cells if any(map(str.strip, cells[width:])) else cells[:width]


def _is_unquoted(source: Source) -> bool:
    """Return whether tabs alone delimit the cells: lines have equally many tabs, and quotes do not enclose cells."""
    tabs, odd = set[int](), False
    for line in whole_lines(source):
        if line.strip():
            tabs.add(line.count("\t"))
            odd = odd or ((line.startswith('"') or '\t"' in line) and not _has_cells(line, 1 + line.count("\t")))
        if len(tabs) > 1:
            return False
    return odd


def _has_cells(line: str, cells: int) -> bool:
    with suppress(csv.Error):
        return len(next(csv.reader([line], delimiter="\t", strict=True), [])) == cells
    return False


def _uneven(source: Source, line: int, cells: int, width: int, rest: Iterator[_Numbered]) -> CorpusError:
    """Return the error for a line with too many or too few cells; it also lists other such lines in `rest`."""
    others = list[int]()
    with suppress(CorpusError):  # keep the lines found before the error
        others.extend(position for _, position, row in islice(rest, 100_000) if len(_fitted(row, width)) != width)
    more = f" and {len(others) - 5:,} more" if len(others) > 5 else ""
    these = "so is line" if len(others) == 1 else "so are lines"
    also = f"; {these} {', '.join(map(str, others[:5]))}{more}" if others else ""
    return CorpusError(
        f"{source.name}, line {line}: {cells} cells, but the header has {width}{also}; put texts that contain a "
        "separator in double quotes, and remove other lines, such as totals"
    )


# --- The header of delimited text, and its separator

SEPARATORS = ",;\t|^~"
_HEADS = 20  # rows to search for the header: a title may precede it
_LINES = 2 * _HEADS  # to search: a cell may span lines
_DECLARED = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # spreadsheets read and write this line without showing it


def find_header(lines: Sequence[str], usual: str, fields: Fields) -> tuple[str, int, int]:
    """Return the separator, the row of the header, and the number of lines above it.

    The header is the first row that has the text field, and more cells than every row above.

    Falls back to the first row of several cells. Tries the `usual` separator first.

    Examples
    --------
    >>> find_header(["Tickets of May;", ";", "no;text"], ",", Fields())
    (';', 3, 2)
    """
    declared = _DECLARED.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    signs = declared.group(1) if declared else usual + SEPARATORS.replace(usual, "")
    hidden = 1 if declared else 0
    rows = [(sign, list(_rows(lines[hidden:], sign))) for sign in signs]
    fit = [(table[at][0], sign) for sign, table in rows for at in _fitting([cells for _, cells in table], fields)]
    several = ((at, -_filled(cells), sign) for sign, table in rows for at, cells in table if _filled(cells) > 1)
    at, sign = min(fit, key=lambda pair: pair[0]) if fit else min(several, default=(0, 0, signs[0]))[::2]
    return sign, 1 + sum(above < at for above, _ in dict(rows)[sign]), hidden + at


def is_table(text: str, fields: Fields) -> bool:
    """Return whether a text begins as a table: a header has the text fields, or its lines have equally many tabs.

    A text field with the default name must be in the first line.

    Examples
    --------
    >>> is_table("id;answer", Fields("answer")), is_table("tea; milk", Fields())
    (True, False)
    """
    lines = text.splitlines(keepends=True)[:_LINES]
    searched = lines if fields.text != Fields.text else lines[:1]
    tables = ([cells for _, cells in _rows(searched, sign)] for sign in SEPARATORS)
    if any(any(True for _ in _fitting(table, fields)) for table in tables):
        return True
    tabs = {line.count("\t") for line in lines[:_HEADS] if line.strip()}
    return len(lines) > 2 and len(tabs) == 1 and tabs != {0}


def _rows(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first rows, up to a malformed one: the number of lines above each, and its cells."""
    reader, above = csv.reader(lines, delimiter=separator), 0
    try:
        for cells in islice(reader, _HEADS):
            yield above, list(map(_name, cells))
            above = reader.line_num
    except csv.Error:
        return


def _fitting(rows: Iterable[list[str]], fields: Fields, widest: bool = True) -> Iterator[int]:
    """Yield the positions of rows with the text fields; with `widest`, they have more cells than every row above."""
    most = 0
    for at, cells in enumerate(rows):
        if (_filled(cells) > most or not widest) and all(name in cells for name in fields.texts(cells)):
            yield at
        most = max(most, _filled(cells))


def _filled(cells: list[str]) -> int:
    return sum(map(bool, cells))


# --- Records of spreadsheets: sheets and their headers

_SHEET = "sheet"  # the column for the sheet of each record


def sheet_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows below the header of a sheet; the header is the first row with the text fields.

    Reads the requested sheet, or the first one with a header and rows below it, or else the fullest. Without a
    requested sheet, joins later sheets with the same columns, such as one per month: rows are then numbered
    `sheet!row` as in formulas. Raises CorpusError if the file is not a spreadsheet or lacks the sheet, and
    MissingExtraError if openpyxl is needed and not installed.
    """
    with opened(source) as book:
        tables = _tables(book, fields)
        first, at = tables[0]
        if not fields.sheet:
            _warn_of_choice(source, book, [sheet for sheet, _ in tables])
        if hidden := sum(sheet.hidden for sheet, _ in tables):
            warn(
                f"{source.name}: {counted(hidden, 'hidden row')} included; to leave out hidden rows, copy the visible "
                "rows into a new file"
            )
        if not first.head:
            return
        header = fields.header([*_names(first.head[at][1]), *([_SHEET] if len(tables) > 1 else [])], source.name)
        if at:
            warn(f"{source.name}: row {first.head[at][0]} is the header; the rows above it were skipped")
        for sheet, at in tables:
            rows = islice(sheet.rows(), at + 1, None)
            for number, values in _without_questions(rows, source, itemgetter(1)):
                if len(tables) == 1:
                    yield number, _record(header, values)
                else:
                    yield f"{sheet.name}!{number}", _record(header[:-1], values) | {header[-1]: sheet.name}


def _tables(book: list[Sheet], fields: Fields) -> list[tuple[Sheet, int]]:
    """Return the sheets to read, and the positions of their headers among their first rows.

    A cover sheet with keys and values may have the text field as a key, in a row as wide as the others: prefer sheets
    whose header is wider than the rows above it.
    """
    sheets = book[:60]  # the weeks of a year
    if fields.sheet:
        names = [sheet.name for sheet in book]
        if (name := name_among(names, fields.sheet)) not in names:
            place = book[0].source.name
            raise CorpusError(f"{place}: there is no sheet {fields.sheet!r}; the sheets are {quoted(names, 20)}")
        sheets = [book[names.index(name)]]
    for widest in (True, False):
        found = [(sheet, at) for sheet in sheets for at in islice(_fitting(sheet.cells, fields, widest), 1)]
        tables = [(sheet, at) for sheet, at in found if at + 1 < len(sheet.head) or len(sheet.head) == _HEADS]
        if tables:
            headers = [sheet.cells[at] for sheet, at in tables]
            return [table for table, header in zip(tables, headers, strict=True) if header == headers[0]]
    fullest = max(sheets, key=lambda sheet: sum(map(len, sheet.cells)))
    return [(fullest, max(range(len(fullest.cells)), key=lambda at: len(fullest.cells[at]), default=0))]


def _record(header: list[str], values: list[Any]) -> dict[str, Any]:
    """Return a row as a record; cells beyond the header are named by their position."""
    beyond = [f"column {at}" for at in range(len(header) + 1, len(values) + 1)]
    return {name: value for name, value in zip_longest(header + beyond, values) if name in header or value is not None}


def _warn_of_choice(source: Source, book: list[Sheet], sheets: list[Sheet]) -> None:
    """Warn which sheets are read as one table, and which are skipped."""
    read, others = quoted(sheet.name for sheet in sheets), [sheet.name for sheet in book if sheet not in sheets]
    alike = f"{len(sheets)} sheets have the same columns and were read as one table: {read}"
    note = alike if len(sheets) > 1 else f"the sheet {read} was read"
    note += f"; other sheets were not read: {quoted(others)}" if others else ""
    if len(book) > 1:
        warn(f"{source.name}: {note}; --sheet NAME, or in Python sheet='NAME', reads one")


# --- Rows of .xlsx and .xlsm (with the extra `io`), .ods and SQLite files

SQLITE = (".sqlite", ".sqlite3", ".db")
SPREADSHEETS = (".xlsx", ".xlsm", ".ods", *SQLITE)

_BATCH = 1024

Cells = tuple[int, list[Any]]
"""A row number, from 1, and the values."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A sheet of an open spreadsheet; `hidden` counts rows with text that are hidden; `read` yields all."""

    source: Source
    name: str
    hidden: int
    read: Callable[[], Iterator[Cells]]

    def rows(self) -> Generator[Cells]:
        """Yield the nonempty rows; raise CorpusError if the file is damaged."""
        with self.source.named(_FAULT):
            for at, cells in self.read():
                values = [_value(cell) for cell in cells]
                if any(value not in (None, "") for value in values):
                    self.source.budget.take(sum(len(value) for value in values if isinstance(value, str)))
                    yield at, values

    @cached_property
    def head(self) -> list[Cells]:
        """The first nonempty rows."""
        with closing(self.rows()) as rows:
            return list(islice(rows, _HEADS))

    @cached_property
    def cells(self) -> list[list[str]]:
        """The cells of the first nonempty rows, as possible names."""
        return [[_name(value) for value in values] for _, values in self.head]


@contextmanager
def opened(source: Source) -> Iterator[list[Sheet]]:
    """Open the sheets of a spreadsheet, or the tables of an SQLite file.

    Raises CorpusError if it is invalid or has no sheets, and MissingExtraError if openpyxl is missing.
    """
    reader = {".ods": _opendocument, **dict.fromkeys(SQLITE, tables_of)}.get(source.kind, _workbook)
    with ExitStack() as stack:
        with source.named(_FAULT):
            book = [Sheet(source, *sheet) for sheet in reader(source, stack)]
        if not book:
            raise CorpusError(f"{source.name}: the file contains no sheet and no table; save it again, or as .csv")
        yield book


_FAULT = "it is damaged, or has another format; save it again, or as .csv"

_Parts = Iterable[tuple[str, int, Callable[[], Iterator[Cells]]]]
"""The fields of sheets, without their source."""


def _workbook(source: Source, stack: ExitStack) -> _Parts:
    openpyxl = required("openpyxl", "io", "reading .xlsx files requires openpyxl")
    stream = stack.enter_context(source.seekable())
    hidden, filled, row = Counter[str](), Counter[str](), -1  # rows with a value, by part; a row that may have one
    for part, name, attributes in checked_xml(
        stack.enter_context(office_parts(stream, LIMITS.sheet_bytes, source.budget))
    ):
        if name.endswith(" row"):
            row = int(attributes.get("hidden") in ("1", "true"))
        elif row >= 0 and name.endswith((" v", " t")):
            filled[part] += 1
            hidden[part] += row
            row = -1
    with warnings.catch_warnings(action="ignore"):  # about extensions, styles and invalid dates
        sheets = openpyxl.load_workbook(stream, read_only=True, data_only=True).worksheets

    def read(sheet: Any) -> Iterator[Cells]:
        sheet.reset_dimensions()  # the declared size may be wrong
        rows = enumerate(sheet.iter_rows(max_col=LIMITS.sheet_columns, values_only=True), start=1)
        empty: Any = None
        while True:
            with warnings.catch_warnings(action="ignore"):
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            for at, row in batch:
                if at > LIMITS.sheet_rows:
                    raise UnreadableError(
                        f"a row below row {LIMITS.sheet_rows:,}, the last of a sheet; delete it, or save it as .csv"
                    )
                if row is not empty:  # the library yields one tuple for all rows of a gap
                    if cells := _trimmed(list(row)):
                        yield at, cells
                    else:
                        empty = row

    counts = [(hidden if sheet.sheet_state == "visible" else filled)[sheet._worksheet_path] for sheet in sheets]
    return [(sheet.title, count, partial(read, sheet)) for sheet, count in zip(sheets, counts, strict=True)]


def _opendocument(source: Source, stack: ExitStack) -> _Parts:
    stream = stack.enter_context(source.seekable())
    parts = stack.enter_context(office_parts(stream, LIMITS.sheet_bytes, source.budget))
    names, hidden, row = list[str](), Counter[int](), 0
    style, unseen, is_seen = "", set[str | None](), True  # the current style; those of hidden tables
    for _, name, attributes in events(parts, "content.xml", "start"):
        if name == f"{_STYLE}style":
            style = attributes.get(f"{_STYLE}name", "")
        elif name == f"{_STYLE}table-properties" and attributes.get(f"{_TABLE}display") == "false":
            unseen.add(style)
        elif name == f"{_TABLE}table":
            names.append(attributes.get(f"{_TABLE}name", ""))
            is_seen = attributes.get(f"{_TABLE}style-name") not in unseen
        elif name == f"{_TABLE}table-row":
            visible = attributes.get(f"{_TABLE}visibility", "visible") == "visible"
            row = 0 if visible and is_seen else _count(attributes, "number-rows-repeated")
        elif name == f"{_TEXT}p":
            hidden[len(names) - 1] += row
            row = 0
    return [(name, hidden[at], partial(_table_rows, parts, at)) for at, name in enumerate(names)]


def _trimmed(cells: list[Any]) -> list[Any]:
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _value(cell: Any) -> Any:
    """Return a cell as displayed: whole numbers without a decimal point, dates without midnight."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return int(cell)
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat()
    return cell


# --- Tables of OpenDocument spreadsheets

_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0 "
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 "
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "
_NOTE = f"{_OFFICE}annotation"
_SPACES = {"p": "\n", "s": " ", "tab": "\t", "line-break": "\n"}
_CELLS = {f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"}


def _table_rows(parts: Any, number: int) -> Iterator[Cells]:
    """Yield the rows of a table of an OpenDocument spreadsheet, counted from 0."""
    table, at, repeats, length, notes = -1, 0, 1, 0, 0
    cells, about = list[Any](), dict[str, str]()
    text: list[str] | None = None  # of the current cell
    for event, name, attributes in events(parts, "content.xml", "start", "end", "data"):
        if event == "start" and name == f"{_TABLE}table":
            table += 1
        if table != number:
            continue
        if event != "end":
            if event == "start" and name == f"{_TABLE}table-row":
                cells, repeats = [], _count(attributes, "number-rows-repeated")
            elif event == "start" and name in _CELLS:
                text, about, length = [], attributes, 0
            elif event == "start" and name == _NOTE:
                notes += 1
            elif text is not None and not notes and (text or event == "data" or name != f"{_TEXT}p"):
                text.append(name if event == "data" else _SPACES.get(name.removeprefix(_TEXT), ""))
                length += len(text[-1])
                if length > LIMITS.document:
                    raise UnreadableError(f"a cell is {LIMITS.too_long}")
        elif name == _NOTE:
            notes -= 1
        elif name in _CELLS and text is not None:
            value = about.get(f"{_OFFICE}date-value") or "".join(text).strip() or None
            cells += [value] * min(_count(about, "number-columns-repeated"), LIMITS.sheet_columns - len(cells))
            text = None
        elif name == f"{_TABLE}table-row":
            at += repeats
            if _trimmed(cells):
                yield from ((row, cells) for row in range(at - repeats + 1, at + 1))


def _count(attributes: dict[str, str], name: str) -> int:
    count = attributes.get(f"{_TABLE}{name}", "1")
    return int(count) if count.isdecimal() and len(count) < 10 else 1
