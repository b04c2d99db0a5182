"""Rows on the workers of a Dask cluster, and the tasks that run there."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from time import time
from typing import Any, TypeAlias
from weakref import ref

import numpy as np

from ..errors import ClusterError, InputError, OutgroupError
from ..types import Array
from .base import Rule
from .blocks import add_up, by_part, checked_directions, checked_subset, join, narrowed
from .mapped import DamagedError, MatrixKey, PartedRows, mapped_rows, read_about, stored_in, sums_of
from .matrix import is_rows
from .sparse import SparseRows, laid_out
from .threads import one_thread
from .wrappers import sampled

# --- Rows on the workers of a Dask cluster: blocks are tasks that read their part from its source
#
# Blocks of a lost worker are read again; nothing is scattered, published or pinned. Directions are the result of a
# task, so that a lost worker loses none. Sums of blocks are added up along a tree fixed by the rows of the blocks: the
# same bytes on any number of workers. A task folds a whole branch of the tree, since each task makes, sends and adds a
# result of 8 k V bytes.

_TASKS = 2  # least tasks of a fold per thread, against slow or lost workers
_DIED = (
    "several workers died while they read {}, probably because it is too large for their memory: use smaller parts, "
    "or give the workers more memory"
)
_LOST = "the scheduler was lost or restarted"

Branches: TypeAlias = "list[PartTask] | tuple[Branches, Branches]"
"""The tree of a sum: parts that one task folds, or two branches."""


class DaskRows(PartedRows):
    """Rows in `parts` that the workers of a cluster read (see `Rows`).

    Parameters
    ----------
    client : distributed.Client
    load : callable
        A module-level function that reads one part, part -> CSR (m, n_features) or `Rows`; workers import it.
    parts : sequence
        Arguments of `load`: small, hashable values such as paths and numbers of row groups.
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
                f"{len(parts)} parts and {len(counts)} counts of rows; give at least one part, and the number of rows "
                "of each"
            )
        self._client, self._load, self._parts = client, load, list(parts)
        self._threads = 0
        self._edges = np.cumsum([0, *counts])
        self.shape = (int(self._edges[-1]), n_features)
        self.dtype = np.dtype(dtype)

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions, tasks = self._tasks(W, state, on)
        branches = branches_of(tasks, _TASKS * self._most_threads())
        total, tally = aligned(self._result([self._sum(directions, rule, branches)])[0])
        return total, tally

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        directions, tasks = self._tasks(W, state, on)
        futures = [self._ask(map_part, self._load, directions, rule, task) for task in tasks]
        return join([decompress(result) for result in self._result(futures)])

    def _taken(self, places: list[tuple[int, Array]]) -> list[Any]:
        return self._result([self._ask(sample_part, self._load, self._parts[i], index) for i, index in places])

    def squares(self) -> Array:
        return np.concatenate(self._result([self._ask(squares_part, self._load, part) for part in self._parts]))

    def _sum(self, directions: Any, rule: Rule, branches: Branches) -> Any:
        """Return the task that computes the fold of all branches.

        Workers get tasks in turn. Submit every second branch first: with two tasks each, the two branches of a sum then
        lie on the same worker.
        """
        parts = leaves(branches)
        tasks = dict[int, Any]()
        for i in [*range(0, len(parts), 2), *range(1, len(parts), 2)]:
            tasks[i] = self._ask(fold_parts, self._load, directions, rule, parts[i])
        in_order = (tasks[i] for i in range(len(parts)))

        def added(branch: Branches) -> Any:
            return next(in_order) if isinstance(branch, list) else self._ask(add_up, [added(half) for half in branch])

        return added(branches)

    def _most_threads(self) -> int:
        """Return the largest number of threads seen so far, because lost workers are usually restarted."""
        self._threads = max(self._threads, sum(self._client.nthreads().values()))
        return self._threads

    def _tasks(self, W: Array | None, state: tuple[Array, ...], on: Array | None) -> tuple[Any, list[PartTask]]:
        """Return the task that holds the directions, and a `PartTask` for each part with rows in `on`.

        At least one part is included, to give the number of columns.
        """
        rows = checked_subset(on, self.shape[0])
        future = None if W is None else self._ask(unchanged, checked_directions(W, self.shape[1]).astype(self.dtype))
        needed = [source for source in (future, self._load) if hasattr(source, "key")]
        if needed:  # Dask prefers workers that have the data
            with suppress(Exception):  # after a lost worker, tasks fetch their own inputs
                self._client.replicate(needed)
        inside = dict(by_part(rows, self._edges)) if rows is not None else dict.fromkeys(range(len(self._parts)))
        return future, [
            PartTask(
                self._parts[i],
                int(np.diff(self._edges)[i]) if on_part is None else len(on_part),
                compress(tuple(values[self._edges[i] : self._edges[i + 1]] for values in state)),
                on_part,
            )
            for i, on_part in (inside or {0: np.zeros(0, dtype=np.int64)}).items()
        ]

    def _ask(self, task: Any, *arguments: Any) -> Any:
        return self._client.submit(task, *arguments, pure=False)

    def _result(self, futures: list[Any]) -> list[Any]:
        try:
            return gathered(self._client, futures)
        finally:
            self._client.cancel(futures)


