"""A decision from plain values, each of them checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any

from ...errors import InputError
from .values import KINDS, Decision, Group, checked_weight

_LONGEST = 200  # letters of a name: it has to fit beside its group


def parse(given: Mapping[str, Any]) -> Decision:
    """Return the decision that plain values describe.

    Parameters
    ----------
    given : mapping
        "kind" and the decision's own values, as `to_dict` gives them.

    Returns
    -------
    Decision

    Raises
    ------
    InputError
        An unknown kind or key (naming the nearest), a missing one, or a value of no use.

    Examples
    --------
    >>> parse({"kind": "merge", "groups": [3, 5]})
    Merge(groups=(3, 5))
    """
    if not isinstance(given, Mapping):
        raise InputError(f'a decision is {given!r:.60}; give a table such as {{"kind": "off-topic", "document": "id"}}')
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"a decision's kind is {kind!r:.60}; {_meant(kind, KINDS)}")
    values = {key: value for key, value in given.items() if key != "kind"}
    known = {each.name: each for each in fields(KINDS[kind])}
    for key in values:
        if key not in known:
            raise InputError(f"a decision of kind {kind!r} has no {key!r:.60}; {_meant(key, known)}")
    missing = [name for name, each in known.items() if name not in values and each.default is MISSING]
    if missing:
        raise InputError(f"a decision of kind {kind!r} says no {missing[0]!r}; it needs {_listed(known)}")
    return KINDS[kind](**{key: _CHECKS[key](value, kind) for key, value in values.items()})


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"the document of {kind!r} is {given!r:.60}; give its id as a text")
    return str(given)


def _word(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip():
        raise InputError(f"the word of {kind!r} is {given!r:.60}; give a word as a text")
    return given


def _group(given: Any, kind: str) -> Group:
    if isinstance(given, str) and given.strip().isdecimal():
        raise InputError(f"the group of {kind!r} is the text {given!r:.60}; for a number, write it without quotes")
    if isinstance(given, str):
        return _name(given, kind)
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InputError(f"the group of {kind!r} is {given!r:.60}; give its number, from 0, or its name")
    return given


def _groups(given: Any, kind: str) -> tuple[Group, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"the groups of {kind!r} are {given!r:.60}; give a list such as [3, 5], the kept one first")
    found = tuple(_group(each, kind) for each in given)
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"the groups of {kind!r} are {given!r:.60}; give at least two, each once")
    return found


def _name(given: Any, kind: str) -> str:
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > _LONGEST:
        raise InputError(f"the name in {kind!r} is {given!r:.60}; give one line of 1 to {_LONGEST} letters")
    if given.strip().isdecimal():
        raise InputError(f"the name in {kind!r} is {given!r:.60}; a number is no name, since groups have numbers")
    return given


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "document": _document,
    "word": _word,
    "group": _group,
    "groups": _groups,
    "name": _name,
    "weight": checked_weight,
}


def _meant(given: Any, known: Iterable[str]) -> str:
    near = get_close_matches(str(given), known, 1)
    return f"did you mean {near[0]!r}?" if near else f"choose among {_listed(known)}"


def _listed(known: Iterable[str]) -> str:
    return ", ".join(map(repr, known))
