"""Which document went where, as CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..errors import OutgroupWarning
from ..readers.documents import Corpus, Skip
from ..report.document_view import margins_of
from ..report.sentences import counted
from ..session.version import Verdicts
from ..text.collection import LABELLED_AWAY
from ..types import Array

Row = tuple[str, ...]

COLUMNS = (
    "id",
    "title",
    "cluster",
    "name",
    "second",
    "margin",
    "off_topic_score",
    "off_topic",
    "off_topic_words",
    "skipped",
)

OFF_TOPIC = "off-topic"
"""What stands for the group of a document that is set aside."""

_GROUP = COLUMNS.index("cluster")
NUMBERS = {"cluster", "second", "margin", "off_topic_score"}  # written by us, and a minus is theirs
_NOTHING = ("",) * (len(COLUMNS) - 3)
_FORMULA = "=+-@\t\r\n＝＋－＠"
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*([eE][+-]?[0-9]{1,3})?%?")


@dataclass(frozen=True)
class CsvTable:
    """A header and its rows."""

    header: Row
    rows: Iterator[Row]


NOTHING = CsvTable(COLUMNS, iter(()))
"""The table of an input without a document."""


def assignments(
    corpus: Corpus,
    verdicts: Verdicts,
    why: str,
    names: Sequence[str] = (),
    reasons: Mapping[str, str] | None = None,
    labels: Array | None = None,
) -> CsvTable:
    """Return a row for each document of the input, in its order: its group, the second best, and the verdict.

    The margin is by how much the group's score leads the second best's. "yes" or "no" stands in a column of its own,
    which is empty where there are no verdicts. A document that is set aside has `off-topic` for its group, and the
    nearest group for its second; where a person said that it is off-topic, its name is `labelled off-topic`. A document
    without words has a row that says `why`, or its own of the `reasons`. `labels` (n,) are the groups where they are
    not those of the best scores: a person may have said so. The other columns of the input come last, those that are
    named like one of ours with "(input)"; what was no document, such as a closed folder, is below all documents.
    """
    header = (*COLUMNS, *(f"{name} (input)" if name in COLUMNS else name for name in corpus.columns))
    others = zip(*corpus.columns.values(), strict=True) if corpus.columns else repeat(())
    found = (
        own + other
        for own, other in zip(_own(corpus, verdicts, why, names, reasons or {}, labels), others, strict=False)
    )
    left_out = [(skip.row, (skip.where, "", *_NOTHING, skip.reason, *_cells(skip, corpus))) for skip in corpus.skipped]
    last = (row for number, row in left_out if number is None)
    skipped = ((number, row) for number, row in left_out if number is not None)
    ordered = merge(zip(corpus.rows, found, strict=False), skipped, key=itemgetter(0))
    return CsvTable(header, chain((row for _, row in ordered), last))


def _cells(skip: Skip, corpus: Corpus) -> Row:
    return tuple(skip.columns.get(name, "") for name in corpus.columns)


def _own(
    corpus: Corpus,
    verdicts: Verdicts,
    why: str,
    names: Sequence[str],
    reasons: Mapping[str, str],
    labels: Array | None,
) -> Iterator[Row]:
    """Yield our columns of each document that was read."""
    found = (each.tolist() for each in places(verdicts.scores, labels))
    away = repeat(False) if verdicts.away is None else verdicts.away.tolist()
    each = zip(corpus.ids, corpus.titles, *found, _verdict_cells(verdicts), away, strict=False)
    for identity, title, group, other, margin, verdict, thrown in each:
        if np.isnan(margin):
            yield identity, title, *_NOTHING, reasons.get(identity, why)
        elif thrown or (verdicts.aside and verdict[1] == "yes"):
            yield identity, title, OFF_TOPIC, LABELLED_AWAY if thrown else "", str(group), "", *verdict, ""
        else:
            name = names[group] if group < len(names) else ""
            yield identity, title, str(group), name, "" if other < 0 else str(other), f"{margin:.6g}", *verdict, ""


def write(table: CsvTable, file: TextIO, *, header: bool = True) -> Counter[str]:
    """Write a table as CSV, and return how often each group stands in it, "" for the skipped.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    writer, groups = _writer(file), Counter[str]()
    if header:
        writer.writerow(map(harmless, table.header))
    ours = [str if name in NUMBERS else harmless for name in COLUMNS]
    each = ours + [_number_or_harmless] * (len(table.header) - len(ours))
    rows = counting(table.rows, groups)
    writer.writerows([clean(cell) for cell, clean in zip(row, each, strict=True)] for row in rows)
    return groups


