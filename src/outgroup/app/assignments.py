"""Which document went where, as CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

import numpy as np

from ..session.assess import Verdicts
from ..types import Array

Row = tuple[str, ...]

COLUMNS = ("id", "cluster", "margin", "off_topic_score", "off_topic", "off_topic_words", "skipped")

_NUMBERS = {"cluster", "margin", "off_topic_score"}  # written by us, and a minus is theirs
_NOTHING = ("",) * (len(COLUMNS) - 2)
_FORMULA = "=+-@\t\r\n＝＋－＠"


def assignments(
    ids: Sequence[str],
    verdicts: Verdicts,
    why: str,
    skipped: Iterable[tuple[str, str]] = (),
    reasons: Mapping[str, str] | None = None,
) -> Iterator[Row]:
    """Yield a row for each document: its group, by how much its score leads the runner-up's, and the verdict.

    An off-topic document keeps its group: "yes" stands in a column of its own, which is empty where there are no
    verdicts. A document without words has a row that says `why`, or its own of the `reasons`; `skipped` are (where,
    reason) of documents that could not be read, and come last.
    """
    each = zip(ids, _margins(verdicts.scores).tolist(), verdicts.scores, _told(verdicts), strict=True)
    for identity, margin, row, told in each:
        if np.isnan(margin):
            yield identity, *_NOTHING, (reasons or {}).get(identity, why)
        else:
            yield identity, str(int(row.argmax())), f"{margin:.6g}", *told, ""
    for where, reason in skipped:
        yield where, *_NOTHING, reason


def write(rows: Iterable[Row], file: TextIO) -> None:
    """Write rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    texts = [name not in _NUMBERS for name in COLUMNS]
    writer.writerows([harmless(cell) if text else cell for cell, text in zip(row, texts, strict=True)] for row in rows)


def harmless(cell: str) -> str:
    """
    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return "'" + cell if cell.startswith(tuple(_FORMULA)) else cell


def _told(verdicts: Verdicts) -> Iterator[Row]:
    """Yield how off-topic each document is: score, verdict, words."""
    scores = verdicts.off_topic_score.tolist()
    out = [""] * len(scores) if verdicts.off_topic is None else np.where(verdicts.off_topic, "yes", "no").tolist()
    said = ("" if np.isnan(score) else f"{score:.6g}" for score in scores)
    return zip(said, out, verdicts.words, strict=True)


def _margins(scores: Array) -> Array:
    """Return the best score minus the runner-up's (the score if k = 1), (n,)."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
