"""How documents' text is made safe to show, the same on page and terminal. It loads nothing: errors are shown by it."""

from __future__ import annotations

import re

# Control characters, other ends of lines, lone surrogates, and the marks that reorder text around them.
_UNSHOWABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff]"
)


def clean(text: str) -> str:
    r"""`text` without what would garble a page, a file or a terminal.

    >>> clean("a\x1b[31mb")
    'a�[31mb'
    """
    return _UNSHOWABLE.sub("�", text)


_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def harmless(cell: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would evaluate.

    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return "'" + cell if cell.startswith(_FORMULA) else cell
