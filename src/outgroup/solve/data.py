"""What a maximum-margin fit is about: the targets and the Universum, centred alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import CentredRows, Rows, as_rows
from ..rows.narrow import Narrow, narrow
from ..types import Array

_SMALL = 1 << 25  # numbers that a restart works on: a quarter of a gigabyte, held once a thread
_FIRST = 16  # rows, one of which nearly always differs from another


@dataclass(frozen=True)
class Data:
    """The rows to be grouped as they were `given` and as they are fitted, less `mean` (d,); the Universum, `outside` as
    it was given, likewise. `narrow` says how columns were taken together first, if they were."""

    given: Rows
    rows: Rows
    outside: Rows | None
    universum: Rows | None
    mean: Array
    narrow: Narrow | None = None

    @classmethod
    def of(cls, given: Rows, universum: Rows | None = None, *, center: bool = True) -> Data:
        """Centre the rows at their mean, implicitly, and the Universum at the same; or leave them where they are."""
        if not center:
            return cls(given, given, universum, universum, np.zeros(given.shape[1]))
        return cls(given, given, universum, universum, np.zeros(0))._about(total(given) / given.shape[0])

    @classmethod
    def narrowed(cls, given: Rows, universum: Rows | None = None, *, center: bool = True) -> Data:
        """Return the same in fewer columns, where most are those of one row: each step makes arrays of k times them.

        Directions found there become those of the rows given by `widened`.
        """
        every = [given] if universum is None else [given, universum]
        matrices = [rows.local() for rows in every]
        found = narrow(*matrices) if all(sp.issparse(matrix) for matrix in matrices) else None
        if found is None:
            return cls.of(given, universum, center=center)
        return replace(cls.of(*(as_rows(matrix) for matrix in found.matrices), center=center), narrow=found)

    def widened(self, W: Array) -> Array:
        """Return directions among the columns of the fit (k, d') as directions of the rows given, (k, d)."""
        return W if self.narrow is None else self.narrow.widened(W)

    def uncentred(self) -> Data:
        """Return the same with the rows as they were given."""
        return replace(Data.of(self.given, self.outside, center=False), narrow=self.narrow)

    def weighted(self, weights: Array) -> Data:
        """Return the same centred at the mean of rows that weigh so much, (n,); as it is where it is not centred."""
        if self.rows is self.given:
            return self
        return self._about(total(self.given, weights) / float(weights.sum()))

    def _about(self, mean: Array) -> Data:
        universum = None if self.outside is None else CentredRows(self.outside, mean)
        return replace(self, rows=CentredRows(self.given, mean), universum=universum, mean=mean)

    def small(self, numbers: int) -> bool:
        """Whether fits that work on so many numbers beside the rows may run side by side, each with a copy of these."""
        matrix = self.given.local()
        return matrix is not None and stored(matrix) + numbers <= _SMALL


def all_equal(rows: Rows) -> bool:
    """Return whether all rows are the same but for rounding; a look at the first ones is mostly enough.

    The rows' sums do not tell: in single precision their rounding grows with the number of rows.
    """
    first = np.asarray(rows.take(np.arange(min(_FIRST, rows.shape[0]))))
    if (first != first[0]).any():
        return False
    squares = np.asarray(rows.squares(), dtype=np.float64)
    distances = squares - 2 * np.asarray(rows.correlate(first[0]), dtype=np.float64) + squares[0]
    return bool((distances <= 64 * np.finfo(rows.dtype).eps * squares[0]).all())


def total(rows: Rows, weights: Array | None = None) -> Array:
    """Return the sum of all rows, or of all times their `weights` (n,): (d,) float64."""
    weights = np.ones(rows.shape[0]) if weights is None else weights
    return np.asarray(rows.fold(None, _sum_rule, weights.astype(rows.dtype))[0][0])


def _sum_rule(_: None, weights: Array) -> tuple[Array, float]:
    return weights[:, None], 0.0


def stored(matrix: Any) -> int:
    """Return how many entries of a sparse or dense matrix are not zero."""
    return int(matrix.count_nonzero() if sp.issparse(matrix) else np.count_nonzero(matrix))
