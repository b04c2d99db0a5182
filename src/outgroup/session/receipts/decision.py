"""The receipt of one decision: what moved because of it, whether it was honoured, and what it contradicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...report.sentences.wording import counted
from ...steering import decisions as log
from ...types import Array
from ..changes import Moved, moves
from ..state import said as in_short

Version = Any
"""A `Version`, which imports this module."""

_REPLACED = "another decision took its place"


@dataclass(frozen=True, eq=False)
class Effect:
    """What a decision touched when it was followed: the `groups` by number, the documents that it `put` elsewhere at
    once and those that hold its `word`, by number; `note` says why it could not be followed, and is "" where it was."""

    decision: log.Decision
    groups: frozenset[int]
    put: Array
    word: Array
    note: str = ""


@dataclass(frozen=True)
class DecisionReceipt:
    """What became of one decision.

    Parameters
    ----------
    decision : Decision
    moved : list of Moved or None
        The documents that changed group in the version that first had the decision: all, or of a version with several
        new ones those that left or joined a group which it touched; None where the first groups were found with it.
    shared : int
        How many other decisions of that version touched one of these groups, too.
    honoured : bool or None
        Whether the version does what was decided, and a labelled document or word would be there by its own content,
        too; None for a decision that was undone.
    said : str
        How, in words; "not followed: " and why where it could not be.
    contradicts : list of str
        Other decisions that say otherwise.

    Examples
    --------
    >>> from outgroup.session import Session
    >>> from outgroup.decisions import Rename
    >>> session = Session(["bread and butter", "butter on bread", "a train to town", "the town's rails"], n_clusters=2)
    >>> version = session.fit([Rename(0, "first")], start=session.fit())
    >>> receipt = version.receipt(Rename(0, "first"))
    >>> print(receipt)
    rename 0 first: the group has this name; 0 documents moved
    >>> receipt.honoured
    True
    """

    decision: log.Decision
    moved: list[Moved] | None
    shared: int
    honoured: bool | None
    said: str
    contradicts: list[str]

    def __repr__(self) -> str:
        return f"<DecisionReceipt {self}>"

    def __str__(self) -> str:
        """The receipt in a sentence, without the names of what moved."""
        moved = "" if self.moved is None else f"; {counted(len(self.moved), 'document')} moved"
        shared = f" (shared with {counted(self.shared, 'other decision')})" if self.shared else ""
        against = f"; against it: {'; '.join(self.contradicts)}" if self.contradicts else ""
        return f"{in_short(self.decision)}: {self.said}{moved}{shared}{against}"


def decision_receipt(version: Version, decision: log.Decision) -> DecisionReceipt:
    """Return what became of a decision of the version's log, without a fit."""
    if decision not in version.lasting:
        return DecisionReceipt(decision, [], 0, None, "undone", [])
    against = list(_against(version, decision))
    first = _first_with(version, decision)
    effect = None if first is None else _effect(first, decision)
    if first is None or effect is None:
        return DecisionReceipt(decision, None, 0, *_honoured(version, decision), against)
    moved = _moved(first, effect)
    why = effect.note.removeprefix(f"{in_short(decision)}: ")  # the note names the decision
    honoured, said = (False, f"not followed: {why}") if effect.note else _honoured(version, decision)
    if not effect.note and isinstance(decision, log.Merge | log.Split) and (first.effects or len(_new(first)) == 1):
        said = f"{_became(effect)}; {said}"
    others = sum(other.decision != decision and bool(other.groups & effect.groups) for other in _effects(first))
    return DecisionReceipt(decision, moved, others, honoured, said, against)


def _first_with(version: Version, decision: log.Decision) -> Version | None:
    """Return the latest version for which the decision was new."""
    step: Version | None = version
    while step is not None and decision not in _new(step):
        step = step.parent
    return step


def _effect(version: Version, decision: log.Decision) -> Effect | None:
    return next((effect for effect in reversed(_effects(version)) if effect.decision == decision), None)


