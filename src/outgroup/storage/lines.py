"""A file of JSON lines with checksums that only grows: `append` writes one line, which is on disk on return."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from ..errors import DAMAGE, ModelError, OutputError
from .folders import open_lock, take_lock
from .json_values import parse_json

_MARK = b"outgroup-project "
HEAD = _MARK + b"1\n"
"""The first line: the mark, and the number of the form."""

AGAIN = "restore a copy of it"


class Lines:
    """An open file, locked until it is closed; thread-safe.

    A killed process leaves a last line without an end, which is not read, and replaced by the next line.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file; raise ModelError if it is not a project file, of another version, or already open."""
        self.path, self._lock, self._end = Path(path), Lock(), len(HEAD)
        if not self.path.is_file():
            fault = "a folder, not" if self.path.is_dir() else "not there, or not"
            raise ModelError(f"{path} is {fault} a project file; create one with workbench --project or Session.save")
        if self.path.is_symlink():
            raise ModelError(f"{path} is a link: give the path of the project file itself")
        try:
            self._file = os.fdopen(open_lock(self.path), "r+b", buffering=0)
        except OSError as error:
            raise ModelError(f"cannot open {path}: {error.strerror}") from error
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        with suppress(OSError):  # of a file system without locks
            if not take_lock(self._file.fileno()):
                raise ModelError(
                    f"{self.path} is already open, in this or another program: close it there, or work on a copy"
                )
        head = self._file.read(len(HEAD))
        if not head.startswith(_MARK):
            raise ModelError(f"{self.path} is not a project file of outgroup")
        if head != HEAD:
            raise ModelError(
                f"{self.path} is a project file of another version; update outgroup if a newer version wrote it"
            )

    @staticmethod
    def create(file: BinaryIO, values: Iterable[Any]) -> None:
        """Write values to a new file."""
        file.write(HEAD)
        file.writelines(map(line_of, values))
        file.flush()
        os.fsync(file.fileno())

    def read(self) -> Iterator[tuple[int, Any]]:
        """Yield the number and the value of each line; raise ModelError for a damaged line."""
        with open(self._file.fileno(), "rb", closefd=False) as file:
            file.seek(len(HEAD))
            for number, line in enumerate(file, start=2):
                checksum, _, content = line[:-1].partition(b" ")
                is_whole, is_ended = checksum == _checksum(content), line.endswith(b"\n")
                if is_whole != is_ended:
                    raise ModelError(f"{self.path} is damaged: line {number} changed since it was written; {AGAIN}")
                if not is_ended:
                    return
                try:
                    yield number, parse_json(content)
                except DAMAGE as error:
                    raise ModelError(f"{self.path} is damaged: line {number}: {error!s:.200}; {AGAIN}") from error
                self._end += len(line)

    def append(self, value: Any) -> None:
        """Write a value, wholly or, after an error, not at all; raise OutputError if it cannot be written."""
        line = line_of(value)
        with self._lock:
            if self._file.closed:
                raise ModelError(f"{self.path} was closed: open it again with Session.open")
            try:
                with open(self._file.fileno(), "wb", closefd=False) as file:
                    file.seek(self._end)
                    file.truncate()
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                with suppress(OSError):  # a line that was written but not flushed must not come back
                    os.ftruncate(self._file.fileno(), self._end)
                raise OutputError(f"cannot write {self.path}: {error.strerror}; the file is unchanged") from error
            self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def line_of(value: Any) -> bytes:
    """Return a value as a line; lone surrogates in texts are kept."""
    content = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
    return b"%b %b\n" % (_checksum(content), content)


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).hexdigest().encode()
