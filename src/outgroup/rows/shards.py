"""Sparse rows as a folder of CSR shards: written atomically, checked when first read, memory-mapped."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, OutputError
from ..places import Place
from ..storage.hidden import is_plain, write_file
from ..types import Array

FORMAT = "outgroup-shards/1"
MANIFEST = "shards.json"
PARTS = ("data", "indices", "indptr")
"""The arrays of a CSR matrix, of which each is a file."""
_ENTRIES = 1 << 25  # entries of a shard: about 270 MB in float32, two mapped at a time; far below 2^31


class DamagedError(InputError):
    """Files of rows are missing, truncated or changed."""


class ShardWriter:
    """A writer of sparse rows as shards in a temporary folder; `close` moves it to its final path.

    Rows may come in blocks of any size. Written shards stay: after a kill, the next writer of the same folder resumes
    at row `n_rows`.

    Parameters
    ----------
    path : path
        The folder; it must not exist yet.
    n_features : int
    dtype : float32 or float64, default float32
    entries : int, default 2^25
        Stored entries of a shard, about.
    about : dict, default none
        Plain values that describe the rows; a later writer resumes only if they are equal.

    Raises
    ------
    OutputError
        The folder exists, or cannot be written; written shards stay for the next writer.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_features: int,
        dtype: Any = np.float32,
        *,
        entries: int = _ENTRIES,
        about: dict[str, Any] | None = None,
    ) -> None:
        self._target = Path(path)
        if self._target.exists():
            raise OutputError(f"{path} exists: choose another folder for the rows, or remove this folder")
        self._folder = self._target.with_name(f".{self._target.name}.part")
        self._manifest: dict[str, Any] = {
            "format": FORMAT,
            "dtype": np.dtype(dtype).name,
            "features": int(n_features),
            "about": about or {},
            "shards": [],
        }
        self._entries = entries
        self._waiting: list[Any] = []
        self._go_on()

    @property
    def n_rows(self) -> int:
        """The number of rows in the written shards, at which a writer resumes."""
        return sum(shard["rows"] for shard in self._manifest["shards"])

    @property
    def n_shards(self) -> int:
        """Number of written shards."""
        return len(self._manifest["shards"])

    def append(self, X: Any) -> None:
        """Add sparse rows (m, n_features); they are written when a shard is full, or by `close`."""
        if X.shape[1] != self._manifest["features"]:
            raise InputError(f"rows of {X.shape[1]} features do not match shards with {self._manifest['features']}")
        self._waiting.append(sp.csr_matrix(X, dtype=self._manifest["dtype"]))
        if sum(each.nnz for each in self._waiting) >= self._entries:
            self.flush()

    def close(self) -> Path:
        """Write the pending rows, move the folder to its final path, and return this path."""
        self.flush()
        try:
            os.replace(self._folder, self._target)
        except OSError as error:
            raise OutputError(f"cannot move the rows to {self._target}: {error.strerror}") from error
        return self._target

    def _go_on(self) -> None:
        """Resume from the shards of an interrupted writer of the same rows; start again if there are none."""
        if os.path.lexists(self._folder) and not is_plain(self._folder):
            raise OutputError(f"{self._folder} is a link, contains one, or belongs to another user: move it away")
        with suppress(InputError):
            left = read_manifest(self._folder)
            if all(left[key] == self._manifest[key] for key in ("dtype", "features", "about")):
                self._manifest["shards"] = left["shards"]
                return
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            self._folder.mkdir(parents=True)
            self._write_manifest()
        except OSError as error:
            raise OutputError(f"cannot write rows to {self._target}: {error.strerror or error}") from error

    def flush(self) -> None:
        """Write pending rows as a shard."""
        if not self._waiting:
            return
        X = sp.vstack(self._waiting, format="csr") if len(self._waiting) > 1 else self._waiting[0]
        X.sort_indices()
        try:
            self._manifest["shards"].append(write_shard(self._folder, f"{self.n_shards:05d}", X))
            self._write_manifest()
        except OSError as error:
            raise OutputError(
                f"cannot write rows to {self._target}: {why_not(error)}; {self.n_rows} rows are saved, and a new "
                "writer of this folder continues after them"
            ) from error
        self._waiting = []

    def _write_manifest(self) -> None:
        write_file(self._folder / MANIFEST, lambda file: file.write(json.dumps(self._manifest, indent=1).encode()))


