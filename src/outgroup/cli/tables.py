"""The tables of a result in each format, and tables that a person fills in."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

import numpy as np

from ..errors import required
from ..readers.documents import Corpus
from ..readers.fields import as_cell
from ..storage.atomic import new_file
from ..summary.clean import harmless
from ..summary.records import By, Summary
from ..summary.sentences import by_notes, chi_square_line
from . import assignments, xlsx
from .assignments import NUMBERS, OFF_TOPIC, CsvTable

HOW = "add --force to replace it"
SNIPPET = 120  # characters


@dataclass(frozen=True)
class Format:
    """A format of the table of documents.

    `write(table, path, summary)` writes the file `name`, and `check(n)` raises an error if n rows cannot be written.
    A table `for_people` has a snippet of each text. A later run reads the groups of a table with `has_groups`.
    """

    name: str
    write: Callable[[CsvTable, Path, Summary], object]
    check: Callable[[int], object] = lambda n: None
    for_people: bool = False
    has_groups: bool = False


def format_of(kind: str | None) -> Format:
    """Return a format by its name; CSV by default."""
    return FORMATS[kind or "csv"]


def write_table(table: CsvTable, summary: Summary, kind: str | None, folder: Path) -> None:
    """Write the table of documents to a result folder, row by row, in a format."""
    form = format_of(kind)
    form.write(table, folder / form.name, summary)


def shown_corpus(corpus: Corpus, options: Mapping[str, Any]) -> Corpus:
    """Return the documents with the columns of a table: snippets in a table for people, and texts on request."""
    shown = _with_snippets(corpus) if format_of(options["table"]).for_people else corpus
    return _with_texts(shown, options["table"]) if options["with_text"] else shown


def _with_snippets(corpus: Corpus) -> Corpus:
    """Return the documents with the beginning of each text as the first further column."""
    if "snippet" in corpus.columns:
        return corpus
    each = zip(corpus.texts, corpus.titles, strict=True)
    texts = (text.lstrip().removeprefix(title) or text for text, title in each)
    snippets = [shorten(text[: 8 * SNIPPET], SNIPPET, placeholder=" …") or text[:SNIPPET] for text in texts]
    return replace(corpus, columns={"snippet": snippets} | corpus.columns)


def _with_texts(corpus: Corpus, kind: str | None) -> Corpus:
    """Return the documents with their texts as the last column."""
    name = "text as read" if "text" in corpus.columns else "text"
    texts = corpus.texts if kind == "xlsx" else [*map(as_cell, corpus.texts)]
    return replace(corpus, columns=corpus.columns | {name: texts})


# --- CSV and Excel


def _write_csv(table: CsvTable, path: Path, _: Summary, *, for_excel: bool = False) -> None:
    encoding = "utf-8-sig" if for_excel else "utf-8"  # Excel needs the byte-order mark
    with path.open("w", encoding=encoding, newline="") as file:
        assignments.write(table, file, shield=for_excel)


def _write_xlsx(table: CsvTable, path: Path, summary: Summary) -> None:
    with path.open("wb") as workbook:
        xlsx.write(table, workbook, path.parent, _sheets(summary))


def _sheets(summary: Summary) -> dict[str, CsvTable]:
    """Return the further sheets of the workbook: the groups, and the groups by a column."""
    by = {} if summary.by is None or not summary.by.labels else {"by": _by_table(summary, summary.by)}
    return {"groups": _groups_table(summary), **by}


def _by_table(summary: Summary, by: By) -> CsvTable:
    """Return the table of groups by the values of a column: counts or weights, shares, sums, and the test."""
    counts = np.array(by.counts, dtype=float)
    shares = counts / np.maximum(counts.sum(axis=0), np.finfo(float).tiny)
    form = "{:.6g}".format
    rows = [
        (
            str(group.number),
            str(group.code),
            group.name,
            *(form(value) for table in (counts, shares) for value in table[group.number].tolist()),
        )
        for group in summary.full
    ]
    sums = ("", "", "all", *map(form, counts.sum(axis=0).tolist()), *[""] * len(by.labels))
    width = 3 + 2 * len(by.labels)
    said = [("", "", line, *[""] * (width - 3)) for line in (chi_square_line(by), *by_notes(summary)) if line]
    header = ("cluster", "code", "name", *by.labels, *(f"share of {label}" for label in by.labels))
    return CsvTable(header, iter([*rows, sums, *said]), (True, True, False, *[True] * (width - 3)))


def _groups_table(summary: Summary) -> CsvTable:
    """Return a row for each group: number, code, name, description, documents, trust, words, typical documents, and
    weights if given.
    """
    numeric = {"cluster", "code", "documents", "weight", "share"}
    rows = [
        {
            **{"cluster": str(group.number), "code": str(group.code), "name": group.name},
            **{"description": group.description, "documents": str(group.size)},
            **({} if group.weight is None else {"weight": str(group.weight), "share": str(group.share)}),
            "trust": group.trust or "",
            "words": ", ".join(word for word, _ in group.words),
            "typical documents": "; ".join(document.title for document in group.exemplars),
        }
        for group in summary.full
    ]
    header = tuple(rows[0])
    return CsvTable(header, (tuple(row.values()) for row in rows), tuple(name in numeric for name in header))


# --- Parquet, with pyarrow (extra `io`), in row groups

_ROWS = 20_000  # of a row group


def _number(cell: str) -> int | None:
    return int(cell) if cell.isdecimal() else None


_KINDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("cluster", "code", "second"), ("int32", _number)),
    **dict.fromkeys(("margin", "off_topic_score"), ("float32", float)),
    "off_topic": ("bool", lambda cell: cell == "yes"),
    "name": ("string", str),
}
"""The types of our own columns, where an empty cell is null; all other columns are strings."""


def _write_parquet(table: CsvTable, path: Path, _: Summary) -> None:
    pa, parquet = _arrow()
    schema = pa.schema([(name, pa.type_for_alias(_KINDS.get(name, ("string",))[0])) for name in table.header])
    with parquet.ParquetWriter(path, schema) as writer:
        while rows := list(islice(table.rows, _ROWS)):
            columns = zip(table.header, zip(*rows, strict=True), strict=True)
            arrays = [
                pa.array(_values(name, cells), kind) for (name, cells), kind in zip(columns, schema.types, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _values(name: str, cells: Sequence[str]) -> Sequence[Any]:
    if name not in _KINDS:
        return cells
    convert = _KINDS[name][1]
    return [convert(cell) if cell else None for cell in cells]


def _arrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raise MissingExtraError if it is missing."""
    purpose = "writing Parquet files requires pyarrow, and --table csv no library"
    return required("pyarrow", "io", purpose), required("pyarrow.parquet", "io", purpose)


