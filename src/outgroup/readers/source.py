"""Open the bytes and lines of an input: a file, standard input or an archive member, compressed or not."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import CorpusError, OutgroupError, required, warn
from ..places import Address, Pieces, Place
from .documents import LIMITS, Budget, UnreadableError
from .encoding import decoded, guessed_in_words, is_noise, unicode_encoding

PACKED = ((b"\x1f\x8b", ".gz"), (b"\xfd7zXZ\0", ".xz"), (b"\x28\xb5\x2f\xfd", ".zst"))
"""Magic bytes and suffixes of compressed files."""

MAGIC = ((b"PAR1", ".parquet"), (b"$FL2", ".sav"), (b"$FL3", ".sav"), (b"SQLite format 3\0", ".sqlite"))
"""Magic bytes and suffixes of binary files of records."""

PACKINGS = tuple(suffix for _, suffix in PACKED)
STDIN = "the standard input"

_DAMAGE = (EOFError, NotImplementedError, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, zlib.error)
_IN_MEMORY = 1 << 26
_PIECE = 1 << 20
_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Source:
    """Bytes with a name.

    Parameters
    ----------
    name : str
        The name in messages. It comes from the input: escape it wherever it is shown.
    kind : str
        The suffix in lower case, without that of the compression.
    packing : str
        One of `PACKINGS`, or "".
    size : int
        Bytes before unpacking.
    raw : callable
        Opens the bytes, from the beginning.
    before : int, default 0
        Lines or rows before the first one, if this is a part of a file.
    groups : range, default None
        The row groups to read of a Parquet file; None: all.
    budget : Budget
        Counts what readers expand; by default a new one.
    """

    name: str
    kind: str
    packing: str
    size: int
    raw: Callable[[], BinaryIO]
    before: int = 0
    groups: range | None = None
    budget: Budget = field(default_factory=Budget)

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the uncompressed bytes; raise CorpusError for damage, also during reading."""
        with self.named(), self.raw() as raw:
            yield io.BufferedReader(cast(Any, self._unpacked(raw)), _PIECE)

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """Open the uncompressed bytes for random access."""
        if not self.packing:
            with self.named(), self.raw() as raw:
                if raw.seekable() and not isinstance(raw, zipfile.ZipExtFile):  # which seeks by reading again
                    stream = io.BufferedReader(cast(Any, raw), _PIECE)  # held until `raw` is closed
                    yield cast(BinaryIO, stream)
                    return
        with self.open() as unpacked, tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
            shutil.copyfileobj(unpacked, copy, _PIECE)
            copy.seek(0)
            yield cast(BinaryIO, copy)

    @contextmanager
    def named(self, fault: str = "") -> Iterator[None]:
        """Convert read errors to a CorpusError with the name of the source.

        With a `fault`, other errors, too: hostile files make libraries raise any exception.
        """
        try:
            yield
        except (OutgroupError, Warning, MemoryError):
            raise
        except UnreadableError as error:
            raise CorpusError(f"{self.name}: {error}") from error
        except _DAMAGE as error:
            raise CorpusError(f"{self.name}: the compressed file is damaged or truncated: {error}") from error
        except OSError as error:
            raise CorpusError(f"{self.name}: cannot be read: {error.strerror or error}") from error
        except Exception as error:
            if not fault:
                raise
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise CorpusError(f"{self.name}: {fault} ({why:.200})") from error

    def _unpacked(self, raw: BinaryIO) -> io.RawIOBase | BinaryIO:
        if not self.packing:
            return _BudgetStream(raw, None)
        if self.packing == ".gz":
            return _BudgetStream(gzip.open(raw), self.budget)
        if self.packing == ".xz":
            return _BudgetStream(_Frames(raw, lzma.LZMADecompressor, lzma.LZMAError), self.budget)
        zst = required("zstandard", "io", "reading .zst files requires zstandard")
        frames = _Frames(raw, zst.ZstdDecompressor(max_window_size=1 << 27).decompressobj, zst.ZstdError)
        return _BudgetStream(frames, self.budget)


class _BudgetStream(Pieces):
    """A stream that counts its bytes in a budget, if there is one, to protect memory and disk."""

    def __init__(self, stream: Any, budget: Budget | None) -> None:
        self._stream, self._budget = stream, budget

    def piece(self, size: int) -> bytes:
        piece = self._stream.read(size)
        if piece is None:
            raise OSError(0, "it returns no data and would block forever")
        if self._budget:
            self._budget.take(len(piece))
        return piece


def file_source(path: Place) -> Source:
    """Return a file as a source; raise OSError if it is inaccessible."""
    size = path.stat().st_size
    return Source(str(path), *kind_of(path.name), size, partial(open_regular, path), budget=Budget(size))


def open_regular(path: Place) -> BinaryIO:
    """Open a regular file; raise OSError for pipes and system files, which may block forever."""
    if isinstance(path, Address):
        return path.open_raw()
    handle = os.open(path, os.O_RDONLY | _NON_BLOCKING)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "not a regular file")
    return os.fdopen(handle, "rb", buffering=0)


