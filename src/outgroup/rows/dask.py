"""Rows on the workers of a Dask cluster: blocks are tasks that read their part from its source.

A lost worker's blocks are made again from there; nothing is scattered, published or pinned. Directions travel as the
result of a task, so that a worker that is lost takes none of them along. Each block is folded by itself, and the sums
are added up a tree that the rows of the blocks fix: the same bytes on any number of workers. A task folds a whole
branch of that tree, since a result of 8 k V bytes is made, sent and added up for each task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..errors import ClusterError, InputError, OutgroupError
from ..places import Address, place_of
from ..types import Array
from .blocks import add_up, by_part, checked_directions, checked_subset, even_spans, in_order_of, join, stacked
from .rules import correlated
from .seam import Rule
from .shards import read_manifest
from .workers.tasks import (  # fmt: skip
    Load,
    PartTask,
    aligned,
    directions,
    fold_parts,
    halves,
    load_rows,
    map_part,
    received,
    rows_part,
    sent,
    squares_part,
    take_part,
)

_TASKS = 2  # of a fold for each thread, at least: one may be slower than the others, or be lost
_ENTRIES = 1 << 22  # of a part of a shard, at most: shards are of unequal size, and one worker would wait for another
_DIED = (
    "one worker after another died of {}, which as a rule was too large for their memory; make parts smaller, or give "
    "workers more"
)
_LOST = "its scheduler was lost, or was begun again"

Branches: TypeAlias = "list[PartTask] | tuple[Branches, Branches]"
"""The tree of a sum: parts that one task folds, or two branches."""


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
        self._threads = 0
        self._edges = np.cumsum([0, *counts])
        self.shape: tuple[int, int] = (int(self._edges[-1]), n_features)
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        held, asked = self._asked(W, each, on)
        branches = branches_of(asked, _TASKS * self._most_threads())
        total, tally = aligned(self._result([self._sum(held, rule, branches)])[0])
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        held, asked = self._asked(W, each, on)
        found = self._result([self._ask(map_part, self._load, held, rule, part) for part in asked])
        return join([received(each) for each in found])

    def take(self, index: Array) -> Array:
        none = np.empty((0, self.shape[1]), self.dtype)
        return np.asarray(in_order_of(index, lambda rows: np.concatenate([none, *self._parts_with(take_part, rows)])))

    def sample(self, index: Array) -> Any:
        """Return rows as a CSR matrix in memory, (len(index), d), in the order of `index`."""
        return in_order_of(index, lambda rows: stacked(self._parts_with(rows_part, rows), self.shape[1], self.dtype))

    def _parts_with(self, task: Any, rows: Array) -> list[Any]:
        """Return what a task gives of each part for those of the ascending row numbers that lie in it."""
        inside = by_part(rows, self._edges)
        return self._result([self._ask(task, self._load, self._parts[i], some) for i, some in inside])

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        return np.concatenate(self._result([self._ask(squares_part, self._load, part) for part in self._parts]))

    def local(self) -> None:
        """Return None: the rows are elsewhere."""

    def _sum(self, held: Any, rule: Rule, branches: Branches) -> Any:
        """Return the task whose result is the fold of all branches.

        Workers are given tasks in turn. So every second branch is asked for first: one that shall be added to another
        comes to the same worker, where there are two tasks for each.
        """
        every = leaves(branches)
        tasks = dict[int, Any]()
        for i in [*range(0, len(every), 2), *range(1, len(every), 2)]:
            tasks[i] = self._ask(fold_parts, self._load, held, rule, every[i])
        in_order = (tasks[i] for i in range(len(every)))

        def added(some: Branches) -> Any:
            return next(in_order) if isinstance(some, list) else self._ask(add_up, [added(half) for half in some])

        return added(branches)

    def _most_threads(self) -> int:
        """Return how many threads the workers have had at most: a worker that was lost is begun again, as a rule."""
        self._threads = max(self._threads, sum(self._client.nthreads().values()))
        return self._threads

    def _asked(self, W: Array | None, each: tuple[Array, ...], on: Array | None) -> tuple[Any, list[PartTask]]:
        """Return the task of the directions, and what is asked of each part that has rows among `on`.

        There is at least one part, which says how many columns there are.
        """
        rows = checked_subset(on, self.shape[0])
        held = None if W is None else self._ask(directions, checked_directions(W, self.shape[1]).astype(self.dtype))
        self._everywhere(held, self._load)
        inside = dict(by_part(rows, self._edges)) if rows is not None else dict.fromkeys(range(len(self._parts)))
        return held, [
            PartTask(self._parts[i], self._rows_of(i, on_part), sent(tuple(e[self._span(i)] for e in each)), on_part)
            for i, on_part in (inside or {0: np.zeros(0, dtype=np.int64)}).items()
        ]

    def _rows_of(self, i: int, on: Array | None) -> int:
        return int(self._edges[i + 1] - self._edges[i]) if on is None else len(on)

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


def branches_of(asked: list[PartTask], tasks: float) -> Branches:
    """Cut parts into about as many branches of the tree of their sums as there shall be tasks."""
    if tasks <= 1 or len(asked) == 1:
        return asked
    first, second = halves(asked)
    return branches_of(first, tasks / 2), branches_of(second, tasks / 2)


def leaves(branches: Branches) -> list[list[PartTask]]:
    """Return the branches in order, each of which a task folds."""
    return [branches] if isinstance(branches, list) else [leaf for half in branches for leaf in leaves(half)]


def disk_rows(client: Any, folder: str | Path | Address) -> DaskRows:
    """Return the rows of a folder of shards that all workers see; see `rows.disk.DiskRows`.

    Of a folder at an address, such as s3://bucket/rows, each worker copies the shards that it passes over.

    Raises InputError for a folder that holds none.
    """
    place = place_of(folder).resolve()
    manifest = read_manifest(place)
    parts = [
        (place, number, span.start, span.stop, tuple(shard["crc32"].values()))
        for number, shard in enumerate(manifest["shards"])
        for span in even_spans(0, shard["rows"], -(-shard["entries"] // _ENTRIES))
        if shard["rows"]
    ]
    counts = [end - first for _, _, first, end, _ in parts]
    return DaskRows(client, load_rows, parts, counts, manifest["features"], manifest["dtype"])
