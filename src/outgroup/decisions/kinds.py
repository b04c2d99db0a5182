"""The kinds of decisions: a value with its checks, its effect, its sentence and its receipt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import Annotated, Any, TypedDict

import numpy as np
import scipy.sparse as sp

from ..cluster.seeded import fitted
from ..cluster.spherical import SphericalKMeans
from ..cluster.warm_start import WARM_START
from ..errors import InputError, counted, listed
from ..rows import as_rows, cluster_sums
from ..solve.tree import cut, halves, merges, smaller, splits
from .base import Decision, GroupKey, GroupKeys, Ids, Texts, documents_in_words, group_in_words
from .history import first_with, later_than, number_of, relabelled_later, rows_of
from .state import Pin, State, Step, UnfollowedError, joining

_REPLACED = "another decision replaced it"


@dataclass(frozen=True)
class Label(Decision):
    """The documents belong to the group, or to no group; their labels count `weight` times an ordinary label.

    A correction of one document also moves a few of its nearest documents; several documents move alone, and their
    labels together count at most as much as a group of mean size. Off-topic documents become off-topic examples.
    `Regroup` uses only labels of a random `sample`: corrections are a biased sample, of errors alone.

    Parameters
    ----------
    documents : str, int, or sequence of them
        The ids of at least one document, or their numbers if documents have no ids.
    groups : int, str, or sequence of them
        The group's number, or its name; of several, the first is the group, and the others are further groups of the
        documents. An empty sequence for off-topic documents.
    weight : float, default 1.0
        Above 0.
    sample : bool, default False
        Whether the documents were drawn at random, or are seeds of the first fit.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Label('d1', 'food').to_dict()
    {'kind': 'label', 'documents': ['d1'], 'groups': ['food']}
    >>> print(Label(('d1', 'd7'), (3, 'food')), Label('d2', ()), sep="; ")
    d1 and 1 more belong to group 3 and food; d2 is junk
    """

    kind = "label"
    documents: Ids
    groups: GroupKeys
    weight: float = 1.0
    sample: bool = field(default=False, repr=False)

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return self.documents

    @property
    def place(self) -> str:
        """The group, or "off-topic"."""
        return f"group {self.groups[0]}" if self.groups else "off-topic"

    def __str__(self) -> str:
        subject, several = documents_in_words(self.documents)
        if not self.groups:
            return f"{subject} {'are' if several else 'is'} junk"
        return f"{subject} belong{'' if several else 's'} to {listed([group_in_words(group) for group in self.groups])}"

    def _apply(self, at: Step) -> State:
        """Put the documents into the group; the nearest documents of a single one follow."""
        state, documents, rows = at.state, at.documents, at.rows_of(self.documents)
        if not self.groups:
            return self._set_off_topic(at, rows)
        (group, *further), labels = dict.fromkeys(at.group(given) for given in self.groups), state.labels.copy()
        weight = self.weight * min(1.0, 1 / (WARM_START.label * len(rows)))  # together at most a mean group
        found = {row: state.pins[row].found if row in state.pins else int(labels[row]) for row in rows}
        pins = {**state.pins, **{row: Pin(group, weight, self.sample, found[row], tuple(further)) for row in rows}}
        if len(rows) == 1 and documents.kept[rows[0]]:
            near, groups = at.moved_near(pins, rows)
            open_ = ~state.finished[near]
            labels[near[open_]] = groups[open_]
        labels[rows] = group
        touched = state.touched | {group} | at.groups_of(rows) | set(labels[labels != state.labels].tolist())
        empty = at.emptied(labels) if len(rows) > 1 else []
        refit = state.refit or bool(documents.kept[rows].any())  # a document without a row steers nothing
        state = replace(state, labels=labels, pins=pins, away=state.away - {*rows}, touched=touched, refit=refit)
        return Merge((group, *empty))._apply(Step(state, documents)) if empty else state

    def _set_off_topic(self, at: Step, rows: list[int]) -> State:
        """Return the state after documents became off-topic: in no group, and off-topic examples."""
        state, kept = at.state, at.documents.kept
        labels, touched = state.labels.copy(), state.touched | at.groups_of(rows)
        labels[rows] = -1
        if len(rows) > 1 and (empty := at.emptied(labels)):
            raise UnfollowedError(f"group {empty[0]} would have no documents: merge it with another group instead")
        pins = {other: label for other, label in state.pins.items() if other not in {*rows}}
        if not (kept & (labels >= 0)).any():
            raise UnfollowedError("all documents would be off-topic: keep some in the groups")
        refit = state.refit or bool(kept[rows].any())
        return replace(state, labels=labels, pins=pins, away=state.away | {*rows}, touched=touched, refit=refit)

    def _undo(self, at: Step) -> State:
        """Remove the labels; a fit may move the documents."""
        state, row_of = at.state, at.documents.row_of
        rows = [row_of[document] for document in self.documents if document in row_of]
        pins = {other: label for other, label in state.pins.items() if other not in rows}
        free = state.free.copy()
        free[rows] = True
        absent = {other: label for other, label in state.absent.items() if other not in self.documents}
        return replace(state, pins=pins, away=state.away - {*rows}, absent=absent, free=free, refit=True)

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether all documents are in the group, and the model alone puts a single one there."""
        rows = rows_of(version, self.documents)
        state, count = version.state, len(self.documents)
        if not rows:
            return False, "no document has this id"
        if not self.groups:
            there, where = sum(row in state.away for row in rows), "in no group, as off-topic examples"
        elif count == 1:
            return self._outcome_of_one(version, rows[0])
        else:
            group, where = number_of(version, self.groups[0]), f"in {self.place}"
            pins = [state.pins[row] for row in rows if row in state.pins]
            there = sum(pin.group == group and not self._missing(version, pin) for pin in pins)
        return there == count, f"{there} of {counted(count, 'document')} {where}"

    def _missing(self, version: Any, pin: Pin) -> list[str]:
        """Return the further groups that the label of a document lacks, in words."""
        held = (pin.group, *pin.further)
        return [group_in_words(given) for given in self.groups[1:] if number_of(version, given) not in held]

    def _outcome_of_one(self, version: Any, row: int) -> tuple[bool, str]:
        pin = version.state.pins.get(row)
        if pin is None or relabelled_later(version, self):
            return False, _REPLACED
        if missing := self._missing(version, pin):
            return False, f"in group {pin.group}, not in {listed(missing)}"
        own, also = version.own(row), "".join(f" and group {number}" for number in pin.further)
        where = f"in group {pin.group}{also}"
        if not version.documents.kept[row]:
            return True, f"{where} by your decision; the document has no known word"
        if own == pin.group:
            return True, f"{where}; the model predicts the same"
        return False, f"{where} by your decision; the model predicts group {own}"


