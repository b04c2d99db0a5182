"""Text of a Word file."""

from __future__ import annotations

import io
import re
import zipfile

from .documents import LONGEST_DOCUMENT, UnreadableError
from .xml_parts import office_parts, parse

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main "
_TITLE = "http://purl.org/dc/elements/1.1/ title"
_BODY = re.compile(r"word/document\d*\.xml")
_LARGEST = 4 * LONGEST_DOCUMENT  # bytes, unpacked: most of a Word file is no text
_SIGNS = {"tab": "\t", "p": "\n", "br": "\n", "cr": "\n"}


class _Words:
    """What the elements of a Word file say: runs, tracked insertions, controls and tables alike."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._inside, self._length = False, 0

    def start(self, name: str, _: dict[str, str]) -> None:
        name = name.removeprefix(_W).removeprefix(_STRICT)
        self._inside = name == "t"
        if name in _SIGNS and self.parts[-2:] != ["\n", "\n"]:  # empty paragraphs by the million take no memory
            self.parts.append(_SIGNS[name])

    def end(self, _: str) -> None:
        self._inside = False

    def data(self, text: str) -> None:
        if self._inside:
            self.parts.append(text)
            self._length += len(text)
            if self._length > LONGEST_DOCUMENT:
                raise UnreadableError(f"larger than {LONGEST_DOCUMENT // 1_000_000} MB when unpacked")


def word_text(raw: bytes) -> tuple[str, str]:
    """Return the title, empty where the file has none, and the text of a .docx file."""
    with office_parts(io.BytesIO(raw), _LARGEST) as parts:
        body = next(name for name in parts.namelist() if _BODY.fullmatch(name))
        words = _Words()
        with parts.open(body) as stream:
            parse(stream, words.start, words.end, words.data)
        return _title(parts), "".join(words.parts).strip("\n")


def _title(parts: zipfile.ZipFile) -> str:
    found, inside = list[str](), list[str]()
    if "docProps/core.xml" not in parts.namelist():
        return ""
    with parts.open("docProps/core.xml") as stream:
        parse(
            stream,
            lambda name, _: inside.append(name),
            lambda _: inside.clear(),
            lambda text: found.append(text) if inside[-1:] == [_TITLE] else None,
        )
    return "".join(found)
