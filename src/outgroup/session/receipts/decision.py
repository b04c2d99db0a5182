"""The receipt of one decision: what moved because of it, whether it was honoured, and what it contradicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...report.sentences.wording import counted
from ...steering import decisions as log
from ...steering.decisions.wording import reason_in, sentence_of
from ..changes import AWAY, Moved, moves
from .contradictions import contradictions
from .effects import Effect, Version, base_of, effect_of, effects_of, first_with, new_decisions
from .honoured import honoured_by


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
        Whether the version does what was decided, and what the groups have learned puts a labelled document or word
        there, too; None for a decision that was undone.
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
    group 0 is called first: the group has this name; 0 documents moved
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
        return f"{sentence_of(self.decision)}: {self.said}{moved}{shared}{against}"


def decision_receipt(version: Version, decision: log.Decision) -> DecisionReceipt:
    """Return what became of a decision of the version's log, without a fit."""
    if decision not in version.lasting:
        return DecisionReceipt(decision, [], 0, None, "undone", [])
    against = list(dict.fromkeys(contradictions(version, decision)))  # who answers twice says the same twice
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    if first is None or effect is None:
        return DecisionReceipt(decision, None, 0, *honoured_by(version, decision), against)
    moved = _moved(first, effect)
    why = reason_in(effect.note, decision) or effect.note
    honoured, said = (False, f"not followed: {why}") if effect.note else honoured_by(version, decision)
    alone = bool(first.effects) or len(new_decisions(first)) == 1  # of a kept version, all that moved is known together
    if not effect.note and alone and isinstance(decision, log.Merge | log.Split):
        said = f"{_became(effect)}; {said}"
    if honoured and alone and isinstance(decision, log.OffTopic):
        said += _went_too(decision, moved)
    others = sum(other.decision != decision and bool(other.groups & effect.groups) for other in effects_of(first))
    return DecisionReceipt(decision, moved, others, honoured, said, against)


def _moved(version: Version, effect: Effect) -> list[Moved]:
    base = base_of(version)
    assert base is not None  # it has an effect
    before, after = base.labels, version.labels
    rows = np.flatnonzero(before != after)
    if len(version.effects) == 1:  # whatever moved did because of it
        return moves(version.ids, before, after, rows)
    own, groups = np.isin(rows, effect.put), list(effect.groups)
    others = np.isin(rows, np.concatenate([other.put for other in effects_of(version)]))
    touched = np.isin(before[rows], groups) | np.isin(after[rows], groups) | np.isin(rows, effect.word)
    return moves(version.ids, before, after, rows[own | (touched & ~others)])


def _went_too(decision: log.OffTopic, moved: list[Moved]) -> str:
    """Say how many other documents went out, as happens at once when examples are enough for a threshold.

    >>> _went_too(log.OffTopic("a"), [Moved("a", 0, -1), Moved("b", 1, -1), Moved("c", -1, 0)])
    '; 1 more document is like the examples by now, and went out, too'
    """
    more = sum(each.after == AWAY and each.id != decision.document for each in moved)
    are = "is" if more == 1 else "are"
    return f"; {counted(more, 'more document')} {are} like the examples by now, and went out, too" if more else ""


def _became(effect: Effect) -> str:
    """Return which groups a merge or a split came to, when it was followed."""
    numbers = sorted(effect.groups)
    if len(numbers) == 1:
        return f"they became group {numbers[0]}"
    return f"it became groups {' and '.join(map(str, numbers))}"
