"""Text of PDF and Word files."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from importlib.util import find_spec

from .decode import plain
from .documents import LONGEST_DOCUMENT, NEEDS_IO, UnreadableError
from .word import word_text

_NAMES = {".pdf": "PDF", ".docx": "Word"}
KINDS = frozenset(_NAMES)


def office_text(raw: bytes, kind: str) -> tuple[str, str]:
    """Return the title, empty where the file has none, and the text of a file of one of `KINDS`.

    Raises UnreadableError, also where the library that PDF needs is missing: then it names the extra.
    """
    if kind == ".pdf" and find_spec("pypdf") is None:
        raise UnreadableError(NEEDS_IO)
    try:
        title, text = _READERS[kind](raw)
        return plain(title).strip(), plain(text)
    except UnreadableError:
        raise
    except Exception as error:  # hostile files break readers in every way, and one must not end the whole reading
        why = f"it is damaged, or another kind of file ({type(error).__name__})"
        raise UnreadableError(f"not a readable {_NAMES[kind]} file: {why}") from error


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
        if length > LONGEST_DOCUMENT:
            raise UnreadableError(f"larger than {LONGEST_DOCUMENT // 1_000_000} MB when unpacked")
    return getattr(reader.metadata, "title", None) or "", "\n".join(pages)


_READERS: dict[str, Callable[[bytes], tuple[str, str]]] = {".pdf": _pdf, ".docx": word_text}
