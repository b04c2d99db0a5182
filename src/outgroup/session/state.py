"""What the decisions of a log say, resolved: every document, word and group by its number.

A state is a value. `follow` makes the next one of a decision, and says which groups it touched; what cannot be followed
becomes a note, so that a log can be replayed on other documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..steering import decisions as log
from ..text.collection import Collection
from ..types import Array
from .fits.followers import company, most_like

Halve = Callable[[Array], Array]
"""Divides the documents of these numbers (m,) in two: returns 0 or 1 for each, (m,)."""

Names = Mapping[int, str]


@dataclass(frozen=True)
class Label:
    """What one decision said of a document or a word: its group, and how much that weighs."""

    group: int
    weight: float = 1.0


@dataclass(frozen=True)
class State:
    """What holds after a log of decisions.

    `labels` (n,) has the number of each document's group, -1 for none; `numbers` are the groups there are, `names`
    those that have one. `pins` and `words` are the labelled documents (by number) and words, `away` the documents that
    belong to no group, `ignored` the words that count no more. `weights` is what a document of each group weighs, where
    a fit has groups weigh alike: settled once, by the groups' sizes, and changed by merging and splitting alone. Since
    the version before, `touched` are the groups that decisions named, `free` (n,) bool the documents that may move:
    those most like one that a person moved, in the group that it left, and those that hold a word which was named;
    `refit` says whether a fit has to follow, and `again` whether the groups are found again: then all are free.
    """

    labels: Array
    numbers: tuple[int, ...]
    free: Array
    names: Names = field(default_factory=dict)
    pins: Mapping[int, Label] = field(default_factory=dict)
    words: Mapping[str, Label] = field(default_factory=dict)
    away: frozenset[int] = frozenset()
    ignored: frozenset[str] = frozenset()
    weights: Mapping[int, float] = field(default_factory=dict)
    touched: frozenset[int] = frozenset()
    refit: bool = False
    again: bool = False
    notes: tuple[str, ...] = ()

    def weighed(self) -> State:
        """Return the state with weights by the groups' sizes, n / (k n_g), where it has none."""
        if self.weights:
            return self
        sizes = {number: int(np.count_nonzero(self.labels == number)) for number in self.numbers}
        mean = sum(sizes.values()) / len(sizes)
        return replace(self, weights={number: mean / max(size, 1) for number, size in sizes.items()})

    def settled(self) -> State:
        """Return the state as the next version begins with it: nothing is touched, nothing noted."""
        return replace(
            self,
            touched=frozenset(),
            free=np.zeros_like(self.free),
            refit=False,
            again=False,
            notes=(),
        )


def follow(state: State, decision: log.Decision, documents: Collection, halve: Halve) -> State:
    """Return the state after one more decision; what cannot be followed leaves a note and changes nothing."""
    try:
        return _FOLLOW[type(decision)](state, decision, documents, halve)
    except _UnfollowedError as reason:
        return replace(state, notes=(*state.notes, f"{said(decision)}: {reason}"))


def said(decision: log.Decision) -> str:
    """Return a decision in short, for notes.

    >>> said(log.Belongs("d1", 3)), said(log.Merge((3, "trains")))
    ('belongs d1 3', 'merge 3 trains')
    """
    kind, *values = decision.to_dict().values()
    flat = [part for value in values for part in (value if isinstance(value, list) else [value])]
    return " ".join([kind, *map(str, flat)])


class _UnfollowedError(Exception):
    """A decision that names what is not there; the message says what, for a note."""


def _belongs(state: State, decision: log.Belongs, documents: Collection, halve: Halve) -> State:
    row, group = _row(decision.document, documents), _group(decision.group, state)
    if not documents.kept[row]:
        raise _UnfollowedError("the document has no row, since it has no known word; it steers nothing")
    labels, free = state.labels.copy(), state.free.copy()
    if state.labels[row] not in (-1, group):
        like = most_like(documents, row)
        like = like[state.labels[like] == state.labels[row]]
        free[like] = True
        labels[company(documents, state.labels, state.pins, row, group, like)] = group
    labels[row] = group
    pins = {**state.pins, row: Label(group, decision.weight)}
    named = {group} | _groups_of(state, [row])
    return replace(
        state, labels=labels, pins=pins, away=state.away - {row}, touched=state.touched | named, free=free, refit=True
    )


def _off_topic(state: State, decision: log.OffTopic, documents: Collection, halve: Halve) -> State:
    row = _row(decision.document, documents)
    labels, touched = state.labels.copy(), state.touched | _groups_of(state, [row])
    labels[row] = -1
    pins = {other: label for other, label in state.pins.items() if other != row}
    if not (documents.kept & (labels >= 0)).any():
        raise _UnfollowedError("it is the last document of all groups; leave some to be grouped")
    refit = state.refit or bool(documents.kept[row])
    return replace(state, labels=labels, pins=pins, away=state.away | {row}, touched=touched, refit=refit)


def _word_belongs(state: State, decision: log.WordBelongs, documents: Collection, halve: Halve) -> State:
    free = state.free | documents.with_columns(_columns(decision.word, documents))
    group = _group(decision.group, state)
    words = {**state.words, decision.word: Label(group, decision.weight)}
    return replace(state, words=words, free=free, touched=state.touched | {group}, refit=True)


