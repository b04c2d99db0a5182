"""Forged values: every place of plain values and arrays, and a copy of them with another value there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

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
