"""Where files lie: paths of this machine, and addresses such as s3://bucket/news, which fsspec reads."""

from __future__ import annotations

import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import unquote

from .errors import CorpusError, InputError, MissingExtraError, OutgroupError

# --- An address that fsspec reads, such as s3://bucket/news, with what is asked of a path

Made = TypeVar("Made")

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
CHAIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*::.*://")  # of file systems, one within another
_USER = re.compile(r"^(?:[^/@:]*:(?!\d*(?:/|$)).*@|[^/]*@)")  # a password need not be quoted as it should be
_SECRET = 3  # letters, at least: shorter values are in any word
_DEEPEST = 64  # folders: a server need not tell links from folders
_PASSING = {"time", "accessTime", "url"}  # of a reading, and where a server sent it on: no part of a file


@dataclass(frozen=True, repr=False)
class Address:
    """A file or folder at an address, with what is asked of a `Path`.

    Examples
    --------
    >>> Address("https://me:secret@host/news.jsonl.gz?token=1")
    Address('https://***@host/news.jsonl.gz?***')
    >>> (Address("s3://bucket/news/") / "1.jsonl").name
    '1.jsonl'
    """

    url: str
    below: str = ""
    """The path from there: a name may have signs that would be read as others in an address."""
    known: Stat | None = field(default=None, compare=False)
    """What the list of its folder said of it."""

    def __post_init__(self) -> None:
        if self.url.count("://") > 1 or CHAIN.match(self.url):
            raise InputError("an address within an address cannot be read; give one alone, such as s3://bucket/news")

    def __str__(self) -> str:
        asked = "?***" if "?" in self.url else ""
        return f"{self.scheme}://{_USER.sub('***@', self._path, count=1)}{asked}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __truediv__(self, name: str) -> Address:
        return Address(self.url, f"{self.below}/{name}".lstrip("/"))

    @property
    def scheme(self) -> str:
        """What stands before ://, in lower case."""
        return self.url.partition("://")[0].lower()

    @property
    def name(self) -> str:
        """The last part of the path; the host, where there is none."""
        return PurePosixPath(_USER.sub("", self._path, count=1)).name

    @property
    def suffix(self) -> str:
        """The end of the name from its last full stop on."""
        return PurePosixPath(self.name).suffix

    def relative_to(self, root: Address) -> PurePosixPath:
        """Return the path below another address."""
        return PurePosixPath(self.below).relative_to(PurePosixPath(root.below))

    def resolve(self) -> Address:
        return self

    def is_dir(self) -> bool:
        return self._has(stat.S_ISDIR)

    def is_file(self) -> bool:
        return self._has(stat.S_ISREG)

    def stat(self) -> Stat:
        """Return the kind, the size (0 where it is not told) and, for the time of a change, what changes with the file.

        Raises OSError, in words without credentials.
        """
        return self.known or _stat(self._asked(lambda files, path: files.info(path)), folder=self._path.endswith("/"))

    def read_bytes(self) -> bytes:
        """Return all of a file; raises OSError."""
        return cast(bytes, self._asked(lambda files, path: files.cat_file(path)))

    def open_raw(self) -> BinaryIO:
        """Open a file for reading; raises OSError, as what it gives does."""
        return cast(BinaryIO, Stream(self.plainly, self._asked(lambda files, path: files.open(path, "rb"))))

    def files(self) -> list[Address]:
        """Return every file below this folder that is not hidden, in the order of their names.

        Raises CorpusError where they cannot be listed.
        """
        try:
            found = dict(self._asked(lambda files, path: list(_below(files, path.rstrip("/"), _DEEPEST))))
        except OSError as error:
            raise CorpusError(f"cannot read the folder {self}: {error.strerror}") from None
        return [
            replace(self / name, known=None if info.get("size") is None else _stat(info))
            for name, info in sorted(found.items(), key=lambda each: each[0].split("/"))
        ]

    @contextmanager
    def plainly(self) -> Iterator[None]:
        """Turn what a file system raises into an OSError whose words and causes have no credentials.

        Raises MissingExtraError where a package is missing that reads such addresses.
        """
        try:
            yield
        except OutgroupError:
            raise
        except FileNotFoundError as error:
            if error.__cause__ is None or isinstance(error.__cause__, FileNotFoundError):
                raise FileNotFoundError(2, "no such file or folder") from None
            raise OSError(0, self._without_secrets(error.__cause__)) from None  # for which some call a file missing
        except ImportError as error:
            said = f"reading {self.scheme}:// needs a package that is not installed: {self._without_secrets(error)}"
            raise MissingExtraError(said) from None
        except Exception as error:  # each file system has errors of its own
            raise OSError(0, self._without_secrets(error)) from None

    @property
    def _path(self) -> str:
        """What stands between scheme and query."""
        place = self.url.partition("://")[2].partition("?")[0]
        return f"{place.rstrip('/')}/{self.below}" if self.below else place

    def _has(self, kind: Callable[[int], bool]) -> bool:
        try:
            return kind(self.stat().st_mode)
        except OSError:
            return False  # as a path does

    def _asked(self, ask: Callable[[Any, str], Made]) -> Made:
        """Return what the file system answers of this address; a list that it kept may be old."""
        with self.plainly():
            try:
                import fsspec
            except ImportError as error:
                said = f"reading {self.scheme}:// needs fsspec: pip install 'outgroup[distributed]'"
                raise MissingExtraError(said) from error
            kind = fsspec.get_filesystem_class(self.scheme)
            files = kind(**kind._get_kwargs_from_urls(self.url))
            files.invalidate_cache()
            _, asked, query = self.url.partition("?")
            return ask(files, kind._strip_protocol(f"{self.scheme}://{self._path}{asked}{query}"))

    def _without_secrets(self, error: BaseException) -> str:
        user, asked, said = _USER.match(self._path), self.url.partition("?")[2], str(error)
        secrets = {asked, *re.split("[&=]", asked)[1::2]}
        secrets |= set(user[0][:-1].partition(":")) if user else set()  # some services take a key for the name
        for secret in sorted(secrets | set(map(unquote, secrets)), key=len, reverse=True):
            said = said.replace(secret, "***") if len(secret) >= _SECRET else said
        said = re.sub(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+", lambda _: str(self), said)
        return " ".join(said.split()) or type(error).__name__


@dataclass(frozen=True)
class Stat:
    """What is asked of a file's `os.stat_result`."""

    st_mode: int
    st_size: int
    st_mtime_ns: int


def _stat(info: dict[str, Any], *, folder: bool = False) -> Stat:
    kind = stat.S_IFDIR if folder or info["type"] == "directory" else stat.S_IFREG
    about = {key: str(value) for key, value in info.items() if key not in {"name", "type", *_PASSING}}
    changed = zlib.crc32(repr(sorted(about.items())).encode())
    return Stat(kind, info.get("size") or 0, changed)


def _below(files: Any, root: str, deepest: int, before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the files below a folder, by their paths from it; what a server lists beside it is no part of it."""
    if not deepest:
        raise OSError(0, f"more than {_DEEPEST} folders lie in one another")
    for entry in files.ls(f"{root}/", detail=True):
        path = str(entry["name"]).rstrip("/")
        name = path.rpartition("/")[2]
        asks = "://" in path and "?" in name  # a link of a page, such as for the list in another order
        if path.strip("/") != f"{root}/{name}".strip("/") or not name or is_hidden(name) or asks:
            continue
        if entry.get("islink") and not files.isfile(path):
            continue  # a link to a folder above has no end
        if entry["type"] != "directory":
            yield before + name, entry
        else:
            yield from _below(files, f"{root}/{name}", deepest - 1, f"{before}{name}/")


# --- The bytes of a file at an address


class Pieces(io.RawIOBase):
    """A stream of which a subclass gives the next `piece`, of at most so many bytes; an empty one is its end."""

    def piece(self, size: int) -> bytes:
        raise NotImplementedError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Stream(Pieces):
    """What a file system opened, as Python reads files; what goes wrong is told `plainly`, as for a path."""

    def __init__(self, plainly: Callable[[], AbstractContextManager[None]], stream: Any) -> None:
        self._plainly, self._stream = plainly, stream

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._plainly():
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def piece(self, size: int) -> bytes:
        with self._plainly():
            return bytes(self._stream.read(size))

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


# --- Files that systems and programs put among a person's own

_OF_WINDOWS = {"thumbs.db", "desktop.ini"}


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of that name is nobody's document: hidden, or the mark of one that is open.

    >>> is_hidden(".git"), is_hidden("~$letter.docx"), is_hidden("Thumbs.db"), is_hidden("letter.docx")
    (True, True, True, False)
    """
    return name.startswith((".", "~$")) or name.lower() in _OF_WINDOWS


# --- Where files lie: paths of this machine, and addresses such as s3://bucket/news, which fsspec reads
#
# An address has what is asked of a path. Its text has no credentials: what goes into files, logs and reports is that.

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
