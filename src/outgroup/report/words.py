"""The words behind a result: what sets a group apart, what put a document in it, and the passage that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .facts import Weighted
from .groups.grouped import Grouped

_SEARCHED = 5_000  # characters of a text that are searched for a passage to show
_PASSAGE = 240  # characters of a passage
_TOKEN = re.compile(r"\w+")
_FIRST = 80  # characters of the first words of a text


def distinctive(grouped: Grouped, coef: Array, names: Sequence[str], count: int) -> list[list[Weighted]]:
    """Each group's words by how far they set its documents apart.

    A word's weight is (mean tf-idf in the group - mean outside) * (the group's coefficient - the mean of the others'):
    the push that it gives this group's documents, and not the others, towards this group. Scaled to 1 for the first.
    """
    sums, n, sizes = grouped.sums, len(grouped.groups), np.bincount(grouped.groups, minlength=len(coef))
    everything, all_coef = np.asarray(sums.sum(axis=0)).ravel(), coef.sum(axis=0)
    found = []
    for c in range(len(coef)):
        inside = sums[c].toarray().ravel()
        lift = inside / max(sizes[c], 1) - (everything - inside) / max(n - sizes[c], 1)
        drive = coef[c] - (all_coef - coef[c]) / max(len(coef) - 1, 1)
        found.append(top_words(_distinction(lift, drive), names, count, scale=True))
    return found


def group_name(given: str | None, words: Sequence[Weighted], number: int) -> str:
    """Return what a group is called: as a person said, else by its first words, else by its number.

    >>> group_name(None, [("tea", 1.0), ("milk", 0.5)], 3), group_name(None, [], 3), group_name("drinks", [], 3)
    ('tea, milk', 'group 3', 'drinks')
    """
    return ", ".join(word for word, _ in words[:3]) or f"group {number}" if given is None else str(given)


def _distinction(lift: Array, drive: Array) -> Array:
    lift = np.maximum(lift, 0.0)
    both = lift * np.maximum(drive, 0.0)
    return both if both.any() else lift  # directions of zeros tell nothing: the documents still do


def top_words(weights: Array, names: Sequence[str], count: int, scale: bool = False) -> list[Weighted]:
    """The `count` words of largest positive weight, largest first; scaled to 1 for the first one if asked."""
    positive = np.flatnonzero(weights > 0)
    if len(positive) > count > 0:  # the rest need not be sorted
        least = np.partition(weights[positive], -count)[-count]
        positive = positive[weights[positive] >= least]
    best = positive[np.argsort(-weights[positive], kind="stable")[:count]]
    unit = float(weights[best[0]]) if scale and len(best) else 1.0
    return [(str(names[w]), round(float(weights[w]) / unit, 6)) for w in best]


def contributions(x: Any, own: Array, rival: Array | float, names: Sequence[str], count: int) -> list[Weighted]:
    """The words of one document (a CSR row) that raise `x . own` above `x . rival` most, with what each adds."""
    columns = x.indices
    difference = own[columns] - (rival if isinstance(rival, float) else rival[columns])
    return top_words(x.data * difference, [names[c] for c in columns], count)


def pulled_out(
    X: Any, coef: Array, intercept: Array, k: int, names: Sequence[str], count: int
) -> list[list[Weighted]]:  # fmt: skip
    """For each row of `X` (m, V), the words that raise "none of these" most above the best group, with what each adds.

    `coef` (k + j, V) and `intercept` (k + j,) have the `k` groups first, then the kinds of "none of these": a row's is
    the best of them.
    """
    X = sp.csr_matrix(X)
    pairs = zip(*(best.tolist() for best in kind_and_group(X, coef, intercept, k)), strict=True)
    return [contributions(X[i], coef[kind], coef[group], names, count) for i, (kind, group) in enumerate(pairs)]


def kind_and_group(X: Any, coef: Array, intercept: Array, k: int) -> tuple[Array, Array]:
    """Return the best kind of "none of these" and the best group of each row of `X` (m, V), rows of `coef`, (m,) each.

    >>> kind_and_group(np.array([[1.0, 2.0]]), np.array([[1.0, 0], [0, 1], [0, 2], [1, 0]]), np.zeros(4), 2)
    (array([2]), array([1]))
    """
    scores = np.asarray(X @ coef.T + intercept)
    return k + scores[:, k:].argmax(axis=1), scores[:, :k].argmax(axis=1)


def passage(text: str, words: Sequence[Weighted]) -> str:
    """The stretch of `text` that holds the weightiest of `words`, or its beginning; spaces are collapsed."""
    text = " ".join(text[:_SEARCHED].split())
    start = _passage_start(text, dict(reversed(words)))
    end = start + _PASSAGE
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + _PASSAGE // 2)
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


def called(title: str | None, text: str) -> str:
    """What a document is called: its title, or its first words; "" for neither.

    >>> called("", " the quick brown  fox "), called("Fox", "the quick")
    ('the quick brown fox', 'Fox')
    """
    said = " ".join((title or "").split()) or " ".join(text[: 8 * _FIRST].split())
    if title or len(said) <= _FIRST:
        return said
    return said[: max(said.rfind(" ", 0, _FIRST), _FIRST // 2)] + " …"


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
