"""The receipt of a decision: moved documents, whether it is honoured, and contradicting decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import decisions as log
from ..decisions import reason_in
from ..document_clustering import DocumentClustering
from ..pipeline import call, examples_for, rows_and_examples
from ..report.facts import Receipt
from ..report.sentences import counted, listed
from ..report.summary import Seeded, receipt
from ..types import Array, OnProgress
from .changes import AWAY, Moved, moves


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
    honoured : bool or None
        Whether the version agrees with the decision, and the model alone predicts the group of a labelled document;
        None for an undone decision.
    said : str
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
    said: str
    contradicts: list[str]

    def __repr__(self) -> str:
        return f"<DecisionReceipt {self}>"

    def __str__(self) -> str:
        """Return the receipt as a sentence, without document ids."""
        moved = "" if self.moved is None else f"; {counted(len(self.moved), 'document')} moved"
        shared = f" (shared with {counted(self.shared, 'other decision')})" if self.shared else ""
        against = f"; against it: {'; '.join(self.contradicts)}" if self.contradicts else ""
        return f"{self.decision}: {self.said}{moved}{shared}{against}"


def decision_receipt(version: Version, decision: log.Decision) -> DecisionReceipt:
    """Return the receipt of a decision in a version's log; no fit is needed."""
    if decision not in version.lasting:
        return DecisionReceipt(decision, [], 0, None, "undone", [])
    against = list(dict.fromkeys(contradictions(version, decision)))  # a repeated decision repeats them
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    if first is None or effect is None:
        return DecisionReceipt(decision, None, 0, *honoured_by(version, decision), against)
    moved = _moved(first, effect)
    why = reason_in(effect.note, decision) or effect.note
    honoured, said = (False, f"not followed: {why}") if effect.note else honoured_by(version, decision)
    alone = bool(first.effects) or len(new_decisions(first)) == 1  # a saved version has one effect for all moves
    if not effect.note and alone and isinstance(decision, log.Merge | log.Split):
        said = f"{_result_of(effect)}; {said}"
    if honoured and alone and isinstance(decision, log.Label) and not decision.groups:
        said += _others_off_topic(decision, moved)
    others = sum(other.decision != decision and bool(other.groups & effect.groups) for other in effects_of(first))
    return DecisionReceipt(decision, moved, others, honoured, said, against)


def _moved(version: Version, effect: Effect) -> list[Moved]:
    base = base_of(version)
    assert base is not None  # it has an effect
    before, after = base.labels, version.labels
    rows = np.flatnonzero(before != after)
    if len(version.effects) == 1:  # the only cause of all moves
        return moves(version.ids, before, after, rows)
    own, groups = np.isin(rows, effect.put), list(effect.groups)
    others = np.isin(rows, np.concatenate([other.put for other in effects_of(version)]))
    touched = np.isin(before[rows], groups) | np.isin(after[rows], groups) | np.isin(rows, effect.word)
    return moves(version.ids, before, after, rows[own | (touched & ~others)])


def _others_off_topic(decision: log.Label, moved: list[Moved]) -> str:
    """Return a sentence that counts further documents that became off-topic by the threshold.

    >>> _others_off_topic(log.Label("a", ()), [Moved("a", 0, -1), Moved("b", 1, -1), Moved("c", -1, 0)])
    '; 1 more document is similar to the examples and became off-topic, too'
    """
    more = sum(each.after == AWAY and each.id not in decision.documents for each in moved)
    are = "is" if more == 1 else "are"
    return f"; {counted(more, 'more document')} {are} similar to the examples and became off-topic, too" if more else ""


def _result_of(effect: Effect) -> str:
    """Return a sentence on the groups after a merge or a split."""
    numbers = sorted(effect.groups)
    if len(numbers) == 1:
        return f"they became group {numbers[0]}"
    return f"it became groups {' and '.join(map(str, numbers))}"


# --- Whether a version honours a decision

_REPLACED = "another decision replaced it"


def honoured_by(version: Version, decision: log.Decision) -> tuple[bool, str]:
    """Return whether a version honours a decision, and a sentence about it."""
    if isinstance(decision, log.NewGroup):
        return _new_group(version, decision)
    if isinstance(decision, log.Label):
        return _labelled(version, decision)
    if isinstance(decision, log.Lock):
        open_ = "its documents stay" if not decision.reopen else "fits may move its documents again"
        return (_number(version, decision.group) in version.state.done) != decision.reopen, open_
    if isinstance(decision, log.Word):
        return _word(version, decision)
    if isinstance(decision, log.Rename):
        named = decision.name in version.names.values()
        return named, "the group has this name" if named else "the group was renamed later"
    if isinstance(decision, log.NotAGroup):
        return True, "they are not proposed again"
    if isinstance(decision, log.Regroup):
        return True, "documents moved to the groups where they and similar documents fit best"
    then = first_with(version, decision) or version  # later merges and splits change the number
    return True, f"{counted(len(then.numbers), 'group')} in all"