def counting(rows: Iterator[Row], groups: Counter[str]) -> Iterator[Row]:
    for row in rows:
        groups[row[_GROUP]] += 1
        yield row


def in_words(groups: Counter[str]) -> str:
    """Return how many documents went where, as `write` counted them.

    Examples
    --------
    >>> in_words(Counter({"0": 1200, "4": 3, "off-topic": 20, "": 1}))
    '1,203 documents in 2 groups, 20 off-topic, 1 skipped'
    """
    numbers = [count for group, count in groups.items() if group not in (OFF_TOPIC, "")]
    said = [f"{counted(sum(numbers), 'document')} in {counted(len(numbers), 'group')}"]
    others = {"off-topic": groups[OFF_TOPIC], "skipped": groups[""]}
    return ", ".join(said + [f"{count:,} {name}" for name, count in others.items() if count])


def warn_of_skips(groups: Counter[str]) -> None:
    """Warn where more documents were skipped than went to a group: they may not be such as the groups were made of; and
    where there was none."""
    skipped = groups[""]
    if not groups.total():
        warnings.warn("there are no documents: the table has its header alone", OutgroupWarning, stacklevel=2)
    if skipped > groups.total() - skipped:
        said = f"{skipped:,} of {counted(groups.total(), 'document')} were skipped: the column `skipped` says why"
        warnings.warn(said, OutgroupWarning, stacklevel=2)


class _Lines:
    """Lines that end with a line feed alone, from a writer that quotes cells with either sign of an end."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix("\r\n") + "\n")


def _writer(file: TextIO) -> Any:
    return csv.writer(_Lines(file), lineterminator="\r\n")


def written_here(path: Path) -> bool:
    """Return whether a file is a table as `write` makes it: our columns first, our cells in them, and our form."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
            file.seek(0)
            return tuple(header[: len(COLUMNS)]) == COLUMNS and all(map(_is_row, rows)) and _form(header, rows, file)
    except (OSError, ValueError, csv.Error):
        return False


def _is_row(cells: list[str]) -> bool:
    row = dict(zip(COLUMNS, cells, strict=False))
    numbers = [row.get(name, "?") for name in NUMBERS if row.get(name) != OFF_TOPIC or name != "cluster"]
    return row.get("off_topic") in ("", "yes", "no") and all(map(is_number, numbers))


def _form(header: list[str], rows: list[list[str]], file: TextIO) -> bool:
    """Return whether the file has the line ends and quotes that `write` gives these cells."""
    for row in [header, *rows]:
        line = io.StringIO()
        _writer(line).writerow(row)
        if len(row) != len(header) or file.read(len(line.getvalue())) != line.getvalue():
            return False
    return file.read(1) == ""


def is_number(cell: str) -> bool:
    try:
        return cell == "" or math.isfinite(float(cell))
    except ValueError:
        return False


def harmless(cell: str) -> str:
    """
    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return "'" + cell if cell.startswith(tuple(_FORMULA)) else cell


def _number_or_harmless(cell: str) -> str:
    """Keep the input's numbers, such as -5.3, as they are: a minus before digits alone is no formula."""
    return cell if _NUMBER.fullmatch(cell) else harmless(cell)


def _verdict_cells(verdicts: Verdicts) -> Iterator[Row]:
    """Yield how off-topic each document is: score, verdict, words."""
    scores = verdicts.off_topic_score.tolist()
    away = np.zeros(len(scores), dtype=bool) if verdicts.away is None else verdicts.away
    unlike = np.where(away, "yes", "") if verdicts.off_topic is None else np.where(verdicts.off_topic, "yes", "no")
    said = ("" if np.isnan(score) else f"{score:.6g}" for score in scores)
    return zip(said, unlike.tolist(), verdicts.words, strict=True)


def places(scores: Array, labels: Array | None = None) -> tuple[Array, Array, Array]:
    """Return each row's column, the best of the others (-1 if k = 1), and by how much it leads (its score), (n,) each.

    A row's column is its label, or the best where it has none. The lead of a row that has no scores is nan.
    """
    best = np.nan_to_num(scores, nan=-np.inf).argmax(axis=1)
    best = best if labels is None else np.where(labels >= 0, labels, best)
    margins, second = margins_of(scores, best)
    return best, np.full(len(best), -1) if second is None else second, margins


# --- The files of a result's folder, by name

RUN, SESSION, GROUPS, PAGE, MODEL = "run.json", "session.json", "clusters.json", "report.html", "model"
TABLES = {"csv": "assignments.csv", "parquet": "assignments.parquet", "xlsx": "assignments.xlsx"}
"""The table of assignments, by its kind."""
