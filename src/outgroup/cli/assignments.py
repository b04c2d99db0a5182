"""The table of assignments as CSV, on request protected against spreadsheet formulas."""

from __future__ import annotations

import csv
import io
import math
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NotRequired, TextIO, TypedDict

import numpy as np

from ..cluster.strangeness import STRANGE, is_unusual
from ..errors import ModelError, counted, required, warn
from ..readers.documents import Corpus
from ..readers.non_answers import NO_ANSWER
from ..session.past import UNKNOWN
from ..session.version import Verdicts
from ..storage.json_values import Count, read_json
from ..summary.clean import harmless, unshielded
from ..summary.partition import margins_of
from ..summary.records import SPECIAL, own_code
from ..text.collection import LABELLED_AWAY
from ..text.representation import NO_TEXT
from ..types import Array

Row = tuple[str, ...]

COLUMNS = (
    "id",
    "title",
    "cluster",
    "code",
    "name",
    "second",
    "margin",
    "off_topic_score",
    "off_topic",
    "off_topic_words",
    "skipped",
)

UNLIKE = "unlike_all"
"""The last column of `outgroup assign`: whether a document is unlike every group."""

OFF_TOPIC = "off-topic"
"""The value of `cluster` for a document that is set aside."""

_NO_ANSWER, _OTHER = SPECIAL
_GROUP = COLUMNS.index("cluster")
NUMBERS = {"cluster", "code", "second", "margin", "off_topic_score"}  # our own columns; a leading minus is a sign
_NOTHING = ("",) * (len(COLUMNS) - 3)
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*([eE][+-]?[0-9]{1,3})?%?")


@dataclass(frozen=True)
class CsvTable:
    """A header and rows of cells; `numeric` marks columns of numbers, or is None for our own columns."""

    header: Row
    rows: Iterator[Row]
    numeric: tuple[bool, ...] | None = None


def assignments(
    corpus: Corpus,
    verdicts: Verdicts,
    why: str,
    names: Sequence[str] = (),
    reasons: Mapping[str, str] | None = None,
    labels: Array | None = None,
    further: Mapping[str, Sequence[str]] | None = None,
    codes: Mapping[int, int] = MappingProxyType({}),
    special: Mapping[int, str] = MappingProxyType({}),
) -> CsvTable:
    """Return a row for each document, in input order: group, code, second best group, margin and off-topic verdict.

    The margin is the score of the group minus the score of the second best. `off_topic` is "yes" or "no", or empty
    without verdicts. A document that is set aside has the group `off-topic` and its nearest group as `second`; its name
    is `labelled off-topic` if a decision removed it. A document without words has its entry of `reasons`, or `why`, in
    `skipped`. `labels`, (n,), override the groups of the best scores; `codes` are the numbers of the groups' codes, by
    default their own. `special` are the names of the special codes: 98 is that of non-answers and blank texts, 99 that
    of documents that are set aside. `further` are columns on request, of n values. Further input columns come last,
    with "(input)" after names that collide with ours; behind them, for new documents, `unlike_all`. Items that are not
    documents, such as an unreadable folder, are the last rows.
    """
    further = further or {}
    unlike = {} if verdicts.unlike is None else {UNLIKE: verdicts.unlike}
    ours = {*COLUMNS, *further, *unlike}
    header = (*COLUMNS, *further, *(f"{name} (input)" if name in ours else name for name in corpus.columns), *unlike)
    columns = [*further.values(), *corpus.columns.values(), *unlike.values()]
    others = zip(*columns, strict=True) if columns else repeat(())
    away = repeat(False) if verdicts.away is None else verdicts.away.tolist()
    aside = repeat(False) if verdicts.aside is None else verdicts.aside.tolist()
    decided = repeat(-1) if labels is None else labels.tolist()
    values = *(cells.tolist() for cells in places(verdicts.scores, labels)), _verdict_cells(verdicts)

    def own() -> Iterator[Row]:
        cells = zip(corpus.ids, corpus.titles, *values, away, aside, decided, strict=False)
        for identity, title, group, other, margin, verdict, removed, out, by_hand in cells:
            name = names[group] if group < len(names) else ""
            inside = str(group), str(codes.get(group, own_code(group))), name
            if np.isnan(margin) and by_hand >= 0:  # a decision placed a document without a row
                yield identity, title, *inside, *_NOTHING[3:], ""
            elif np.isnan(margin):
                yield identity, title, *_NOTHING, (reasons or {}).get(identity, why)
            elif removed or out:
                code = str(_OTHER) if _OTHER in special else ""
                name = LABELLED_AWAY if removed else special.get(_OTHER, "")
                yield identity, title, OFF_TOPIC, code, name, str(group), "", *verdict, ""
            else:
                yield identity, title, *inside, "" if other < 0 else str(other), f"{margin:.6g}", *verdict, ""

    rows = (cells + others_of_row for cells, others_of_row in zip(own(), others, strict=False))
    blank, end = ("",) * len(further), ("",) * len(unlike)
    left_out = []
    for skip in corpus.skipped:
        cells = [skip.columns.get(name, "") for name in corpus.columns]
        empty = _NOTHING
        if skip.reason in (NO_ANSWER, NO_TEXT) and _NO_ANSWER in special:
            empty = ("", str(_NO_ANSWER), special[_NO_ANSWER], *_NOTHING[3:])
        left_out.append((skip.row, (skip.where, "", *empty, skip.reason, *blank, *cells, *end)))
    last = (row for number, row in left_out if number is None)
    skipped = ((number, row) for number, row in left_out if number is not None)
    ordered = merge(zip(corpus.rows, rows, strict=False), skipped, key=itemgetter(0))
    return CsvTable(header, chain((row for _, row in ordered), last))


