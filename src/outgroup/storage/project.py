"""A session in one file: SQLite, written so that no decision that was acknowledged is ever lost.

Decisions, and what versions are called, are tables to which rows are only added; versions are what fits made of them,
kept to open fast, and may be thrown away. A rollback journal and full synchronisation: writes are few, and such a file
may lie on a network share. The connection holds the file for itself until it is closed, and a second process is
refused.

A file may be damaged or forged. SQLite opens only what has our mark in its head. Before anything else is asked of it,
its tables are compared with those of its form, its pages are checked, and so are the checksums of its rows, all in a
number of steps that its size limits.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any, Self

from ..errors import DAMAGE, ModelError, OutgroupError, OutputError
from .forms import (
    APPLICATION,
    FORM,
    MARKS,
    MIGRATIONS,
    SCHEMAS,
    SUMMED,
    KeptVersion,
    Text,
    changed_parts,
    extend,
    has_schema,
    run,
    seal,
    seal_version,
)

__all__ = ["KeptVersion", "Project", "Text"]

_PATIENCE = 0.2  # seconds that another process may take to let go of the file
_STEPS, _STEPS_A_BYTE, _AT_ONCE = 10_000_000, 10, 10_000  # of SQLite's machine while a file is checked; a row takes 20

_WITHOUT_MODELS = (
    "UPDATE versions SET model = NULL, arrays = NULL WHERE number NOT IN (?, (SELECT min(number) FROM versions))"
)


class Project:
    """A project file that is open. Its methods may be called from any thread, one after the other."""

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
        """Make a new file, in messages `called` otherwise if that is given.

        Raises OutputError where one is already, or it cannot be written.
        """
        path = Path(path)
        if os.path.lexists(path):
            raise OutputError(f"{path} exists; choose another name, or move it away")
        if not path.parent.is_dir():
            raise OutputError(f"there is no folder {path.parent} to put {path.name} in; make it first")
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
        except (sqlite3.Error, ValueError) as error:  # ValueError: no path holds a NUL
            with suppress(OSError, ValueError):
                path.unlink()
            raise OutputError(f"cannot write {called or path}: {error}; nothing was left there") from error
        return project

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file; raises ModelError where it is none, damaged, newer, or open already."""
        path = Path(path)
        if path.is_dir():
            raise ModelError(f"{path} is a folder, and no project file; give another name")
        if not path.is_file():
            raise ModelError(f"there is no project file {path}; workbench --project makes one, and Session.save")
        _check_head(path)
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
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def settings(self) -> dict[str, str]:
        """Return what the session was opened with."""
        return dict(self._read("SELECT name, value FROM settings"))

    def texts(self, role: str) -> list[Text]:
        """Return the documents, or the off-topic examples, in their order."""
        return [Text(*row) for row in self._read("SELECT * FROM texts WHERE role = ? ORDER BY place", role)]

    def append(self, decisions: Sequence[str]) -> None:
        """Add decisions to the log; when it returns, they are on the disk."""
        statement = "INSERT INTO decisions (made, body) VALUES (datetime('now'), ?) RETURNING *"
        with self._writing() as connection:
            extend(connection, "decisions", [connection.execute(statement, (each,)).fetchone() for each in decisions])

    def log(self) -> list[str]:
        """Return all decisions, as they were added."""
        return [body for (body,) in self._read("SELECT body FROM decisions ORDER BY number")]

    def keep(self, version: KeptVersion) -> None:
        """Keep a version, in place of one with its number. Of all others but the first the models are dropped where it
        has one: they take the most room, and can be found again."""
        with self._writing() as connection:
            connection.execute(f"INSERT OR REPLACE INTO versions VALUES ({MARKS})", version)
            seal_version(connection, version.number)
            if version.model is not None:
                connection.execute(_WITHOUT_MODELS, (version.number,))

    def versions(self) -> list[KeptVersion]:
        """Return the versions that are kept, in order, without their models."""
        rows = self._read(f"SELECT {', '.join(KeptVersion._fields[:-2])} FROM versions ORDER BY number")
        return [KeptVersion(*row) for row in rows]

    def version(self, number: int) -> KeptVersion:
        """Return a version with its model; raises ModelError where it is not kept."""
        rows = self._read("SELECT * FROM versions WHERE number = ?", number)
        if not rows:
            raise ModelError(f"{self.path} keeps no version {number}")
        return KeptVersion(*rows[0])

    def name_version(self, number: int, name: str) -> None:
        """Add what a version is called; "" takes its name back. When it returns, it is on the disk."""
        with self._writing() as connection:
            statement = "INSERT INTO version_names (version, made, name) VALUES (?, datetime('now'), ?) RETURNING *"
            extend(connection, "version_names", [connection.execute(statement, (number, name)).fetchone()])

    def version_names(self) -> dict[int, str]:
        """Return what versions are called that have a name, by their number."""
        said = dict(self._read("SELECT version, name FROM version_names ORDER BY number"))
        return {number: name for number, name in said.items() if name}

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
        """Give the connection within one transaction: all of it is written, or nothing."""
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
                raise OutputError(f"cannot write {self.path}: {error}; what was there before is there still") from error

    def _migrate(self, form: int) -> None:
        if form == FORM:
            return
        _copy(self.path, f"{self.path.name}.form-{form}")
        with self._writing("EXCLUSIVE") as connection:
            for each in range(form, FORM):
                MIGRATIONS[each](connection)
            seal(connection)
            connection.execute(f"PRAGMA user_version = {FORM}")


