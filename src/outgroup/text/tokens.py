"""The words of texts as numbers: the one table that rows, names and repeated lines read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np

from .._native.products import kernels
from ..stopping import stop_if_asked
from ..types import Array, OnProgress, no_op
from .texts import as_list

BLANK, APART, HYPHEN, APOSTROPHE, ADDRESS = range(5)
"""The gap before a word: one or two spaces, a tab or a line feed; other signs; a hyphen; an apostrophe.

ADDRESS is added for words of a web or mail address.
"""

_BLOCK = 1 << 22  # characters per call of the splitter
_MARKS_IN_A_ROW = 30  # no script needs more, and Unicode sorts them in quadratic time
_LINE = 10  # characters of a line that is not short

_CODES = np.array([code for code in range(0x300, 0x1B00) if unicodedata.category(chr(code))[0] == "M"])
_SPANS = np.split(_CODES, np.flatnonzero(np.diff(_CODES) > 1) + 1)

MARKS = "".join(f"{chr(codes[0])}-{chr(codes[-1])}" for codes in _SPANS)
"""Combining vowel signs, tones and accents, as ranges for a character class."""

_INSIDE = f"{MARKS}\u200c\u200d"  # joiners are parts of Persian and Indic words; `normal` takes out the others
_SIGNS = r"(?:(?:\+\+|#)(?![^\W\d_]))?"
_LETTERS = rf"[^\W\d_]+(?:[{_INSIDE}]+[^\W\d_]*)*{_SIGNS}"
_LETTERS_AND_DIGITS = rf"[^\W_]+(?:[{_INSIDE}]+[^\W_]*)*{_SIGNS}"
_BREAKS = "[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+"


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of n texts in order, m in all.

    A word is a run of letters of any script and their combining marks, with "++" or "#" behind it, as in C++ and C#;
    digits, underscores and all other characters separate words. Texts are in the form NFKC, with one character for an
    accented letter, two for a ligature, and plain digits for superscripts (see `normal`). Base64,
    data URIs and hex digests have no words.

    Parameters
    ----------
    texts : list of n str
    forms : list of str
        The distinct words as they are spelled.
    words : (m,) int32 array
        The forms of the words.
    gaps : (m,) uint8 array
        The kinds of the gaps before the words.
    ends : (n,) int64 array
        The ends of the texts among the words.
    lines : (l,) int64 array
        The keys of the lines: 0 for a blank line, 1 for a short one, else a hash of the line with single spaces.
    line_ends : (n,) int64 array
        The ends of the texts among the lines.

    Examples
    --------
    >>> tokens = Tokens.of(["Über 3 naïve users' e-mails, déjà_vu"])
    >>> [tokens.forms[word] for word in tokens.words]
    ['Über', 'naïve', 'users', 'e', 'mails', 'déjà', 'vu']
    """

    texts: list[str]
    forms: list[str]
    words: Array
    gaps: Array
    ends: Array
    lines: Array
    line_ends: Array

    @classmethod
    def of(cls, texts: Iterable[str], numbers: bool = False, progress: OnProgress | None = None) -> Self:
        """Split texts in one pass; with `numbers`, digits are letters.

        Calls `progress` with the number of texts done and the total. Raises InputError as `texts.as_list`.
        """
        splitter = _Expressions(numbers) if kernels() is None else kernels().Words(_classes(), numbers)
        texts = as_list(texts, "texts")
        blocks = [splitter.add(block) for block in _blocks(texts, progress or no_op)] or [splitter.add([])]
        words, gaps, ends, lines, line_ends = zip(*blocks, strict=True)
        parts = (np.concatenate(words), np.concatenate(gaps), _joined(ends), np.concatenate(lines), _joined(line_ends))
        return cls(texts, splitter.forms(), *parts)


def _joined(ends: tuple[Array, ...]) -> Array:
    """Concatenate the ends of blocks, counted from the start of the block."""
    starts = np.cumsum([0, *(block[-1] if len(block) else 0 for block in ends)])
    return np.concatenate([block + start for block, start in zip(ends, starts, strict=False)])


def _blocks(texts: list[str], progress: OnProgress) -> Iterator[list[bytes]]:
    """Yield blocks of texts in NFKC and UTF-8."""
    block, size = list[bytes](), 0
    for number, text in enumerate(texts, start=1):
        block.append(normal(text).encode("utf-8", "surrogatepass"))
        size += len(text)
        if size >= _BLOCK:
            yield block
            block, size = [], 0
        if number % 256 == 0:
            stop_if_asked()
            progress(number, len(texts))
    if block:
        yield block
    progress(len(texts), len(texts))


