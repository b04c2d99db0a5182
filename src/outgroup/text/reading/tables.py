"""Records in lines of cells, whatever separates them: commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from ...errors import CorpusError
from .documents import LONGEST_DOCUMENT
from .fields import Fields
from .json_records import Row
from .lines import whole_lines
from .source import Source

USUAL = {".csv": ",", ".tsv": "\t"}
_SEPARATORS = ",;\t|"
_LOOKED_AT, _NAMED = 100_000, 5  # rows after a wrong one that are looked at, and wrong ones among them that are named


def table_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows of a table by the names of its header."""
    with _long_cells():
        reader = _reader(source, _separator(source, fields))
        try:
            header = [name.strip() for name in next(reader, [])]
            if header:
                fields.require(header, source.name)
                header = fields.unambiguous(header, source.name)
            begin = reader.line_num + 1
            for cells in reader:
                if cells and len(cells) != len(header):
                    raise _uneven(source, begin, len(cells), len(header), reader)
                if cells:
                    yield begin, dict(zip(header, cells, strict=True))
                begin = reader.line_num + 1
        except csv.Error as error:
            place = f"{source.name}, line {reader.line_num}"
            raise CorpusError(f"{place}: wrong table: {_wrong(error)}") from error


def _reader(source: Source, separator: str) -> Any:
    """Return the rows of cells; between tabs quotes may be signs like others, since no cell holds a tab then."""
    if separator == "\t" and _is_unquoted(source):
        return csv.reader(whole_lines(source), delimiter=separator, quoting=csv.QUOTE_NONE)
    return csv.reader(whole_lines(source), delimiter=separator, strict=True)


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


def _separator(source: Source, fields: Fields) -> str:
    """Return what separates the header: the usual sign where it gives the text's field, else the one that does so."""
    first = next(whole_lines(source), "")
    if "\0" in first:
        raise CorpusError(f"{source.name}: binary file, no text")
    usual = USUAL.get(source.kind, ",")
    headers = {sign: header_of(first, sign) for sign in usual + _SEPARATORS.replace(usual, "")}
    fits = (sign for sign, header in headers.items() if all(name in header for name in fields.texts(header)))
    return next(fits, max(headers, key=lambda sign: len(headers[sign])))


def header_of(line: str, separator: str) -> list[str]:
    """Return the cells of a line, none where it is no line of a table.

    Examples
    --------
    >>> header_of('id;"text; whole"', ";")
    ['id', 'text; whole']
    """
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []


def _uneven(source: Source, line: int, cells: int, width: int, rest: Any) -> CorpusError:
    """Return the error of a line with too many or too few cells; it names more such lines among the next of the `rest`,
    so that all can be mended at once."""
    before, others = rest.line_num, list[int]()
    try:
        for row in islice(rest, _LOOKED_AT):
            others += [before + 1] if row and len(row) != width else []
            before = rest.line_num
    except csv.Error:
        pass  # the lines before it are named
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
