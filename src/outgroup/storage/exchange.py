"""Renames in one step that nobody sees a half of: two paths exchanged, or a path moved where nothing stands."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_HERE, _NO_REPLACE, _EXCHANGE = -100, 1, 2  # AT_FDCWD, RENAME_NOREPLACE, RENAME_EXCHANGE
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths of one file system in one step; returns False where the system cannot."""
    return _renamed(one, other, _EXCHANGE)


def move(source: Path, target: Path) -> None:
    """Rename `source`; raises FileExistsError where something stands at `target`, which is never replaced."""
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
    """Return the C library's renameat2, or None where it has none: beside Linux, and in old libraries."""
    if sys.platform != "linux":
        return None
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return call
