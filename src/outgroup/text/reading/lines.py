"""The lines of a source as text, each of bounded length."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from ...errors import CorpusError
from .decode import decode, marked_encoding
from .documents import LONGEST_DOCUMENT, TOO_LONG
from .source import Source

_PIECE = 1 << 20


def lines(source: Source) -> Iterator[tuple[int, str | None]]:
    """Yield the lines with their numbers in the file, from 1; None for one that is too long to hold."""
    with source.open() as stream, text_stream(stream) as text:
        yield from enumerate(_bounded(text), start=source.before + 1)


def whole_lines(source: Source) -> Iterator[str]:
    """Yield the lines; raises CorpusError for one that is too long to hold."""
    for number, line in lines(source):
        if line is None:
            raise CorpusError(f"{source.name}, line {number}: {TOO_LONG}")
        yield line


def text_stream(stream: Any) -> io.TextIOWrapper:
    """Decode by the byte order mark, else as UTF-8 in which wrong bytes survive, to be repaired piece by piece."""
    encoding = marked_encoding(stream.peek(4)[:4]) or "utf-8"
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    return io.TextIOWrapper(stream, encoding, errors, newline="\n")


def repaired(text: str) -> str:
    """Return text that `text_stream` gave, with its wrong bytes decoded as well as they can be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return decode(text.encode("utf-8", "surrogateescape"))
    return text


def _bounded(stream: io.TextIOWrapper) -> Iterator[str | None]:
    while line := stream.readline(LONGEST_DOCUMENT):
        if len(line) < LONGEST_DOCUMENT:
            yield repaired(line)
            continue
        while line and not line.endswith("\n"):
            line = stream.readline(_PIECE)
        yield None