def _labelled(version: Version, decision: log.Label) -> tuple[bool, str]:
    """Return whether all documents are in the labelled group, with a count."""
    rows = [row for each in decision.documents if (row := row_of(version, each)) is not None]
    state, count = version.state, len(decision.documents)
    if not rows:
        return False, "no document has this id"
    if count == 1 and decision.groups:
        return _document(version, decision, rows[0])
    if decision.groups:
        group = _number(version, decision.groups[0])
        there, where = sum(row in state.pins and state.pins[row].group == group for row in rows), decision.place
        where = f"in {where}"
    else:
        there, where = sum(row in state.away for row in rows), "in no group, as off-topic examples"
    if count == 1:
        return bool(there), "in no group, and an off-topic example" if there else _REPLACED
    return there == count, f"{there} of {counted(count, 'document')} {where}"


def _document(version: Version, decision: log.Label, row: int) -> tuple[bool, str]:
    pin = version.state.pins.get(row)
    if pin is None or _later(version, decision, partial(same_document, version)):
        return False, _REPLACED
    own, where = version.own(row), f"in group {pin.group}{_since(version, decision, decision.groups[0], row)}"
    if not version.documents.kept[row]:
        return True, f"{where} by your decision; the document has no known word"
    if own == pin.group:
        return True, f"{where}; the model predicts the same"
    return False, f"{where} by your decision; the model predicts group {own}"


def _number(version: Version, group: log.Group | None) -> int | None:
    """Return the number of a group given by number or name; None for an unknown name."""
    return group if isinstance(group, int) else {name: number for number, name in version.names.items()}.get(group)


def _since(version: Version, decision: log.Decision, group: log.Group | None, row: int) -> str:
    """Return a sentence on the later decision that moved a labelled document; "" if none did."""
    same = _number(version, group) == version.state.pins[row].group
    return "" if same else _moved_since(version, decision, [row])


def _moved_since(version: Version, decision: log.Decision, rows: Sequence[int]) -> str:
    """Return the last later split or merge that moved a document of the decision; "" if none did."""
    later = version.lasting[last_place(version, decision) + 1 :]
    taken = [each for each in later if isinstance(each, log.Split | log.Merge) and _moved_with(version, each, rows)]
    return f" since {_what_happened(taken[-1])}" if taken else ""


def _what_happened(decision: log.Split | log.Merge) -> str:
    if isinstance(decision, log.Split):
        return f"group {decision.group} was split"
    return f"groups {' and '.join(map(str, decision.groups))} were merged"


def _moved_with(version: Version, decision: log.Decision, rows: Sequence[int]) -> bool:
    """Return whether a decision moved one of these documents to another group."""
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    return effect is not None and not effect.note and bool(np.isin(rows, effect.put).any())


def _new_group(version: Version, decision: log.NewGroup) -> tuple[bool, str]:
    """Return whether the model alone puts a new group's documents there, and a sentence that counts them."""
    later = version.lasting[last_place(version, decision) + 1 :]
    gone = set[str]().union(*(put_elsewhere(version, decision, other) for other in later))
    still = [row_of(version, each) for each in decision.documents if each not in gone]
    rows = [row for row in still if row is not None and row in version.state.pins]
    if not rows:
        return False, _REPLACED
    homes = [version.state.pins[row].group for row in rows]
    owns = [version.own(row) for row in rows]
    said = f"{_places(version, homes)}{_moved_since(version, decision, rows)}; {_by_content(homes, owns)}"
    return homes == owns, said + _without(len(decision.documents) - len(rows))


def _places(version: Version, homes: Sequence[int]) -> str:
    """Return the current groups of a new group's documents, as words."""
    groups = sorted({*homes})
    if len(groups) == 1:
        return f"group {groups[0]} has {counted(int(np.count_nonzero(version.labels == groups[0])), 'document')}"
    return f"its first documents are in {listed([f'group {group} ({homes.count(group)})' for group in groups])}"


def _by_content(homes: Sequence[int], owns: Sequence[int]) -> str:
    """Return how many documents the model alone puts in their group, with advice if there are none."""
    n, same = len(homes), sum(home == own for home, own in zip(homes, owns, strict=True))
    share = "all" if same == n else same or "none"
    subject = "its first document" if n == 1 else f"{share} of its {n} first documents"
    if same:
        return f"without labels, {subject} would also be there"
    where = f"in group {owns[0]}" if n == 1 else "there"
    more = f": put two or three similar documents into group {homes[0]}" if len({*homes}) == 1 else ""
    return f"without labels, {subject} would be {where}{more}"


