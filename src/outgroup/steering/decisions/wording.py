"""Decisions as sentences, the same as the page says them: for receipts and notes."""

from __future__ import annotations

from .checks import Group
from .values import Belongs, Decision, IgnoreWord, Merge, NewGroup, OffTopic, Rename, Split, WordBelongs


def sentence_of(decision: Decision) -> str:
    """Return a decision as a sentence.

    >>> sentence_of(Belongs("d1", 3)), sentence_of(Merge((3, "trains")))
    ('d1 belongs to group 3', 'groups 3 and trains are one')
    >>> sentence_of(NewGroup(("d1", "d7"), "refunds")), sentence_of(NewGroup(("d1",)))
    ('d1 and 1 more are a new group called refunds', 'd1 is a new group')
    """
    match decision:
        case Belongs():
            return f"{decision.document} belongs to {_called(decision.group)}"
        case OffTopic():
            return f"{decision.document} is junk"
        case WordBelongs():
            return f"{decision.word} means {_called(decision.group)}"
        case IgnoreWord():
            return f"{decision.word} is noise"
        case Rename():
            return f"group {decision.group} is called {decision.name}"
        case Merge():
            return f"groups {' and '.join(map(str, decision.groups))} are one"
        case Split():
            return f"group {decision.group} is two"
        case NewGroup():
            first, *others = decision.documents
            who = f"{first} and {len(others)} more are" if others else f"{first} is"
            return f"{who} a new group{f' called {decision.name}' if decision.name else ''}"
    return "undo" if decision.kind == "undo" else "all groups are found again"


def reason_in(note: str, decision: Decision) -> str:
    """Return why a decision could not be followed, where the note is of it; "" where it is not.

    >>> reason_in("group 6 is called tea: there is no group 6", Rename(6, "tea"))
    'there is no group 6'
    >>> reason_in("rename 6 tea: there is no group 6", Rename(6, "tea")), reason_in("a note", Rename(6, "tea"))
    ('there is no group 6', '')
    """
    for named in (sentence_of(decision), _as_in_files(decision)):  # projects kept before name it as files do
        if note.startswith(f"{named}: "):
            return note.removeprefix(f"{named}: ")
    return ""


def _as_in_files(decision: Decision) -> str:
    kind, *values = decision.to_dict().values()
    flat = [part for value in values for part in (value if isinstance(value, list) else [value])]
    return " ".join([kind, *map(str, flat)])


def _called(group: Group) -> str:
    return f"group {group}" if isinstance(group, int) else group
