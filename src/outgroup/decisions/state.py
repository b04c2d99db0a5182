"""The state of the groups that decisions change, and the step of a log that changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from ..errors import suggestion
from ..rows import as_rows, cluster_sums
from ..rows.blocks import group_sizes
from ..solve.cosines import Advantage
from ..solve.labels import LabelProcess, LabelSpace, Regrouping, label_space, moved_by_words, moved_near, regrouped
from ..storage.json_values import MOST_UNUSED
from ..text.collection import Collection
from ..text.representation import Spaces
from ..types import Array

Group = int | str
"""The number or the name of a group."""

Names = Mapping[int, str]
Pair = frozenset[int]
"""The numbers of two groups."""


@dataclass(frozen=True)
class Pin:
    """The label of a document or word: group, weight, whether it is of a random `sample`, the group where the document
    was `found`, and the `further` groups of the document.
    """

    group: int
    weight: float = 1.0
    sample: bool = False
    found: int = -1
    further: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Groups:
    """The groups after a log of decisions, as far as no document is named: part of a `State`, and of its saved form.

    `numbers` are the present groups, `names` the named ones, and `definitions` the texts that a codebook shows with
    them. `words` are labelled words, `ignored` ignored ones.
    `weights` is the weight of a document of each group, for equal weight of all groups: set once by the groups' sizes,
    and changed only by merges and splits. `apart` are pairs of groups separated by a split or by a new group. `done`
    are the groups whose documents no fit moves, and `used` is the count of numbers that a group has had, so that none
    is used again. `proposed` are the groups that new documents suggest, until a decision accepts or rejects them.
    """

    numbers: tuple[int, ...]
    names: Names = field(default_factory=dict)
    definitions: Names = field(default_factory=dict)
    words: Mapping[str, Pin] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    weights: Mapping[int, float] = field(default_factory=dict)
    apart: frozenset[Pair] = frozenset()
    done: frozenset[int] = frozenset()
    used: int = 0
    proposed: tuple[Any, ...] = ()

    def kept(self) -> dict[str, Any]:
        """Return these fields by name.

        Returns
        -------
        dict
        """
        return {item.name: getattr(self, item.name) for item in fields(Groups)}


@dataclass(frozen=True)
class State(Groups):
    """The immutable state after a log of decisions: the groups, with row indices.

    `labels` (n,) is the group number of each document, -1 for none. `pins` are the labelled documents, and `away` the
    rows with an off-topic label. `absent` are labelled documents outside this collection, by id, None for off-topic
    ones; their labels apply again when they return. Since the previous version, `touched` are the affected groups, and
    `free` (n,) bool the documents that the fit may move: those with an ignored word or a retracted label. `refit` asks
    for a fit.
    """

    labels: Array
    free: Array
    pins: Mapping[int, Pin] = field(default_factory=dict)
    away: frozenset[int] = frozenset()
    absent: Mapping[str, Pin | None] = field(default_factory=dict)
    touched: frozenset[int] = frozenset()
    refit: bool = False
    notes: tuple[str, ...] = ()

    @property
    def next_number(self) -> int:
        """The next number that no group has had."""
        return max(self.used, *(number + 1 for number in self.numbers))

    @property
    def finished(self) -> Array:
        """The mask of the documents in groups marked as done, (n,) bool; no fit moves them."""
        return np.isin(self.labels, list(self.done))

    def by_id(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return `pins` and `away` by document id, including absent documents."""
        pins = {document: label for document, label in self.absent.items() if label is not None}
        away = {document for document, label in self.absent.items() if label is None}
        return {
            "pins": pins | {ids[row]: label for row, label in self.pins.items()},
            "away": frozenset(away | {ids[row] for row in self.away}),
        }

    def weighed(self) -> State:
        """Return the state with group weights n / (k n_g) by the sizes n_g, unless it has weights."""
        if self.weights:
            return self
        sizes = {number: int(np.count_nonzero(self.labels == number)) for number in self.numbers}
        mean = sum(sizes.values()) / len(sizes)
        return replace(self, weights={number: mean / max(size, 1) for number, size in sizes.items()})

    def settled(self) -> State:
        """Return the initial state of the next version: without affected groups, free documents and notes."""
        return replace(
            self,
            touched=frozenset(),
            free=np.zeros_like(self.free),
            refit=False,
            notes=(),
        )


