"""Hidden files and folders of our own: nothing is opened, filled or removed through a link.

The folder of a stranger may hold anything under the names that Outgroup gives to unfinished work.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import Any

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows lets few users make links
_BINARY = getattr(os, "O_BINARY", 0)


def is_plain(folder: Path) -> bool:
    """Return whether a path is a folder, not a link, of this user or of the owner of the folder around it, and holds
    only files and folders at any depth.
    """
    try:
        found, around = folder.lstat(), folder.parent.stat()
    except OSError:
        return False
    owners = {around.st_uid, os.geteuid() if hasattr(os, "geteuid") else around.st_uid}
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in owners:
        return False
    inside = (os.path.join(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files))
    return all(kind_of(path) in (0, stat.S_IFDIR, stat.S_IFREG) for path in inside)


def kind_of(path: str | os.PathLike[str]) -> int:
    """Return the kind of a file, such as `stat.S_IFREG`, without following links; 0 if it does not exist."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except OSError:
        return 0


def open_lock(path: Path, *, create: bool = False) -> int:
    """Open a lock file and return its descriptor; raise OSError for a link, or for a missing file without `create`."""
    return os.open(path, os.O_RDWR | _NO_FOLLOW | _BINARY | (os.O_CREAT if create else 0), 0o600)


def write_file(path: Path, fill: Callable[[Any], Any]) -> None:
    """Call `fill` with a new binary file, and move the file to `path`; other processes may write the same path."""
    new = path.with_suffix(f".{os.getpid()}-{get_ident()}.new")
    new.unlink(missing_ok=True)  # of a killed process with the same number
    with new.open("xb") as file:
        fill(file)
    os.replace(new, path)