def _without(gone: int) -> str:
    """Return how many documents of a new group are missing or in another group; "" if there are none."""
    if not gone:
        return ""
    return f"; {counted(gone, 'document')} of the decision {'is' if gone == 1 else 'are'} in another group or missing"


def _word(version: Version, decision: log.Word) -> tuple[bool, str]:
    assert version.documents is not None
    state, documents = version.state, version.documents
    if decision.group is None:
        are = "they are" if len(decision.words) > 1 else "it is"
        return {*decision.words} <= state.ignored, f"{are} ignored in all documents"
    labels = [state.words[word] for word in decision.words if word in state.words]
    if not labels or _later(version, decision, same_word):
        return False, _REPLACED
    columns = [column for word in decision.words for column in documents.columns(word)]
    if not columns:
        return False, "the word is not in the vocabulary"
    group = labels[0].group
    rows = np.flatnonzero(np.asarray(abs(version.model.spaces_.words[:, columns]).sum(axis=1)).ravel())
    inside = int(np.count_nonzero(version.labels[version.rows][rows] == group))
    verb = "is" if inside == 1 else "are"
    said = f"{inside:,} of the {counted(len(rows), 'document')} with the word {verb} in group {group}"
    others = sum(other.group == group for other in state.words.values())
    return True, said if others > 1 else f"{said}; documents move when they contain two labelled words of the group"


def _later(version: Version, decision: log.Decision, matches: Callable[[log.Decision, log.Decision], bool]) -> bool:
    """Return whether a later decision replaces this decision."""
    return any(matches(decision, other) for other in version.lasting[last_place(version, decision) + 1 :])


# --- The effects of decisions, and the version of a chain that first has them

Version = Any
"""A `Version`, which imports this module."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The direct effect of a decision: affected `groups`, moved rows `put`, rows with its `word`, and a `note` if it
    failed.
    """

    decision: log.Decision
    groups: frozenset[int]
    put: Array
    word: Array
    note: str


def first_with(version: Version, decision: log.Decision) -> Version | None:
    """Return the latest version that has this decision among its new decisions; None if there is none."""
    step: Version | None = version
    while step is not None and decision not in new_decisions(step):
        step = step.parent
    return step


def last_place(version: Version, decision: log.Decision) -> int:
    """Return the last position of a decision in the log of a version; a log may repeat it."""
    return max(place for place, other in enumerate(version.lasting) if other == decision)


def effect_of(version: Version, decision: log.Decision) -> Effect | None:
    return next((effect for effect in reversed(effects_of(version)) if effect.decision == decision), None)


def new_decisions(version: Version) -> tuple[log.Decision, ...]:
    """Return the decisions that are new in a version."""
    base = base_of(version)
    return () if base is None else version.lasting[len(base.lasting) :]


def base_of(version: Version) -> Version | None:
    """Return the version on which the new decisions of a version were applied."""
    base, step = getattr(version, "base", None), version.parent
    while base is None and step is not None:
        base = step if step.lasting == version.lasting[: len(step.lasting)] else None
        step = step.parent
    return base


def effects_of(version: Version) -> tuple[Effect, ...]:
    """Return the effects of a version's new decisions; in a saved version they share all moves."""
    base = base_of(version)
    if version.effects or base is None:
        return version.effects
    rows = np.flatnonzero(base.labels != version.labels)
    groups = frozenset({*base.labels[rows].tolist(), *version.labels[rows].tolist()} & {*version.numbers})
    return tuple(Effect(each, groups, rows, rows[:0], _note(version, each)) for each in new_decisions(version))


def _note(version: Version, decision: log.Decision) -> str:
    """Return the note on a decision that could not be applied; "" if it was applied."""
    return next((note for note in version.notes if reason_in(note, decision)), "")


def row_of(version: Version, document: str) -> int | None:
    """Return the row of a document; None for an unknown id."""
    return None if version.documents is None else version.documents.row_of.get(document)


# --- Contradictions between the decisions of a log


