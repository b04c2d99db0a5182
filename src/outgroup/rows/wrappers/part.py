"""Some rows of another `Rows`, as rows of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from ..blocks import checked_subset
from ..choose import as_rows, is_rows
from ..seam import Rows, Rule
from .centred import CentredRows


class PartRows:
    """Some rows of another `Rows`; passes go over these alone (see `Rows`).

    Per-row state takes, in a pass, the space of as many numbers as the other has rows.

    Parameters
    ----------
    rows : Rows
    index : (m,) increasing row numbers

    Examples
    --------
    >>> PartRows(as_rows(np.eye(3)), np.array([0, 2])).take(np.array([1])).tolist()
    [[0.0, 0.0, 1.0]]
    """

    def __init__(self, rows: Rows, index: Array) -> None:
        self._rows = rows
        self._index = np.asarray(checked_subset(index, rows.shape[0]))
        self.shape = len(self._index), rows.shape[1]
        self.dtype = rows.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self._rows.fold(W, rule, *self._spread(each), on=self._numbers(on))

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self._rows.map(W, rule, *self._spread(each), on=self._numbers(on))

    def take(self, index: Array) -> Array:
        return self._rows.take(self._index[index])

    def correlate(self, x: Any) -> Array:
        return self._rows.correlate(x)[self._index]

    def squares(self) -> Array:
        return self._rows.squares()[self._index]

    def local(self) -> Any:
        X = self._rows.local()
        return None if X is None else X[self._index]

    def _numbers(self, on: Array | None) -> Array:
        rows = checked_subset(on, self.shape[0])
        return self._index if rows is None else self._index[rows]

    def _spread(self, each: tuple[Array, ...]) -> list[Array]:
        return [self._wide(np.asarray(values)) for values in each]

    def _wide(self, values: Array) -> Array:
        wide = np.zeros((self._rows.shape[0], *values.shape[1:]), dtype=values.dtype)
        wide[self._index] = values
        return wide


def part_of(X: Any, index: Array) -> Any:
    """Return some rows of `X` as rows of their own; a copy where it lies in memory.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    index : (m,) increasing row numbers

    Returns
    -------
    array, CSR matrix or `Rows` of shape (m, d)
        Of the kind of `X`; `X` itself where `index` has all rows.

    Examples
    --------
    >>> part_of(as_rows(np.eye(3)), np.array([0, 2])).take(np.array([1])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    if len(index) == X.shape[0]:
        return X  # all of them, since they ascend
    if not is_rows(X):
        return X[index]
    if isinstance(X, CentredRows):
        return CentredRows(part_of(X.given, index), X.mean)
    matrix = X.local()
    return PartRows(X, index) if matrix is None else as_rows(matrix[index])
