"""Open the tables and views of an SQLite file with the standard library."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import CorpusError, warn
from .documents import LIMITS, Deadline
from .encoding import decode
from .source import Source

_STEPS = 100_000  # of the machine of SQLite, between two looks at the clock
_NAMES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def tables_of(source: Source, stack: ExitStack) -> Iterator[tuple[str, int, Any]]:
    """Yield the names of the tables and views, 0, and functions that read them: the columns are row 0.

    Opens a private copy, since SQLite reads, changes and deletes files beside the original, such as its journal.
    """
    path = Path(stack.enter_context(tempfile.TemporaryDirectory()), "copy")
    with source.open() as stream, path.open("xb") as copy:
        shutil.copyfileobj(stream, copy)
    with path.open("rb") as copy:
        if copy.read(20)[18:] == b"\2\2":  # write-ahead logging
            warn(f"{source.name}: if a file {source.name}-wal lies beside it, its rows are not read: close its program")
    base = stack.enter_context(closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)))
    base.text_factory = decode
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LIMITS.document)
    base.execute("PRAGMA trusted_schema = OFF")
    return ((name, 0, partial(_rows, base, name, source.name)) for (name,) in base.execute(_NAMES).fetchall())


def _rows(base: sqlite3.Connection, name: str, file: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield the columns and the rows of a table; a view may compute forever, so each row has a deadline."""
    deadline = Deadline()
    base.set_progress_handler(lambda: deadline.is_over, _STEPS)
    try:
        table = base.execute('SELECT * FROM "{}"'.format(name.replace('"', '""')))
        yield 0, [column for column, *_ in table.description]
        for number, row in enumerate(table, start=1):
            yield number, list(row)
            deadline = Deadline()
    except sqlite3.Error as error:
        remedy = "name another with --sheet NAME, or in Python sheet='NAME'"
        raise CorpusError(f"{file}: the table {name!r:.60} cannot be read ({error!s:.200}): {remedy}") from error
