"""What kind of thing is piped in: known by its first bytes, since it has no name."""

from __future__ import annotations

import io
import re

from .decode import decode
from .fields import Fields
from .files import ARCHIVE, MAILBOX
from .header import SEPARATORS, cells_of
from .records import LINES
from .source import PACKED, STDIN, Source

_LOOKED_AT = 1 << 16
_JSON = re.compile(r'\{|\[\s*(?:[\[{"\]]|null\b|$)')  # "[worker-3] disk full" is a line of a log


class Head:
    """Names the kind of an input by its first bytes; `fields` says which columns a table would have."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def kind(self, head: bytes) -> tuple[str, str]:
        """Return the suffix that the input might have, and the one that stands for its compression."""
        packing = next((suffix for mark, suffix in PACKED if head.startswith(mark)), "")
        if packing:
            with Source(STDIN, "", packing, len(head), lambda: io.BytesIO(head)).open() as stream:
                head = stream.peek(_LOOKED_AT)
        return self._unpacked(head), packing

    def _unpacked(self, head: bytes) -> str:
        if head.startswith(b"PK\x03\x04"):
            return _zipped(head)
        if head.startswith(b"PAR1"):
            return ".parquet"
        if head.startswith(b"From "):
            return MAILBOX
        text = decode(head[:_LOOKED_AT], given=self._fields.encoding).lstrip()
        if _JSON.match(text):
            return ".json"
        return ".csv" if self._is_header(text.split("\n", 1)[0]) else LINES

    def _is_header(self, line: str) -> bool:
        """Say whether a line names the text's field; a field that the user named is there, or must be missed."""
        headers = [cells_of(line, sign) for sign in SEPARATORS]
        named = self._fields.text != Fields().text
        return named or any(set(self._fields.texts(header)) <= set(header) for header in headers)


def _zipped(head: bytes) -> str:
    if b"opendocument.spreadsheet" in head[:200]:
        return ".ods"
    return ".xlsx" if b"xl/" in head or b"[Content_Types].xml" in head[:100] else ARCHIVE
