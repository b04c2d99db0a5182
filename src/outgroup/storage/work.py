"""Where a result is made: a hidden folder beside its place, locked by its process, that a later run can clear.

A work folder holds `lock`, `filling` (a result that is not done), maybe parts of that beside it, and, while results
change places, `former`. The system takes the lock from a process however it ends, so that a folder that nobody holds
was left by a run that was killed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import OutgroupWarning

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

HIDDEN = ".outgroup-"  # how the names of all work folders begin
LOCK, FILLING, FORMER = "lock", "filling", "former"
PARTS = ".parts-"  # how the names of folders begin in which parts of a file lie until it is whole

Remove = Callable[[Path], None]
"""Deletes an earlier result, and nothing in it that is not Outgroup's."""


@contextmanager
def working(target: Path, remove: Remove) -> Iterator[Path]:
    """Give a work folder for `target`, gone when the block ends."""
    folder, lock = _claimed(target)
    try:
        yield folder
    finally:
        _put_back(folder / FORMER, target)
        _clear(folder, lock, remove)


def recover(target: Path, remove: Remove) -> bool:
    """Clear what killed runs left of `target`, a result put back where none stands; returns if a run is at work there.

    What belongs to a running process, or to somebody else, stays.
    """
    at_work = False
    for left in _work_folders(target):
        try:
            lock = os.open(left / LOCK, os.O_RDWR)
        except OSError:  # made at this moment, or left before it had a lock, and so empty
            with suppress(OSError):
                left.rmdir()
            continue
        try:
            free = take_lock(lock)
        except OSError:  # a file system without locks: nobody knows, and so it stays
            os.close(lock)
            continue
        if free:
            _put_back(left / FORMER, target)
            _clear(left, lock, remove)
        else:
            os.close(lock)
            at_work = True
    return at_work


def _prefix(target: Path) -> str:
    """Return how the work folders of a target are called; its own name may be as long as names can be."""
    return f"{HIDDEN}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def _work_folders(target: Path) -> list[Path]:
    prefix = _prefix(target)
    try:
        return sorted(target.parent / name for name in os.listdir(target.parent) if name.startswith(prefix))
    except OSError:
        return []


def _claimed(target: Path) -> tuple[Path, int]:
    """Make a work folder and lock it; another run that takes it for a left one may clear it before, so try again."""
    while True:
        folder = target.with_name(_prefix(target) + secrets.token_hex(4))
        folder.mkdir()
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            continue
        if _mine(folder / LOCK, lock):
            return folder, lock
        os.close(lock)


def _mine(path: Path, lock: int) -> bool:
    try:
        if not take_lock(lock):
            return False
    except OSError:  # a file system without locks: nobody will clear the folder
        return True
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except OSError:
        return False


def take_lock(lock: int) -> bool:
    """Lock an open file; returns False where another process holds it. Raises OSError where there are no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _put_back(former: Path, target: Path) -> None:
    """Where a kill, or Ctrl-C, came between two renames, the former result is the only one."""
    with suppress(OSError):
        if former.exists() and not os.path.lexists(target):
            former.rename(target)


def _clear(folder: Path, lock: int, remove: Remove) -> None:
    """Delete a work folder whose lock is ours, the lock last: a kill amid this leaves what can be cleared again."""
    filling, former = folder / FILLING, folder / FORMER
    with suppress(OSError):
        filling.unlink() if filling.is_file() else shutil.rmtree(filling, ignore_errors=True)
    with suppress(OSError):
        (folder / f"{FILLING}-journal").unlink()  # SQLite's, of a killed run
    for parts in folder.glob(f"{PARTS}*"):
        shutil.rmtree(parts, ignore_errors=True)
    with suppress(OSError):
        remove(former)
    os.close(lock)
    if former.exists():
        warnings.warn(
            f"{former} is an earlier result with files that outgroup did not write; it is left to you",
            OutgroupWarning,
            stacklevel=2,
        )
        return
    with suppress(OSError):
        (folder / LOCK).unlink()
    with suppress(OSError):
        folder.rmdir()
