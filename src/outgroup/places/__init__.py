"""Where files lie: paths of this machine, and addresses such as s3://bucket/news, which fsspec reads.

An address has what is asked of a path. Its text has no credentials: what goes into files, logs and reports is that.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

from .address import CHAIN, SCHEME, Address
from .hidden import is_hidden

__all__ = ["Address", "Place", "every_file", "is_hidden", "is_remembered", "place_of"]

Place = Path | Address
"""A path of this machine, or an address."""


def place_of(given: str | os.PathLike[str] | Address) -> Place:
    """Return a path or an address as such; `file://` is a path.

    Raises InputError for an address within another one.

    >>> place_of("news"), place_of("s3://bucket/news")
    (PosixPath('news'), Address('s3://bucket/news'))
    """
    if isinstance(given, Address):
        return given
    said = os.fspath(given)
    if not (SCHEME.match(said) or CHAIN.match(said)):
        return Path(said)
    return Path(unquote(said[7:])) if said[:7].lower() == "file://" else Address(said)


def is_remembered(path: Path) -> bool:
    """Return whether a path that a file names may be read: a regular file or a folder that is there.

    A device or a pipe may have no end, and a share on a network (`//host/share` on Windows) is an address.
    """
    try:
        return not path.drive.startswith("\\\\") and (path.is_file() or path.is_dir())
    except (OSError, ValueError):
        return False


def every_file(place: Place) -> list[Place]:
    """Return all files below a folder, those that are hidden too where it is one of this machine; else the place."""
    if isinstance(place, Address):
        return [*place.files()] if place.is_dir() else [place]
    return [Path(at, name) for at, _, names in os.walk(place) for name in names] if place.is_dir() else [place]
