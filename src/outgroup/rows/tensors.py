"""A block of rows as tensors of PyTorch: its products with directions, and the sums of its rows.

Sparse rows are kept twice, by rows and by terms, so that neither product is transposed: the transposed one of cuSPARSE
adds up in any order, and PyTorch's own sparse product promises none. Instead a row of a product is a weighted sum of
rows of the other operand, `embedding_bag`, in which one thread adds up each number in the order of the entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from ..types import Array

_PIECE = 512  # entries that one thread adds up: a word that is in every document would keep all others waiting


class Dense:
    """A block of dense rows."""

    def __init__(self, X: Array, there: Callable[..., Any]) -> None:
        self.n, self._X = len(X), there(X)

    def scores(self, directions: Any) -> Any:
        return self._X @ directions

    def sums(self, coefficients: Any) -> Any:
        """Return the sums of the rows (d, columns), weighed by coefficients (n, columns)."""
        return self._X.T @ coefficients


class Sparse:
    """A block of sparse rows, by rows and by terms."""

    def __init__(self, X: Any, there: Callable[..., Any]) -> None:
        self.n = X.shape[0]
        self._by_row, self._by_term = _Bags(X, there), _Bags(X.T.tocsr(), there)

    def scores(self, directions: Any) -> Any:
        return self._by_row.times(directions)

    def sums(self, coefficients: Any) -> Any:
        """Return the sums of the rows (d, columns), weighed by coefficients (n, columns)."""
        return self._by_term.times(coefficients)


class _Bags:
    """A CSR matrix on a device: each row a bag of entries, long ones in pieces that are added up in a second step."""

    def __init__(self, X: Any, there: Callable[..., Any]) -> None:
        counts = np.maximum(1, -(-np.diff(X.indptr) // _PIECE))
        ends = np.concatenate([[0], np.cumsum(counts)])
        place = np.arange(ends[-1]) - np.repeat(ends[:-1], counts)
        edges = np.append(np.repeat(X.indptr[:-1], counts) + _PIECE * place, X.indptr[-1])
        self._columns, self._values = there(X.indices.astype(np.int32)), there(X.data)
        self._edges, whole = there(edges.astype(np.int32)), bool((counts == 1).all())
        self._ends = None if whole else (there(np.arange(ends[-1], dtype=np.int32)), there(ends.astype(np.int32)))

    def times(self, dense: Any) -> Any:
        """Return the product with a tensor (columns of the matrix, c)."""
        bag = torch_().nn.functional.embedding_bag
        found = bag(
            self._columns, dense, self._edges, mode="sum", per_sample_weights=self._values, include_last_offset=True
        )
        return (
            found
            if self._ends is None
            else bag(self._ends[0], found, self._ends[1], mode="sum", include_last_offset=True)
        )


def torch_() -> Any:
    try:
        import array_api_compat  # noqa: F401  rules find the library of their scores by it
        import torch
    except ImportError as error:
        raise MissingExtraError("rows on a device need PyTorch: pip install 'outgroup[gpu]'") from error
    return torch
