"""The bytes and lines of an input: a file, the standard input, a member of an archive; perhaps compressed."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import CorpusError, MissingExtraError, OutgroupWarning
from ..places import Address, Pieces, Place
from .documents import LONGEST_DOCUMENT, TOO_LONG
from .encoding import decoded, guessed_in_words, is_noise, unicode_encoding

# --- Where an input's bytes come from: a file, the standard input, a member of an archive; perhaps compressed

UNPACKED_ALWAYS = 100_000_000
"""Bytes that any compressed input may unpack to."""

UNPACKED_TIMES = 200
"""How many times its own size a compressed input may unpack to, beyond that: text seldom shrinks to a twentieth."""

PACKED = ((b"\x1f\x8b", ".gz"), (b"\xfd7zXZ\0", ".xz"), (b"\x28\xb5\x2f\xfd", ".zst"))
"""How compressed files begin, and how their names end."""

PACKINGS = tuple(suffix for _, suffix in PACKED)
STDIN = "the standard input"

_IN_MEMORY = 1 << 26
_PIECE = 1 << 20
_PACKED_PIECE = 1 << 11  # of Zstandard, which may grow to sixty thousand times as much
_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Source:
    """Bytes with a name.

    Parameters
    ----------
    name : str
        What messages call it. It comes from the input: escape it wherever it is shown.
    kind : str
        The suffix in lower case, without one that stands for compression.
    packing : str
        One of `PACKINGS`, or "".
    size : int
        Bytes before unpacking.
    raw : callable
        Opens the bytes, from the beginning.
    before : int, default 0
        Lines, or rows, that stand before the first one, where this is a part of a file.
    groups : range, default None
        The row groups of a Parquet file that are read; None: all.
    """

    name: str
    kind: str
    packing: str
    size: int
    raw: Callable[[], BinaryIO]
    before: int = 0
    groups: range | None = None

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the unpacked bytes; damage is a CorpusError wherever it is met while they are read."""
        with self.named(), self.raw() as raw:
            yield io.BufferedReader(cast(Any, self._unpacked(raw)), _PIECE)

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """Open the unpacked bytes so that any of them can be read in any order."""
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
    def named(self) -> Iterator[None]:
        """Turn what goes wrong while reading into a CorpusError that names the source."""
        try:
            yield
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise CorpusError(f"{self.name}: the compressed file is damaged or cut off: {error}") from error
        except OSError as error:
            if isinstance(error, MissingExtraError):
                raise
            raise CorpusError(f"{self.name}: cannot be read: {error.strerror or error}") from error

    @property
    def most_unpacked(self) -> int:
        """The bytes that it may unpack to, if anything in it is compressed."""
        return max(UNPACKED_ALWAYS, UNPACKED_TIMES * self.size)

    def unpacks_to_too_much(self) -> CorpusError:
        return CorpusError(
            f"{self.name} unpacks to more than {UNPACKED_TIMES} times its size, as no texts do; unpack it yourself if "
            "you trust it"
        )

    def _unpacked(self, raw: BinaryIO) -> io.RawIOBase | BinaryIO:
        if not self.packing:
            return _Bounded(raw, self, packed=False)
        openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".zst": _zst}
        return _Bounded(openers[self.packing](raw), self, packed=True)


class _Bounded(Pieces):
    """A stream that ends with an error, and not with the memory or the disk, where there is more than expected."""

    def __init__(self, stream: BinaryIO, source: Source, *, packed: bool) -> None:
        self._stream, self._source, self._left = stream, source, source.most_unpacked if packed else None

    def piece(self, size: int) -> bytes:
        piece = self._stream.read(size)
        if piece is None:
            raise OSError(0, "it gives nothing, and would be waited for without end")
        if self._left is not None:
            self._left -= len(piece)
            if self._left < 0:
                raise self._source.unpacks_to_too_much()
        return piece


def file_source(path: Place) -> Source:
    """Return a file as a source. Raises OSError where it cannot be looked at."""
    return Source(str(path), *kind_of(path.name), path.stat().st_size, lambda: open_regular(path))


def open_regular(path: Place) -> BinaryIO:
    """Open a regular file; raises OSError for pipes and for system files that would wait for ever."""
    if isinstance(path, Address):
        return path.open_raw()
    handle = os.open(path, os.O_RDONLY | _NON_BLOCKING)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(0, "not a regular file")
    return os.fdopen(handle, "rb", buffering=0)


@contextmanager
def stdin_source(kind: Callable[[bytes], tuple[str, str]]) -> Iterator[Source]:
    """Copy the standard input to a file without a name, as large as it is, and yield it; `kind` knows it by its head.

    It can be read once only, and whether it is a table, an archive or lines shows at its beginning.
    """
    if sys.stdin is None:
        raise CorpusError(f"{STDIN} is closed; name a folder or a file")
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy, _PIECE)
        size = copy.tell()
        copy.seek(0)
        head = copy.read(_PIECE)

        def again() -> BinaryIO:
            copy.seek(0)
            return cast(BinaryIO, _Kept(cast(BinaryIO, copy)))

        yield Source(STDIN, *kind(head), size, again)