def by_row(pins: Mapping[str, Pin], away: Iterable[str], row_of: Mapping[str, int]) -> dict[str, Any]:
    """Return `pins`, `away` and `absent` by row: the inverse of `State.by_id`.

    >>> labels = by_row({"a": Pin(2), "b": Pin(3)}, ["c"], {"b": 0})
    >>> labels["pins"], list(labels["absent"])
    ({0: Pin(group=3, weight=1.0, sample=False, found=-1, further=())}, ['c', 'a'])
    """
    labelled: dict[str, Pin | None] = {**dict.fromkeys(sorted(away)), **pins}
    return {
        "pins": {row_of[document]: label for document, label in pins.items() if document in row_of},
        "away": frozenset(row_of[document] for document in away if document in row_of),
        "absent": {document: label for document, label in labelled.items() if document not in row_of},
    }


def positions(labels: Array, numbers: Sequence[int]) -> Array:
    """Return the position of each label in the `numbers` of groups, int32; -1 for none.

    >>> positions(np.array([7, -1, 3]), (3, 7)).tolist()
    [1, -1, 0]
    """
    place = np.full(max(numbers, default=0) + 2, -1, dtype=np.int32)
    place[list(numbers)] = np.arange(len(numbers))
    return place[labels]


# --- Documents that join a new group

_CLEARLY = 0.03  # least difference of the cosines with the new group and with the rest of the own one


def joining(documents: Collection, labels: Array, labelled: Iterable[int], rows: Array) -> Array:
    """Return the rows that join the `rows` of a new group; labelled documents and documents in no group stay.

    A document joins if it is clearly nearer to the new group than to the rest of its own. The centre of the new group
    is the mean of two means, of its first documents and of all its documents, so that it does not drift. No group
    becomes empty.
    """
    spaces, kept = documents.spaces, np.flatnonzero(documents.kept)
    own, first = labels[kept], kept.searchsorted(np.sort(rows))
    may = (own >= 0) & ~np.isin(kept, [*labelled, *rows])
    inside = first
    for _ in range(5):
        after = np.union1d(first, np.flatnonzero(_nearer(spaces, own, first, inside) & may))
        if np.array_equal(after, inside):
            break
        inside = after
    return np.asarray(kept[np.setdiff1d(inside, first)])


def _nearer(spaces: Spaces, own: Array, first: Array, inside: Array) -> Array:
    """Return the mask of rows clearly nearer to the new group than to the rest of their own group, (n,) bool."""
    rows, groups, is_first = as_rows(spaces.space), np.unique(own[own >= 0]), np.zeros(len(own), dtype=bool)
    is_rest, k, is_first[first] = ~is_first, len(groups), True
    is_rest[inside] = False
    own = np.where(own < 0, -1, np.searchsorted(groups, own))
    sets = np.where(is_rest, own, k)
    sums, counts = cluster_sums(rows, sets, k + 1), group_sizes(sets, k + 1)
    begun = cluster_sums(rows, np.zeros(len(own), dtype=np.int32), 1, on=np.sort(first))
    new = (begun[0] / len(first) + sums[k] / counts[k]) / 2
    means = np.vstack([new, sums[:k] / np.maximum(counts[:k, None], 1), spaces.mean])
    advantage = rows.map(means, Advantage(means, counts[:k]), own, is_rest, rows.squares())
    goes = (advantage > _CLEARLY) & (own >= 0) & (counts[own] > 0)
    stays = group_sizes(own, k, on=~goes & ~is_first) > 0
    return np.asarray(goes & stays[own])


