"""Parts of zipped office files: XML in one pass, with nothing of it in memory but what is asked for."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO
from xml.parsers import expat

from .documents import UnreadableError

UNPACKED_TIMES = 150
"""How many times its own size an office file may unpack to, beyond ten megabytes."""

_UNPACKED_ALWAYS = 10_000_000
_LARGEST_DIRECTORY = 32_000_000  # bytes: some 400,000 names
_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of old office files, and of those that a password locks
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"

Start = Callable[[str, dict[str, str]], None]


def open_zip(stream: BinaryIO) -> zipfile.ZipFile:
    """Open a zip; raises UnreadableError for what is none but an office file, or one whose table of contents is too
    large to be held in memory."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - (1 << 16) - 256))
    tail = stream.read()
    stream.seek(0)
    if stream.read(len(_OLD)) == _OLD:
        raise UnreadableError(
            "locked by a password, or of a program before 2007; save it without one, as .docx or .xlsx"
        )
    at, at_64 = tail.rfind(_END), tail.rfind(_END_64)
    listed = [struct.unpack_from("<I", tail, at + 12)[0]] if 0 <= at <= len(tail) - 22 else [0]
    listed += [struct.unpack_from("<Q", tail, at_64 + 40)[0]] if 0 <= at_64 <= len(tail) - 56 else []
    if min(max(listed), size) > _LARGEST_DIRECTORY:
        raise UnreadableError("an archive of too many files")
    stream.seek(0)
    return zipfile.ZipFile(stream)


@contextmanager
def office_parts(stream: BinaryIO, largest: int) -> Iterator[zipfile.ZipFile]:
    """Open an office file, unless it unpacks to more than `largest` bytes, or to far more than such files do."""
    packed = stream.seek(0, 2)
    with open_zip(stream) as parts:
        size = sum(part.file_size for part in parts.infolist())
        if size > largest:
            raise UnreadableError(f"larger than {largest // 1_000_000} MB when unpacked")
        if size > max(_UNPACKED_ALWAYS, UNPACKED_TIMES * packed):
            raise UnreadableError(f"unpacks to more than {UNPACKED_TIMES} times its size, as no text does")
        yield parts


def parse(stream: IO[bytes], start: Start, end: Callable[[str], None], data: Callable[[str], None]) -> None:
    """Read XML in one pass, names as "namespace name"; a document type is refused."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    refuse_types(parser)
    parser.ParseFile(stream)


def refuse_types(parser: Any) -> None:
    """Let a parser raise UnreadableError for a document type: entities could make a small file grow without end."""
    parser.StartDoctypeDeclHandler = _refuse


def _refuse(*_: Any) -> None:
    raise UnreadableError("holds a document type, which no office program writes")
