"""Make document text safe to show on pages and terminals."""

from __future__ import annotations

import re

# Control characters, other line ends, lone surrogates, marks that reorder text.
_UNSHOWABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff]"
)


def clean(text: str) -> str:
    r"""Replace characters that garble pages, files or terminals.

    >>> clean("a\x1b[31mb")
    'a�[31mb'
    """
    return _UNSHOWABLE.sub("�", text)


_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def harmless(cell: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would evaluate, or that looks as if it already had one.

    >>> harmless("=cmd()"), harmless("a=b")
    ("'=cmd()", 'a=b')
    """
    return "'" + cell if cell.lstrip("'").startswith(_FORMULA) else cell


def unshielded(cell: str) -> str:
    """Return the text of a cell without the apostrophe that `harmless` added.

    >>> unshielded("'=cmd()"), unshielded("'tis")
    ('=cmd()', "'tis")
    """
    return cell[1:] if cell.startswith("'") and harmless(cell) != cell else cell
