"""Read a table or a view of an SQLite file with the standard library."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ..errors import CorpusError, quoted, warn
from .documents import LIMITS, Deadline
from .encoding import decode
from .fields import Fields, name_among
from .json_records import Row
from .source import Source

SQLITE = (".sqlite", ".sqlite3", ".db")
"""Kinds of files with tables."""

_STEPS = 100_000  # of the machine of SQLite, between two looks at the clock


def sqlite_rows(source: Source, fields: Fields) -> Iterator[Row]:
    """Yield the rows of the requested table or view, by default of the first one with the text field.

    Raises CorpusError if the file is damaged, lacks the table, or a row takes more than a minute.
    """
    with _opened(source) as base:
        tables = _tables(base)
        if fields.sheet and (name := name_among(tables, fields.sheet)) not in tables:
            raise CorpusError(f"{source.name}: there is no table {name!r}; the tables are {quoted(tables, 20)}")
        if not fields.sheet:
            fit = (name for name, columns in tables.items() if all(text in columns for text in fields.texts(columns)))
            name = next(fit, next(iter(tables), ""))
        if others := [other for other in tables if other != name and not fields.sheet]:
            how = "--sheet NAME, or in Python sheet='NAME', reads another table"
            warn(f"{source.name}: the table {name!r} was read; other tables were not read: {quoted(others)}; {how}")
        if not tables:
            raise CorpusError(f"{source.name}: the file contains no table")
        columns = fields.header(tables[name], source.name)
        for number, values in enumerate(_rows(base, name), start=1):
            source.budget.take(sum(len(value) for value in values if isinstance(value, str | bytes)))
            yield number, dict(zip(columns, values, strict=True))


@contextmanager
def _opened(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a private copy: SQLite reads, changes and deletes files beside the original, such as its journal."""
    fault = "not a readable SQLite file; export the table as .csv"
    with source.named(fault), tempfile.TemporaryDirectory() as folder, source.open() as stream:
        with Path(folder, "copy").open("xb") as copy:
            shutil.copyfileobj(stream, copy)
        with closing(sqlite3.connect(f"{Path(folder, 'copy').as_uri()}?mode=ro&immutable=1", uri=True)) as base:
            base.text_factory = decode
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LIMITS.document)
            base.execute("PRAGMA trusted_schema = OFF")
            yield base


def _tables(base: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of all tables and views."""
    listed = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    names = [name for (name,) in base.execute(listed)]
    return {name: [column for column, *_ in base.execute(_select(name, "LIMIT 0")).description] for name in names}


def _rows(base: sqlite3.Connection, name: str) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a table; a view may compute forever, so each row has a deadline."""
    deadline = Deadline()
    base.set_progress_handler(lambda: deadline.is_over, _STEPS)
    for row in base.execute(_select(name)):
        yield row
        deadline = Deadline()


def _select(name: str, some: str = "") -> str:
    return 'SELECT * FROM "{}" {}'.format(name.replace('"', '""'), some)
