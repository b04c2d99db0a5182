"""One table of an OpenDocument spreadsheet, in one pass over its XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat

from .documents import LONGEST_DOCUMENT, TOO_LONG, UnreadableError
from .xml_parts import refuse_types

_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 "
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "
_NOTE = f"{_OFFICE}annotation"
_CELLS = {f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"}
_PIECE = 1 << 18
_MOST_REPEATS = 10_000  # of a row that is not empty: equal rows are written once


def opendocument_rows(
    content: IO[bytes], names: list[str], most_cells: int, number: int
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the rows of the table of that number, from 0, with theirs; the names of all are added to `names`."""
    table = _Table(names, most_cells, number)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    refuse_types(parser)
    parser.StartElementHandler, parser.EndElementHandler = table.start, table.end
    parser.CharacterDataHandler = table.data
    while piece := content.read(_PIECE):
        parser.Parse(piece)
        yield from table.taken()
    parser.Parse(b"", True)
    yield from table.taken()


class _Table:
    def __init__(self, names: list[str], most_cells: int, place: int) -> None:
        self._place = place
        self._names, self._most, self._rows = names, most_cells, list[tuple[int, list[Any]]]()
        self._cells: list[Any] = []
        self._parts: list[str] | None = None
        self._given: dict[str, str] = {}
        self._number, self._repeats, self._length, self._notes = 0, 1, 0, 0

    def taken(self) -> list[tuple[int, list[Any]]]:
        """Return the rows that are complete, and forget them."""
        rows, self._rows = self._rows, []
        return rows

    def start(self, name: str, given: dict[str, str]) -> None:
        if name == f"{_TABLE}table":
            self._names.append(given.get(f"{_TABLE}name", ""))
        if len(self._names) != self._place + 1:
            return
        if name == f"{_TABLE}table-row":
            self._cells, self._repeats = [], _count(given, "number-rows-repeated")
        elif name in _CELLS:
            self._parts, self._given, self._length = [], given, 0
        elif name == _NOTE:
            self._notes += 1
        elif self._parts is not None:
            self._sign(name.removeprefix(_TEXT), given)

    def _sign(self, name: str, given: dict[str, str]) -> None:
        if name == "p" and self._parts:
            self.data("\n")
        elif name in ("s", "tab", "line-break"):
            self.data({"s": " ", "tab": "\t", "line-break": "\n"}[name])

    def data(self, text: str) -> None:
        if self._parts is not None and not self._notes:
            self._length += len(text)
            if self._length > LONGEST_DOCUMENT:
                raise UnreadableError(f"a cell is {TOO_LONG}")
            self._parts.append(text)

    def end(self, name: str) -> None:
        if len(self._names) != self._place + 1:
            return
        if name == _NOTE:
            self._notes -= 1
        elif name in _CELLS and self._parts is not None:
            self._end_cell(self._parts, _count(self._given, "number-columns-repeated"))
        elif name == f"{_TABLE}table-row":
            self._end_row()

    def _end_cell(self, parts: list[str], repeats: int) -> None:
        value = self._given.get(f"{_OFFICE}date-value") or "".join(parts).strip() or None
        left = self._most - len(self._cells)
        self._cells += [value] * min(repeats, left)
        self._parts = None

    def _end_row(self) -> None:
        while self._cells and self._cells[-1] is None:
            self._cells.pop()
        repeats = self._repeats if self._cells else 0
        if repeats > _MOST_REPEATS:
            raise UnreadableError(f"row {self._number + 1} is repeated {repeats:,} times")
        self._rows += [(self._number + 1 + i, self._cells) for i in range(repeats)]
        self._number += self._repeats


def _count(given: dict[str, str], name: str) -> int:
    said = given.get(f"{_TABLE}{name}", "1")
    return int(said) if said.isdecimal() and len(said) < 10 else 1