def write(table: CsvTable, file: TextIO, *, shield: bool = False) -> Counter[str]:
    """Write a table as CSV; return the number of rows by group, as in `counting`.

    With `shield`, an apostrophe precedes each text that a spreadsheet would evaluate as a formula; programs that join
    tables by ids need them unchanged.
    """
    writer, groups = _writer(file), Counter[str]()
    writer.writerow(map(harmless, table.header) if shield else table.header)
    rows = counting(table, groups)
    if shield:
        ours = [str if name in NUMBERS else harmless for name in COLUMNS]
        cleaners = ours + [_number_or_harmless] * (len(table.header) - len(ours))
        writer.writerows([clean(cell) for cell, clean in zip(row, cleaners, strict=True)] for row in rows)
    else:
        writer.writerows(rows)
    return groups


def counting(table: CsvTable, groups: Counter[str]) -> Iterator[Row]:
    """Yield the rows and count them by group: "" counts skipped documents, "unlike_all" those unlike every group."""
    has_unlike = table.header[-1] == UNLIKE
    for row in table.rows:
        groups[row[_GROUP]] += 1
        if has_unlike and row[-1]:
            groups[UNLIKE] += row[-1] == "yes"
        yield row


def in_words(groups: Counter[str]) -> str:
    """Return the counts of `write` as a sentence.

    Examples
    --------
    >>> in_words(Counter({"0": 1200, "4": 3, "off-topic": 20, "": 1}))
    '1,203 documents in 2 groups, 20 off-topic, 1 skipped'
    """
    numbers = [count for group, count in groups.items() if group not in (OFF_TOPIC, UNLIKE, "")]
    parts = [f"{counted(sum(numbers), 'document')} in {counted(len(numbers), 'group')}"]
    others = {"off-topic": groups[OFF_TOPIC], "skipped": groups[""]}
    return ", ".join(parts + [f"{count:,} {name}" for name, count in others.items() if count])


def warn_of_skips(groups: Counter[str]) -> None:
    """Warn if the table is empty, or if more documents were skipped than assigned: the groups may not fit the input."""
    skipped, total = groups[""], groups.total() - groups[UNLIKE]
    if not total:
        warn("there are no documents; the table has only a header")
    if skipped > total - skipped:
        warn(f"{skipped:,} of {counted(total, 'document')} were skipped: see the column `skipped`")


def strange_in_words(groups: Counter[str]) -> str:
    """Return a sentence with the number of documents unlike every group; "" for none.

    >>> strange_in_words(Counter({"0": 200, "3": 80, "": 5, "unlike_all": 78}))
    '78 of 280 documents are unlike every group (expected: at most 14)'
    """
    unlike, n = _strange(groups)
    verb = "is" if unlike == 1 else "are"
    expected = f"expected: at most {math.ceil(STRANGE.rate * n):,}"
    return f"{unlike:,} of {counted(n, 'document')} {verb} unlike every group ({expected})" if unlike else ""


def are_strange(groups: Counter[str]) -> bool:
    """Return whether significantly more documents than expected are unlike every group."""
    return is_unusual(*_strange(groups))


def _strange(groups: Counter[str]) -> tuple[int, int]:
    return groups[UNLIKE], groups.total() - groups[UNLIKE] - groups[""]


