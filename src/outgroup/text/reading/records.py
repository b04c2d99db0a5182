"""Documents from one file of records: JSON lines, CSV, TSV, each also compressed, and Parquet.

A wrong record is an error that names its line and not a skip: the usual cause is a download that was cut off or a wrong
export, and a part of a collection must not pass for the whole. A sound record without a usable text is skipped by name.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import CorpusError, MissingExtraError
from .decode import decode, marked_encoding, plain
from .documents import LONGEST_CELL, LONGEST_DOCUMENT, MOST_COLUMNS, Document, Skip

_Row = tuple[int, dict[str, Any] | Skip]  # the line a record begins on, and its fields

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_JSON_LINES = {".jsonl", ".ndjson"}
_BATCH = 1024
_PIECE = 1 << 20
_NAMES_SHOWN = 20
_TOO_LONG = f"longer than {LONGEST_DOCUMENT // 1_000_000} million characters, too long for one document"


@dataclass(frozen=True)
class Fields:
    """Which field of a record is what. `text` must exist; the others must where they are not the usual names."""

    text: str = "text"
    id: str = "id"
    title: str = "title"
    label: str = "label"
    join_title: bool = True

    def texts(self, known: Container[str]) -> list[str]:
        """Return the fields of the text: several with commas between them, unless one has such a name itself."""
        return [self.text] if self.text in known else [name.strip() for name in self.text.split(",") if name.strip()]

    def require(self, known: Iterable[str], path: Path) -> None:
        """Raise a CorpusError that names the fields there are, unless all that were asked for are among them."""
        known = list(known)
        asked = [("text", name) for name in self.texts(known) or [self.text]]
        asked += [(role, getattr(self, role)) for role in ("id", "title", "label")]
        for role, name in asked:
            if name not in known and (role == "text" or name != role):
                shown = ", ".join(repr(field) for field in known[:_NAMES_SHOWN])
                raise CorpusError(f"{path}: no field {name!r} for the {role}; the fields are {shown}")


def is_records(path: Path) -> bool:
    """Return whether a file's name says that it holds records."""
    return _kind(path) in {*_JSON_LINES, *_DELIMITERS, ".parquet"}


def read_records(path: Path, fields: Fields) -> Iterator[Document | Skip]:
    """Yield every record of a file as a document, or why it is none.

    Raises
    ------
    CorpusError
        The file cannot be read or unpacked, a record is malformed, or no record has an asked-for field.
    MissingExtraError
        A Parquet file, and pyarrow is not installed.
    """
    kind = _kind(path)
    if kind == ".parquet":
        rows = _parquet_rows(path, fields)
    elif kind in _DELIMITERS:
        rows = _table_rows(path, _DELIMITERS[kind], fields)
    else:
        rows = _json_rows(path, fields)
    unit = "row" if kind == ".parquet" else "line"
    for number, row in rows:
        yield row if isinstance(row, Skip) else _document(row, number, unit, fields)


def _kind(path: Path) -> str:
    """Return the suffix, in lower case, without one that stands for compression."""
    name = path.name.lower()
    for packed in _OPENERS:
        name = name.removesuffix(packed)
    return Path(name).suffix


def _document(row: dict[str, Any], number: int, unit: str, fields: Fields) -> Document | Skip:
    where = f"{unit} {number}"
    try:
        identity, title = words(row.get(fields.id)), words(row.get(fields.title))
        label = None if row.get(fields.label) is None else words(row[fields.label])
        columns = _others(row, fields)
    except RecursionError:
        return Skip(where, "a field of it is nested too deep to be read")
    where = identity or where
    parts = fields.texts(row)
    wrong = _wrong(row, parts, fields)
    if wrong:
        return Skip(where, wrong)
    *before, text = [words(row.get(name)) for name in parts]
    head = ([title] if fields.join_title and fields.title not in parts else []) + before
    return Document(where, identity or str(number), text, title, label, "\n\n".join(filter(None, head)), columns)


def _wrong(row: dict[str, Any], parts: list[str], fields: Fields) -> str:
    """Return why a record has no usable text, "" where it has one."""
    title = fields.join_title and row.get(fields.title) not in (None, "")
    if not title and not any(name in row for name in parts):
        return f"no field {fields.text!r}"
    nested = [name for name in parts if isinstance(row.get(name), list | dict)]
    return f"the field {nested[0]!r} holds a {type(row[nested[0]]).__name__}, not a string" if nested else ""


def _others(row: dict[str, Any], fields: Fields) -> dict[str, str]:
    """Return the fields that stay beside the text, as texts: vectors and bytes are none."""
    used = {*fields.texts(row), fields.id, fields.title}
    kept = [(name, value) for name, value in row.items() if name not in used and not _is_array(value)]
    return {plain(str(name)): _cell(value) for name, value in kept[: MOST_COLUMNS + 1]}


