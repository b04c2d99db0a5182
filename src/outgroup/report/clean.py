"""Make text of documents safe to show, on page and terminal alike. Imports nothing, since errors use it."""

from __future__ import annotations

import re

# Control characters, other line ends, lone surrogates, marks that reorder text.
_UNSHOWABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff]"
)


def clean(text: str) -> str:
    r"""Replace characters that garble a page, a file or a terminal.

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
