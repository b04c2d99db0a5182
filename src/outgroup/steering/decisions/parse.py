"""A decision from plain values: its kind, and the keys that it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any

from ...errors import InputError
from .values import KINDS, Decision


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
    return KINDS[kind](**values)


def _meant(given: Any, known: Iterable[str]) -> str:
    near = get_close_matches(str(given), known, 1)
    return f"did you mean {near[0]!r}?" if near else f"choose among {_listed(known)}"


def _listed(known: Iterable[str]) -> str:
    return ", ".join(map(repr, known))
