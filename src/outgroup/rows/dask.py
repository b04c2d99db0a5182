"""Rows on the workers of a Dask cluster, and the tasks that run there."""

from __future__ import annotations

import ctypes
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from threading import get_ident
from time import time
from typing import Any, TypeAlias
from weakref import ref

import numpy as np

from ..errors import ClusterError, InputError, OutgroupError
from ..places import Address, Place, place_of
from ..types import Array
from .base import Rule, correlated
from .blocks import (
    add_up,
    by_part,
    checked_directions,
    checked_subset,
    even_spans,
    in_order_of,
    join,
    narrowed,
    stacked,
)
from .disk import kept_terms
from .matrix import is_rows
from .shards import DamagedError, map_shard, read_manifest, rows_between, shard_files
from .sparse import SparseRows, laid_out
from .threads import one_thread

# --- Rows on the workers of a Dask cluster: blocks are tasks that read their part from its source
#
# A lost worker's blocks are made again from there; nothing is scattered, published or pinned. Directions travel as the
# result of a task, so that a worker that is lost takes none of them along. Each block is folded by itself, and the
# sums are added up a tree that the rows of the blocks fix: the same bytes on any number of workers. A task folds a
# whole branch of that tree, since a result of 8 k V bytes is made, sent and added up for each task.

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
        There are no parts; or, in a pass, a part cannot be read or has an unexpected shape.

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
        """Copy the results that all tasks need to every worker: Dask prefers a worker with the data, even if others are
        idle."""
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
    """Wait for the results of tasks; raise a worker's error as one sentence, which may name the part."""
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


# --- What the workers of a cluster do with the parts of some rows, and how arrays travel between them and the client

Load = Callable[[Any], Any]
"""Reads a part from its source: a function of a module, part -> CSR matrix or `Rows`; or a task's result."""

_MMAP, _TRIM = (-3, 1 << 25), (-1, 1 << 26)  # glibc's numbers of two thresholds, and what they grow to by themselves
_FEW, _LOOKED_AT = 1 << 10, 1 << 12  # different numbers; rows that tell whether there are so few
_KEPT = 4  # parts that a worker process keeps at hand between passes
_MAPPED = 256  # parts of shards that it keeps mapped, which takes no memory of its own: to map them anew takes time


Piece = tuple[Place, int, int, int, tuple[int, ...]]
"""Some rows of a shard: its folder and number, the first of the rows, the one behind the last, and its checksums, since
another shard may lie there one day."""


@lru_cache(maxsize=_MAPPED)
def load_rows(piece: Piece) -> SparseRows:
    """Return some rows of one shard; its copy by terms, and that of one at an address, this worker keeps."""
    place, number, first, last, _ = piece
    manifest = read_manifest(place)  # once: it may be at an address
    X, shard = rows_between(_loaded(place, manifest, number), first, last), manifest["shards"][number]
    folder = own_folder(f"outgroup-terms-{zlib.crc32(str(place).encode()):08x}")
    about = shard | {"name": f"{shard['name']}-{first}", "rows": last - first, "entries": X.nnz}
    return SparseRows(X, partial(kept_terms, folder, about, X.shape[1], looked_at(folder)))


def _loaded(place: Place, manifest: dict[str, Any], number: int) -> Any:
    shard, dtype = manifest["shards"][number], np.dtype(manifest["dtype"])
    whole = (place, *shard["crc32"].values())
    folder = _copied(place, shard) if isinstance(place, Address) else place
    try:
        X = map_shard(folder, shard, manifest["features"], dtype, check=whole not in _whole)
    except DamagedError:
        if isinstance(place, Address):  # the copy may have been damaged on its way: the next try makes another
            shutil.rmtree(folder, ignore_errors=True)
        raise
    _whole.add(whole)
    return X


@cache
def looked_at(folder: Path) -> set[str]:
    """Return the names of the shards, of one folder, whose copies by terms this process has looked at."""
    return set()


def _copied(place: Address, shard: dict[str, Any]) -> Path:
    """Return a folder of this worker with the files of a shard, which are mapped there."""
    sums = "-".join(map(str, shard["crc32"].values()))
    folder = own_folder("outgroup-shards") / f"{sums}-{shard['rows']}"
    folder.mkdir(exist_ok=True)
    for name in shard_files(shard):
        if not (folder / name).exists():
            beside = folder / f"{name}.{get_ident()}"
            beside.write_bytes((place / name).read_bytes())
            beside.replace(folder / name)
    return folder


_whole: set[Any] = set()  # shards that this process has looked at


def directions(W: Array) -> Array:
    """Hold the directions of a pass: as a task's result they can be made again."""
    return W


@dataclass(frozen=True)
class PartTask:
    """The task of a pass for one part: its rows (None: all), their number, and their per-row arrays."""

    part: Any
    n_rows: int
    each: Any
    on: Array | None


def halves(asked: list[PartTask]) -> list[list[PartTask]]:
    """Cut two parts or more, in their order, into two branches of about as many rows.

    >>> [[each.n_rows for each in half] for half in halves([PartTask("", n, (), None) for n in (5, 1, 1, 2)])]
    [[5], [1, 1, 2]]
    """
    before = np.cumsum([each.n_rows for each in asked])
    cut = 1 + int(np.argmin(np.abs(2 * before[:-1] - before[-1])))
    return [asked[:cut], asked[cut:]]


