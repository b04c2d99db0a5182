"""Rows averaged over the graph of their neighbours, and the parts of it that `NeighbourAverage` keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from ..errors import InputError
from ..rows import AveragedRows, Neighbours, as_rows, averaged, is_rows
from ..rows.neighbours import COUNT
from ..rows.threads import one_blas_thread
from ..solve.neighbours.inverted_file import near
from ..types import Array, OnCount

FALLING = 20  # neighbours that count by how much nearer they are than the next
COPY = 1 - 1e-6  # the cosine from which a row is one of the fitted rows
_OWN = 0.3  # what a row weighs beside its neighbours in each of several passes
_MOST_STORED = 1 << 28  # numbers of averaged sparse rows


def beside_original(A: Any, original: Any) -> Any:
    """Return averaged rows `A` that know the original ones; `A` itself where they are none, None."""
    return A if original is None or not A.shape[0] else AveragedRows(as_rows(A), as_rows(original))


def in_memory(X: Any) -> Any:
    """Return `X`, or the matrix of `Rows` that lie in memory; raises InputError where they lie elsewhere."""
    if not is_rows(X):
        return X
    matrix = X.local()
    if matrix is None:
        raise InputError("neighbours are found in memory, and X does not lie there; give X as it is to the clusterer")
    return matrix


def check_size(X: Any) -> None:
    """Raise InputError where averaged rows would take too much memory."""
    stored = X.nnz * (COUNT + 1) if sp.issparse(X) else 0
    if stored > _MOST_STORED:
        raise InputError(
            f"rows averaged with their neighbours would store up to {stored:,} numbers; leave neighbours out (0), or "
            "average by outgroup.rows.SmoothedRows, which forms none"
        )


def looked_for(rows: Any) -> int:
    """Return how many of the nearest rows `weighed` wants."""
    return COUNT if sp.issparse(rows) else FALLING + 1


@one_blas_thread()
def nearest_of(rows: Any, among: Any, progress: OnCount | None = None) -> Neighbours:
    """Return the nearest of `among` to each row, None: of the rows themselves; as many as `weighed` wants."""
    return near(rows, among, count=looked_for(rows), progress=progress)


def weighed(found: Neighbours, rows: Any) -> Neighbours:
    """Return the neighbours that rows are averaged with, and what each counts.

    Of sparse rows the 15 nearest, by their cosines; of dense ones the 20 nearest, by how much nearer they are than the
    next: so the last of them count little.
    """
    return found if sp.issparse(rows) else found.falling()


def own_weight(passes: int) -> float:
    """Return what a row weighs beside its neighbours."""
    return 0.5 if passes == 1 else _OWN


def passed(X: Any, graph: Neighbours, passes: int) -> tuple[Any, Any]:
    """Return what the unit rows `X` are before and after the last pass."""
    before = A = X
    for _ in range(passes):
        before = A  # what was before that is let go of first
        A = averaged(X, graph.shares, before, own=own_weight(passes))
    return before, A


class LastPass:
    """The unit rows `X` before and after the last pass: `kept` as they are, or made when they are asked for."""

    def __init__(self, X: Any, graph: Neighbours, passes: int, kept: tuple[Any, Any] | None) -> None:
        self._made_of, self._kept = (X, graph, passes), kept

    @property
    def rows(self) -> tuple[Any, Any]:
        """The rows before, and after."""
        if self._kept is None:
            self._kept = passed(*self._made_of)
        return self._kept


def alike(X: Any, rows: Any) -> Any:
    """Return `X` in the dtype and form of the fitted rows."""
    if sp.issparse(rows):
        return sp.csr_matrix(X, dtype=rows.dtype)
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=rows.dtype)


def put(A: Any, places: Array, rows: Any) -> Any:
    """Return `A` with other rows in some places."""
    if not len(places):
        return A
    if not sp.issparse(A):
        A[places] = rows
        return A
    order = np.arange(A.shape[0])
    order[places] = A.shape[0] + np.arange(len(places))
    return sp.vstack([A, rows], format="csr")[order]


def silent(rows: Any, columns: Array) -> Any:
    """Return unit rows that say nothing in some columns."""
    quiet = rows.copy()
    if sp.issparse(quiet):
        quiet.data[np.isin(quiet.indices, columns)] = 0
        quiet.eliminate_zeros()
    else:
        quiet[:, columns] = 0
    return normalize(quiet, copy=False)


def half_of(progress: OnCount | None, number: int) -> OnCount | None:
    """Return what tells the first half, 0, or the second, 1, of two searches among as many rows."""
    return None if progress is None else lambda done, n: progress(number * n + done, 2 * n)
