"""Rows minus one mean row, without ever forming the dense difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Array
from .seam import Rows, Rule, column_sums


class CentredRows:
    """The rows of another `Rows`, each minus `mean`: the same products plus rank-one corrections (see `Rows`).

    `(X - 1 m^T) W^T = X W^T - 1 (W m)^T` and `C^T (X - 1 m^T) = C^T X - (C^T 1) m^T`, so sparse rows stay sparse.
    """

    def __init__(self, rows: Rows, mean: Array) -> None:
        self._rows = rows
        self.mean = np.asarray(mean, dtype=np.float64)
        self.shape = rows.shape
        self.dtype = rows.dtype

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        shifted = self._shifted(W, rule)

        def tallied(scores: Array | None, *each: Array) -> tuple[Any, tuple[Array, Any]]:
            coefficients, tally = shifted(scores, *each)
            return coefficients, (column_sums(coefficients), tally)

        total, (sums, tally) = self._rows.fold(W, tallied, *each, on=on)
        total -= np.outer(sums, self.mean)
        return total, tally

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self._rows.map(W, self._shifted(W, rule), *each, on=on)

    def take(self, index: Array) -> Array:
        return np.asarray(self._rows.take(index) - self.mean).astype(self.dtype, copy=False)

    def correlate(self, x: Any) -> Array:
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64).ravel()
        return self._rows.correlate(x) - self.dtype.type(x @ self.mean)

    def _shifted(self, W: Array | None, rule: Rule) -> Rule:
        if W is None:
            return rule
        shift = (np.asarray(W, dtype=np.float64) @ self.mean).astype(self.dtype)
        return lambda scores, *each: rule(scores - shift, *each)
