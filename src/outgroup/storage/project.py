"""A session in one SQLite file: its tables, and the migration of earlier schema versions."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Self

import numpy as np

from ..errors import DAMAGE, ModelError, OutgroupError, OutputError
from ..types import Array
from .hidden import kind_of
from .json_values import parse_json

# --- Project file: SQLite, durable decisions
#
# The tables of decisions and of names of versions are append-only. Versions are results of fits, stored so that the
# file opens fast; they can be computed again. Rollback journal and full synchronisation: writes are few, and the file
# may be on a network share. The connection locks the file until it is closed; a second process is refused.
#
# A file may be damaged or forged. SQLite opens a file only if its header has our application id, and nothing beside it
# makes SQLite write elsewhere. Then the tables are compared with those of the form, and the pages and the checksums of
# the rows are verified, in a number of steps that the size of the file limits.

__all__ = ["KeptVersion", "Project", "Text"]

_PATIENCE = 0.2  # seconds to wait for a lock of another process
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")  # the last bytes of such a journal
_STEPS, _STEPS_A_BYTE = 10_000_000, 10  # of SQLite's virtual machine while a file is checked; a row takes 20

_WITHOUT_MODELS = (
    "UPDATE versions SET model = NULL, arrays = NULL WHERE number NOT IN (?, (SELECT min(number) FROM versions))"
)


class Project:
    """An open project file; thread-safe."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path, self._lock = connection, path, RLock()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        settings: dict[str, str],
        texts: Iterable[Text],
        *,
        called: Path | None = None,
    ) -> Self:
        """Create a new file; messages call it `called`, if given.

        Raises OutputError if the file exists or cannot be written.
        """
        path = Path(path)
        if os.path.lexists(path):
            raise OutputError(f"{path} exists; choose another name, or move it away")
        if not path.parent.is_dir():
            raise OutputError(f"the folder {path.parent} for {path.name} does not exist: create it first")
        for name in filter(os.path.lexists, _beside(called or path)):
            raise OutputError(f"{name} exists, which SQLite would take for a part of {called or path}: move it away")
        try:
            connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            project = cls(connection, called or path)
            _configure(connection)
            with project._writing("EXCLUSIVE"):
                run(connection, SCHEMAS[FORM])
                connection.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
                connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)", texts)
                seal(connection)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORM}")
        except (sqlite3.Error, ValueError) as error:  # ValueError: a path with a NUL
            with suppress(OSError, ValueError):
                path.unlink()
            raise OutputError(f"cannot write {called or path}: {error}; nothing was written") from error
        return project

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file; raise ModelError if it is not a project file, damaged, too new, or already open."""
        path = Path(path)
        if path.is_dir():
            raise ModelError(f"{path} is a folder, not a project file; give another name")
        if not path.is_file():
            raise ModelError(f"there is no project file {path}; create it with workbench --project or Session.save")
        _check_head(path)
        _check_beside(path)
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _limit_steps(connection, path.stat().st_size)
            _configure(connection)
            connection.execute("BEGIN EXCLUSIVE").close()
            connection.execute("COMMIT")
            project = cls(connection, path)
            project._migrate(_checked(connection, path))
            connection.set_progress_handler(None, 0)
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.OperationalError):
                raise _refused(path, error) from error
            if isinstance(error, (sqlite3.Error, *DAMAGE)) and not isinstance(error, OutgroupError):
                raise ModelError(f"{path} is damaged: {error!s:.200}; {_AGAIN}") from error
            raise
        return project

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def settings(self) -> dict[str, str]:
        """Return the settings of the session."""
        return dict(self._read("SELECT name, value FROM settings"))

    def texts(self, role: str) -> list[Text]:
        """Return the documents or the off-topic examples, in order."""
        return [Text(*row) for row in self._read("SELECT * FROM texts WHERE role = ? ORDER BY place", role)]

    def append(self, decisions: Sequence[str]) -> None:
        """Append decisions to the log; they are on disk on return."""
        statement = "INSERT INTO decisions (made, body) VALUES (datetime('now'), ?) RETURNING *"
        with self._writing() as connection:
            extend(connection, "decisions", [connection.execute(statement, (each,)).fetchone() for each in decisions])

    def log(self) -> list[str]:
        """Return all decisions in order."""
        return [body for (body,) in self._read("SELECT body FROM decisions ORDER BY number")]

    def keep(self, version: KeptVersion) -> None:
        """Store a version; it replaces a version with the same number.

        If it has a model, drop the models of all others but the first: they are large, and can be fitted again.
        """
        with self._writing() as connection:
            connection.execute(f"INSERT OR REPLACE INTO versions VALUES ({MARKS})", version)
            seal_version(connection, version.number)
            if version.model is not None:
                connection.execute(_WITHOUT_MODELS, (version.number,))

    def versions(self) -> list[KeptVersion]:
        """Return the stored versions in order, without models."""
        rows = self._read(f"SELECT {', '.join(KeptVersion._fields[:-2])} FROM versions ORDER BY number")
        return [KeptVersion(*row) for row in rows]

    def version(self, number: int) -> KeptVersion:
        """Return a version with its model; raise ModelError if it is not stored."""
        rows = self._read("SELECT * FROM versions WHERE number = ?", number)
        if not rows:
            raise ModelError(f"{self.path} does not contain version {number}")
        return KeptVersion(*rows[0])

    def name_version(self, number: int, name: str) -> None:
        """Name a version; "" removes the name. The name is on disk on return."""
        with self._writing() as connection:
            statement = "INSERT INTO version_names (version, made, name) VALUES (?, datetime('now'), ?) RETURNING *"
            extend(connection, "version_names", [connection.execute(statement, (number, name)).fetchone()])

    def version_names(self) -> dict[int, str]:
        """Return the names of versions by number."""
        names = dict(self._read("SELECT version, name FROM version_names ORDER BY number"))
        return {number: name for number, name in names.items() if name}

    def _read(self, query: str, *given: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(query, given).fetchall()
            except sqlite3.ProgrammingError as error:
                raise _closed(self.path) from error
            except sqlite3.DatabaseError as error:
                raise ModelError(f"{self.path} is damaged: {error}") from error

    @contextmanager
    def _writing(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Yield the connection inside a transaction."""
        with self._lock:
            try:
                self._connection.execute(f"BEGIN {kind}")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
            except sqlite3.ProgrammingError as error:
                raise _closed(self.path) from error
            except sqlite3.OperationalError as error:
                raise OutputError(f"cannot write {self.path}: {error}; the file is unchanged") from error

    def _migrate(self, form: int) -> None:
        if form == FORM:
            return
        _copy(self.path, f"{self.path.name}.form-{form}")
        with self._writing("EXCLUSIVE") as connection:
            for each in range(form, FORM):
                MIGRATIONS[each](connection)
            seal(connection)
            connection.execute(f"PRAGMA user_version = {FORM}")


