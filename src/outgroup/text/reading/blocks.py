"""Documents as they come, a block of them at a time: what is larger than memory is read so."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from ...errors import OutgroupWarning
from ...places import Address
from .documents import Document, Skip
from .fields import Fields
from .gather import check, reading_notes, stripped, tally
from .inputs import items

_DOCUMENTS, _CHARACTERS = 20_000, 1 << 24  # of a block, about; one of these is reached first

OnShare = Callable[[float | None], None]
"""Called with the share of the input that was read, None where it is not known."""


@dataclass(frozen=True)
class Block:
    """Documents in the order of the input; a skip's `row` is the number of documents and skips before it in the block.

    `n_items` counts all that was read for it, so that a reader can go on behind it.
    """

    documents: list[Document]
    skipped: list[Skip]
    n_items: int


def read_blocks(
    path: str | os.PathLike[str] | Address,
    fields: Fields,
    *,
    strip: Collection[str] = (),
    behind: int = 0,
    on_share: OnShare | None = None,
) -> Iterator[Block]:
    """Yield the documents of an input in blocks, from the item numbered `behind` on.

    Raises CorpusError as `read_corpus` does, when it comes to it.
    """
    check(strip, "keep" if fields.keep_html else "text", fields.encoding)
    position = _Position()
    found: list[Document | Skip] = []
    size, read = 0, Counter[str]()
    for number, (item, total) in enumerate(
        islice(items(path, fields, position.opened), behind, None), start=behind + 1
    ):
        item = stripped(item, strip)
        found.append(item)
        size += 0 if isinstance(item, Skip) else len(item.head) + len(item.text)
        if len(found) >= _DOCUMENTS or size >= _CHARACTERS:
            read += tally(found)
            yield block_of(found)
            found, size = [], 0
            if on_share is not None:
                on_share(number / total if total else position.share())
    read += tally(found)
    if found:
        yield block_of(found)
    for said in reading_notes(read):
        warnings.warn(said, OutgroupWarning, stacklevel=2)


def block_of(found: list[Document | Skip]) -> Block:
    """Return what was read as a block."""
    documents, skipped = [], []
    for place, item in enumerate(found):
        if isinstance(item, Skip):
            skipped.append(Skip(item.where, item.reason, None if item.row is None else place))
        else:
            documents.append(item)
    return Block(documents, skipped, len(found))


class _Position:
    """How far a file is read, whatever it is packed with."""

    def __init__(self) -> None:
        self._stream: BinaryIO | None = None
        self._size = 0

    def opened(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size

    def share(self) -> float | None:
        if self._stream is None or self._stream.closed or not self._size:
            return None
        try:
            return self._stream.tell() / self._size
        except (OSError, ValueError):
            return None
