"""What a stream made of the documents: what is kept of them, their words, and their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...rows.dask import DaskRows
from ...rows.disk import DiskRows
from ...text.vectorize import Vectorizer
from ...types import Array
from .kept import Kept, KeptBlocks


@dataclass(frozen=True)
class Material:
    """The documents of a stream: what is kept of them, their words and rows, and which have one, (n,) bool."""

    blocks: KeptBlocks
    words: Vectorizer
    rows: DiskRows | DaskRows
    has_row: Array

    @property
    def row_of(self) -> Array:
        """The row of each document, (n,), of no meaning for one that has none."""
        return np.cumsum(self.has_row) - 1

    def documents(self) -> Iterator[tuple[int, Kept]]:
        """Yield each block with the number of documents before it."""
        first = 0
        for number in range(len(self.blocks)):
            kept = self.blocks.documents(number)
            yield first, kept
            first += len(kept.ids)
