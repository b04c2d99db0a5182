"""Outliers without examples: rows that are far from all other rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Self

import numpy as np

from ..rows import as_rows, nearest, unit_rows
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """The nearest rows find more strangers than the cosine with the nearest centre (`bench outliers`)."""

    near: int = 10  # nearest rows
    rate: float = 0.05  # of ordinary rows above the threshold, at most
    strangers: float = 0.2  # share of the rows that may be strangers below the threshold


_SET = _Constants()


@dataclass(frozen=True, eq=False)
class Outliers:
    """Outlier scores of the rows of a fit, and of new rows: one minus the mean cosine with the 10 nearest rows.

    A row is not its own neighbour, so new rows compare with those of the fit. It tells scattered strangers; strangers
    that are alike make a group of their own.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n, d)
        The rows of the fit, of unit length.
    score : (n,) float64 array
        Their scores, 0 to 1.
    threshold : float
        At most 5 % of ordinary rows have a score above it: the conformal quantile of the distinct rows at 4 %, since
        a fifth of them may be strangers below it.

    Examples
    --------
    >>> X = np.repeat(np.eye(4), [5, 5, 5, 1], axis=0) + 0.01
    >>> found = Outliers.of(X)
    >>> int(found.score.argmax())
    15
    """

    rows: Any
    score: Array
    threshold: float

    @classmethod
    def of(cls, X: Any) -> Self:
        """Score the rows `X` (n, d), in memory."""
        rows = unit_rows(as_rows(X))
        score = _far(rows, None)
        return cls(rows.local(), score, threshold_of(score))

    def of_new(self, X: Any) -> Array:
        """Return the scores of new rows (m, d), (m,) float64; nan for a row of zeros.

        Examples
        --------
        >>> found = Outliers.of(np.repeat(np.eye(3), 4, axis=0))
        >>> found.of_new(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]])).round(2).tolist()
        [0.6, 0.42]
        """
        rows = unit_rows(as_rows(X))
        return np.where(rows.squares() > 0, _far(rows, self.rows), np.nan)


def _far(rows: Any, among: Any) -> Array:
    """Return one minus the mean cosine of each row with its 10 nearest neighbours; a missing one counts as 0."""
    cosines = np.asarray(nearest(rows, among, count=_SET.near).cosines, dtype=np.float64)
    return np.asarray(1 - cosines.sum(axis=1) / _SET.near)


def threshold_of(score: Array) -> float:
    """Return the score that at most 5 % of ordinary rows exceed, equal scores counted once; inf for few.

    >>> threshold_of(np.arange(100.0)), threshold_of(np.arange(3.0))
    (96.0, inf)
    """
    distinct = np.unique(score.round(9))
    place = ceil((len(distinct) + 1) * (1 - _SET.rate * (1 - _SET.strangers))) - 1
    return float(distinct[place]) if place < len(distinct) else inf
