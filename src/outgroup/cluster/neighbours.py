"""Rows averaged with their nearest neighbours before groups are looked for, as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InputError, ModelError
from ..rows import Neighbours, averaged, nearest
from ..rows.neighbours import COUNT, Told
from ..rows.sound import sound
from ..rows.threads import one_blas_thread
from ..solve.graph import joined
from ..types import Array
from ._base import FLOATS

_LEAST_ROWS, _MOST_ROWS = 1000, 100_000  # for "auto": few rows have no near neighbours, of many the search is long
_A_GROUP = 20  # rows of a mean group, for "auto": the 15 neighbours and the row itself should find room in it
_SHORT = 30  # known words of a mean document, for "auto": texts of about 80 words (docs/decisions/0015-neighbours.md)
_DENSE = 0.25  # the share of entries that are not zero from which rows are vectors, not counts of words
_MOST_STORED = 1 << 28  # numbers of averaged sparse rows
_COPY = 1 - 1e-6  # the cosine from which a row is one of the fitted rows


class NeighbourAverage(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rows of unit length, each averaged with its 15 nearest rows by the cosine: what a short text does not say itself.

    One pass makes A = normalise((X + P X) / 2), P the row-normalised cosines of the nearest rows; the next pass does
    the same to A (docs/decisions/0015-neighbours.md). Neighbours are exact; finding them takes time in proportion to
    the square of the number of rows.

    Parameters
    ----------
    passes : int or "auto", default "auto"
        How often; 0 leaves the rows as they are. "auto" decides without labels: 2 for dense rows, 1 for sparse rows of
        at most 30 entries in the mean (short texts); 0 for longer texts, where neighbours blur groups, for fewer than
        1,000 rows, fewer than 20 a group, or more than 100,000.
    n_groups : int or None, default None
        How many groups will be looked for, which only "auto" asks; None: not known.

    Attributes
    ----------
    passes_ : int, the passes that were made
    graph_ : (n, n) symmetric CSR matrix, the cosines of the fitted rows, as they came, with their neighbours in either
        direction; None without a pass
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Notes
    -----
    A fitted one keeps the rows, and those of each pass: a new row is averaged with its neighbours among them; one that
    was among them gets what it got there.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    >>> NeighbourAverage(passes=1).fit_transform(X).round(2).tolist()
    [[0.95, 0.32], [0.8, 0.6], [0.45, 0.89]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "passes": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "n_groups": [None, Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, passes: int | str = "auto", *, n_groups: int | None = None) -> None:
        self.passes = passes
        self.n_groups = n_groups

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the neighbours among the rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Any, y: Any = None, *, progress: Told | None = None) -> Any:
        """Return the rows, each averaged with its neighbours.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        progress : callable, default None
            Called with the number of rows done and of all. An exception that it raises ends the fit; so does
            `outgroup.stopping.stoppable`.

        Returns
        -------
        (n, d) array or CSR matrix
            Of unit length; `X` itself without a pass.

        Raises
        ------
        InputError
            The averaged rows would take more than 2^28 numbers.
        ValueError
            NaN or infinity in `X`.
        """
        X = self._checked(X, reset=True)
        self.passes_ = _fitting(X, self.n_groups) if self.passes == "auto" else int(self.passes)
        self._rows: list[Any] = []
        self._graphs: list[Neighbours] = []
        if self.passes_:
            _check_size(X)
            self._rows.append(normalize(X))
        for done in range(self.passes_):
            told = None if progress is None else _shifted(progress, done, self.passes_)
            self._graphs.append(_found(self._rows[-1], None, told))
            self._rows.append(averaged(self._rows[-1], self._graphs[-1].shares))
        return self._rows[-1] if self._rows else X

    def transform(self, X: Any) -> Any:
        """Return rows averaged with their neighbours among the fitted ones.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)

        Returns
        -------
        (m, d) array or CSR matrix
            Of unit length; `X` itself without a pass.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        check_is_fitted(self, "passes_")
        X = self._checked(X, reset=False)
        if not self.passes_:
            return X
        if not self._rows:
            raise InputError("the rows among which neighbours are looked for were not kept; fit again")
        A, copies, of = normalize(X), np.zeros(X.shape[0], dtype=bool), np.zeros(X.shape[0], dtype=np.intp)
        for number, (rows, graph) in enumerate(zip(self._rows, self._rows[1:], strict=False)):
            found = _found(_alike(A, rows), rows)
            if number == 0:
                copies, of = found.cosines[:, 0] >= _COPY, found.index[:, 0]
            A = averaged(_alike(A, rows), found.shares, rows)
            A = _put(A, np.flatnonzero(copies), graph[of[copies]])
        return A

    @property
    def graph_(self) -> Any:
        """Who is near whom among the rows as they came."""
        check_is_fitted(self, "passes_")
        return joined(self._graphs[0]) if self._graphs else None

    def without_columns(self, columns: Array) -> Self:
        """Return a fitted copy whose rows say nothing in some columns, with the same neighbours.

        Parameters
        ----------
        columns : (m,) whole numbers

        Returns
        -------
        NeighbourAverage
        """
        quiet = type(self)(self.passes, n_groups=self.n_groups)
        quiet.__dict__ |= self.__dict__ | {"_rows": [_silent(rows, columns) for rows in self._rows]}
        return quiet

    def to_state(self) -> dict[str, Any]:
        """Return what makes the fitted transformer, as plain values and arrays: its rows and their neighbours.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self, "passes_")
        graphs = [[graph.index, graph.cosines] for graph in self._graphs]
        rows = _packed(self._rows[0]) if self._rows else None
        return {"passes": self.passes_, "n_features": self.n_features_in_, "rows": rows, "graphs": graphs}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the fitted transformer that `to_state` described.

        Parameters
        ----------
        state : dict
            What `to_state` returned, perhaps read from a file.

        Returns
        -------
        NeighbourAverage, fitted

        Raises
        ------
        ModelError
            A field is something else, or does not fit the others.
        """
        try:
            passes, d = int(state["passes"]), int(state["n_features"])
            made = cls(passes)
            made._validate_params()
            rows = [] if state["rows"] is None else [_unpacked(state["rows"], d)]
            graphs = [_graph(graph[0], graph[1], rows[0].shape[0]) for graph in state["graphs"]]
            if len(graphs) != (passes if rows else 0):
                raise ValueError(f"{len(graphs)} graphs for {passes} passes")
            for graph in graphs:
                rows.append(averaged(rows[-1], graph.shares))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise ModelError(f"its neighbours are damaged: {error}") from error
        made.passes_, made.n_features_in_, made._rows, made._graphs = passes, d, rows, graphs
        return made

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validate_data(self, sound(X), reset=reset, accept_sparse="csr", dtype=FLOATS, order="C")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@one_blas_thread()
def _found(rows: Any, among: Any, progress: Told | None = None) -> Neighbours:
    return nearest(rows, among, count=COUNT, progress=progress)


