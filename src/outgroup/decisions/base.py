"""The base class of decisions, and the checks of their fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..cluster.base import is_count
from ..errors import InputError
from .state import Group, State, Step, UnfollowedError

Ids = Any
"""In a decision: a tuple of ids of documents, given as one or several ids or numbers."""

Texts = Any
"""In a decision: a tuple of words or texts, given as one or several strings."""

GroupKey = Any
"""In a decision: the number or the name of a group; the number may be one of NumPy."""

GroupKeys = Any
"""In a decision: a tuple of these, given as one or several."""

SOURCES = ("person", "file", "model")
"""The sources of decisions."""

_LONGEST = 200  # letters of a name

Check = Callable[[Any, str], Any]
"""Return the normalised value of a field of a kind of decision; raise InputError if it is invalid."""


def short_repr(value: Any) -> str:
    """Return a shortened `repr` for a message; it works for integers of any length."""
    try:
        return f"{value!r:.60}"
    except ValueError:
        return "a number of thousands of digits"


def _check(field_name: str, is_valid: Callable[[Any], bool], advice: str) -> Check:
    def check(given: Any, kind: str) -> Any:
        if not is_valid(given):
            raise InputError(f"{field_name} of {kind!r} is {short_repr(given)}; give {advice}")
        return given

    return check


def _several(check: Check) -> Check:
    """Return the check of one or several values; it returns a tuple without repetitions."""
    return lambda given, kind: tuple(
        dict.fromkeys(check(value, kind) for value in ([given] if _is_single(given) else given))
    )


def _is_single(given: Any) -> bool:
    return isinstance(given, str) or not isinstance(given, Sequence)


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the string {given!r:.60}; write a number without quotes")
    return name_of(given, kind) if isinstance(given, str) else _number(given, kind)


def name_of(given: Any, kind: str) -> str:
    """Return a valid name; raise InputError for any other value."""
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > _LONGEST:
        raise InputError(f"the name in {kind!r} is {given!r:.60}; give one line of 1 to {_LONGEST} characters")
    if given.strip().isdecimal():
        raise InputError(
            f"the name in {kind!r} is {given!r:.60}; a name must not be a number, because numbers identify groups"
        )
    return given


def _is_id(given: Any) -> bool:
    return isinstance(given, str | int) and not isinstance(given, bool) and given != ""


def _is_weight(given: Any) -> bool:
    """Return whether a value is a number from 1e-6 to 1e6, for which sums stay exact enough."""
    return isinstance(given, int | float) and not isinstance(given, bool) and 1e-6 <= given <= 1e6


def _is_flag(given: Any) -> bool:
    return isinstance(given, bool)


def _is_text(given: Any) -> bool:
    return isinstance(given, str) and bool(given.strip())


_id = _check("a document", _is_id, "its id as a string")
_number = _check(
    "the group", partial(is_count, least=0), "a group number (from 0) or a group name; () for an off-topic document"
)
_weight = _check("the weight", _is_weight, "a number from 1e-6 to 1e6")
_text = _check("a text", _is_text, "a string that is not blank")
_CHECKS: dict[str, Check] = {
    "documents": _several(lambda given, kind: str(_id(given, kind))),
    "words": _several(_check("a word", _is_text, "a word as a string")),
    "texts": _several(_text),
    "exclude": _several(_text),
    "group": _group,
    "groups": _several(_group),
    "name": name_of,
    "count": _check("the count", is_count, "a number of groups, at least 1"),
    "weight": lambda given, kind: float(_weight(given, kind)),
    "source": _check("the source", SOURCES.__contains__, f"one of {', '.join(map(repr, SOURCES))}"),
    **{name: _check(name, _is_flag, "true or false") for name in ("alone", "sample", "reopen", "same")},
}

EXAMPLES = {
    "documents": ["d1", "d7"],
    "group": 3,
    "groups": [3],
    "words": ["bread"],
    "texts": ["late or lost parcels"],
    "name": "trains",
    "count": 9,
    "same": True,
}
"""A value of each field without a default, for messages."""


def _python_values(value: Any) -> Any:
    """Return a value with numbers of Python in place of those of NumPy, and lists in place of arrays."""
    value = value.tolist() if hasattr(value, "tolist") else value
    return [_python_values(part) for part in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Decision:
    """Base class of decisions; `kind` is the name in files, `source` one of `SOURCES`, and `str` gives a sentence.

    A kind is a subclass in `kinds`: its fields with their checks, `_apply`, `_outcome` and `__str__`.

    Parameters
    ----------
    source : {"person", "file", "model"}, default "person"

    Examples
    --------
    >>> from outgroup.decisions import Label, Split
    >>> [kind.kind for kind in (Label, Split)], Split(0, source="model").source
    (['label', 'split'], 'model')
    """

    kind: ClassVar[str]
    source: str = field(default="person", kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Normalise the fields, so that every decision can be written to a file; raise InputError for an invalid
        value.
        """
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not item.default:
                object.__setattr__(self, item.name, _CHECKS[item.name](_python_values(value), self.kind))
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
        left = tuple(rest for group in state.proposed if (rest := group.without(decided)) is not None)
        return replace(after, proposed=left)

    def _undo(self, at: Step) -> State:
        """Return the state without the decision; a note if only an earlier version can undo it."""
        note = f"{self.kind} cannot be undone in a continued result, and stays in force"
        return replace(at.state, notes=(*at.state.notes, note))

    def _outcome(self, version: Any) -> tuple[bool, str]:
        """Return whether a `Version` agrees with the decision, and the sentence of its receipt."""
        return True, ""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain values, without defaults.

        Returns
        -------
        dict
            The argument of `parse`.
        """
        found: dict[str, Any] = {"kind": self.kind}
        for item in sorted(fields(self), key=lambda item: item.name == "source"):  # the last
            value = getattr(self, item.name)
            if value != item.default:
                found[item.name] = list(value) if isinstance(value, tuple) else value
        return found


def documents_in_words(documents: Sequence[str]) -> tuple[str, bool]:
    """Return the documents of a decision, in words, and whether they are several."""
    first, *others = documents
    return (f"{first} and {len(others)} more", True) if others else (first, False)


def group_in_words(group: Group) -> str:
    return f"group {group}" if isinstance(group, int) else group
