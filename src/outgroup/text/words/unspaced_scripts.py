"""Scripts that put no blanks between words: how to know their letters, and how to take a run of them apart."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

# Letters of Han (with its iteration mark and zero), kana, Bopomofo, Thai, Lao, Burmese and Khmer.
_RANGES = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

MARKS = "".join(chr(code) for code in range(0x300, 0x1B00) if unicodedata.category(chr(code))[0] == "M")
"""Vowel signs, tones and accents that stand behind their letter and belong to it."""

# A letter with its marks; a subscript (Khmer, Burmese) brings the next letter into the same sign.
_SIGN = re.compile(rf"[^\W_](?:[{MARKS}]|(?<=[\u17d2\u1039])[^\W_])*")

UNSPACED = re.compile(rf"[{_RANGES}]")
"""Finds a letter of such a script."""

_RUNS = re.compile(rf"[{_RANGES}{MARKS}]*[{_RANGES}][{_RANGES}{MARKS}]*|[^{_RANGES}]+")


def runs(word: str) -> list[tuple[str, bool]]:
    """Cut a run of letters where a script without blanks begins or ends; say of each piece if it is of such a script.

    Examples
    --------
    >>> runs("iphone手机"), runs("tea")
    ([('iphone', False), ('手机', True)], [('tea', False)])
    """
    return [(piece, bool(UNSPACED.search(piece))) for piece in _RUNS.findall(word)]


def signs(run: str) -> list[str]:
    """Return the letters of a run, each with its marks.

    Examples
    --------
    >>> signs("手机"), signs("น้ำ"), signs("ខ្មែរ")
    (['手', '机'], ['น้', 'ำ'], ['ខ្មែ', 'រ'])
    """
    return _SIGN.findall(run)


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of signs of a run, or its only sign: what retrieval counts in place of words.

    Examples
    --------
    >>> pairs("経済学"), pairs("茶")
    (['経済', '済学'], ['茶'])
    """
    each = signs(run)
    return each if len(each) == 1 else [first + second for first, second in pairwise(each)]
