"""What a stream made of the documents: what is kept of them, their words, and their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from typing import Any

import numpy as np

from ...text.reading.documents import Skip
from ...text.words.vectorize import Vectorizer
from ...types import Array
from .judging import Judge, Written
from .kept import KeptBlock, KeptBlocks, SampledDocument
from .processes import in_order


@dataclass(frozen=True)
class BlockToJudge:
    """A block to be judged: which of its documents have a row, the first of these, and their groups."""

    number: int
    has_row: Array
    first: int
    labels: Array


@dataclass(frozen=True)
class StreamMaterial:
    """The documents of a stream: what is kept of them, their words and rows, and which have one, (n,) bool."""

    blocks: KeptBlocks
    words: Vectorizer
    rows: Any
    has_row: Array

    @property
    def row_of(self) -> Array:
        """The row of each document, (n,), of no meaning for one that has none."""
        return np.cumsum(self.has_row) - 1

    def kept(self) -> Iterator[tuple[int, KeptBlock]]:
        """Yield what is kept of each block, with the number of documents before it."""
        first = 0
        for number in range(len(self.blocks)):
            kept = self.blocks.kept(number)
            yield first, kept
            first += kept.n

    def drawn(self, count: int) -> list[tuple[int, SampledDocument]]:
        """Return so many of the documents that have a row, drawn at random, each with its number, in their order."""
        found = (
            (each.priority, first + each.row, each)
            for first, kept in self.kept()
            for each in kept.shown
            if self.has_row[first + each.row]
        )
        return sorted((number, each) for _, number, each in nsmallest(count, found))

    def find(self, wanted: set[str]) -> Iterator[tuple[str, int]]:
        """Yield the ids that are wanted, each with the number of its document."""
        for number, (first, _) in enumerate(self.kept()):
            yield from found_in(self.blocks.names(number)[0], wanted, first)

    def judged(self, judge: Judge, labels: Array) -> Iterator[Written]:
        """Yield what is written of each block, by the groups of all rows (n,); processes judge them."""
        asked = ((None, each) for each in self.asked(labels))
        for _, written in in_order(partial(_judged, judge, self.blocks, self.rows), asked):
            yield written

    def asked(self, labels: Array) -> Iterator[BlockToJudge]:
        """Yield what a block needs to be judged."""
        row = 0
        for number, (first, kept) in enumerate(self.kept()):
            has_row = self.has_row[first : first + kept.n]
            stop = row + int(np.count_nonzero(has_row))
            yield BlockToJudge(number, has_row, row, labels[row:stop])
            row = stop


def found_in(ids: list[str], wanted: set[str], first: int) -> list[tuple[str, int]]:
    """Return the ids that are wanted with their numbers, from `first` on."""
    return [(identity, number) for number, identity in enumerate(ids, start=first) if identity in wanted]


def _judged(judge: Judge, blocks: KeptBlocks, rows: Any, asked: BlockToJudge) -> Written:
    skipped = [Skip(*each) for each in blocks.kept(asked.number).skipped]
    X = rows.sample(np.arange(asked.first, asked.first + len(asked.labels)))
    return judge(blocks.names(asked.number), skipped, X, asked.has_row, asked.labels, header=asked.number == 0)
