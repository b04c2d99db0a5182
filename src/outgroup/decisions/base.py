"""The base class of decisions, and the checks of their fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError
from ..seeds import is_weight, short_repr
from ..types import Array, Whole
from .state import Group, State, Step, UnfollowedError

Given = Whole | str
"""A group or a document in user input: its number, its name or its id."""

Several = Sequence[Given] | Array
"""Several groups or documents in user input."""

SOURCES = ("person", "file", "model")
"""The sources of decisions."""

_LONGEST = 200  # letters of a name


def checked(name: str, given: Any, kind: str) -> Any:
    """Return the normalised value of a decision's field; raise InputError if it is invalid.

    >>> checked("groups", [3, "trains"], "merge"), checked("documents", 17, "label")
    ((3, 'trains'), ('17',))
    """
    return _CHECKS[name](_plain(given), kind)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _several(one: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Return the check of one or several values by the check of `one`; it returns a tuple without repetitions."""
    return lambda given, kind: tuple(dict.fromkeys(one(x, kind) for x in (given if _is_list(given) else [given])))


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str)


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"a document of {kind!r} is {given!r:.60}; give its id as a string")
    return str(given)


def _word(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"a word of {kind!r} is {given!r:.60}; give a word as a string")
    return given


def _text(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"a text of {kind!r} is {given!r:.60}; give a string that is not blank")
    return given


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the string {given!r:.60}; write a number without quotes")
    if isinstance(given, str):
        return name_of(given, kind)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"the group of {kind!r} is {given!r:.60}; give a group number (from 0) or a group name")
    return given


def name_of(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > _LONGEST:
        raise InputError(f"the name in {kind!r} is {given!r:.60}; give one line of 1 to {_LONGEST} characters")
    if given.strip().isdecimal():
        raise InputError(
            f"the name in {kind!r} is {given!r:.60}; a name must not be a number, because numbers identify groups"
        )
    return given


def _weight(given: Any, kind: str) -> float:
    if not is_weight(given):
        raise InputError(f"the weight of {kind!r} is {short_repr(given)}; give a number from 1e-6 to 1e6")
    return float(given)


def _source(given: Any, kind: str) -> str:
    if given not in SOURCES:
        raise InputError(f"the source of {kind!r} is {given!r:.60}; give one of {', '.join(map(repr, SOURCES))}")
    return str(given)


def _flag(given: Any, kind: str) -> bool:
    if not isinstance(given, bool):
        raise InputError(f"{given!r:.60} is not valid in {kind!r}; give true or false")
    return given


def _count(given: Any, kind: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InputError(f"the count of {kind!r} is {given!r:.60}; give a number of groups, at least 1")
    return given


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "documents": _several(_document),
    "words": _several(_word),
    "texts": _several(_text),
    "exclude": _several(_text),
    "group": _group,
    "groups": _several(_group),
    "name": name_of,
    "count": _count,
    "weight": _weight,
    "source": _source,
    "alone": _flag,
    "sample": _flag,
    "reopen": _flag,
    "same": _flag,
}


@dataclass(frozen=True)
class Decision:
    """Base class of decisions; `kind` is the name in files, `source` one of `SOURCES`, and `str` gives a sentence.

    A kind is a subclass in `kinds`: its fields with their checks, `_apply`, `_honoured` and `__str__`.

    Parameters
    ----------
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> from outgroup.decisions import Label, Split
    >>> [each.kind for each in (Label, Split)], Split(0, source="model").source
    (['label', 'split'], 'model')
    """

    kind: ClassVar[str]
    source: str = field(default="person", kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Normalise the fields, so that every decision can be written to a file; raise InputError for an invalid
        value.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not each.default:
                object.__setattr__(self, each.name, checked(each.name, value, self.kind))
        for name in ("documents", "words", "texts"):
            if getattr(self, name, None) == ():
                raise InputError(f"the {name} of {self.kind!r} are empty; give at least one")

    @property
    def labelled(self) -> tuple[str, ...]:
        """The ids of the documents that the decision labels."""
        return ()

    @property
    def place(self) -> str:
        """The place of the labelled documents or words, in words."""
        return ""

    @property
    def past(self) -> str:
        """The decision in the past tense, if it moves labelled documents to another group."""
        return ""

    def _apply(self, at: Step) -> State:
        """Return the state after the decision; raise UnfollowedError if it cannot be applied."""
        return at.state

    def reason_in(self, note: str) -> str:
        """Return the reason in a note if the note is about this decision; else "".

        Parameters
        ----------
        note : str
            A note of a version.

        Returns
        -------
        str

        Examples
        --------
        >>> from outgroup.decisions import Rename
        >>> Rename(6, "tea").reason_in("group 6 is called tea: there is no group 6"), Rename(6, "tea").reason_in("no")
        ('there is no group 6', '')
        """
        return note.removeprefix(f"{self}: ") if note.startswith(f"{self}: ") else ""

    def _follow(self, at: Step) -> State:
        """Return the state after the decision; if the decision cannot be applied, only a note is added."""
        state, ids = at.state, at.documents.ids
        try:
            after = self._apply(at)
        except UnfollowedError as reason:
            return replace(state, notes=(*state.notes, f"{self}: {reason}"))
        if not state.proposed:
            return after
        decided = {*getattr(self, "documents", ())}
        if len(after.numbers) > len(state.numbers):
            decided |= {ids[row] for row in np.flatnonzero(after.labels != state.labels).tolist()}
        left = tuple(group for each in state.proposed if (group := each.without(decided)) is not None)
        return replace(after, proposed=left)

    def _take_back(self, at: Step) -> State:
        """Return the state without the decision; a note if only an earlier version can undo it."""
        note = f"{self.kind} cannot be undone in a continued result, and stays in force"
        return replace(at.state, notes=(*at.state.notes, note))

    def _honoured(self, version: Any) -> tuple[bool, str]:
        """Return whether a `Version` agrees with the decision, and a sentence about it."""
        return True, ""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain values, without defaults.

        Returns
        -------
        dict
            The argument of `parse`.
        """
        found: dict[str, Any] = {"kind": self.kind}
        for each in sorted(fields(self), key=lambda each: each.name == "source"):  # the last
            value = getattr(self, each.name)
            if value != each.default:
                found[each.name] = list(value) if isinstance(value, tuple) else value
        return found


def subject_of(documents: Sequence[str]) -> tuple[str, bool]:
    """Return the documents of a decision, in words, and whether they are several."""
    first, *others = documents
    return (f"{first} and {len(others)} more", True) if others else (first, False)


def called(group: Group) -> str:
    return f"group {group}" if isinstance(group, int) else group
