"""Read documents from a .zip: each file is a document, or a file of records if all files are."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from ..errors import CorpusError, OutgroupError
from ..places import is_hidden
from .budget import Budget
from .documents import Skip, UnreadableError
from .encoding import plain
from .fields import Fields
from .folder import MAILBOX, RECORD_KINDS, Item, are_records, file_documents, joined, read_records
from .mail import mailbox_documents
from .office import open_zip
from .sheets import SPREADSHEETS, warn_of_no_sheets
from .source import Source, kind_of


def read_archive(source: Source, fields: Fields) -> Iterator[tuple[Item, int | None]]:
    """Yield the documents and skips of an archive, each with the number of files if each file is a document.

    Raises CorpusError if the file is not an archive, or unpacks to far more bytes than text does.
    """
    with _opened(source) as files:
        members = _members(files)
        source.budget.take(sum(member.file_size for member in members))
        each = _each(files, members, source.budget)
        if len(each) > 1 and are_records(kind_of(member.filename)[0] for member in members):
            yield from ((item, None) for item in joined(source.name, [(part.name, part) for part in each], fields))
        else:
            yield from ((item, len(members)) for item in _items(files, members, source, fields))


@contextmanager
def files_of(source: Source) -> Iterator[list[Source]]:
    """Yield the files of an archive, sorted by name; raise CorpusError if it is not an archive."""
    with _opened(source) as files:
        yield _each(files, _members(files), source.budget)


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


def _each(files: zipfile.ZipFile, members: list[zipfile.ZipInfo], budget: Budget) -> list[Source]:
    return [_source(files, member, plain(member.filename), budget) for member in members]


def _source(files: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, budget: Budget) -> Source:
    def raw() -> BinaryIO:
        return cast(BinaryIO, files.open(member))

    return Source(name, *kind_of(member.filename), member.file_size, raw, budget=budget)


def _members(files: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the files sorted by name, without hidden files and those that macOS adds."""
    named = [member for member in files.infolist() if not member.filename.endswith("/")]
    paths = [(PurePosixPath(member.filename or "no name").parts, member) for member in named]
    seen = [
        (parts, member)
        for parts, member in paths
        if parts[:1] != ("__MACOSX",) and not any(is_hidden(part) and part != ".." for part in parts)
    ]
    return [member for _, member in sorted(seen, key=lambda each: each[0])]
