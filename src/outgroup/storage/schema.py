"""Check plain values of files, which may be forged, against declared types."""

from __future__ import annotations

import math
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

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
