"""Convert term counts to TF-IDF rows: vocabulary, weights, and a shard of rows for each shard of counts."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from heapq import nsmallest
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import InputError
from ..readers.vectors import ids_beside, require_rows
from ..rows.disk import DiskRows, VectorRows
from ..rows.shards import ShardWriter, map_shard, read_manifest
from ..rows.wrappers import part_of, sampled
from ..stopping import stop_if_asked
from ..storage import state
from ..storage.hidden import write_file
from ..text.counts import merge_columns
from ..text.embeddings import mapped_vectors, unit_block
from ..text.representation import Representation, Spaces
from ..text.vectorizer import Vectorizer
from ..text.vocabulary import Seen
from ..types import Array, OnCount
from .counting import KeptBlock, KeptBlocks, SampledDocument, in_order
from .results import Judge, Written

# --- Counts to rows

WHOLE = sys.maxsize  # entries of a shard that ends only at an explicit flush


def write_rows(vectorizer: Vectorizer, seen: Seen, place: Path, on_count: OnCount, *, every: bool = False) -> None:
    """Fit the vectorizer if it is not fitted, write the rows of documents with a known word, and delete the counts.

    With `every`, write all rows, for documents with embeddings.
    """
    fit_words(vectorizer, seen, place)
    (place / "kept").mkdir(exist_ok=True)
    counts, width = read_manifest(place / "counts"), len(vectorizer.vocabulary_)
    column_of, writer = seen.columns(vectorizer.vocabulary_), ShardWriter(place / "rows", width, entries=WHOLE)
    for number, shard in enumerate(counts["shards"]):
        stop_if_asked()
        if number < writer.n_shards:
            continue
        X = map_shard(place / "counts", shard, counts["features"], np.dtype(counts["dtype"]), check=True)
        known = vectorizer.weigh(merge_columns(X, column_of, width))
        known.eliminate_zeros()  # of words that an earlier result ignores
        has_row = (np.diff(known.indptr) > 0) | every
        write_file(place / "kept" / f"{number:06d}.npy", partial(np.save, arr=has_row, allow_pickle=False))
        writer.append(known[np.flatnonzero(has_row)])
        writer.flush()
        on_count(number + 1, len(counts["shards"]))
    writer.close()
    shutil.rmtree(place / "counts", ignore_errors=True)


def fit_words(vectorizer: Vectorizer, seen: Seen, place: Path) -> None:
    """Fit the vectorizer if it is not fitted, and write it unless an interrupted run did."""
    if not hasattr(vectorizer, "vocabulary_"):
        vectorizer.fit_seen(seen)
    if not (place / "vectorizer").exists():
        new = place / "vectorizer.new"  # renamed when it is complete, because --resume reads the folder
        new.mkdir(exist_ok=True)
        state.write(new, vectorizer.to_state())
        new.rename(place / "vectorizer")


def read_rows(place: Path) -> tuple[Vectorizer, DiskRows, Array]:
    """Return the vectorizer, the rows, and the mask of documents with a row, (n,) bool."""
    vectorizer = Vectorizer.from_state(state.read(place / "vectorizer"))
    kept = np.concatenate([np.load(path) for path in sorted((place / "kept").glob("*.npy"))])
    return vectorizer, DiskRows(place / "rows"), kept


# --- Material of a stream


@dataclass(frozen=True)
class BlockToJudge:
    """A block to judge: the mask of its documents with a row, the index of the first of these rows, and their
    labels.
    """

    number: int
    has_row: Array
    first: int
    labels: Array


@dataclass(frozen=True)
class StreamMaterial:
    """The stored blocks of a stream, the vectorizer, the rows, and the mask of documents with a row, (n,) bool.

    `vectors` are the embeddings of the same documents, None if groups are found by words.
    """

    blocks: KeptBlocks
    words: Vectorizer
    rows: Any
    has_row: Array
    vectors: Any = None

    @property
    def representation(self) -> Representation:
        return Representation(self.words, width=None if self.vectors is None else self.vectors.shape[1])

    def spaces(self, index: Array, texts: list[str]) -> Spaces:
        """Return some rows in memory."""
        X = sampled(self.rows, index)
        return Spaces(texts, X if self.vectors is None else sampled(self.vectors, index), X)

    def with_vectors(self, given: str) -> Self:
        """Return the material with embeddings: a `.npy` file or a folder of them, in input order.

        Raises InputError for another form or number of vectors.
        """
        if (ids := ids_beside(given)).is_file():
            raise InputError(
                f"a stream cannot use {ids}: write the vectors in the order of the documents, and remove this file"
            )
        rows, places, n, skipped = VectorRows(mapped_vectors, Path(given).resolve(), unit_block), list[Array](), 0, 0
        for _, kept in self.kept():
            out = [skip.row for skip in kept.skipped]
            if None in out:
                raise InputError(
                    f"the vectors {given} cannot be matched to the documents, because "
                    f"{kept.skipped[out.index(None)].where} was not read: correct that input"
                )
            places.append(n + np.delete(np.arange(kept.n + len(out)), [row for row in out if row is not None]))
            n, skipped = n + kept.n + len(out), skipped + len(out)
        require_rows(rows, n, skipped, given)
        place = np.concatenate(places)
        has_row = part_of(rows, place).squares() > 0
        words = part_of(self.rows, np.flatnonzero(has_row))
        return replace(self, rows=words, has_row=has_row, vectors=part_of(rows, place[has_row]))

    @property
    def row_of(self) -> Array:
        """The row of each document, (n,); undefined for documents without a row."""
        return np.cumsum(self.has_row) - 1

    def kept(self) -> Iterator[tuple[int, KeptBlock]]:
        """Yield (number of documents before the block, stored block) for each block."""
        first = 0
        for number in range(len(self.blocks)):
            kept = self.blocks.kept(number)
            yield first, kept
            first += kept.n

    def drawn(self, count: int) -> list[tuple[int, SampledDocument]]:
        """Draw a random sample of documents with a row; return (index, document) pairs in order."""
        found = (
            (each.priority, first + each.row, each)
            for first, kept in self.kept()
            for each in kept.shown
            if self.has_row[first + each.row]
        )
        return sorted((number, each) for _, number, each in nsmallest(count, found))

    def find(self, wanted: set[str]) -> list[tuple[str, int]]:
        """Return (id, document index) for the wanted ids."""
        found = self.each_ids(partial(found_in, wanted=wanted)) if wanted else ()
        return [(identity, first + number) for first, each in found for identity, number in each]

    def each_ids(self, task: Callable[[list[str]], Any]) -> Iterator[tuple[int, Any]]:
        """Yield (number of documents before the block, result of `task` for its ids) for each block."""
        for number, (first, _) in enumerate(self.kept()):
            yield first, task(self.blocks.read(number, "names")[0])

    def judged(self, judge: Judge, labels: Array) -> Iterator[Written]:
        """Yield the output of each block for the labels of all rows, (n,); several processes compute it."""
        yield from in_order(partial(_judged, judge, self), self.asked(labels))

    def asked(self, labels: Array) -> Iterator[BlockToJudge]:
        """Yield the input of each block for its verdicts."""
        row = 0
        for number, (first, kept) in enumerate(self.kept()):
            has_row = self.has_row[first : first + kept.n]
            stop = row + int(np.count_nonzero(has_row))
            yield BlockToJudge(number, has_row, row, labels[row:stop])
            row = stop


def found_in(ids: list[str], wanted: set[str]) -> list[tuple[str, int]]:
    """Return (id, position) for the wanted ids."""
    return [(identity, number) for number, identity in enumerate(ids) if identity in wanted]


def _judged(judge: Judge, material: StreamMaterial, asked: BlockToJudge) -> Written:
    blocks, n = material.blocks, len(asked.labels)
    spaces = material.spaces(np.arange(asked.first, asked.first + n), [""] * n)
    names, skipped = blocks.read(asked.number, "names"), blocks.kept(asked.number).skipped
    return judge(names, skipped, spaces, asked.has_row, asked.labels, header=asked.number == 0)
