"""The receipt of a decision: moved documents, whether it is honoured, and contradicting decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .. import decisions as log
from ..decisions.history import (
    Effect,
    Version,
    effect_of,
    effects_of,
    first_with,
    new_decisions,
    relabelled,
)
from ..errors import counted
from .changes import AWAY, Moved


@dataclass(frozen=True)
class DecisionReceipt:
    """The effect of a decision.

    Parameters
    ----------
    decision : Decision
    moved : list of Moved or None
        The documents that changed group in the first version with the decision: all of them, or, with several new
        decisions, those that left or joined an affected group. None for a decision of the first fit.
    shared : int
        Number of other new decisions of that version that affect one of these groups.
    honoured : bool
        Whether the version agrees with the decision, and the model alone predicts the group of a labelled document.
        None if this is not known.
    sentence : str
        The effect as a sentence; "not followed: " and the reason if the decision could not be applied.
    contradicts : list of str
        Contradicting decisions.

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
    sentence: str
    contradicts: list[str]

    def __repr__(self) -> str:
        return f"<DecisionReceipt {self}>"

    def __str__(self) -> str:
        """Return the receipt as a sentence, without document ids."""
        moved = "" if self.moved is None else f"; {counted(len(self.moved), 'document')} moved"
        shared = f" (shared with {counted(self.shared, 'other decision')})" if self.shared else ""
        against = f"; against it: {'; '.join(self.contradicts)}" if self.contradicts else ""
        return f"{self.decision}: {self.sentence}{moved}{shared}{against}"


def decision_receipt(version: Version, decision: log.Decision) -> DecisionReceipt:
    """Return the receipt of a decision in a version's log; no fit is needed."""
    against = list(dict.fromkeys(contradictions(version, decision)))  # a repeated decision repeats them
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    if first is None or effect is None:
        return DecisionReceipt(decision, None, 0, *decision._outcome(version), against)
    moved = _moved(first, effect)
    failed = f"not followed: {effect.reason}" if effect.reason else ""
    honoured, sentence = (False, failed) if failed else decision._outcome(version)
    alone = bool(first.effects) or len(new_decisions(first)) == 1  # a saved version has one effect for all moves
    if not failed and alone and isinstance(decision, log.Merge | log.Split):
        sentence = f"{_result_of(effect)}; {sentence}"
    if honoured and alone and isinstance(decision, log.Label) and not decision.groups:
        sentence += _others_off_topic(decision, moved or [])
    others = sum(other.decision != decision and bool(other.groups & effect.groups) for other in effects_of(first))
    return DecisionReceipt(decision, moved, others, honoured, sentence, against)


def _moved(version: Version, effect: Effect) -> list[Moved] | None:
    """Return the moves by a decision; None if the version before is another fit from scratch, without its decisions."""
    if version.origin is None:
        return None
    before, after = version.origin.labels, version.labels
    rows = np.flatnonzero(before != after)
    if len(version.effects) != 1:  # a single effect is the cause of all moves
        changed, groups = np.isin(rows, effect.moved), list(effect.groups)
        others = np.isin(rows, np.concatenate([other.moved for other in effects_of(version)]))
        touched = np.isin(before[rows], groups) | np.isin(after[rows], groups) | np.isin(rows, effect.with_word)
        rows = rows[changed | (touched & ~others)]
    return [Moved(version.ids[row], int(before[row]), int(after[row])) for row in rows.tolist()]


def _others_off_topic(decision: log.Label, moved: list[Moved]) -> str:
    """Return a sentence that counts further documents that became off-topic by the threshold.

    >>> _others_off_topic(log.Label("a", ()), [Moved("a", 0, -1), Moved("b", 1, -1), Moved("c", -1, 0)])
    '; 1 more document is similar to the examples and became off-topic, too'
    """
    more = sum(move.after == AWAY and move.id not in decision.documents for move in moved)
    are = "is" if more == 1 else "are"
    return f"; {counted(more, 'more document')} {are} similar to the examples and became off-topic, too" if more else ""


def _result_of(effect: Effect) -> str:
    """Return a sentence on the groups after a merge or a split."""
    numbers = sorted(effect.groups)
    if len(numbers) == 1:
        return f"they became group {numbers[0]}"
    return f"it became groups {' and '.join(map(str, numbers))}"


# --- Contradictions between the decisions of a log


def contradictions(version: Version, decision: log.Decision) -> Iterator[str]:
    """Yield a sentence for each decision that contradicts this decision."""
    for other in version.decisions:
        if other == decision:
            continue
        if relabelled(version, decision, other):
            documents = "this document" if len(decision.labelled) == 1 else "one of these documents"
            yield f"another decision on {documents}: {other.place}"
        same = {*getattr(decision, "words", ())} & {*getattr(other, "words", ())}
        if same and getattr(decision, "group", None) is not None:
            yield f"another decision on this word: {other.place}"
