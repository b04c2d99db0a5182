"""Atomic writes of files and folders."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TextIO

from ..errors import FilesNote, OutputError
from .folders import FILLING, FORMER, HIDDEN, Kind, check_parent, recover, working

__all__ = ["Kind", "new_file", "new_folder", "note_error", "note_interrupt", "restore"]


@contextmanager
def new_folder(path: str | os.PathLike[str], kind: Kind, *, replace: bool = False) -> Iterator[Path]:
    """Yield a folder that becomes `path` when the block ends; after an error or Ctrl-C it is removed.

    Clear the leftovers of killed runs first. Raises OutputError when `path` must not be replaced or
    cannot be written, or another run makes it at the same time and `replace` is False.
    """
    target = _resolved(path)
    with _output_errors(target):
        check_parent(target)
        at_work = recover(target, kind.remove)
        kind.check(target, replace=replace)
        if at_work and not replace:
            raise OutputError(f"another run is writing {target}: wait until it ends, or choose another path")
        with working(target, kind.remove) as work:
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

    With `replace`, a file there is replaced if `ours` says of it that it may be; `how` says how to ask for that. A
    device or a pipe is written to as it stands. Raises OutputError when `path` must not be replaced or cannot be
    written.
    """
    target = _resolved(path)
    with _output_errors(target):
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("w", encoding="utf-8", newline="") as device:
                yield device
            return
        check_parent(target)
        recover(target, _keep_former)
        _check_file(target, replace, ours, how)
        with working(target, _keep_former) as work:
            filling = work / FILLING
            with filling.open("x", encoding="utf-8", newline="") as file:
                yield file
            _check_file(target, replace, ours, how)
            filling.replace(target) if replace else move(filling, target)


@contextmanager
def note_interrupt(path: Path) -> Iterator[None]:
    """Add a note to a KeyboardInterrupt if `path` was already written."""
    before = _identity(path)
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if _identity(path) not in (before, None):
            interrupt.add_note(_written(path))
        raise


@contextmanager
def note_error(path: Path) -> Iterator[None]:
    """Add a note to an OSError if the result at `path` was already written."""
    try:
        yield
    except OSError as error:
        error.add_note(_written(path))
        raise


def _written(path: Path) -> FilesNote:
    return FilesNote(f"{path} was written before")


def restore(path: str | os.PathLike[str], kind: Kind) -> None:
    """Restore the earlier folder if a killed run left none; call this before reading."""
    target = _resolved(path)
    if not os.path.lexists(target):
        recover(target, kind.remove)


def _resolved(path: str | os.PathLike[str]) -> Path:
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
    """Move a filled folder into place; check the former folder again before deleting it, else restore it."""
    if not os.path.lexists(target):
        move(filled, target)
        return
    kind.check(target, replace=replace)
    former = filled.with_name(FORMER)
    filled.rename(former)
    if not exchange(former, target):
        former.rename(filled)
        _rename_both(filled, target, former)
    try:
        kind.check(former, replace=replace)
    except OutputError:
        if not exchange(former, target):
            _rename_both(former, target, filled)
        raise


def _rename_both(new: Path, target: Path, aside: Path) -> None:
    """Exchange two folders by two renames; if interrupted between them, FORMER is restored later."""
    target.rename(aside)
    new.rename(target)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _keep_former(former: Path) -> None:
    """Do nothing, because a rename of a file replaces the former file in one step."""


# --- Atomic renames

_HERE, _NO_REPLACE, _EXCHANGE = -100, 1, 2  # AT_FDCWD, RENAME_NOREPLACE, RENAME_EXCHANGE
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths atomically; return False if the system cannot."""
    return _renamed(one, other, _EXCHANGE)


def move(source: Path, target: Path) -> None:
    """Rename `source`; raise FileExistsError if `target` exists."""
    if _renamed(source, target, _NO_REPLACE):
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    os.rename(source, target)


def _renamed(source: Path, target: Path, flag: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    sys.audit("os.rename", str(source), str(target), -1, -1)
    if call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flag) == 0:
        return True
    error = ctypes.get_errno()
    if error in _CANNOT:
        return False
    raise OSError(error, os.strerror(error), str(source), None, str(target))


@cache
def _renameat2() -> Any:
    """Return renameat2 of the C library; None if it is missing."""
    if sys.platform != "linux":
        return None
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call
