"""Rows in files: the arrays of CSR matrices as `.npy` files with checksums, and vectors, memory-mapped part by part."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, OutputError
from ..storage.folders import write_file
from ..types import Array
from .base import Rule, correlated
from .blocks import add_up, by_part, checked_subset, even_spans, in_order_of, inside, join, spans, stacked
from .matrix import DenseRows
from .sparse import SparseRows, laid_out

# --- A CSR matrix in a folder: three `.npy` files, and their checksums in a fourth file, which is written last

PARTS = ("data", "indices", "indptr")
"""The arrays of a CSR matrix; an array is a file."""
ABOUT = "about.json"


class DamagedError(InputError):
    """Files of rows are missing, truncated or changed."""


def write_matrix(folder: Path, X: Any) -> None:
    """Write a CSR matrix to a folder; raise OutputError if it cannot be written."""
    X.sort_indices()
    arrays = {"data": X.data, "indices": X.indices.astype(np.int32), "indptr": X.indptr.astype(np.int64)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part, values in arrays.items():
            write_file(folder / f"{part}.npy", partial(np.save, arr=values, allow_pickle=False))
        sums = {part: checksum(values) for part, values in arrays.items()}
        about = {"shape": X.shape, "dtype": X.dtype.name, "crc32": sums}
        write_file(folder / ABOUT, lambda file: file.write(json.dumps(about).encode()))
    except OSError as error:
        raise OutputError(f"cannot write rows to {folder}: {why_not(error)}") from error


def why_not(error: OSError) -> str:
    """Return the reason for a failed write; NumPy does not report a full disk."""
    return error.strerror or ("No space left on device" if "requested and" in str(error) else str(error))


def checksum(values: Array) -> int:
    """Return the CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(values).view(np.uint8).data)


def read_about(folder: Path) -> dict[str, Any]:
    """Return the shape, dtype and checksums of a stored matrix; raise DamagedError if they are missing or invalid."""
    try:
        about = json.loads((folder / ABOUT).read_bytes())
        counts = [*about["shape"], *(about["crc32"][part] for part in PARTS)]
        if len(about["shape"]) != 2 or not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("invalid counts")
        if about["dtype"] not in ("float32", "float64", "int32"):
            raise ValueError(f"dtype {about['dtype']!r:.20}")
    except OSError as error:
        raise DamagedError(f"cannot read {folder / ABOUT}: {error.strerror}; write the rows again") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"{folder / ABOUT} is damaged: {error}; write the rows again") from error
    return dict(about)


def map_matrix(folder: Path, about: dict[str, Any], *, check: bool) -> Any:
    """Return a stored matrix, memory-mapped; `check` verifies checksums and indices.

    Raises DamagedError naming the missing, truncated or changed file.
    """
    arrays = {}
    for part in PARTS:
        path = folder / f"{part}.npy"
        try:
            values = np.load(path, mmap_mode="r" if path.stat().st_size > 256 else None, allow_pickle=False)
        except OSError as error:
            raise DamagedError(f"cannot read {path}: {error.strerror or error}; write the rows again") from error
        except (ValueError, EOFError) as error:
            raise DamagedError(f"{path} is damaged: {error}; write the rows again") from error
        arrays[part] = np.asarray(values)
        kind = {"data": about["dtype"], "indices": "int32", "indptr": "int64"}[part]
        if arrays[part].dtype.name != kind or arrays[part].ndim != 1:
            raise DamagedError(f"{path} is damaged: it is not an array of {kind}; write the rows again")
        if check and checksum(arrays[part]) != about["crc32"][part]:
            raise DamagedError(f"{path} has changed since it was written; write the rows again")
    X = sp.csr_matrix(tuple(about["shape"]), dtype=about["dtype"])
    X.data, X.indices, X.indptr = arrays["data"], arrays["indices"], arrays["indptr"].astype(np.int32)
    if check:
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise DamagedError(f"{folder} is damaged: {error}; write the rows again") from error
    X.has_sorted_indices = X.has_canonical_format = True
    return X


MatrixKey = tuple[Path, tuple[int, ...]]
"""A stored matrix: its folder, and its checksums, since another matrix may replace it."""


def sums_of(about: dict[str, Any]) -> tuple[int, ...]:
    """Return the checksums of a stored matrix, in the order of `PARTS`."""
    return tuple(about["crc32"][part] for part in PARTS)


_checked: set[MatrixKey] = set()  # stored matrices that this process has verified


def mapped_rows(folder: Path) -> SparseRows:
    """Return the rows of a stored matrix; the first read of a process verifies it."""
    about = read_about(folder)
    key = folder, sums_of(about)
    X = map_matrix(folder, about, check=key not in _checked)
    _checked.add(key)
    return SparseRows(X)


# --- Rows in parts outside of memory; a pass takes one part after another


