"""Which other decisions of a log say otherwise than one of it."""

from __future__ import annotations

from collections.abc import Iterator

from ...steering import decisions as log
from ...steering.decisions.log import documents_in
from .effects import Version, base_of, first_with, last_place, row_of


def contradictions(version: Version, decision: log.Decision) -> Iterator[str]:
    """Yield what else was decided that says otherwise."""
    for other in version.lasting:
        if other == decision:
            continue
        if same_document(version, decision, other):
            yield f"another decision on {_whom(decision)}: {_place(other)}"
        if same_word(decision, other):
            yield f"another decision on this word: {_place(other)}"
        if _twins(version, decision, other):
            yield f"document {other.document!r} has the same text: {_place(other)}"
        if ways := _across(version, other, decision):
            yield f"document {other.document!r} was moved from group {ways[0]} to group {ways[1]}"
        if ways := _across(version, decision, other):
            yield f"groups {ways[0]} and {ways[1]} were merged"


def _whom(decision: log.Decision) -> str:
    return "this document" if len(documents_in(decision)) == 1 else "one of these documents"


def same_document(version: Version, decision: log.Decision, other: log.Decision) -> bool:
    """Whether both say of a document where it belongs, and not the same."""
    return bool(put_elsewhere(version, decision, other))


def put_elsewhere(version: Version, decision: log.Decision, other: log.Decision) -> set[str]:
    """Return the documents of which both say where they belong, and not the same."""
    both = set(documents_in(decision)) & set(documents_in(other))
    anew = isinstance(decision, log.NewGroup) and isinstance(other, log.NewGroup)
    if not both or (_place(decision) == _place(other) and not anew):
        return set()
    later = max(decision, other, key=lambda each: last_place(version, each))
    return {document for document in both if not _stays(version, later, document)}


def _stays(version: Version, decision: log.Decision, document: str) -> bool:
    """Whether a decision says of a document that it belongs where it was put before, by a name or by a number."""
    first, row = first_with(version, decision), row_of(version, document)
    base = None if first is None else base_of(first)
    if first is None or base is None:
        return False
    before, after = base.state.pins.get(row), first.state.pins.get(row)
    return before is not None and after is not None and bool(before.group == after.group)


def same_word(decision: log.Decision, other: log.Decision) -> bool:
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
    lasting, first, row = version.lasting, first_with(version, label), row_of(version, label.document)
    between = lasting[lasting.index(label) : lasting.index(merge)]
    base = None if first is None else base_of(first)
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
    if isinstance(decision, log.NewGroup):
        return f"group {decision.name}" if decision.name else "a new group"
    return "off-topic" if isinstance(decision, log.OffTopic) else "ignored"


def _same_text(version: Version, one: str, other: str) -> bool:
    documents = version.documents
    if documents is None or not {one, other} <= documents.row_of.keys():
        return False
    return documents.texts[documents.row_of[one]] == documents.texts[documents.row_of[other]]