_AGAIN = "restore a copy of it"


def _check_head(path: Path) -> None:
    """Raise ModelError unless the file has our application id; SQLite may write to a file even when it reads."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise ModelError(f"cannot open {path}: {error.strerror}") from error
    if head[:16] != b"SQLite format 3\0" or head[68:72] != APPLICATION.to_bytes(4, "big"):
        raise ModelError(f"{path} is not a project file of outgroup")
    if path.is_symlink():
        raise ModelError(f"{path} is a link: give the path of the project file itself")


def _beside(path: Path) -> list[str]:
    """Return the paths of the files that SQLite reads with a database: the journal, and those of a write-ahead log."""
    return [f"{path}{end}" for end in ("-journal", "-wal", "-shm")]


def _check_beside(path: Path) -> None:
    """Raise ModelError if a file beside a project makes SQLite write to other files.

    A killed run leaves a journal, which SQLite rolls back. One that ends with this mark names a further file, which
    SQLite removes; and SQLite writes through links. We never make any of these.
    """
    for name in filter(os.path.lexists, _beside(path)):
        if not name.endswith("-journal") or kind_of(name) != stat.S_IFREG or _last(name, 8) == _NAMES_ANOTHER:
            raise ModelError(f"{name} was not made by outgroup: move it away, and open {path.name} again")


def _last(path: str, count: int) -> bytes:
    """Return the last bytes of a file."""
    with open(path, "rb") as file:
        file.seek(-min(count, os.fstat(file.fileno()).st_size), os.SEEK_END)
        return file.read(count)


def _limit_steps(connection: sqlite3.Connection, size: int) -> None:
    """Limit the steps of SQL statements, because the file may be forged."""
    left = iter(range((_STEPS + _STEPS_A_BYTE * size) // 10_000))
    connection.set_progress_handler(lambda: next(left, None) is None, 10_000)


def _copy(path: Path, name: str) -> None:
    """Copy a file to `name` in its folder, or to the next free name."""
    for number in count(1):
        copy = path.with_name(name if number == 1 else f"{name}-{number}")
        try:
            target = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if not copy.is_symlink() and copy.is_file() and filecmp.cmp(path, copy, shallow=False):
                return  # the copy of a run that was killed
            continue
        try:
            with path.open("rb") as source, os.fdopen(target, "wb") as file:
                shutil.copyfileobj(source, file)
            shutil.copymode(path, copy)
        except OSError as error:
            copy.unlink(missing_ok=True)
            raise OutputError(
                f"cannot copy {path} to {copy}: {error.strerror}; free disk space, and open the file again"
            ) from error
        return


def _configure(connection: sqlite3.Connection) -> None:
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = DELETE", "synchronous = FULL", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}").close()


def _checked(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of a file; raise ModelError if it is foreign, damaged or too new."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (form,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION or form < 1:
        raise ModelError(f"{path} is not a project file of outgroup")
    if form > FORM:
        raise ModelError(f"{path} was written by a newer version; update outgroup to open it")
    if not has_schema(connection, form):
        raise ModelError(f"{path} is damaged: its tables do not match schema version {form}; {_AGAIN}")
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise ModelError(f"{path} is damaged: {state}; {_AGAIN}")
    if form >= SUMMED and (changed := changed_parts(connection)):
        raise ModelError(f"{path} is damaged: {changed[0]} changed since it was written; {_AGAIN}")
    return int(form)


def _refused(path: Path, error: sqlite3.OperationalError) -> ModelError:
    if "locked" in str(error) or "busy" in str(error):
        return ModelError(f"{path} is already open, in this or another program: close it there, or work on a copy")
    if "interrupted" in str(error):
        return ModelError(f"{path} is damaged: reading it takes too many steps for its size; {_AGAIN}")
    return ModelError(f"cannot open {path}: {error}")


def _closed(path: Path) -> ModelError:
    return ModelError(f"{path} was closed: open it again with Session.open")


# --- Compressed labels


def packed(labels: Sequence[int] | Array) -> bytes:
    """Compress labels."""
    return zlib.compress(np.asarray(labels, dtype="<i4").tobytes())


def unpacked(labels: bytes, count: int) -> Array:
    """Return the group numbers of `count` documents, (count,) int32; raise ValueError if they are invalid."""
    unzip, most = zlib.decompressobj(), 4 * count
    try:
        numbers = unzip.decompress(labels, most + 4)  # no more: a file that was sent may lie
        if not unzip.eof and len(numbers) <= most:
            raise zlib.error("they are truncated")
        found = np.frombuffer(numbers, dtype="<i4").astype(np.int32)
    except (zlib.error, ValueError) as error:
        raise ValueError(f"its groups cannot be read ({error})") from error
    if len(found) != count:
        more = "more" if len(found) > count else len(found)
        raise ValueError(f"it has the groups of {more} documents instead of {count}")
    return found


# --- Tables, checksums, migrations

APPLICATION = 0x4F754772
"""SQLite application id, "OuGr"."""

FORM = 4
"""The form of the tables, `user_version`; opening a file of a lower form migrates it."""

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
"""The tables and triggers of each form; a file has no others."""

SUMMED = 4
"""The first form with checksums."""


class Text(NamedTuple):
    """A document (`role` "document") or an off-topic example ("universum"); `body` is None if texts are not stored."""

    role: str
    place: int
    id: str
    title: str
    digest: str
    body: str | None


class KeptVersion(NamedTuple):
    """A stored version: its number, its parent's number, and how many decisions of the log it includes.

    `made` is the time in UTC, "" if unknown; `seconds` the duration of the fit; `labels` the packed group numbers;
    `body` the further state as JSON. `model` and `arrays` are None if the model is not stored.
    """

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
"""The placeholders of a version in a statement."""


def has_schema(connection: sqlite3.Connection, form: int) -> bool:
    """Return whether a file has exactly the tables and triggers of its schema version."""
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
    """Return the checksum of a table after appending `rows`; `before` is the earlier checksum."""
    for row in rows:
        before = blake2b(before + repr(row).encode(), digest_size=16).digest()
    return before


def extend(connection: sqlite3.Connection, part: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Extend the checksum of a part by appended rows."""
    before = connection.execute("SELECT sum FROM sums WHERE part = ?", (part,)).fetchone()
    connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?)", (part, sum_of(rows, *(before or ()))))


