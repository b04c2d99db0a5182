"""Wrappers of rows: averaged, centred, scaled, masked, subsets and samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..types import Array, Rng
from .arrays import normalize
from .base import OneHot, Rows, Rule, Shifted, column_sums, first_column
from .blocks import canonical, checked_subset, even_spans, few_rows, pieces
from .matrix import as_rows, is_rows

# --- Rows with the verbs of other rows


class WrappedRows:
    """The rows of another `Rows`, unchanged; subclasses override operations (see `Rows`)."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.shape = rows.shape
        self.dtype = rows.dtype

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self.rows.fold(W, rule, *state, on=on)

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        return self.rows.map(W, rule, *state, on=on)

    def take(self, index: Array) -> Array:
        return self.rows.take(index)

    def _sample(self, index: Array) -> Any:
        """Return the requested rows as a CSR matrix, (m, d)."""
        parts = even_spans(0, len(index), -(-len(index) * self.shape[1] // _AT_ONCE))
        return sp.vstack([sp.csr_matrix(self.take(index[part])) for part in parts], format="csr")

    def correlate(self, x: Any) -> Array:
        return self.rows.correlate(x)

    def squares(self) -> Array:
        return self.rows.squares()

    def local(self) -> Any:
        return self.rows.local()


# --- Rows averaged with their neighbours, together with the originals


class AveragedRows(WrappedRows):
    """Averaged rows that also hold the `original` rows (see `Rows`).

    All verbs pass over the averaged rows, in which groups are found. The off-topic search uses the originals
    (docs/decisions/0010-set-aside-then-fit-again.md).

    Parameters
    ----------
    rows : Rows
        The averaged rows.
    original : Rows
        The same rows, unchanged.

    Raises
    ------
    InputError
        The shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> from outgroup.rows import as_rows
    >>> rows = AveragedRows(as_rows([[0.8, 0.6], [0.6, 0.8]]), as_rows(np.eye(2)))
    >>> rows.take(np.array([0])).tolist(), rows.original.take(np.array([0])).tolist()
    ([[0.8, 0.6]], [[1.0, 0.0]])
    """

    def __init__(self, rows: Rows, original: Rows) -> None:
        if rows.shape != original.shape:
            raise InputError(f"averaged rows have shape {rows.shape}, but the original rows have {original.shape}")
        super().__init__(rows)
        self.original = original


def original_of(rows: Rows) -> Rows:
    """Return the original rows of averaged rows; other rows unchanged.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Rows

    Examples
    --------
    >>> from outgroup.rows import as_rows
    >>> rows = as_rows([[1.0, 0.0]])
    >>> original_of(AveragedRows(rows, rows)) is rows and original_of(rows) is rows
    True
    """
    return rows.original if isinstance(rows, AveragedRows) else rows


# --- Rows minus the mean row, not formed


class CentredRows(WrappedRows):
    """The rows of another `Rows` minus `mean`, by rank-one corrections of the products (see `Rows`).

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
        super().__init__(rows)
        self.mean = np.asarray(mean, dtype=np.float64)

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        total, (sums, tally) = self.rows.fold(W, _Summed(self._shifted(W, rule)), *state, on=on)
        total -= np.outer(sums, self.mean)
        return total, tally

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        return self.rows.map(W, self._shifted(W, rule), *state, on=on)

    def take(self, index: Array) -> Array:
        return np.asarray(self.rows.take(index) - self.mean).astype(self.dtype, copy=False)

    def correlate(self, x: Any) -> Array:
        x = few_rows(x, self.shape[1])
        return self.rows.correlate(x) - np.squeeze(x @ self.mean).astype(self.dtype)

    def squares(self) -> Array:
        products = np.asarray(self.rows.map(self.mean[None], first_column), dtype=np.float64)
        return np.maximum(self.rows.squares() - 2 * products + float(self.mean @ self.mean), 0.0)

    def local(self) -> None:
        """Return None: the centred matrix is not formed."""

    def _shifted(self, W: Array | None, rule: Rule) -> Rule:
        if W is None:
            return rule
        return Shifted(rule, -(np.asarray(W, dtype=np.float64) @ self.mean).astype(self.dtype))


@dataclass(frozen=True)
class _Summed:
    """Add the column sums of the coefficients to the tally of a fold."""

    rule: Rule

    def __call__(self, scores: Array | None, *state: Array) -> tuple[Any, tuple[Array, Any]]:
        coefficients, tally = self.rule(scores, *state)
        return coefficients, (column_sums(coefficients), tally)


# --- Rows scaled to unit length, not formed

_ROUNDING = 1e-6  # tolerance of a squared length, for rows scaled in single precision


class ScaledRows(WrappedRows):
    """The rows of another `Rows`, multiplied by `factors` (n,) (see `Rows`).

    With D the diagonal matrix of the factors, `(D X) W^T = D (X W^T)` and `C^T (D X) = (D C)^T X`.

    Parameters
    ----------
    rows : Rows
    factors : (n,) array

    Examples
    --------
    >>> ScaledRows(as_rows([[2.0, 0.0], [0.0, 1.0]]), np.array([0.5, 3.0])).take(np.array([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 3.0]]
    """

    def __init__(self, rows: Rows, factors: Array) -> None:
        super().__init__(rows)
        self._factors = factors.astype(self.dtype)

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self.rows.fold(W, _ScaledFold(rule), self._factors, *state, on=on)

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        return self.rows.map(W, _Scaled(rule), self._factors, *state, on=on)

    def take(self, index: Array) -> Array:
        return np.asarray(self.rows.take(index) * self._factors[index, None])

    def _sample(self, index: Array) -> Any:
        return sp.csr_matrix(sp.diags(self._factors[index]) @ sampled(self.rows, index))

    def correlate(self, x: Any) -> Array:
        products = self.rows.correlate(x)
        return np.asarray(products * (self._factors if products.ndim == 1 else self._factors[:, None]))

    def squares(self) -> Array:
        return np.asarray(self.rows.squares() * self._factors.astype(np.float64) ** 2)

    def local(self) -> None:
        """Return None: the scaled matrix is not formed."""


class UnitRows(ScaledRows):
    """The rows of another `Rows`, divided by their lengths; zero rows stay (see `Rows`).

    Parameters
    ----------
    rows : Rows
    squares : (n,) array, default None
        Their squared lengths, if known.

    Examples
    --------
    >>> UnitRows(as_rows([[2.0, 0.0], [0.0, 0.0]])).take(np.array([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """

    def __init__(self, rows: Rows, squares: Array | None = None) -> None:
        squares = rows.squares() if squares is None else squares
        self._nonzero = squares > 0
        super().__init__(rows, self._nonzero / np.sqrt(np.where(self._nonzero, squares, 1.0)))

    def squares(self) -> Array:
        return self._nonzero.astype(np.float64)


class MaskedRows(UnitRows):
    """The rows of another `Rows` without some columns, scaled to unit length again (see `Rows`).

    Parameters
    ----------
    rows : Rows
    columns : (c,) column numbers

    Examples
    --------
    >>> MaskedRows(as_rows([[0.6, 0.8], [1.0, 0.0]]), np.array([0])).take(np.array([0, 1])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    def __init__(self, rows: Rows, columns: Array) -> None:
        self._columns = columns
        squares, masked = rows.squares(), np.zeros((len(columns), rows.shape[1]))
        masked[np.arange(len(columns)), columns] = 1.0
        remaining = squares - np.asarray(rows.map(masked, _sum_of_squares))
        super().__init__(rows, np.where(remaining > _ROUNDING * squares, remaining, 0.0))

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        total, tally = super().fold(self._masked(W), rule, *state, on=on)
        total[:, self._columns] = 0.0
        return total, tally

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        return super().map(self._masked(W), rule, *state, on=on)

    def take(self, index: Array) -> Array:
        return self._masked(super().take(index))

    def _sample(self, index: Array) -> Any:
        mask = np.ones(self.shape[1], dtype=self.dtype)
        mask[self._columns] = 0.0
        rows = sp.csr_matrix(super()._sample(index) @ sp.diags(mask))
        rows.eliminate_zeros()
        return rows

    def correlate(self, x: Any) -> Array:
        return super().correlate(self._masked(few_rows(x, self.shape[1])))

    def _masked(self, W: Any) -> Any:
        if W is not None:
            W = np.array(W)
            W[:, self._columns] = 0.0
        return W


def _sum_of_squares(scores: Array) -> Array:
    return np.einsum("ij,ij->i", scores, scores, dtype=np.float64)


def weighed_rows(rows: Rows, weights: Array | None) -> Rows:
    """Multiply `rows` by weights: a copy if they are in memory, else `ScaledRows`; unchanged for None.

    Spherical k-means on unit rows times their weights is spherical k-means with weights.

    Parameters
    ----------
    rows : Rows
    weights : (n,) positive numbers, or None

    Returns
    -------
    Rows

    Examples
    --------
    >>> weighed_rows(as_rows([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 1.0])).take(np.array([0, 1])).tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    if weights is None:
        return rows
    X, factors = rows.local(), weights.astype(rows.dtype)
    if X is None:
        return ScaledRows(rows, factors)
    if not sp.issparse(X):
        return as_rows(X * factors[:, None])
    return as_rows(sp.csr_matrix((X.data * np.repeat(factors, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape))


def row_lengths(rows: Rows) -> Array:
    """Return the length of each row, (n,); exactly 1 for all if they are unit rows or zero rows."""
    squares = rows.squares()
    return np.sqrt(np.where(_is_unit(squares), 1.0, squares)).astype(rows.dtype)


def unit_rows(rows: Rows) -> Rows:
    """Scale `rows` to unit length: a copy if they are in memory, else `UnitRows`; unchanged if they are unit rows.

    Parameters
    ----------
    rows : Rows

    Returns
    -------
    Rows
        Rows of zeros, and rows of unit length in memory, stay unchanged.

    Examples
    --------
    >>> unit_rows(as_rows([[3.0, 4.0], [0.0, 0.0]])).take(np.array([0, 1])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if isinstance(rows, AveragedRows):
        return AveragedRows(unit_rows(rows.rows), unit_rows(rows.original))
    X = rows.local()
    if sp.issparse(X) and not X.has_canonical_format:  # duplicates of an entry would give a wrong square
        X = canonical(X)
        rows = as_rows(X)
    squares = _checked_squares(rows)
    tiny = _underflowing(X, squares)
    if not len(tiny) and all(_is_unit(squares[span]).all() for span in pieces(len(squares))):
        return rows
    if X is None:
        return UnitRows(rows, squares)
    unit = _is_unit(squares)
    unit[tiny] = False
    scaled = of_unit_length(X)
    if sp.issparse(X):
        stored = np.repeat(unit, np.diff(X.indptr))
        scaled.data[stored] = X.data[stored]
    else:
        scaled[unit] = X[unit]
    return as_rows(scaled)


def _underflowing(X: Any, squares: Array) -> Array:
    """Return the nonzero rows of `X` with a squared length that underflows to zero."""
    none = np.flatnonzero(squares == 0)
    if X is None or not len(none):
        return none[:0]
    return none[np.asarray(abs(X[none]).sum(axis=1)).ravel() > 0]


def of_unit_length(X: Any) -> Any:
    """Scale the rows of an array or CSR matrix to unit length; zero rows stay.

    Each row is first multiplied by a power of two, which is exact: squares of huge or tiny numbers leave the range of
    single precision, and scikit-learn does not scale tiny rows.

    >>> of_unit_length(np.array([[3e30, 4e30], [0.0, 1e-30]], dtype=np.float32)).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    largest = np.asarray(abs(X).max(axis=1).todense() if sp.issparse(X) else abs(X).max(axis=1)).ravel()
    halvings = -np.frexp(largest)[1]
    if not sp.issparse(X):
        return normalize(np.ldexp(X, halvings[:, None]), copy=False)
    X = X.copy()
    X.data = np.ldexp(X.data, np.repeat(halvings, np.diff(X.indptr)))
    return normalize(X, copy=False)


def _checked_squares(rows: Rows) -> Array:
    squares = np.asarray(rows.squares())
    if rows.local() is not None and np.isinf(squares).any():
        place = int(np.flatnonzero(np.isinf(squares))[0])
        raise InputError(
            f"row {place} has numbers too large to square and add: scale all rows down, for example by the largest "
            "absolute value"
        )
    if squares.shape != rows.shape[:1] or not (np.isfinite(squares) & (squares >= 0)).all():
        name = type(rows).__name__
        raise InputError(f"squares() of {name} does not return a squared length for each of {rows.shape[0]:,} rows")
    return squares


def _is_unit(squares: Array) -> Array:
    return np.asarray((squares == 0) | (np.abs(squares - 1) <= _ROUNDING))


@dataclass(frozen=True)
class _Scaled:
    """Apply the rule of a map to the scores of scaled rows."""

    rule: Rule

    def __call__(self, scores: Any, factors: Array, *state: Array) -> Any:
        return self.rule(None if scores is None else scores * factors[:, None], *state)


class _ScaledFold(_Scaled):
    """Apply the rule of a fold to the scores of scaled rows, and multiply its coefficients by the factors."""

    def __call__(self, scores: Any, factors: Array, *state: Array) -> tuple[Any, Any]:
        coefficients, tally = super().__call__(scores, factors, *state)
        if isinstance(coefficients, OneHot):
            weights = factors if coefficients.weights is None else coefficients.weights * factors
            return OneHot(coefficients.columns, coefficients.n_columns, weights), tally
        return coefficients * factors[:, None], tally


# --- Subsets of rows


class PartRows(WrappedRows):
    """A subset of another `Rows`; passes visit only these rows (see `Rows`).

    In a pass, per-row state takes the space of all rows of the wrapped `Rows`.

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
        super().__init__(rows)
        self._index = np.asarray(checked_subset(index, rows.shape[0]))
        self.shape = len(self._index), rows.shape[1]

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self.rows.fold(W, rule, *self._spread(state), on=self._numbers(on))

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        return self.rows.map(W, rule, *self._spread(state), on=self._numbers(on))

    def take(self, index: Array) -> Array:
        return self.rows.take(self._index[index])

    def _sample(self, index: Array) -> Any:
        return sampled(self.rows, self._index[index])

    def correlate(self, x: Any) -> Array:
        return self.rows.correlate(x)[self._index]

    def squares(self) -> Array:
        return self.rows.squares()[self._index]

    def local(self) -> Any:
        X = self.rows.local()
        return None if X is None else X[self._index]

    def _numbers(self, on: Array | None) -> Array:
        rows = checked_subset(on, self.shape[0])
        return self._index if rows is None else self._index[rows]

    def _spread(self, state: tuple[Array, ...]) -> list[Array]:
        spread = [np.zeros((self.rows.shape[0], *np.shape(values)[1:]), np.asarray(values).dtype) for values in state]
        for wide, values in zip(spread, state, strict=True):
            wide[self._index] = values
        return spread


def part_of(X: Any, index: Array) -> Any:
    """Return some rows of `X`; a copy if they are in memory.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    index : (m,) increasing row numbers

    Returns
    -------
    array, CSR matrix or `Rows` of shape (m, d)
        Of the kind of `X`; `X` itself if `index` has all rows.

    Examples
    --------
    >>> part_of(as_rows(np.eye(3)), np.array([0, 2])).take(np.array([1])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    if len(index) == X.shape[0]:
        return X  # ascending: all rows
    if not is_rows(X):
        return X[index]
    if isinstance(X, CentredRows):
        return CentredRows(part_of(X.rows, index), X.mean)
    matrix = X.local()
    return PartRows(X, index) if matrix is None else as_rows(matrix[index])


# --- Samples in memory, for algorithms other than folds

MOST_SAMPLED = 1 << 14  # rows of a sample: a few seconds of local search; more hardly move the centres
_AT_ONCE = 1 << 22  # numbers of dense rows taken at once


def sample(rows: Rows, rng: Rng, most: int = MOST_SAMPLED) -> tuple[Array, Any]:
    """Draw at most `most` random rows; return their ascending indices, and the rows as CSR.

    >>> from outgroup.rows import as_rows
    >>> index, X = sample(as_rows(np.eye(3)), np.random.default_rng(0))
    >>> index.tolist(), X.shape
    ([0, 1, 2], (3, 3))
    """
    n = rows.shape[0]
    index = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
    return index, sp.csr_matrix(sampled(rows, index))


def sampled(rows: Rows, index: Array) -> Any:
    """Return the rows `index`, (m, d), in this order: an array or a CSR matrix."""
    X = rows.local()
    if X is not None:
        return X[index]
    if hasattr(rows, "sample"):  # rows in files and on workers
        return rows.sample(index)
    return (rows if isinstance(rows, WrappedRows) else WrappedRows(rows))._sample(index)
