"""Open an input by name (folder, file or standard input), and estimate its size."""

from __future__ import annotations

import io
import os
import re
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from ..errors import CorpusError, OutgroupError, OutgroupWarning, warn
from ..places import Address, Pieces, Place, every_file, is_hidden, place_of
from . import folder
from .documents import Budget, Skip, UnreadableError
from .encoding import decode, plain
from .fields import Fields
from .folder import MAILBOX, RECORD_KINDS, Item, are_records, file_documents, joined, read_records
from .json_records import holds_json
from .mail import mailbox_documents
from .office import open_zip
from .parquet import rows_and_bytes
from .references import holds_references
from .sheets import SPREADSHEETS, is_table, warn_of_no_sheets
from .source import PACKED, STDIN, Source, check_is_text, file_source, kind_of, stdin_source

_KINDS = f"{', '.join(sorted(folder.RECORD_KINDS - {folder.LINES}))}, .txt, .log, .mbox, .eml or .zip"


def items(
    path: str | os.PathLike[str] | Address,
    fields: Fields,
    opened: Callable[[tuple[BinaryIO, int]], None] = lambda _: None,
) -> Iterator[tuple[folder.Item, int | None]]:
    """Yield the documents and skips of an input, with the number of files if known.

    Calls `opened` with the stream and size of a single file, to report progress. Raises CorpusError if the input is
    unreadable.
    """
    address = path if isinstance(path, Address) else os.fspath(path)
    if address == "":
        raise CorpusError("the path is empty: give a folder or a file")
    if address == "-":
        with stdin_source(partial(kind_by_head, fields=fields)) as source:
            yield from _known(source, fields)
    elif stat.S_ISDIR(mode := mode_of(place := place_of(address))):
        yield from folder.read_folder(place, fields)
    elif stat.S_ISREG(mode):
        source = _by_itself(place, fields)

        def raw() -> BinaryIO:
            stream = source.raw()
            opened((stream, source.size))
            return stream

        yield from _known(replace(source, raw=raw), fields)
    else:
        raise CorpusError(f"{address}: {_UNSUPPORTED}")


_UNSUPPORTED = f"{folder.UNSUPPORTED}: give a folder of documents, or a file {_KINDS}, or - for standard input"


def _known(source: Source, fields: Fields) -> Iterator[tuple[folder.Item, int | None]]:
    if source.kind not in {folder.ARCHIVE, *SPREADSHEETS}:
        warn_of_no_sheets(source.name, fields)
    if source.kind == folder.LINES and source.size:
        if roles := [role for role in ("text", "id", "title") if getattr(fields, role) != getattr(Fields, role)]:
            check_is_text(source)
            options, names = (" and ".join(form.format(role) for role in roles) for form in ("--{}", "{}="))
            raise CorpusError(
                f"each line of {source.name} is one document without fields: leave out {options} (in Python: {names})"
            )
        warn(f"each line of {source.name} is read as one document")
    if source.kind == folder.ARCHIVE:
        yield from read_archive(source, fields)
    elif source.kind in folder.RECORD_KINDS:
        yield from ((item, None) for item in folder.read_records(source, fields))
    elif source.kind == folder.MAILBOX:
        yield from ((item, None) for item in mailbox_documents(source, fields))
    elif source.kind == ".eml":
        yield from ((item, 1) for item in folder.file_documents(source, Path(source.name).name, fields))
    else:
        raise CorpusError(f"{source.name}: {_why_not(source.kind)}")


def _why_not(kind: str) -> str:
    """Return why a single file is not readable, with a remedy."""
    if kind in folder.KINDS:
        return "a single document has no groups: give the folder that contains it"
    if kind in folder.SAVED_AS:
        new = folder.SAVED_AS[kind]
        return f"{folder.UNSUPPORTED}: save it as {new}{', in the folder with the others' * (new in folder.KINDS)}"
    return _UNSUPPORTED


def mode_of(path: Place) -> int:
    """Return the mode of a file or folder; raise CorpusError if it is missing or inaccessible."""
    try:
        return path.stat().st_mode
    except FileNotFoundError as error:
        raise CorpusError(f"no such file or folder: {path}") from error
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


# --- The kind of the standard input, by its first bytes

_SAMPLE = 1 << 16
_MAILBOX = re.compile(rb"From [^\n]*\n[A-Za-z-]+:")


def kind_by_head(head: bytes, fields: Fields) -> tuple[str, str]:
    """Return the suffix for the format of an input by its first bytes, and the suffix of its compression."""
    packing = next((suffix for mark, suffix in PACKED if head.startswith(mark)), "")
    if packing:
        with Source(STDIN, "", packing, len(head), lambda: io.BytesIO(head)).open() as stream:
            head = stream.peek(_SAMPLE)
    kind = _unpacked_kind(head, fields)
    named = kind == folder.LINES and fields.text != Fields.text  # this field must then exist
    return ".csv" if named else kind, packing