@dataclass(frozen=True)
class Pair(Decision):
    """The two documents belong to the same group, or to different ones.

    The less sure one gets a label, and its nearest documents follow as for `Label`: the group of the other one, or, if
    the two are together but shall not be, its next group. Documents that are apart and shall be stay without a label.
    A labelled document is the surer one.

    Parameters
    ----------
    documents : sequence of two str or int
        The ids of two documents, or their numbers if documents have no ids.
    same : bool
        Whether they belong together.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Pair(('d1', 'd7'), same=True).to_dict()
    {'kind': 'pair', 'documents': ['d1', 'd7'], 'same': True}
    >>> print(Pair(('d1', 'd7'), same=False))
    d1 and d7 do not belong together
    """

    kind = "pair"
    documents: Ids
    same: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.documents) != 2:
            raise InputError(f"the documents of 'pair' are {self.documents!r:.60}; give two different documents")

    def __str__(self) -> str:
        return f"{' and '.join(self.documents)} {'' if self.same else 'do not '}belong together"

    def _apply(self, at: Step) -> State:
        """Label the less sure document."""
        state, rows = at.state, at.rows_of(self.documents)
        if len(rows) < 2:
            raise UnfollowedError(_ABSENT)
        groups, labelled = state.labels[rows], [row in state.pins or row in state.away for row in rows]
        together = groups[0] == groups[1]
        if together == self.same and (all(labelled) or not self.same):  # apart, they may be in any two groups
            return state
        if all(labelled):
            raise UnfollowedError("the labels of both documents say otherwise: undo one of them")
        chances = at.chances(rows)
        own = np.where(groups < 0, -1.0, (chances * (at.numbers == groups[:, None])).sum(axis=1))
        sure = max((0, 1), key=lambda one: (labelled[one], own[one]))
        less = 1 - sure
        if together and groups[sure] < 0 and not (self.same and labelled[sure]):
            raise UnfollowedError("the documents are in no group: label one of them first")
        group = groups[sure]
        if not self.same:
            others = np.where(at.numbers == group, 0.0, chances[less])
            if not others.any():
                raise UnfollowedError("no other group is near: start a new group with one of the documents")
            group = at.numbers[others.argmax()]
        return Label(self.documents[less], () if group < 0 else int(group))._apply(at)

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether the groups of the documents agree with the decision, and a sentence with these groups."""
        rows = rows_of(version, self.documents)
        if len(rows) < 2:
            return False, _ABSENT
        one, other = (group_in_words(group) if group >= 0 else "no group" for group in version.labels[rows].tolist())
        return (one == other) == self.same, f"both are in {one}" if one == other else f"they are in {one} and {other}"


_ABSENT = "one of the two documents is missing"


@dataclass(frozen=True)
class Word(Decision):
    """The words indicate the group; their labels count `weight` times an ordinary label. Without a group, ignore the
    words in all documents.

    Parameters
    ----------
    words : str, or sequence of str
        Words, in any form of their stems.
    group : int or str, optional
        The group's number, or its name.
    weight : float, default 1.0
        Above 0.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Word('bread', 0).to_dict()
    {'kind': 'word', 'words': ['bread'], 'group': 0}
    >>> print(Word('bread', 0), Word(['page', 'click']), sep="; ")
    bread means group 0; page and click are noise
    """

    kind = "word"
    words: Texts
    group: GroupKey = None
    weight: float = 1.0

    @property
    def place(self) -> str:
        """The group, or "ignored"."""
        return "ignored" if self.group is None else f"group {self.group}"

    def __str__(self) -> str:
        several, words = len(self.words) > 1, " and ".join(self.words)
        if self.group is None:
            return f"{words} {'are' if several else 'is'} noise"
        return f"{words} mean{'' if several else 's'} {group_in_words(self.group)}"

    def _apply(self, at: Step) -> State:
        """Move documents with labelled words to the group, or ignore the words."""
        state, group = at.state, None if self.group is None else at.group(self.group)
        given = [word for word in self.words if at.documents.columns(word)] or self.words[:1]
        columns = [column for word in given for column in at.columns(word)]
        if group is None:
            free, words = state.free | at.documents.with_columns(columns), _without(state.words, given)
            return replace(state, ignored=state.ignored | {*given}, words=words, free=free, refit=True)
        words = {**state.words, **dict.fromkeys(given, Pin(group, self.weight))}
        after = at.moved_by_words(words)
        touched = state.touched | {group} | set(state.labels[after != state.labels].tolist())
        ignored = state.ignored - {*given}
        return replace(state, labels=after, words=words, ignored=ignored, touched=touched, refit=True)

    def _undo(self, at: Step) -> State:
        """Remove the labels of the words; ignored words stay ignored."""
        if self.group is None:
            return super()._undo(at)
        return replace(at.state, words=_without(at.state.words, self.words), refit=True)

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether the labels of the words are in force, with a count of documents with the words."""
        state, several = version.state, len(self.words) > 1
        if self.group is None:
            return {*self.words} <= state.ignored, f"{'they are' if several else 'it is'} ignored in all documents"
        labels = [state.words[word] for word in self.words if word in state.words]
        later = {word for decision in later_than(version, self) for word in getattr(decision, "words", ())}
        if not labels or {*self.words} & later:
            return False, _REPLACED
        columns = [column for word in self.words for column in version.documents.columns(word)]
        if not columns:
            return False, "the word is not in the vocabulary"
        group = labels[0].group
        rows = np.flatnonzero(np.asarray(abs(version.model.spaces_.words[:, columns]).sum(axis=1)).ravel())
        inside = int(np.count_nonzero(version.labels[version.rows][rows] == group))
        sentence = (
            f"{inside:,} of the {counted(len(rows), 'document')} with the word{'s' if several else ''} "
            f"{'is' if inside == 1 else 'are'} in group {group}"
        )
        others = sum(other.group == group for other in state.words.values())
        return (
            True,
            sentence if others > 1 else f"{sentence}; documents move when they contain two labelled words of the group",
        )


