"""Read JSON and TOML files, which may be forged, and check plain values against declared types."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from ..errors import InputError, ModelError, in_words
from ..places import read_limited


def parse_json(raw: str | bytes, kind: Any = object) -> Any:
    """Parse a JSON text; its value must be of the type `kind` (see `fits`).

    Raises ValueError, in words, also for text that is not UTF-8, and for values nested too deeply: code that walks
    through them would raise RecursionError.
    """
    try:
        value = json.loads(raw)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    level = [value]
    for _ in range(64):  # nested levels; files of outgroup have at most eight
        level = [part for part in level if type(part) is dict or type(part) is list]
        if not level:
            return checked(value, kind)
        level = [inner for part in level for inner in (part.values() if type(part) is dict else part)]
    raise ValueError("it is nested too deeply")


def read_json(path: Path, kind: Any = object) -> Any:
    """Read a JSON file of a result or a project; raise OSError if it is not a regular file, or as `parse_json`."""
    if not path.is_file():  # a link to a device may be endless
        raise OSError(0, "not a regular file")
    return parse_json(path.read_bytes(), kind)


# --- Checks of plain values against declared types

Count = Annotated[int, lambda number: 0 <= number < 2**63]
"""A whole number from 0."""

GroupKey = Annotated[str, lambda key: key.isascii() and key.isdigit() and len(key) < 10]
"""The number of a group as the key of a JSON object."""


def fits(value: Any, kind: Any) -> bool:
    """Return whether a plain value matches a declared type.

    `kind` is a class, a union, a `Literal` of strings, a `TypedDict`, `list[T]`, `dict[K, V]`, `tuple[A, B]` (also a
    list), or `Annotated[T, check]` with a function of the value. A bool is not a number; a float is finite. A dict may
    have fields that its `TypedDict` does not declare.

    >>> fits([1, 2], list[Count]), fits([1, -2], list[Count]), fits(True, int), fits(["a", 1], tuple[str, int])
    (True, False, False, True)
    """
    return _misfit(value, kind) is None


def checked(value: Any, kind: Any) -> Any:
    """Return a plain value that matches a type; else raise ModelError with the name of the first wrong field.

    >>> checked({"groups": {"0": 3, "1": -1}}, dict[str, dict[str, Count]])
    Traceback (most recent call last):
    outgroup.errors.ModelError: its field 'groups.1' is missing or invalid
    """
    place = _misfit(value, kind)
    if place is None:
        return value
    raise ModelError(
        f"its field {place!r:.80} is missing or invalid" if place else "its content has the wrong structure"
    )


def fitting(content: Mapping[str, Any], names: Iterable[str], kind: Any) -> dict[str, Any]:
    """Return the fields with these names and with values that match a type."""
    return {name: content[name] for name in names if name in content and fits(content[name], kind)}


def _misfit(value: Any, kind: Any) -> str | None:
    """Return the name of the first field that does not match its type: "" for the value itself, None if all match."""
    origin, parts = _form(kind)
    if origin in (Annotated, NotRequired):
        place = _misfit(value, parts[0])
        return "" if place is None and not all(check(value) for check in parts[1:] if callable(check)) else place
    if origin in (Union, UnionType):
        places = [_misfit(value, part) for part in parts]
        return None if None in places else max(map(str, places), key=len)  # that of the most similar type
    if origin not in _CONTAINERS:
        return None if _is_scalar(value, kind, origin, parts) else ""
    if not isinstance(value, _CONTAINERS[origin]) or (origin is tuple and len(value) != len(parts)):
        return ""
    for name, part, part_kind in _inside(value, origin, parts):
        if (place := _misfit(part, part_kind)) is not None:
            return f"{name}.{place}" if place else str(name)
    return None


_RECORD = "a TypedDict"
_CONTAINERS: dict[Any, Any] = {_RECORD: dict, dict: dict, list: list, tuple: list | tuple}


@cache
def _form(kind: Any) -> tuple[Any, Any]:
    """Return the origin and the arguments of a type; for a `TypedDict`, the arguments are its fields."""
    if not is_typeddict(kind):
        return get_origin(kind), get_args(kind)
    hints = get_type_hints(kind, include_extras=True).items()
    return _RECORD, [(name, part, kind.__total__ and get_origin(part) is not NotRequired) for name, part in hints]


def _inside(value: Any, origin: Any, parts: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the name, value and type of each part of a container; the type is None if the part is missing."""
    if origin is _RECORD:
        for name, field_kind, is_needed in parts:
            if name in value:
                yield name, value[name], field_kind
            elif is_needed:
                yield name, ..., None
    elif origin is dict:
        for key, part in value.items():
            yield key, key, parts[0]
            yield key, part, parts[1]
    else:
        kinds = parts if origin is tuple else parts * len(value)
        yield from zip(range(len(value)), value, kinds, strict=True)


def _is_scalar(value: Any, kind: Any, origin: Any, parts: Any) -> bool:
    if origin is Literal:
        return isinstance(value, str) and value in parts
    if kind in (int, float):
        number = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        return number and (kind is int or abs(value) <= sys.float_info.max)
    return kind is Any or isinstance(value, NoneType if kind is None else kind)


# --- TOML files


# Strings and comments, whose dots do not nest.
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}' + r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\[^\n])*+"' + r"|'[^'\n]*+'|#[^\n]*+",
    re.DOTALL,
)
_DEEP_KEY = re.compile(r"(?:[\w-]++[ \t]*+\.[ \t]*+){64}")  # as for JSON


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text; raise ValueError or RecursionError, also for a key of more than 64 parts.

    The parser of the standard library keeps every beginning of a key: a key of 80 kB takes 6 GB.

    >>> parse_toml("a.b = 1"), parse_toml("a = '" + "b." * 100 + "'")["a"][:4]
    ({'a': {'b': 1}}, 'b.b.')
    >>> parse_toml("a." * 100 + "b = 1")
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    """
    if _DEEP_KEY.search(_TOML_TEXT.sub("s", text)):
        raise ValueError("it is nested too deeply")
    return tomllib.loads(text)


SINGLE_QUOTES = r"put text with backslashes, such as a Windows path, in single quotes: 'C:\data\docs.csv'"
"""Advice for a TOML string in which a backslash begins an escape by mistake."""


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raise InputError, with the file name, if it is unreadable or invalid."""
    content = read_limited(path)
    try:
        return parse_toml(content.decode())
    except (ValueError, RecursionError) as error:
        escapes = "Invalid hex value" in str(error) or "Unescaped" in str(error)
        advice = f"; {SINGLE_QUOTES}" if escapes else ""
        raise InputError(f"{path} is not a TOML file: {in_words(error)}{advice}") from error


def toml_value(value: Any) -> str:
    """Return a string, a number or a list of them as TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- Numbers of groups

MOST_UNUSED = 10_000
"""The largest count of unused group numbers: each merge leaves one, and each split takes a new one."""


def are_numbers(value: Any, k: int) -> bool:
    """Return whether a value holds k distinct group numbers with few gaps, because arrays have a row for every
    number.
    """
    return fits(value, list[Count]) and max(value, default=0) < k + MOST_UNUSED and len({*value}) == len(value) == k