def gathered(client: Any, futures: list[Any], part: str = "the same part") -> list[Any]:
    """Wait for the results of tasks; raise a worker's error in one sentence, with the part if known."""
    try:
        return list(client.gather(futures))
    except OutgroupError:
        raise
    except Exception as error:  # a cluster fails in many ways
        name = type(error).__name__
        reasons = {"KilledWorker": _DIED.format(part), "FutureCancelledError": _LOST, "CommClosedError": _LOST}
        raise ClusterError(f"the Dask cluster failed: {reasons.get(name) or f'{name}: {error}'}") from error


def branches_of(tasks: list[PartTask], count: float) -> Branches:
    """Split parts into about `count` branches of the summation tree."""
    if count <= 1 or len(tasks) == 1:
        return tasks
    first, second = halves(tasks)
    return branches_of(first, count / 2), branches_of(second, count / 2)


def leaves(branches: Branches) -> list[list[PartTask]]:
    """Return the branches in order; one task folds a branch."""
    return [branches] if isinstance(branches, list) else [leaf for half in branches for leaf in leaves(half)]


def disk_rows(client: Any, folder: str | Path) -> DaskRows:
    """Return the rows that `rows.mapped.write_rows` wrote to a folder that all workers can read.

    Raises InputError for a folder without rows.
    """
    place = Path(folder).resolve()
    stored = [(path, read_about(path)) for path in stored_in(place)]
    if not stored:
        raise InputError(f"{place} contains no rows: write them with outgroup.rows.mapped.write_rows")
    parts = [(path, sums_of(about)) for path, about in stored]
    (_, about), counts = stored[0], [about["shape"][0] for _, about in stored]
    return DaskRows(client, load_rows, parts, counts, about["shape"][1], about["dtype"])


# --- Tasks of workers, and the transport of arrays

Load = Callable[[Any], Any]
"""Reads a part from its source: a function of a module, part -> CSR matrix or `Rows`; or a task's result."""

_MMAP, _TRIM = (-3, 1 << 25), (-1, 1 << 26)  # numbers of two glibc thresholds, and their natural limits
_FEW, _SAMPLED = 1 << 10, 1 << 12  # distinct values; rows sampled to count them
_KEPT = 4  # parts cached by a worker process
_MAPPED = 256  # stored matrices kept mapped, which takes no memory


@lru_cache(maxsize=_MAPPED)
def load_rows(key: MatrixKey) -> SparseRows:
    """Load a stored matrix."""
    folder, sums = key
    if sums_of(read_about(folder)) != sums:
        raise DamagedError(f"{folder} holds another matrix than when the rows were opened: open them again")
    return mapped_rows(folder)


def unchanged(value: Any) -> Any:
    """Return the value, as the result of a task, which Dask can compute again if a worker is lost."""
    return value


@dataclass(frozen=True)
class PartTask:
    """The work of a pass on one part: its rows (None: all), their number, and their per-row arrays."""

    part: Any
    n_rows: int
    state: Any
    on: Array | None


def halves(tasks: list[PartTask]) -> list[list[PartTask]]:
    """Split two or more parts, in order, into two branches with nearly equal numbers of rows.

    >>> [[task.n_rows for task in half] for half in halves([PartTask("", n, (), None) for n in (5, 1, 1, 2)])]
    [[5], [1, 1, 2]]
    """
    before = np.cumsum([task.n_rows for task in tasks])
    cut = 1 + int(np.argmin(np.abs(2 * before[:-1] - before[-1])))
    return [tasks[:cut], tasks[cut:]]


@one_thread()
def fold_parts(load: Load, W: Array | None, rule: Rule, tasks: list[PartTask]) -> Any:
    """Fold each part and add the results pairwise, in the same order as separate results; return one sum."""
    if len(tasks) > 1:
        (total, tally), (other, more) = (fold_parts(load, W, rule, half) for half in halves(tasks))
        total += other  # in place: fresh pages would take longer than the sum
        return total, add_up([tally, more])
    [task] = tasks
    rows = rows_of(load, task.part)
    return rows.fold(_laid_out_once(W, rows), rule, *decompress(task.state), on=task.on)


