"""The tables of a project file, their checksums, and what brings those of an earlier form to today's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from .json_values import parse_json
from .packed_labels import packed

APPLICATION = 0x4F754772
"""What the head of such a file says: "OuGr"."""

FORM = 4
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

_FIRST_VERSIONS = """
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, log_end INTEGER NOT NULL, body TEXT NOT NULL, model TEXT, arrays BLOB
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

_SUMS = """
CREATE TABLE sums (part TEXT PRIMARY KEY, sum BLOB NOT NULL) STRICT;
"""

SCHEMAS = {
    1: _FIRST + _FIRST_VERSIONS,
    2: _FIRST + _VERSIONS,
    3: _FIRST + _VERSIONS + _NAMES,
    4: _FIRST + _VERSIONS + _NAMES + _SUMS,
}
"""The tables and triggers of each form: a file has these and nothing else."""

SUMMED = 4
"""The first form with checksums."""


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


def has_schema(connection: sqlite3.Connection, form: int) -> bool:
    """Return whether a file has the tables and triggers of its form, and no view, index or virtual table."""
    query = "SELECT sql FROM sqlite_master WHERE NOT (sql IS NULL AND type = 'index' AND name LIKE 'sqlite_autoindex%')"
    found = sorted(_plain(str(sql)) for (sql,) in connection.execute(query))
    return found == sorted(map(_plain, _statements(SCHEMAS[form])))


def _plain(statement: str) -> str:
    return " ".join(statement.replace('"', "").split()).rstrip(";")


_PARTS = {
    "settings": "SELECT * FROM settings ORDER BY name",
    "texts": "SELECT * FROM texts ORDER BY role, place",
    "decisions": "SELECT * FROM decisions ORDER BY number",
    "version_names": "SELECT * FROM version_names ORDER BY number",
}
_VERSION = "SELECT number, parent, log_end, made, seconds, labels, body FROM versions"  # a model has its own checksum


def sum_of(rows: Iterable[tuple[Any, ...]], before: bytes = b"") -> bytes:
    """Return the checksum of rows that follow those of which `before` is the checksum: a table may only grow."""
    for row in rows:
        before = blake2b(before + repr(row).encode(), digest_size=16).digest()
    return before


def extend(connection: sqlite3.Connection, part: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Bring the checksum of a part up to rows that were added to it."""
    before = connection.execute("SELECT sum FROM sums WHERE part = ?", (part,)).fetchone()
    connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?)", (part, sum_of(rows, *(before or ()))))


def seal_version(connection: sqlite3.Connection, number: int) -> None:
    """Write the checksum of a version that was kept."""
    found = sum_of(connection.execute(f"{_VERSION} WHERE number = ?", (number,)))
    connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?)", (f"version {number}", found))


def sums_of(connection: sqlite3.Connection) -> dict[str, bytes]:
    """Return the checksum of each part, as its rows are now."""
    found = {part: sum_of(connection.execute(query)) for part, query in _PARTS.items()}
    return found | {f"version {row[0]}": sum_of([row]) for row in connection.execute(f"{_VERSION} ORDER BY number")}


def seal(connection: sqlite3.Connection) -> None:
    """Write the checksums of all parts."""
    connection.execute("DELETE FROM sums")
    connection.executemany("INSERT INTO sums VALUES (?, ?)", list(sums_of(connection).items()))


def changed_parts(connection: sqlite3.Connection) -> list[str]:
    """Return the parts whose rows are not those that were written."""
    kept, found = dict(connection.execute("SELECT part, sum FROM sums")), sums_of(connection)
    return sorted(str(part) for part in {*kept, *found} if kept.get(part) != found.get(part))


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


def _sums(connection: sqlite3.Connection) -> None:
    """Bring form 3 to 4: nothing told damage of rows that SQLite can read."""
    run(connection, _SUMS)


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _labels_apart, 2: _names, 3: _sums}
"""What brings a file from a form to the next."""


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script: `executescript` would commit before it."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement) and statement.strip("; \n"):
            yield statement
            statement = ""
