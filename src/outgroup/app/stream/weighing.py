"""Counts to rows: the words that become columns, their weights, and a shard of rows for each shard of counts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np

from ...rows.disk import DiskRows
from ...rows.shards import ShardWriter, map_shard, read_manifest
from ...stopping import stop_if_asked
from ...storage import state
from ...text.words.count import merge_columns
from ...text.words.stream_counts import Seen
from ...text.words.vectorize import Vectorizer
from ...types import Array, OnCount

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