@dataclass(frozen=True)
class Define(Decision):
    """The texts define the group: it starts from the documents near them, in the first fit. Without a group, no group
    starts from these documents.

    Parameters
    ----------
    texts : str, or sequence of str
        A definition, and examples.
    group : str, optional
        The group's name.
    exclude : str, or sequence of str, default ()
        Definitions of documents that do not belong to the group: it does not start from documents nearer to them.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Define("late or lost parcels", "delivery").to_dict()
    {'kind': 'define', 'texts': ['late or lost parcels'], 'group': 'delivery'}
    >>> print(Define("late or lost parcels", "delivery"))
    delivery is defined: late or lost parcels
    """

    kind = "define"
    texts: Texts
    group: GroupKey = None
    exclude: Texts = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.group, int):
            raise InputError(f"the group of 'define' is {self.group}: give the name of a new group")

    def __str__(self) -> str:
        what = "no group" if self.group is None else group_in_words(self.group)
        text = self.texts[0].removeprefix(f"{what}: ")  # with which a codebook's definition begins
        return f"{what} is defined: {shorten(text, 60, placeholder=' …')}"

    def _apply(self, at: Step) -> State:
        raise UnfollowedError("groups start from definitions in the first fit only: label documents instead")

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether a group started from the texts, and its number of documents."""
        if self.group is None:
            return True, "no group starts from documents near it"
        number = number_of(version, self.group)
        if number not in version.numbers:
            return False, "no group has this name: no document was near the definition, or the group got another name"
        return True, f"the group has {counted(int(np.count_nonzero(version.labels == number)), 'document')}"


def _without(words: Mapping[str, Pin], others: Sequence[str]) -> dict[str, Pin]:
    return {word: label for word, label in words.items() if word not in {*others}}


@dataclass(frozen=True)
class Rename(Decision):
    """Name the group.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    name : str
        Its new name.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Rename(0, 'food').to_dict()
    {'kind': 'rename', 'group': 0, 'name': 'food'}
    """

    kind = "rename"
    group: GroupKey
    name: str

    def __str__(self) -> str:
        return f"group {self.group} is called {self.name}"

    def _apply(self, at: Step) -> State:
        """Name the group; no document moves."""
        group = at.group(self.group)
        at.check_free(self.name, group)
        return replace(at.state, names={**at.state.names, group: self.name})

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether a group has the name."""
        named = self.name in version.names.values()
        return named, "the group has this name" if named else "the group was renamed later"


