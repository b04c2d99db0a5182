"""Rows of another `Rows`, each scaled to unit length, without ever forming them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import InputError
from ...types import Array
from ..blocks import pieces
from ..choose import as_rows
from ..seam import OneHot, Rows, Rule
from .averaged import AveragedRows

_ROUNDING = 1e-6  # of a squared length: rows in single precision that were scaled before


class UnitRows:
    """The rows of another `Rows`, each divided by its length; rows of zeros stay (see `Rows`).

    With D the diagonal matrix of the inverse lengths, `(D X) W^T = D (X W^T)` and `C^T (D X) = (D C)^T X`.

    Parameters
    ----------
    rows : Rows
    squares : (n,) array, default None
        Their squared lengths, where they are known.

    Examples
    --------
    >>> UnitRows(as_rows([[2.0, 0.0], [0.0, 0.0]])).take(np.array([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, rows: Rows, squares: Array | None = None) -> None:
        self._rows = rows
        self.shape = rows.shape
        self.dtype = rows.dtype
        squares = rows.squares() if squares is None else squares
        self._nonzero = squares > 0
        self._inverse = (self._nonzero / np.sqrt(np.where(self._nonzero, squares, 1.0))).astype(self.dtype)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self._rows.fold(W, _ScaledFold(rule), self._inverse, *each, on=on)

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return self._rows.map(W, _Scaled(rule), self._inverse, *each, on=on)

    def take(self, index: Array) -> Array:
        return np.asarray(self._rows.take(index) * self._inverse[index, None])

    def correlate(self, x: Any) -> Array:
        products = self._rows.correlate(x)
        return np.asarray(products * (self._inverse if products.ndim == 1 else self._inverse[:, None]))

    def squares(self) -> Array:
        return self._nonzero.astype(np.float64)

    def local(self) -> None:
        """Return None: the scaled rows are never formed. `unit_rows` forms them where that is possible."""


def unit_rows(rows: Rows) -> Rows:
    """Return `rows` scaled to unit length: a copy in memory, or else by `UnitRows`; themselves where all have it.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Rows
        Rows of zeros, and in memory rows of unit length, stay to the last digit.

    Examples
    --------
    >>> unit_rows(as_rows([[3.0, 4.0], [0.0, 0.0]])).take(np.array([0, 1])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if isinstance(rows, AveragedRows):
        return AveragedRows(unit_rows(rows.rows), unit_rows(rows.original))
    X = rows.local()
    if sp.issparse(X) and not X.has_canonical_format:  # an entry in several parts would have a wrong square
        X = X.copy()
        X.sum_duplicates()
        rows = as_rows(X)
    squares = _lengths(rows)
    tiny = _tiny(X, squares)
    if not len(tiny) and all(_unit(squares[span]).all() for span in pieces(len(squares))):
        return rows
    if X is None:
        return UnitRows(rows, squares)
    unit = _unit(squares)
    unit[tiny] = False
    return as_rows(_normalized(X, unit))


def _tiny(X: Any, squares: Array) -> Array:
    """Return the numbers of the rows of `X` that are not zero, though the squares of their numbers add up to it."""
    none = np.flatnonzero(squares == 0)
    if X is None or not len(none):
        return none[:0]
    return none[np.asarray(abs(X[none]).sum(axis=1)).ravel() > 0]


def of_unit_length(X: Any) -> Any:
    """Return the rows of an array or CSR matrix scaled to unit length; rows of zeros stay.

    Each is multiplied by a power of two first, which changes no digit: squares of huge or tiny numbers leave the range
    of single precision, and scikit-learn leaves tiny rows as they are.

    >>> of_unit_length(np.array([[3e30, 4e30], [0.0, 1e-30]], dtype=np.float32)).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    from sklearn.preprocessing import normalize  # late: a worker that only folds need not load it

    largest = np.asarray(abs(X).max(axis=1).todense() if sp.issparse(X) else abs(X).max(axis=1)).ravel()
    halvings = -np.frexp(largest)[1]
    if not sp.issparse(X):
        return normalize(np.ldexp(X, halvings[:, None]), copy=False)
    X = X.copy()
    X.data = np.ldexp(X.data, np.repeat(halvings, np.diff(X.indptr)))
    return normalize(X, copy=False)


def _normalized(X: Any, unit: Array) -> Any:
    """Return a matrix with rows of unit length, of which some are `unit` (n,) bool: what others there are changes no
    digit of these."""
    found = of_unit_length(X)
    if sp.issparse(X):
        stored = np.repeat(unit, np.diff(X.indptr))
        found.data[stored] = X.data[stored]
    else:
        found[unit] = X[unit]
    return found


def _lengths(rows: Rows) -> Array:
    squares = np.asarray(rows.squares())
    if rows.local() is not None and np.isinf(squares).any():
        place = int(np.flatnonzero(np.isinf(squares))[0])
        raise InputError(
            f"row {place} holds numbers whose squares are too large to add up; divide all rows by one number"
        )
    if squares.shape != rows.shape[:1] or not (np.isfinite(squares) & (squares >= 0)).all():
        name = type(rows).__name__
        raise InputError(f"squares() of {name} gives no squared length for each of {rows.shape[0]:,} rows")
    return squares


def _unit(squares: Array) -> Array:
    return np.asarray((squares == 0) | (np.abs(squares - 1) <= _ROUNDING))


@dataclass(frozen=True)
class _Scaled:
    """A map's rule that meets the scores of unit rows."""

    rule: Rule

    def __call__(self, scores: Any, inverse: Array, *each: Array) -> Any:
        return self.rule(None if scores is None else scores * inverse[:, None], *each)


@dataclass(frozen=True)
class _ScaledFold:
    """A fold's rule that meets the scores of unit rows, and weighs their sum."""

    rule: Rule

    def __call__(self, scores: Any, inverse: Array, *each: Array) -> tuple[Any, Any]:
        coefficients, tally = self.rule(None if scores is None else scores * inverse[:, None], *each)
        if isinstance(coefficients, OneHot):
            weights = inverse if coefficients.weights is None else coefficients.weights * inverse
            return OneHot(coefficients.columns, coefficients.n_columns, weights), tally
        return coefficients * inverse[:, None], tally