class _LfFile:
    """Convert CRLF to LF; the csv writer quotes cells with CR or LF only if it writes CRLF."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix("\r\n") + "\n")


def _writer(file: TextIO) -> Any:
    return csv.writer(_LfFile(file), lineterminator="\r\n")


def written_here(path: Path) -> bool:
    """Return whether `write` made the file: it has our columns, and our line ends and quotes."""
    again = io.StringIO(newline="")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
            _writer(again).writerows([header, *rows])
            file.seek(0)
            same = file.read() == again.getvalue()
    except (OSError, ValueError, csv.Error):
        return False
    return same and tuple(header[: len(COLUMNS)]) == COLUMNS and all(len(row) == len(header) for row in rows)


def is_number(cell: str) -> bool:
    try:
        return cell == "" or math.isfinite(float(cell))
    except ValueError:
        return False


def _number_or_harmless(cell: str) -> str:
    """Return a cell unchanged if it is a number of the input, such as -5.3; else apply `harmless`."""
    return cell if _NUMBER.fullmatch(cell) else harmless(cell)


def _verdict_cells(verdicts: Verdicts) -> Iterator[Row]:
    """Yield the off-topic score, verdict and words of each document as cells."""
    scores = verdicts.off_topic_score.tolist()
    away = np.zeros(len(scores), dtype=bool) if verdicts.away is None else verdicts.away
    unlike = np.where(away, "yes", "") if verdicts.off_topic is None else np.where(verdicts.off_topic, "yes", "no")
    cells = ("" if np.isnan(score) else f"{score:.6g}" for score in scores)
    return zip(cells, unlike.tolist(), verdicts.words, strict=True)


def places(scores: Array, labels: Array | None = None) -> tuple[Array, Array, Array]:
    """Return the group, the second best group (-1 if k = 1) and the margin of each row, (n,) each, from `scores` (n,
    k).

    The group is the label, or the best score for a label of -1. The margin of a row without scores is nan.
    """
    best = np.nan_to_num(scores, nan=-np.inf).argmax(axis=1)
    best = best if labels is None else np.where(labels >= 0, labels, best)
    margins, second = margins_of(scores, best)
    return best, np.full(len(best), -1) if second is None else second, margins


def with_groups(session: dict[str, Any], folder: Path, *, documents: bool = True) -> dict[str, Any]:
    """Return the content of a saved session with the groups of its documents.

    A result of rows in files has them only in its table; they are left out unless `documents` is set, and have no text
    digests.
    """
    if session.get("documents", 0) is not None:
        return session
    rows = groups_in(folder) if documents else ()
    return session | {"documents": {identity: [group, UNKNOWN] for identity, group in rows}}


def groups_in(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the id and group of each document in the table of a result folder; the group is -1 for none.

    Raises ModelError without a table of Parquet or CSV.
    """
    path = next((path for kind in ("parquet", "csv") if (path := folder / f"assignments.{kind}").exists()), None)
    if path is None:
        raise ModelError(
            f"{folder} has neither assignments.parquet nor assignments.csv, which contain the groups of its "
            "documents: cluster them again"
        )
    try:
        if path.suffix == ".parquet":
            parquet = required("pyarrow.parquet", "io", f"reading {path} needs pyarrow")
            with parquet.ParquetFile(path) as table:
                for batch in table.iter_batches(columns=["id", "cluster"]):
                    groups = batch.column("cluster").fill_null(-1)
                    yield from zip(batch.column("id").to_pylist(), groups.to_pylist(), strict=True)
            return
        with path.open("rb") as raw:
            shielded = raw.read(len(BOM_UTF8)) == BOM_UTF8  # as csv-excel
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                group, identity = row["cluster"], unshielded(row["id"]) if shielded else row["id"]
                yield identity, int(group) if group.isdecimal() else -1
    except (OSError, ValueError, KeyError, csv.Error) as error:
        raise ModelError(f"{path} is damaged: {error!s:.200}") from error


# --- File names of a result folder

RUN, SESSION, GROUPS, PAGE = "run.json", "session.json", "clusters.json", "report.html"


class GroupRecord(TypedDict):
    """The fields of a group in `clusters.json` that are read again."""

    cluster: Count
    name: str
    code: NotRequired[Count]


def group_names(folder: Path) -> dict[int, str]:
    """Return the shown name of each group in a result, by number; raise OSError or ValueError if it cannot be read."""
    return {record["cluster"]: record["name"] for record in _group_records(folder)}


def group_codes(folder: Path) -> dict[int, int]:
    """Return the code of each group in a result, by number; {} if they cannot be read."""
    try:
        records = _group_records(folder)
    except (OSError, ValueError):
        return {}
    return {record["cluster"]: record["code"] for record in records if "code" in record}


def _group_records(folder: Path) -> list[GroupRecord]:
    return read_json(folder / GROUPS, list[GroupRecord])