def _groups_after(decision: Decision, version: Any) -> tuple[bool, str]:
    """Return True, and the number of groups after the decision."""
    then = first_with(version, decision) or version  # later merges and splits change the number
    return True, f"{counted(len(then.numbers), 'group')} in all"


@dataclass(frozen=True)
class Merge(Decision):
    """Merge the groups; the result has the number of the first.

    Parameters
    ----------
    groups : sequence of int or str
        The numbers or names of at least two groups.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Merge((0, 3)).to_dict()
    {'kind': 'merge', 'groups': [0, 3]}
    """

    kind = "merge"
    groups: GroupKeys

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.groups) < 2:
            raise InputError(
                f"the groups of 'merge' are {self.groups!r:.60}; give at least two different groups, such as [3, 5]; "
                "the first group keeps its number"
            )

    def __str__(self) -> str:
        return f"groups {' and '.join(map(str, self.groups))} are one"

    def _apply(self, at: Step) -> State:
        """Give all documents, labels and words of the groups to the first one."""
        state = at.state
        kept, *others = dict.fromkeys(at.group(given) for given in self.groups)
        if not others:
            raise UnfollowedError("they are already one group")
        labels = np.where(np.isin(state.labels, others), np.int32(kept), state.labels)
        names = {number: name for number, name in state.names.items() if number not in others}
        named = next((number for number in (kept, *others) if number in state.names), None)
        definitions = {number: text for number, text in state.definitions.items() if number not in others}
        if named in others and named in state.definitions:
            definitions[kept] = state.definitions[named]  # with the name
        pairs = (frozenset(kept if group in others else group for group in pair) for pair in state.apart)
        return replace(
            state,
            labels=labels.astype(np.int32),
            numbers=tuple(number for number in state.numbers if number not in others),
            names=names if named is None else {**names, kept: state.names[named]},
            definitions=definitions,
            pins=_moved(state.pins, others, kept),
            absent=_moved(state.absent, others, kept),
            words=_moved(state.words, others, kept),
            touched=(state.touched | {kept}) - set(others),
            done=state.done - {kept, *others},
            used=state.next_number,
            weights=_merged_weights(state, [kept, *others]),
            apart=frozenset(pair for pair in pairs if len(pair) == 2),
            refit=True,
        )

    _outcome = _groups_after


