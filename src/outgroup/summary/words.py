"""Words that explain a result, and passages that contain them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..pipeline import Weighted, top_words
from ..types import Array

# --- Words that explain groups and documents


def distinctive(grouped: GroupedRows, coef: Array, names: Sequence[str], count: int) -> list[list[Weighted]]:
    """Return the distinctive words of each group.

    A word's weight is (mean tf-idf in the group - mean outside) * (the group's coefficient - the mean of the others'):
    its push of this group's documents, beyond that of others, towards this group. Scaled to 1 for the first.
    """
    sums, n, sizes = grouped.sums, len(grouped.groups), np.bincount(grouped.groups, minlength=len(coef))
    everything, all_coef = np.asarray(sums.sum(axis=0)).ravel(), coef.sum(axis=0)
    found = []
    for c in range(len(coef)):
        inside = sums[c].toarray().ravel()
        lift = inside / max(sizes[c], 1) - (everything - inside) / max(n - sizes[c], 1)
        drive = coef[c] - (all_coef - coef[c]) / max(len(coef) - 1, 1)
        both = np.maximum(lift, 0.0) * np.maximum(drive, 0.0)
        weights = both if both.any() else np.maximum(lift, 0.0)  # zero directions: use the documents alone
        found.append(top_words(weights, names, count, scale=True))
    return found


def group_name(given: str | None, words: Sequence[Weighted], number: int) -> str:
    """Return the name of a group: the given name, else its first words, else its number.

    >>> group_name(None, [("tea", 1.0), ("milk", 0.5)], 3), group_name(None, [], 3), group_name("drinks", [], 3)
    ('tea, milk', 'group 3', 'drinks')
    """
    return ", ".join(word for word, _ in words[:3]) or f"group {number}" if given is None else str(given)


# --- Groups with the sums of their rows, computed once


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows `X`, CSR (n, V), with the group of each row in `groups` (n,), 0 to k - 1.

    >>> GroupedRows(sp.csr_matrix([[1.0, 0.0], [2.0, 3.0]]), np.zeros(2, dtype=int), 1).sums.toarray()
    array([[3., 3.]])
    """

    X: Any
    groups: Array
    k: int

    @classmethod
    def of(cls, X: Any, groups: Array, k: int, inside: Array) -> GroupedRows:
        """Return the documents of `X` in the mask `inside` (n,), with their groups."""
        return cls(X, groups, k) if inside.all() else cls(X[np.flatnonzero(inside)], groups[inside], k)

    @cached_property
    def sums(self) -> Any:
        """The sum of the rows of each group, CSR (k, V)."""
        n = len(self.groups)
        members = sp.csr_matrix((np.ones(n), (self.groups, np.arange(n))), shape=(self.k, n))
        return sp.csr_matrix(members @ self.X)


# --- Row operations


def of_unit_length(rows: Array) -> Array:
    """Return rows (n, d) divided by their lengths; rows that contain only rounding errors stay.

    >>> of_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


# --- Passages, marked words, names of texts


_SEARCHED = 5_000  # for a passage
_LENGTH = 240  # of a passage
_FIRST_WORDS = 80  # of the first words of a text

_TOKEN = re.compile(r"\w+")
_LINE = re.compile(r"\S.*")
_STAMP = re.compile(r"\d:\d\d|\d{4}[-/.]\d\d|\d[/.]\d+[/.]\d|\d{10}")  # time, date, address
_OF_MACHINES = re.compile(r"\d|^\W*$|^\[.*\]\W*$|\w[./\\=_]\w")  # numbers, signs, levels, names with dots
_STOPS = ",.:;!?"
# What a mail is about, among the header lines that it begins with, which may be folded.
_HEADER = r"[A-Z][\w-]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*"
_SUBJECT = re.compile(rf"\A\s*(?:{_HEADER})*?Subject:[ \t]*(\S[^\n]*(?:\n[ \t]+\S[^\n]*)*)")


def passage(text: str, words: Sequence[Weighted]) -> str:
    """Return the passage of `text` with the largest total weight of `words`, else its start; white space is
    collapsed.
    """
    text = " ".join(text[:_SEARCHED].split())
    start = _passage_start(text, dict(reversed(words)))
    end = start + _LENGTH
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + _LENGTH // 2)
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def shared_lines(texts: Sequence[str]) -> frozenset[str]:
    """Return first lines that many texts share, such as salutations; they do not describe a text.

    >>> letters = [f"Dear Sir or Madam,\\n\\nmy order {number} is late." for number in range(4)]
    >>> shared_lines(letters), shared_lines(letters[:2])
    (frozenset({'Dear Sir or Madam,'}), frozenset())
    """
    drawn = texts[:: len(texts) // 10_000 + 1]
    often = Counter(line for text in drawn for line in {line for line, _ in islice(_lines(text), 3)})
    return frozenset(line for line, count in often.items() if count >= 3 and count > 0.05 * len(drawn))


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield the first nonempty lines with their offsets; white space is collapsed."""
    for found in _LINE.finditer(text[:_SEARCHED]):
        yield " ".join(found[0].split()), found.start()


