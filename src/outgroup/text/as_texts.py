"""Texts as callers give them: lists, arrays and columns of other libraries, perhaps with holes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError

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
