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

import numpy as np

from ..places import Address, Place
from ..types import Array
from .blocks import add_up, narrowed
from .choose import is_rows
from .seam import Rule
from .shards import DamagedError, map_shard, read_manifest, shard_files
from .sparse import SparseRows
from .terms import kept_terms
from .threads import one_thread

Load = Callable[[Any], Any]
"""Reads a part from its source: a function of a module, part -> CSR matrix or `Rows`; or a task's result."""

_MMAP, _TRIM = (-3, 1 << 25), (-1, 1 << 26)  # glibc's numbers of two thresholds, and what they grow to by themselves
_FEW, _LOOKED_AT = 1 << 10, 1 << 12  # different numbers; rows that tell whether there are so few
_KEPT = 4  # parts that a worker process keeps at hand between passes


def load_shard(part: tuple[Place, int]) -> Any:
    """Read one shard of a folder; one at an address is copied to this worker first."""
    place, number = part
    return _loaded(place, read_manifest(place), number)


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


def load_rows(part: tuple[Place, int]) -> SparseRows:
    """Return the rows of one shard, whose copy by terms this worker keeps in a folder of its own."""
    place, number = part
    manifest = read_manifest(place)  # once: it may be at an address
    X, folder = _loaded(place, manifest, number), own_folder(f"outgroup-terms-{zlib.crc32(str(place).encode()):08x}")
    return SparseRows(X, partial(kept_terms, folder, manifest["shards"][number], X.shape[1], looked_at(folder)))


@cache
def looked_at(folder: Path) -> set[str]:
    """Return the names of the shards, of one folder, whose copies by terms this process has looked at."""
    return set()


def own_folder(name: str) -> Path:
    """Return a folder of this worker, which is gone with it."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / name
    folder.mkdir(exist_ok=True)
    return folder


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


@one_thread()
def fold_parts(load: Load, W: Array | None, rule: Rule, asked: list[Any]) -> Any:
    """Fold parts and add them up, along the tree that results of single parts are added up: one for all is sent."""
    if len(asked) > 1:
        half = 1 << (len(asked) - 1).bit_length() - 1
        return add_up(fold_parts(load, W, rule, some) for some in (asked[:half], asked[half:]))
    [(part, each, on)] = asked
    return rows_of(load, part).fold(W, rule, *received(each), on=on)


@one_thread()
def map_part(load: Load, W: Array | None, rule: Rule, part: Any, each: Any, on: Array | None) -> Any:
    """Map one part."""
    return sent(rows_of(load, part).map(W, rule, *received(each), on=on))


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
