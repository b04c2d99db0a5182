"""How large a collection is, before it is read: how many documents it has, and bytes of what is read of them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from ...errors import OutgroupError, OutgroupWarning
from ...places import Place, every_file, is_hidden
from ...places.stream import Pieces
from .archive import files_of
from .books import SPREADSHEETS
from .fields import Fields
from .files import ARCHIVE, MAILBOX, by_itself
from .joined import are_records
from .mail import mailbox_documents
from .parquet import rows_and_bytes
from .records import KINDS, read_records
from .source import Source, file_source, kind_of

_HEAD = 1 << 20  # bytes that tell how long records are, and how small the file packs them
_SIP = 1 << 13  # packed bytes at a time
_SHORT = 250  # bytes of a document, where nothing tells: thirty words


@dataclass(frozen=True)
class Extent:
    """How many documents an input has, about, and the bytes that are read of them, unpacked."""

    documents: int
    size: int


def extent(path: Place, fields: Fields) -> Extent | None:
    """Return how large an input is; None for the standard input, which cannot be looked at before it is read.

    Of a folder its files tell, of Parquet and archives what their ends say, of other records a megabyte at the
    beginning. What cannot be looked at has no size: reading it says why.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.jsonl")
    ...     _ = path.write_text('{"text": "tea"}\\n' * 3)
    ...     extent(path, Fields())
    Extent(documents=3, size=48)
    """
    if str(path) == "-":
        return None
    if path.is_dir():
        return _of_files(path, fields)
    with suppress(OSError, OutgroupError):
        return _of_source(by_itself(path), fields)
    return Extent(0, 0)


def _of_files(folder: Place, fields: Fields) -> Extent:
    files = every_file(folder)
    if are_records(kind_of(file.name)[0] for file in files if not is_hidden(file.name)):
        return _sum(extent(file, fields) or Extent(0, 0) for file in files)
    return _sum(map(_in_folder, files))


def _sum(found: Iterable[Extent]) -> Extent:
    each = list(found)
    return Extent(sum(one.documents for one in each), sum(one.size for one in each))


def _in_folder(file: Place) -> Extent:
    """Return how large a file of a folder is: one document, unless it is an archive."""
    with suppress(OSError, OutgroupError):
        source = file_source(file)
        return _of_source(source, Fields()) if source.kind == ARCHIVE else Extent(1, source.size)
    return Extent(0, 0)


def _of_source(source: Source, fields: Fields) -> Extent:
    if source.kind == ".parquet" and not source.packing:
        return Extent(*rows_and_bytes(source, fields))
    if source.kind in (ARCHIVE, *SPREADSHEETS):
        with files_of(source) as files:
            if source.kind == ARCHIVE and are_records(file.kind for file in files):
                return _sum(_of_source(file, fields) for file in files)
            if len(files) == 1:
                return _of_source(files[0], fields)
            size = sum(file.size for file in files)
            return Extent(size // _SHORT if source.kind in SPREADSHEETS else len(files), size)
    return _of_beginning(source, fields)


def _of_beginning(source: Source, fields: Fields) -> Extent:
    """Return what the beginning tells: as many records as it has, as often as it goes into the whole."""
    head, size = _beginning(source)
    read = mailbox_documents if source.kind == MAILBOX else read_records
    if source.kind not in {MAILBOX, *KINDS} or not head:
        return Extent(min(len(head), 1), size)
    found, begun = 0, replace(source, packing="", size=len(head), raw=lambda: io.BytesIO(head))
    with suppress(OutgroupError), warnings.catch_warnings():  # the last record is cut off
        warnings.simplefilter("ignore", OutgroupWarning)  # reading the whole says them
        for _ in read(begun, fields):
            found += 1
    if not found and source.kind == ".json":  # a list within an object, which is read as a whole
        found = len(head) // _SHORT
    return Extent(max(found * size // len(head), 1), size)


def _beginning(source: Source) -> tuple[bytes, int]:
    """Return the first bytes unpacked, and how many all of them are, about."""
    sips: list[_Sips] = []

    def raw() -> BinaryIO:
        sips.append(_Sips(source.raw()))
        return cast(BinaryIO, sips[0])

    head = b""
    with replace(source, raw=raw).open() as stream:
        while len(head) < _HEAD and (piece := stream.read1(_HEAD - len(head))):
            head += piece
    taken = sips[0].taken if source.packing else len(head)
    return head, len(head) if len(head) < _HEAD else source.size * len(head) // max(taken, 1)


class _Sips(Pieces):
    """A stream that gives a little at a time, and counts it: what unpacks it asks for more than it needs at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.taken = stream, 0

    def piece(self, size: int) -> bytes:
        piece = self._stream.read(min(size, _SIP)) or b""
        self.taken += len(piece)
        return piece

    def close(self) -> None:
        self._stream.close()
        super().close()