def _moved(labels: Mapping[Any, Any], others: list[int], kept: int) -> dict[Any, Any]:
    number = dict.fromkeys(others, kept)

    def moved(label: Pin) -> Pin:
        group, *further = dict.fromkeys(number.get(old, old) for old in (label.group, *label.further))
        return replace(label, group=group, found=number.get(label.found, label.found), further=tuple(further))

    return {key: label and moved(label) for key, label in labels.items()}


def _merged_weights(state: State, groups: list[int]) -> dict[int, float]:
    """Return the document weights after a merge; the total weight of the merged documents does not change."""
    sizes = [int(np.count_nonzero(state.labels == group)) for group in groups]
    total = sum(size * state.weights.get(group, 1.0) for group, size in zip(groups, sizes, strict=True))
    others = {number: weight for number, weight in state.weights.items() if number not in groups}
    return {**others, groups[0]: total / max(sum(sizes), 1)}


@dataclass(frozen=True)
class Split(Decision):
    """Split the group in two; the smaller half gets a new number.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Split('food').to_dict()
    {'kind': 'split', 'group': 'food'}
    """

    kind = "split"
    group: GroupKey

    def __str__(self) -> str:
        return f"group {self.group} is two"

    def _apply(self, at: Step) -> State:
        """Give the smaller half of the documents by spherical k-means, with their labels, to a new group."""
        group, documents = at.group(self.group), at.documents
        members = np.flatnonzero(documents.kept & (at.state.labels == group))
        if len(members) < 2:
            count = "one document" if len(members) else "no document"
            raise UnfollowedError(f"group {group} has {count}, which cannot be split")
        rows = documents.spaces.take((np.cumsum(documents.kept) - 1)[members])
        order = rows.order()
        found = fitted(SphericalKMeans(2, random_state=0), rows.space[order])
        return self._apart(at, group, members[smaller(np.asarray(found.labels_)[np.argsort(order)])])

    @staticmethod
    def _apart(at: Step, group: int, second: Any) -> State:
        """Give documents of a group, with their labels, to a new group."""
        state, number = at.state, at.new_number()
        members = np.flatnonzero(at.documents.kept & (state.labels == group))
        labels = state.labels.copy()
        labels[second] = number
        total = len(members) * state.weights.get(group, 1.0)  # each half weighs as much as the whole group did
        heavier = {group: total / (len(members) - len(second)), number: total / len(second)}
        like = {frozenset({number, *pair} - {group}) for pair in state.apart if group in pair}  # as the whole was
        pins = {  # a further group `group` keeps its number
            row: replace(pin, group=int(labels[row]), found=-1 if pin.found == group else pin.found)
            for row, pin in state.pins.items()
        }
        return replace(
            state,
            labels=labels,
            numbers=tuple(sorted((*state.numbers, number))),
            pins=pins,
            weights={**state.weights, **heavier},
            touched=state.touched | {group, number},
            done=state.done - {group},
            used=max(state.used, number + 1),
            apart=state.apart | like | {frozenset({group, number})},
            refit=True,
        )

    _outcome = _groups_after


@dataclass(frozen=True)
class Level(Decision):
    """There are `count` groups: the cheapest merges along the tree, or the best splits.

    A merge keeps the lowest number; the smaller half of a split gets a new number. No other document of a group moves;
    the new fit may set aside others than before.

    Parameters
    ----------
    count : int
        At least 1.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Level(9).to_dict()
    {'kind': 'level', 'count': 9}
    """

    kind = "level"
    count: int

    def __str__(self) -> str:
        return f"there {'is one group' if self.count == 1 else f'are {self.count} groups'}"

    def _apply(self, at: Step) -> State:
        """Merge or split groups, as single decisions do."""
        state, numbers = at.state, [*at.state.numbers]
        rows = as_rows(at.documents.spaces.words).local()
        if rows is None:
            raise UnfollowedError("documents outside of memory have no tree; merge or split groups by number")
        if self.count < len(numbers):
            tree = merges(sp.csr_matrix(cluster_sums(as_rows(rows), at.labels, len(numbers))))
            branch = cut(np.array([(a, b) for a, b, _ in tree]), len(numbers), self.count)
            for lead in np.flatnonzero(np.bincount(branch) > 1):
                together = Merge(at.numbers[branch == lead].tolist())
                state = together._apply(replace(at, state=state))
            return state
        for group, moved, _ in splits(at.labels, len(numbers), self.count, lambda own: halves(rows[own])):
            state = Split._apart(replace(at, state=state), numbers[group], at.rows[moved])
            numbers += {*state.numbers} - {*numbers}
        if len(numbers) < self.count:
            raise UnfollowedError(f"the documents differ in {counted(len(numbers), 'group')} only; give a lower number")
        return state

    _outcome = _groups_after


