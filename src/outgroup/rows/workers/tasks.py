"""What the workers of a cluster do with the parts of some rows, and how arrays travel between them and the client."""

from __future__ import annotations

import ctypes
import shutil
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from threading import get_ident
from typing import Any
from weakref import ref

import numpy as np

from ...places import Address, Place
from ...types import Array
from ..blocks import add_up, checked_directions, narrowed
from ..choose import is_rows
from ..seam import Rule
from ..shards import DamagedError, map_shard, read_manifest, rows_between, shard_files
from ..sparse import SparseRows, laid_out
from ..threads import one_thread
from ..transposed import kept_terms
from .folders import own_folder

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
    """What a pass asks of a part: which of its rows (None: all), how many they are, and what there is of each row."""

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
    """Let this process keep some of what it frees, as glibc does unless it is told otherwise; others have no such call.

    Dask tells its workers to give all back at once (`MALLOC_TRIM_THRESHOLD_`). So the scores of each chunk lay on fresh
    pages, which took as long as half of the products.
    """
    with suppress(OSError, AttributeError, TypeError):
        for threshold in (_MMAP, _TRIM):
            ctypes.CDLL(None).mallopt(*threshold)
