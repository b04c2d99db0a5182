"""Text of PDF and Word files, through the libraries of the extra `io`."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from .documents import LONGEST_DOCUMENT

_NAMES = {".pdf": "PDF", ".docx": "Word"}
_LIBRARIES = {".pdf": "pypdf", ".docx": "docx"}
KINDS = frozenset(_NAMES)


class UnreadableError(Exception):
    """A file is not what its name says, or cannot be opened; the message says why, in plain words."""


def office_text(raw: bytes, kind: str) -> tuple[str, str]:
    """Return the title, empty where the file has none, and the text of a file of one of `KINDS`.

    Raises UnreadableError, also where the library is missing: then it names the extra.
    """
    if find_spec(_LIBRARIES[kind]) is None:
        raise UnreadableError(f'{_NAMES[kind]} files need the extra io: pip install "outgroup[io]"')
    try:
        return _READERS[kind](raw)
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
    return _title(reader.metadata), "\n".join(page.extract_text() for page in reader.pages)


def _docx(raw: bytes) -> tuple[str, str]:
    import docx
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        if sum(part.file_size for part in parts.infolist()) > LONGEST_DOCUMENT:
            raise UnreadableError(f"larger than {LONGEST_DOCUMENT // 1_000_000} MB when unpacked")
    document: Any = docx.Document(io.BytesIO(raw))
    paragraphs = document.element.body.iter(qn("w:p"))  # those in tables, too
    return _title(document.core_properties), "\n".join(Paragraph(each, document).text for each in paragraphs)


def _title(properties: Any) -> str:
    return str(getattr(properties, "title", None) or "").strip()


_READERS: dict[str, Callable[[bytes], tuple[str, str]]] = {".pdf": _pdf, ".docx": _docx}
