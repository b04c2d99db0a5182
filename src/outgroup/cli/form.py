"""A table that a person reads and fills in: CSV that Excel opens, without formulas."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..readers.fields import as_cell
from ..storage.atomic import new_file
from ..summary.clean import harmless
from .result import HOW


def write_form(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], *, replace: bool) -> None:
    """Write a table; with `replace`, in place of one with the same columns.

    Raises OutputError if another file is there, or the table cannot be written.
    """
    with new_file(path, replace=replace, ours=lambda other: _has(other, columns), how=HOW) as file:
        file.write("\ufeff")  # Excel needs it to read UTF-8
        csv.writer(file).writerows([columns, *([harmless(as_cell(str(cell))) for cell in row] for row in rows)])


def _has(path: Path, columns: Sequence[str]) -> bool:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), []) == [*columns]
    except (OSError, ValueError, csv.Error):
        return False