# --- A decision that cannot be applied becomes a note, so that a log can be replayed on other documents


class UnfollowedError(Exception):
    """A decision cannot be applied; the message is the reason."""


def _label_space(spaces: Spaces) -> LabelSpace | None:
    return label_space(spaces.space, spaces.graph)


@dataclass(frozen=True)
class Step:
    """A state and its documents, to which a decision is applied.

    `rows` are the documents that have rows, with consecutive row indices; `labels` their groups as columns 0 to k - 1.
    """

    state: State
    documents: Collection

    @cached_property
    def rows(self) -> Array:
        return np.flatnonzero(self.documents.kept)

    @property
    def numbers(self) -> Array:
        return np.array(self.state.numbers, dtype=np.int32)

    @cached_property
    def labels(self) -> Array:
        """The column of each row's group; -1 for none."""
        return positions(self.state.labels[self.rows], self.state.numbers)

    def placed(self, pins: Mapping[int, Pin]) -> dict[int, int]:
        """Map labelled documents to columns, by row."""
        place = {number: g for g, number in enumerate(self.state.numbers)}
        known = {row: label for row, label in pins.items() if self.documents.kept[row]}
        rows = self.rows.searchsorted(list(known)).tolist()
        return dict(zip(rows, (place[label.group] for label in known.values()), strict=True))

    @property
    def space(self) -> LabelSpace | None:
        """The rows on which labels act."""
        return self.documents.spaces.once(_label_space)

    def moved_near(self, pins: Mapping[int, Pin], rows: Sequence[int]) -> tuple[Array, Array]:
        """Return the documents that move with newly labelled documents, and their groups."""
        places = self.rows.searchsorted(rows).tolist()
        moved, groups = moved_near(self.space, self.labels, len(self.numbers), self.placed(pins), places)
        return self.rows[moved], self.numbers[groups]

    def chances(self, rows: Sequence[int]) -> Array:
        """Return the probabilities of the groups for some documents, (m, k), by the groups and the labels near them.

        They are zero for a document without a row, and without a `space`.
        """
        found = np.zeros((len(rows), len(self.numbers)))
        known = np.flatnonzero(self.documents.kept[rows])
        if self.space is not None and len(known):
            process = LabelProcess.of(self.space, self.labels, len(self.numbers))
            places = self.rows.searchsorted(np.asarray(rows)[known])
            added = process.added(places, self.placed(self.state.pins), places)
            found[known] = softmax(process.mean(places) + added, axis=1)
        return found

    def moved_by_words(self, words: Mapping[str, Pin]) -> Array:
        """Move documents with labelled words; return the groups of all documents, (n,)."""
        space, place = self.documents.spaces, {number: g for g, number in enumerate(self.state.numbers)}
        counts = sp.csr_matrix((len(self.rows), len(self.numbers)))
        for word, label in words.items():
            held = np.flatnonzero(self.documents.with_columns(self.documents.columns(word))[self.rows])
            columns = np.full(len(held), place[label.group])
            counts += sp.csr_matrix((np.ones(len(held)), (held, columns)), shape=counts.shape)
        labels = self.state.labels.copy()
        pins = np.isin(self.rows, list(self.state.pins)) | self.state.finished[self.rows]
        after = moved_by_words(space.space, counts, self.labels, pins)
        labels[self.rows] = np.where(after < 0, -1, self.numbers[after])
        return labels

    def corrected(self) -> Regrouping:
        """Correct the groups by the labels of a random sample.

        A labelled document counts where it was found, since its present group is its label. If that is unknown, the
        group with the nearest centre stands in.
        """
        fair = {row: label for row, label in self.state.pins.items() if label.sample}
        pins = np.full(len(self.rows), -1, dtype=np.int32)
        placed = self.placed(fair)
        pins[list(placed)] = list(placed.values())
        groups, place = self.labels.copy(), {number: g for g, number in enumerate(self.state.numbers)}
        groups[list(self.placed(self.state.pins))] = -1
        k, space = len(self.numbers), self.space
        centres = np.zeros((k, 0)) if space is None else space.centres(groups, k)
        known = [place.get(label.found) for row, label in fair.items() if self.documents.kept[row]]
        for row, group in zip(placed, known, strict=True):
            if group is not None:
                groups[row] = group
            elif space is not None:
                groups[row] = (space.rows[row] @ centres.T).argmax()
        return regrouped(space, groups, pins, k, np.random.default_rng(0))

    def regrouped(self) -> tuple[Array, Regrouping]:
        """Return the groups of all documents, (n,), corrected by the labels of a random sample, and their accuracy.

        Raises
        ------
        UnfollowedError
            The labels are too few or do not support a change.
        """
        state, found = self.state, self.corrected()
        if not found.n_labels:
            raise UnfollowedError("it needs labels of randomly drawn documents: give them sample=True")
        if not found.changed:
            raise UnfollowedError(
                f"the {found.n_labels} labels of randomly drawn documents are too few, or do not support a change"
            )
        labels = state.labels.copy()
        labels[self.rows] = np.where(found.labels < 0, -1, self.numbers[found.labels])
        for row, label in state.pins.items():
            labels[row] = label.group
        labels[state.finished] = state.labels[state.finished]
        return labels, found

    # The documents, words and groups that a decision names

    def rows_of(self, given: Sequence[str]) -> list[int]:
        """Return the rows of the documents that exist; raise UnfollowedError if none does."""
        row_of = self.documents.row_of
        rows = [row_of[document] for document in given if document in row_of]
        if not rows:
            near = suggestion(given[0], row_of, "")
            raise UnfollowedError("; ".join(filter(None, ["no document has this id, or it was skipped", near])))
        return rows

    def columns(self, word: str) -> list[int]:
        """Return the columns of a word; raise UnfollowedError for an unknown word."""
        columns = self.documents.columns(word)
        if not columns and self.documents.is_stop_word(word):
            raise UnfollowedError("it is a stop word, which is already ignored")
        if not columns:
            unknown = "the word is not in the vocabulary (too rare, or a stop word)"
            raise UnfollowedError("; ".join(filter(None, [unknown, suggestion(word, self.documents.words, "")])))
        return columns

    def group(self, given: Group) -> int:
        """Return the number of a group; raise UnfollowedError for an unknown group."""
        state = self.state
        if isinstance(given, int):
            if given not in state.numbers:
                known = ", ".join(map(str, state.numbers[:20])) + (", ..." if len(state.numbers) > 20 else "")
                raise UnfollowedError(f"there is no group {given}; the groups are {known}")
            return given
        for number, name in state.names.items():
            if name == given:
                return number
        advice = suggestion(given, state.names.values(), "first rename or split a group")
        raise UnfollowedError(f"no group is called {given!r}; {advice}")

    def check_free(self, name: str | None, group: int | None = None) -> None:
        """Raise UnfollowedError if another group than `group` has the name."""
        owner = next((other for other, taken in self.state.names.items() if taken == name), group)
        if owner != group:
            raise UnfollowedError(f"group {owner} has that name; choose another")

    def emptied(self, labels: Array) -> list[int]:
        """Return the groups that lose all their documents under `labels`."""
        kept = self.documents.kept
        return [group for group in sorted(self.groups_of(kept)) if not (kept & (labels == group)).any()]

    def groups_of(self, rows: Any) -> frozenset[int]:
        """Return the groups that contain the documents."""
        return frozenset({*self.state.labels[rows].tolist()} - {-1})

    def new_number(self) -> int:
        """Return a new group number; after very many merges, the lowest free number, because arrays have a row for
        each.
        """
        numbers = self.state.numbers
        number, k = self.state.next_number, len(numbers) + 1
        return number if number < k + MOST_UNUSED else next(free for free in range(k) if free not in numbers)
