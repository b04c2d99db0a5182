"""What a maximum-margin fit is about: the targets and the Universum, centred alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import CentredRows, Rows, as_rows
from ..rows.narrow import Narrow, narrow
from ..types import Array

_SMALL = 1 << 25  # numbers that a restart works on: a quarter of a gigabyte, held once a thread
_ALIKE = 1e-3  # of a squared length: rows that were scaled to unit length in half precision
_NOTHING = 1e-6  # of the longest row's squared length: what is left of a row that is its own rounding
_FIRST = 16  # rows, one of which nearly always differs from another


@dataclass(frozen=True)
class Data:
    """The rows to be grouped as they were `given` and as they are fitted, less `mean` (d,); the Universum, `outside` as
    it was given, likewise. `center` says whether anything is taken off; in the mean, which is found when it is asked
    for, rows weigh `weights` (n,), or all alike. `narrow` says how columns were taken together first, if they were."""

    given: Rows
    outside: Rows | None = None
    center: bool = True
    weights: Array | None = None
    narrow: Narrow | None = None

    @classmethod
    def narrowed(cls, given: Rows, universum: Rows | None = None, *, center: bool = True) -> Data:
        """Return the same in fewer columns, where most are those of one row: each step makes arrays of k times them.

        Directions found there become those of the rows given by `widened`.
        """
        every = [given] if universum is None else [given, universum]
        matrices = [rows.local() for rows in every]
        found = narrow(*matrices) if all(sp.issparse(matrix) for matrix in matrices) else None
        if found is None:
            return cls(given, universum, center)
        narrowed = [as_rows(matrix) for matrix in found.matrices]
        return cls(narrowed[0], None if universum is None else narrowed[1], center, narrow=found)

    @cached_property
    def mean(self) -> Array:
        """What is taken off each row, (d,) float64: zeros where they are not centred."""
        if not self.center:
            return np.zeros(self.given.shape[1])
        weight = self.given.shape[0] if self.weights is None else float(self.weights.sum())
        return total(self.given, self.weights) / weight

    @cached_property
    def lengths(self) -> Array | None:
        """How long each row is as it was given, (n,), the longest 1; None where all are alike but for rounding.

        What is next to nothing beside the longest has no direction, and counts as long as the usual row.
        """
        squares = np.asarray(self.given.squares(), dtype=np.float64)
        some = squares > _NOTHING * squares.max()
        if not some.any() or np.ptp(squares[some]) <= _ALIKE * squares.max():
            return None
        lengths = np.sqrt(squares / squares.max())
        return np.where(some, lengths, lengths[some].mean())

    @cached_property
    def rows(self) -> Rows:
        """The rows as they are fitted."""
        return CentredRows(self.given, self.mean) if self.center else self.given

    @cached_property
    def universum(self) -> Rows | None:
        """The Universum as it is fitted."""
        return CentredRows(self.outside, self.mean) if self.center and self.outside is not None else self.outside

    def widened(self, W: Array) -> Array:
        """Return directions among the columns of the fit (k, d') as directions of the rows given, (k, d)."""
        return W if self.narrow is None else self.narrow.widened(W)

    def uncentred(self) -> Data:
        """Return the same with the rows as they were given."""
        return replace(self, center=False, weights=None)

    def weighted(self, weights: Array) -> Data:
        """Return the same centred at the mean of rows that weigh so much, (n,); as it is where it is not centred."""
        return replace(self, weights=weights) if self.center else self

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
