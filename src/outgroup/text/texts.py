"""Texts as callers give them, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array

# --- Texts as callers give them: lists, arrays and columns of other libraries, perhaps with holes

MISSING = ("error", "skip")
"""What to do with None (or NaN) among texts: raise, or leave it out."""


def as_texts(given: Any, name: str, missing: str = "error") -> list[str]:
    """Return texts as a list of str, "" for each that is missing where `missing` is "skip".

    Raises InputError, naming the place, for anything that is no text, and for none at all.

    >>> as_texts(["tea", None], "texts", "skip")
    ['tea', '']
    """
    if missing not in MISSING:
        raise InputError(f"missing is {missing!r:.60}; give 'error' or 'skip'")
    if given is None or isinstance(given, str | bytes):
        said = "None" if given is None else f"a single {type(given).__name__}"
        raise InputError(f"{name} must be a list of strings, not {said}")
    if is_table(given):  # its items would be the columns' names
        raise InputError(f"{name} is a {type(given).__name__}; give one of its columns, or make texts of it: texts_of")
    refuse_unordered(given, name)
    try:
        found = given.to_pylist() if hasattr(given, "to_pylist") else list(given)
    except TypeError as error:
        raise InputError(f"{name} must be a list of strings, not a {type(given).__name__}") from error
    if not found:
        raise InputError(f"{name} is empty; give at least one document")
    return [text if isinstance(text, str) else _hole(text, f"{name}[{i}]", missing) for i, text in enumerate(found)]


def is_table(given: Any) -> bool:
    """Return whether these are rows with fields; a lazy table of polars warns of being asked for its columns.

    >>> is_table(["tea"])
    False
    """
    return hasattr(given, "collect_schema") or hasattr(given, "columns")


def refuse_unordered(given: Any, name: str) -> None:
    """Raise InputError for a set or a mapping: texts are known by their places, which these do not have.

    >>> refuse_unordered({"tea": 1}, "texts")
    Traceback (most recent call last):
    outgroup.errors.InputError: texts is a dict; give a list of strings, such as list(texts.values())
    """
    if isinstance(given, set | frozenset):
        said = "whose order changes from run to run; give a list of strings, such as sorted"
        raise InputError(f"{name} is a {type(given).__name__}, {said}({name})")
    if isinstance(given, Mapping):
        said = f"give a list of strings, such as list({name}.values())"
        raise InputError(f"{name} is a {type(given).__name__}; {said}")


def _hole(value: Any, place: str, missing: str) -> str:
    if not is_missing(value):
        raise InputError(f"{place} is a {type(value).__name__}, not a text; texts must be a list of strings")
    if missing == "error":
        raise InputError(f"{place} is {value!r}, not a text; leave it out, or make the model with missing='skip'")
    return ""


def is_missing(value: Any) -> bool:
    """Return whether a value stands for nothing: None, NaN, or what pandas and masked arrays have for it.

    >>> is_missing(float("nan")), is_missing("")
    (True, False)
    """
    nothing = value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return nothing or (isinstance(value, float) and value != value)


# --- The order of texts, found beside other threads

_HEAD = 64  # bytes


def text_order(texts: Sequence[str], then: Array | None = None) -> Array:
    """Return the numbers of n texts in their order, equal ones by what comes `then` (n,), or as they were.

    Sorting texts is one call that holds the interpreter: a second for 500,000 texts, in which a server answers nobody.
    So they are sorted by their first bytes, which holds nothing, and only texts that begin alike are compared whole.

    >>> text_order(["b", "a", "b"]).tolist(), text_order(["b", "a", "b"], np.array([1, 0, 0])).tolist()
    ([1, 0, 2], [1, 2, 0])
    """
    heads = np.fromiter(map(_head, texts), f"S{_HEAD}", len(texts))
    order = np.argsort(heads, kind="stable")
    new = np.ones(len(order), dtype=bool)
    new[1:] = heads[order[1:]] != heads[order[:-1]]
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order))[: len(first)]
    for start, stop in zip(first[last > first + 1].tolist(), last[last > first + 1].tolist(), strict=True):
        alike = order[start:stop].tolist()
        order[start:stop] = sorted(alike, key=(lambda i: texts[i]) if then is None else lambda i: (texts[i], then[i]))
    return order


def _head(text: str) -> bytes:
    """Return the first bytes of a text, whose order is that of the characters."""
    return text[:_HEAD].encode("utf-8", "surrogatepass")[:_HEAD]
