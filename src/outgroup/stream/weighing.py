"""Counts to rows: columns, weights, and a shard of rows for each shard of counts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Any

import numpy as np

from ..readers.documents import Skip
from ..rows.disk import DiskRows
from ..rows.shards import ShardWriter, map_shard, read_manifest
from ..stopping import stop_if_asked
from ..storage import state
from ..text.counts import merge_columns
from ..text.vectorizer import Vectorizer
from ..text.vocabulary import Seen
from ..types import Array, OnCount
from .counting import KeptBlock, KeptBlocks, SampledDocument, in_order
from .results import Judge, Written

# --- Counts to rows: the words that become columns, their weights, and a shard of rows for each shard of counts

_ALL = 1 << 62  # no shard ends but where it is told


def weigh_counts(vectorizer: Vectorizer, seen: Seen, place: Path, on_count: OnCount) -> None:
    """Learn the words, and write the rows of the documents with a known one, into `place`; the counts are gone then."""
    vectorizer.fit_seen(seen)
    folder = place / "vectorizer"
    folder.mkdir(exist_ok=True)
    state.write(folder, vectorizer.to_state())
    (place / "kept").mkdir(exist_ok=True)
    _weigh(vectorizer, seen.columns(vectorizer.vocabulary_), place, on_count)
    shutil.rmtree(place / "counts", ignore_errors=True)


def weighed(place: Path) -> tuple[Vectorizer, DiskRows, Array]:
    """Return the words of the rows in `place`, these, and which of all documents they are, (n,) bool."""
    vectorizer = Vectorizer.from_state(state.read(place / "vectorizer"))
    kept = np.concatenate([np.load(path) for path in sorted((place / "kept").glob("*.npy"))])
    return vectorizer, DiskRows(place / "rows"), kept


def _weigh(vectorizer: Vectorizer, column_of: Array, place: Path, on_count: OnCount) -> None:
    counts, width = read_manifest(place / "counts"), len(vectorizer.vocabulary_)
    writer = ShardWriter(place / "rows", width, entries=_ALL)
    for number, shard in enumerate(counts["shards"]):
        stop_if_asked()
        if number < writer.n_shards:
            continue
        X = map_shard(place / "counts", shard, counts["features"], np.dtype(counts["dtype"]), check=True)
        known = merge_columns(X, column_of, width)
        has_row = np.diff(known.indptr) > 0
        beside = place / "kept.new"
        with beside.open("wb") as file:
            np.save(file, has_row, allow_pickle=False)
        os.replace(beside, place / "kept" / f"{number:06d}.npy")
        writer.append(vectorizer.weigh(known)[np.flatnonzero(has_row)])
        writer.flush()
        on_count(number + 1, len(counts["shards"]))
    writer.close()


# --- What a stream made of the documents: what is kept of them, their words, and their rows


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
