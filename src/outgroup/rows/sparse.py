"""Rows of a CSR matrix in memory."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._native.products import current
from ..errors import InputError
from ..types import Array
from .base import OneHot, Rule
from .blocks import add_up, canonical, checked_directions, checked_subset, even_spans, heavy_spans, join, spans
from .threads import ordered_map

# --- Rows of a CSR matrix: two sparse products, in blocks, on threads
#
# Each number of a result is the same sum in the same order for any number of threads. A score belongs to one row. Sums
# over rows are split among threads by columns or by terms, never by rows; for dense coefficients this needs a second
# copy of the rows, by terms, which `correlate` reads, too. Blocks, of some ten thousand rows, are summed one after
# another, and tallies chunk by chunk; the matrix fixes both.

Directions = tuple[Array, int] | None
"""Directions as `laid_out` gives them, by terms, and how many they are."""

_BLOCK_ROWS, _COLUMNS = 1 << 15, 32  # sizes for which dense coefficients stay in the shared cache during sums
_ENTRIES_A_TERM = 8  # least mean entries per term of a block; below, adding up sums costs more than computing them
_CHUNK = 1 << 15  # least stored entries, or numbers to lay out, per thread
_MOST_CHUNKS = 8  # most chunks of a block: balances two to eight threads


class SparseRows:
    """The rows of a float32 or float64 CSR matrix with valid indices (see `Rows`).

    A fold takes, beyond X: the directions (d numbers each; they may be given as `laid_out` returns them) and the
    float64 sums (d a column); for dense coefficients those of a block and a second copy of X, which is kept.
    Scores exist for one chunk per thread.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        n, d = X.shape
        self._blocks = even_spans(0, n, min(-(-n // _BLOCK_ROWS), X.nnz // (_ENTRIES_A_TERM * d)))

    def fold(self, W: Array | Directions, rule: Rule, *state: Array, on: Array | None = None) -> tuple[Array, Any]:
        return self.fold_onto(np.empty(0), laid_out(W, self.shape[1], self.dtype), rule, state, on)

    def fold_onto(
        self, total: Array, directions: Directions, rule: Rule, state: tuple[Array, ...], on: Array | None
    ) -> tuple[Array, Any]:
        """Fold the rows onto existing sums, in place; an empty `total` means none."""
        rows, tallies = checked_subset(on, self.shape[0]), []
        for block, place in self._places(rows):
            chunks = self._chunks(place, rows)
            results = self._apply(directions, rule, state, rows, chunks)
            coefficients = [result[0] for result in results]
            tallies.append(add_up(result[1] for result in results))
            total = total if total.size else np.zeros((_columns(coefficients[0]), self.shape[1]))
            if isinstance(coefficients[0], OneHot):
                self._add_members(_concatenate(coefficients), place, rows, total)
            else:
                self._add_terms(coefficients, chunks, rows, block, total)
        return total, add_up(tallies)

    def map(self, W: Array | Directions, rule: Rule, *state: Array, on: Array | None = None) -> Any:
        directions = laid_out(W, self.shape[1], self.dtype)
        rows = checked_subset(on, self.shape[0])
        chunks = [chunk for _, place in self._places(rows) for chunk in self._chunks(place, rows)]
        return join(self._apply(directions, rule, state, rows, chunks))

    def take(self, index: Array) -> Array:
        return np.asarray(self._X[index].toarray())

    def correlate(self, x: Any) -> Array:
        x = sp.csr_matrix(x if sp.issparse(x) else np.atleast_2d(x), dtype=self.dtype)
        if x.shape[1] != self.shape[1]:
            raise InputError(f"rows of shape {x.shape} do not match rows with {self.shape[1]} features")
        by_terms, out = self._by_term, np.zeros((x.shape[0], self.shape[0]), dtype=self.dtype)

        def one(row: int) -> None:
            stored = slice(x.indptr[row], x.indptr[row + 1])
            terms, values = x.indices[stored].astype(np.int64), x.data[stored]
            for block, by_term in zip(self._blocks, by_terms, strict=True):
                current().correlate(by_term, terms, values, out[row, block])

        ordered_map(one, range(len(out)))
        return out[0] if len(out) == 1 else out.T

    def squares(self) -> Array:
        X = canonical(self._X)  # duplicates of an entry would give a wrong square
        with np.errstate(over="ignore"):  # callers that need the lengths name the row
            squares = sp.csr_matrix((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
        return np.asarray(squares.sum(axis=1)).ravel()

    def local(self) -> Any:
        return self._X

    @cached_property
    def _by_term(self) -> list[Any]:
        """Return the transpose of each block; its rows are terms."""
        if len(self._blocks) == 1:
            return [self._X.T.tocsr()]
        return ordered_map(lambda block: self._X[block].T.tocsr(), self._blocks)

    def _places(self, rows: Array | None) -> list[tuple[int, slice]]:
        """Return each block that contains rows, with their positions among the given rows; at least one block."""
        if rows is None:
            return list(enumerate(self._blocks))
        edges = [0, *np.searchsorted(rows, [block.stop for block in self._blocks])]
        return [(i, span) for i, span in enumerate(spans(edges)) if span.start < span.stop] or [(0, slice(0, 0))]

    def _chunks(self, place: slice, rows: Array | None) -> list[slice]:
        indptr = self._X.indptr
        if rows is None:
            return heavy_spans(indptr, place.start, place.stop, _tasks(indptr[place.stop] - indptr[place.start]))
        return even_spans(place.start, place.stop, _tasks(self._entries(place.stop - place.start)))

    def _entries(self, n: int) -> int:
        """Return the mean number of stored entries in `n` rows."""
        return n * self._X.nnz // self.shape[0]

    def _apply(
        self, directions: Directions, rule: Rule, state: tuple[Array, ...], rows: Any, chunks: list[slice]
    ) -> list[Any]:
        """Return the rule's result for each chunk."""
        products = current()

        def task(chunk: slice) -> Any:
            place = chunk if rows is None else rows[chunk]
            scores = None if directions is None else products.scores(self._X, *directions, chunk, rows)
            return rule(scores, *(values[place] for values in state))

        return ordered_map(task, chunks)

    def _add_members(self, one_hot: OneHot, place: slice, rows: Array | None, total: Array) -> None:
        edges, members, weights = one_hot.grouped()
        members, products = members + place.start if rows is None else rows[place][members], current()
        parts = heavy_spans(edges, 0, len(total), _tasks(self._entries(len(members))))
        ordered_map(lambda span: products.add_members(self._X, edges, members, weights, span, total), parts)

    def _add_terms(
        self, coefficients: list[Array], chunks: list[slice], rows: Array | None, block: int, total: Array
    ) -> None:
        start = self._blocks[block].start if rows is None else chunks[0].start
        by_term = self._by_term[block] if rows is None else self._X[rows[start : chunks[-1].stop]].T.tocsr()
        places = [slice(chunk.start - start, chunk.stop - start) for chunk in chunks]
        for columns in spans([*range(0, len(total), _COLUMNS), len(total)]):
            self._add_columns([values[:, columns] for values in coefficients], places, by_term, total[columns])

    def _add_columns(self, coefficients: list[Array], places: list[slice], by_term: Any, total: Array) -> None:
        """Add some columns of the coefficients to `total`."""
        products = current()
        dense, wide = products.empty_rows(by_term.shape[1], len(total), self.dtype), len(total)

        def fill(place: slice, values: Array) -> None:
            dense[place, :wide] = values
            dense[place, wide:] = 0

        ordered_map(lambda part: fill(*part), zip(places, coefficients, strict=True))
        parts = heavy_spans(by_term.indptr, 0, by_term.shape[0], _tasks(by_term.nnz))
        ordered_map(lambda span: products.add_terms(by_term, dense, span, total), parts)


def laid_out(W: Array | Directions, n_features: int, dtype: Any) -> Directions:
    """Return directions in the layout of the sparse products; all matrices of a pass share it."""
    if W is None or isinstance(W, tuple):
        return W
    W = checked_directions(W, n_features)
    columns, d = W.shape
    products, out = current(), current().empty_rows(d, columns, dtype)
    parts = even_spans(0, d, _tasks(W.size))
    ordered_map(lambda span: products.lay_out(W, span, out), parts)
    return out, columns


def _tasks(numbers: int) -> int:
    return min(int(numbers) // _CHUNK, _MOST_CHUNKS)


def _columns(coefficients: Array | OneHot) -> int:
    return coefficients.n_columns if isinstance(coefficients, OneHot) else np.shape(coefficients)[1]


def _concatenate(parts: list[OneHot]) -> OneHot:
    weights = None if parts[0].weights is None else np.concatenate([np.asarray(part.weights) for part in parts])
    return OneHot(np.concatenate([part.columns for part in parts]), parts[0].n_columns, weights)