@dataclass(frozen=True)
class NewGroup(Decision):
    """Start a new group with the documents; other documents join that are clearly nearer to these than to their own
    group.

    The new group takes the next new number: a session does not use a number again.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of at least one document, or their numbers if documents have no ids. Three work better than one.
    name : str, optional
        The name of the group.
    alone : bool, default False
        Whether no other documents join.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> NewGroup(('d1', 'd7'), 'refunds').to_dict()
    {'kind': 'new-group', 'documents': ['d1', 'd7'], 'name': 'refunds'}
    """

    kind = "new-group"
    documents: Ids
    name: str | None = None
    alone: bool = field(default=False, repr=False)

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents."""
        return self.documents

    @property
    def place(self) -> str:
        """The name of the group, if it has one."""
        return f"group {self.name}" if self.name else "a new group"

    def __str__(self) -> str:
        subject, several = documents_in_words(self.documents)
        return f"{subject} {'are' if several else 'is'} a new group{f' called {self.name}' if self.name else ''}"

    def _apply(self, at: Step) -> State:
        """Give the documents, and those that join, to a new group."""
        state, documents = at.state, at.documents
        rows = np.array([row for row in at.rows_of(self.documents) if documents.kept[row]])
        if not len(rows):
            raise UnfollowedError("none of the documents has a known word, so the decision has no effect")
        at.check_free(self.name)
        number, labels = at.new_number(), state.labels.copy()
        held = [*state.pins, *np.flatnonzero(state.finished).tolist()]
        near = () if self.alone else joining(documents, state.labels, held, rows)
        labels[[*rows, *near]] = number
        moved = labels != state.labels
        if empty := at.emptied(labels):
            raise UnfollowedError(f"group {empty[0]} would have no documents: rename it instead")
        left = set(state.labels[moved].tolist()) - {-1}
        return replace(
            state,
            labels=labels,
            numbers=tuple(sorted((*state.numbers, number))),
            names={**state.names, number: self.name} if self.name else state.names,
            pins={**state.pins, **{row: Pin(number) for row in rows.tolist()}},
            away=state.away - set(rows.tolist()),
            weights={**state.weights, number: _usual_weight(state) / int(np.count_nonzero(moved))},
            touched=state.touched | {number} | left,
            used=max(state.used, number + 1),
            apart=state.apart | {frozenset({number, group}) for group in left},
            refit=True,
        )

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether the model alone puts the documents there, and a sentence that counts them."""
        gone = relabelled_later(version, self)
        still = rows_of(version, [document for document in self.documents if document not in gone])
        rows = [row for row in still if row in version.state.pins]
        if not rows:
            return False, _REPLACED
        homes = [version.state.pins[row].group for row in rows]
        same = sum(home == version.own(row) for home, row in zip(homes, rows, strict=True))
        sizes = {group: int(np.count_nonzero(version.labels == group)) for group in sorted({*homes})}
        sentence = listed([f"group {group} has {counted(size, 'document')}" for group, size in sizes.items()])
        first = counted(len(self.documents), "first document")
        return same == len(rows), f"{sentence}; the model predicts the same for {same} of {first}"


def _usual_weight(state: State) -> float:
    """Return the mean total weight of the documents of a group."""
    sizes = [int(np.count_nonzero(state.labels == number)) for number in state.numbers]
    weights = [state.weights.get(number, 1.0) for number in state.numbers]
    return float(np.dot(sizes, weights) / len(sizes))


