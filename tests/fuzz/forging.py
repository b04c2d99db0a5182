"""Forged values: every place of plain values and arrays, and a copy of them with another value there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

LEFT_OUT = object()
_MOST = 20  # parts of a list or dict that are forged: the others are alike


def places(value: Any, path: tuple[Any, ...] = (), most: int = _MOST) -> Iterator[tuple[Any, ...]]:
    """Yield every place of a value, as the keys that lead there."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, part in list(parts)[:most]:
        yield from places(part, (*path, key), most)


def forged(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """Return a copy of a value with what `change` makes of the part at a place."""
    if not path:
        return change(value)
    whole: Any = dict(value) if isinstance(value, dict) else list(value)
    part = forged(whole[path[0]] if isinstance(whole, list) else whole.get(path[0]), path[1:], change)
    if part is not LEFT_OUT:
        whole[path[0]] = part
    elif isinstance(whole, list) or path[0] in whole:
        del whole[path[0]]
    return whole


def _of_arrays(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the change for an array; other values turn into a list."""
    return lambda value: change(value) if isinstance(value, np.ndarray) and value.size else [value]


PLAIN: tuple[Any, ...] = (
    None, True, 0, -1, 3, 10**18, 10**400, 0.5, -1e300, math.nan, math.inf, "", "\x1b[31m{0} %s", [], {}, [[]],
    [None] * 3, {"a": 1}, {"class": "Vectorizer"},
)  # fmt: skip
"""Values that JSON can hold."""

CODE: tuple[str, ...] = (
    "evilmod:f", "subprocess:call", "evilmod", "os.system", "outgroup-hub/model", "http://127.0.0.1:9/x.jsonl",
    "s3://bucket/x", "tcp://127.0.0.1:9", "local:2", "cuda", "/dev/zero", "canary.txt", "0.0.0.0",
)  # fmt: skip
"""Values that name code, a model, an address, a device, or a file that nobody named."""

CHANGES: dict[str, Callable[[Any], Any]] = {
    "left out": lambda _: LEFT_OUT,
    **{f"now {value!r:.20}": lambda _, value=value: value for value in (  # type: ignore[misc]
        *PLAIN, np.zeros(0), np.zeros((2, 3, 4)), np.full(9, np.nan), np.ones((2, 9), dtype=bool),
        np.ones((2, 9), dtype=np.uint8), np.full((2, 9), 1e300), np.float16(2),
    )},
    "transposed": _of_arrays(lambda array: array.T[..., None]),
    "one row less": _of_arrays(lambda array: array[1:]),
    "one row more": _of_arrays(lambda array: np.concatenate([array, array[:1]])),
    "whole numbers": _of_arrays(lambda array: array.astype(np.int64)),
    "halves": _of_arrays(lambda array: array.astype(np.float16)),
    "the other end": _of_arrays(lambda array: array.astype(array.dtype.newbyteorder())),
    "not a number": _of_arrays(lambda array: np.where(np.arange(array.size).reshape(array.shape) == 0, np.nan, array)),
    "huge": _of_arrays(lambda array: array * 1e300),
    "negative": _of_arrays(lambda array: -array - 5),
    "doubled": lambda value: [*value, *value] if isinstance(value, list | tuple) else [value, value],
    "nested": lambda value: {"array": value},
}  # fmt: skip
"""What is made of the part at a place of a model's state, by name."""