def write_shard(folder: Path, name: str, X: Any) -> dict[str, Any]:
    """Write the three arrays of a CSR matrix; return the manifest entry."""
    arrays = {"data": X.data, "indices": X.indices.astype(np.int32), "indptr": X.indptr.astype(np.int64)}
    for part, values in arrays.items():
        with (folder / f"{name}.{part}.npy").open("wb") as file:
            np.save(file, values, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
    sums = {part: checksum(values) for part, values in arrays.items()}
    return {"name": name, "rows": int(X.shape[0]), "entries": int(X.nnz), "crc32": sums}


def why_not(error: OSError) -> str:
    """Return the reason for a failed write; NumPy does not report a full disk."""
    return error.strerror or ("No space left on device" if "requested and" in str(error) else str(error))


def checksum(values: Array) -> int:
    """Return the CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(values).view(np.uint8).data)


def read_manifest(folder: Place) -> dict[str, Any]:
    """Return the manifest of a folder of shards; raise InputError if it is missing or invalid."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        if manifest["format"] != FORMAT or manifest["dtype"] not in ("float32", "float64"):
            raise ValueError(f"format {manifest['format']!r:.40}, dtype {manifest['dtype']!r:.20}")
        for number, shard in enumerate(manifest["shards"]):
            sums = shard["crc32"]
            counts = [manifest["features"], shard["rows"], shard["entries"], *(sums[part] for part in PARTS)]
            if shard["name"] != f"{number:05d}" or not all(type(c) is int and c >= 0 for c in counts):
                raise ValueError(f"shard {number} has an invalid name or count")
    except OSError as error:
        raise InputError(f"{folder} contains no rows: {MANIFEST}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"{folder / MANIFEST} is damaged: {error}; write the rows again") from error
    return dict(manifest)


def shard_files(shard: dict[str, Any]) -> list[str]:
    """Return the names of a shard's files."""
    return [f"{shard['name']}.{part}.npy" for part in PARTS]


def map_shard(folder: Path, shard: dict[str, Any], n_features: int, dtype: Any, *, check: bool) -> Any:
    """Return a shard as a memory-mapped CSR matrix; `check` verifies checksums and indices.

    Raises DamagedError naming the missing, truncated or changed file.
    """
    arrays, shape = dict[str, Array](), (shard["rows"], n_features)
    wanted = [(shard["entries"], dtype), (shard["entries"], np.int32), (shard["rows"] + 1, np.int64)]
    for part, name, (length, kind) in zip(PARTS, shard_files(shard), wanted, strict=True):
        path = folder / name
        values = arrays[part] = _mapped(path)
        if values.shape != (length,) or values.dtype != kind:
            raise DamagedError(f"{path} is damaged: {values.shape} of {values.dtype}; write the rows again")
        if check and checksum(values) != shard["crc32"][part]:
            raise DamagedError(f"{path} has changed since it was written; write the rows again")
    X = csr_of(arrays["data"], arrays["indices"], arrays["indptr"].astype(np.int32), shape)
    if check:
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise DamagedError(f"{folder / shard['name']} is damaged: {error}; write the rows again") from error
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def csr_of(data: Array, indices: Array, indptr: Array, shape: tuple[int, int]) -> Any:
    """Return a CSR matrix of these arrays without a check or a copy."""
    X = sp.csr_matrix(shape, dtype=data.dtype)
    X.data, X.indices, X.indptr = data, indices, indptr
    return X


def rows_between(X: Any, first: int, last: int) -> Any:
    """Return the rows `first` to `last` - 1 of a CSR matrix without a copy.

    >>> rows_between(sp.csr_matrix([[1, 0], [0, 2], [3, 0]]), 1, 3).toarray().tolist()
    [[0, 2], [3, 0]]
    """
    stored, indptr = slice(int(X.indptr[first]), int(X.indptr[last])), X.indptr[first : last + 1] - X.indptr[first]
    some = csr_of(X.data[stored], X.indices[stored], indptr, (last - first, X.shape[1]))
    some.has_sorted_indices, some.has_canonical_format = X.has_sorted_indices, X.has_canonical_format
    return some


def read_ahead(folder: Path, shard: dict[str, Any]) -> None:
    """Prefetch the files of a shard into the file cache."""
    if not hasattr(os, "posix_fadvise"):
        return
    for name in shard_files(shard):
        try:
            with (folder / name).open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)
        except OSError:
            return  # the reader reports it


def _mapped(path: Path) -> Array:
    try:
        return np.asarray(np.load(path, mmap_mode="r" if path.stat().st_size > 256 else None, allow_pickle=False))
    except OSError as error:
        raise DamagedError(f"cannot read {path}: {error.strerror or error}; write the rows again") from error
    except (ValueError, EOFError) as error:
        raise DamagedError(f"{path} is damaged: {error}; write the rows again") from error
