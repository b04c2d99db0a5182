"""Take the parts of mail-like texts away that would become groups of their own: headers, quotes, signatures.

Pure functions on texts whose lines end with a single line feed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

# An envelope line, then fields such as "Subject: Re: tents" with their folded lines, up to a blank line or the end.
_FIELD = r"[A-Za-z][\w-]*:(?:[ \t][^\n]*)?(?:\n|\Z)(?:[ \t]+\S[^\n]*(?:\n|\Z))*"
_SUBJECT = re.compile(r"^Subject:[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)", re.MULTILINE)
_HEADERS = re.compile(rf"\A\n*(?:From [^\n]*\n)?(?:{_FIELD})+(?:\n|\Z)")
# "In article <...>" may stand on the line before "... writes:".
_ATTRIBUTION = re.compile(
    r"^(?:In (?:article|message)\b[^\n]*\n)?[^\n]*\b(?:writes|wrote)[ \t]*:[ \t]*(?:\n|\Z)", re.MULTILINE
)
_QUOTED = re.compile(r"^[ \t]*[>|][^\n]*(?:\n|\Z)", re.MULTILINE)
# "-- " is the convention; a ruler of another kind counts after a blank line only, or it underlines a heading.
_SIGNATURE = re.compile(r"^(?:--|(?<=\n\n)[-_=*]{3,})[ \t]*(?:\n|\Z)", re.MULTILINE)
_SIGNATURE_LINES = 12


def strip_headers(text: str) -> str:
    r"""Return the text without the header lines (`Name: value`) before its first blank line.

    Examples
    --------
    >>> strip_headers("From: kim@example.org\nSubject: Tents\n\nWhich one is light?")
    'Which one is light?'
    >>> strip_headers("Which one is light?\n\nAsk: anyone")
    'Which one is light?\n\nAsk: anyone'
    """
    return _HEADERS.sub("", text)


def subject(text: str) -> str:
    r"""Return what the header lines before the first blank line say of the text; "" where there are none.

    Examples
    --------
    >>> subject("From: kim@example.org\nSubject: Tents,\n by the lake\n\nWhich one is light?")
    'Tents, by the lake'
    >>> subject("Which one is light?\n\nSubject: anything")
    ''
    """
    headers = _HEADERS.match(text)
    found = headers and _SUBJECT.search(headers.group())
    return " ".join(found[1].split()) if found else ""


def strip_quotes(text: str) -> str:
    r"""Return the text without quoted lines (`>`, `|`) and without the lines that announce them.

    Examples
    --------
    >>> strip_quotes("Kim wrote:\n> Which one is light?\nThe green one.")
    'The green one.'
    """
    return _QUOTED.sub("", _ATTRIBUTION.sub("", text))


def strip_signature(text: str) -> str:
    r"""Return the text without the signature: from a line `-- `, or a ruler after a blank line, in its last lines on.

    Examples
    --------
    >>> strip_signature("The green one.\n-- \nKim, by the lake")
    'The green one.\n'
    """
    before = text.rsplit("\n", _SIGNATURE_LINES)  # an early ruler separates sections: look at the last lines alone
    found = _SIGNATURE.search(text, len(before[0]) if len(before) > _SIGNATURE_LINES else 0)
    return text[: found.start()] if found else text


STRIPPERS: dict[str, Callable[[str], str]] = {
    "headers": strip_headers,
    "quotes": strip_quotes,
    "signatures": strip_signature,
}


def strip_parts(text: str, parts: Iterable[str]) -> str:
    """Return the text without the named parts, in the order headers, quotes, signatures."""
    for name, stripper in STRIPPERS.items():
        if name in parts:
            text = stripper(text)
    return text
