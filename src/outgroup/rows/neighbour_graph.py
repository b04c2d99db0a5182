"""The exact nearest neighbours by cosine, computed block by block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._native.products import current, kernels
from ..types import Array, OnCount
from .arrays import normalize
from .base import Rows
from .blocks import even_spans, heavy_spans
from .matrix import as_rows
from .threads import n_threads, ordered_map

# --- Graph of nearest neighbours by cosine, and rows averaged over it
#
# Short texts lack words, and embeddings lie on curved manifolds: neighbours add the missing information.

COUNT = 15  # neighbours of a row
_AT_ONCE = 1 << 22  # products of a block of rows with all others
_DENSE_ROWS = 1 << 22  # numbers of a block of averaged rows


@dataclass(frozen=True)
class Neighbours:
    """The nearest rows for each of m rows.

    Parameters
    ----------
    index : (m, count) int32
        The numbers of a row's neighbours, nearest first; -1 for none.
    cosines : (m, count) float32
        Their cosines or other weights, from 0 to 1; 0 for none.
    n : int
        The number of rows searched.

    Examples
    --------
    >>> Neighbours(np.array([[1, 2]]), np.array([[0.9, 0.3]]), 3).shares.toarray().round(2).tolist()
    [[0.0, 0.75, 0.25]]
    """

    index: Array
    cosines: Array
    n: int

    @cached_property
    def shares(self) -> Any:
        """The matrix P, CSR (m, n) float32: each row's cosines with its neighbours, divided by their sum."""
        m = len(self.index)
        stored = self.index >= 0
        edges = np.concatenate([[0], np.cumsum(stored.sum(axis=1))])
        graph = sp.csr_matrix((self.cosines[stored], self.index[stored], edges), shape=(m, self.n))
        return normalize(graph, norm="l1")

    @cached_property
    def edges(self) -> tuple[Array, Array, Array]:
        """The rows, their neighbours, and the weights as float64, (e,) each, of rows searched among themselves."""
        stored = self.index >= 0
        source = np.repeat(np.arange(len(self.index)), stored.sum(axis=1))
        return source, self.index[stored], self.cosines[stored].astype(np.float64)

    @property
    def adjacency(self) -> Any:
        """The symmetric matrix of weights, CSR (n, n), of rows searched among themselves; mutual edges count twice."""
        source, target, _ = self.edges
        one_way = sp.csr_matrix((self.cosines[self.index >= 0], (source, target)), shape=(self.n, self.n))
        return (one_way + one_way.T).tocsr()

    def first(self, count: int) -> Neighbours:
        """Return only the first `count` neighbours of each row.

        Parameters
        ----------
        count : int
            The number of neighbours to keep, at most the number stored.

        Returns
        -------
        Neighbours

        Examples
        --------
        >>> Neighbours(np.array([[1, 2]]), np.array([[0.9, 0.3]]), 3).first(1).index.tolist()
        [[1]]
        """
        return Neighbours(self.index[:, :count], self.cosines[:, :count], self.n)

    def falling(self) -> Neighbours:
        """Return all neighbours but the last, each weighted by its cosine minus that of the last.

        The weight then falls to zero without a step.

        Returns
        -------
        Neighbours

        Examples
        --------
        >>> Neighbours(np.array([[1, 2, 3]]), np.array([[0.9, 0.5, 0.4]]), 4).falling().cosines.round(2).tolist()
        [[0.5, 0.1]]
        """
        return Neighbours(self.index[:, :-1], self.cosines[:, :-1] - self.cosines[:, -1:], self.n)

    def beside(self, other: Neighbours) -> Neighbours:
        """Combine these neighbours with others of the same rows, for example from another space, at half weight each.

        Parameters
        ----------
        other : Neighbours
            Of the same m rows, among the same n.

        Returns
        -------
        Neighbours
            Rows with neighbours in one of the two only keep those at full weight.

        Examples
        --------
        >>> near = Neighbours(np.array([[1], [0]]), np.array([[0.9], [0.9]]), 3)
        >>> near.beside(Neighbours(np.array([[2], [-1]]), np.array([[0.1], [0.0]]), 3)).shares.toarray().tolist()
        [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
        """
        sums = [near.cosines.sum(axis=1, keepdims=True) for near in (self, other)]
        parts = [near.cosines / np.where(total > 0, total, 1) for near, total in zip((self, other), sums, strict=True)]
        return Neighbours(np.hstack([self.index, other.index]), np.hstack(parts).astype(np.float32), self.n)