def _fitting(X: Any, groups: int | None) -> int:
    """Return how many passes help these rows, as far as can be told without labels."""
    n = X.shape[0]
    if not max(_LEAST_ROWS, _A_GROUP * (groups or 0)) <= n <= _MOST_ROWS:
        return 0
    entries = X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    if entries > _DENSE * n * X.shape[1]:
        return 2
    return int(entries <= _SHORT * n)


def _check_size(X: Any) -> None:
    stored = X.nnz * (COUNT + 1) if sp.issparse(X) else 0
    if stored > _MOST_STORED:
        raise InputError(
            f"rows averaged with their neighbours would store up to {stored:,} numbers; leave neighbours out (0), or "
            "average by outgroup.rows.SmoothedRows, which forms none"
        )


def _shifted(progress: Told, before: int, passes: int) -> Told:
    return lambda done, total: progress(before * total + done, passes * total)


def _alike(X: Any, rows: Any) -> Any:
    """Return `X` in the dtype and form of the fitted rows."""
    if sp.issparse(rows):
        return sp.csr_matrix(X, dtype=rows.dtype)
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=rows.dtype)


def _put(A: Any, places: Array, rows: Any) -> Any:
    """Return `A` with other rows in some places."""
    if not len(places):
        return A
    if not sp.issparse(A):
        A[places] = rows
        return A
    order = np.arange(A.shape[0])
    order[places] = A.shape[0] + np.arange(len(places))
    return sp.vstack([A, rows], format="csr")[order]


def _silent(rows: Any, columns: Array) -> Any:
    quiet = rows.copy()
    if sp.issparse(quiet):
        quiet.data[np.isin(quiet.indices, columns)] = 0
        quiet.eliminate_zeros()
    else:
        quiet[:, columns] = 0
    return normalize(quiet, copy=False)


def _packed(X: Any) -> Any:
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else X


def _unpacked(given: Any, d: int) -> Any:
    if isinstance(given, list | tuple):
        data, indices, indptr = (np.asarray(each) for each in given)
        X: Any = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, d))
        X.check_format(full_check=True)
    else:
        X = np.ascontiguousarray(given)
    if X.dtype not in FLOATS or X.ndim != 2 or X.shape[1] != d or not np.isfinite(X.sum()):
        raise ValueError(f"its rows have shape {X.shape} and dtype {X.dtype}")
    return X


def _graph(index: Any, cosines: Any, n: int) -> Neighbours:
    index, cosines = np.asarray(index), np.asarray(cosines)
    right = index.ndim == 2 and index.shape == cosines.shape and len(index) == n and index.dtype.kind == "i"
    if not right or cosines.dtype.kind != "f" or not np.isfinite(cosines).all():
        raise ValueError(f"neighbours have shapes {index.shape} and {cosines.shape} for {n} rows")
    if index.min(initial=-1) < -1 or index.max(initial=-1) >= n:
        raise ValueError(f"a neighbour is numbered {index.max()} of {n}")
    return Neighbours(index.astype(np.int32), cosines.astype(np.float32), n)
