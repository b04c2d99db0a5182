"""Results on disk: written beside their place and renamed, so that nobody ever finds a half of one."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ..errors import OutputError


@dataclass(frozen=True)
class Kind:
    """A kind of folder that Outgroup makes: known by the `format` in its `marker`, with no other entries than `names`.

    `advice` says how to ask for replacing one.
    """

    format: str
    marker: str
    names: frozenset[str]
    advice: str

    def check(self, path: Path, *, replace: bool) -> None:
        """Raise OutputError unless a folder may be written to `path`: only a folder of this kind is ever replaced."""
        _check_parent(path)
        if not os.path.lexists(path) or (path.is_dir() and not any(path.iterdir())):
            return
        if not replace:
            raise OutputError(f"{path} exists; {self.advice}, or choose another place")
        if not self._made(path):
            raise OutputError(f"{path} was not made by outgroup and is not replaced; choose another place")
        strange = sorted({entry.name for entry in path.iterdir()} - self.names)
        if strange:
            raise OutputError(
                f"{path} also holds {strange[0]!r}, which outgroup did not write; move it away, or choose another place"
            )

    def _made(self, path: Path) -> bool:
        try:
            marker = json.loads((path / self.marker).read_bytes())
        except (OSError, ValueError):
            return False
        return isinstance(marker, dict) and marker.get("format") == self.format


@contextmanager
def new_folder(path: str | os.PathLike[str], kind: Kind, *, replace: bool = False) -> Iterator[Path]:
    """Give a folder to fill; when the block ends it becomes `path`, and after an error or Ctrl-C nothing is left of it.

    Raises OutputError when `path` must not be replaced or cannot be written.
    """
    target = Path(path).resolve()
    with _plainly(target):
        kind.check(target, replace=replace)
        filling = _beside(target)
        try:
            filling.mkdir()
            yield filling
            _move_in(filling, target)
        finally:
            shutil.rmtree(filling, ignore_errors=True)


@contextmanager
def new_file(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[TextIO]:
    """Give a text file (UTF-8) to write; when the block ends it becomes `path`, and after an error nothing is left.

    A device or a pipe is written to as it stands. Raises OutputError when `path` exists or cannot be written.
    """
    target = Path(path).resolve()
    with _plainly(target):
        _check_parent(target)
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("w", encoding="utf-8", newline="") as device:
                yield device
            return
        if target.exists() and not (replace and target.is_file()):
            raise OutputError(f"{target} exists; add --force to replace it, or choose another place")
        filling = _beside(target)
        try:
            with filling.open("x", encoding="utf-8", newline="") as file:
                yield file
            filling.replace(target)
        finally:
            filling.unlink(missing_ok=True)


@contextmanager
def _plainly(target: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}; nothing was left there") from error


def _check_parent(path: Path) -> None:
    if not path.parent.is_dir():
        raise OutputError(f"there is no folder {path.parent} to put {path.name} in; make it first")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"cannot write into {path.parent}: permission denied; choose another place")


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def _move_in(filled: Path, target: Path) -> None:
    """Rename; what stood there before is put back unless the new one has taken its place."""
    former = _beside(target)
    try:
        if target.exists():
            target.rename(former)
        filled.rename(target)
    finally:
        if former.exists() and not target.exists():
            former.rename(target)
        shutil.rmtree(former, ignore_errors=True)