def nearest(rows: Any, among: Any = None, *, count: int = COUNT, progress: OnCount | None = None) -> Neighbours:
    """Return the rows with the highest cosine for each row, without the row itself; equal cosines in order of index.

    Time is quadratic in the number of rows; each thread takes the memory of 2^22 products. Sparse rows among themselves
    compute each pair once and take the memory of the result.

    Parameters
    ----------
    rows : array, sparse matrix or `Rows` of shape (m, d)
        Of unit length; a row of zeros has no neighbours.
    among : array, sparse matrix or `Rows` of shape (n, d), default None
        Candidates; None: the rows themselves.
    count : int, default 15
        Most neighbours of a row. Only cosines above zero count.
    progress : callable, default None
        Called with the number of rows done and the total.

    Returns
    -------
    Neighbours

    Examples
    --------
    >>> nearest(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), count=1).index.tolist()
    [[1], [0], [1]]
    """
    rows = as_rows(rows)
    if among is None and sp.issparse(rows.local()) and kernels() is not None:
        return Neighbours(*nearest_pairs(rows.local(), min(count, rows.shape[0]), progress), rows.shape[0])
    others, m = rows if among is None else as_rows(among), rows.shape[0]
    n = others.shape[0]
    blocks = even_spans(0, m, -(-m * n // _AT_ONCE))

    def search(block: slice) -> tuple[Array, Array]:
        products = _products(_part(rows, block), others)
        if among is None:
            products[np.arange(len(products)), np.arange(block.start, block.stop)] = 0.0
        return current().highest(products, min(count, n))

    results: list[tuple[Array, Array]] = []
    for start in range(0, len(blocks), n_threads()):
        results += ordered_map(search, blocks[start : start + n_threads()])
        if progress is not None:
            progress(blocks[min(start + n_threads(), len(blocks)) - 1].stop, m)
    index, cosines = (np.concatenate(arrays) for arrays in zip(*results, strict=True))
    return Neighbours(index, cosines, n)


def _part(rows: Rows, block: slice) -> Any:
    X = rows.local()
    return rows.take(np.arange(block.start, block.stop)) if X is None else X[block]


def _products(part: Any, others: Rows) -> Array:
    """Return the products of some rows with all others, (m, n) float32 in C order."""
    X = others.local()
    if not isinstance(X, np.ndarray) or sp.issparse(part):
        return np.ascontiguousarray(np.atleast_2d(others.correlate(part).T), dtype=np.float32)
    return np.asarray(part.astype(X.dtype, copy=False) @ X.T, dtype=np.float32)  # otherwise in Fortran order


def averaged(X: Any, shares: Any, among: Any = None, *, own: float = 0.5) -> Any:
    """Average each row of `X` with its neighbours and scale it to unit length: normalise(own X + (1 - own) P Y).

    Parameters
    ----------
    X : array or CSR matrix of shape (m, d)
        Unit rows.
    shares : CSR matrix of shape (m, n)
        P, as `Neighbours` has it.
    among : array or CSR matrix of shape (n, d), default None
        Y, the rows of the neighbours; None: `X`.
    own : float, default 0.5
        Weight of the row against its neighbours, above 0 and at most 1.

    Returns
    -------
    array or CSR matrix of shape (m, d), of the kind and dtype of `X`

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> averaged(X, sp.csr_matrix([[0.0, 1.0], [0.0, 0.0]])).round(3).tolist()
    [[0.707, 0.707], [0.0, 1.0]]
    """
    Y = X if among is None else among
    blocks = even_spans(0, X.shape[0], -(-X.shape[0] * X.shape[1] // _DENSE_ROWS))
    weights = shares.astype(X.dtype) * X.dtype.type((1 - own) / own)

    def part(block: slice) -> Any:
        return normalize(X[block] + weights[block] @ Y)

    if sp.issparse(X):
        return sp.vstack(ordered_map(part, blocks), format="csr")
    rows = np.empty(X.shape, X.dtype)  # in place, to save memory

    def fill(block: slice) -> None:
        rows[block] = part(block)

    ordered_map(fill, blocks)
    return rows


# --- Nearest sparse rows among themselves, by native kernels: each pair once

_SPARSE_AT_ONCE = 1 << 27  # entry products between two stop checks of a thread: some tenths of a second


def nearest_pairs(X: Any, count: int, progress: OnCount | None = None) -> tuple[Array, Array]:
    """Return the nearest rows for each row of a CSR matrix, (n, count) int32, and their products, float32.

    A thread takes the pairs with the first row in its span. Its neighbours have higher numbers than those of earlier
    threads, so that appending them keeps the lower of equals.
    """
    terms, n = _by_term(X), X.shape[0]
    work = _work(X, terms)
    spans = heavy_spans(work, 0, n, n_threads())
    rounds = int(work[-1] // (_SPARSE_AT_ONCE * len(spans))) + 1
    steps = [heavy_spans(work, span.start, span.stop, rounds) for span in spans]
    index = np.full((len(spans), n, count), -1, dtype=np.int32)
    products = np.zeros(index.shape, np.float32)
    lowest = np.zeros(index.shape[:2], np.float32)  # of the products kept for a row

    def take(part: tuple[int, slice]) -> None:
        i, span = part
        kernels().take_pairs(X, terms, span, index[i], products[i], lowest[i])

    for done in range(rounds):
        ordered_map(take, [(i, part[done]) for i, part in enumerate(steps) if done < len(part)])
        if progress is not None:
            progress(n * (done + 1) // rounds, n)
    places, best = current().highest(np.hstack(list(products)), count)  # of all threads
    return np.where(places >= 0, np.take_along_axis(np.hstack(list(index)), np.maximum(places, 0), axis=1), -1), best


def _by_term(X: Any) -> Any:
    """Return the transpose with sorted rows and the index dtype of X."""
    terms, kind = X.T.tocsr(), X.indices.dtype
    terms.indices, terms.indptr = terms.indices.astype(kind, copy=False), terms.indptr.astype(kind, copy=False)
    return terms


def _work(X: Any, terms: Any) -> Array:
    """Return the cumulative cost of the pairs before each row, (n + 1,)."""
    cost = np.add.reduceat(np.append(np.diff(terms.indptr)[X.indices], 0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    rest = np.arange(len(cost), 0, -1)
    return np.concatenate([[0], np.cumsum(cost * (rest / len(cost)) + rest).astype(np.int64)])
