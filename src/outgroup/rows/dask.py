"""Rows on the workers of a Dask cluster: blocks are tasks that read their part from its source.

A lost worker's blocks are made again from there; nothing is scattered, published or pinned. Directions travel as the
result of a task, so that a worker that is lost takes none of them along. Each block is folded by itself, and the sums
are added up a tree that the blocks' numbers fix: the same bytes on any number of workers. A task folds a whole branch
of that tree, since a result of 8 k V bytes is made, sent and added up for each task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import ClusterError, InputError, OutgroupError
from ..places import Address, place_of
from ..types import Array
from .blocks import add_up, checked_directions, checked_subset, join
from .rules import all_scores
from .seam import Rule
from .shards import read_manifest
from .tasks import (
    Load,
    aligned,
    directions,
    fold_parts,
    load_rows,
    map_part,
    received,
    rows_part,
    sent,
    squares_part,
    take_part,
)  # fmt: skip

_TASKS = 2  # of a fold for each thread, at least: one may be slower than the others, or be lost
_DIED = (
    "one worker after another died of {}, which as a rule was too large for their memory; make parts smaller, or give "
    "workers more"
)
_LOST = "its scheduler was lost, or was begun again"


class DaskRows:
    """The rows of `parts`, read on the workers of a cluster (see `Rows`).

    Parameters
    ----------
    client : distributed.Client
    load : callable
        A function of a module that reads one part, part -> CSR (m, n_features) or `Rows`; workers import and call it.
    parts : sequence
        What `load` is given; small, hashable values such as paths and numbers of row groups.
    counts : sequence of int
        Rows of each part.
    n_features : int
    dtype : float32 or float64, default float32

    Raises
    ------
    InputError
        There are no parts; or, in a pass, a part cannot be read, or has another shape than was said.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> rows = disk_rows(Client("tcp://scheduler:8786"), "shared-folder/rows")  # doctest: +SKIP
    >>> MaxMarginClustering(100).fit(rows)  # doctest: +SKIP
    """

    def __init__(
        self,
        client: Any,
        load: Load,
        parts: Sequence[Any],
        counts: Sequence[int],
        n_features: int,
        dtype: Any = np.float32,
    ) -> None:
        if not len(parts) or len(parts) != len(counts):
            raise InputError(
                f"{len(parts)} parts and {len(counts)} counts of rows; give at least one part, and its rows"
            )
        self._client, self._load, self._parts = client, load, list(parts)
        self._edges = np.cumsum([0, *counts])
        self.shape: tuple[int, int] = (int(self._edges[-1]), n_features)
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        held, asked = self._asked(W, each, on)
        size = branch(len(asked), _TASKS * sum(self._client.nthreads().values()))
        branches = [asked[i : i + size] for i in range(0, len(asked), size)]
        sums = [self._ask(fold_parts, self._load, held, rule, each) for each in branches]
        total, tally = aligned(self._result([add_in_pairs(self._client, sums, add_up)])[0])
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        held, asked = self._asked(W, each, on)
        found = self._result([self._ask(map_part, self._load, held, rule, *part) for part in asked])
        return join([received(each) for each in found])

    def take(self, index: Array) -> Array:
        index = np.asarray(index)
        order = np.argsort(index, kind="stable")
        inside = self._between(index[order])
        found = self._result([self._ask(take_part, self._load, self._parts[i], rows) for i, rows in inside])
        return np.asarray(
            np.concatenate(found)[np.argsort(order)] if found else np.empty((0, self.shape[1]), self.dtype)
        )

    def sample(self, index: Array) -> Any:
        """Return rows as a CSR matrix in memory, (len(index), d), in the order of `index`."""
        index = np.asarray(index)
        order = np.argsort(index, kind="stable")
        found = self._result(
            [self._ask(rows_part, self._load, self._parts[i], r) for i, r in self._between(index[order])]
        )
        X = sp.vstack(found, format="csr") if found else sp.csr_matrix((0, self.shape[1]), dtype=self.dtype)
        return X[np.argsort(order)]

    def correlate(self, x: Any) -> Array:
        W = np.atleast_2d(np.asarray(x.toarray() if sp.issparse(x) else x))
        scores = self.map(W, all_scores)
        return np.asarray(scores[:, 0] if len(W) == 1 else scores)

    def squares(self) -> Array:
        return np.concatenate(self._result([self._ask(squares_part, self._load, part) for part in self._parts]))

    def local(self) -> None:
        """Return None: the rows are elsewhere."""

    def _asked(self, W: Array | None, each: tuple[Array, ...], on: Array | None) -> tuple[Any, list[Any]]:
        """Return the task of the directions, and each part that has rows among `on` with its state and these rows.

        There is at least one part, which says how many columns there are.
        """
        rows = checked_subset(on, self.shape[0])
        held = None if W is None else self._ask(directions, checked_directions(W, self.shape[1]).astype(self.dtype))
        self._everywhere(held, self._load)
        inside = dict(self._between(rows)) if rows is not None else dict.fromkeys(range(len(self._parts)))
        return held, [
            (self._parts[i], sent(tuple(e[self._span(i)] for e in each)), on_part)
            for i, on_part in (inside or {0: np.zeros(0, dtype=np.int64)}).items()
        ]

    def _everywhere(self, *needed: Any) -> None:
        """Copy results that all tasks need to every worker: a task goes to one that has some of what it needs, however
        much that one has to do and others have not."""
        futures = [each for each in needed if hasattr(each, "key")]
        if futures:
            with suppress(Exception):  # a worker may be lost meanwhile; tasks ask for what they lack
                self._client.replicate(futures)

    def _ask(self, task: Any, *given: Any) -> Any:
        return self._client.submit(task, *given, pure=False)

    def _result(self, futures: list[Any]) -> list[Any]:
        try:
            return gathered(self._client, futures)
        finally:
            self._client.cancel(futures)

    def _span(self, i: int) -> slice:
        return slice(int(self._edges[i]), int(self._edges[i + 1]))

    def _between(self, index: Array) -> list[tuple[int, Array]]:
        part = np.searchsorted(self._edges, index, side="right") - 1
        return [(int(i), index[part == i] - self._edges[i]) for i in np.unique(part)]


def gathered(client: Any, futures: list[Any], part: str = "the same part") -> list[Any]:
    """Wait for the results of tasks; what went wrong on a worker is told in one sentence, which may name the part."""
    try:
        return list(client.gather(futures))
    except OutgroupError:
        raise
    except Exception as error:  # a cluster fails in many ways
        name = type(error).__name__
        reasons = {"KilledWorker": _DIED.format(part), "FutureCancelledError": _LOST, "CommClosedError": _LOST}
        raise ClusterError(f"the cluster could not finish: {reasons.get(name) or f'{name}: {error}'}") from error


def add_in_pairs(client: Any, waiting: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    """Return the task whose result is all of theirs added up, along a tree that their order fixes."""
    while len(waiting) > 1:
        pairs = [waiting[i : i + 2] for i in range(0, len(waiting), 2)]
        waiting = [client.submit(add, pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return waiting[0]


def branch(parts: int, tasks: int) -> int:
    """Return how many parts each task takes, so that there are at least so many tasks; a power of two: whole branches.

    >>> branch(64, 4), branch(100, 4), branch(3, 4)
    (16, 16, 1)
    """
    return 1 << max(parts // max(tasks, 1), 1).bit_length() - 1


def disk_rows(client: Any, folder: str | Path | Address) -> DaskRows:
    """Return the rows of a folder of shards that all workers see, a block a shard; see `rows.disk.DiskRows`.

    Of a folder at an address, such as s3://bucket/rows, each worker copies the shards that it passes over.

    Raises InputError for a folder that holds none.
    """
    place = place_of(folder).resolve()
    manifest = read_manifest(place)
    shards = [shard for shard in manifest["shards"] if shard["rows"]]
    parts = [(place, number) for number in (int(shard["name"]) for shard in shards)]
    counts = [shard["rows"] for shard in shards]
    return DaskRows(client, load_rows, parts, counts, manifest["features"], manifest["dtype"])
