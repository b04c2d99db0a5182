"""Read documents from a folder: one per file, or the records of all files if they hold records."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from ..errors import CorpusError, MissingExtraError, quoted, warn
from ..places import Address, Place, is_hidden
from . import office
from .documents import LIMITS, NEEDS_IO, Budget, Document, Skip, UnreadableError, subject
from .encoding import decoded, is_noise
from .fields import Fields, MissingFieldError, document
from .json_records import Row, file_rows, line_rows
from .mail import chat_rows, mailbox_documents, message_document
from .markup import declared_encoding, html_to_text, markdown_title
from .parquet import parquet_rows
from .references import reference_rows
from .source import Source, check_is_text, kind_of, lines, open_regular
from .spss import spss_rows
from .tables import SPREADSHEETS, sheet_rows, table_rows

_MAILDIR = {"cur", "new", "tmp"}  # its folders: seen, unseen, and incomplete messages
_FLAGS = re.compile(r"[:;!]2,[^/]*$")  # flags that mail programs append to the name of a message


def list_files(root: Place) -> list[Place | Skip]:
    """Return all files below a folder, sorted by name, and a `Skip` for unreadable folders and links.

    Ignores hidden files and folders, and lock files of office programs. Does not follow links, which lead out of the
    folder or round in a circle.

    Raises
    ------
    CorpusError
        The folder itself cannot be read.
    """
    if isinstance(root, Address):
        return [*root.files()]
    try:
        os.scandir(root).close()
    except OSError as error:
        raise CorpusError(f"cannot read the folder {root}: {error.strerror}") from error
    skipped: list[Place | Skip] = []
    files: list[Path] = []

    def unreadable(error: OSError) -> None:
        skipped.append(Skip(_name(Path(error.filename), root), f"folder cannot be read: {error.strerror}", None))

    for place, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = [folder for folder in folders if not is_hidden(folder)]
        visible = [Path(place, name) for name in names if not is_hidden(name)]
        for what, paths in (("folder", [Path(place, folder) for folder in folders]), ("file", visible)):
            links = filter(os.path.islink, paths)
            skipped += [Skip(_name(link, root), f"link to a {what}, not followed", None) for link in links]
        files += [path for path in visible if not os.path.islink(path)]
    return [*skipped, *sorted(files, key=lambda file: file.relative_to(root).parts)]


def files_of(root: Place) -> list[Source | Skip]:
    """Return the files of a folder, named by their paths below it, and a `Skip` for unreadable folders and links.

    The name of a Maildir message excludes its status folder and flags, so it stays the same when the message is read
    or marked. Raises CorpusError as `list_files`.
    """
    files, budget = list_files(root), Budget()
    return [file if isinstance(file, Skip) else _source(file, root, budget) for file in files]


def _in_maildir(file: Place, kind: str) -> bool:
    """Return whether a file without a known suffix is a message in a Maildir."""
    if isinstance(file, Address) or file.parent.name not in _MAILDIR or (kind and kind in KINDS | RECORD_KINDS):
        return False
    return all((file.parent.parent / name).is_dir() for name in _MAILDIR)


def _source(path: Place, root: Place, budget: Budget) -> Source | Skip:
    name, size, (kind, packing) = _name(path, root), _size(path), kind_of(path.name)
    if _in_maildir(path, kind):
        status = cast(Any, path).parent.name
        if status == "tmp":
            return Skip(name, "a message that is still being delivered")
        above, _, name = f"/{name}".rpartition(f"/{status}/")
        name, kind, packing = f"{above}/{_FLAGS.sub('', name)}"[1:], MESSAGE, ""
    budget.size += size
    return Source(name, kind, packing, size, partial(open_regular, path), budget=budget)


def _size(path: Place) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # opening it raises the error


def _name(path: Place, root: Place) -> str:
    """Return a path below the folder as text, even if the name is invalid UTF-8."""
    return os.fsencode(cast(Any, path).relative_to(root).as_posix()).decode("utf-8", "replace")


# --- Documents of one file of a folder or an archive

Item = Document | Skip

OF_LINES = {".txt", ".text", ".log"}
_MARKDOWN = {".md", ".markdown"}
_PLAIN = OF_LINES | _MARKDOWN | {"", ".rst"}  # mail and news archives name their files without a suffix
_PAGES = {".html", ".htm"}
MESSAGE = ".eml"
_WHOLE = _PLAIN | _PAGES | office.KINDS | {MESSAGE}
MAILBOX, ARCHIVE = ".mbox", ".zip"
KINDS = _WHOLE | {MAILBOX, ARCHIVE}
UNSUPPORTED = "unsupported file format"
SAVED_AS = {
    **dict.fromkeys((".xls", ".xlsb", ".numbers"), ".xlsx"),
    **dict.fromkeys((".doc", ".docm", ".odt", ".rtf", ".pages", ".wpd"), ".docx"),
    **dict.fromkeys((".ppt", ".pptx", ".odp", ".key"), ".pdf"),
    **dict.fromkeys((".dat", ".dta", ".sas7bdat", ".rds"), ".csv"),
    **dict.fromkeys((".duckdb", ".feather", ".arrow"), ".parquet"),
    **dict.fromkeys((".yaml", ".yml", ".js"), ".json"),
    ".xml": ".csv or .json; export references as .ris",
    **dict.fromkeys((".tar", ".7z", ".rar"), ".zip"),
    ".epub": ".html",
    ".msg": ".eml",
}
"Unsupported file formats, and the supported format to save them in."


def file_documents(source: Source, fields: Fields) -> Iterator[Item]:
    """Yield the documents of a file, several for a mailbox; the label is the first folder in its name."""
    where = source.name
    label = where.split("/")[0] if "/" in where else None
    try:
        for item in _in_file(source, where, fields):
            yield item if isinstance(item, Skip) or label is None else item._replace(label=label)
    except MissingExtraError:
        yield Skip(where, NEEDS_IO)
    except (UnreadableError, CorpusError) as error:
        yield Skip(where, str(error).removeprefix(f"{where}: "))


def _in_file(source: Source, where: str, fields: Fields) -> Iterator[Item]:
    kind = source.kind
    if kind == MAILBOX:
        yield from mailbox_documents(source, fields, where)
    elif kind in RECORD_KINDS:
        yield Skip(where, "a file of records in a folder of documents: read it separately")
    elif kind == ARCHIVE:
        yield Skip(where, "an archive in a folder of documents: unpack it, or read it separately")
    elif kind not in _WHOLE:
        how = f": save it as {SAVED_AS[kind]}" if kind in SAVED_AS else ""
        yield Skip(where, f"{UNSUPPORTED}: {kind}{source.packing}{how}")
    else:
        raw, guessed = _bytes_of(source), False
        if kind not in office.KINDS and is_noise(raw):
            raise UnreadableError("a binary file, not text")
        if kind == MESSAGE:
            yield message_document(raw, where, fields, where)
            return
        if kind in office.KINDS:
            title, text = office.office_text(raw, kind, source.budget)
        elif kind in _PAGES:
            text, guessed = decoded(raw, declared_encoding(raw), fields.encoding)
            title, text = html_to_text(text)
        else:
            text, guessed = decoded(raw, None, fields.encoding)
            title = markdown_title(text) if kind in _MARKDOWN else subject(text)
        yield Document(where, where, text, title or where.rpartition("/")[2], None, note="guessed" * guessed)


def _bytes_of(source: Source) -> bytes:
    """Return the bytes of a file; raise UnreadableError if it is longer than a document may be."""
    with source.open() as stream:
        raw = stream.read(LIMITS.document + 1)
    if len(raw) > LIMITS.document:
        raise UnreadableError(f"larger than {LIMITS.document // 1_000_000} MB, too large for one document")
    return raw


# --- Files of records joined to one collection, such as monthly exports

_FILE = "file"  # the column for the file of each record


def are_records(kinds: Iterable[str]) -> bool:
    """Return whether there are files, and all of them hold records."""
    suffixes = set(kinds)
    return bool(suffixes) and suffixes <= RECORD_KINDS


def joined(name: str, sources: Sequence[Source], fields: Fields) -> Iterator[Item]:
    """Yield the records of several files; skip files without a requested field.

    Raises CorpusError if all files lack one.
    """
    lacking = dict[str, MissingFieldError]()
    for source in sources:
        try:
            for item in read_records(source, fields, f"{source.name}#"):
                columns = {**item.columns, f"{_FILE} (2)" if _FILE in item.columns else _FILE: source.name}
                if isinstance(item, Document):
                    yield item._replace(columns=columns)
                else:
                    yield replace(item, columns=columns)
        except MissingFieldError as error:
            lacking[source.name] = error
            yield Skip(source.name, "a file of records without a requested field: read it separately", None)
    if len(lacking) == len(sources):
        raise next(iter(lacking.values()))
    if len(read := [source.name for source in sources if source.name not in lacking]) > 1:
        warn(f"{name}: {len(read):,} files of records were read as one collection: {quoted(read)}")


# --- Documents of one file of records
#
# A malformed record is an error, not a skip: the usual cause is a truncated download or a wrong export, and a part of a
# collection must not pass for the whole. A valid record without a usable text is a skip.

LINES = ".lines"
"""Not a suffix: the kind of a single text file, or of piped text of no other kind, with one document per line."""

CHAT = ".chat"
"""Not a suffix: the kind of a text file with a chat."""


def _text_lines(source: Source, fields: Fields) -> Iterator[Row]:
    for number, line in lines(source, fields.encoding):
        if line is None:
            yield number, Skip(f"line {number}", LIMITS.too_long)
        elif line.strip():
            yield number, {fields.text: line}


_READERS: dict[str, tuple[Callable[[Source, Fields], Iterator[Row]], str]] = {
    ".jsonl": (line_rows, "line"),
    ".ndjson": (line_rows, "line"),
    ".json": (file_rows, "record"),
    ".csv": (table_rows, "row"),
    ".tsv": (table_rows, "row"),
    ".parquet": (parquet_rows, "row"),
    **dict.fromkeys(SPREADSHEETS, (sheet_rows, "row")),
    ".sav": (spss_rows, "row"),
    ".zsav": (spss_rows, "row"),
    **dict.fromkeys((".ris", ".nbib", ".ciw", ".isi", ".enw", ".bib"), (reference_rows, "reference")),
    LINES: (_text_lines, "line"),
    CHAT: (chat_rows, "line"),
}
RECORD_KINDS = frozenset(_READERS)
TEXTUAL = RECORD_KINDS - {".parquet", ".sav", ".zsav", *SPREADSHEETS}


def read_records(source: Source, fields: Fields, within: str = "") -> Iterator[Document | Skip]:
    """Yield the documents and skips of a source of records; `within` prefixes their numbers.

    Raises
    ------
    CorpusError
        The source cannot be read or unpacked, a record is malformed, or a requested field is missing.
    MissingExtraError
        The library for this kind is not installed.
    """
    reader, unit = _READERS[source.kind]
    if source.kind in TEXTUAL:
        check_is_text(source)
    with source.named():
        for number, row in reader(source, fields):
            source.budget.take(rows=1)
            yield row if isinstance(row, Skip) else document(row, f"{within}{number}", unit, fields)
