"""What the user names: a folder, a file of any kind, or the standard input; and the documents in it."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from ...errors import CorpusError, OutgroupWarning
from ...places import Address, Place, place_of
from . import records
from .archive import read_archive
from .books import SPREADSHEETS
from .fields import Fields
from .files import ARCHIVE, KINDS, MAILBOX, SAVED_AS, UNSUPPORTED, Item, by_itself, file_documents
from .folder import read_folder
from .mail import mailbox_documents
from .sheets import warn_of_no_sheets
from .source import Source, stdin_source
from .stdin import Head

_KINDS = (
    ".jsonl, .ndjson, .json, .csv, .tsv, .txt or .log (each also with .gz, .xz or .zst), .parquet, .xlsx, .xlsm, .ods, "
    ".mbox, .eml or .zip"
)


def items(
    path: str | os.PathLike[str] | Address, fields: Fields, opened: Callable[[BinaryIO, int], None] | None = None
) -> Iterator[tuple[Item, int | None]]:
    """Yield every document of an input, or why it is none, and the number of files where it is known.

    `opened` hears of each opening of a single file, and its size: how far it is read tells how much is left. Raises
    CorpusError for what cannot be read at all.
    """
    given = path if isinstance(path, Address) else os.fspath(path)
    if given == "":
        raise CorpusError("an empty text is no path: name a folder or a file")
    if given == "-":
        with stdin_source(Head(fields).kind) as source:
            yield from _known(source, fields)
    elif stat.S_ISDIR(mode := mode_of(place := place_of(given))):
        yield from read_folder(place, fields)
    elif stat.S_ISREG(mode):
        source = by_itself(place)
        yield from _known(source if opened is None else replace(source, raw=_reporting(source, opened)), fields)
    else:
        raise CorpusError(f"{given}: {_UNSUPPORTED}")


def _reporting(source: Source, opened: Callable[[BinaryIO, int], None]) -> Callable[[], BinaryIO]:
    def raw() -> BinaryIO:
        stream = source.raw()
        opened(stream, source.size)
        return stream

    return raw


_UNSUPPORTED = f"{UNSUPPORTED}: give a folder of documents, or a file {_KINDS}, or - for what is piped in"


def _known(source: Source, fields: Fields) -> Iterator[tuple[Item, int | None]]:
    if source.kind not in {ARCHIVE, *SPREADSHEETS}:
        warn_of_no_sheets(source.name, fields)
    if source.kind == records.LINES and source.size:
        warnings.warn(f"each line of {source.name} is read as one document", OutgroupWarning, stacklevel=4)
    if source.kind == ARCHIVE:
        yield from read_archive(source, fields)
    elif source.kind in records.KINDS:
        yield from ((item, None) for item in records.read_records(source, fields))
    elif source.kind == MAILBOX:
        yield from ((item, None) for item in mailbox_documents(source, fields))
    elif source.kind == ".eml":
        yield from ((item, 1) for item in file_documents(source, Path(source.name).name, fields))
    else:
        raise CorpusError(f"{source.name}: {_why_not(source.kind)}")


def _why_not(kind: str) -> str:
    """Return why a file by itself is not read, and what to do."""
    if kind in KINDS:
        return "one document makes no groups: give the folder in which it lies"
    if kind in SAVED_AS:
        new = SAVED_AS[kind]
        return f"{UNSUPPORTED}: save it as {new}{', in the folder with the others' * (new in KINDS)}"
    return _UNSUPPORTED


def mode_of(path: Place) -> int:
    """Return what kind of file or folder lies at a place; raises CorpusError where there is none, or nobody tells."""
    try:
        return path.stat().st_mode
    except FileNotFoundError as error:
        raise CorpusError(f"no such file or folder: {path}") from error
    except (OSError, ValueError) as error:
        raise CorpusError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
