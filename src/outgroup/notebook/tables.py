"""Small tables: a DataFrame of the library that is at hand, or one that prints well by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from ..report.clean import clean

_LIBRARIES = ("pandas", "polars")
_SHOWN, _WIDEST = 30, 40  # rows, and letters of a cell, that are printed


def table(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns of equal length as a DataFrame: of the library that is in use, else installed, else a `Table`."""
    in_use = [name for name in _LIBRARIES if name in sys.modules]
    for name in in_use or [name for name in _LIBRARIES if find_spec(name)]:
        return import_module(name).DataFrame(dict(columns))
    return Table(columns)


class Table:
    """Columns by name, that print as a table.

    Examples
    --------
    >>> print(Table({"name": ["tea", "trains"], "size": [2, 10]}))
    name    size
    tea        2
    trains    10
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*self._columns.values(), strict=True):
            yield dict(zip(self._columns, row, strict=True))

    def __repr__(self) -> str:
        lines = [self.columns, *[[_cell(value) for value in row.values()] for row in islice(self, _SHOWN)]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [all(isinstance(value, int | float) for value in values) for values in self._columns.values()]
        shown = [_line(line, widths, right) for line in lines]
        more = len(self) - _SHOWN
        return "\n".join(shown + ([f"and {more} more"] if more > 0 else []))


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    each = zip(cells, widths, right, strict=True)
    return "  ".join(cell.rjust(width) if last else cell.ljust(width) for cell, width, last in each).rstrip()


def _cell(value: Any) -> str:
    said = "" if value is None else f"{value:.3g}" if isinstance(value, float) else clean(str(value))
    said = " ".join(said.split())
    return said if len(said) <= _WIDEST else said[: _WIDEST - 1] + "…"