@one_thread()
def map_part(load: Load, W: Array | None, rule: Rule, task: PartTask) -> Any:
    """Map a part."""
    rows = rows_of(load, task.part)
    return compress(rows.map(_laid_out_once(W, rows), rule, *decompress(task.state), on=task.on))


_latest: list[tuple[Callable[[], Any], Any, Any]] = [(lambda: None, None, None)]


def _laid_out_once(W: Array | None, rows: Any) -> Any:
    """Return directions in the layout that `rows` need, computed once per pass and process."""
    if W is None or not isinstance(rows, SparseRows):
        return W
    checked_directions(W, rows.shape[1])
    source, dtype, directions = _latest[0]
    if source() is not W or dtype != rows.dtype:
        directions = laid_out(W, rows.shape[1], rows.dtype)
        _latest[0] = ref(W), rows.dtype, directions
    return directions


@dataclass(frozen=True)
class Compressed:
    """A compressed array for sending: small integers, or codes of a few distinct values."""

    values: Array
    dtype: np.dtype[Any]
    distinct: Array | None = None


def compress(value: Any) -> Any:
    """Compress an array, or each array of a tuple.

    Per-row arrays take most room: labels are small integers, and weights of groups have few values.
    """
    if isinstance(value, tuple):
        return tuple(map(compress, value))
    value = np.asarray(value)
    if value.dtype.kind == "f" and value.ndim == 1 and len(np.unique(value[:_SAMPLED])) < _FEW:
        distinct, codes = np.unique(value, return_inverse=True)
        if len(distinct) < _FEW and distinct.all() and not np.isnan(distinct).any():  # -0.0 would become 0.0
            return Compressed(narrowed(codes), value.dtype, distinct)
    return Compressed(narrowed(value), value.dtype)


def decompress(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(decompress, value))
    values = value.values if value.distinct is None else value.distinct[value.values]
    return aligned(values.astype(value.dtype, copy=False))


def aligned(value: Any) -> Any:
    """Return a received value with arrays at aligned addresses.

    Arrays of a message start at any byte, and NumPy adds up unaligned numbers in another order: the last digits would
    depend on the message.
    """
    if isinstance(value, tuple):
        return tuple(map(aligned, value))
    return np.require(value, requirements="A") if isinstance(value, np.ndarray) else value


@one_thread()
def squares_part(load: Load, part: Any) -> Array:
    """Return the squared lengths of the rows of a part."""
    return np.asarray(rows_of(load, part).squares())


@one_thread()
def sample_part(load: Load, part: Any, index: Array) -> Any:
    """Return rows of a part as an array or a CSR matrix."""
    return sampled(rows_of(load, part), index)


@lru_cache(maxsize=_KEPT)
def rows_of(load: Load, part: Any) -> Any:
    """Return the rows of a part; the worker caches the last few."""
    keep_freed_memory()
    rows = load(part)
    return rows if is_rows(rows) else SparseRows(rows)


@cache
def keep_freed_memory() -> None:
    """Let this process keep some freed memory, which glibc does by default; without glibc, do nothing.

    Dask makes its workers return all of it at once (`MALLOC_TRIM_THRESHOLD_`). The scores of each chunk then lie on
    fresh pages, which takes half the time of the products.
    """
    with suppress(OSError, AttributeError, TypeError):
        for threshold in (_MMAP, _TRIM):
            ctypes.CDLL(None).mallopt(*threshold)


# --- Cache folders of workers

_SHARED, _GONE = "outgroup-", "gone-"
_OLD = 86_400  # seconds after which the folder of a killed run is removed


def machine_folder(name: str) -> Path:
    """Return a folder that the workers on this machine share.

    It outlives a worker: a restarted worker, usually on the same machine, reuses its content. The caller that chose the
    name removes it in the end; folders of other runs older than a day are removed.
    """
    folder = _place().with_name(_SHARED + name)
    if not folder.exists():
        for other in folder.parent.glob(f"*{_SHARED}*"):
            with suppress(OSError):  # another worker may remove it at the same time
                if time() - other.stat().st_mtime > _OLD:
                    _remove(other)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def forget_machine_folder(name: str, dask_worker: Any) -> None:
    """Remove a shared folder from this worker's machine."""
    with suppress(OSError):  # missing, or removed by another worker
        _remove(Path(dask_worker.local_directory).with_name(_SHARED + name))


def _remove(folder: Path) -> None:
    gone = folder.with_name(_GONE + folder.name)
    folder.rename(gone)  # atomic: no reader finds a partial folder
    shutil.rmtree(gone, ignore_errors=True)


def _place() -> Path:
    from distributed import get_worker

    return Path(get_worker().local_directory)
