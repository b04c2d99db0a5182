"""Records in lines of cells, whatever separates them: commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any

from ...errors import CorpusError, OutgroupWarning
from .documents import LONGEST_DOCUMENT
from .fields import Fields
from .header import Header, beginning, find_header
from .json_records import Row
from .lines import whole_lines
from .source import Source

_OTHERS = (
    ('{"', "objects of JSON: name the file .jsonl, as which it is read"),
    ("<!doctype", "a page of HTML, as servers give one to log in where a download was meant"),
    ("<html", "a page of HTML, as servers give one to log in where a download was meant"),
)
"""How files begin that are no table, and what they are."""

USUAL = {".csv": ",", ".tsv": "\t"}
_LOOKED_AT, _NAMED = 100_000, 5  # rows after a wrong one that are looked at, and wrong ones among them that are named


def table_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows of a table by the names of its header; what stands above that is left out, with a warning."""
    with _long_cells():
        first = beginning(rest := whole_lines(source, fields.encoding))
        header = find_header(first, USUAL.get(source.kind, ","), fields)
        rows = _numbered(source, header, chain(first[header.above :], rest))
        yield from _named(source, rows, fields)
        if header.titled:
            said = f"{source.name}: line {header.above + 1} names the columns; what stands above it was left out"
            warnings.warn(said, OutgroupWarning, stacklevel=2)


def _named(source: Source, rows: Iterator[tuple[int, list[str]]], fields: Fields) -> Iterator[Row]:
    """Yield the rows below the first one by its names."""
    names = [name.strip() for name in next(rows, (0, []))[1]]
    if names:
        if other := next((said for mark, said in _OTHERS if names[0].casefold().startswith(mark)), ""):
            raise CorpusError(f"{source.name}: no table, but {other}")
        fields.require(names, source.name)
        names = fields.unambiguous(names, source.name)
    for line, cells in rows:
        if len(cells) != len(names) and len(cells := _fitted(cells, len(names))) != len(names):
            raise _uneven(source, line, len(cells), len(names), rows)
        yield line, dict(zip(names, cells, strict=True))


def _numbered(source: Source, header: Header, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have cells, from the header on, with the numbers of their lines."""
    reader, line = _reader(source, header.separator, lines), header.above + 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = header.above + reader.line_num + 1
    except csv.Error as error:
        place = f"{source.name}, line {header.above + reader.line_num}"
        raise CorpusError(f"{place}: wrong table: {_wrong(error)}") from error


def _fitted(cells: list[str], width: int) -> list[str]:
    """Return a row without what is empty beyond the header: spreadsheets separate there what nobody filled in."""
    return cells if any(map(str.strip, cells[width:])) else cells[:width]


def _reader(source: Source, separator: str, lines: Iterator[str]) -> Any:
    """Return the rows of cells; between tabs quotes may be signs like others, since no cell holds a tab then."""
    if separator == "\t" and _is_unquoted(source):
        return csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=separator, strict=True)


def _is_unquoted(source: Source) -> bool:
    """Return whether each line has as many tabs as the others, and quotes in one make no cells of it."""
    tabs, odd = -1, False
    for line in whole_lines(source):
        if not line.strip():
            continue
        if line.count("\t") != tabs and tabs >= 0:
            return False
        tabs = line.count("\t")
        odd = odd or ((line.startswith('"') or '\t"' in line) and not _is_whole(line, tabs + 1))
    return odd


def _is_whole(line: str, cells: int) -> bool:
    try:
        return len(next(csv.reader([line], delimiter="\t", strict=True), [])) == cells
    except csv.Error:
        return False


def _wrong(error: csv.Error) -> str:
    """Return what is wrong with a table's quotes, and what to do."""
    if "expected after" in str(error):
        return "a quote stands within a text in quotes; write it twice there"
    return f"{error}; is the file whole?"


def _uneven(source: Source, line: int, cells: int, width: int, rest: Iterator[tuple[int, list[str]]]) -> CorpusError:
    """Return the error of a line with too many or too few cells; it names more such lines among the next of the `rest`,
    so that all can be mended at once."""
    others = list[int]()
    with suppress(CorpusError):  # the lines before it are named
        others.extend(number for number, row in islice(rest, _LOOKED_AT) if len(_fitted(row, width)) != width)
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    these = "so is line" if len(others) == 1 else "so are lines"
    said = f"; {these} {', '.join(map(str, others[:_NAMED]))}{more}" if others else ""
    return CorpusError(
        f"{source.name}, line {line}: {cells} cells, the header has {width}{said}; put texts with a separator in them "
        "into quotes"
    )


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as a document may be; the csv module keeps this limit for the whole process."""
    before = csv.field_size_limit(LONGEST_DOCUMENT)
    try:
        yield
    finally:
        csv.field_size_limit(before)