def _is_array(value: Any) -> bool:
    return isinstance(value, bytes) or (
        isinstance(value, list) and any(isinstance(each, int | float) for each in value)
    )


def _cell(value: Any) -> str:
    said = words(value)
    return said if len(said) <= LONGEST_CELL else said[: LONGEST_CELL - 1] + "…"


def words(value: Any) -> str:
    """Return a field's value as text: nothing for null, a list's items with commas."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return decode(value)
    if isinstance(value, list):
        return ", ".join(map(words, value))
    return plain(str(value))


def _json_rows(path: Path, fields: Fields) -> Iterator[_Row]:
    known: dict[str, None] = {}
    for number, line in _lines(path):
        if line is None:
            yield number, Skip(f"line {number}", _TOO_LONG)
        elif line.strip():
            record = _json_object(line, f"{path}, line {number}")
            known.update(dict.fromkeys(record))
            yield number, record
    if known:
        fields.require(known, path)


def _json_object(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{place}: wrong JSON at column {error.colno}: {error.msg}; is the file whole?") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise CorpusError(f"{place}: JSON that cannot be read: {error}") from error
    if not isinstance(record, dict):
        raise CorpusError(f'{place}: expected an object such as {{"text": ...}}, found a {type(record).__name__}')
    return record


def _table_rows(path: Path, delimiter: str, fields: Fields) -> Iterator[_Row]:
    with _long_cells():
        reader = csv.reader(_whole_lines(path), delimiter=delimiter, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if header:
                fields.require(header, path)
            begin = reader.line_num + 1
            for cells in reader:
                if cells:
                    yield begin, _cells(header, cells, f"{path}, line {begin}")
                begin = reader.line_num + 1
        except csv.Error as error:
            raise CorpusError(f"{path}, line {reader.line_num}: wrong table: {error}; is the file whole?") from error


def _cells(header: list[str], cells: list[str], place: str) -> dict[str, Any]:
    if len(cells) != len(header):
        raise CorpusError(
            f"{place}: {len(cells)} cells, the header has {len(header)}; put texts with a separator in them into quotes"
        )
    return dict(zip(header, cells, strict=True))


def _whole_lines(path: Path) -> Iterator[str]:
    for number, line in _lines(path):
        if line is None:
            raise CorpusError(f"{path}, line {number}: {_TOO_LONG}")
        yield line


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as a document may be; the csv module keeps this limit for the whole process."""
    before = csv.field_size_limit(LONGEST_DOCUMENT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _parquet_rows(path: Path, fields: Fields) -> Iterator[_Row]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError('reading Parquet files needs pyarrow: pip install "outgroup[io]"') from error
    try:
        file = pyarrow.parquet.ParquetFile(path)
        known = file.schema_arrow.names
        fields.require(known, path)
        wanted = _wanted(file.schema_arrow, fields)
        batches = file.iter_batches(batch_size=_BATCH, columns=wanted)
        yield from enumerate((row for batch in batches for row in batch.to_pylist()), start=1)
    except (pyarrow.ArrowException, OSError) as error:
        raise CorpusError(f"{path}: not a readable Parquet file: {error}") from error


def _wanted(schema: Any, fields: Fields) -> list[str]:
    """Return the columns that are read: those with a role, and others that are no vectors and no bytes."""
    import pyarrow.types as types

    roles = {*fields.texts(schema.names), fields.id, fields.title, fields.label}
    simple = [
        each.name
        for each in schema
        if not types.is_nested(each.type) and not types.is_binary(each.type) and not types.is_large_binary(each.type)
    ]
    return [name for name in schema.names if name in roles or name in simple[: MOST_COLUMNS + 1]]


def _lines(path: Path) -> Iterator[tuple[int, str | None]]:
    """Yield the file's lines with their numbers, None for a line too long to hold."""
    try:
        with _OPENERS.get(path.suffix.lower(), open)(path, "rb") as packed, _text_stream(packed) as text:
            yield from enumerate(_bounded(text), start=1)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError(f"{path}: the compressed file is damaged or cut off: {error}") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}") from error


def _text_stream(stream: Any) -> io.TextIOWrapper:
    """Decode by the byte order mark, else as UTF-8 in which wrong bytes survive, to be repaired line by line."""
    encoding = marked_encoding(stream.peek(4)[:4]) or "utf-8"
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    return io.TextIOWrapper(stream, encoding, errors, newline="\n")


def _bounded(stream: io.TextIOWrapper) -> Iterator[str | None]:
    while line := stream.readline(LONGEST_DOCUMENT):
        if len(line) < LONGEST_DOCUMENT:
            yield _repaired(line)
            continue
        while line and not line.endswith("\n"):
            line = stream.readline(_PIECE)
        yield None


def _repaired(line: str) -> str:
    try:
        line.encode()
    except UnicodeEncodeError:
        return decode(line.encode("utf-8", "surrogateescape"))
    return line
