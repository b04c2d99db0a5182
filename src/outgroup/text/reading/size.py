"""Texts that are too much for one document although their file is not too large."""

from __future__ import annotations

import unicodedata

from ..words.analyze import pieces, tokenise
from .documents import LONGEST_DOCUMENT

MOST_WORDS = 1_000_000
"""Different words of one document: the largest books have some fifty thousand."""

_GROWS = 18  # the most signs that the compatible form of one sign has: U+FDFA
_LOOKED_AT = 4_000_000  # signs; a shorter text has fewer words


def excess(text: str) -> str:
    """Return why a text is too much for one document, "" for nearly all.

    Only long texts are looked at, piece by piece and no further than to the limit.

    Examples
    --------
    >>> excess("tea " * 100_000)
    ''
    """
    if len(text) * _GROWS > LONGEST_DOCUMENT and not text.isascii() and _grows(text):
        return f"longer than {LONGEST_DOCUMENT // 1_000_000} million characters once its signs are taken apart"
    if len(text) > _LOOKED_AT and _has_too_many_words(text):
        return f"more than {MOST_WORDS:,} different words, too many for one document"
    return ""


def _grows(text: str) -> bool:
    length = 0
    for piece in pieces(text):
        length += len(unicodedata.normalize("NFKC", piece))
        if length > LONGEST_DOCUMENT:
            return True
    return False


def _has_too_many_words(text: str) -> bool:
    words: set[str] = set()
    for piece in pieces(text):
        words.update(tokenise(piece))
        if len(words) > MOST_WORDS:
            return True
    return False
