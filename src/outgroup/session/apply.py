"""Apply decisions: the state of the groups, and the effect of each kind of decision on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import decisions as log
from ..cluster.warm_start import WARM_START
from ..document_clustering import ProposedGroup
from ..errors import suggestion
from ..rows import as_rows, cluster_sums
from ..rows.blocks import group_sizes
from ..saved_model import MOST_UNUSED
from ..solve.labels import Pool, moved_by_words, moved_near, pooled
from ..text.collection import Collection
from ..text.representation import Spaces
from ..types import Array
from .cosines import Advantage

Names = Mapping[int, str]
Pair = frozenset[int]
"""The numbers of two groups."""


@dataclass(frozen=True)
class Label:
    """The label of a document or word: group, weight, source (see `decisions.Label`), and the group where the document
    was `found`.
    """

    group: int
    weight: float = 1.0
    source: str = "correction"
    found: int = -1


@dataclass(frozen=True)
class State:
    """The immutable state after a log of decisions, with row indices and group numbers.

    `labels` (n,) is the group number of each document, -1 for none; `numbers` are the present groups, `names` the named
    ones. `pins` and `words` are the labelled documents (by row) and words, `away` the rows with an off-topic label,
    `ignored` the ignored words. `weights` is the weight of a document of each group, for equal weight of all groups:
    set once by the groups' sizes, and changed only by merges and splits. `apart` are pairs of groups separated by a
    split or by a new group. `absent` are labelled documents outside this collection, by id, None for off-topic ones;
    their labels apply again when they return. `done` are the groups whose documents no fit moves, and `used` is the
    count of numbers that a group has had, so that none is used again. Since the previous version, `touched` are the
    affected groups, and `free` (n,) bool the documents that the fit may move: those with an ignored word or a retracted
    label. `refit` asks for a fit, and `again` for one with all iterations. `proposed` are the groups that new documents
    suggest, until a decision accepts or rejects them.
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
    apart: frozenset[Pair] = frozenset()
    absent: Mapping[str, Label | None] = field(default_factory=dict)
    done: frozenset[int] = frozenset()
    used: int = 0
    touched: frozenset[int] = frozenset()
    refit: bool = False
    again: bool = False
    notes: tuple[str, ...] = ()
    proposed: tuple[ProposedGroup, ...] = ()

    @property
    def finished(self) -> Array:
        """The mask of the documents in groups marked as done, (n,) bool; no fit moves them."""
        return np.isin(self.labels, list(self.done))

    def by_id(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return `pins` and `away` by document id, including absent documents."""
        pins = {each: label for each, label in self.absent.items() if label is not None}
        away = {each for each, label in self.absent.items() if label is None}
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
            again=False,
            notes=(),
        )


def by_row(pins: Mapping[str, Label], away: Iterable[str], row_of: Mapping[str, int]) -> dict[str, Any]:
    """Return `pins`, `away` and `absent` by row: the inverse of `State.by_id`.

    >>> labels = by_row({"a": Label(2), "b": Label(3)}, ["c"], {"b": 0})
    >>> labels["pins"], list(labels["absent"])
    ({0: Label(group=3, weight=1.0, source='correction', found=-1)}, ['c', 'a'])
    """
    labelled: dict[str, Label | None] = {**dict.fromkeys(sorted(away)), **pins}
    return {
        "pins": {row_of[each]: label for each, label in pins.items() if each in row_of},
        "away": frozenset(row_of[each] for each in away if each in row_of),
        "absent": {each: label for each, label in labelled.items() if each not in row_of},
    }


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


# --- The effect of each kind of decision
#
# A decision that cannot be applied becomes a note, so that a log can be replayed on other documents.

Halve = Callable[[Array], Array]
"""Split the documents of these rows (m,) in two: return 0 or 1 for each, (m,)."""


def follow(state: State, decision: log.Decision, documents: Collection, halve: Halve) -> State:
    """Return the state after a decision; if the decision cannot be applied, only a note is added."""
    try:
        if isinstance(decision, log.Split):
            return _split(state, decision, documents, halve)
        after: State = _FOLLOW[type(decision)](state, decision, documents)
    except UnfollowedError as reason:
        return replace(state, notes=(*state.notes, f"{decision}: {reason}"))
    return replace(after, proposed=_undecided(state, after, decision, documents.ids)) if state.proposed else after


def _undecided(state: State, after: State, decision: log.Decision, ids: Sequence[str]) -> tuple[ProposedGroup, ...]:
    """Return the proposed groups without documents that a decision names or moves to its new group."""
    decided = {*decision.labelled}
    if isinstance(decision, log.NewGroup):
        decided |= {ids[row] for row in np.flatnonzero(after.labels != state.labels).tolist()}
    if isinstance(decision, log.NotAGroup):
        decided = {*decision.documents}
    return tuple(left for each in state.proposed if (left := each.without(decided)) is not None)


def taken_back(state: State, taken: Sequence[log.Decision], documents: Collection) -> State:
    """Return the state without the undone decisions `taken`; a note names those that only an earlier version can
    undo.
    """
    for decision in taken:
        if isinstance(decision, log.Label):
            named = decision.documents
            rows = [documents.row_of[each] for each in named if each in documents.row_of]
            pins = {other: label for other, label in state.pins.items() if other not in rows}
            free = state.free.copy()
            free[rows] = True
            absent = {other: label for other, label in state.absent.items() if other not in named}
            state = replace(state, pins=pins, away=state.away - {*rows}, absent=absent, free=free, refit=True)
        elif isinstance(decision, log.Word) and decision.group is not None:
            state = replace(state, words=_without(state.words, decision.words), refit=True)
        else:
            state = replace(
                state,
                notes=(*state.notes, f"{decision.kind} cannot be undone in a continued result, and stays in force"),
            )
    return state


class UnfollowedError(Exception):
    """A decision cannot be applied; the message is the reason."""


def _label(state: State, decision: log.Label, documents: Collection) -> State:
    rows = _rows(decision.documents, documents)
    if not decision.groups:
        return _thrown(state, rows, documents)
    group, labels = _group(decision.groups[0], state), state.labels.copy()
    weight = decision.weight * min(1.0, 1 / (WARM_START.label * len(rows)))  # together at most a mean group
    found = {row: state.pins[row].found if row in state.pins else int(labels[row]) for row in rows}
    pins = {**state.pins, **{row: Label(group, weight, decision.source, found[row]) for row in rows}}
    if len(rows) == 1 and labels[rows[0]] not in (-1, group):
        near, groups = _Placed(state, documents).moved_near(pins, rows[0])
        open_ = ~state.finished[near]
        labels[near[open_]] = groups[open_]
    labels[rows] = group
    touched = state.touched | {group} | _groups_of(state, rows) | set(labels[labels != state.labels].tolist())
    empty = _emptied(state, labels, documents) if len(rows) > 1 else []
    refit = state.refit or bool(documents.kept[rows].any())  # a document without a row steers nothing
    state = replace(state, labels=labels, pins=pins, away=state.away - {*rows}, touched=touched, refit=refit)
    return _merge(state, log.Merge((group, *empty)), documents) if empty else state


@dataclass(frozen=True)
class _Placed:
    """The documents of a state that have rows, with consecutive row indices, and its groups as columns 0 to k - 1."""

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
        labels, order = self.state.labels[self.rows], np.argsort(self.numbers)
        place = order[np.clip(np.searchsorted(self.numbers[order], labels), 0, len(order) - 1)]
        return np.where(labels < 0, -1, place)

    def placed(self, pins: Mapping[int, Label]) -> dict[int, int]:
        """Map labelled documents to columns, by row."""
        place = {number: g for g, number in enumerate(self.state.numbers)}
        known = {each: label for each, label in pins.items() if self.documents.kept[each]}
        rows = self.rows.searchsorted(list(known)).tolist()
        return dict(zip(rows, (place[label.group] for label in known.values()), strict=True))

    def moved_near(self, pins: Mapping[int, Label], row: int) -> tuple[Array, Array]:
        """Return the documents that move with a corrected document, and their groups."""
        spaces, place = self.documents.spaces, int(self.rows.searchsorted(row))
        moved, groups = moved_near(
            spaces.space, spaces.nearest, self.labels, len(self.numbers), self.placed(pins), place
        )
        return self.rows[moved], self.numbers[groups]

    def moved_by_words(self, words: Mapping[str, Label]) -> Array:
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

    def pooled(self) -> Pool:
        """Combine the labels of source "sample" with the groups.

        A labelled document counts where it was found, since its present group is its label. If that is unknown, the
        majority of its nearest unlabelled documents estimates it.
        """
        fair = {row: label for row, label in self.state.pins.items() if label.source != "correction"}
        pins = np.full(len(self.rows), -1, dtype=np.int32)
        placed = self.placed(fair)
        pins[list(placed)] = list(placed.values())
        spaces, free = self.documents.spaces, self.labels.copy()
        free[list(self.placed(self.state.pins))] = -1
        groups, place = free.copy(), {number: g for g, number in enumerate(self.state.numbers)}
        known = [place.get(label.found) for row, label in fair.items() if self.documents.kept[row]]
        for row, group in zip(placed, known, strict=True):
            if group is not None:
                groups[row] = group
                continue
            near = free[spaces.nearest(row)[0]]
            groups[row] = np.bincount(near[near >= 0]).argmax() if (near >= 0).any() else self.labels[row]
        return pooled(spaces.space, spaces.graph, groups, pins, len(self.numbers), np.random.default_rng(0))


def _thrown(state: State, rows: list[int], documents: Collection) -> State:
    """Return the state after documents became off-topic: in no group, and off-topic examples."""
    labels, touched = state.labels.copy(), state.touched | _groups_of(state, rows)
    labels[rows] = -1
    if len(rows) > 1 and (empty := _emptied(state, labels, documents)):
        raise UnfollowedError(f"group {empty[0]} would have no documents: merge it with another group instead")
    pins = {other: label for other, label in state.pins.items() if other not in {*rows}}
    if not (documents.kept & (labels >= 0)).any():
        raise UnfollowedError("all documents would be off-topic: keep some in the groups")
    refit = state.refit or bool(documents.kept[rows].any())
    return replace(state, labels=labels, pins=pins, away=state.away | {*rows}, touched=touched, refit=refit)


def _emptied(state: State, labels: Array, documents: Collection) -> list[int]:
    """Return the groups that lose all their documents under `labels`."""
    return [each for each in sorted(_groups_of(state, documents.kept)) if not (documents.kept & (labels == each)).any()]


def _lock(state: State, decision: log.Lock, documents: Collection) -> State:
    group = {_group(decision.group, state)}
    return replace(state, done=state.done - group if decision.reopen else state.done | group)


def _word(state: State, decision: log.Word, documents: Collection) -> State:
    group = None if decision.group is None else _group(decision.group, state)
    given = [word for word in decision.words if documents.columns(word)] or decision.words[:1]
    columns = [column for word in given for column in _columns(word, documents)]
    if group is None:
        free, words = state.free | documents.with_columns(columns), _without(state.words, given)
        return replace(state, ignored=state.ignored | {*given}, words=words, free=free, refit=True)
    words = {**state.words, **dict.fromkeys(given, Label(group, decision.weight))}
    after = _Placed(state, documents).moved_by_words(words)
    touched = state.touched | {group} | set(state.labels[after != state.labels].tolist())
    ignored = state.ignored - {*given}
    return replace(state, labels=after, words=words, ignored=ignored, touched=touched, refit=True)


def _without(words: Mapping[str, Label], others: Iterable[str]) -> dict[str, Label]:
    gone = {*others}
    return {word: label for word, label in words.items() if word not in gone}


def _rename(state: State, decision: log.Rename, documents: Collection) -> State:
    group = _group(decision.group, state)
    owner = next((other for other, name in state.names.items() if name == decision.name), group)
    if owner != group:
        raise UnfollowedError(f"group {owner} has that name; choose another")
    return replace(state, names={**state.names, group: decision.name})


def _merge(state: State, decision: log.Merge, documents: Collection) -> State:
    kept, *others = dict.fromkeys(_group(each, state) for each in decision.groups)
    if not others:
        raise UnfollowedError("they are already one group")
    labels = np.where(np.isin(state.labels, others), np.int32(kept), state.labels)
    numbers = tuple(number for number in state.numbers if number not in others)
    return replace(
        state,
        labels=labels.astype(np.int32),
        numbers=numbers,
        names=_names_after_merge(state, kept, others),
        pins=_moved_labels(state.pins, others, kept),
        absent=_moved_labels(state.absent, others, kept),
        words=_moved_labels(state.words, others, kept),
        touched=(state.touched | {kept}) - set(others),
        done=state.done - {kept, *others},
        used=_next_number(state),
        weights=_merged_weights(state, [kept, *others]),
        apart=_apart_after_merge(state, kept, others),
        refit=True,
    )


def _split(state: State, decision: log.Split, documents: Collection, halve: Halve) -> State:
    group = _group(decision.group, state)
    members = np.flatnonzero(documents.kept & (state.labels == group))
    if len(members) < 2:
        count = "one document" if len(members) else "no document"
        raise UnfollowedError(f"group {group} has {count}, which cannot be split")
    second = members[_smaller(halve(members))]
    number = _new_number(state)
    labels = state.labels.copy()
    labels[second] = number
    pins = {row: _in_half(label, int(labels[row]), group) for row, label in state.pins.items()}
    numbers = tuple(sorted((*state.numbers, number)))
    weights = {**state.weights, **_halves_weights(state, group, number, len(members), len(second))}
    like = {frozenset({number, *pair} - {group}) for pair in state.apart if group in pair}  # as the whole was
    return replace(
        state,
        labels=labels,
        numbers=numbers,
        pins=pins,
        weights=weights,
        touched=state.touched | {group, number},
        done=state.done - {group},
        used=max(state.used, number + 1),
        apart=state.apart | like | {frozenset({group, number})},
        refit=True,
    )


def _in_half(label: Label, half: int, group: int) -> Label:
    """Return a label after a split of `group`; the group where its document was found becomes unknown if it is
    `group`.
    """
    return replace(label, group=half, found=-1 if label.found == group else label.found)


def _new_group(state: State, decision: log.NewGroup, documents: Collection) -> State:
    rows = np.array([row for row in _rows(decision.documents, documents) if documents.kept[row]])
    if not len(rows):
        raise UnfollowedError("none of the documents has a known word, so the decision has no effect")
    owner = next((other for other, name in state.names.items() if name == decision.name), None)
    if owner is not None:
        raise UnfollowedError(f"group {owner} has that name; choose another")
    number, labels = _new_number(state), state.labels.copy()
    held = [*state.pins, *np.flatnonzero(state.finished).tolist()]
    near = () if decision.alone else joining(documents, state.labels, held, rows)
    labels[[*rows, *near]] = number
    moved = labels != state.labels
    if empty := _emptied(state, labels, documents):
        raise UnfollowedError(f"group {empty[0]} would have no documents: rename it instead")
    names = {**state.names, number: decision.name} if decision.name else state.names
    pins = {**state.pins, **{row: Label(number) for row in rows.tolist()}}
    weights = {**state.weights, number: _usual_weight(state) / int(np.count_nonzero(moved))}
    left = set(state.labels[moved].tolist()) - {-1}
    return replace(
        state,
        labels=labels,
        numbers=tuple(sorted((*state.numbers, number))),
        names=names,
        pins=pins,
        away=state.away - set(rows.tolist()),
        weights=weights,
        touched=state.touched | {number} | left,
        used=max(state.used, number + 1),
        apart=state.apart | {frozenset({number, each}) for each in left},
        refit=True,
    )


def _regroup(state: State, decision: log.Regroup, documents: Collection) -> State:
    labels, _ = regrouped(state, documents)
    pins = {row: replace(label, found=-1) for row, label in state.pins.items()}  # the groups are others now
    return replace(state, labels=labels, pins=pins, touched=state.touched | set(state.numbers), refit=True, again=True)


def regrouped(state: State, documents: Collection) -> tuple[Array, Pool]:
    """Return the groups of all documents, (n,), corrected by the labels of source "sample", and the pool.

    Raises
    ------
    UnfollowedError
        The labels are too few or do not support a change.
    """
    placed = _Placed(state, documents)
    pool = placed.pooled()
    if not pool.n_labels:
        raise UnfollowedError("there is no label of a randomly drawn document: give one the source sample")
    if not pool.changed:
        raise UnfollowedError(
            f"the {pool.n_labels} labels of randomly drawn documents are too few, or do not support a change"
        )
    labels = state.labels.copy()
    labels[placed.rows] = np.where(pool.labels < 0, -1, placed.numbers[pool.labels])
    for row, label in state.pins.items():
        labels[row] = label.group
    labels[state.finished] = state.labels[state.finished]
    return labels, pool


def _names_after_merge(state: State, kept: int, others: list[int]) -> dict[int, str]:
    """Return the group names after a merge: the merged group keeps its own name, or the first name of the others."""
    names = {number: name for number, name in state.names.items() if number not in others}
    name = next((state.names[number] for number in (kept, *others) if number in state.names), None)
    return names if name is None else {**names, kept: name}


def _apart_after_merge(state: State, kept: int, others: list[int]) -> frozenset[Pair]:
    """Return the pairs of separated groups after a merge; the merged group replaces the others."""
    pairs = (frozenset(kept if each in others else each for each in pair) for pair in state.apart)
    return frozenset(pair for pair in pairs if len(pair) == 2)


def _merged_weights(state: State, groups: list[int]) -> dict[int, float]:
    """Return the document weights after a merge; the total weight of the merged documents does not change."""
    sizes = [int(np.count_nonzero(state.labels == group)) for group in groups]
    total = sum(size * state.weights.get(group, 1.0) for group, size in zip(groups, sizes, strict=True))
    others = {number: weight for number, weight in state.weights.items() if number not in groups}
    return {**others, groups[0]: total / max(sum(sizes), 1)}


def _halves_weights(state: State, group: int, number: int, size: int, second: int) -> dict[int, float]:
    """Return the document weights after a split; the documents of each half together weigh as much as the whole group
    did.
    """
    total = size * state.weights.get(group, 1.0)
    return {group: total / (size - second), number: total / second}


def _usual_weight(state: State) -> float:
    """Return the mean total weight of the documents of a group."""
    sizes = [int(np.count_nonzero(state.labels == number)) for number in state.numbers]
    weights = [state.weights.get(number, 1.0) for number in state.numbers]
    return float(np.dot(sizes, weights) / len(sizes))


def _smaller(halves: Array) -> Array:
    """Return the mask of the smaller half; if halves are equal, of the half without the first document."""
    ones = int(np.count_nonzero(halves))
    if 2 * ones == len(halves):
        return np.asarray(halves != halves[0])
    return np.asarray(halves == (1 if 2 * ones < len(halves) else 0))


_FOLLOW: dict[type[log.Decision], Any] = {
    log.Label: _label,
    log.Word: _word,
    log.Rename: _rename,
    log.Merge: _merge,
    log.NewGroup: _new_group,
    log.NotAGroup: lambda state, decision, documents: state,
    log.Lock: _lock,
    log.Regroup: _regroup,
}


def _row(document: str, documents: Collection) -> int:
    if document not in documents.row_of:
        near = suggestion(document, documents.row_of, "")
        raise UnfollowedError("; ".join(filter(None, ["no document has this id", near])))
    return documents.row_of[document]


def _rows(given: Sequence[str], documents: Collection) -> list[int]:
    """Return the rows of the documents that exist; raise UnfollowedError if none does."""
    return [documents.row_of[each] for each in given if each in documents.row_of] or [_row(given[0], documents)]


def _next_number(state: State) -> int:
    return max(state.used, *(number + 1 for number in state.numbers))


def _new_number(state: State) -> int:
    """Return a new group number; after very many merges, the lowest free number, because arrays have a row for each."""
    number, k = _next_number(state), len(state.numbers) + 1
    return number if number < k + MOST_UNUSED else next(each for each in range(k) if each not in state.numbers)


def _group(given: log.Group, state: State) -> int:
    if isinstance(given, int):
        if given not in state.numbers:
            raise UnfollowedError(f"there is no group {given}; the groups are {_listed(state.numbers)}")
        return given
    for number, name in state.names.items():
        if name == given:
            return number
    advice = suggestion(given, state.names.values(), "first rename or split a group")
    raise UnfollowedError(f"no group is called {given!r}; {advice}")


def _columns(word: str, documents: Collection) -> list[int]:
    columns = documents.columns(word)
    if not columns and documents.is_stop_word(word):
        raise UnfollowedError("it is a stop word, which is already ignored")
    if not columns:
        unknown = "the word is not in the vocabulary (too rare, or a stop word)"
        raise UnfollowedError("; ".join(filter(None, [unknown, suggestion(word, documents.words, "")])))
    return columns


def _groups_of(state: State, rows: Any) -> frozenset[int]:
    """Return the groups that contain the documents."""
    return frozenset({*state.labels[rows].tolist()} - {-1})


def _moved_labels(labels: Mapping[Any, Any], others: list[int], kept: int) -> dict[Any, Any]:
    number = dict.fromkeys(others, kept)
    return {
        each: label
        and replace(label, group=number.get(label.group, label.group), found=number.get(label.found, label.found))
        for each, label in labels.items()
    }


def _listed(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:20]))
    return shown + (", ..." if len(numbers) > 20 else "")