def _unpacked_kind(head: bytes, fields: Fields) -> str:
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head[:200]:
            return ".ods"
        return ".xlsx" if b"xl/" in head or b"[Content_Types].xml" in head[:100] else folder.ARCHIVE
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith((b"$FL2", b"$FL3")):
        return ".sav"
    if _MAILBOX.match(head):
        return folder.MAILBOX
    text = decode(head[:_SAMPLE], fallback=fields.encoding).lstrip("\ufeff \t\r\n")
    if holds_json(text):
        return ".json"
    if holds_references(text):
        return ".ris"
    return ".csv" if is_table(text, fields) else folder.LINES


def _by_itself(path: Place, fields: Fields) -> Source:
    """Return a single input file as a source; the beginning of a text file or log tells what it holds.

    Raises OSError if the file is inaccessible, and CorpusError if it cannot be unpacked.
    """
    source = file_source(path)
    if source.kind not in folder.OF_LINES:
        return source
    with source.open() as stream:
        kind = _unpacked_kind(stream.read(_SAMPLE), fields)
    kind = kind if kind in folder.TEXTUAL | {folder.MAILBOX} else folder.LINES
    return replace(source, kind=kind)


# --- Estimate of the size of a collection, before it is read

_HEAD = 1 << 20  # bytes for the estimate of record length and compression ratio
_SHORT = 250  # bytes of a document by default: thirty words


@dataclass(frozen=True)
class Extent:
    """The approximate number of documents in an input, and their uncompressed bytes."""

    documents: int
    size: int


def extent(path: Place, fields: Fields) -> Extent | None:
    """Estimate the size of an input; None for the standard input.

    Uses the files of a folder, the metadata of Parquet files and archives, or the first megabyte of other records. An
    inaccessible input has size 0: reading it raises the error.

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
        return _of_source(_by_itself(path, fields), fields)
    return Extent(0, 0)


def _of_files(place: Place, fields: Fields) -> Extent:
    """Return the extent of a folder: of its records, or one document per file that is not an archive."""
    files = every_file(place)
    if folder.are_records(kind_of(file.name)[0] for file in files if not is_hidden(file.name)):
        return _sum(extent(file, fields) or Extent(0, 0) for file in files)
    extents = []
    for file in files:
        with suppress(OSError, OutgroupError):
            source = file_source(file)
            extents.append(_of_source(source, Fields()) if source.kind == folder.ARCHIVE else Extent(1, source.size))
    return _sum(extents)


def _sum(extents: Iterable[Extent]) -> Extent:
    parts = list(extents)
    return Extent(sum(part.documents for part in parts), sum(part.size for part in parts))


def _of_source(source: Source, fields: Fields) -> Extent:
    if source.kind == ".parquet" and not source.packing:
        return Extent(*rows_and_bytes(source, fields))
    if source.kind in (folder.ARCHIVE, *SPREADSHEETS):
        with files_of(source) as files:
            if source.kind == folder.ARCHIVE and folder.are_records(file.kind for file in files):
                return _sum(_of_source(file, fields) for file in files)
            if len(files) == 1:
                return _of_source(files[0], fields)
            size = sum(file.size for file in files)
            return Extent(size // _SHORT if source.kind in SPREADSHEETS else len(files), size)
    return _of_beginning(source, fields)


def _of_beginning(source: Source, fields: Fields) -> Extent:
    """Extrapolate the extent from the records in the first megabyte."""
    head, size = _beginning(source)
    read = mailbox_documents if source.kind == folder.MAILBOX else folder.read_records
    if source.kind not in {folder.MAILBOX, *folder.RECORD_KINDS} or not head:
        return Extent(min(len(head), 1), size)
    count, begun = 0, replace(source, packing="", size=len(head), raw=lambda: io.BytesIO(head))
    with suppress(OutgroupError), warnings.catch_warnings():  # the last record is cut off
        warnings.simplefilter("ignore", OutgroupWarning)  # reading the whole input shows them
        for _ in read(begun, fields):
            count += 1
    if not count and source.kind == ".json":  # a list within an object cannot be parsed in part
        count = len(head) // _SHORT
    return Extent(max(count * size // len(head), 1), size)


def _beginning(source: Source) -> tuple[bytes, int]:
    """Return the first uncompressed bytes, and their approximate total number."""
    sips: list[_CountingStream] = []

    def raw() -> BinaryIO:
        sips.append(_CountingStream(source.raw()))
        return cast(BinaryIO, sips[0])

    head = b""
    with replace(source, raw=raw).open() as stream:
        while len(head) < _HEAD and (piece := stream.read1(_HEAD - len(head))):
            head += piece
    taken = sips[0].taken if source.packing else len(head)
    return head, len(head) if len(head) < _HEAD else source.size * len(head) // max(taken, 1)


class _CountingStream(Pieces):
    """A stream that returns small reads and counts them, because decompressors read ahead."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.taken = stream, 0

    def piece(self, size: int) -> bytes:
        piece = self._stream.read(min(size, 1 << 13)) or b""
        self.taken += len(piece)
        return piece

    def close(self) -> None:
        self._stream.close()
        super().close()


