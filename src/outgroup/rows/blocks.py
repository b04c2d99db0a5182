"""Helpers for rows in memory: argument checks, spans of rows or terms, and results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..types import Array


def checked_directions(W: Array, n_features: int) -> Array:
    """Return `W` (c, d) as a C-contiguous float array; raise InputError if its width differs from the rows."""
    W = np.asarray(W)
    if W.ndim != 2 or W.shape[1] != n_features:
        raise InputError(f"directions of shape {W.shape} do not match rows with {n_features} features")
    return np.ascontiguousarray(W, dtype=None if W.dtype in (np.float32, np.float64) else np.float64)


def checked_subset(on: Array | None, n: int) -> Array | None:
    """Return the row indices `on` as int64; raise InputError if they are invalid."""
    if on is None:
        return None
    rows = np.ascontiguousarray(on, dtype=np.int64)
    if len(rows) and (rows[0] < 0 or rows[-1] >= n or (np.diff(rows) <= 0).any()):
        raise InputError(f"`on` must be unique, ascending row indices from 0 to {n - 1}")
    return rows


def few_rows(x: Any, n_features: int) -> Array:
    """Return `x`, one or several dense or sparse rows, as a float64 array (m, d)."""
    x = np.atleast_2d(np.asarray(x.toarray() if sp.issparse(x) else x, dtype=np.float64))
    if x.ndim != 2 or x.shape[1] != n_features:
        raise InputError(f"rows of shape {x.shape} do not match rows with {n_features} features")
    return x


def spans(edges: Iterable[Any]) -> list[slice]:
    """Return the slices between consecutive edges."""
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def even_spans(start: int, stop: int, count: int) -> list[slice]:
    """Split a range into `count` spans of nearly equal length; none is empty unless the range is."""
    count = max(1, min(count, stop - start))
    return spans(start + (stop - start) * i // count for i in range(count + 1))


def heavy_spans(indptr: Array, start: int, stop: int, count: int) -> list[slice]:
    """Split the compressed rows `start` to `stop` into at most `count` spans with nearly equal stored entries."""
    if count <= 1:
        return [slice(start, stop)]
    targets = np.linspace(indptr[start], indptr[stop], count + 1)[1:-1]
    inner = np.searchsorted(indptr[start : stop + 1], targets) + start
    return spans(sorted({start, *inner.tolist(), stop})) or [slice(start, stop)]


def evenly_spaced(n: int, most: int) -> Array:
    """Return at most `most` of the indices below n, evenly spaced.

    >>> evenly_spaced(9, 3).tolist(), evenly_spaced(2, 3).tolist()
    ([0, 4, 8], [0, 1])
    """
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


_AT_ONCE = 1 << 18  # rows of a piece


def pieces(n: int) -> list[slice]:
    """Split n rows into spans of limited size."""
    return even_spans(0, n, -(-n // _AT_ONCE))


def group_sizes(labels: Array, k: int = 0, on: Array | None = None) -> Array:
    """Return the number of rows with each label from 0, (k,) or longer; only rows in the mask `on` (n,) if given.

    It counts in pieces, since NumPy widens each label to eight bytes first.

    >>> group_sizes(np.array([2, 0, -1, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    sizes = np.zeros(max(k, int(labels.max(initial=-1)) + 1), dtype=np.int64)
    for span in pieces(len(labels)):
        inside = labels[span] if on is None else labels[span][on[span]]
        sizes += np.bincount(inside.astype(np.int64) + 1, minlength=len(sizes) + 1)[1:]
    return sizes


def by_part(index: Array, edges: Array) -> list[tuple[int, Array]]:
    """Split ascending row indices by the parts that contain them; return each part with the positions inside it.

    >>> [(part, inside.tolist()) for part, inside in by_part(np.array([0, 4, 5]), np.array([0, 2, 4, 9]))]
    [(0, [0]), (2, [0, 1])]
    """
    part = np.searchsorted(edges, index, side="right") - 1
    return [(int(i), index[part == i] - edges[i]) for i in np.unique(part)]


def inside(rows: Array, span: slice) -> Array:
    """Return the ascending row indices that lie inside a span."""
    first, last = np.searchsorted(rows, [span.start, span.stop])
    return rows[first:last]


def in_order_of(index: Array, ascending: Callable[[Array], Any]) -> Any:
    """Call a function that needs ascending indices; return its rows in the order of `index`."""
    index = np.asarray(index)
    order = np.argsort(index, kind="stable")
    return ascending(index[order])[np.argsort(order)]


def canonical(X: Any) -> Any:
    """Return a CSR matrix with sorted, unique indices: `X` itself or a copy.

    SciPy would sort the caller's own arrays at some later time; they may be read-only, or in use by another thread.
    """
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def stacked(parts: Sequence[Any], n_features: int, dtype: Any) -> Any:
    """Stack arrays or CSR matrices vertically; no parts give an empty matrix."""
    if not parts:
        return sp.csr_matrix((0, n_features), dtype=dtype)
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)


def add_up(parts: Iterable[Any]) -> Any:
    """Add up numbers, arrays, or nested tuples of them in order."""

    def plus(a: Any, b: Any) -> Any:
        return tuple(plus(*pair) for pair in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b

    return reduce(plus, parts)


def narrowed(values: Array) -> Array:
    """Return integers in the smallest dtype that holds them."""
    if values.dtype.kind != "i" or not values.size:
        return values
    return values.astype(np.min_scalar_type(min(int(values.min()), -int(values.max()) - 1)))


def join(parts: Sequence[Any]) -> Any:
    """Concatenate results per row, arrays or tuples of arrays, in block order."""
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    return np.concatenate(parts)
