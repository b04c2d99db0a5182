"""Text of PDF and Word files, through the libraries of the extra `io`."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from .decode import plain
from .documents import LONGEST_DOCUMENT

_NAMES = {".pdf": "PDF", ".docx": "Word"}
_LIBRARIES = {".pdf": "pypdf", ".docx": "docx"}
KINDS = frozenset(_NAMES)
_PROPERTIES = "docProps/core.xml"


class UnreadableError(Exception):
    """A file is not what its name says, or cannot be opened; the message says why, in plain words."""


def office_text(raw: bytes, kind: str) -> tuple[str, str]:
    """Return the title, empty where the file has none, and the text of a file of one of `KINDS`.

    Raises UnreadableError, also where the library is missing: then it names the extra.
    """
    if find_spec(_LIBRARIES[kind]) is None:
        raise UnreadableError(f'{_NAMES[kind]} files need the extra io: pip install "outgroup[io]"')
    try:
        title, text = _READERS[kind](raw)
        return plain(title).strip(), plain(text)
    except UnreadableError:
        raise
    except Exception as error:  # hostile files break readers in every way, and one must not end the whole reading
        raise UnreadableError(f"not a readable {_NAMES[kind]} file: {type(error).__name__}") from error


def _pdf(raw: bytes) -> tuple[str, str]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every oddity of every file
    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableError("locked by a password")
    pages, length = [], 0
    for page in reader.pages:
        pages.append(page.extract_text())
        length += len(pages[-1])
        _check(length)
    return getattr(reader.metadata, "title", None) or "", "\n".join(pages)


def _docx(raw: bytes) -> tuple[str, str]:
    import docx

    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        _check(sum(part.file_size for part in parts.infolist()))
        titled = _PROPERTIES in parts.namelist()  # without them the library makes a title up
    document = docx.Document(io.BytesIO(raw))
    text = "".join(_word_text(node) for node in document.element.body.iter())
    return document.core_properties.title if titled else "", text.strip("\n")


def _word_text(node: Any) -> str:
    """Return what one element of a Word file says: runs, tracked insertions, controls and tables alike."""
    from docx.oxml.ns import qn

    if node.tag == qn("w:t"):
        return node.text or ""
    if node.tag == qn("w:tab"):
        return "\t"
    return "\n" if node.tag in (qn("w:p"), qn("w:br")) else ""


def _check(length: int) -> None:
    if length > LONGEST_DOCUMENT:
        raise UnreadableError(f"larger than {LONGEST_DOCUMENT // 1_000_000} MB when unpacked")


_READERS: dict[str, Callable[[bytes], tuple[str, str]]] = {".pdf": _pdf, ".docx": _docx}
