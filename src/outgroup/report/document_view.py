"""Views of single documents: passage, reasons, nearest documents, typicality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import as_rows
from ..rows import nearest as nearest_rows
from ..rows.arrays import at
from ..types import Array
from . import words as words_
from .clean import clean
from .facts import Clustering, Judged, Reject, ShownDocument, Weighted
from .words import kind_and_group

# --- Documents of a clustering, on demand


@dataclass(frozen=True)
class _ViewConstants:
    """Sizes in the view of a document."""

    head: int = 400  # characters of a text in a list
    reasons: int = 8  # of a document
    block: int = 2_048  # documents of a product
    compared: int = 5_000  # documents compared with each other: larger groups are cut into even parts
    cell: int = 1_000  # characters of a value of a column


VIEW = _ViewConstants()


@dataclass(frozen=True)
class Reader:
    """Page entries of documents; `aside` (n,) marks documents set aside, for which `look` has the nearest group.

    `out` (n,) are off-topic, set aside or not; `reject` are the directions that explain these verdicts, or None.
    """

    look: DocumentView
    aside: Array
    out: Array
    reject: Reject | None

    def row(self, i: int) -> dict[str, Any]:
        """Return a document as an entry of a list."""
        identity, text = str(self.look.ids[i]), clean(self.look.texts[i]).strip()
        title = " ".join(clean(self.look.called(i)).split())
        return {"i": i, "id": identity, "title": title or identity, "text": text[: VIEW.head], "length": len(text)}

    def document(self, i: int) -> dict[str, Any]:
        """Return a document with text, reasons and nearest documents."""
        near = nearest_of(self.look.space, np.where(self.aside, -1, self.look.labels), i)
        whole = {"text": clean(self.look.texts[i]).strip(), "reasons": self.reasons(i)}
        return self.row(i) | whole | {"near": [self.row(row) for row in near]}

    def reasons(self, i: int) -> list[Weighted]:
        """Return the words that explain a document's group, with weights."""
        look = self.look
        rival = -1 if look.rivals is None else int(look.rivals[i])
        one = replace(look, X=look.X[[i]], labels=look.labels[[i]])
        words, pull = reasons(one, one.labels, np.array([rival]), self.aside[[i]], self.reject)
        pulls = zip(words[0].tolist(), pull[0].tolist(), strict=True)
        return [(clean(str(look.names[word])), value) for word, value in pulls if word >= 0]


def reader_of(given: Clustering, judged: Judged | None = None) -> Reader:
    """Return the reader for a clustering; raise InputError if lengths differ."""
    labels, scores, coef = np.asarray(given.labels), np.asarray(given.scores, dtype=float), np.asarray(given.coef)
    replace(given, labels=labels, scores=scores, coef=coef).check()
    judged = judged or Judged()
    judged.check(len(labels), coef)
    aside = labels < 0
    home = np.where(aside, scores.argmax(axis=1), labels)
    margins, rivals = margins_of(scores, home)
    X = sp.csr_matrix(given.X)
    look = DocumentView(
        X, home, coef, given.feature_names, given.ids, given.titles, given.texts, margins, rivals,
        X if given.space is None else given.space,
    )  # fmt: skip
    out = aside if judged.off_topic is None else aside | np.asarray(judged.off_topic, dtype=bool)
    return Reader(look, aside, out, judged.reject)


def margins_of(scores: Array, labels: Array) -> tuple[Array, Array | None]:
    """Return each document's margin over the second best group, (n,), and this group, (n,) or None."""
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    if scores.shape[1] == 1:
        return own, None
    others = scores.copy()
    others[rows, labels] = -np.inf
    rivals = others.argmax(axis=1)
    return own - others[rows, rivals], rivals


# --- One document: title, passage, reasons


@dataclass(frozen=True)
class DocumentView:
    """The data from which single documents are shown; the rows of `space` decide which are nearest."""

    X: Any
    labels: Array
    coef: Array
    names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    margins: Array
    rivals: Array | None
    space: Any

    @cached_property
    def _shared(self) -> frozenset[str]:
        nameless = [text for title, text in zip(self.titles, self.texts, strict=True) if not title]
        return words_.shared_lines(nameless)

    def called(self, i: int) -> str:
        """Return the name of a document, from its title or text; "" if there is none."""
        return words_.called(self.titles[i], self.texts[i], self._shared)

    def document(self, i: int) -> ShownDocument:
        rival = None if self.rivals is None else int(self.rivals[i])
        against = 0.0 if rival is None else self.coef[rival]
        why = words_.contributions(self.X[i], self.coef[self.labels[i]], against, self.names, VIEW.reasons)
        return ShownDocument(*self.shown(i, why), margin=round(float(self.margins[i]), 6), rival=rival, words=why)

    def shown(self, i: int, why: list[tuple[str, float]]) -> tuple[str, str, str]:
        text = self.texts[i]
        return str(self.ids[i]), self.called(i) or str(self.ids[i]), words_.passage(text, why)


# --- Reasons: the words that pull a document into its group


Push = tuple[Array, Array, Array, Array]
"""Arrays (towards, own, against, other): row i is explained by `towards[own[i]] - against[other[i]]`."""


