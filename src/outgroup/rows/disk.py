"""Rows in files, and a journal of passes from which a killed fit resumes."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, OutputError
from ..storage.hidden import is_plain, write_file
from ..types import Array
from .base import Rows, Rule, correlated
from .blocks import add_up, by_part, checked_subset, even_spans, in_order_of, inside, join, narrowed, spans, stacked
from .matrix import DenseRows
from .shards import PARTS, checksum, csr_of, map_shard, read_ahead, read_manifest, why_not
from .sparse import SparseRows, laid_out
from .wrappers import WrappedRows, sampled

# --- Rows in parts: vectors in memory-mapped files, and a folder of shards, of which a pass prefetches the next

_NUMBERS = 1 << 24  # of a block of vectors: 64 MB in single precision


class PartedRows:
    """Rows in parts outside memory; a pass reads one part after another (see `Rows`)."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    _edges: Array

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions, total, tallies = self._directions(W), np.empty(0), []
        for rows, span, chosen in self._pass(on, first=True):
            total, tally = self._fold_onto(total, rows, directions, rule, tuple(e[span] for e in each), chosen)
            tallies.append(tally)
        return total, add_up(tallies)

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        directions, parts = self._directions(W), self._pass(on, first=True)
        return join([rows.map(directions, rule, *(e[span] for e in each), on=chosen) for rows, span, chosen in parts])

    def take(self, index: Array) -> Array:
        found = self.sample(index)
        return np.asarray(found.toarray() if sp.issparse(found) else found)

    def sample(self, index: Array) -> Any:
        """Return rows as a matrix in memory, (len(index), d), in the order of `index`."""

        def ascending(index: Array) -> Any:
            return stacked(self._taken(by_part(index, self._edges)), self.shape[1], self.dtype)

        return in_order_of(index, ascending)

    def _taken(self, places: list[tuple[int, Array]]) -> list[Any]:
        """Return rows of some parts, by the number of the part and the positions inside it."""
        return [self._part(i).local()[some] for i, some in places]

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        """Return the squared length of each row, (n,) float64."""
        found = np.empty(self.shape[0])
        for rows, span, _ in self._pass(None, first=False):
            found[span] = rows.squares()
        return found

    def local(self) -> None:
        """Return None: the rows are not in memory."""

    def _pass(self, on: Array | None, *, first: bool) -> Iterator[tuple[Any, slice, Array | None]]:
        """Yield each part with rows in `on` (with `first`, at least one part), its span, and its row indices."""
        rows, every = checked_subset(on, self.shape[0]), spans(self._edges)
        for i, span in enumerate(every):
            chosen = None if rows is None else inside(rows, span) - span.start
            last = i == len(every) - 1
            if chosen is None or len(chosen) or (first and last and rows is not None and not len(rows)):
                if not last:
                    self._read_ahead(i + 1)
                yield self._part(i), span, chosen

    def _part(self, i: int) -> Any:
        """Return the rows of a part, in memory or memory-mapped."""
        raise NotImplementedError

    def _read_ahead(self, i: int) -> None:
        """Prefetch a part."""

    def _directions(self, W: Array | None) -> Any:
        return W

    def _fold_onto(
        self, total: Array, rows: Any, directions: Any, rule: Rule, each: tuple[Array, ...], on: Array | None
    ) -> tuple[Array, Any]:
        sums, tally = rows.fold(directions, rule, *each, on=on)
        return sums if not total.size else np.add(total, sums, out=total), tally


