"""Split a large file into ranges of JSON lines or row groups, which any process can read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

from ..errors import CorpusError
from ..places import Place
from .corpus import Block, block_of, stripped
from .documents import Budget, Document, Skip
from .encoding import unicode_encoding
from .fields import Fields, MissingFieldError
from .folder import read_records
from .parquet import row_groups
from .source import Source, file_source, kind_of, open_regular

_LINES, _PARQUET = (".jsonl", ".ndjson"), ".parquet"
_PIECE = 1 << 20


@dataclass(frozen=True)
class Range:
    """A part of a file: the lines in the bytes start to stop, or the row groups start to stop.

    `before` is the number of lines or rows before it.
    """

    path: Place
    start: int
    stop: int
    before: int

    def __str__(self) -> str:
        return f"{self.path} (from {'row' if self.in_groups else 'line'} {self.before + 1})"

    @property
    def in_groups(self) -> bool:
        """Whether the range counts row groups rather than bytes."""
        return kind_of(self.path.name)[0] == _PARQUET


def cut(path: Place, size: int, most: int | None = None) -> list[Range] | None:
    """Split a file into ranges of at least `size` bytes, at line ends or between row groups; None if it cannot be
    split.

    Reads a file of JSON lines once, to count its lines. Returns None for compressed files, for kinds other than JSON
    lines and Parquet, for encodings other than UTF-8, for a row group of more than `most` bytes, and for a server
    without range requests. Raises CorpusError for an unreadable file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.jsonl")
    ...     _ = path.write_text('{"text": "tea"}\\n' * 3)
    ...     [(each.start, each.stop, each.before) for each in cut(path, 20)]
    [(0, 32, 0), (32, 48, 2)]
    """
    kind, packing = kind_of(path.name)
    if packing or kind not in (*_LINES, _PARQUET):
        return None
    try:
        if kind == _PARQUET:
            return _by_groups(path, size, most)
        with open_regular(path) as raw, io.BufferedReader(cast(Any, raw), _PIECE) as stream:
            if not raw.seekable() or unicode_encoding(stream.peek(4)) not in (None, "utf-8", "utf-8-sig"):
                return None
            return [Range(path, *ends) for ends in _ends(cast(BinaryIO, stream), size)]
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror or error}") from error


def _by_groups(path: Place, size: int, most: int | None) -> list[Range] | None:
    groups, ranges = row_groups(file_source(path)), list[Range]()
    if most is not None and max((bytes_read for _, bytes_read in groups), default=0) > most:
        return None
    start = before = rows = bytes_read = 0
    for number, (more, larger) in enumerate(groups, start=1):
        rows, bytes_read = rows + more, bytes_read + larger
        if bytes_read >= size or number == len(groups):
            ranges.append(Range(path, start, number, before))
            start, before, rows, bytes_read = number, before + rows, 0, 0
    return ranges


def _ends(stream: BinaryIO, size: int) -> Iterator[tuple[int, int, int]]:
    start = before = 0
    while True:
        lines = 0
        for left in range(size, 0, -_PIECE):
            lines += stream.read(min(left, _PIECE)).count(b"\n")
        lines += stream.readline().count(b"\n")
        stop = stream.tell()
        if stop == start:
            return
        yield start, stop, before
        start, before = stop, before + lines


def read_range(part: Range, fields: Fields) -> tuple[Block, list[str] | None]:
    """Return the documents of a range and, if a requested field is missing, the fields that it has; else None.

    Another range may have that field: `require_any` checks all of them. Raises CorpusError as `read_blocks`.
    """
    items, known = list[Document | Skip](), None
    try:
        items.extend(stripped(item, fields.strip) for item in read_records(_source(part), fields))
    except MissingFieldError as error:
        known = error.known
    return block_of(items), known


def require_any(known: Sequence[list[str] | None], fields: Fields, first: Range | Place) -> None:
    """Raise CorpusError if a requested field is missing from every range of a file; `first` is one of the ranges."""
    lacking = [names for names in known if names is not None]
    if lacking and len(lacking) == len(known):
        name = first.path if isinstance(first, Range) else first
        fields.require(dict.fromkeys(field for names in lacking for field in names), str(name))


def _source(part: Range) -> Source:
    if part.in_groups:
        whole = file_source(part.path)
        return replace(whole, before=part.before, groups=range(part.start, part.stop))
    size, kind = part.stop - part.start, kind_of(part.path.name)
    return Source(str(part.path), *kind, size, lambda: _opened(part), part.before, budget=Budget(size))


def _opened(part: Range) -> BinaryIO:
    with io.BufferedReader(cast(Any, open_regular(part.path))) as stream:
        stream.seek(part.start)
        content = stream.read(part.stop - part.start)
    if len(content) < part.stop - part.start:
        raise OSError(0, "the file was truncated after it was opened")
    return io.BytesIO(content)
