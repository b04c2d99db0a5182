"""Atomic writes of files and folders."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from ..errors import OutputError
from .folders import FILLING, FORMER, HIDDEN, Kind, check_parent, kind_of, work_folder, working

__all__ = ["Kind", "check_place", "new_file", "new_folder", "restore"]


@contextmanager
def new_folder(path: str | os.PathLike[str], kind: Kind, *, replace: bool = False) -> Iterator[Path]:
    """Yield a folder that becomes `path` when the block ends; after an error or Ctrl-C it is removed.

    Clears the leftovers of a killed run first. Raises OutputError when `path` must not be replaced, cannot be written,
    or is being written by another run.
    """
    target = _resolve(path)
    with _output_errors(target):
        check_parent(target)
        with working(target, kind.remove) as work:
            kind.check(target, replace=replace)
            filling = work / FILLING
            filling.mkdir()
            yield filling
            _move_in(filling, target, kind, replace=replace)


@contextmanager
def new_file(
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    ours: Callable[[Path], bool] = lambda _: True,
    how: str = "give replace=True to replace it",
) -> Iterator[TextIO]:
    """Yield a UTF-8 text file that becomes `path` when the block ends; after an error it is removed.

    With `replace`, an existing file is replaced if `ours` is true of it; `how` is the hint for that. A device or a pipe
    is written directly. Raises OutputError when `path` must not be replaced or cannot be written.
    """
    target = _resolve(path)
    with _output_errors(target):
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("w", encoding="utf-8", newline="") as device:
                yield device
            return
        check_parent(target)
        with working(target) as work:
            _check_file(target, replace, ours, how)
            filling = work / FILLING
            with filling.open("x", encoding="utf-8", newline="") as file:
                yield file
            _check_file(target, replace, ours, how)
            filling.replace(target) if replace else move(filling, target)


def check_place(path: str | os.PathLike[str], kind: Kind, *, replace: bool) -> None:
    """Raise OutputError, before the work, if a folder of this kind cannot be written to `path`."""
    target = _resolve(path)
    with _output_errors(target):
        check_parent(target)
        kind.check(target, replace=replace)


def restore(path: str | os.PathLike[str], kind: Kind) -> None:
    """Restore the earlier folder if a killed run left none; call this before reading."""
    target = _resolve(path)
    if not os.path.lexists(target) and kind_of(work_folder(target)):
        with suppress(OutputError), working(target, kind.remove):
            pass


def _resolve(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL, a name that is too long, links in a circle
        raise OutputError(f"cannot write {os.fspath(path)!r:.200}: {error}; choose another path") from error


@contextmanager
def _output_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OutputError:
        raise
    except FileExistsError as error:
        raise OutputError(
            f"another run wrote {target} in the meantime; its result stays, and nothing was written"
        ) from error
    except OSError as error:
        if not _is_about(error, target):
            raise
        raise OutputError(f"cannot write {target}: {error.strerror or error}; nothing was written") from error


def _is_about(error: OSError, target: Path) -> bool:
    """Return whether an error concerns `target`; some errors contain no file name."""
    if error.filename is None:
        return True
    path = Path(str(error.filename))
    return path == target or target in path.parents or any(part.startswith(HIDDEN) for part in path.parts)


def _check_file(target: Path, replace: bool, ours: Callable[[Path], bool], how: str) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_file() or not replace:
        raise OutputError(f"{target} exists; {how}, or choose another path")
    if not ours(target):
        raise OutputError(f"{target} was not made by outgroup and is not replaced; choose another path")


def _move_in(filled: Path, target: Path, kind: Kind, *, replace: bool) -> None:
    """Move a filled folder into place; check the earlier folder again when it is aside, and put it back if it stays."""
    if os.path.lexists(target):
        kind.check(target, replace=replace)
        former = filled.with_name(FORMER)
        target.rename(former)  # a run that is killed here leaves it to `restore`
        try:
            kind.check(former, replace=replace)
        except OutputError:
            former.rename(target)
            raise
    move(filled, target)


def move(source: Path, target: Path) -> None:
    """Rename `source`; raise FileExistsError if `target` exists."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)
