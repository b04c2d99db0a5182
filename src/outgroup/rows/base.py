"""The `Rows` protocol: six operations on rows, and the rules that algorithms share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .._native.products import current
from ..errors import InputError
from ..types import Array
from .arrays import argmax, like, namespace, set_at, zeros
from .blocks import few_rows

# --- The interface between mathematics and data: a fit is a sequence of folds over rows

Rule = Callable[..., Any]


@dataclass(frozen=True)
class OneHot:
    """Coefficients with at most one entry per row: `weights[i]` in column `columns[i]`; -1 means none.

    A hard assignment of n rows to k columns costs n numbers in this form and n * k as a dense array.

    Parameters
    ----------
    columns : (n,) whole numbers
    n_columns : int
    weights : (n,) numbers, default None
        None: 1.

    Examples
    --------
    >>> OneHot(np.array([0, 1, -1, 1]), 2).sums().tolist()
    [1.0, 2.0]
    """

    columns: Array
    n_columns: int
    weights: Array | None = None

    def sums(self) -> Array:
        """Return the column sums.

        Returns
        -------
        (n_columns,) float64 array
        """
        if not isinstance(self.columns, np.ndarray):
            xp = namespace(self.columns)
            weights = xp.ones_like(self.columns, dtype=xp.float64) if self.weights is None else self.weights
            return xp.sum(set_at(zeros(weights, self.n_columns), self.columns, weights), axis=0, dtype=xp.float64)
        member = self.columns >= 0
        weights = None if self.weights is None else self.weights[member]
        return np.bincount(self.columns[member], weights, self.n_columns).astype(np.float64)

    def grouped(self) -> tuple[Array, Array, Array]:
        """Return the row indices grouped by column.

        Returns
        -------
        edges, members, weights
            Column c has the rows `members[edges[c] : edges[c + 1]]`, in order, with these `weights`.

        Raises
        ------
        InputError
            A row is in a column beyond `n_columns`.
        """
        columns = np.asarray(self.columns)
        counts = np.bincount(columns + 1, minlength=self.n_columns + 1)
        check_columns(len(counts) - 2, self.n_columns)
        narrow = columns.astype(np.int16) if self.n_columns < 2**15 else columns  # radix sort for small integers
        members = np.argsort(narrow, kind="stable")[counts[0] :]
        weights = np.ones(len(columns)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        return np.cumsum(counts) - counts[0], members, weights[members]


Coefficients = Array | OneHot


def check_columns(highest: int, n_columns: int) -> None:
    """Raise InputError if the highest column index is not below `n_columns`."""
    if highest >= n_columns:
        raise InputError(f"a row has column {highest}, but columns range from 0 to {n_columns - 1}")


def column_sums(coefficients: Coefficients) -> Array:
    """Return the column sums of a block's coefficients in float64, in their array library."""
    if isinstance(coefficients, OneHot):
        return coefficients.sums()
    if isinstance(coefficients, np.ndarray):
        return np.asarray(current().column_sums(coefficients))
    xp = namespace(coefficients)
    return xp.sum(coefficients, axis=0, dtype=xp.float64)


