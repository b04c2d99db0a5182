"""Extract text from PDF and Word files, and open office files, which are zip archives."""

from __future__ import annotations

import io
import logging
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any, BinaryIO
from xml.parsers import expat

from .documents import LIMITS, NEEDS_IO, Budget, Deadline, UnreadableError
from .encoding import plain

# --- Text of a Word file

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main "
_TITLE = "http://purl.org/dc/elements/1.1/ title"
_BODY = re.compile(r"word/document\d*\.xml")
_SIGNS = {"tab": "\t", "p": "\n", "br": "\n", "cr": "\n"}


def _word(raw: bytes, budget: Budget) -> tuple[str, str]:
    """Return the title and the text of a Word file: runs, tracked insertions, controls and tables."""
    with office_parts(io.BytesIO(raw), LIMITS.office_part, budget) as parts:
        body = next(name for name in parts.namelist() if _BODY.fullmatch(name))
        pieces, length, inside = list[str](), 0, False
        for event, value, _ in events(parts, body, "start", "end", "data", deadline=Deadline()):
            if event == "data" and inside:
                pieces.append(value)
                length += len(value)
                if length > LIMITS.document:
                    raise UnreadableError(f"larger than {LIMITS.document // 1_000_000} MB when unpacked")
            elif event != "data":
                name = value.removeprefix(_W).removeprefix(_STRICT) if event == "start" else ""
                inside = name == "t"
                if name in _SIGNS and pieces[-2:] != ["\n", "\n"]:  # bounds the memory of millions of empty paragraphs
                    pieces.append(_SIGNS[name])
        return _title(parts), "".join(pieces).strip("\n")


def _title(parts: zipfile.ZipFile) -> str:
    title, inside, core = "", False, "docProps/core.xml"
    for event, value, _ in events(parts, core, "start", "end", "data") if core in parts.namelist() else ():
        title += value if event == "data" and inside else ""
        inside = value == _TITLE if event == "start" else inside and event == "data"
    return title


# --- Parts of zipped office files, parsed as XML streams

_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of old office files and of encrypted ones
_PIECE = 1 << 18
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"


def open_zip(stream: BinaryIO) -> zipfile.ZipFile:
    """Open a zip archive; raise UnreadableError for an old or encrypted office file, or a huge directory."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - (1 << 16) - 256))
    tail = stream.read()
    stream.seek(0)
    if stream.read(len(_OLD)) == _OLD:
        raise UnreadableError(
            "protected by a password, or in an Office format from before 2007; remove the password, or save it as "
            ".docx or .xlsx"
        )
    at, at_64 = tail.rfind(_END), tail.rfind(_END_64)
    listed = [struct.unpack_from("<I", tail, at + 12)[0]] if 0 <= at <= len(tail) - 22 else [0]
    listed += [struct.unpack_from("<Q", tail, at_64 + 40)[0]] if 0 <= at_64 <= len(tail) - 56 else []
    if min(max(listed), size) > LIMITS.office_directory:
        raise UnreadableError("an archive with too many files")
    stream.seek(0)
    try:
        return zipfile.ZipFile(stream)
    except zipfile.BadZipFile as error:
        fault = "not packed as such a file is: it is damaged, or has another format; save it again"
        raise UnreadableError(fault) from error


@contextmanager
def office_parts(stream: BinaryIO, largest: int, budget: Budget) -> Iterator[zipfile.ZipFile]:
    """Open an office file; raise UnreadableError if it unpacks to over `largest` bytes or 150 times its size."""
    packed = stream.seek(0, 2)
    with open_zip(stream) as parts:
        _check_size(sum(part.file_size for part in parts.infolist()), packed, largest)
        budget.take(sum(part.file_size for part in parts.infolist()))
        yield parts


def _check_size(size: int, packed: int, largest: int) -> None:
    if size > largest:
        raise UnreadableError(f"larger than {largest // 1_000_000} MB when unpacked")
    if size > max(LIMITS.office_unpacked, LIMITS.office_times * packed):
        raise UnreadableError(f"unpacks to more than {LIMITS.office_times} times its size, unlike a document")


def events(
    parts: zipfile.ZipFile, part: str | zipfile.ZipInfo, *kinds: str, deadline: Deadline | None = None
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Parse the XML of a part in linear time, and yield its events of the `kinds` "start", "end" and "data".

    An event has the name of its element, as "namespace name", and the attributes, or the text of "data". Raises
    UnreadableError for a document type, which allows entity expansion attacks, or for a long tag or comment.
    """

    def refuse(*_: Any) -> None:
        raise UnreadableError("contains a document type declaration, which office programs never write")

    found, fed = list[tuple[str, str, dict[str, str]]](), 0
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text, parser.StartDoctypeDeclHandler = True, refuse
    if "start" in kinds:
        parser.StartElementHandler = lambda name, attributes: found.append(("start", name, attributes))
    if "end" in kinds:
        parser.EndElementHandler = lambda name: found.append(("end", name, {}))
    if "data" in kinds:
        parser.CharacterDataHandler = lambda text: found.append(("data", text, {}))
    with parts.open(part) as stream:
        while piece := stream.read(_PIECE):
            parser.Parse(piece)
            fed += len(piece)
            if fed - parser.CurrentByteIndex > LIMITS.office_token:
                raise UnreadableError("contains a tag or comment that is too long, unlike a document")
            if deadline:
                deadline.check()
            yield from found
            found.clear()
    parser.Parse(b"", True)
    yield from found


def checked_xml(parts: zipfile.ZipFile) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Check all parts like `events`, for a library that parses them, and yield each part and element with attributes.

    The library reports parts that are damaged or not XML.
    """
    for part in parts.infolist():
        with suppress(expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):
            for _, name, attributes in events(parts, part, "start"):
                yield part.filename, name, attributes


# --- Text by kind of file

KINDS = frozenset({".pdf", ".docx"})


def office_text(raw: bytes, kind: str, budget: Budget | None = None) -> tuple[str, str]:
    """Return the title ("" if it has none) and the text of a file in a format of `KINDS`; `budget` is that of the run.

    Raises UnreadableError for an unreadable file, or, with the name of the extra, if the library for PDF is missing.
    """
    if kind == ".pdf" and find_spec("pypdf") is None:
        raise UnreadableError(NEEDS_IO)
    try:
        title, text = (_pdf if kind == ".pdf" else _word)(raw, budget or Budget(len(raw)))
        return plain(title).strip(), plain(text)
    except UnreadableError:
        raise
    except Exception as error:  # hostile files make readers raise any exception; other files must still be read
        why = f"it is damaged, or has another format ({type(error).__name__})"
        raise UnreadableError(f"not a readable {'PDF' if kind == '.pdf' else 'Word'} file: {why}") from error


def _pdf(raw: bytes, budget: Budget) -> tuple[str, str]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns about every malformed file
    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableError("locked by a password")
    pages, size, length, deadline = [], 0, 0, Deadline()
    for page in reader.pages:
        contents = page.get_contents()  # pages may share one stream
        expanded = 0 if contents is None else len(contents.get_data())
        size += expanded
        _check_size(size, len(raw), LIMITS.office_part)
        budget.take(expanded, rows=1)
        pages.append(page.extract_text(visitor_operand_before=lambda *_: deadline.check()))
        deadline.check()
        length += len(pages[-1])
        if length > LIMITS.document:
            raise UnreadableError(LIMITS.too_long)
    return getattr(reader.metadata, "title", None) or "", "\n".join(pages)