class _Kept(Pieces):
    """A stream whose end does not close the one below it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._stream.seek(offset, whence)
        return self._stream.tell()

    def piece(self, size: int) -> bytes:
        return self._stream.read(size)


def kind_of(name: str) -> tuple[str, str]:
    """Return a name's suffix in lower case, and apart from it the suffix that stands for compression.

    Examples
    --------
    >>> kind_of("News.JSONL.gz"), kind_of("notes"), kind_of("a.csv")
    (('.jsonl', '.gz'), ('', ''), ('.csv', ''))
    """
    name = name.lower()
    packing = next((each for each in PACKINGS if name.endswith(each)), "")
    return Path(name.removesuffix(packing)).suffix, packing


def _zst(raw: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError('reading .zst files needs zstandard: pip install "outgroup[io]"') from error
    return _Zst(raw, zstandard.ZstdDecompressor(max_window_size=1 << 27), zstandard.ZstdError)


class _Zst:
    """A Zstandard stream that knows whether it is whole, which the library's own reader does not tell."""

    def __init__(self, raw: BinaryIO, library: Any, damage: type[Exception]) -> None:
        self._raw, self._library, self._damage = raw, library, damage
        self._frame, self._begun, self._rest, self._ready = library.decompressobj(), False, b"", memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self._ready and self._more():
            pass
        piece, self._ready = bytes(self._ready[:size]), self._ready[size:]  # a view: a piece may unpack to 100 MB
        return piece

    def _more(self) -> bool:
        packed = self._rest or self._raw.read(_PACKED_PIECE)
        if not packed:
            if self._begun:
                raise EOFError("it ends within a frame")
            return False
        try:
            self._begun = True
            self._ready = memoryview(self._frame.decompress(packed))
        except self._damage as error:
            raise EOFError(str(error)) from error
        self._rest = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            self._frame, self._begun = self._library.decompressobj(), False
        return True


# --- The lines of a source as text, each of bounded length

_OTHERS = (
    (b"PK\x03\x04", "a spreadsheet or an archive: name it .xlsx, .ods or .zip, as which it is read"),
    (b"\xd0\xcf\x11\xe0", "a file of an old office program: save it as .xlsx or .csv"),
    (b"PAR1", "a Parquet file: name it .parquet, as which it is read"),
    *((mark, f"a compressed file: let its name end with {packing}, and it is read") for mark, packing in PACKED),
)
"""How files begin that are no text whatever their names say, what they are, and what to do."""


def check_is_text(source: Source, mark: bytes = b"") -> None:
    """Raise CorpusError for what is named like a file of text and is none; what begins with the `mark` is some."""
    with source.open() as stream:
        head = stream.peek()
    other = next((f", but {said}" for mark, said in _OTHERS if head.startswith(mark)), "")
    if (other or is_noise(head)) and not (mark and head.startswith(mark)):
        raise CorpusError(f"{source.name}: binary file, no text{other}")


def lines(source: Source, encoding: str = "") -> Iterator[tuple[int, str | None]]:
    """Yield the lines with their numbers in the file, from 1; None for one that is too long to hold.

    Those that are no Unicode are of the `encoding`, where one is given and fits.
    """
    guessed = 0
    with source.open() as stream, text_stream(stream) as text:
        for number, line in enumerate(_bounded(text), start=source.before + 1):
            fixed, by_guess = (line, False) if line is None else _decoded(line, encoding)
            guessed += by_guess
            yield number, fixed
    if guessed:
        said = guessed_in_words(f"{source.name}: {guessed:,} line{' is' if guessed == 1 else 's are'}")
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def whole_lines(source: Source, encoding: str = "") -> Iterator[str]:
    """Yield the lines; raises CorpusError for one that is too long to hold."""
    for number, line in lines(source, encoding):
        if line is None:
            raise CorpusError(f"{source.name}, line {number}: {TOO_LONG}")
        yield line


def text_stream(stream: Any) -> io.TextIOWrapper:
    """Decode by the byte order mark, or as UTF-16 that shows without one, else as UTF-8.

    Wrong bytes of UTF-8 survive, to be repaired piece by piece. Lines end with a line feed; or, where the beginning has
    none, with a carriage return, as old programs write them.
    """
    head = stream.peek(4)
    encoding = unicode_encoding(head) or "utf-8"
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    old = b"\r" in head[:-1] and b"\n" not in head  # the last sign may be a half of "\r\n"
    return io.TextIOWrapper(stream, encoding, errors, newline=None if old else "\n")


def repaired(text: str) -> str:
    """Return text that `text_stream` gave, with its wrong bytes decoded as well as they can be."""
    return _decoded(text, "")[0]


def _decoded(text: str, encoding: str) -> tuple[str, bool]:
    """Return such text, and whether its encoding was guessed."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return decoded(text.encode("utf-8", "surrogateescape"), given=encoding)
    return text, False


def _bounded(stream: io.TextIOWrapper) -> Iterator[str | None]:
    while line := stream.readline(LONGEST_DOCUMENT):
        if len(line) < LONGEST_DOCUMENT:
            yield line
            continue
        while line and not line.endswith("\n"):
            line = stream.readline(_PIECE)
        yield None