def _new(version: Version) -> tuple[log.Decision, ...]:
    """Return the decisions that a version was the first one to follow."""
    base = _base(version)
    return () if base is None else version.lasting[len(base.lasting) :]


def _base(version: Version) -> Version | None:
    """Return what the new decisions of a version were followed from, of one that was kept, too."""
    base, step = getattr(version, "base", None), version.parent
    while base is None and step is not None:
        base = step if step.lasting == version.lasting[: len(step.lasting)] else None
        step = step.parent
    return base


def _effects(version: Version) -> tuple[Effect, ...]:
    """Return what the new decisions of a version touched: of one that was kept, together, all that moved."""
    base = _base(version)
    if version.effects or base is None:
        return version.effects
    rows = np.flatnonzero(base.labels != version.labels)
    groups = frozenset({*base.labels[rows].tolist(), *version.labels[rows].tolist()} & {*version.numbers})
    return tuple(Effect(each, groups, rows, rows[:0], _note(version, each)) for each in _new(version))


def _note(version: Version, decision: log.Decision) -> str:
    """Return why a version could not follow a decision; "" where it did."""
    return next((note for note in version.notes if note.startswith(f"{in_short(decision)}: ")), "")


def _moved(version: Version, effect: Effect) -> list[Moved]:
    base = _base(version)
    assert base is not None  # it has an effect
    before, after = base.labels, version.labels
    rows = np.flatnonzero(before != after)
    if len(version.effects) == 1:  # whatever moved did because of it
        return moves(version.ids, before, after, rows)
    own, groups = np.isin(rows, effect.put), list(effect.groups)
    others = np.isin(rows, np.concatenate([other.put for other in _effects(version)]))
    touched = np.isin(before[rows], groups) | np.isin(after[rows], groups) | np.isin(rows, effect.word)
    return moves(version.ids, before, after, rows[own | (touched & ~others)])


def _honoured(version: Version, decision: log.Decision) -> tuple[bool, str]:
    """Return whether a version does what was decided, and how."""
    if isinstance(decision, log.Belongs | log.OffTopic) and _row(version, decision.document) is None:
        return False, "no document has this id"
    if isinstance(decision, log.Belongs):
        return _document(version, decision)
    if isinstance(decision, log.OffTopic):
        gone = bool(version.labels[_row(version, decision.document)] < 0)
        return gone, "in no group, and an example of what belongs to none" if gone else _REPLACED
    if isinstance(decision, log.WordBelongs):
        return _word(version, decision)
    if isinstance(decision, log.IgnoreWord):
        return decision.word in version.state.ignored, "it counts in no document"
    if isinstance(decision, log.Rename):
        named = decision.name in version.names.values()
        return named, "the group has this name" if named else "the group has another name since"
    if isinstance(decision, log.Regroup):
        return True, "documents moved where the groups' words and their neighbours both say so"
    count = len(version.numbers)
    return True, f"there {'is' if count == 1 else 'are'} {counted(count, 'group')}"


def _became(effect: Effect) -> str:
    """Return which groups a merge or a split came to, when it was followed."""
    numbers = sorted(effect.groups)
    if len(numbers) == 1:
        return f"they became group {numbers[0]}"
    return f"it became groups {' and '.join(map(str, numbers))}"


def _row(version: Version, document: str) -> int | None:
    """Return the row of a document, None where there is none of this id."""
    return None if version.documents is None else version.documents.row_of.get(document)


def _document(version: Version, decision: log.Belongs) -> tuple[bool, str]:
    assert version.documents is not None
    row = version.documents.row_of[decision.document]
    pin = version.state.pins.get(row)
    if pin is None or _later(version, decision, _same_document):
        return False, _REPLACED
    own = version.own(row)
    if own == pin.group:
        return True, f"in group {own}, and by its own content, too"
    return False, f"in group {pin.group} because you said so; by its own content it would be in group {own}"


