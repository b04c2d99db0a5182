"""Locations of files: local paths, and addresses such as s3://bucket/news, which fsspec reads."""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partialmethod
from mmap import mmap
from pathlib import Path, PurePosixPath
from stat import S_IFDIR, S_IFREG, S_ISDIR, S_ISREG
from typing import Any, BinaryIO, TypeVar, cast
from urllib.parse import unquote, urlsplit

from .errors import CorpusError, InputError, MissingExtraError, OutgroupError, required

# --- Addresses

Result = TypeVar("Result")

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
CHAIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*::.*://")  # nested file systems
_USER = re.compile(r"^(?:[^/@:]*:(?!\d*(?:/|$)).*@|[^/]*@)")  # also with an unquoted password
_LARGEST = 100_000_000  # bytes of a file that an option names
_DEEPEST = 64  # nested folders; servers may list links as folders
_VOLATILE = {"time", "accessTime", "url"}  # change with each access, not with the file


@dataclass(frozen=True, repr=False)
class Address:
    """The address of a file or folder, with the `Path` methods that readers use.

    Examples
    --------
    >>> Address("https://me:secret@host/news.jsonl.gz?token=1")
    Address('https://***@host/news.jsonl.gz?***')
    >>> (Address("s3://bucket/news/") / "1.jsonl").name
    '1.jsonl'
    """

    url: str
    below: str = ""
    """The path below the address; names may contain characters with a meaning in addresses."""
    known: Stat | None = field(default=None, compare=False)
    """The stat from the folder listing."""

    def __post_init__(self) -> None:
        if self.url.count("://") > 1 or CHAIN.match(self.url):
            raise InputError("nested addresses are not supported: give a single address, such as s3://bucket/news")

    def __str__(self) -> str:
        query = "?***" if "?" in self.url else ""
        return f"{self.scheme}://{_USER.sub('***@', self._path, count=1)}{query}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __truediv__(self, name: str) -> Address:
        return Address(self.url, f"{self.below}/{name}".lstrip("/"))

    @property
    def scheme(self) -> str:
        """The scheme in lower case."""
        return self.url.partition("://")[0].lower()

    @property
    def name(self) -> str:
        """The last part of the path; the host if there is no path."""
        return PurePosixPath(_USER.sub("", self._path, count=1)).name

    @property
    def suffix(self) -> str:
        """The suffix of the name, with the dot."""
        return PurePosixPath(self.name).suffix

    def relative_to(self, root: Address) -> PurePosixPath:
        """Return the path below another address."""
        return PurePosixPath(self.below).relative_to(PurePosixPath(root.below))

    def resolve(self) -> Address:
        return self

    def stat(self) -> Stat:
        """Return kind and size (0 if unknown); a checksum of the metadata replaces the modification time.

        Raises OSError, without credentials.
        """
        return self.known or _stat(self._call(lambda files, path: files.info(path)), folder=self._path.endswith("/"))

    def read_bytes(self) -> bytes:
        """Read the whole file; raises OSError."""
        return cast(bytes, self._call(lambda files, path: files.cat_file(path)))

    def open_raw(self) -> BinaryIO:
        """Open a file for reading; opening and reading may raise OSError."""
        return cast(BinaryIO, Stream(self.safe_errors, self._call(lambda files, path: files.open(path, "rb"))))

    def files(self) -> list[Address]:
        """Return all files below this folder that are not hidden, sorted by path.

        Raises CorpusError if the folder cannot be listed.
        """
        try:
            entries = dict(self._call(lambda files, path: list(_below(files, path.rstrip("/"), _DEEPEST))))
        except OSError as error:
            raise CorpusError(f"cannot read the folder {self}: {error.strerror}") from None
        return [
            replace(self / name, known=None if info.get("size") is None else _stat(info))
            for name, info in sorted(entries.items(), key=lambda item: item[0].split("/"))
        ]

    @contextmanager
    def safe_errors(self) -> Iterator[None]:
        """Convert file system errors to OSError, without credentials in the message or cause.

        Raises MissingExtraError if the package for the scheme is missing.
        """
        try:
            yield
        except OutgroupError:
            raise
        except Exception as raised:  # file systems define their own errors, and report some as a missing file
            error = raised.__cause__ or raised if isinstance(raised, FileNotFoundError) else raised
            if isinstance(error, FileNotFoundError):
                raise FileNotFoundError(2, "no such file or folder") from None
            told = self._without_secrets(error)
            if isinstance(error, ImportError):
                needs = f"reading {self.scheme}:// requires a package that is not installed"
                raise MissingExtraError(f"{needs}: {told}") from None
            raise OSError(0, told) from None

    @property
    def _path(self) -> str:
        """The part between scheme and query."""
        place = self.url.partition("://")[2].partition("?")[0]
        return f"{place.rstrip('/')}/{self.below}" if self.below else place

    def _has(self, kind: Callable[[int], bool]) -> bool:
        try:
            return kind(self.stat().st_mode)
        except OSError:
            return False  # like Path

    is_dir, is_file = partialmethod(_has, S_ISDIR), partialmethod(_has, S_ISREG)

    def _call(self, ask: Callable[[Any, str], Result]) -> Result:
        """Call `ask` with the file system and the path; listings are not cached."""
        with self.safe_errors():
            fsspec = required("fsspec", "distributed", f"reading {self.scheme}:// needs fsspec")
            # Not `url_to_fs`: it reads "::" in the name of a file as a second address.
            kind = fsspec.get_filesystem_class(self.scheme)
            files = kind(**kind._get_kwargs_from_urls(self.url))
            files.invalidate_cache()
            _, mark, query = self.url.partition("?")
            return ask(files, kind._strip_protocol(f"{self.scheme}://{self._path}{mark}{query}"))

    def _without_secrets(self, error: BaseException) -> str:
        user, query, message = _USER.match(self._path), self.url.partition("?")[2], str(error)
        secrets = {query, *re.split("[&=]", query)[1::2]}
        secrets |= set(user[0][:-1].partition(":")) if user else set()  # some services use a key as the user name
        for secret in sorted(secrets | set(map(unquote, secrets)), key=len, reverse=True):
            message = message.replace(secret, "***") if len(secret) > 2 else message  # shorter ones occur in any word
        message = re.sub(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+", lambda _: str(self), message)
        return " ".join(message.split()) or type(error).__name__


@dataclass(frozen=True)
class Stat:
    """The fields of `os.stat_result` that are used."""

    st_mode: int
    st_size: int
    st_mtime_ns: int


def _stat(info: dict[str, Any], *, folder: bool = False) -> Stat:
    kind = S_IFDIR if folder or info["type"] == "directory" else S_IFREG
    about = {key: str(value) for key, value in info.items() if key not in {"name", "type", *_VOLATILE}}
    changed = zlib.crc32(repr(sorted(about.items())).encode())
    return Stat(kind, info.get("size") or 0, changed)


def _below(files: Any, root: str, deepest: int, before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (relative path, info) of files below a folder; other entries of the listing are skipped."""
    if not deepest:
        raise OSError(0, f"more than {_DEEPEST} nested folders")
    for entry in files.ls(f"{root}/", detail=True):
        path = str(entry["name"]).rstrip("/")
        name = path.rpartition("/")[2]
        is_query = "://" in path and "?" in name  # a link of an HTML listing, such as its sort order
        if path.strip("/") != f"{root}/{name}".strip("/") or not name or is_hidden(name) or is_query:
            continue
        if entry.get("islink") and not files.isfile(path):
            continue  # a link to a parent folder would recurse forever
        if entry["type"] != "directory":
            yield before + name, entry
        else:
            yield from _below(files, f"{root}/{name}", deepest - 1, f"{before}{name}/")


# --- Streams


class Pieces(io.RawIOBase):
    """A raw stream; subclasses return the next `piece` of at most `size` bytes, empty at the end."""

    def piece(self, size: int) -> bytes:
        raise NotImplementedError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Stream(Pieces):
    """A file opened by a file system, as a raw stream; `safe_errors` wraps each call."""

    def __init__(self, safe_errors: Callable[[], AbstractContextManager[None]], stream: Any) -> None:
        self._safe_errors, self._stream = safe_errors, stream

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._safe_errors():
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def piece(self, size: int) -> bytes:
        with self._safe_errors():
            return bytes(self._stream.read(size))

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


# --- Hidden files

_SYSTEM = {"thumbs.db", "desktop.ini", "__macosx"}


def is_hidden(name: str) -> bool:
    """Return whether a name is hidden, a system file, or the lock file of an open document.

    >>> is_hidden(".git"), is_hidden("~$letter.docx"), is_hidden("Thumbs.db"), is_hidden("letter.docx")
    (True, True, True, False)
    """
    return name.startswith((".", "~$")) or name.lower() in _SYSTEM


# --- Places
#
# str(address) hides credentials; files, logs and reports use only this text.

Place = Path | Address
"""A local path or an address."""


def place_of(location: str | os.PathLike[str] | Address) -> Place:
    """Return a path or an address; `file://` gives a path.

    Raises InputError for nested addresses.

    >>> place_of("news"), place_of("s3://bucket/news")
    (PosixPath('news'), Address('s3://bucket/news'))
    """
    if isinstance(location, Address):
        return location
    text = os.fspath(location)
    if not (SCHEME.match(text) or CHAIN.match(text)):
        return Path(text)
    return Path(unquote(text[7:])) if text[:7].lower() == "file://" else Address(text)


def is_http(text: str) -> bool:
    """Return whether a text is an address of HTTP or HTTPS with a host.

    >>> is_http("http://[::1]:8080/v1"), is_http("http://host:port/v1"), is_http("ftp://host")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and text.isprintable()
    except ValueError:
        return False


def is_remembered(path: Path) -> bool:
    """Return whether a stored path may be read: it must be an existing regular file or folder.

    Excludes devices and pipes, which may be endless, and network shares (`//host/share` on Windows).
    """
    try:
        return not path.drive.startswith("\\\\") and (path.is_file() or path.is_dir())
    except (OSError, ValueError):
        return False


def read_limited(path: Path) -> bytes:
    """Return the bytes of a file that an option names, such as seeds.

    Raises InputError if it cannot be read, or has over 100 MB: a device may be endless.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > _LARGEST:
        raise InputError(f"{path} has more than {_LARGEST // 1_000_000} MB, too much for the file of an option")
    return content


def require_whole(array: Any, name: str) -> None:
    """Raise InputError if an array is mapped from a file that has become shorter: reading it would end the process."""
    view = array
    while hasattr(array, "__array_interface__"):  # a view of a view of ... the file
        view, array = array, array.base
    if isinstance(array, mmap) and array.size() < getattr(view, "offset", 0) + view.nbytes:
        raise InputError(f"{name} is mapped from a file that was cut short after it was opened: write the file again")


def every_file(place: Place) -> list[Place]:
    """Return all files below a folder, including hidden local files; for a file, return the file."""
    if isinstance(place, Address):
        return [*place.files()] if place.is_dir() else [place]
    return [Path(at, name) for at, _, names in os.walk(place) for name in names] if place.is_dir() else [place]
