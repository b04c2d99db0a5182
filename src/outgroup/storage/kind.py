"""Kinds of folder that Outgroup makes: how one is known again, and what in it may be deleted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import OutputError
from .json_values import parse_json


@dataclass(frozen=True)
class Kind:
    """A kind of folder: known by the `format` in its `marker`, with files of these `names` and nothing else.

    `advice` says how to ask for replacing one; `folders` are the names of its folders, each with its files' names.
    """

    format: str
    marker: str
    names: frozenset[str]
    advice: str
    folders: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def check(self, path: Path, *, replace: bool) -> None:
        """Raise OutputError unless a folder may be written to `path`: only a whole folder of this kind is replaced."""
        check_parent(path)
        if not os.path.lexists(path) or _is_empty(path):
            return
        if not replace:
            raise OutputError(f"{path} exists; {self.advice}, or choose another place")
        if not self._made(path):
            raise OutputError(f"{path} was not made by outgroup and is not replaced; choose another place")
        for strange in self.strange(path):
            raise OutputError(
                f"{path} also holds {str(strange.relative_to(path))!r}, which outgroup did not write; move it away, or "
                "choose another place"
            )

    def strange(self, folder: Path) -> Iterator[Path]:
        """Yield what Outgroup did not write, at any depth: another name, a link, a folder in the place of a file."""
        for path in sorted(folder.iterdir()):
            if path.name in self.folders and _is_folder(path):
                yield from (each for each in sorted(path.iterdir()) if not _is_one_of(each, self.folders[path.name]))
            elif not _is_one_of(path, self.names):
                yield path

    def remove(self, folder: Path) -> None:
        """Delete what Outgroup wrote, by name; whatever else is there stays, and so does the folder then."""
        for name, files in [*self.folders.items(), ("", self.names)]:
            if _is_folder(folder / name):
                for file in files:
                    if _is_file(folder / name / file):
                        (folder / name / file).unlink(missing_ok=True)
                with suppress(OSError):
                    (folder / name).rmdir()

    def _made(self, path: Path) -> bool:
        try:
            marker = parse_json((path / self.marker).read_bytes()) if _is_file(path / self.marker) else None
        except (OSError, ValueError):
            return False
        return isinstance(marker, dict) and marker.get("format") == self.format


def check_parent(path: Path) -> None:
    """Raise OutputError unless something can be put beside `path`."""
    if not path.parent.is_dir():
        raise OutputError(f"there is no folder {path.parent} to put {path.name} in; make it first")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"cannot write into {path.parent}: {_why_not(path.parent)}; choose another place")
    with suppress(FileNotFoundError):
        path.lstat()  # a name that is too long, found before the work


def _why_not(folder: Path) -> str:
    read_only = hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY
    return "it lies on a read-only file system" if read_only else "permission denied"


def _is_one_of(path: Path, names: frozenset[str]) -> bool:
    return path.name in names and _is_file(path)


def _is_empty(path: Path) -> bool:
    return _is_folder(path) and not any(path.iterdir())


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(_mode(path))


def _is_folder(path: Path) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: Path) -> int:
    """Return what `path` is, never what a link points to."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0
