"""Rows that write down what each pass over them gave, so that a fit that was killed goes on where it stood.

A fit is a sequence of passes, and each is determined by what came before. So a fit that is begun again from the same
rows asks for the same passes in the same order: those that are written down are answered from there, and the fit ends
in the same bytes as if it had never been interrupted, whatever the algorithm and wherever the rows live.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import OutputError
from ..types import Array
from .blocks import narrowed
from .sample import Sampled
from .seam import Rows, Rule
from .shards import why_not


class JournalRows:
    """The rows of another `Rows`, whose folds and maps are written to a folder (see `Rows`).

    A pass takes the space of its result there: 8 k d bytes for sums, one or two a row for labels. What is written for
    another question than the one asked, or is damaged, is made anew, and so is all behind it.

    Parameters
    ----------
    rows : Rows
    folder : path
        Is made where it does not exist.
    heard : callable, optional
        Called after each pass with the number of passes, and whether it was answered from the folder.

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
        self, rows: Rows, folder: str | os.PathLike[str], heard: Callable[[int, bool], None] | None = None
    ) -> None:
        self._rows, self._folder, self._heard = rows, Path(folder), heard
        self._passes, self._fresh = 0, False
        self.shape, self.dtype = rows.shape, rows.dtype
        self._folder.mkdir(parents=True, exist_ok=True)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        found = self._once(("fold", W, rule, each, on), lambda: self._rows.fold(W, rule, *each, on=on))
        return found[0], found[1]

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self._once(("map", W, rule, each, on), lambda: self._rows.map(W, rule, *each, on=on))

    def take(self, index: Array) -> Array:
        return self._rows.take(index)

    def sample(self, index: Array) -> Any:
        """Return rows as a CSR matrix in memory, (len(index), d), in the order of `index`."""
        rows = self._rows
        return rows.sample(index) if isinstance(rows, Sampled) else sp.csr_matrix(rows.take(index))

    def correlate(self, x: Any) -> Array:
        return self._rows.correlate(x)

    def squares(self) -> Array:
        return self._rows.squares()

    def local(self) -> Any:
        return self._rows.local()

    def _once(self, asked: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        number, self._passes = self._passes, self._passes + 1
        path, key = self._folder / f"{number:06d}.npz", f"{_sum(asked, zlib.crc32(str(self.shape).encode())):08x}"
        found = None if self._fresh else _read(path, key)
        known = found is not None
        if found is None:
            self._fresh = True
            found = (make(),)
            _write(path, key, found)
        if self._heard is not None:
            self._heard(number + 1, known)
        return found[0]


def _sum(value: Any, before: int) -> int:
    """Add what a pass was asked to a checksum: arrays by their bytes, rules by their names and fields."""
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


def _write(path: Path, key: str, found: Any) -> None:
    arrays: list[Array] = []
    form = json.dumps({"key": key, "form": _taken_apart(found, arrays)})
    narrow = [narrowed(each) for each in arrays]
    beside = path.with_suffix(".new")
    try:
        with beside.open("wb") as file:
            np.savez(file, np.frombuffer(form.encode(), np.uint8), *narrow)
        os.replace(beside, path)
    except OSError as error:
        raise OutputError(f"cannot write what a pass gave to {path.parent}: {why_not(error)}") from error


def _read(path: Path, key: str) -> Any:
    """Return the result that was written for this question, None where there is none."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            said = json.loads(file["arr_0"].tobytes())
            return _put_together(said["form"], file) if said["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None


def _taken_apart(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, tuple):
        return [_taken_apart(part, arrays) for part in value]
    array = np.asarray(value)
    arrays.append(array)
    return {"at": len(arrays), "dtype": array.dtype.name, "kind": _kind(value)}


def _put_together(form: Any, file: Any) -> Any:
    if isinstance(form, list):
        return tuple(_put_together(part, file) for part in form)
    array = file[f"arr_{form['at']}"].astype(form["dtype"], copy=False)
    return array if form["kind"] == "array" else array[()] if form["kind"] == "scalar" else array.item()


def _kind(value: Any) -> str:
    return "array" if isinstance(value, np.ndarray) else "scalar" if isinstance(value, np.generic) else "number"
