"""Documents from one file of records, of whatever kind.

A wrong record is an error that names its place and not a skip: the usual cause is a download that was cut off or a
wrong export, and a part of a collection must not pass for the whole. A sound record without a usable text is skipped by
name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .documents import TOO_LONG, Document, Skip
from .fields import Fields, document
from .json_records import Row, file_rows, line_rows
from .lines import check_is_text, lines
from .parquet import parquet_rows
from .sheets import sheet_rows
from .source import Source
from .tables import table_rows

LINES = ".lines"
"""Not a suffix: a text file given by itself, and what is piped in and is nothing else, has a document on each line."""


def _plain_lines(source: Source, fields: Fields) -> Iterator[Row]:
    for number, line in lines(source, fields.encoding):
        if line is None:
            yield number, Skip(f"line {number}", TOO_LONG)
        elif line.strip():
            yield number, {fields.text: line}


_READERS: dict[str, tuple[Callable[[Source, Fields], Iterator[Row]], str]] = {
    ".jsonl": (line_rows, "line"),
    ".ndjson": (line_rows, "line"),
    ".json": (file_rows, "record"),
    ".csv": (table_rows, "line"),
    ".tsv": (table_rows, "line"),
    ".parquet": (parquet_rows, "row"),
    ".xlsx": (sheet_rows, "row"),
    ".xlsm": (sheet_rows, "row"),
    ".ods": (sheet_rows, "row"),
    LINES: (_plain_lines, "line"),
}
KINDS = frozenset(_READERS)
_TEXTUAL = {LINES, ".jsonl", ".ndjson", ".json", ".csv", ".tsv"}


def read_records(source: Source, fields: Fields, within: str = "") -> Iterator[Document | Skip]:
    """Yield every record of a source as a document, or why it is none; what it is `within` stands before its number.

    Raises
    ------
    CorpusError
        The source cannot be read or unpacked, a record is malformed, or no record has an asked-for field.
    MissingExtraError
        The library that the kind needs is not installed.
    """
    reader, unit = _READERS[source.kind]
    if source.kind in _TEXTUAL:
        check_is_text(source)
    for number, row in reader(source, fields):
        yield row if isinstance(row, Skip) else document(row, f"{within}{number}", unit, fields)