_MAGIC = b"SQLite format 3\0"
_AGAIN = "restore a copy of it"


def _check_head(path: Path) -> None:
    """Raise ModelError unless a file has our mark: SQLite writes even to one that it is only asked about."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise ModelError(f"cannot open {path}: {error.strerror}") from error
    if head[:16] != _MAGIC or head[68:72] != APPLICATION.to_bytes(4, "big"):
        raise ModelError(f"{path} is no project file of outgroup")


def _limit_steps(connection: sqlite3.Connection, size: int) -> None:
    """Let no statement run on without end, whatever the file says."""
    left = iter(range((_STEPS + _STEPS_A_BYTE * size) // _AT_ONCE))
    connection.set_progress_handler(lambda: next(left, None) is None, _AT_ONCE)


def _copy(path: Path, name: str) -> None:
    """Copy a file to a new one of this name beside it, or of the next name that is free; nothing there is replaced."""
    for number in count(1):
        copy = path.with_name(name if number == 1 else f"{name}-{number}")
        try:
            target = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if not copy.is_symlink() and copy.is_file() and filecmp.cmp(path, copy, shallow=False):
                return  # of a run that was killed here
            continue
        try:
            with path.open("rb") as source, os.fdopen(target, "wb") as file:
                shutil.copyfileobj(source, file)
            shutil.copymode(path, copy)
        except OSError as error:
            copy.unlink(missing_ok=True)
            raise OutputError(
                f"cannot copy {path} to {copy}: {error.strerror}; make room, and open it again"
            ) from error
        return


def _configure(connection: sqlite3.Connection) -> None:
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = DELETE", "synchronous = FULL", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}").close()


def _checked(connection: sqlite3.Connection, path: Path) -> int:
    """Return the form of a file; raises ModelError for what is not ours, damaged, or newer."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (form,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION or form < 1:
        raise ModelError(f"{path} is no project file of outgroup")
    if form > FORM:
        raise ModelError(f"{path} was written by a newer version; update outgroup to open it")
    if not has_schema(connection, form):
        raise ModelError(f"{path} is damaged: its tables are not those of form {form}; {_AGAIN}")
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise ModelError(f"{path} is damaged: {state}; {_AGAIN}")
    if form >= SUMMED and (changed := changed_parts(connection)):
        raise ModelError(f"{path} is damaged: {changed[0]} changed since it was written; {_AGAIN}")
    return int(form)


def _refused(path: Path, error: sqlite3.OperationalError) -> ModelError:
    if "locked" in str(error) or "busy" in str(error):
        return ModelError(f"{path} is open already, here or elsewhere; close it there first, or work on a copy")
    if "interrupted" in str(error):
        return ModelError(f"{path} is damaged: reading it takes more steps than its size allows; {_AGAIN}")
    return ModelError(f"cannot open {path}: {error}")


def _closed(path: Path) -> ModelError:
    return ModelError(f"{path} was closed; open it again, by Session.open")
