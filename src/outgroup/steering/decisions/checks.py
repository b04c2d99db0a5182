"""The values of decisions, each of them checked: what of it can be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InputError
from ...types import Array, Whole
from ..seeds import is_weight, shortly

Group = int | str
"""A group's number, or its name."""

Given = Whole | str
"""A group or a document as somebody may give it: by its number, its name or its id."""

Several = Sequence[Given] | Array
"""Groups or documents as somebody may give them."""

SOURCES = ("correction", "sample", "seed")
"""Where a label comes from: a correction, an answer about a document drawn at random, or a seed of the first fit."""

_LONGEST = 200  # letters of a name: it has to fit beside its group


def checked(name: str, given: Any, kind: str) -> Any:
    """Return the value of this name of a decision of a kind; raises InputError for one of no use.

    >>> checked("groups", [3, "trains"], "merge"), checked("document", 17, "belongs")
    ((3, 'trains'), '17')
    """
    return _CHECKS[name](_plain(given), kind)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _document(given: Any, kind: str) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise InputError(f"the document of {kind!r} is {given!r:.60}; give its id as a text")
    return str(given)


def _documents(given: Any, kind: str) -> tuple[str, ...]:
    if not isinstance(given, Sequence) or isinstance(given, str) or not len(given):
        raise InputError(f'the documents of {kind!r} are {given!r:.60}; give a list of ids such as ["d1", "d7"]')
    return tuple(dict.fromkeys(_document(each, kind) for each in given))


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


def name_of_version(number: int, given: Any) -> str:
    """Return what a version is called, as it is kept; "" takes its name back. Raises InputError for one of no use.

    >>> name_of_version(3, " before the split "), name_of_version(3, "")
    ('before the split', '')
    """
    return "" if given == "" else _name(given, f"version {number}").strip()


def _weight(given: Any, kind: str) -> float:
    if not is_weight(given):
        raise InputError(f"the weight of {kind!r} is {shortly(given)}; give a number from 1e-6 to 1e6")
    return float(given)


def _source(given: Any, kind: str) -> str:
    if given not in SOURCES:
        raise InputError(f"the source of {kind!r} is {given!r:.60}; give one of {', '.join(map(repr, SOURCES))}")
    return str(given)


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "document": _document,
    "documents": _documents,
    "word": _word,
    "group": _group,
    "groups": _groups,
    "name": _name,
    "weight": _weight,
    "source": _source,
}