class VectorRows(PartedRows):
    """The rows of an array on disk (n, d), for example memory-mapped files, scaled to unit length (see `Rows`).

    `load(path)` returns the array, and `scaled(array, span, name)` its rows of a span. Blocks are fixed by the shape
    alone, so several files give the same bytes as one.
    """

    def __init__(self, load: Callable[[Path], Any], path: Path, scaled: Callable[[Any, slice, str], Array]) -> None:
        self._source, self._vectors, self._scaled, self._name = (load, path, scaled), load(path), scaled, str(path)
        self.shape = self._vectors.shape
        self.dtype = np.dtype(np.float64 if self._vectors.dtype == np.float64 else np.float32)
        n, d = self.shape
        self._edges = np.array([0, *(span.stop for span in even_spans(0, n, -(-n * d // _NUMBERS)))])

    def __reduce__(self) -> Any:
        return VectorRows, self._source

    def _part(self, i: int) -> DenseRows:
        span = slice(int(self._edges[i]), int(self._edges[i + 1]))
        return DenseRows(np.ascontiguousarray(self._scaled(self._vectors, span, self._name), dtype=self.dtype))


class DiskRows(PartedRows):
    """The rows in a folder of `ShardWriter`, larger than memory; one shard is mapped at a time (see `Rows`).

    Sums with dense coefficients read a second copy of the rows, by terms, which the first such pass writes to `terms/`.
    A pass takes the memory of `SparseRows` for one shard, whatever the number of rows. The checksums of a shard are
    checked on its first read. `local()` is None.

    Parameters
    ----------
    path : path
        The folder.

    Raises
    ------
    InputError
        The folder has no rows; or, in a pass, a file is missing, truncated or changed.

    Examples
    --------
    >>> import scipy.sparse as sp, tempfile, pathlib
    >>> from outgroup.rows.shards import ShardWriter
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = ShardWriter(pathlib.Path(folder) / "rows", n_features=2)
    ...     writer.append(sp.csr_matrix([[1.0, 0.0], [0.0, 1.0]]))
    ...     DiskRows(writer.close()).take([1]).tolist()
    [[0.0, 1.0]]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder = Path(path)
        manifest = read_manifest(self._folder)
        self._shards = [shard for shard in manifest["shards"] if shard["rows"]]
        if not self._shards:
            raise InputError(f"{path} contains no rows: write them again from documents with known words")
        self.dtype = np.dtype(manifest["dtype"])
        self._edges = np.cumsum([0, *(shard["rows"] for shard in self._shards)])
        self.shape = (int(self._edges[-1]), manifest["features"])
        self._checked, self._terms = set[int](), set[str]()

    def __reduce__(self) -> Any:
        return DiskRows, (str(self._folder),)

    def _part(self, i: int) -> SparseRows:
        X = map_shard(self._folder, self._shards[i], self.shape[1], self.dtype, check=i not in self._checked)
        self._checked.add(i)
        return SparseRows(X, partial(kept_terms, self._folder, self._shards[i], self.shape[1], self._terms))

    def _read_ahead(self, i: int) -> None:
        read_ahead(self._folder, self._shards[i])

    def _directions(self, W: Array | None) -> Any:
        return laid_out(W, self.shape[1], self.dtype)

    def _fold_onto(
        self, total: Array, rows: Any, directions: Any, rule: Rule, each: tuple[Array, ...], on: Array | None
    ) -> tuple[Array, Any]:
        total, tally = rows.fold_onto(total, directions, rule, each, on)
        return total, tally


# --- Rows of a shard by terms: written by the first pass that sums with dense coefficients
#
# A missing, damaged or foreign copy is made again. Without room or permission to write it, every pass makes its own,
# which takes a third of the time of the pass.


def kept_terms(
    folder: Path, shard: dict[str, Any], n_terms: int, checked: set[str], make: Callable[[], list[Any]]
) -> list[Any]:
    """Return the transposed blocks of a shard, each as CSR, stored in a folder or computed by `make`.

    `checked` are the names of the shards with verified copies.
    """
    place = folder / "terms"
    with suppress(OSError, ValueError, KeyError, TypeError, EOFError):
        found = _mapped(place, shard, n_terms, check=shard["name"] not in checked)
        checked.add(shard["name"])
        return found
    made = make()
    with suppress(OSError):
        place.mkdir(exist_ok=True)
        if is_plain(place):
            _write(place, shard, made)
    return made


def _write(place: Path, shard: dict[str, Any], blocks: list[Any]) -> None:
    arrays = {part: np.concatenate([getattr(block, part) for block in blocks]) for part in PARTS}
    for part, values in arrays.items():
        write_file(place / f"{shard['name']}.{part}.npy", partial(np.save, arr=values, allow_pickle=False))
    about = {"of": shard["crc32"], "rows": [block.shape[1] for block in blocks]}
    about["crc32"] = {part: checksum(values) for part, values in arrays.items()}
    write_file(place / f"{shard['name']}.json", lambda file: file.write(json.dumps(about).encode()))


def _mapped(place: Path, shard: dict[str, Any], n_terms: int, *, check: bool) -> list[Any]:
    """Memory-map the stored blocks; raise an error if files are missing or damaged."""
    about = json.loads((place / f"{shard['name']}.json").read_bytes())
    paths = {part: place / f"{shard['name']}.{part}.npy" for part in PARTS}
    arrays = {part: np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)) for part, path in paths.items()}
    indptr, rows = arrays["indptr"].reshape(len(about["rows"]), n_terms + 1), about["rows"]
    whole = len(arrays["data"]) == len(arrays["indices"]) == shard["entries"] == int(indptr[:, -1].sum())
    if about["of"] != shard["crc32"] or sum(rows) != shard["rows"] or not whole:
        raise ValueError("of another shard")
    if check and any(checksum(arrays[part]) != about["crc32"][part] for part in PARTS):
        raise ValueError("changed")
    stored = spans([0, *np.cumsum(indptr[:, -1], dtype=np.int64)])
    return [
        csr_of(arrays["data"][span], arrays["indices"][span], indptr[i], (n_terms, rows[i]))
        for i, span in enumerate(stored)
    ]


# --- Journal of passes, to resume a killed fit
#
# A fit is a deterministic sequence of passes. A fit restarted on the same rows repeats the same passes in the same
# order: saved results are read, and the fit ends in the same bytes as without the interruption, for every algorithm and
# kind of rows.


class JournalRows(WrappedRows):
    """The rows of another `Rows`; results of folds and maps are saved in a folder (see `Rows`).

    A pass takes the space of its result: 8 k d bytes for sums, one or two bytes a row for labels. A result of a
    different pass, or a damaged one, is computed again, with all that follow it.

    Parameters
    ----------
    rows : Rows
    folder : path
        Created if missing.
    progress : callable, optional
        Called after each pass with the number of passes, and whether its result was read from the folder.

    Examples
    --------
    >>> import tempfile
    >>> from outgroup.rows import as_rows, cluster_sums
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = cluster_sums(JournalRows(as_rows(np.eye(2)), folder), np.array([0, 1]), 2)
    ...     again = cluster_sums(JournalRows(as_rows(np.eye(2)), folder), np.array([0, 1]), 2)
    >>> bool((first == again).all())
    True
    """

    def __init__(
        self, rows: Rows, folder: str | os.PathLike[str], progress: Callable[[int, bool], None] | None = None
    ) -> None:
        super().__init__(rows)
        self._folder, self._progress = Path(folder), progress
        self._passes, self._fresh = 0, False
        self._folder.mkdir(parents=True, exist_ok=True)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        total, tally = self._once(("fold", W, rule, each, on), lambda: self.rows.fold(W, rule, *each, on=on))
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self._once(("map", W, rule, each, on), lambda: self.rows.map(W, rule, *each, on=on))

    def sample(self, index: Array) -> Any:
        return sampled(self.rows, index)

    def _once(self, asked: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        number, self._passes = self._passes, self._passes + 1
        path, key = self._folder / f"{number:06d}.npz", f"{_sum(asked, zlib.crc32(str(self.shape).encode())):08x}"
        found = None if self._fresh else _read(path, key)
        if found is None:
            self._fresh = True
            found = (make(),)
            _write_journal(path, key, found)
        if self._progress is not None:
            self._progress(number + 1, not self._fresh)
        return found[0]


def _sum(value: Any, before: int) -> int:
    """Add the arguments of a pass to a checksum: arrays by their bytes, rules by name and fields."""
    if isinstance(value, np.ndarray):
        about = zlib.crc32(f"{value.dtype}{value.shape}".encode(), before)
        return zlib.crc32(np.ascontiguousarray(value).view(np.uint8).data if value.size else b"", about)
    if isinstance(value, tuple):
        for part in value:
            before = _sum(part, before)
        return zlib.crc32(b")", before)
    if is_dataclass(value) and not isinstance(value, type):
        return _sum((type(value).__qualname__, *(getattr(value, each.name) for each in fields(value))), before)
    return zlib.crc32(str(getattr(value, "__qualname__", value)).encode(), before)


def _write_journal(path: Path, key: str, found: Any) -> None:
    arrays: list[Array] = []
    form = json.dumps({"key": key, "form": _taken_apart(found, arrays)})
    stored = [np.frombuffer(form.encode(), np.uint8), *map(narrowed, arrays)]
    try:
        write_file(path, lambda file: np.savez(file, *stored))
    except OSError as error:
        raise OutputError(
            f"cannot save an intermediate result (used by --resume) in {path.parent}: {why_not(error)}"
        ) from error


def _read(path: Path, key: str) -> Any:
    """Return the saved result of a pass, or None."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            said = json.loads(file["arr_0"].tobytes())
            arrays = (file[f"arr_{number}"] for number in count(1))
            return _put_together(said["form"], arrays) if said["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None


def _taken_apart(value: Any, arrays: list[Array]) -> Any:
    """Move the arrays of a result to a list; return the structure that remains, with their dtypes."""
    if isinstance(value, tuple):
        return [_taken_apart(part, arrays) for part in value]
    arrays.append(np.asarray(value))
    return {"dtype": arrays[-1].dtype.name, "plain": not isinstance(value, np.ndarray | np.generic)}


def _put_together(form: Any, arrays: Iterator[Array]) -> Any:
    if isinstance(form, list):
        return tuple(_put_together(part, arrays) for part in form)
    array = next(arrays).astype(form["dtype"], copy=False)
    return array.item() if form["plain"] else array[()]