@cache
def _classes() -> Array:
    """Return the classes of the code points: sign, letter, mark, digit, white space, line break."""
    signs, classes = "".join(map(chr, range(0x32400))), np.zeros(0x110000, dtype=np.uint8)  # the last letter is below
    for number, runs in enumerate((r"[^\W\d_]+", rf"[{_INSIDE}]+", r"\d+", r"\s+", _BREAKS), start=1):
        for run in re.finditer(runs, signs):
            classes[run.start() : run.end()] = number
    return classes


class _Expressions:
    """The splitter without kernels: the same words, gaps and lines by regular expressions."""

    def __init__(self, numbers: bool) -> None:
        self._numbers: dict[str, int] = {}
        self._word = re.compile(_LETTERS_AND_DIGITS if numbers else _LETTERS)

    def add(self, texts: list[bytes]) -> tuple[Array, Array, Array, Array, Array]:
        words, gaps, ends, lines, line_ends = list[int](), list[int](), list[int](), list[int](), list[int]()
        for text in (raw.decode("utf-8", "surrogatepass") for raw in texts):
            bare = _without_data(text)
            addresses, end = [match.span() for match in _ADDRESS.finditer(bare)], -1
            for match in self._word.finditer(bare):
                words.append(self._numbers.setdefault(match[0], len(self._numbers)))
                gap = APART if end < 0 else _GAPS.get(bare[end : match.start()][:3], APART)
                while addresses and addresses[0][1] <= match.start():
                    addresses.pop(0)
                gaps.append(gap + ADDRESS * bool(addresses and addresses[0][0] <= match.start()))
                end = match.end()
            ends.append(len(words))
            spaced = map(single_spaced, text.splitlines())
            lines += [hash(line) | 2 if len(line) >= _LINE else int(bool(line)) for line in spaced]
            line_ends.append(len(lines))
        numbers, kinds = np.array(words, dtype=np.int32), np.array(gaps, dtype=np.uint8)
        return numbers, kinds, np.array(ends, np.int64), np.array(lines, np.int64), np.array(line_ends, np.int64)

    def forms(self) -> list[str]:
        return list(self._numbers)


_GAPS = {" ": BLANK, "\n": BLANK, "  ": BLANK, "\t": BLANK, "-": HYPHEN, "'": APOSTROPHE, "’": APOSTROPHE}
_ADDRESS = re.compile(r"(?<!\S)\S*(?:(?<=\S)@|://|(?<!\w)www\.|(?<!\w)\w+(?:\.\w+){2})\S*", re.IGNORECASE)

# --- Encoded data, without kernels; as in _native/encoded.hpp

_DATA = re.compile(
    r"(?P<uri>\bdata:[a-z]+/[!#-+\--;=?-~]{1,60},[!#-;=?-~]+)|(?P<run>[A-Za-z0-9+/_-]{16,})",
    re.ASCII,  # an address ends at a space, a quote or a tag
)
_HEX = re.compile(r"(?<![A-Za-z0-9])[0-9a-fA-F](?:-?[0-9a-fA-F]){15,}(?![A-Za-z0-9])")
_CHANGES = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_KINDS = [re.compile(kind) for kind in ("[0-9]", "[A-Z]", "[a-z]", "[A-Za-z0-9]{16}")]
_WRAPPED = re.compile(r"=*[ \t]*\r?\n[ \t]*([A-Za-z0-9+/_-]+)(=*)(?=[\r\n]|\Z)")


def _without_data(text: str) -> str:
    parts, end = list[str](), 0
    for start, stop in _data(text):
        parts.append(text[end:start])
        end = stop
    return "\0\0".join([*parts, text[end:]])


