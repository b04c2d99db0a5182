"""The lines of a source as text, each of bounded length."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

from ...errors import CorpusError, OutgroupWarning
from .decode import decoded, guessed_in_words, is_noise, unicode_encoding
from .documents import LONGEST_DOCUMENT, TOO_LONG
from .source import PACKED, Source

_PIECE = 1 << 20


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