def seal_version(connection: sqlite3.Connection, number: int) -> None:
    """Write the checksum of a stored version."""
    found = sum_of(connection.execute(f"{_VERSION} WHERE number = ?", (number,)))
    connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?)", (f"version {number}", found))


def sums_of(connection: sqlite3.Connection) -> dict[str, bytes]:
    """Return the checksum of each part's current rows."""
    found = {part: sum_of(connection.execute(query)) for part, query in _PARTS.items()}
    return found | {f"version {row[0]}": sum_of([row]) for row in connection.execute(f"{_VERSION} ORDER BY number")}


def seal(connection: sqlite3.Connection) -> None:
    """Write the checksums of all parts."""
    connection.execute("DELETE FROM sums")
    connection.executemany("INSERT INTO sums VALUES (?, ?)", list(sums_of(connection).items()))


def changed_parts(connection: sqlite3.Connection) -> list[str]:
    """Return the parts with wrong checksums."""
    kept, found = dict(connection.execute("SELECT part, sum FROM sums")), sums_of(connection)
    return sorted(str(part) for part in {*kept, *found} if kept.get(part) != found.get(part))


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run the statements of a script in the open transaction."""
    for statement in _statements(script):
        connection.execute(statement)


def _labels_apart(connection: sqlite3.Connection) -> None:
    """Migrate schema 1 to 2: groups and digests move out of the bodies of versions, which become 40 times smaller."""
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


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _labels_apart,
    2: partial(run, script=_NAMES),
    3: partial(run, script=_SUMS),  # SQLite reads damaged rows without an error
}
"""Migration from each form to the next."""


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, because `executescript` would commit the transaction."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement) and statement.strip("; \n"):
            yield statement
            statement = ""
