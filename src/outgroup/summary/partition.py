"""The documents and groups of a version as aligned arrays, and single documents: passage, reasons, neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..pipeline import Weighted, contributions, kind_and_group
from ..readers.documents import Corpus
from ..rows import as_rows
from ..rows import nearest as nearest_rows
from ..rows.arrays import at
from ..session.version import Verdicts, Version, kept_names
from ..text.collection import Collection
from ..text.representation import without_columns
from ..types import Array
from . import words as words_
from .clean import clean
from .records import Example
from .words import GroupedRows

Reject = tuple[Array, Array]
"""Directions (k + j, V) and intercepts (k + j,): the groups, then the kinds of "none of these"."""


HEAD = 400  # characters of a text in a list
REASONS = 8  # of a document
_BLOCK = 2_048  # documents of a product
_COMPARED = 5_000  # documents compared with each other: larger groups are cut into even parts
_CELL = 1_000  # characters of a value of a column

# --- A version as arrays, with a column for each group number


@dataclass(frozen=True, eq=False)
class Partition:
    """The m documents of a version that have a row, with V words, and its groups by number.

    `X` CSR (m, V) are the rows of words, `space` (m, d) the rows that decide which documents are nearest, `labels` (m,)
    the numbers of the groups, -1 for documents set aside. `scores` (m, K) and `coef` (K, V) have a row for each number:
    one that a merge left without a group has the lowest scores and zeros. `numbers` are the present groups, None for
    all; `names` (K,) are None for unnamed groups, and `descriptions` those of codes or a namer, by number. `off_topic`
    (m,) bool, `off_topic_score` (m,), `reject` and `threshold` are the verdicts, and `away` and `pinned` (m,) bool the
    documents with an off-topic label or the label of a group; each is None if it was not computed. `weights` (m,) are
    those of the documents, None for equal ones. `rows` (n,) is the mask of the m documents in the collection of the
    `Version`, and `verdicts` are those on all n.
    """

    X: Any
    labels: Array
    scores: Array
    coef: Array
    feature_names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    space: Any = None
    numbers: Sequence[int] | None = None
    names: Sequence[str | None] | None = None
    off_topic: Array | None = None
    off_topic_score: Array | None = None
    reject: Reject | None = None
    threshold: dict[str, Any] | None = None
    away: Array | None = None
    pinned: Array | None = None
    weights: Array | None = None
    rows: Any = None
    verdicts: Any = None
    version: Any = None
    descriptions: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, version: Version, corpus: Corpus | Collection | None = None, *, every: bool = False) -> Self:
        """Return the partition of a version; `corpus` replaces its ids, titles and texts.

        With `every`, documents without a word that is not ignored stay, so that all versions show the same documents.

        >>> from outgroup.session import Session
        >>> from outgroup.decisions import Merge
        >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
        >>> session = Session(texts, n_clusters=3)
        >>> shown = Partition.of(session.fit([Merge((2, 0))], start=session.fit()))
        >>> shown.coef.shape[0], set(shown.labels.tolist())
        (3, {1, 2})
        """
        model, documents, state = version.model, version.documents, version.state
        assert documents is not None
        mask, spaces = (documents.kept, documents.spaces) if every else version.rows_and_spaces
        X = spaces.words if not every else _without(documents, state.ignored)
        space = X if spaces.unaveraged is spaces.words else spaces.unaveraged
        verdicts = at_numbers(version.verdicts_on(spaces, mask), version.numbers)
        numbers, rows, own = np.array(version.numbers), np.flatnonzero(mask), corpus or documents
        K, labels = int(numbers.max()) + 1, version.labels[rows]
        known = kept_names(version) | dict(version.names)
        off_topic = verdicts.away if verdicts.off_topic is None else verdicts.off_topic
        off_topic = None if off_topic is None else off_topic[rows]
        at_rows = rows.tolist()
        return cls(
            X,
            labels,
            verdicts.scores if mask.all() else verdicts.scores[rows],
            _at_rows(model.word_coef_, numbers, K),
            model.representation_.names,
            [own.ids[row] for row in at_rows],
            [own.titles[row] for row in at_rows],
            [own.body(row) if isinstance(own, Corpus) else own.texts[row] for row in at_rows],
            space,
            version.numbers,
            [known.get(number) for number in range(K)],
            labels < 0 if every else off_topic,
            verdicts.off_topic_score[rows] if every or off_topic is not None else None,
            _reject(version, numbers, K),
            getattr(model.clusterer_, "off_topic_", None),
            None if verdicts.away is None else verdicts.away[rows],
            np.isin(rows, list(state.pins)),
            None if documents.sample_weight is None else documents.sample_weight[rows],
            mask,
            verdicts,
            version,
            state.definitions,
        )

    @cached_property
    def aside(self) -> Array:
        """The mask of documents in no group, (m,) bool."""
        return np.asarray(self.labels < 0)

    @cached_property
    def out(self) -> Array:
        """The mask of off-topic documents, set aside or not, (m,) bool."""
        return self.aside if self.off_topic is None else self.aside | np.asarray(self.off_topic, dtype=bool)

    @cached_property
    def home(self) -> Array:
        """The group of each document, (m,); the nearest one if it is set aside."""
        return np.where(self.aside, np.asarray(self.scores).argmax(axis=1), self.labels)

    @cached_property
    def margins(self) -> Array:
        """The margin of each document over the second best group, (m,)."""
        return self._against_second[0]

    @cached_property
    def rivals(self) -> Array:
        """The second best group of each document, (m,); -1 for a single group."""
        rivals = self._against_second[1]
        return np.full(len(self.labels), -1) if rivals is None else rivals

    @cached_property
    def _against_second(self) -> tuple[Array, Array | None]:
        return margins_of(self.scores, self.home)

    @cached_property
    def grouped(self) -> GroupedRows:
        """The documents that are in groups."""
        return GroupedRows.of(self.X, self.labels, len(self.coef), ~self.aside)

    @cached_property
    def typical(self) -> Array:
        """The typicality of each document in its group, (m,) float32."""
        return typicality(self.X, self.home, self.grouped.sums).astype(np.float32)

    @cached_property
    def _shared(self) -> frozenset[str]:
        nameless = [text for title, text in zip(self.titles, self.texts, strict=True) if not title]
        return words_.shared_lines(nameless)

    # Single documents

    def called(self, i: int) -> str:
        """Return the name of a document, from its title or text; "" if there is none."""
        return words_.called(self.titles[i], self.texts[i], self._shared)

    def shown(self, i: int, why: list[Weighted]) -> tuple[str, str, str]:
        """Return the id, the title and the passage of a document that has these words."""
        return str(self.ids[i]), self.called(i) or str(self.ids[i]), words_.passage(self.texts[i], why)

    def example(self, i: int) -> Example:
        """Return a document as an example of its group."""
        rival = int(self.rivals[i])
        against = 0.0 if rival < 0 else self.coef[rival]
        why = contributions(self.X[i], self.coef[self.home[i]], against, self.feature_names, REASONS)
        margin = round(float(self.margins[i]), 6)
        return Example(*self.shown(i, why), margin=margin, rival=None if rival < 0 else rival, words=why)

    def row(self, i: int) -> dict[str, Any]:
        """Return a document as an entry of a list."""
        identity, text = str(self.ids[i]), clean(self.texts[i]).strip()
        title = " ".join(clean(self.called(i)).split())
        return {"i": i, "id": identity, "title": title or identity, "text": text[:HEAD], "length": len(text)}

    def document(self, i: int) -> dict[str, Any]:
        """Return a document with text, reasons and nearest documents."""
        near = nearest_of(self.X if self.space is None else self.space, self.labels, i)
        words, pull = self.reasons(np.array([i]))
        pulls = zip(words[0].tolist(), pull[0].tolist(), strict=True)
        why = [(clean(str(self.feature_names[word])), value) for word, value in pulls if word >= 0]
        text = clean(self.texts[i]).strip()
        return self.row(i) | {"text": text, "reasons": why, "near": [self.row(row) for row in near]}

    def reasons(self, rows: Array | None = None) -> tuple[Array, Array]:
        """Return the words that explain the group of each document, or of those in `rows`: columns (m, 8) int32, -1
        for none, and weights (m, 8).
        """
        rows = np.arange(len(self.labels)) if rows is None else rows
        X, aside, home, rival = (part[rows] for part in (sp.csr_matrix(self.X), self.aside, self.home, self.rivals))
        shape = len(rows), REASONS
        words, pull = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        inside, outside = np.flatnonzero(~aside), np.flatnonzero(aside)
        against = np.vstack([self.coef, np.zeros(self.coef.shape[1])])  # row -1: zeros, for a single group
        _fill(words, pull, X, inside, (self.coef, home[inside], against, rival[inside]))
        if self.reject is not None and len(outside):
            kind, group = kind_and_group(X[outside], *self.reject, len(self.coef))
            _fill(words, pull, X, outside, (self.reject[0], kind, self.reject[0], group))
        return words, pull


def at_numbers(verdicts: Verdicts, numbers: Sequence[int]) -> Verdicts:
    """Return the verdicts with a column of scores for each number up to the largest, below all others without a
    group.
    """
    scores = verdicts.scores
    if list(numbers) == list(range(scores.shape[1])):
        return verdicts
    least = float(np.fmin.reduce(scores, axis=None, initial=np.nan))  # without a copy; nan if no document has a row
    found = np.full((len(scores), max(numbers) + 1), least - 1)
    found[np.isnan(scores[:, 0])] = np.nan
    found[:, list(numbers)] = scores
    return replace(verdicts, scores=found)


def _at_rows(coef: Any, numbers: Array, K: int) -> Array:
    found = np.zeros((K, coef.shape[1]), dtype=coef.dtype)
    found[numbers] = coef
    return found


def _reject(version: Version, numbers: Array, K: int) -> Reject | None:
    reject = version.model.word_reject_
    if reject is None:
        return None
    count = K + len(reject[1]) - len(numbers)
    places = np.append(numbers, np.arange(K, count))
    intercept = np.full(count, -1e9)  # a number without a group never wins
    intercept[places] = reject[1]
    return _at_rows(reject[0], places, count), intercept


def _without(documents: Collection, ignored: frozenset[str]) -> Any:
    """Return the rows of words without ignored columns, as the fit has them."""
    words = documents.spaces.words
    columns = [column for word in sorted(ignored) for column in documents.columns(word)]
    return without_columns(words, np.array(columns)) if columns else words


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


# --- Reasons: the words that pull a document into its group


Push = tuple[Array, Array, Array, Array]
"""Arrays (towards, own, against, other): row i is explained by `towards[own[i]] - against[other[i]]`."""


def _fill(words: Array, pull: Array, X: Any, rows: Array, push: Push) -> None:
    """Write the strongest words of the given rows, and their weights, into `words` and `pull`, block by block."""
    towards, own, against, other = push
    order = np.argsort(own, kind="stable")  # rows of one group follow each other, so its directions stay in the cache
    for start in range(0, len(rows), _BLOCK):
        some = order[start : start + _BLOCK]
        part = X[rows[some]]
        # 1. The pull of each entry x[v] of each row: x[v] (towards[v] - against[v]).
        row, column = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices
        pulls = part.data * (towards[own[some[row]], column] - against[other[some[row]], column])
        # 2. The entries with a positive pull, row by row, the strongest first.
        positive = np.flatnonzero(pulls > 0)
        ranked = positive[np.lexsort((-pulls[positive], row[positive]))]
        rank = np.arange(len(ranked)) - np.searchsorted(row[ranked], row[ranked])
        # 3. Keep the first few of each row.
        best, place = ranked[rank < REASONS], rank[rank < REASONS]
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
    count = -(-len(members) // _COMPARED)
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


def shown_cell(value: str) -> str:
    """Return a cell value, shortened, since columns may contain whole pages.

    >>> shown_cell(" Ann "), len(shown_cell("a" * 2000))
    ('Ann', 1001)
    """
    text = clean(value).strip()
    return text if len(text) <= _CELL else text[:_CELL] + "\u2026"