class Rows(Protocol):
    """The operations that an algorithm needs on n rows with d features, in memory or elsewhere.

    `W` is (c, d), one direction a row; a block's scores are `X_b @ W.T` in the dtype of the rows. A rule is a pure
    function of one block: it must not remember anything between calls, since blocks may run in any order, on any thread
    or machine. It is a module-level function or a frozen dataclass with `__call__`, so that it can be sent there, and
    computes in the array namespace of its scores (`rows.arrays`). `state` holds per-row arrays of length n, sliced with
    the rows. `on`, a sorted array of row numbers, restricts the pass to those rows.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of scores, float32 or float64."""

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        """Return the sums of `coef.T @ X_b` and of the tallies over all blocks, in block order.

        Parameters
        ----------
        W : (c, d) array or None
            Directions; without them the rule gets None for the scores.
        rule : callable
            `rule(scores, *state_b)` gives `(coef, tally)`: an array of any number of columns or a `OneHot`; a number,
            an array, or a tuple of these.
        state : (n, ...) arrays
            Per-row state.
        on : (m,) increasing row numbers, default None
            The rows to pass over; None: all.

        Returns
        -------
        total, tally
            (columns, d) float64, and the sum of the rule's tallies.
        """

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        """Return the results of a rule for all blocks, concatenated in row order.

        Parameters
        ----------
        W : (c, d) array or None
            Directions; without them the rule gets None for the scores.
        rule : callable
            `rule(scores, *state_b)` gives an array, or a tuple of arrays, of one entry a row.
        state : (n, ...) arrays
            Per-row state.
        on : (m,) increasing row numbers, default None
            The rows to pass over; None: all.

        Returns
        -------
        (n, ...) array, or a tuple of them
        """

    def take(self, index: Array) -> Array:
        """Return a few rows as a dense float array.

        Parameters
        ----------
        index : (m,) row numbers

        Returns
        -------
        (m, d) array
        """

    def correlate(self, x: Any) -> Array:
        """Return the products of all rows with a few rows, in the dtype of the rows.

        Parameters
        ----------
        x : array or sparse matrix, (d,), (1, d) or (m, d)

        Returns
        -------
        (n,) array for one row, (n, m) for m > 1
        """

    def squares(self) -> Array:
        """Return the squared length of each row.

        Returns
        -------
        (n,) float64 array
        """

    def local(self) -> Any:
        """Return the matrix of the rows if it is in memory, else None.

        Algorithms other than folds (local search) use it; it must not be changed.

        Returns
        -------
        array, CSR matrix or None
        """


# --- Shared rules, and folds by them


def all_scores(scores: Array) -> Array:
    """A rule: return all scores, (n, c)."""
    return scores


def first_column(scores: Array) -> Array:
    """A rule: return the first score of each row, (n,)."""
    return scores[:, 0]


def correlated(rows: Rows, x: Any) -> Array:
    """Return the products of all rows with one row, (n,), or with m rows, (n, m), in one pass."""
    x = few_rows(x, rows.shape[1])
    return np.asarray(rows.map(x, first_column if len(x) == 1 else all_scores))


def as_given(_: None, coefficients: Array) -> tuple[Array, float]:
    """A rule: fold the rows with the given coefficients (n, c)."""
    return coefficients, 0.0


def highest_score(scores: Array) -> Array:
    """A rule: return the highest score of each row, (n,)."""
    highest: Array = namespace(scores).max(scores, axis=1)
    return highest


@dataclass(frozen=True)
class Shifted:
    """A rule: apply a `rule` to the scores plus `shift` (c,), in their dtype."""

    rule: Rule
    shift: Array

    def __call__(self, scores: Array, *state: Array) -> Any:
        return self.rule(scores + like(self.shift, scores), *state)


@dataclass(frozen=True)
class Members:
    """A rule: sum the rows of each of `k` clusters by labels (-1 for none), optionally with weights."""

    k: int

    def __call__(self, scores: Any, labels: Array, *weights: Array) -> tuple[OneHot, float]:
        return OneHot(labels, self.k, *weights), 0.0


def cluster_sums(rows: Rows, labels: Array, k: int, on: Array | None = None, *, weights: Array | None = None) -> Array:
    """Return the sum of the rows in each of `k` clusters.

    Parameters
    ----------
    rows : Rows
    labels : (n,) whole numbers
        The cluster of each row, -1 for none.
    k : int
    on : (m,) increasing row numbers, default None
        The rows to add up; None: all.
    weights : (n,) numbers, default None
        Weights of the rows; None: 1.

    Returns
    -------
    (k, d) float64 array

    Examples
    --------
    >>> from outgroup.rows import as_rows
    >>> cluster_sums(as_rows([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 1, 0]), 2).tolist()
    [[4.0, 0.0], [0.0, 2.0]]
    """
    state = (labels,) if weights is None else (labels, weights)
    return rows.fold(None, Members(k), *state, on=on)[0]


def highest(rows: Rows, W: Array, shift: Array | None = None) -> Array:
    """Return the column with the highest score `X W^T + shift` for each row.

    Parameters
    ----------
    rows : Rows
    W : (c, d) array
    shift : (c,) array, default None

    Returns
    -------
    (n,) int32 array
        Ties go to the lower number.
    """
    return np.asarray(rows.map(W, argmax if shift is None else Shifted(argmax, shift)))
