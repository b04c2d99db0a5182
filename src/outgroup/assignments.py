"""Which document went where, as CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np

Array = np.ndarray[Any, Any]
Row = tuple[str, str, str, str]

COLUMNS = ("id", "cluster", "margin", "skipped")

_FORMULA = "=+-@\t\r\n＝＋－＠"


def assignments(ids: Sequence[str], scores: Array, why: str, skipped: Iterable[tuple[str, str]] = ()) -> Iterator[Row]:
    """Yield a row for each document: its group and by how much its score leads the runner-up's.

    `scores` is (n, k), nan for a document without words, whose row says `why` instead; `skipped` are (where, reason) of
    documents that could not be read, and come last.
    """
    margins = _margins(scores)
    for identity, margin, row in zip(ids, margins.tolist(), scores, strict=True):
        if np.isnan(margin):
            yield identity, "", "", why
        else:
            yield identity, str(int(row.argmax())), f"{margin:.6g}", ""
    for where, reason in skipped:
        yield where, "", "", reason


def write(rows: Iterable[Row], file: TextIO) -> None:
    """Write rows as CSV; a cell that a spreadsheet would take for a formula gets an apostrophe in front."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(tuple(map(harmless, row)) for row in rows)


def harmless(cell: str) -> str:
    """
    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return "'" + cell if cell.startswith(tuple(_FORMULA)) else cell


def _margins(scores: Array) -> Array:
    """Return the best score minus the runner-up's (the score if k = 1), (n,)."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