def _ignore_word(state: State, decision: log.IgnoreWord, documents: Collection, halve: Halve) -> State:
    free = state.free | documents.with_columns(_columns(decision.word, documents))
    words = {word: label for word, label in state.words.items() if word != decision.word}
    return replace(state, ignored=state.ignored | {decision.word}, words=words, free=free, refit=True)


def _rename(state: State, decision: log.Rename, documents: Collection, halve: Halve) -> State:
    group = _group(decision.group, state)
    owner = next((other for other, name in state.names.items() if name == decision.name), group)
    if owner != group:
        raise _UnfollowedError(f"group {owner} has that name; choose another")
    return replace(state, names={**state.names, group: decision.name})


def _merge(state: State, decision: log.Merge, documents: Collection, halve: Halve) -> State:
    kept, *others = dict.fromkeys(_group(each, state) for each in decision.groups)
    if not others:
        raise _UnfollowedError("they are one group already")
    labels = np.where(np.isin(state.labels, others), np.int32(kept), state.labels)
    numbers = tuple(number for number in state.numbers if number not in others)
    names = {number: name for number, name in state.names.items() if number not in others}
    name = next((state.names[number] for number in (kept, *others) if number in state.names), None)
    names = names if name is None else {**names, kept: name}
    return replace(
        state,
        labels=labels.astype(np.int32),
        numbers=numbers,
        names=names,
        pins=_moved_labels(state.pins, others, kept),
        words=_moved_labels(state.words, others, kept),
        touched=(state.touched | {kept}) - set(others),
        weights=_merged_weights(state, [kept, *others]),
        refit=True,
    )


def _split(state: State, decision: log.Split, documents: Collection, halve: Halve) -> State:
    group = _group(decision.group, state)
    members = np.flatnonzero(documents.kept & (state.labels == group))
    if len(members) < 2:
        raise _UnfollowedError(f"group {group} has {len(members)} documents; there is nothing to split")
    second = members[_smaller(halve(members))]
    number = next(each for each in range(len(state.numbers) + 1) if each not in state.numbers)
    labels = state.labels.copy()
    labels[second] = number
    pins = {row: replace(label, group=int(labels[row])) for row, label in state.pins.items()}
    numbers = tuple(sorted((*state.numbers, number)))
    weights = {**state.weights, **_halves_weights(state, group, number, len(members), len(second))}
    touched = state.touched | {group, number}
    return replace(state, labels=labels, numbers=numbers, pins=pins, weights=weights, touched=touched, refit=True)


def _regroup(state: State, decision: log.Regroup, documents: Collection, halve: Halve) -> State:
    if not state.pins:
        raise _UnfollowedError("no document is labelled; say of a few where they belong")
    return replace(
        state, free=documents.kept.copy(), touched=state.touched | set(state.numbers), refit=True, again=True
    )


def _merged_weights(state: State, groups: list[int]) -> dict[int, float]:
    """Return the weights after a merge: all documents of the merged group weigh together what they did."""
    sizes = [int(np.count_nonzero(state.labels == group)) for group in groups]
    total = sum(size * state.weights.get(group, 1.0) for group, size in zip(groups, sizes, strict=True))
    others = {number: weight for number, weight in state.weights.items() if number not in groups}
    return {**others, groups[0]: total / max(sum(sizes), 1)}


def _halves_weights(state: State, group: int, number: int, size: int, second: int) -> dict[int, float]:
    """Return the weights of both halves: each weighs what the whole did."""
    total = size * state.weights.get(group, 1.0)
    return {group: total / (size - second), number: total / second}


def _smaller(halves: Array) -> Array:
    """Return which documents are in the smaller half; of equal ones, in that without the first document."""
    ones = int(np.count_nonzero(halves))
    if 2 * ones == len(halves):
        return np.asarray(halves != halves[0])
    return np.asarray(halves == (1 if 2 * ones < len(halves) else 0))


_FOLLOW: dict[type[log.Decision], Any] = {
    log.Belongs: _belongs,
    log.OffTopic: _off_topic,
    log.WordBelongs: _word_belongs,
    log.IgnoreWord: _ignore_word,
    log.Rename: _rename,
    log.Merge: _merge,
    log.Split: _split,
    log.Regroup: _regroup,
}


def _row(document: str, documents: Collection) -> int:
    if document not in documents.row_of:
        raise _UnfollowedError("no document has this id" + _near(document, documents.ids))
    return documents.row_of[document]


def _group(given: log.Group, state: State) -> int:
    if isinstance(given, int):
        if given not in state.numbers:
            raise _UnfollowedError(f"there is no group {given}; there are {_listed(state.numbers)}")
        return given
    for number, name in state.names.items():
        if name == given:
            return number
    raise _UnfollowedError(f"no group is called {given!r}" + _near(given, list(state.names.values())))


def _columns(word: str, documents: Collection) -> list[int]:
    found = documents.columns(word)
    if not found:
        unknown = "the word is not in the vocabulary (rare, or a stop word?)"
        raise _UnfollowedError(unknown + _near(word, documents.words))
    return found


def _groups_of(state: State, rows: list[int]) -> frozenset[int]:
    return frozenset(int(group) for group in state.labels[rows] if group >= 0)


def _moved_labels(labels: Mapping[Any, Label], others: list[int], kept: int) -> dict[Any, Label]:
    return {each: replace(label, group=kept) if label.group in others else label for each, label in labels.items()}


def _near(given: str, known: list[str]) -> str:
    near = get_close_matches(given, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _listed(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:20]))
    return shown + (", ..." if len(numbers) > 20 else "")
