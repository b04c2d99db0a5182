"""Check the user's matrix, and convert it to rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..places import require_whole
from ..types import Array
from .base import OneHot, Rows, Rule, correlated
from .blocks import add_up, canonical, checked_directions, checked_subset, even_spans, join
from .sparse import SparseRows
from .threads import ordered_map

# --- Checks of a matrix by scikit-learn's rules, and for texts in the place of rows


def checked_matrix(X: Any, name: str = "X", *, dtype: Any = (np.float64, np.float32), **rules: Any) -> Any:
    """Return `X` as a float array or CSR matrix, checked by scikit-learn's `check_array` with `rules`.

    Raises InputError for texts, and for a sparse matrix with inconsistent indices; ValueError and TypeError in
    scikit-learn's words for NaN, infinity, or anything but two dimensions.

    >>> checked_matrix([[1, 2]]).dtype
    dtype('float64')
    """
    from sklearn.utils import check_array  # late: a worker that only folds need not load it

    dtypes = dtype if isinstance(dtype, np.dtype) else list(dtype)
    with no_texts(name):
        return check_array(sound(X, name), accept_sparse="csr", dtype=dtypes, input_name=name, **rules)


@contextmanager
def no_texts(name: str) -> Iterator[None]:
    """Raise InputError if a `with` block fails because the array `name` contains texts.

    NumPy's own error quotes the whole text and gives no remedy.

    >>> with no_texts("X"):  # doctest: +ELLIPSIS
    ...     float("bread and butter")
    Traceback (most recent call last):
    outgroup.errors.InputError: X contains texts; ... convert them with outgroup.Vectorizer
    """
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        remedy = "give the texts to outgroup.DocumentClustering, or convert them with outgroup.Vectorizer"
        raise InputError(f"{name} contains texts; {remedy}") from None


# --- Choose the kind of rows for an input, or raise InputError

_VERBS = ("fold", "map", "take", "correlate", "squares", "local")
_DISTINCTIVE = ("fold", "correlate", "squares", "local")  # an object with two of these is rows, unless an array


def is_rows(X: Any) -> bool:
    """Return whether `X` implements `Rows`.

    Parameters
    ----------
    X : anything

    Returns
    -------
    bool
        False for arrays, matrices and lists.

    Raises
    ------
    InputError
        An object with only some of the verbs, or with a dtype other than floats. The message names the missing verbs.
    """
    if isinstance(X, np.ndarray) or sp.issparse(X) or sum(hasattr(X, verb) for verb in _DISTINCTIVE) < 2:
        return False
    name = type(X).__name__
    missing = [verb for verb in (*_VERBS, "shape", "dtype") if not hasattr(X, verb)]
    if missing:
        raise InputError(f"{name} must have {', '.join(_VERBS)}, shape and dtype; missing: {', '.join(missing)}")
    if len(X.shape) != 2 or np.dtype(X.dtype) not in (np.float32, np.float64):
        raise InputError(f"{name} has shape {X.shape} and dtype {X.dtype}; rows are (n, d) of float32 or float64")
    return True


def as_rows(X: Any) -> Rows:
    """Return `X` as `Rows`; unchanged if it already is.

    Memory is shared if no conversion is needed. Do not change `X` while the rows are in use: products rely on the
    indices checked here.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d)
        Other number types than float32 become float64.

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        In scikit-learn's words: NaN, infinity, complex numbers, or anything but two dimensions.
    InputError
        Texts, a sparse matrix with inconsistent indices, or an object with some of the verbs of `Rows`.

    Examples
    --------
    >>> as_rows([[1.0, 0.0], [0.0, 1.0]]).shape
    (2, 2)
    """
    if is_rows(X):
        rows: Rows = X
        return rows
    X = checked_matrix(X, order="C")
    if not sp.issparse(X):
        return DenseRows(X)
    X = canonical(X)
    X.check_format(full_check=False)  # both index arrays get the same width
    return SparseRows(X)


# --- Reject a sparse matrix with inconsistent index arrays before compiled code reads them

_WIDE, _EMPTY = 10_000_000, 100  # columns that are always fine, and columns a stored value beyond that


def sound(X: Any, name: str = "X") -> Any:
    """Return a sparse `X` with contiguous arrays and one index dtype; raise InputError if it is invalid.

    Raises InputError for inconsistent indices, for nearly only empty columns (a group takes a number for each column),
    and if `X` is mapped from a truncated file.

    SciPy and scikit-learn check the ends of the index arrays only: converting, scaling or multiplying an inconsistent
    matrix may read and write anywhere. Unsorted and repeated indices, of 32 or 64 bits, are fine.

    >>> sound(sp.csr_matrix(np.eye(2))).shape
    (2, 2)
    """
    for array in (getattr(X, part, None) for part in ("data", "indices", "indptr")) if sp.issparse(X) else (X,):
        require_whole(array, name)
    if not sp.issparse(X):
        return X
    try:
        if X.format == "coo":
            type(X)((X.data, (X.row, X.col)), shape=X.shape)  # this checks the indices
        if X.format == "lil":
            if [*map(len, X.rows)] != [*map(len, X.data)]:
                raise ValueError("rows and data differ in length")
            X = X.tocsr()
        if X.format in ("csr", "csc", "bsr"):
            X = copy(X)  # the check replaces arrays, which other threads may read
            X.check_format(full_check=True)
            if (np.diff(X.indptr) < 0).any():  # SciPy does not look at this in a matrix without entries
                raise ValueError("indptr must ascend")
            X.data, X.indices, X.indptr = map(np.ascontiguousarray, (X.data, X.indices, X.indptr))
    except ValueError as error:
        remedy = "rebuild the matrix, and change its index arrays only through SciPy"
        raise InputError(f"{name} is damaged: {error}; {remedy}") from error
    if X.shape[1] > max(_WIDE, _EMPTY * X.nnz):
        size = f"{X.shape[1]:,} columns and {X.nnz:,} stored values"
        raise InputError(f"{name} has {size}, but each group needs an array over all columns: remove empty columns")
    return X


# --- A matrix as plain arrays; arrays of a file are checked


def packed(X: Any) -> Any:
    """Return dense rows unchanged; return sparse rows as a list of three arrays."""
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else X


def unpacked(arrays: Any, d: int) -> Any:
    """Return the rows of `packed` arrays, None for None; raise ValueError unless they have d columns."""
    if arrays is None:
        return None
    X = np.ascontiguousarray(arrays) if isinstance(arrays, np.ndarray) else None
    if X is None:
        data, indices, indptr = (np.asarray(array) for array in arrays)
        X = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, d))
    if X.dtype not in (np.float32, np.float64) or X.ndim != 2 or X.shape[1] != d or not np.isfinite(sound(X).sum()):
        raise ValueError(f"its rows have shape {X.shape} and dtype {X.dtype}")
    return X


# --- Rows of a NumPy array in memory: matrix products of blocks that stay in cache, on threads

_BLOCK = 1 << 20  # bytes of a block: it should still be in cache for its second product
_LEAST_ROWS = 256  # of a block, or adding its sums up would cost more than making them
_MOST_RUNS = 16  # of blocks: a run has sums of its own, added up at the end


class DenseRows:
    """The rows of a C-contiguous float32 or float64 array (see `Rows`).

    Blocks, and runs of blocks, are fixed by the array's shape. A fold takes, beyond X, the float64 sums of each run.
    """

    def __init__(self, X: Array) -> None:
        self._X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype

    def fold(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        directions = self._directions(W)

        def task(run: list[Any]) -> Any:
            return add_up(_contribution(*self._apply(directions, rule, state, rows)) for rows in run)

        total, tally = add_up(ordered_map(task, self._runs(on)))
        return total, tally

    def map(self, W: Array | None, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        directions = self._directions(W)

        def task(run: list[Any]) -> Any:
            return join([self._apply(directions, rule, state, rows)[1] for rows in run])

        return join(ordered_map(task, self._runs(on)))

    def take(self, index: Array) -> Array:
        return np.array(self._X[index])

    def correlate(self, x: Any) -> Array:
        return correlated(self, x)

    def squares(self) -> Array:
        X = self._X
        return np.concatenate(
            ordered_map(lambda rows: np.einsum("ij,ij->i", X[rows], X[rows], dtype=np.float64), self._parts(len(X)))
        )

    def local(self) -> Any:
        return self._X

    def _directions(self, W: Array | None) -> Array | None:
        if W is None:
            return None
        return np.ascontiguousarray(checked_directions(W, self.shape[1]).T, dtype=self.dtype)

    def _apply(self, directions: Array | None, rule: Rule, state: tuple[Array, ...], rows: Any) -> tuple[Array, Any]:
        block = self._X[rows]
        return block, rule(None if directions is None else block @ directions, *(values[rows] for values in state))

    def _runs(self, on: Array | None) -> list[list[Any]]:
        """Return lists of blocks; a block is a slice of rows or, with `on`, an array of row indices."""
        rows = checked_subset(on, self.shape[0])
        n = self.shape[0] if rows is None else len(rows)
        parts = self._parts(n)
        blocks = parts if rows is None else [rows[part] for part in parts]
        return [blocks[run] for run in even_spans(0, len(blocks), _MOST_RUNS)]

    def _parts(self, n: int) -> list[slice]:
        length = max(_LEAST_ROWS, _BLOCK // (self.shape[1] * self.dtype.itemsize))
        return even_spans(0, n, -(-n // length))


def _contribution(block: Array, result: tuple[Any, Any]) -> tuple[Array, Any]:
    coefficients, tally = result
    if not isinstance(coefficients, OneHot):
        return np.asarray(np.asarray(coefficients, dtype=block.dtype).T @ block, dtype=np.float64), tally
    edges, members, weights = coefficients.grouped()
    matrix = sp.csr_matrix((weights, members, edges), shape=(len(edges) - 1, len(block)))
    return np.asarray(matrix @ block), tally