# --- Archives


def read_archive(source: Source, fields: Fields) -> Iterator[tuple[Item, int | None]]:
    """Yield the documents and skips of an archive, with the number of files if a file is a document.

    Raises CorpusError if the file is not an archive, or unpacks to far more bytes than text does.
    """
    with _opened(source) as files:
        members = _members(files)
        source.budget.take(sum(member.file_size for member in members))
        sources = _sources(files, members, source.budget)
        if len(sources) > 1 and are_records(kind_of(member.filename)[0] for member in members):
            yield from ((item, None) for item in joined(source.name, [(part.name, part) for part in sources], fields))
        else:
            yield from ((item, len(members)) for item in _items(files, members, source, fields))


@contextmanager
def files_of(source: Source) -> Iterator[list[Source]]:
    """Yield the files of an archive, sorted by name; raise CorpusError if it is not an archive."""
    with _opened(source) as files:
        yield _sources(files, _members(files), source.budget)


@contextmanager
def _opened(source: Source) -> Iterator[zipfile.ZipFile]:
    try:
        with source.seekable() as stream, open_zip(stream) as files:
            _check_is_one(stream, files)
            yield files
    except (OutgroupError, Warning, MemoryError):
        raise
    except UnreadableError as error:
        raise CorpusError(f"{source.name}: {error}") from error
    except Exception as error:  # hostile archives make zipfile raise any exception
        raise CorpusError(f"{source.name}: not a readable archive: {str(error) or type(error).__name__}") from error


def _check_is_one(stream: BinaryIO, files: zipfile.ZipFile) -> None:
    """Raise UnreadableError if another archive precedes: only the directory at the end is read."""
    stream.seek(0)
    before = min((member.header_offset for member in files.infolist()), default=0)
    if before and stream.read(4) == b"PK\3\4":
        raise UnreadableError("several archives in one file, of which only the last is readable: unpack them first")


def _items(files: zipfile.ZipFile, members: list[zipfile.ZipInfo], archive: Source, fields: Fields) -> Iterator[Item]:
    if len(members) == 1 and kind_of(members[0].filename)[0] in RECORD_KINDS | {MAILBOX}:
        only = _source(files, members[0], f"{archive.name}: {plain(members[0].filename)}", archive.budget)
        if only.kind not in SPREADSHEETS:
            warn_of_no_sheets(only.name, fields)
        read = mailbox_documents if only.kind == MAILBOX else read_records
        yield from read(only, fields)
        return
    warn_of_no_sheets(archive.name, fields)
    for member in members:
        yield from _file(files, member, fields, archive.budget)


def _file(files: zipfile.ZipFile, member: zipfile.ZipInfo, fields: Fields, budget: Budget) -> Iterator[Item]:
    where = plain(member.filename) or "a file without a name"
    if stat.S_ISLNK(member.external_attr >> 16):
        yield Skip(where, "a link, not followed")
    elif member.flag_bits & 1:
        yield Skip(where, "locked by a password")
    else:
        try:
            yield from file_documents(_source(files, member, where, budget), where, fields)
        except (OutgroupError, Warning, MemoryError):
            raise
        except Exception as error:
            yield Skip(where, f"it is damaged in the archive: {str(error) or type(error).__name__}")


def _sources(files: zipfile.ZipFile, members: list[zipfile.ZipInfo], budget: Budget) -> list[Source]:
    return [_source(files, member, plain(member.filename), budget) for member in members]


def _source(files: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, budget: Budget) -> Source:
    def raw() -> BinaryIO:
        return cast(BinaryIO, files.open(member))

    return Source(name, *kind_of(member.filename), member.file_size, raw, budget=budget)


def _members(files: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files sorted by name, without hidden files and those that macOS adds."""
    named = [member for member in files.infolist() if not member.filename.endswith("/")]
    paths = [(PurePosixPath(member.filename or "no name").parts, member) for member in named]
    visible = [
        (parts, member)
        for parts, member in paths
        if parts[:1] != ("__MACOSX",) and not any(is_hidden(part) and part != ".." for part in parts)
    ]
    return [member for _, member in sorted(visible, key=lambda entry: entry[0])]