# --- SPSS, with pyreadstat (extra `spss`)

_GROUPS = ("cluster", "second")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)([.][0-9]+)?(e[+-]?[0-9]{1,2})?")  # no leading zeros: those are codes
_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_LABEL = 32, 8_000, 120  # letters of at most four bytes


def _write_sav(table: CsvTable, path: Path, summary: Summary) -> None:
    """Write a table as an SPSS file, with names as value labels of the numbers of groups and codes.

    The column `cluster` becomes a number: -1 for off-topic documents, missing for skipped ones. Other columns of
    numbers alone, but for `id`, are numbers, too. Of several groups a document, `group_0`, `group_1`, ... have the
    names of the groups as variable labels: a multiple-response set.
    """
    spss, pandas = _spss()
    columns = dict(zip(_variables(table.header), zip(*table.rows, strict=True), strict=True))
    there = [group for group in summary.groups if not group.gone]
    labels = {-1: OFF_TOPIC} | {group.number: group.name for group in there}
    codes = {group.code: group.name for group in there if group.code is not None} | summary.special_codes
    named = {**{name: labels for name in _GROUPS if name in columns}, "code": codes}
    held = [] if summary.several is None else there
    several = {f"group_{group.number}": group.name[:_LONGEST_LABEL] for group in held}
    named |= {name: {0: "no", 1: "yes"} for name in several}
    cells = {name: _cells(name, values) for name, values in columns.items()}
    labelled = {name: {float(n): text[:_LONGEST_LABEL] for n, text in each.items()} for name, each in named.items()}
    heads = {name: several.get(name, head) for name, head in zip(columns, table.header, strict=True)}
    try:
        spss.write_sav(pandas.DataFrame(cells), str(path), column_labels=heads, variable_value_labels=labelled)
    except spss.ReadstatError as error:  # the disk is full
        raise OSError(str(error)) from error


def _spss() -> tuple[Any, Any]:
    """Return pyreadstat and pandas, or raise MissingExtraError."""
    purpose = "writing .sav files requires pyreadstat and pandas"
    return required("pyreadstat", "spss", purpose), required("pandas", "spss", purpose)


def _cells(name: str, values: tuple[str, ...]) -> list[Any]:
    filled = [cell for cell in values if cell]
    if name in NUMBERS or (name != "id" and filled and all(map(_NUMBER.fullmatch, filled))):
        return [float(cell) if _NUMBER.fullmatch(cell) else -1.0 if cell else None for cell in values]
    return [cell[:_LONGEST_VALUE] for cell in values]


def _variables(header: tuple[str, ...]) -> list[str]:
    """Return a valid, unique variable name for each column: letters, digits and underscores.

    >>> _variables(("cluster", "off-topic (input)", "2nd", "Cluster"))
    ['cluster', 'off_topic_input', 'v_2nd', 'Cluster_2']
    """
    names: list[str] = []
    for column in header:
        name = re.sub(r"\W+", "_", column).strip("_")[:_LONGEST_NAME] or "v"
        name = name if name[0].isalpha() else f"v_{name}"
        lowered, count, unique = {earlier.casefold() for earlier in names}, 2, name
        while unique.casefold() in lowered:
            unique, count = f"{name}_{count}", count + 1
        names.append(unique)
    return names


FORMATS = {
    "csv": Format("assignments.csv", _write_csv, has_groups=True),
    "csv-excel": Format("assignments.csv", partial(_write_csv, for_excel=True), for_people=True, has_groups=True),
    "parquet": Format("assignments.parquet", _write_parquet, lambda _: _arrow(), has_groups=True),
    "sav": Format("assignments.sav", _write_sav, lambda _: _spss(), for_people=True),
    "xlsx": Format("assignments.xlsx", _write_xlsx, xlsx.check_rows, for_people=True),
}
"""The formats of `--table`."""

# --- Tables that a person fills in: CSV that Excel opens, without formulas


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
