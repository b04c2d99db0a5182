"""Read JSON and TOML files, which may be forged, and check plain values against declared types."""

from __future__ import annotations

import json
import math
import tomllib
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from ..errors import InputError, in_words


def parse_json(raw: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises ValueError, in words, also for text that is not UTF-8, and where values are nested too deep: code that walks
    through them would raise RecursionError.
    """
    try:
        found = json.loads(raw)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    level = [found]
    for _ in range(64):  # nested levels; files of outgroup have at most eight
        level = [each for each in level if type(each) is dict or type(each) is list]
        if not level:
            return found
        level = [part for each in level for part in (each.values() if type(each) is dict else each)]
    raise ValueError("it is nested too deep")


# --- Checks of plain values against declared types

Count = Annotated[int, lambda number: 0 <= number < 2**63]
"""A whole number from 0."""


def fits(value: Any, kind: Any) -> bool:
    """Return whether a plain value is of a type.

    `kind` is a class, a union, a `Literal` of strings, a `TypedDict`, `list[T]`, `tuple[A, B]` (also a list), or
    `Annotated[T, check]` with a function of the value. A bool is not a number; a float is finite.

    >>> fits([1, 2], list[Count]), fits([1, -2], list[Count]), fits(True, int), fits(["a", 1], tuple[str, int])
    (True, False, False, True)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        return isinstance(value, dict) and _is_record(value, kind)
    if origin in (Annotated, NotRequired):
        return fits(value, parts[0]) and all(check(value) for check in parts[1:] if callable(check))
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if origin is list:
        return isinstance(value, list) and all(fits(each, parts[0]) for each in value)
    if origin is tuple:
        return isinstance(value, list | tuple) and len(value) == len(parts) and all(map(fits, value, parts))
    if kind in (int, float):
        number = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        return number and (kind is int or abs(value) < math.inf)  # isfinite fails for a very large int
    return isinstance(value, NoneType if kind is None else kind)


def _is_record(value: dict[Any, Any], kind: Any) -> bool:
    known = get_type_hints(kind, include_extras=True)
    needed = {name for name, each in known.items() if kind.__total__ and get_origin(each) is not NotRequired}
    complete = needed <= value.keys() <= known.keys()
    return complete and all(fits(value[name], known[name]) for name in value)


# --- TOML files


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raises InputError with the file name if unreadable or invalid."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a TOML file: {in_words(error)}") from error


def toml_value(value: Any) -> str:
    """Return a string, a number or a list of them as TOML: JSON, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
