"""The tables of a project file, and what brings those of an earlier form to today's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .json_values import parse_json
from .packed_labels import packed

APPLICATION = 0x4F754772
"""What the head of such a file says: "OuGr"."""

FORM = 3
"""The form of the tables, `user_version`; a file of a lower one is brought to it when it is opened."""

_FIRST = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE decisions (number INTEGER PRIMARY KEY, made TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are only added'); END;
CREATE TRIGGER decisions_last BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions are only added'); END;
CREATE TABLE texts (
    role TEXT NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, digest TEXT NOT NULL,
    body TEXT, PRIMARY KEY (role, place)
) STRICT;
"""

_VERSIONS = """
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, parent INTEGER, log_end INTEGER NOT NULL, made TEXT NOT NULL, seconds REAL NOT NULL,
    labels BLOB NOT NULL, body TEXT NOT NULL, model TEXT, arrays BLOB
) STRICT;
"""

_NAMES = """
CREATE TABLE version_names (
    number INTEGER PRIMARY KEY, version INTEGER NOT NULL, made TEXT NOT NULL, name TEXT NOT NULL
) STRICT;
CREATE TRIGGER names_stay BEFORE UPDATE ON version_names BEGIN SELECT RAISE(ABORT, 'names are only added'); END;
CREATE TRIGGER names_last BEFORE DELETE ON version_names BEGIN SELECT RAISE(ABORT, 'names are only added'); END;
"""

TABLES = _FIRST + _VERSIONS + _NAMES
"""The tables of today's form."""


class Text(NamedTuple):
    """A document ("document") or an off-topic example ("universum") of a project; `body` is None where texts are not
    kept."""

    role: str
    place: int
    id: str
    title: str
    digest: str
    body: str | None


class KeptVersion(NamedTuple):
    """A version that is kept: its number and that of the one it went on from, how many decisions of the log it follows,
    when it was made, in UTC, and in how many seconds, the packed number of each document's group, and what a session
    makes of it. `made` is "" where that is not known, and the model None where it is to be found again."""

    number: int
    parent: int | None
    log_end: int
    made: str
    seconds: float
    labels: bytes
    body: str
    model: str | None = None
    arrays: bytes | None = None


MARKS = ", ".join("?" * len(KeptVersion._fields))
"""The places of a version's values in a statement."""


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run the statements of a script within the transaction that is open."""
    for statement in _statements(script):
        connection.execute(statement)


def _labels_apart(connection: sqlite3.Connection) -> None:
    """Bring form 1 to 2: each version had the groups and digests of all documents in its body, 40 times as large."""
    connection.execute("ALTER TABLE versions RENAME TO former")
    run(connection, _VERSIONS)
    ids = [each for (each,) in connection.execute("SELECT id FROM texts WHERE role = 'document' ORDER BY place")]
    made = dict(connection.execute("SELECT number, made FROM decisions"))
    before = None
    for number, log_end, body, model, arrays in connection.execute("SELECT * FROM former ORDER BY number"):
        content = parse_json(body)
        groups = content.pop("documents")
        labels = packed([groups[each][0] for each in ids])
        at, plain = made.get(log_end, ""), json.dumps(content)
        row = KeptVersion(number, before, log_end, at, 0.0, labels, plain, model, arrays)
        connection.execute(f"INSERT INTO versions VALUES ({MARKS})", row)
        before = number
    connection.execute("DROP TABLE former")


def _names(connection: sqlite3.Connection) -> None:
    """Bring form 2 to 3: versions had no names."""
    run(connection, _NAMES)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _labels_apart, 2: _names}
"""What brings a file from a form to the next."""


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script: `executescript` would commit before it."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement) and statement.strip("; \n"):
            yield statement
            statement = ""