@contextmanager
def stdin_source() -> Iterator[Source]:
    """Copy standard input to a temporary file, which allows several passes, and yield it as a source without a kind."""
    if sys.stdin is None:
        raise CorpusError(f"{STDIN} is closed: give a folder or a file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        with path.open("x+b") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy, _PIECE)
            copy.seek(0)
            head = copy.read(8)
        size, packing = path.stat().st_size, next((suffix for mark, suffix in PACKED if head.startswith(mark)), "")
        yield Source(STDIN, "", packing, size, partial(open_regular, path), budget=Budget(size))


def kind_of(name: str) -> tuple[str, str]:
    """Return the suffix of a name in lower case, and the suffix of its compression.

    Examples
    --------
    >>> kind_of("News.JSONL.gz"), kind_of("notes"), kind_of("a.csv")
    (('.jsonl', '.gz'), ('', ''), ('.csv', ''))
    """
    name = name.lower()
    packing = next((suffix for suffix in PACKINGS if name.endswith(suffix)), "")
    return Path(name.removesuffix(packing)).suffix, packing


class _Frames:
    """A stream of compressed frames that detects truncation and foreign bytes after a frame.

    The reader of zstandard ignores truncation, and that of lzma ignores everything after a frame that is not another.
    """

    def __init__(self, raw: BinaryIO, frame: Callable[[], Any], damage: type[Exception]) -> None:
        self._raw, self._new, self._damage = raw, frame, damage
        self._frame, self._begun, self._rest, self._ready = frame(), False, b"", memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self._ready and self._more():
            pass
        piece, self._ready = bytes(self._ready[:size]), self._ready[size:]  # a view: a piece may unpack to 100 MB
        return piece

    def _more(self) -> bool:
        packed = self._rest or self._raw.read(1 << 9)  # may expand by a factor of sixty thousand before it is counted
        self._rest = b""
        if packed and not self._begun:
            packed = packed.lstrip(b"\0")  # padding between frames of .xz
            if not packed:
                return True
        if not packed:
            if self._begun:
                raise EOFError("the compressed data is truncated")
            return False
        try:
            self._begun = True
            self._ready = memoryview(self._frame.decompress(packed))
        except self._damage as error:
            raise EOFError(str(error)) from error
        self._rest = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame, self._begun = self._new(), False
        return True


# --- Lines of text, of bounded length

_OTHERS = (
    (b"PK\x03\x04", "a spreadsheet or an archive: rename it to .xlsx, .ods or .zip"),
    (b"\xd0\xcf\x11\xe0", "an old office file: save it as .xlsx or .csv"),
    *((mark, f"a file of another kind: rename it to {kind}") for mark, kind in MAGIC),
    *((mark, f"a compressed file: add the suffix {packing} to its name") for mark, packing in PACKED),
)
"""Magic bytes of files that are not text whatever their suffix, with their kind and the remedy."""

_MARKUP = (
    (rb"<\?xml", "XML: export it as .csv or .json, and references as .ris"),
    (rb"<!doctype|<html\b[^>]*>\s*<", "an HTML page, perhaps a login page instead of the download"),
)
"""Beginnings of text that is not records, in lower case: a tag may also begin a sentence."""


def check_is_text(source: Source, mark: bytes = b"") -> None:
    """Raise CorpusError if a source is binary or markup but has another suffix, unless it begins with `mark`."""
    with source.open() as stream:
        head = stream.peek()
    other = next((f", but {kind}" for mark, kind in _OTHERS if head.startswith(mark)), "")
    if (other or is_noise(head)) and not (mark and head.startswith(mark)):
        raise CorpusError(f"{source.name}: a binary file, not text{other}")
    begins = head.removeprefix(BOM_UTF8).lstrip().lower()
    if markup := next((kind for mark, kind in _MARKUP if re.match(mark, begins)), ""):
        raise CorpusError(f"{source.name}: {markup}")


def lines(source: Source, encoding: str = "") -> Iterator[tuple[int, str | None]]:
    """Yield line numbers (from 1) and lines; None for a line that is too long.

    Decodes lines that are not Unicode by the `encoding`, if it is given and fits.
    """
    guessed = 0
    with source.open() as stream, text_stream(stream) as text:
        for number, line in enumerate(_bounded(text), start=source.before + 1):
            fixed, by_guess = (line, False) if line is None else _decoded(line, encoding)
            guessed += by_guess
            yield number, fixed
    if guessed:
        warn(guessed_in_words(f"{source.name}: {guessed:,} line{' is' if guessed == 1 else 's are'}"))


def whole_lines(source: Source, encoding: str = "") -> Iterator[str]:
    """Yield the lines; raise CorpusError for a line that is too long."""
    for number, line in lines(source, encoding):
        if line is None:
            raise CorpusError(f"{source.name}, line {number}: {LIMITS.too_long}")
        yield line


def text_stream(stream: Any) -> io.TextIOWrapper:
    """Return a text stream, decoded by the byte order mark, as detected UTF-16, or as UTF-8.

    Escapes invalid bytes of UTF-8, for `repaired`. Lines end with a line feed, or, if the beginning has none, with a
    carriage return, as in old Mac files.
    """
    head = stream.peek(4)
    encoding = unicode_encoding(head) or "utf-8"
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    old = b"\r" in head[:-1] and b"\n" not in head  # the last byte may be half of "\r\n"
    return io.TextIOWrapper(stream, encoding, errors, newline=None if old else "\n")


def repaired(text: str) -> str:
    """Repair text of `text_stream`: decode its escaped bytes in a guessed encoding."""
    return _decoded(text, "")[0]


def _decoded(text: str, encoding: str) -> tuple[str, bool]:
    """Return repaired text, and whether its encoding was guessed."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return decoded(text.encode("utf-8", "surrogateescape"), fallback=encoding)
    return text, False


def _bounded(stream: io.TextIOWrapper) -> Iterator[str | None]:
    while line := stream.readline(LIMITS.document):
        if len(line) < LIMITS.document:
            yield line
            continue
        while line and not line.endswith("\n"):
            line = stream.readline(_PIECE)
        yield None