@one_thread()
def fold_parts(load: Load, W: Array | None, rule: Rule, asked: list[PartTask]) -> Any:
    """Fold parts and add them up, along the tree that results of single parts are added up: one for all is sent."""
    if len(asked) > 1:
        (total, tally), (other, more) = (fold_parts(load, W, rule, half) for half in halves(asked))
        total += other  # in place: fresh pages would take longer than the sum
        return total, add_up([tally, more])
    [one] = asked
    rows = rows_of(load, one.part)
    return rows.fold(_as_taken(W, rows), rule, *received(one.each), on=one.on)


@one_thread()
def map_part(load: Load, W: Array | None, rule: Rule, one: PartTask) -> Any:
    """Map one part."""
    rows = rows_of(load, one.part)
    return sent(rows.map(_as_taken(W, rows), rule, *received(one.each), on=one.on))


_latest: list[tuple[Callable[[], Any], Any, Any]] = [(lambda: None, None, None)]


def _as_taken(W: Array | None, rows: Any) -> Any:
    """Return directions as `rows` take them: for sparse ones laid out, once for all parts of a pass that this process
    has. A task's result never changes, and is not kept alive by what is remembered of it."""
    if W is None or not isinstance(rows, SparseRows):
        return W
    checked_directions(W, rows.shape[1])
    known, dtype, found = _latest[0]
    if known() is not W or dtype != rows.dtype:
        found = laid_out(W, rows.shape[1], rows.dtype)
        _latest[0] = ref(W), rows.dtype, found
    return found


@dataclass(frozen=True)
class Sent:
    """An array in fewer bytes than it has, on its way: small numbers, or its values' places among a few `known`."""

    values: Array
    dtype: np.dtype[Any]
    known: Array | None = None


def sent(value: Any) -> Any:
    """Return an array, or each of a tuple, as it is sent.

    What there is one of for each row takes most room: labels are small numbers, and weights of groups are few.
    """
    if isinstance(value, tuple):
        return tuple(map(sent, value))
    value = np.asarray(value)
    if value.dtype.kind == "f" and value.ndim == 1 and len(np.unique(value[:_LOOKED_AT])) < _FEW:
        known, places = np.unique(value, return_inverse=True)
        if len(known) < _FEW and known.all() and not np.isnan(known).any():  # zeros of both signs would be one
            return Sent(narrowed(places), value.dtype, known)
    return Sent(narrowed(value), value.dtype)


def received(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(received, value))
    values = value.values if value.known is None else value.known[value.values]
    return aligned(values.astype(value.dtype, copy=False))


def aligned(value: Any) -> Any:
    """Return what came by wire with its arrays at addresses that fit their numbers.

    The arrays of a message begin anywhere in it, and NumPy adds numbers at odd addresses up in another order: the last
    digits would be those of the message.
    """
    if isinstance(value, tuple):
        return tuple(map(aligned, value))
    return np.require(value, requirements="A") if isinstance(value, np.ndarray) else value


@one_thread()
def take_part(load: Load, part: Any, rows: Array) -> Array:
    """Take rows of one part."""
    return rows_of(load, part).take(rows)


@one_thread()
def rows_part(load: Load, part: Any, rows: Array) -> Any:
    """Take rows of one part, CSR."""
    return rows_of(load, part).local()[rows]


@one_thread()
def squares_part(load: Load, part: Any) -> Array:
    """Square one part's rows."""
    return rows_of(load, part).squares()


@lru_cache(maxsize=_KEPT)
def rows_of(load: Load, part: Any) -> Any:
    """Return the rows of a part; the latest few stay with the worker's process."""
    keep_freed_memory()
    found = load(part)
    return found if is_rows(found) else SparseRows(found)


@cache
def keep_freed_memory() -> None:
    """Let this process keep some freed memory, the default of glibc; other C libraries have no such call.

    Dask tells its workers to give all back at once (`MALLOC_TRIM_THRESHOLD_`). So the scores of each chunk lay on fresh
    pages, which took as long as half of the products.
    """
    with suppress(OSError, AttributeError, TypeError):
        for threshold in (_MMAP, _TRIM):
            ctypes.CDLL(None).mallopt(*threshold)


# --- Folders where the workers of a cluster keep what they have made: a worker's own, and one for all of a machine

_SHARED, _GONE = "outgroup-", "gone-"
_OLD = 86_400  # seconds after which the folder of a killed run is removed


def own_folder(name: str) -> Path:
    """Return a folder of this worker, which is gone with it."""
    folder = _place() / name
    folder.mkdir(exist_ok=True)
    return folder


def machine_folder(name: str) -> Path:
    """Return a folder that the workers of this machine share.

    It outlives a worker: one that was killed is begun again on the same machine, as a rule, and finds there what was
    made before. Whoever chose the name has it forgotten in the end; what others left here a day ago is removed.
    """
    folder = _place().with_name(_SHARED + name)
    if not folder.exists():
        for each in folder.parent.glob(f"*{_SHARED}*"):
            with suppress(OSError):  # another worker may be at it
                if time() - each.stat().st_mtime > _OLD:
                    _remove(each)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def forget_machine_folder(name: str, dask_worker: Any) -> None:
    """Remove the folder of that name, if there is one, of the machine that a worker is on."""
    with suppress(OSError):  # there is none, or another of its workers was first
        _remove(Path(dask_worker.local_directory).with_name(_SHARED + name))


def _remove(folder: Path) -> None:
    gone = folder.with_name(_GONE + folder.name)
    folder.rename(gone)  # atomic: no reader finds a partial folder
    shutil.rmtree(gone, ignore_errors=True)


def _place() -> Path:
    from distributed import get_worker

    return Path(get_worker().local_directory)