class PartedRows:
    """Rows in parts outside memory; a pass reads one part after another (see `Rows`)."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    _edges: Array

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions, total, tallies = self._directions(W), np.empty(0), []
        for rows, span, subset in self._pass(on, first=True):
            total, tally = self._fold_onto(total, rows, directions, rule, tuple(v[span] for v in state), subset)
            tallies.append(tally)
        return total, add_up(tallies)

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        directions, parts = self._directions(W), self._pass(on, first=True)
        return join([rows.map(directions, rule, *(v[span] for v in state), on=subset) for rows, span, subset in parts])

    def take(self, index: Array) -> Array:
        rows = self.sample(index)
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows)

    def sample(self, index: Array) -> Any:
        """Return rows as a matrix in memory, (len(index), d), in the order of `index`."""

        def ascending(index: Array) -> Any:
            return stacked(self._taken(by_part(index, self._edges)), self.shape[1], self.dtype)

        return in_order_of(index, ascending)

    def _taken(self, places: list[tuple[int, Array]]) -> list[Any]:
        """Return rows of some parts, by the number of the part and the positions inside it."""
        return [self._part(i).local()[index] for i, index in places]

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        """Return the squared length of each row, (n,) float64."""
        squares = np.empty(self.shape[0])
        for rows, span, _ in self._pass(None, first=False):
            squares[span] = rows.squares()
        return squares

    def local(self) -> None:
        """Return None: the rows are not in memory."""

    def _pass(self, on: Array | None, *, first: bool) -> Iterator[tuple[Any, slice, Array | None]]:
        """Yield each part with rows in `on` (with `first`, at least one part), its span, and its row indices."""
        rows, parts = checked_subset(on, self.shape[0]), spans(self._edges)
        for i, span in enumerate(parts):
            subset = None if rows is None else inside(rows, span) - span.start
            last = i == len(parts) - 1
            if subset is None or len(subset) or (first and last and rows is not None and not len(rows)):
                if not last:
                    self._read_ahead(i + 1)
                yield self._part(i), span, subset

    def _part(self, i: int) -> Any:
        """Return the rows of a part, in memory or memory-mapped."""
        raise NotImplementedError

    def _read_ahead(self, i: int) -> None:
        """Prefetch a part."""

    def _directions(self, W: Array | None) -> Any:
        return W

    def _fold_onto(
        self, total: Array, rows: Any, directions: Any, rule: Rule, state: tuple[Array, ...], on: Array | None
    ) -> tuple[Array, Any]:
        sums, tally = rows.fold(directions, rule, *state, on=on)
        return sums if not total.size else np.add(total, sums, out=total), tally


class MappedRows(PartedRows):
    """The rows of matrices in folders, larger than memory; one matrix is mapped at a time (see `Rows`).

    A pass takes the memory of `SparseRows` for one matrix, whatever the number of rows. Checksums are checked on the
    first read. `local()` is None.

    Parameters
    ----------
    folders : iterable of paths
        Folders of `write_matrix`; those without rows are skipped.

    Raises
    ------
    InputError
        The folders hold no rows; or a file is missing, truncated or changed.

    Examples
    --------
    >>> import scipy.sparse as sp, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = write_rows(f"{folder}/rows", [sp.csr_matrix([[1.0, 0.0]]), sp.csr_matrix([[0.0, 1.0]])])
    ...     rows.take([1]).tolist()
    [[0.0, 1.0]]
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        paths = [*folders]
        stored = [(folder, about) for folder in paths if (about := read_about(folder))["shape"][0]]
        if not stored:
            raise InputError("the folders hold no rows: write them again from documents with known words")
        self._all, self._folders = paths, [folder for folder, _ in stored]
        self._edges = np.cumsum([0, *(about["shape"][0] for _, about in stored)])
        self.shape = (int(self._edges[-1]), stored[0][1]["shape"][1])
        self.dtype = np.dtype(stored[0][1]["dtype"])

    def __reduce__(self) -> Any:
        return MappedRows, (self._all,)

    def _part(self, i: int) -> SparseRows:
        return mapped_rows(self._folders[i])

    def _read_ahead(self, i: int) -> None:
        if hasattr(os, "posix_fadvise"):
            for part in PARTS:
                with suppress(OSError), (self._folders[i] / f"{part}.npy").open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    def _directions(self, W: Array | None) -> Any:
        return laid_out(W, self.shape[1], self.dtype)

    def _fold_onto(
        self, total: Array, rows: Any, directions: Any, rule: Rule, state: tuple[Array, ...], on: Array | None
    ) -> tuple[Array, Any]:
        total, tally = rows.fold_onto(total, directions, rule, state, on)
        return total, tally


def write_rows(folder: str | os.PathLike[str], blocks: Iterable[Any]) -> MappedRows:
    """Write blocks of rows to numbered folders in `folder`, and return all rows; one block is in memory at a time.

    Parameters
    ----------
    folder : path
        It must not exist.
    blocks : iterable of CSR matrices (m, d)
        Of one dtype, float32 or float64; about 2^22 entries each are best.

    Returns
    -------
    MappedRows

    Raises
    ------
    OutputError
        The folder exists, or cannot be written.
    """
    place = Path(folder)
    if os.path.lexists(place):
        raise OutputError(f"{folder} exists: choose another folder for the rows, or remove this folder")
    for number, X in enumerate(blocks):
        write_matrix(place / f"{number:06d}", sp.csr_matrix(X))
    return read_rows(place)


def read_rows(folder: str | os.PathLike[str]) -> MappedRows:
    """Return the rows that `write_rows` wrote to a folder.

    Parameters
    ----------
    folder : path

    Returns
    -------
    MappedRows
    """
    return MappedRows(stored_in(Path(folder)))


def stored_in(folder: Path) -> list[Path]:
    """Return the folders of the matrices that `write_rows` wrote, in order."""
    return sorted(path for path in folder.glob("*") if path.name.isdecimal())


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


_NUMBERS = 1 << 24  # of a block of vectors: 64 MB in single precision
