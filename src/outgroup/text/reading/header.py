"""The header of a table in lines: where the columns are named, and what separates them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from .fields import Fields

SEPARATORS = ",;\t|"
_HEADS = 20  # rows among which the header is: a title may stand above it
_LINES, _SIGNS = 2 * _HEADS, 1_000_000  # that are looked at: a cell may have several lines
_SAID = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # spreadsheets read and write this line, and show it to nobody


@dataclass(frozen=True)
class Header:
    """Where a header is: what separates its cells, how many lines stand above it, and whether these say anything."""

    separator: str
    above: int
    titled: bool


def beginning(lines: Iterator[str]) -> list[str]:
    """Return the lines in which a header is looked for: never much of a file."""
    found, size = list[str](), 0
    for line in islice(lines, _LINES):
        found.append(line)
        size += len(line)
        if size > _SIGNS:
            break
    return found


def find_header(lines: Sequence[str], usual: str, fields: Fields) -> Header:
    """Return where the first lines of a table name its columns: the first row that has the field of the text, and more
    cells than what stands above it; where there is none, the first row of several cells. The `usual` separator comes
    before the others.

    Examples
    --------
    >>> find_header(["Tickets of May;", ";", "no;text"], ",", Fields())
    Header(separator=';', above=2, titled=True)
    """
    said = _SAID.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    signs = said.group(1) if said else usual + SEPARATORS.replace(usual, "")
    hidden = 1 if said else 0
    rows = [(sign, list(_rows(lines[hidden:], sign))) for sign in signs]
    fit = [(at, sign) for sign, each in rows for at in _fitting(each, fields)]
    several = ((at, -_filled(cells), sign) for sign, each in rows for at, cells in each if _filled(cells) > 1)
    at, sign = min(fit, key=lambda one: one[0]) if fit else min(several, default=(0, 0, signs[0]))[::2]
    return Header(sign, hidden + at, any(line.strip(f"{sign} \r\n") for line in lines[hidden : hidden + at]))


def cells_of(line: str, separator: str) -> list[str]:
    """Return the cells of a line, none where it is no line of a table.

    Examples
    --------
    >>> cells_of('id;"text; whole"', ";")
    ['id', 'text; whole']
    """
    return next((cells for _, cells in _rows([line], separator)), [])


def _rows(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first rows of cells, and how many lines stand above each, up to one that is none of a table."""
    reader, above = csv.reader(lines, delimiter=separator), 0
    try:
        for cells in islice(reader, _HEADS):
            yield above, [cell.strip() for cell in cells]
            above = reader.line_num
    except csv.Error:
        return


def _fitting(rows: Sequence[tuple[int, list[str]]], fields: Fields) -> Iterator[int]:
    """Yield where a row may be the header: those above it have fewer cells, as a title has."""
    most = 0
    for above, cells in rows:
        if _filled(cells) > most and all(name in cells for name in fields.texts(cells)):
            yield above
        most = max(most, _filled(cells))


def _filled(cells: list[str]) -> int:
    return sum(map(bool, cells))