@dataclass(frozen=True)
class NotAGroup(Decision):
    """The documents are not a group: reject a proposed group, or keep a pocket. No document moves.

    Parameters
    ----------
    documents : sequence of str or int
        The ids of at least one document, or their numbers if documents have no ids.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> NotAGroup(('d1', 'd7')).to_dict()
    {'kind': 'not-a-group', 'documents': ['d1', 'd7']}
    """

    kind = "not-a-group"
    documents: Ids

    def __str__(self) -> str:
        subject, several = documents_in_words(self.documents)
        return f"{subject} {'are' if several else 'is'} not a group"

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return True: no later version proposes the documents."""
        return True, "they are not proposed again"


@dataclass(frozen=True)
class Lock(Decision):
    """Lock the group: later fits move none of its documents, until it is merged, split or reopened.

    Decisions on single documents still apply, and other documents may join the group.

    Parameters
    ----------
    group : int or str
        The group's number, or its name.
    reopen : bool, default False
        Whether fits may move its documents again.
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Lock('food').to_dict()
    {'kind': 'lock', 'group': 'food'}
    """

    kind = "lock"
    group: GroupKey
    reopen: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        return f"{group_in_words(self.group)} is {'open again' if self.reopen else 'done'}"

    def _apply(self, at: Step) -> State:
        """Hold the documents of the group in later fits."""
        group, done = {at.group(self.group)}, at.state.done
        return replace(at.state, done=done - group if self.reopen else done | group)

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether the group is locked."""
        sentence = "fits may move its documents again" if self.reopen else "its documents stay"
        return (number_of(version, self.group) in version.state.done) != self.reopen, sentence


@dataclass(frozen=True)
class Regroup(Decision):
    """Correct all groups by labels of a random sample, if cross-validation on these labels shows a gain.

    Without such labels or such support no document moves, and a note states the reason.

    Parameters
    ----------
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> Regroup().to_dict()
    {'kind': 'regroup'}
    """

    kind = "regroup"

    def __str__(self) -> str:
        return "all groups are found again"

    def _apply(self, at: Step) -> State:
        """Move documents where the regression of the labels puts them."""
        state, (labels, _) = at.state, at.regrouped()
        pins = {row: replace(label, found=-1) for row, label in state.pins.items()}  # the groups are others now
        touched = state.touched | set(state.numbers)
        return replace(state, labels=labels, pins=pins, touched=touched, refit=True)

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return True: the decision is a single move."""
        return True, "documents moved to the groups where they and similar documents fit best"


# --- Groups that new documents suggest


class ProposedRecord(TypedDict):
    """The saved fields of a `ProposedGroup`."""

    name: str
    words: list[str]
    documents: Annotated[list[str], len]


@dataclass(frozen=True)
class ProposedGroup:
    """New documents nearer to one another than to the fitted documents, with a name and their words.

    Parameters
    ----------
    name : str
        A phrase of their texts.
    documents : tuple of str
        Their ids.
    words : tuple of str
        Their most typical words, at most 8.

    Examples
    --------
    >>> proposed = ProposedGroup("bird food", ("n3", "n7"), ("bird",))
    >>> str(proposed), proposed.decision
    ('2 documents, bird food; words: bird', NewGroup(documents=('n3', 'n7'), name='bird food'))
    """

    name: str
    documents: Ids
    words: tuple[str, ...]

    @property
    def called(self) -> str:
        """The name, or else the first words."""
        return self.name or ", ".join(self.words[:4]) or "no words"

    @property
    def decision(self) -> NewGroup:
        """The decision that accepts the group; `NotAGroup(documents)` rejects it."""
        try:
            return NewGroup(self.documents, self.name or None)
        except InputError:  # a phrase that is not a name, such as a year
            return NewGroup(self.documents)

    def without(self, documents: Collection[str]) -> ProposedGroup | None:
        """Return the group without some documents; None if less than half of its documents, or only one, remain."""
        left = tuple(document for document in self.documents if document not in documents)
        return replace(self, documents=left) if len(left) > max(1, len(self.documents) / 2) else None

    def to_dict(self) -> ProposedRecord:
        """Return plain values for `from_dict`."""
        return {"name": self.name, "words": list(self.words), "documents": list(self.documents)}

    @classmethod
    def from_dict(cls, content: ProposedRecord) -> ProposedGroup:
        """Return the group described by plain values."""
        return cls(content["name"], tuple(content["documents"]), tuple(content["words"]))

    def __str__(self) -> str:
        return f"{len(self.documents):,} documents, {self.name}; words: {' '.join(self.words)}"
