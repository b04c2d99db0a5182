"""Open an input by name (folder, archive, file or standard input), and estimate its size."""

from __future__ import annotations

import os
import re
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from ..errors import CorpusError, OutgroupError, OutgroupWarning, warn
from ..places import Address, Place, is_hidden, place_of
from . import folder
from .documents import Skip, UnreadableError
from .encoding import decode, plain
from .fields import Fields
from .json_records import holds_json
from .mail import holds_chat, mailbox_documents
from .office import open_zip
from .references import holds_references
from .source import MAGIC, Source, check_is_text, file_source, kind_of, stdin_source
from .tables import SPREADSHEETS, is_table

_KINDS = f"{', '.join(sorted(folder.RECORD_KINDS - {folder.LINES, folder.CHAT}))}, .txt, .log, .mbox, .eml or .zip"
_UNSUPPORTED = f"{folder.UNSUPPORTED}: give a folder of documents, or a file {_KINDS}, or - for standard input"


def items(
    path: str | os.PathLike[str] | Address,
    fields: Fields,
    opened: Callable[[tuple[BinaryIO, int]], None] = lambda _: None,
) -> Iterator[tuple[folder.Item, int | None]]:
    """Yield the documents and skips of an input, with the number of files if known.

    Calls `opened` with the stream and size of a single file, to report progress. Raises CorpusError if the input is
    unreadable.
    """
    with _opened(path, fields) as (name, parts):
        sources = [part for part in ([parts] if isinstance(parts, Source) else parts) if isinstance(part, Source)]
        if fields.sheet and not any(source.kind in SPREADSHEETS for source in sources):
            kinds = f"{', '.join(SPREADSHEETS[:-1])} and {SPREADSHEETS[-1]}"
            warn(f"{name} has no sheets, unlike {kinds}: sheet {fields.sheet!r} has no effect")
        found: Iterable[folder.Item]
        if isinstance(parts, Source):
            raw = parts.raw

            def reported() -> BinaryIO:
                stream = raw()
                opened((stream, parts.size))
                return stream

            found, total = _in_file(replace(parts, raw=reported), fields), None
        elif folder.are_records(source.kind for source in sources):
            skips = (part for part in parts if isinstance(part, Skip))
            found, total = chain(skips, folder.joined(name, sources, fields)), None
        else:
            of_parts = ([part] if isinstance(part, Skip) else folder.file_documents(part, fields) for part in parts)
            found, total = chain.from_iterable(of_parts), len(parts)
        yield from ((item, total) for item in found)


@contextmanager
def _opened(
    path: str | os.PathLike[str] | Address, fields: Fields
) -> Iterator[tuple[str, Source | list[Source | Skip]]]:
    """Open an input: its name, and a single file, or the files of a folder or an archive."""
    address = path if isinstance(path, Address) else os.fspath(path)
    if address == "":
        raise CorpusError("the path is empty: give a folder or a file")
    if address == "-":
        with stdin_source() as source, _unpacked(_sniffed(source, fields)) as parts:
            yield source.name, parts
    elif stat.S_ISDIR(mode := mode_of(place := place_of(address))):
        yield str(place), folder.files_of(place)
    elif stat.S_ISREG(mode):
        with _unpacked(_sniffed(file_source(place), fields)) as parts:
            yield str(place), parts
    else:
        raise CorpusError(f"{address}: {_UNSUPPORTED}")


def _in_file(source: Source, fields: Fields) -> Iterator[folder.Item]:
    """Return the documents of a single file."""
    if source.kind == folder.LINES and source.size:
        check_is_text(source)
        if roles := [role for role in ("text", "id", "title") if getattr(fields, role) != getattr(Fields, role)]:
            options, names = (" and ".join(form.format(role) for role in roles) for form in ("--{}", "{}="))
            raise CorpusError(
                f"each line of {source.name} is one document without fields: leave out {options} (in Python: {names})"
            )
        warn(f"each line of {source.name} is read as one document")
    if source.kind in folder.RECORD_KINDS:
        return folder.read_records(source, fields)
    if source.kind == folder.MAILBOX:
        return mailbox_documents(source, fields)
    if source.kind == folder.MESSAGE:
        return folder.file_documents(replace(source, name=PurePosixPath(source.name).name), fields)
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


# --- The kind of the standard input or of a text file, by its first bytes

_SAMPLE = 1 << 16
_MAILBOX = re.compile(rb"From [^\n]*\n[A-Za-z-]+:")


