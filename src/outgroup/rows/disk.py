"""Rows in a folder of shards: a pass maps one shard after the other, while the system reads the next one ahead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array
from .blocks import add_up, by_part, checked_subset, in_order_of, join, stacked
from .rules import correlated
from .seam import Rule
from .shards import map_shard, read_ahead, read_manifest
from .sparse import SparseRows, laid_out
from .transposed import kept_terms


class DiskRows:
    """The rows of a folder that `ShardWriter` filled (see `Rows`): larger than memory, of which one shard is mapped.

    Sums with dense coefficients read a second copy of the rows, by terms, that the first such pass writes beside the
    shards, in `terms/`. A pass takes, beyond what `SparseRows` takes for one shard, nothing that grows with the rows.
    Each shard's checksums are looked at when it is first read. `local()` is None: what needs a matrix in memory takes
    another way.

    Parameters
    ----------
    path : path
        The folder.

    Raises
    ------
    InputError
        The folder holds no rows; or, in a pass, one of its files is missing, cut short, or has changed.

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
            raise InputError(f"{path} holds no rows; make them again from at least one document with a known word")
        self.dtype: np.dtype[Any] = np.dtype(manifest["dtype"])
        self._edges = np.cumsum([0, *(shard["rows"] for shard in self._shards)])
        self.shape: tuple[int, int] = (int(self._edges[-1]), manifest["features"])
        self._checked: set[int] = set()
        self._terms: set[str] = set()

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions = laid_out(W, self.shape[1], self.dtype)
        total, tallies = np.empty(0), []
        for rows, span, inside in self._pass(on, first=True):
            total, tally = rows.fold_onto(total, directions, rule, tuple(e[span] for e in each), inside)
            tallies.append(tally)
        return total, add_up(tallies)

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        directions = laid_out(W, self.shape[1], self.dtype)
        parts = self._pass(on, first=True)
        return join(
            [rows.map_with(directions, rule, tuple(e[span] for e in each), inside) for rows, span, inside in parts]
        )

    def take(self, index: Array) -> Array:
        return np.asarray(self.sample(index).toarray())

    def sample(self, index: Array) -> Any:
        """Return rows as a CSR matrix in memory, (len(index), d), in the order of `index`."""
        return in_order_of(index, self._ascending)

    def _ascending(self, index: Array) -> Any:
        found = [self._rows(i).local()[inside] for i, inside in by_part(index, self._edges)]
        return stacked(found, self.shape[1], self.dtype)

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

    def __reduce__(self) -> Any:
        return DiskRows, (str(self._folder),)

    def _pass(self, on: Array | None, *, first: bool) -> Iterator[tuple[SparseRows, slice, Array | None]]:
        """Yield each shard that has rows among `on` (with `first`, at least one), its span, and which of its rows."""
        rows = checked_subset(on, self.shape[0])
        for i in range(len(self._shards)):
            span = slice(int(self._edges[i]), int(self._edges[i + 1]))
            inside = None if rows is None else _between(rows, span)
            last = i == len(self._shards) - 1
            if inside is None or len(inside) or (first and last and rows is not None and not len(rows)):
                if not last:
                    read_ahead(self._folder, self._shards[i + 1])
                yield self._rows(i), span, inside

    def _rows(self, i: int) -> SparseRows:
        X = map_shard(self._folder, self._shards[i], self.shape[1], self.dtype, check=i not in self._checked)
        self._checked.add(i)
        return SparseRows(X, partial(kept_terms, self._folder, self._shards[i], self.shape[1], self._terms))


def _between(rows: Array, span: slice) -> Array:
    first, last = np.searchsorted(rows, [span.start, span.stop])
    return rows[first:last] - span.start
