"""The nearest of sparse rows among themselves, by native kernels: each pair of rows is looked at once, for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._native.products import current, kernels
from ..types import Array, OnCount
from .blocks import heavy_spans
from .threads import n_threads, ordered_map

_AT_ONCE = 1 << 27  # products of single entries in a thread between two places to stop at: some tenths of a second


def nearest_pairs(X: Any, count: int, progress: OnCount | None = None) -> tuple[Array, Array]:
    """Return the numbers (n, count) int32 of the rows nearest to each row of a CSR matrix, and the products, float32.

    Each thread takes the pairs whose first row is in a span of its own. What it finds for a row has higher numbers
    than what the threads before it found, so that putting it behind theirs keeps the lower of equal ones.
    """
    terms, n = _by_term(X), X.shape[0]
    work = _work(X, terms)
    spans = heavy_spans(work, 0, n, n_threads())
    rounds = int(work[-1] // (_AT_ONCE * len(spans))) + 1
    steps = [heavy_spans(work, span.start, span.stop, rounds) for span in spans]
    found = [_Found.none(n, count) for _ in spans]
    for done in range(rounds):
        some = [(mine, each[done]) for mine, each in zip(found, steps, strict=True) if done < len(each)]
        ordered_map(lambda part: part[0].take(X, terms, part[1]), some)
        if progress is not None:
            progress(n * (done + 1) // rounds, n)
    return _joined(found, count)


@dataclass(frozen=True)
class _Found:
    """The rows nearest to each of n rows so far, (n, count), their products, and the lowest of these."""

    index: Array
    products: Array
    lowest: Array

    @classmethod
    def none(cls, n: int, count: int) -> Self:
        return cls(np.full((n, count), -1, dtype=np.int32), np.zeros((n, count), np.float32), np.zeros(n, np.float32))

    def take(self, X: Any, terms: Any, span: slice) -> None:
        kernels().take_pairs(X, terms, span.start, span.stop, self.index, self.products, self.lowest)


def _by_term(X: Any) -> Any:
    """Return the transpose, in the order of the rows; its indices are of the kind of X's."""
    terms, kind = X.T.tocsr(), X.indices.dtype
    terms.indices, terms.indptr = terms.indices.astype(kind, copy=False), terms.indptr.astype(kind, copy=False)
    return terms


def _work(X: Any, terms: Any) -> Array:
    """Return how many numbers are touched for the pairs of the rows before each one, (n + 1,): about half for each."""
    each = np.add.reduceat(np.append(np.diff(terms.indptr)[X.indices], 0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    rest = np.arange(len(each), 0, -1)
    return np.concatenate([[0], np.cumsum(each * (rest / len(each)) + rest).astype(np.int64)])


def _joined(found: list[_Found], count: int) -> tuple[Array, Array]:
    """Return the nearest of what several threads found."""
    index, products = (np.hstack([getattr(each, name) for each in found]) for name in ("index", "products"))
    places, best = current().highest(products, count)
    return np.where(places >= 0, np.take_along_axis(index, np.maximum(places, 0), axis=1), -1), best
