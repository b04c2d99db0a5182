"""Rows averaged with their neighbours, without ever forming them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array
from ..blocks import add_up, checked_subset, even_spans, few_rows, join
from ..choose import as_rows
from ..neighbours import averaged
from ..rules import all_scores, as_given
from ..seam import OneHot, Rows, Rule
from ..threads import ordered_map

_BLOCK = 1 << 13  # rows whose scores meet the rule at once
_MOST_LOCAL = 1 << 26  # stored entries of the matrix in memory that local search may ask for
_TAKEN = 1 << 22  # numbers of the neighbours' rows at once, where no matrix lies in memory


class SmoothedRows:
    """The rows of another `Rows`, each averaged with its neighbours and scaled to unit length (see `Rows`).

    With P the shares of the neighbours and D the diagonal matrix of the inverse lengths, the rows are
    A = D (X + P X) / 2, and A W^T = D (S + P S) / 2 with S = X W^T, C^T A = (D C + P^T D C)^T X / 2. A pass holds the
    scores of all rows, (n, c), since those of a row need its neighbours'.

    Parameters
    ----------
    rows : Rows
        Of unit length, or zero.
    shares : CSR matrix of shape (n, n)
        P, as `Neighbours` has it.

    Examples
    --------
    >>> P = sp.csr_matrix([[0.0, 1.0], [0.0, 0.0]])
    >>> SmoothedRows(as_rows(np.eye(2)), P).take(np.array([0, 1])).round(3).tolist()
    [[0.707, 0.707], [0.0, 1.0]]
    """

    def __init__(self, rows: Rows, shares: Any) -> None:
        self._rows = rows
        self.shape = rows.shape
        self.dtype = rows.dtype
        self._shares = sp.csr_matrix(shares, dtype=rows.dtype)
        self._back = self._shares.T.tocsr()
        lengths = np.sqrt(np.concatenate(ordered_map(self._squares_of, self._parts())))
        self._inverse = ((lengths > 0) / np.where(lengths > 0, lengths, 1.0)).astype(self.dtype)

    def fold(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> tuple[Array, Any]:
        chosen = checked_subset(on, self.shape[0])
        found = self._apply(W, rule, each, chosen)
        coefficients = np.concatenate([_dense(coef) for coef, _ in found]).astype(self.dtype, copy=False)
        if chosen is not None:
            wide = np.zeros((self.shape[0], coefficients.shape[1]), dtype=self.dtype)
            wide[chosen] = coefficients
            coefficients = wide
        coefficients *= self._inverse[:, None] / 2
        total, _ = self._rows.fold(None, as_given, coefficients + self._back @ coefficients)
        return total, add_up(tally for _, tally in found)

    def map(self, W: Array | None, rule: Rule, *each: Array, on: Array | None = None) -> Any:
        return join(self._apply(W, rule, each, checked_subset(on, self.shape[0])))

    def take(self, index: Array) -> Array:
        return np.asarray(self._sums(np.asarray(index)) * self._inverse[index, None])

    def correlate(self, x: Any) -> Array:
        products = self._smooth(self._rows.correlate(few_rows(x, self.shape[1])).reshape(self.shape[0], -1))
        return products[:, 0] if products.shape[1] == 1 else products

    def squares(self) -> Array:
        return (self._inverse > 0).astype(np.float64)

    def local(self) -> Any:
        """Return the averaged rows as a matrix: dense where the others are, CSR where they are few enough; or None."""
        return self._local

    @cached_property
    def _local(self) -> Any:
        X = self._rows.local()
        if X is None:
            return None
        mean = X.nnz / max(X.shape[0], 1) if sp.issparse(X) else 0
        return None if (self._shares.nnz + self.shape[0]) * mean > _MOST_LOCAL else averaged(X, self._shares)

    def _apply(self, W: Array | None, rule: Rule, each: tuple[Array, ...], chosen: Array | None) -> list[Any]:
        """Return what the rule says of each block of all rows, or of those chosen."""
        scores = None if W is None else self._smooth(self._rows.map(W, all_scores))
        count = self.shape[0] if chosen is None else len(chosen)

        def task(span: slice) -> Any:
            place = span if chosen is None else chosen[span]
            return rule(None if scores is None else scores[place], *(e[place] for e in each))

        return ordered_map(task, even_spans(0, count, -(-count // _BLOCK)))

    def _smooth(self, scores: Array) -> Array:
        """Return D (S + P S) / 2."""
        smoothed = self._shares @ scores
        smoothed += scores
        smoothed *= self._inverse[:, None] / 2
        return np.asarray(smoothed)

    def _parts(self) -> list[slice]:
        width = self.shape[1] * (1 + self._shares.nnz / max(self.shape[0], 1))
        return even_spans(0, self.shape[0], int(self.shape[0] * width) // _TAKEN + 1)

    def _squares_of(self, part: slice) -> Array:
        X = self._rows.local()
        if X is None:
            sums = self._sums(np.arange(part.start, part.stop))
            return np.einsum("ij,ij->i", sums, sums, dtype=np.float64)
        sums = (X[part] + self._shares[part] @ X) / 2
        if sp.issparse(sums):
            return np.asarray(sums.multiply(sums).sum(axis=1), dtype=np.float64).ravel()
        return np.einsum("ij,ij->i", sums, sums, dtype=np.float64)

    def _sums(self, index: Array) -> Array:
        """Return (X + P X) / 2 of a few rows, dense."""
        shares = self._shares[index]
        needed = np.unique(shares.indices)
        others = self._rows.take(needed) if len(needed) else np.zeros((0, self.shape[1]), dtype=self.dtype)
        return np.asarray((self._rows.take(index) + shares[:, needed] @ others) / 2)


def smoothed_rows(rows: Rows, shares: Any) -> Rows:
    """Return `rows` averaged with their neighbours: formed where they are dense, else by `SmoothedRows`.

    Parameters
    ----------
    rows : Rows
        Of unit length, or zero.
    shares : CSR matrix of shape (n, n)

    Returns
    -------
    Rows

    Examples
    --------
    >>> smoothed_rows(as_rows(np.eye(2)), sp.csr_matrix([[0, 1], [0, 0]])).take(np.array([1])).tolist()
    [[0.0, 1.0]]
    """
    X = rows.local()
    return SmoothedRows(rows, shares) if X is None or sp.issparse(X) else as_rows(averaged(X, shares))


def _dense(coefficients: Any) -> Array:
    if not isinstance(coefficients, OneHot):
        return np.asarray(coefficients)
    edges, members, weights = coefficients.grouped()
    dense = np.zeros((len(coefficients.columns), coefficients.n_columns))
    dense[members, np.repeat(np.arange(len(edges) - 1), np.diff(edges))] = weights
    return dense
