"""The groups of documents in a few bytes, as a project file keeps those of each version."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from ..types import Array


def packed(labels: Sequence[int] | Array) -> bytes:
    """Return the numbers of groups in a few bytes."""
    return zlib.compress(np.asarray(labels, dtype="<i4").tobytes())


def unpacked(labels: bytes, count: int) -> Array:
    """Return the numbers of the groups of `count` documents, (count,) int32, or raise ValueError."""
    unzip, most = zlib.decompressobj(), 4 * count
    try:
        numbers = unzip.decompress(labels, most + 4)  # no more: a file that was sent may lie
        if not unzip.eof and len(numbers) <= most:
            raise zlib.error("they end too soon")
        found = np.frombuffer(numbers, dtype="<i4").astype(np.int32)
    except (zlib.error, ValueError) as error:
        raise ValueError(f"its groups cannot be read ({error})") from error
    if len(found) != count:
        more = "more" if len(found) > count else len(found)
        raise ValueError(f"it has groups of {more} documents, and there are {count}")
    return found
