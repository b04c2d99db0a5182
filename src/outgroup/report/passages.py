"""What a text shows of itself: the passage that holds its weightiest words, these words marked, and its first words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from math import fsum

from .facts import Weighted

_SEARCHED = 5_000  # characters of a text that are searched for a passage to show
_PASSAGE = 240  # characters of a passage
_TOKEN = re.compile(r"\w+")
_FIRST = 80  # characters of the first words of a text
_LINE = re.compile(r"\S.*")
_OPENING = 3  # lines at the beginning of a text among which those are that many share
_FEWEST, _MANY = 3, 0.05  # texts, and a share of all, that begin with a line which says nothing of them
_COUNTED = 10_000  # texts among which lines are counted, at most
_STAMP = re.compile(r"\d:\d\d|\d{4}[-/.]\d\d|\d[/.]\d+[/.]\d|\d{10}")  # of a time, a date, an address
_OF_MACHINES = re.compile(r"\d|^\W*$|^\[.*\]\W*$|\w[./\\=_]\w")  # numbers, signs, levels, names with dots
_STOPS = ",.:;!?"
_BEFORE = 3  # letters of a month or a day before a stamp
_APART = 2  # words from one stamp to the next
# What a mail is about, among the header lines that it begins with, which may be folded.
_HEADER = r"[A-Z][\w-]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*"
_SUBJECT = re.compile(rf"\A\s*(?:{_HEADER})*?Subject:[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)")


def passage(text: str, words: Sequence[Weighted]) -> str:
    """The stretch of `text` that holds the weightiest of `words`, or its beginning; spaces are collapsed."""
    text = " ".join(text[:_SEARCHED].split())
    start = _passage_start(text, dict(reversed(words)))
    end = start + _PASSAGE
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + _PASSAGE // 2)
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def shared_lines(texts: Sequence[str]) -> frozenset[str]:
    """The lines with which many texts begin, such as a salutation: they say nothing of one of them.

    >>> letters = [f"Dear Sir or Madam,\\n\\nmy order {number} is late." for number in range(4)]
    >>> shared_lines(letters), shared_lines(letters[:2])
    (frozenset({'Dear Sir or Madam,'}), frozenset())
    """
    drawn = texts[:: len(texts) // _COUNTED + 1]
    often = Counter(line for text in drawn for line in {line for line, _ in islice(_lines(text), _OPENING)})
    return frozenset(line for line, count in often.items() if count >= _FEWEST and count > _MANY * len(drawn))


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield the first lines that are not empty, each with where it begins; spaces are collapsed."""
    for found in _LINE.finditer(text[:_SEARCHED]):
        yield " ".join(found[0].split()), found.start()


def called(title: str | None, text: str, shared: Collection[str] = ()) -> str:
    """What a document is called: its title, its subject where it is a mail, or its first words behind a stamp of time
    and place, and behind lines that are `shared` with many others; "" for none of these.

    >>> called("", " the quick brown  fox "), called("Fox", "the quick")
    ('the quick brown fox', 'Fox')
    >>> called("", "2024-05-31T09:15:22Z db-03.internal [WARN] a slow query")
    'a slow query'
    >>> called("", "From: kim@example.org\\nSubject: Re: tents\\n\\nWhich one is light?")
    'Re: tents'
    >>> called("", "Dear Sir or Madam,\\n\\nmy order is late.", {"Dear Sir or Madam,"})
    'my order is late.'
    """
    said = " ".join((title or "").split()) or " ".join(_subject(text) or _first_words(text, shared))
    if title or len(said) <= _FIRST:
        return said
    return said[: max(said.rfind(" ", 0, _FIRST), _FIRST // 2)] + " …"


def _subject(text: str) -> list[str]:
    found = _SUBJECT.match(text[:_SEARCHED])
    return found[1].split() if found else []


def _first_words(text: str, shared: Collection[str]) -> list[str]:
    start = next((at for line, at in _lines(text) if line not in shared), 0) if shared else 0
    return _behind_stamps(text[start : start + 8 * _FIRST].split())


def _behind_stamps(words: list[str]) -> list[str]:
    """Return what a text tells: the words behind stamps at its beginning, and behind names of machines there.

    >>> [_behind_stamps(text.split()) for text in ("Jan 12 03:12:44 sshd[1]: Failed password", "Since 10:15 it fails")]
    [['Failed', 'password'], ['Since', '10:15', 'it', 'fails']]
    """
    start = 0
    while (stamp := _stamp(words, start)) is not None:
        start = stamp + 1
    while 0 < start < len(words) and _OF_MACHINES.search(words[start]):
        start += 1
    return words[start:] or words


def _stamp(words: list[str], start: int) -> int | None:
    """Return where the next stamp is, a word or two behind `start` and short words alone before it; None: nowhere."""
    for at, word in enumerate(words[start : start + _APART + 1], start):
        if _STAMP.search(word):
            return at
        if len(word) > _BEFORE and word.strip(_STOPS).isalpha():
            break
    return None


def _passage_start(text: str, weights: dict[str, float]) -> int:
    hits = list(_hits(text, weights))
    best = (0.0, 0)
    for i, (start, _) in enumerate(hits):
        seen = {word for at, word in hits[i : i + 60] if at < start + _PASSAGE - 30}
        best = max(best, (fsum(weights[word] for word in seen), -start))  # in any order the same
    at = -best[1]
    return 0 if at < _PASSAGE // 2 else text.rfind(" ", 0, at - 20) + 1


def _hits(text: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Where a form of one of the words stands, and which; a phrase stands where its first word does."""
    roots = {root: (word, longest) for word in reversed(list(words)) for root, longest in [_root(word)]}
    lengths = sorted({len(root) for root in roots}, reverse=True)
    for found in _TOKEN.finditer(text):
        token = found.group().lower()
        word, longest = next((roots[token[:n]] for n in lengths if token[:n] in roots), ("", 0))
        if len(token) <= longest:
            yield found.start(), word


def _root(word: str) -> tuple[str, int]:
    """What the forms of a word begin with, and how long they are at most.

    A stem is shown as one word form, but the text may hold others: a few last letters differ.
    """
    first = (word.split() or [""])[0]
    root = first if len(first) < 5 else first[: max(4, len(first) - 2)]
    return root, len(root) + (1 if len(first) < 5 else 4)


def marked(text: str, words: Sequence[Weighted]) -> list[tuple[str, bool]]:
    """Cut `text` into pieces, each with whether it is one of `words` in some form.

    >>> marked("Two orbits.", [("orbit", 1.0)])
    [('Two ', False), ('orbits', True), ('.', False)]
    """
    pieces, end = [], 0
    for match in _pattern([word for word, _ in words]).finditer(text) if words else ():
        pieces += [(text[end : match.start()], False), (match.group(), True)]
        end = match.end()
    return [piece for piece in [*pieces, (text[end:], False)] if piece[0]]


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    forms = "|".join(f"(?P<w{i}>{_forms(word)})" for i, word in enumerate(words))
    return re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)


def _forms(word: str) -> str:
    # As `_root` has it.
    if len(word) < 5:
        return re.escape(word) + "s?"
    return re.escape(word[: max(4, len(word) - 2)]) + r"\w{0,4}"