def _word(version: Version, decision: log.WordBelongs) -> tuple[bool, str]:
    assert version.documents is not None
    label = version.state.words.get(decision.word)
    if label is None or _later(version, decision, _same_word):
        return False, _REPLACED
    columns = version.documents.columns(decision.word)
    if not columns:
        return False, "the word is not in the vocabulary"
    weights = np.asarray(version.model.word_coef_)[:, columns].sum(axis=1)
    best = version.numbers[int(weights.argmax())]
    rows = np.flatnonzero(np.asarray(abs(version.model.spaces_.words[:, columns]).sum(axis=1)).ravel())
    inside = int(np.count_nonzero(version.labels[version.rows][rows] == label.group))
    said = f"{inside} of the {len(rows)} documents with it are in group {label.group}"
    return best == label.group, said if best == label.group else f"{said}; it speaks more for group {best}"


def _later(version: Version, decision: log.Decision, alike: Callable[[log.Decision, log.Decision], bool]) -> bool:
    """Whether a later decision took the place of this one."""
    place = max(i for i, other in enumerate(version.lasting) if other == decision)
    return any(alike(decision, other) for other in version.lasting[place + 1 :])


def _against(version: Version, decision: log.Decision) -> Iterator[str]:
    """Yield what else was decided that says otherwise."""
    for other in version.lasting:
        if other == decision:
            continue
        if _same_document(decision, other):
            yield f"another decision on this document: {_place(other)}"
        if _same_word(decision, other):
            yield f"another decision on this word: {_place(other)}"
        if _twins(version, decision, other):
            yield f"document {other.document!r} has the same text: {_place(other)}"
        if ways := _across(version, other, decision):
            yield f"document {other.document!r} was moved from group {ways[0]} to group {ways[1]}"
        if ways := _across(version, decision, other):
            yield f"groups {ways[0]} and {ways[1]} were merged"


def _same_document(decision: log.Decision, other: log.Decision) -> bool:
    kinds = log.Belongs | log.OffTopic
    return (
        isinstance(decision, kinds)
        and isinstance(other, kinds)
        and decision.document == other.document
        and _place(decision) != _place(other)
    )


def _same_word(decision: log.Decision, other: log.Decision) -> bool:
    if not isinstance(decision, log.WordBelongs) or not isinstance(other, log.WordBelongs | log.IgnoreWord):
        return False
    return decision.word == other.word


def _twins(version: Version, decision: log.Decision, other: log.Decision) -> bool:
    """Whether two decisions put documents of the same text to different groups."""
    if not isinstance(decision, log.Belongs) or not isinstance(other, log.Belongs) or decision.group == other.group:
        return False
    return decision.document != other.document and _same_text(version, decision.document, other.document)


def _across(version: Version, label: log.Decision, merge: log.Decision) -> tuple[int, int] | None:
    """Return from which group to which a label moved its document, where a later merge made them one."""
    if not isinstance(label, log.Belongs) or not isinstance(merge, log.Merge):
        return None
    lasting, first, row = version.lasting, _first_with(version, label), _row(version, label.document)
    between = lasting[lasting.index(label) : lasting.index(merge)]
    base = None if first is None else _base(first)
    if base is None or row is None or not between:
        return None
    number = {name: number for number, name in base.state.names.items()}
    before, after = int(base.labels[row]), number.get(label.group, label.group)
    gone = {group for each in between if isinstance(each, log.Merge) for group in each.groups[1:]}  # free numbers
    both = {number.get(group, group) for group in merge.groups} - gone
    return (before, after) if before != after and {before, after} <= both else None


def _place(decision: log.Decision) -> str:
    if isinstance(decision, log.Belongs | log.WordBelongs):
        return f"group {decision.group}"
    return "off-topic" if isinstance(decision, log.OffTopic) else "ignored"


def _same_text(version: Version, one: str, other: str) -> bool:
    documents = version.documents
    if documents is None or not {one, other} <= documents.row_of.keys():
        return False
    return documents.texts[documents.row_of[one]] == documents.texts[documents.row_of[other]]
