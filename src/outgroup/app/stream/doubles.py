"""Ids that occur more than once: what is sent and held of an id are eight bytes."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from ...errors import OutgroupWarning
from ...types import Array
from .results import JudgedBlock

_BYTES = 8


def digests(ids: list[str]) -> Array:
    """Return eight bytes of each id, (n,) int64, which are the same in every process."""
    short = (blake2b(each.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest() for each in ids)
    return np.frombuffer(b"".join(short), dtype=np.int64)


class Doubles:
    """Counts ids that occur more than once: they are written as they are."""

    def __init__(self) -> None:
        self._seen = array("q")  # grows where it lies

    def see(self, ids: Array) -> None:
        """Hear of the digests of some documents' ids."""
        self._seen.frombytes(ids.tobytes())

    def warn(self) -> None:
        """Warn, where there were any."""
        found = np.frombuffer(self._seen, dtype=np.int64)
        found.sort()
        again = int(np.count_nonzero(found[1:] == found[:-1]))
        if again:
            said = f"{again} documents have an id that occurred before; a stream leaves ids as they are"
            warnings.warn(said, OutgroupWarning, stacklevel=2)


def warning_of_doubles(blocks: Iterable[JudgedBlock]) -> Iterator[JudgedBlock]:
    """Yield the blocks, and warn in the end of ids that occurred more than once."""
    doubles = Doubles()
    for block in blocks:
        doubles.see(digests(block.ids))
        yield block
    doubles.warn()