def contradictions(version: Version, decision: log.Decision) -> Iterator[str]:
    """Yield a sentence for each decision that contradicts this decision."""
    for other in version.lasting:
        if other == decision:
            continue
        if same_document(version, decision, other):
            documents = "this document" if len(decision.labelled) == 1 else "one of these documents"
            yield f"another decision on {documents}: {other.place}"
        if same_word(decision, other):
            yield f"another decision on this word: {other.place}"
        if (twin := _twin(version, decision, other)) is not None:
            yield f"document {twin!r} has the same text: {other.place}"
        if ways := _across(version, other, decision):
            yield f"document {other.labelled[0]!r} was moved from group {ways[0]} to group {ways[1]}"
        if ways := _across(version, decision, other):
            yield f"groups {ways[0]} and {ways[1]} were merged"


def same_document(version: Version, decision: log.Decision, other: log.Decision) -> bool:
    """Return whether both decisions label a document, but differently."""
    return bool(put_elsewhere(version, decision, other))


def put_elsewhere(version: Version, decision: log.Decision, other: log.Decision) -> set[str]:
    """Return the documents that both decisions label and the later one labels differently."""
    both = {*decision.labelled} & {*other.labelled}
    anew = isinstance(decision, log.NewGroup) and isinstance(other, log.NewGroup)
    if not both or (decision.place == other.place and not anew):
        return set()
    later = max(decision, other, key=lambda each: last_place(version, each))
    return {document for document in both if not _stays(version, later, document)}


def _stays(version: Version, decision: log.Decision, document: str) -> bool:
    """Return whether a decision repeats the earlier label of a document, by name or number."""
    first, row = first_with(version, decision), row_of(version, document)
    base = None if first is None else base_of(first)
    if first is None or base is None:
        return False
    before, after = base.state.pins.get(row), first.state.pins.get(row)
    return before is not None and after is not None and bool(before.group == after.group)


def same_word(decision: log.Decision, other: log.Decision) -> bool:
    if not isinstance(decision, log.Word) or not isinstance(other, log.Word) or decision.group is None:
        return False
    return not {*decision.words}.isdisjoint(other.words)


def _twin(version: Version, decision: log.Decision, other: log.Decision) -> str | None:
    """Return a document of `other` with the text of a document that `decision` puts into another group, or None."""
    documents = version.documents
    if documents is None or not isinstance(decision, log.Label) or not isinstance(other, log.Label):
        return None
    if not decision.groups or not other.groups or decision.groups == other.groups:
        return None
    text = {each: documents.texts[row] for each, row in documents.row_of.items()}
    own = {text.get(each) for each in decision.documents} - {None}
    return next((each for each in other.documents if each not in decision.documents and text.get(each) in own), None)


def _across(version: Version, label: log.Decision, merge: log.Decision) -> tuple[int, int] | None:
    """Return the groups between which a label moved its document, if a later merge joins them; else None."""
    if not isinstance(label, log.Label) or not label.groups or not isinstance(merge, log.Merge):
        return None
    lasting, first, row = version.lasting, first_with(version, label), row_of(version, label.documents[0])
    between = lasting[lasting.index(label) : lasting.index(merge)]
    base = None if first is None else base_of(first)
    if base is None or row is None or not between:
        return None
    number = {name: number for number, name in base.state.names.items()}
    before, after = int(base.labels[row]), number.get(label.groups[0], label.groups[0])
    gone = {group for each in between if isinstance(each, log.Merge) for group in each.groups[1:]}  # free numbers
    both = {number.get(group, group) for group in merge.groups} - gone
    return (before, after) if before != after and {before, after} <= both else None


# --- The steering receipt of a fitted model, by a comparison with a fit without seeds


def steering_receipt(model: DocumentClustering, ids: Sequence[str], progress: OnProgress) -> Receipt | None:
    """Return the effect of the seeds of a model, fitted on texts with these `ids`; None without seeds.

    Fits the same clusterer with the same random state without the seeds, on the same rows and Universum. Raises
    AttributeError for a loaded model, which has no rows.
    """
    placed, groups = model.placed_, model.clusterer_
    if placed is None:
        return None
    X, examples = rows_and_examples(model.spaces_, model.examples_, groups, model.order_)
    free = call(clone(groups).fit, X, progress=progress, **examples_for(groups, examples, model.thrown_))
    given = Seeded(
        X=model.spaces_.words,
        labels=model.labels_[model.kept_],
        coef=model.word_coef_,
        feature_names=model.representation_.names,
        ids=[ids[row] for row in np.flatnonzero(model.kept_).tolist()],
        seeds=placed.seeds,
        word_seeds=placed.word_seeds,
        names=placed.names,
    )
    return receipt(
        given,
        labels_without=free.labels_[np.argsort(model.order_)],
        objective=_objective(groups),
        objective_without=_objective(free),
    )


def _objective(groups: Any) -> float:
    """Return the objective without the seed terms."""
    return float(getattr(groups, "unsteered_objective_", groups.objective_))
