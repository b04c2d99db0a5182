"""Local search: batch steps, sweeps, first variation and Kernighan-Lin chains, in the stages of a schedule.

The paper's ping-pong (Dhillon, Guan and Kogan, ICDM 2002, section 4.3) is a schedule of two stages: batch steps until
they gain too little, then a chain; a chain that gains sends the search back to the first stage, one that does not ends
it.
Sequential and in memory only: the one thing in `solve` that is not a fold. The loops over moves are native where the
package was built with a compiler, and NumPy's elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..._native.products import kernels
from ...stopping import stop_if_asked
from ...types import Array
from .dense_search import DenseSearch
from .plain_search import PlainSearch

Step = dict[str, Any]

SCHEDULES: dict[str | None, tuple[str, ...]] = {
    None: ("batch",),
    "sweep": ("sweep",),
    "first-variation": ("batch", "first variation"),
    "chains": ("batch", "chain"),
    "ping-pong": ("batch", "sweep", "chain"),
}
_MOST_PRODUCTS = 1 << 28  # of rows with sums, kept: a gigabyte of float32
_DENSE = 0.25  # the share of numbers that are not zero from which dense products are faster
LEAST_GAIN = 1e-6  # of one row's length: what float32 can tell from nothing


class Search(Protocol):
    """A partition that changes by single moves; the objective is Q, the sum of the clusters' coherences."""

    @property
    def objective(self) -> float:
        """Q, followed from move to move."""

    @property
    def labels(self) -> Array:
        """A copy of the labels, shape (n,) int32."""

    def batch(self) -> int:
        """Move every row to its nearest concept vector, all decided at once; return the number of moves."""

    def sweep(self, order: Array, least: float) -> int:
        """Visit rows in `order`, each moving at once to where it gains most, if above `least`; return the moves."""

    def chain(self, length: int) -> tuple[Array, int]:
        """Take `length` steepest moves, each row once, undo all but the best prefix; return total gains, moves kept."""

    def gains(self, row: int) -> Array:
        """Return the change of Q for moving one row to each cluster, shape (k,)."""


def open_search(X: Any, labels: Array, k: int, rows: Array | None = None) -> Search:
    """Return a search over `X` (n, d), CSR or dense, from `labels` (n,), every one of the `k` clusters taken.

    With `rows` (m,) these alone take part, and have the labels. Dense rows are read where they lie (see `DenseSearch`).

    Memory beyond X: d x k sums (k rounded up to a cache line), and with batch steps or chains n x k products and one
    inverted copy of X, all in the dtype of X. Above `_MOST_PRODUCTS` products only those of the rows nearest to a move
    are kept, with the inverted lists of these: chains work on them alone, and all else stays exact.
    """
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    native = kernels()
    if native is not None and not sp.issparse(X):
        return DenseSearch(X, labels, k, rows)
    X = X if rows is None else X[rows]
    if native is None:
        return PlainSearch(X, labels, k)
    search: Search = native.local_search(X.indptr, X.indices, X.data, X.shape[1], k, labels, _MOST_PRODUCTS)
    return search


def refine(
    X: Any, labels: Array, k: int, *, local_search: str | None = "ping-pong", chain_length: int = 10,
    tol: float = 1e-6, max_iter: int = 10_000, rng: np.random.Generator | None = None,
) -> tuple[Array, float, list[Step]]:  # fmt: skip
    """Climb from the partition `labels` of `X`, CSR or dense; return the labels, Q and one trace entry a step.

    A stage repeats while it gains more than `tol` of Q, then comes the next; a chain that gains leads back to the
    first.
    No cluster is ever emptied, and no step lowers Q.

    >>> X = sp.csr_matrix(np.array([[1.0, 0.0], [np.cos(0.9), np.sin(0.9)], [0.0, 1.0]]))  # the paper's example 3.1
    >>> labels, objective, _ = refine(X, np.array([0, 0, 1]), 2, local_search="first-variation")
    >>> labels.tolist(), round(objective, 6)
    ([0, 1, 1], 2.888559)
    """
    search = open_search(X, labels, k)
    steps = _steps(search, X.shape[0], chain_length, np.random.default_rng() if rng is None else rng)
    schedule, stage, trace = SCHEDULES[local_search], 0, list[Step]()
    while stage < len(schedule) and len(trace) < max_iter:
        stop_if_asked()
        before = search.objective
        moved = steps[schedule[stage]]()
        gain = search.objective - before
        trace.append({"kind": schedule[stage], "objective": search.objective, "moved": int(moved)})
        stage = _next_stage(schedule, stage, gain > tol * before)
    return search.labels, search.objective, trace


def _next_stage(schedule: tuple[str, ...], stage: int, gained: bool) -> int:
    if not gained:
        return stage + 1
    return stage if schedule[stage] in ("batch", "sweep") else 0


def random_order(n: int, rng: np.random.Generator) -> Array:
    """Return the numbers of `n` rows in random order, as sweeps want them."""
    return rng.permutation(n).astype(np.int32)


def _steps(search: Search, n: int, length: int, rng: np.random.Generator) -> dict[str, Callable[[], int]]:
    return {
        "batch": search.batch,
        "sweep": lambda: search.sweep(random_order(n, rng), LEAST_GAIN),
        "first variation": lambda: search.chain(1)[1],
        "chain": lambda: search.chain(length)[1],
    }


def searchable(X: Any) -> Any:
    """Return `X` as local search reads it: a dense array in C order, or CSR with indices of one width.

    Both have the dtype of `X`. Dense rows become CSR where there are no kernels, and where they are mostly zeros.
    """
    if not sp.issparse(X) and kernels() is not None and np.count_nonzero(X) > _DENSE * X.size:
        return np.ascontiguousarray(X)
    X = sp.csr_matrix(X)
    if X.indptr.dtype != X.indices.dtype:
        X.indices = X.indices.astype(X.indptr.dtype)
    return X