def called(title: str | None, text: str, shared: Collection[str] = ()) -> str:
    """Return a name for a document: title, mail subject, or first words without time stamps and `shared` lines; "" if
    none.

    >>> called("", " the quick brown  fox "), called("Fox", "the quick")
    ('the quick brown fox', 'Fox')
    >>> called("", "2024-05-31T09:15:22Z db-03.internal [WARN] a slow query")
    'a slow query'
    >>> called("", "From: kim@example.org\\nSubject: Re: tents\\n\\nWhich one is light?")
    'Re: tents'
    >>> called("", "Dear Sir or Madam,\\n\\nmy order is late.", {"Dear Sir or Madam,"})
    'my order is late.'
    """
    name = " ".join((title or "").split())
    if not name:
        subject = _SUBJECT.match(text[:_SEARCHED])
        name = " ".join((subject[1].split() if subject else []) or _first_words(text, shared))
    if title or len(name) <= _FIRST_WORDS:
        return name
    return name[: max(name.rfind(" ", 0, _FIRST_WORDS), _FIRST_WORDS // 2)] + " …"


def _first_words(text: str, shared: Collection[str]) -> list[str]:
    start = next((at for line, at in _lines(text) if line not in shared), 0) if shared else 0
    return _behind_stamps(text[start : start + 8 * _FIRST_WORDS].split())


def _behind_stamps(words: list[str]) -> list[str]:
    """Return the words after time stamps and machine names at the start of a text.

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
    """Return the position of the next time stamp, if only up to two short words precede it; else None."""
    for at, word in enumerate(words[start : start + 3], start):
        if _STAMP.search(word):
            return at
        if len(word) > 3 and word.strip(_STOPS).isalpha():
            break
    return None


def _passage_start(text: str, weights: dict[str, float]) -> int:
    hits = list(_hits(text, weights))
    best = (0.0, 0)
    for i, (start, _) in enumerate(hits):
        seen = {word for at, word in hits[i : i + 60] if at < start + _LENGTH - 30}
        best = max(best, (fsum(weights[word] for word in seen), -start))  # the same sum in any order
    at = -best[1]
    return 0 if at < _LENGTH // 2 else text.rfind(" ", 0, at - 20) + 1


def _hits(text: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the position and the word of each occurrence of a word form; a phrase counts at its first word."""
    roots = {root: (word, longest) for word in reversed(list(words)) for root, longest in [_root(word)]}
    lengths = sorted({len(root) for root in roots}, reverse=True)
    for found in _TOKEN.finditer(text):
        token = found.group().lower()
        word, longest = next((roots[token[:n]] for n in lengths if token[:n] in roots), ("", 0))
        if len(token) <= longest:
            yield found.start(), word


def _root(word: str) -> tuple[str, int]:
    """Return the common prefix of a word's forms, and their maximum length.

    A stem is shown as one word form, but the text may hold others: a few last letters differ.
    """
    first = (word.split() or [""])[0]
    root = first if len(first) < 5 else first[: max(4, len(first) - 2)]
    return root, len(root) + (1 if len(first) < 5 else 4)


def marked(text: str, words: Sequence[Weighted]) -> list[tuple[str, bool]]:
    """Split `text` into (piece, whether it is a form of one of `words`) pairs.

    >>> marked("Two orbits.", [("orbit", 1.0)])
    [('Two ', False), ('orbits', True), ('.', False)]
    """
    forms = "|".join(_forms(word) for word, _ in words)
    pattern = re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)
    pieces, end = [], 0
    for match in pattern.finditer(text) if words else ():
        pieces += [(text[end : match.start()], False), (match.group(), True)]
        end = match.end()
    return [piece for piece in [*pieces, (text[end:], False)] if piece[0]]


def _forms(word: str) -> str:
    # As in `_root`.
    if len(word) < 5:
        return re.escape(word) + "s?"
    return re.escape(word[: max(4, len(word) - 2)]) + r"\w{0,4}"