def _sniffed(source: Source, fields: Fields) -> Source:
    """Return the source with the kind that its beginning tells, if it is the standard input, a text file or a log."""
    if source.kind and source.kind not in folder.OF_LINES:
        return source
    with source.open() as stream:
        kind = _kind_of_head(stream.read(_SAMPLE), fields)
    if source.kind:
        readable = folder.TEXTUAL - ({folder.CHAT} if source.kind == ".log" else set()) | {folder.MAILBOX}
        kind = kind if kind in readable else folder.LINES
    elif kind == folder.LINES and fields.text != Fields.text:
        kind = ".csv"  # the field must then exist
    return replace(source, kind=kind)


def _kind_of_head(head: bytes, fields: Fields) -> str:
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head[:200]:
            return ".ods"
        return ".xlsx" if b"xl/" in head or b"[Content_Types].xml" in head[:100] else folder.ARCHIVE
    if kind := next((kind for mark, kind in MAGIC if head.startswith(mark)), ""):
        return kind
    if _MAILBOX.match(head):
        return folder.MAILBOX
    text = decode(head, fallback=fields.encoding).lstrip("\ufeff \t\r\n")
    kinds = ((holds_json, ".json"), (holds_references, ".ris"), (holds_chat, folder.CHAT))
    rest = ".csv" if is_table(text, fields) else folder.LINES
    return next((kind for holds, kind in kinds if holds(text)), rest)


# --- The size of a collection


@dataclass(frozen=True)
class Extent:
    """The number of documents in an input, and their characters; of files that are a document, their bytes."""

    documents: int
    size: int


def extent(path: Place, fields: Fields, most: int) -> Extent | None:
    """Return the size of an input, counted up to `most` characters of records; None for the standard input.

    An unreadable input ends where it cannot be read: reading it again raises the error.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.jsonl")
    ...     _ = path.write_text('{"text": "tea", "id": "a"}\\n' * 3)
    ...     extent(path, Fields(), 100), extent(path, Fields(), 7)
    (Extent(documents=3, size=12), Extent(documents=2, size=8))
    """
    if str(path) == "-":
        return None
    documents = size = 0
    # reading the input again shows the warnings
    with suppress(OSError, OutgroupError), warnings.catch_warnings(action="ignore", category=OutgroupWarning):
        with _opened(path, fields) as (_, parts):
            sources = [] if isinstance(parts, Source) else [part for part in parts if isinstance(part, Source)]
            if sources and not folder.are_records(source.kind for source in sources):
                return Extent(len(sources), sum(source.size for source in sources))
        for item, _ in items(path, fields):
            documents += 1
            values = item.columns.values()
            size += sum(map(len, values if isinstance(item, Skip) else (item.id, item.head, item.text, *values)))
            if size > most:
                break
    return Extent(documents, size)


# --- Archives


@contextmanager
def _unpacked(source: Source) -> Iterator[Source | list[Source | Skip]]:
    """Yield the files of an archive, or its only file of records or mailbox; another file as it is.

    Raises CorpusError if an archive is damaged, or unpacks to far more bytes than text does.
    """
    if source.kind != folder.ARCHIVE:
        yield source
        return
    with source.named("not a readable archive"), source.seekable() as stream, open_zip(stream) as files:
        _check_is_one(stream, files)
        members = _members(files)
        source.budget.take(sum(member.file_size for member in members))
        parts = [_part(files, member, source) for member in members]
        only = parts[0] if len(parts) == 1 else None
        if isinstance(only, Source) and only.kind in folder.RECORD_KINDS | {folder.MAILBOX}:
            yield replace(only, name=f"{source.name}: {only.name}")
        else:
            yield parts


def _check_is_one(stream: BinaryIO, files: zipfile.ZipFile) -> None:
    """Raise UnreadableError if another archive precedes: only the directory at the end is read."""
    stream.seek(0)
    before = min((member.header_offset for member in files.infolist()), default=0)
    if before and stream.read(4) == b"PK\3\4":
        raise UnreadableError("several archives in one file, of which only the last is readable: unpack them first")


def _part(files: zipfile.ZipFile, member: zipfile.ZipInfo, archive: Source) -> Source | Skip:
    name = plain(member.filename) or "a file without a name"
    if stat.S_ISLNK(member.external_attr >> 16):
        return Skip(name, "a link, not followed")
    if member.flag_bits & 1:
        return Skip(name, "locked by a password")
    raw = partial(cast(Any, files.open), member)
    return Source(name, *kind_of(member.filename), member.file_size, raw, budget=archive.budget)


def _members(files: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files sorted by name, without hidden files and those that macOS adds."""
    named = [member for member in files.infolist() if not member.filename.endswith("/")]
    paths = [(PurePosixPath(member.filename or "no name").parts, member) for member in named]
    visible = [entry for entry in paths if not any(is_hidden(part) and part != ".." for part in entry[0])]
    return [member for _, member in sorted(visible, key=itemgetter(0))]