def reasons(look: DocumentView, home: Array, rival: Array, out: Array, reject: Reject | None) -> tuple[Array, Array]:
    """Return the words that explain each document's group: columns (n, 8) int32, -1 for none, and weights (n, 8)."""
    shape = len(home), VIEW.reasons
    words, pull = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)
    inside, outside = np.flatnonzero(~out), np.flatnonzero(out)
    against = np.vstack([look.coef, np.zeros(look.coef.shape[1])])  # row -1: zeros, for a single group
    _fill(words, pull, look.X, inside, (look.coef, home[inside], against, rival[inside]))
    if reject is not None and len(outside):
        kind, group = kind_and_group(look.X[outside], *reject, len(look.coef))
        _fill(words, pull, look.X, outside, (reject[0], kind, reject[0], group))
    return words, pull


def _fill(words: Array, pull: Array, X: Any, rows: Array, push: Push) -> None:
    """Write the strongest words of the given rows, and their weights, into `words` and `pull`, block by block."""
    towards, own, against, other = push
    order = np.argsort(own, kind="stable")  # rows of one group follow each other, so its directions stay in the cache
    for start in range(0, len(rows), VIEW.block):
        some = order[start : start + VIEW.block]
        part = X[rows[some]]
        # 1. The pull of each entry x[v] of each row: x[v] (towards[v] - against[v]).
        row, column = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices
        pulls = part.data * (towards[own[some[row]], column] - against[other[some[row]], column])
        # 2. The entries with a positive pull, row by row, the strongest first.
        positive = np.flatnonzero(pulls > 0)
        ranked = positive[np.lexsort((-pulls[positive], row[positive]))]
        rank = np.arange(len(ranked)) - np.searchsorted(row[ranked], row[ranked])
        # 3. Keep the first few of each row.
        best, place = ranked[rank < VIEW.reasons], rank[rank < VIEW.reasons]
        target = rows[some[row[best]]], place
        words[target], pull[target] = column[best], pulls[best]


# --- Nearest documents within a group


def nearest(X: Any, groups: Array, count: int = 5) -> Array:
    """Return the row indices of the nearest documents in the same group, (n, count) int32, nearest first; -1 for none.

    `X` has n unit rows, CSR or an array, `groups` (n,) int. In a group of more than 5,000 documents, compare each
    with an evenly drawn part of the group.

    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> nearest(X, np.zeros(4, dtype=int), 2).tolist()
    [[1, 3], [3, 0], [3, 1], [1, 2]]
    """
    found = np.full((X.shape[0], count), -1, dtype=np.int32)
    if not X.shape[1]:  # without words, no neighbours
        return found
    order = np.argsort(groups, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        for part in _parts(members):
            near = nearest_rows(X[part], count=count).index
            found[part, : near.shape[1]] = np.where(near >= 0, part[near], -1)
    return found


def nearest_of(X: Any, groups: Array, row: int, count: int = 5) -> list[int]:
    """Return the row indices of the documents nearest to `row`, as `nearest` does for all rows.

    >>> from scipy.sparse import csr_matrix
    >>> nearest_of(csr_matrix([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]]), np.zeros(4, dtype=int), 0, 2)
    [1, 3]
    """
    parts = _parts(np.flatnonzero(groups == groups[row]))
    others = next(part for part in parts if row in part)
    others = others[others != row]
    near = nearest_rows(X[[row]], X[others], count=count).index[0] if len(others) and X.shape[1] else ()
    return [int(others[place]) for place in near if place >= 0]


def _parts(members: Array) -> list[Array]:
    count = -(-len(members) // VIEW.compared)
    return [members[first::count] for first in range(count)]


# --- Typicality: close to the centre, with enough words


def typicality(X: Any, groups: Array, sums: Any) -> Array:
    """Return the cosine of each document with the sum of its group, (n,), lowered for documents with few words.

    `X` is CSR (n, V) with unit rows, `groups` (n,) 0 to k - 1, `sums` CSR (k, V) of those that are inside. A document
    with half as many words as the group's median counts half: a text of one word can lie near a centre by chance.

    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.8, 0.6, 0.0]])
    >>> int(typicality(X, np.zeros(3, dtype=int), sp.csr_matrix(X.sum(axis=0))).argmax())
    2
    """
    k = sums.shape[0]
    centres = sums.toarray().astype(np.float32)
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-12)
    near = as_rows(X).map(centres, at, groups) if X.shape[1] else np.zeros(len(groups))  # texts without a word
    words = np.diff(X.indptr)
    usual = np.array([np.median(words[groups == g]) if (groups == g).any() else 1.0 for g in range(k)])
    return near * np.minimum(1.0, words / np.maximum(usual[groups], 1.0))


# --- Cells of further columns


def shown(value: str) -> str:
    """Return a cell value, shortened, since columns may contain whole pages.

    >>> shown(" Ann "), len(shown("a" * 2000))
    ('Ann', 1001)
    """
    text = clean(value).strip()
    return text if len(text) <= VIEW.cell else text[: VIEW.cell] + "\u2026"