def _data(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of data URIs, of 16 hex digits with a letter and a digit, and of base64 with its next lines."""
    at = 0
    while found := _DATA.search(text, at):
        start, at = found.span()
        run = found["run"] or ""
        digests = [match for match in _HEX.finditer(run) if all(kind.search(match[0].upper()) for kind in _KINDS[:2])]
        for digest in digests:
            at = start + digest.end()
            yield start + digest.start(), at
        if digests:
            continue
        if found["uri"] or (_is_mixed(run) and all(kind.search(run) for kind in _KINDS)):
            yield (start, at) if found["uri"] else _trimmed(text, start, at)
            while (line := _WRAPPED.match(text, at)) and (len(line[1]) >= 16 or line[2] or _is_mixed(line[1])):
                if not line[1].strip("+/_-"):
                    break
                at = line.end(1)
                yield _trimmed(text, line.start(1), at)


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    run = text[start:stop]
    return stop - len(run.lstrip("+/_-")), start + len(run.rstrip("+/_-"))


def _is_mixed(run: str) -> bool:
    return 4 * len(_CHANGES.findall(run)) > sum(map(str.isalnum, run))


# --- Lines that stand in many texts: signatures, disclaimers, notes on cookies


_TEXTS, _SHARE = 10, 0.01  # texts with the line, at least; and their share of all texts (docs/decisions/0003)


def repeated_lines(tokens: Tokens) -> list[tuple[str, int]]:
    """Return lines that occur in at least 10 texts and 1 % of them, with the number of texts, most frequent first.

    Equal texts count once, texts of one line and lines of fewer than 10 characters do not. Runs of spaces are
    one space.

    >>> texts = [f"Order {number}\\nSent from my  phone" for number in range(12)] + ["Sent from my phone"]
    >>> repeated_lines(Tokens.of(texts))
    [('Sent from my phone', 12)]
    """
    rows = {text: row for row, text in enumerate(tokens.texts)}
    distinct = np.zeros(len(tokens.texts), dtype=bool)
    distinct[list(rows.values())] = True
    # 1. Each line of a text once; only long lines of texts with several lines count.
    text, key = np.repeat(np.arange(len(distinct)), np.diff(tokens.line_ends, prepend=0)), tokens.lines
    countable = distinct[text] & (key != 0)
    order = np.lexsort((key[countable], text[countable]))
    text, key = text[countable][order], key[countable][order]
    once = np.append(True, (text[1:] != text[:-1]) | (key[1:] != key[:-1]))[: len(text)]
    text, key = text[once], key[once]
    several = (np.bincount(text, minlength=len(distinct)) > 1)[text] & (key != 1)
    # 2. Frequent keys, and their lines in one of the texts.
    keys, first, counts = np.unique(key[several], return_index=True, return_counts=True)
    often = counts >= max(_TEXTS, _SHARE * np.count_nonzero(distinct))
    repeated = []
    for key, row, count in zip(keys[often], text[several][first[often]].tolist(), counts[often].tolist(), strict=True):
        start = tokens.line_ends[row - 1] if row else 0
        place = int(np.flatnonzero(tokens.lines[start : tokens.line_ends[row]] == key)[0])
        repeated.append((single_spaced(tokens.texts[row].splitlines()[place]), count))
    return sorted(repeated, key=lambda entry: (-entry[1], entry))


def single_spaced(line: str) -> str:
    """Return a line with single spaces."""
    return " ".join(line.split())


# --- Normalisation

# All combining marks, and, as ranges are searched faster, other letters of a few blocks.
_MANY_MARKS = re.compile(
    rf"[{MARKS}\u1b00-\u1dff\u20d0-\u20ff\u2cef-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ufe20-\ufe2f"
    rf"\uff9e\uff9f\U00010000-\U0001ffff]{{{_MARKS_IN_A_ROW + 1},}}+"
)


# A hyphen at the end of a line, and the rest of the word on the next line; not a second word, as in "pre- and".
_BROKEN = re.compile(  # a search for hyphens is fast
    r"[-\u00ac\u00ad\u2010\u2011](?<=[^\W\d_].)[ \t]*(\r?\n|[\r\x85\u2028\u2029])[ \t]*"
    r"(?!(?:und|oder|bzw|and|or)\b)([^\W\d_]+)"
)
# All that Unicode calls ignorable, but spaces and joiners: soft hyphens, marks of direction and of byte order, fillers,
# variation selectors, tags. And the Arabic line that only lengthens a word.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINER = re.compile("(?<![\u0600-\u0dff\u0f00-\u109f\u1780-\u18af])[\u200c\u200d]")


def normal(text: str) -> str:
    """Return a text in NFKC, without invisible characters; words that a line end divides are joined.

    The number of line ends stays. Joiners stay in the scripts that use them.

    Examples
    --------
    >>> normal("ﬁne co\u00adoperation"), normal("a hand-\\n  kerchief")
    ('fine cooperation', 'a handkerchief\\n')
    """
    text = _BROKEN.sub(_joined_word, text)
    if text.isascii():
        return text
    return nfkc(_JOINER.sub("", _UNSEEN.sub("", text)))


def _joined_word(match: re.Match[str]) -> str:
    """Return the rest of a word, and then the line end; a capital begins another word."""
    return f"{match[2]}{match[1]}" if match[2][0].islower() else match[0]


def nfkc(text: str) -> str:
    """Return the NFKC form of a text, with at most 30 combining marks in a row.

    Examples
    --------
    >>> nfkc("ﬁne"), len(nfkc("a" + "\\u0315\\u0316" * 1_000))
    ('fine', 31)
    """
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(_few_marks, text))


def _few_marks(match: re.Match[str]) -> str:
    signs, count = list[str](), 0
    for sign in match.group():
        count = count + 1 if unicodedata.combining(unicodedata.normalize("NFKC", sign)[0]) else 0
        if count <= _MARKS_IN_A_ROW:
            signs.append(sign)
    return "".join(signs)
