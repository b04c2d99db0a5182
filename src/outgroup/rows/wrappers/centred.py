"""Rows minus one mean row, without ever forming the dense difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...types import Array
from ..arrays import like
from ..blocks import few_rows
from ..rules import first_column
from ..seam import Rows, Rule, column_sums


class CentredRows:
    """The rows of another `Rows`, each minus `mean`: the same products plus rank-one corrections (see `Rows`).

    `(X - 1 m^T) W^T = X W^T - 1 (W m)^T` and `C^T (X - 1 m^T) = C^T X - (C^T 1) m^T`, so sparse rows stay sparse.

    Parameters
    ----------
    rows : Rows
    mean : (d,) array

    Examples
    --------
    >>> from outgroup.rows import as_rows
    >>> CentredRows(as_rows([[1.0, 3.0], [3.0, 5.0]]), np.array([2.0, 4.0])).take(np.array([0])).tolist()
    [[-1.0, -1.0]]
    """

    def __init__(self, rows: Rows, mean: Array) -> None:
        self.given = rows
        self.mean = np.asarray(mean, dtype=np.float64)
        self.shape = rows.shape
        self.dtype = rows.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        total, (sums, tally) = self.given.fold(W, _Summed(self._shifted(W, rule)), *each, on=on)
        total -= np.outer(sums, self.mean)
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self.given.map(W, self._shifted(W, rule), *each, on=on)

    def take(self, index: Array) -> Array:
        return np.asarray(self.given.take(index) - self.mean).astype(self.dtype, copy=False)

    def correlate(self, x: Any) -> Array:
        x = few_rows(x, self.shape[1])
        return self.given.correlate(x) - np.squeeze(x @ self.mean).astype(self.dtype)

    def squares(self) -> Array:
        products = np.asarray(self.given.map(self.mean[None], first_column), dtype=np.float64)
        return np.maximum(self.given.squares() - 2 * products + float(self.mean @ self.mean), 0.0)

    def local(self) -> None:
        """Return None: the difference is never formed."""

    def _shifted(self, W: Array | None, rule: Rule) -> Rule:
        if W is None:
            return rule
        return _Shifted(rule, (np.asarray(W, dtype=np.float64) @ self.mean).astype(self.dtype))


@dataclass(frozen=True)
class _Shifted:
    """A rule that meets its scores less `shift` (c,)."""

    rule: Rule
    shift: Array

    def __call__(self, scores: Array, *each: Array) -> Any:
        return self.rule(scores - like(self.shift, scores), *each)


@dataclass(frozen=True)
class _Summed:
    """A fold's rule whose tally holds the column sums of its coefficients, too."""

    rule: Rule

    def __call__(self, scores: Array | None, *each: Array) -> tuple[Any, tuple[Array, Any]]:
        coefficients, tally = self.rule(scores, *each)
        return coefficients, (column_sums(coefficients), tally)
