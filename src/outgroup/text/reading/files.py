"""One file among others, of a folder or an archive: the documents in it, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...errors import CorpusError, MissingExtraError
from ...places import Place
from . import office, records
from .decode import decoded, is_binary, is_noise
from .documents import LONGEST_DOCUMENT, NEEDS_IO, Document, Skip, UnreadableError
from .fields import Fields
from .mail import mailbox_documents, message_document
from .markup import declared_encoding, html_to_text, markdown_title
from .source import Source, file_source
from .strip import subject

Item = Document | Skip

_OF_LINES = {".txt", ".text", ".log"}
_MARKDOWN = {".md", ".markdown"}
_PLAIN = _OF_LINES | _MARKDOWN | {"", ".rst"}  # mail and news archives name their files without a suffix
_PAGES = {".html", ".htm"}
MESSAGE = ".eml"
_WHOLE = _PLAIN | _PAGES | office.KINDS | {MESSAGE}
MAILBOX, ARCHIVE = ".mbox", ".zip"
KINDS = _WHOLE | {MAILBOX, ARCHIVE}
_BINARY = "binary file, no text"
UNSUPPORTED = "unsupported kind of file"
SAVED_AS = {
    **dict.fromkeys((".xls", ".xlsb", ".numbers"), ".xlsx"),
    **dict.fromkeys((".doc", ".docm", ".odt", ".rtf", ".pages", ".wpd"), ".docx"),
    **dict.fromkeys((".ppt", ".pptx", ".odp", ".key"), ".pdf"),
    ".msg": ".eml",
}
"""Kinds of file that are not read, and as which of those that are their own program saves them."""


def by_itself(path: Place) -> Source:
    """Return a file that is given by itself as a source: a text file or a log then has a document on each line.

    Raises OSError where it cannot be looked at.
    """
    source = file_source(path)
    return replace(source, kind=records.LINES) if source.kind in _OF_LINES else source


def file_documents(source: Source, where: str, fields: Fields) -> Iterator[Item]:
    """Yield the documents of one file, of which a mailbox has many; their labels are the first folder of `where`."""
    label = where.split("/")[0] if "/" in where else None
    try:
        for item in _documents(source, where, fields):
            yield item if isinstance(item, Skip) else _labelled(item, label)
    except MissingExtraError:
        yield Skip(where, NEEDS_IO)
    except UnreadableError as error:
        yield Skip(where, str(error))
    except CorpusError as error:
        yield Skip(where, str(error).removeprefix(f"{source.name}: "))


def _documents(source: Source, where: str, fields: Fields) -> Iterator[Item]:
    if source.kind == MAILBOX:
        yield from mailbox_documents(source, fields, where)
    elif source.kind in records.KINDS:
        yield Skip(where, "a file of records among documents: read it by itself")
    elif source.kind == ARCHIVE:
        yield Skip(where, "an archive among documents: unpack it, or read it by itself")
    elif source.kind not in _WHOLE:
        how = f": save it as {SAVED_AS[source.kind]}" if source.kind in SAVED_AS else ""
        yield Skip(where, f"{UNSUPPORTED}: {source.kind}{source.packing}{how}")
    else:
        yield _document(_whole(source), source.kind, where, fields)


def _labelled(document: Document, label: str | None) -> Document:
    return document if label is None else document._replace(label=label)


def _document(raw: bytes, kind: str, where: str, fields: Fields) -> Document:
    if kind == MESSAGE:
        if is_noise(raw):
            raise UnreadableError(_BINARY)
        return message_document(raw, where, fields, where)
    title, text, guessed = _title_and_text(raw, kind, fields.encoding)
    return Document(where, where, text, title or where.rpartition("/")[2], None, guessed=guessed)


def _title_and_text(raw: bytes, kind: str, encoding: str) -> tuple[str, str, bool]:
    """Return a file's title and text, and whether its encoding is a guess; `encoding` is the given one."""
    if kind in office.KINDS:
        return *office.office_text(raw, kind), False
    if is_binary(raw):
        raise UnreadableError(_BINARY)
    text, guessed = decoded(raw, None if kind in _PLAIN else declared_encoding(raw), encoding)
    if kind in _PLAIN:
        return markdown_title(text) if kind in _MARKDOWN else subject(text), text, guessed
    return *html_to_text(text), guessed


def _whole(source: Source) -> bytes:
    """Return a file's bytes; raises UnreadableError for more than one document may have."""
    too_large = f"larger than {LONGEST_DOCUMENT // 1_000_000} MB, too large for one document"
    if source.size > LONGEST_DOCUMENT:
        raise UnreadableError(too_large)
    with source.open() as stream:
        raw = stream.read(LONGEST_DOCUMENT + 1)
    if len(raw) > LONGEST_DOCUMENT:
        raise UnreadableError(too_large)
    return raw
