"""A project file: numbered records with checksums in one SQLite table."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Self

from ..errors import ModelError, OutputError
from .hidden import kind_of

# Rollback journal and full synchronisation: writes are few, and the file may be on a network share. The connection
# locks the file until it is closed; a second process is refused.
#
# A file may be damaged or forged. SQLite opens a file only if its header has our application id, and nothing beside it
# makes SQLite write elsewhere. Then its table is compared with ours, and the pages and the checksums of the records are
# verified, in a number of steps that the size of the file limits.

APPLICATION, FORM = 0x4F754772, 1
"""SQLite's application id, "OuGr", and the form of the file, `user_version`."""

TABLE = """CREATE TABLE records (
    kind TEXT NOT NULL, number INTEGER NOT NULL, body ANY NOT NULL, sum BLOB NOT NULL, PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID"""
_HEAD = (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORM}")
_NEXT = "SELECT coalesce(max(number), 0) + 1 FROM records WHERE kind = ?"
_READ = "SELECT number, body FROM records WHERE kind = ? AND number = coalesce(?, number) ORDER BY number"
_PRAGMAS = (
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA synchronous = FULL",
    "PRAGMA trusted_schema = OFF",
)
_PATIENCE = 0.2  # seconds to wait for a lock of another process
_NAMES_ANOTHER = bytes.fromhex("d9d505f920a163d7")  # the last bytes of a journal that names a further file
_STEPS, _STEPS_A_BYTE = 10_000_000, 10  # of SQLite's virtual machine while a file is checked; a record takes 20


class Record(NamedTuple):
    """A record: with number None it is appended to its kind, with body None it is removed."""

    kind: str
    number: int | None
    body: str | bytes | None


class Project(AbstractContextManager["Project"]):
    """An open project file; thread-safe."""

    def __init__(self, path: Path, name: Path) -> None:
        self.path, self._lock = name, RLock()
        try:
            self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise OutputError(f"cannot open {name}: {error}") from error
        self._connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # a checksum tells damage

    @classmethod
    def create(cls, path: Path, records: Iterable[Record], *, called: Path | None = None) -> None:
        """Create a new file; messages call it `called`, if given.

        Raises OutputError if the file exists or cannot be written.
        """
        name = called or path
        for each in filter(os.path.lexists, [str(path), *_beside(name)]):
            raise OutputError(f"{each} exists: move it away, or choose another name than {name}")
        with cls(path, name) as project:
            with project._using() as connection:
                _run(connection, *_PRAGMAS, TABLE, *_HEAD)
            project.write(records)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file; raise ModelError if it is not a project file, damaged, too new, or already open."""
        path = Path(path)
        _check_head(path)
        _check_beside(path)
        project = cls(path, path)
        try:
            project._check()
        except BaseException as error:
            project.close()
            if isinstance(error, sqlite3.Error):
                raise ModelError(_refusal(path, error)) from error
            raise
        return project

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, kind: str, number: int | None = None) -> dict[int, Any]:
        """Return the bodies of the records of a kind, or of one of them, by number in order."""
        with self._using() as connection:
            return dict(connection.execute(_READ, (kind, number)).fetchall())

    def write(self, records: Iterable[Record]) -> None:
        """Write all records or, after an error, none; they are on disk on return."""
        with self._using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for kind, number, body in records:
                at = connection.execute(_NEXT, (kind,)).fetchone()[0] if number is None else number
                connection.execute("DELETE FROM records WHERE kind = ? AND number = ?", (kind, at))
                if body is not None:
                    row = (kind, at, body, checksum(kind, at, body))
                    connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", row)

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection; commit at the end, and roll back after an error."""
        try:
            with self._lock, self._connection:
                yield self._connection
        except sqlite3.ProgrammingError as error:
            raise ModelError(f"{self.path} was closed: open it again with Session.open") from error
        except (sqlite3.OperationalError, UnicodeError) as error:
            raise OutputError(f"cannot write {self.path}: {error}; the file is unchanged") from error
        except sqlite3.DatabaseError as error:
            raise ModelError(f"{self.path} is damaged: {error}") from error

    def _check(self) -> None:
        """Lock and check the file; raise ModelError if it is damaged."""
        connection = self._connection
        left = iter(range((_STEPS + _STEPS_A_BYTE * self.path.stat().st_size) // 10_000))
        connection.set_progress_handler(lambda: next(left, None) is None, 10_000)
        _run(connection, *_PRAGMAS, "BEGIN EXCLUSIVE", "COMMIT")
        if connection.execute("SELECT sql FROM sqlite_master").fetchall() != [(TABLE,)]:
            raise ModelError(f"{self.path} is damaged: it has other tables; {_AGAIN}")
        (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if state != "ok":
            raise ModelError(f"{self.path} is damaged: {state:.200}; {_AGAIN}")
        for kind, number, body, kept in connection.execute("SELECT * FROM records"):
            if kept != checksum(kind, number, body):
                raise ModelError(f"{self.path} is damaged: {kind:.20} {number} changed since it was written; {_AGAIN}")
        connection.set_progress_handler(None, 0)


_AGAIN = "restore a copy of it"


def _run(connection: sqlite3.Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(statement).close()


def checksum(kind: str, number: int, body: Any) -> bytes:
    """Return the checksum of a record; SQLite reads damaged bodies without an error."""
    raw = body if isinstance(body, bytes) else str(body).encode()
    return blake2b(f"{kind} {number} {type(body).__name__} ".encode() + raw, digest_size=16).digest()


def _check_head(path: Path) -> None:
    """Raise ModelError unless the file has our application id; SQLite may write to a file even when it reads."""
    if not path.is_file():
        fault = "a folder, not" if path.is_dir() else "not there, or not"
        raise ModelError(f"{path} is {fault} a project file; create one with workbench --project or Session.save")
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise ModelError(f"cannot open {path}: {error.strerror}") from error
    if head[:16] != b"SQLite format 3\0" or head[68:72] != APPLICATION.to_bytes(4, "big"):
        raise ModelError(f"{path} is not a project file of outgroup")
    if path.is_symlink():
        raise ModelError(f"{path} is a link: give the path of the project file itself")
    if head[60:64] != FORM.to_bytes(4, "big"):
        raise ModelError(f"{path} is a project file of another version; update outgroup if a newer version wrote it")


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


def _refusal(path: Path, error: Exception) -> str:
    """Return the message for an error of SQLite while a file is opened."""
    fault = str(error)
    if "locked" in fault or "busy" in fault:
        return f"{path} is already open, in this or another program: close it there, or work on a copy"
    if "interrupted" in fault:
        return f"{path} is damaged: reading it takes too many steps for its size; {_AGAIN}"
    if isinstance(error, sqlite3.OperationalError):
        return f"cannot open {path}: {fault}"
    return f"{path} is damaged: {fault:.200}; {_AGAIN}"
