"""Rows averaged with their nearest neighbours before a fit, as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, ModelError
from ..rows import AveragedRows, Neighbours, as_rows, averaged, is_rows, nearest
from ..rows.matrix import checked_matrix
from ..rows.neighbours import COUNT
from ..rows.threads import one_blas_thread
from ..rows.wrappers import of_unit_length
from ..solve.neighbour_graph import joined, near
from ..types import Array, OnCount
from .base import FLOATS, checked, validated

# --- Rows averaged with their nearest neighbours before groups are looked for, as a scikit-learn transformer


class NeighbourAverage(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Rows of unit length, each averaged with its nearest rows by the cosine: what a short text does not say itself.

    Pass t makes A_t = normalise(a X + (1 - a) P A_(t - 1)), A_0 = X, and a a half where one pass is made, 0.3 where
    there are several: rows hear of their neighbours' neighbours, and stay by what they say themselves. P are shares of
    the nearest rows of X: of sparse rows the 15 nearest, by their cosines; of dense ones the 20 nearest, by how much
    nearer they are than the next (docs/decisions/0015-neighbours.md). Neighbours are exact up to 100,000 rows,
    and where rows are sparse; finding them takes time in proportion to the square of the number of rows, passes next to
    none. Of more dense rows they are looked for in the groups nearest to a row's own, which finds most of them.

    Parameters
    ----------
    passes : int or "auto", default "auto"
        How often; 0 leaves the rows as they are. "auto" decides without labels: 5 for dense rows, 1 for sparse rows of
        at most 30 entries in the mean (short texts); 0 for longer texts, where neighbours blur groups, for fewer than
        1,000 rows, fewer than 20 a group, or more than 1,000,000; and for more than 100,000 sparse rows. Of up to
        100,000 longer texts it finds the neighbours all the same: a clusterer may ask them (`graph_`).
    n_groups : int or None, default None
        How many groups will be looked for, which only "auto" asks; None: not known.

    Attributes
    ----------
    passes_ : int, the passes that were made
    n_words_ : int, the columns of `words` by which neighbours were found, too; 0 for none
    graph_ : (n, n) symmetric CSR matrix, the cosines of the fitted rows, as they came, with their 15 nearest in either
        direction; None where none were looked for, and for what was saved
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Notes
    -----
    A fitted one keeps the rows, and those of the last two passes (of dense ones once a new row comes): a new row is
    averaged with its neighbours among them; one that was among them gets what it got there. Of `words` it keeps the
    rows, too.

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

    _near: Neighbours | None
    _graph: Neighbours | None
    _rows: Any
    _words: ByWords | None
    _last: LastPass | None

    def __init__(self, passes: int | str = "auto", *, n_groups: int | None = None) -> None:
        self.passes = passes
        self.n_groups = n_groups

    def fit(self, X: Any, y: Any = None, *, words: Any = None) -> Self:
        """Find the neighbours among the rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        words : array or sparse matrix of shape (n, V), default None
            The TF-IDF rows of the same documents, where the rows of `X` are embeddings: neighbours are looked for among
            these as well. They are left out where there are more than 100,000 of them, or no row has an entry.

        Returns
        -------
        self

        Raises
        ------
        InputError, ValueError
            As of `fit_transform`.
        """
        self.fit_transform(X, words=words)
        return self

    @checked
    def fit_transform(self, X: Any, y: Any = None, *, words: Any = None, progress: OnCount | None = None) -> Any:
        """Return the rows, each averaged with its neighbours.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        words : array or sparse matrix of shape (n, V), default None
            As of `fit`.
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
            The averaged rows would take more than 2^28 numbers, or `words` are of other rows.
        ValueError
            NaN or infinity in `X` or `words`.
        """
        X = self._checked(X, reset=True)
        auto = self.passes == "auto"
        self.passes_ = passes_for(X, self.n_groups) if auto else int(self.passes)
        self._forget()
        if not self.passes_ and not (auto and X.shape[0] <= MOST_SPARSE and enough(X, self.n_groups)):
            return X
        if self.passes_:
            check_size(X)
        A, by_words = of_unit_length(X), None if words is None else ByWords.of(words, X.shape[0])
        found = nearest_of(A, None, progress if by_words is None else half_of(progress, 0))
        self._near = found.first(COUNT)
        if not self.passes_:
            return X
        self._graph = weighed(found, A)
        if by_words is not None:
            self._words, self._graph = by_words, self._graph.beside(by_words.nearest(progress=half_of(progress, 1)))
        self._rows, last = A, passed(A, self._graph, self.passes_)
        kept = last if sp.issparse(A) else None  # vectors fill memory, and who only fits needs no more of them
        self._last = LastPass(A, self._graph, self.passes_, kept)
        return last[1]

    def _forget(self) -> None:
        """Let go of the rows and neighbours of a fit before."""
        self._near = self._graph = self._rows = self._words = self._last = None

    def transform(self, X: Any, *, words: Any = None) -> Any:
        """Return rows averaged with their neighbours among the fitted ones.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
        words : array or sparse matrix of shape (m, V), default None
            The TF-IDF rows of the same documents, where neighbours were found by words, too.

        Returns
        -------
        (m, d) array or CSR matrix
            Of unit length; `X` itself without a pass.

        Raises
        ------
        InputError
            `words` are missing or have other columns than those of the fit, or the rows of the fit were not kept.
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        check_is_fitted(self, "passes_")
        X = self._checked(X, reset=False)
        if not self.passes_:
            return X
        if self._last is None:
            raise InputError("the rows among which neighbours are looked for were not kept; fit again")
        rows, (before, last) = self._rows, self._last.rows
        A = alike(of_unit_length(X), rows)
        found = nearest_of(A, rows)
        graph, copied = weighed(found, rows), found.cosines >= COPY
        if self._words is not None:
            new = self._words.of_new(words, X.shape[0])
            graph = graph.beside(self._words.nearest(new))
            copied &= self._words.same(new, found.index, copied)
        copies, place = np.flatnonzero(copied.any(axis=1)), copied.argmax(axis=1)
        A = averaged(A, graph.shares, before, own=own_weight(self.passes_))
        return put(A, copies, last[found.index[copies, place[copies]]])

    @property
    def graph_(self) -> Any:
        """Who is near whom among the rows as they came."""
        check_is_fitted(self, "passes_")
        return None if self._near is None else joined(self._near)

    @property
    def n_words_(self) -> int:
        """How many columns the `words` of new rows must have; 0 where neighbours were found without words."""
        check_is_fitted(self, "passes_")
        return 0 if self._words is None else int(self._words.rows.shape[1])

    def without_columns(self, columns: Array) -> Self:
        """Return a fitted copy, with the same neighbours, whose words say nothing in some columns.

        Those are columns of `words`, where neighbours were found by them, else of the rows.

        Parameters
        ----------
        columns : (m,) whole numbers

        Returns
        -------
        NeighbourAverage
        """
        quiet = type(self)(self.passes, n_groups=self.n_groups)
        quiet.__dict__ |= self.__dict__
        if self._words is not None:
            quiet._words = self._words.without(columns)
        elif self._last is not None and self._graph is not None:
            before, last = (silent(each, columns) for each in self._last.rows)
            quiet._rows = silent(self._rows, columns)
            quiet._last = LastPass(quiet._rows, self._graph, self.passes_, (before, last))
        return quiet

    def to_state(self) -> dict[str, Any]:
        """Return what makes the fitted transformer, as plain values and arrays: its rows and their neighbours.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self, "passes_")
        graph = None if self._graph is None else [self._graph.index, self._graph.cosines]
        rows = None if self._rows is None else packed(self._rows)
        words = None if self._words is None else self._words.to_state()
        return {"passes": self.passes_, "n_features": self.n_features_in_, "rows": rows, "words": words, "graph": graph}

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
            rows = unpacked(state["rows"], d)
            graph = graph_of(state.get("graph"), rows)
            made._near, made._graph, made._rows = None, graph, rows
            made._words = ByWords.from_state(state.get("words"), 0 if rows is None else rows.shape[0])
            made._last = None if graph is None else LastPass(rows, graph, passes, passed(rows, graph, passes))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise ModelError(f"its neighbours are damaged: {error}") from error
        made.passes_, made.n_features_in_ = passes, d
        return made

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validated(self, in_memory(X), reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


# --- Rows averaged over the graph of their neighbours, and the parts of it that `NeighbourAverage` keeps

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


# --- Neighbours by the words of documents whose rows are embeddings: each space knows some that the other does not


@dataclass(frozen=True)
class ByWords:
    """The TF-IDF rows of fitted documents, (n, V) CSR of unit length, among which neighbours are looked for."""

    rows: Any

    @classmethod
    def of(cls, words: Any, n: int) -> Self | None:
        """Return the words of `n` documents; None where these are too many, or none has a word.

        Raises InputError where they are those of other documents, ValueError for nan or infinity.
        """
        rows = _unit(words)
        if rows.shape[0] != n:
            raise InputError(f"there are {n} rows, and words of {rows.shape[0]}; give those of the same documents")
        return cls(rows) if rows.nnz and n <= MOST_SPARSE else None

    def of_new(self, words: Any, m: int) -> Any:
        """Return the words of `m` new documents as rows; raises InputError where they are missing or do not fit."""
        if words is None:
            raise InputError("neighbours were found by words, too; give the words of these rows as well")
        rows, shape = _unit(words), (m, self.rows.shape[1])
        if rows.shape != shape:
            raise InputError(f"the words have shape {rows.shape} where {shape} fits; give TF-IDF rows as in the fit")
        return rows

    @one_blas_thread()
    def nearest(self, new: Any = None, progress: OnCount | None = None) -> Neighbours:
        """Return the 20 nearest of each fitted row, or of each of the `new` ones, among the fitted rows.

        Each counts by how much nearer it is than the next, as among vectors.
        """
        asked, among = (self.rows, None) if new is None else (new, self.rows)
        return nearest(asked, among, count=FALLING + 1, progress=progress).falling()

    def same(self, new: Any, index: Array, likely: Array) -> Array:
        """Return which of the fitted rows numbered `index` (m, c) say the words of a `new` one, where that is `likely`.

        >>> words = ByWords.of(np.eye(2)[[0, 1]], 2)
        >>> words.same(words.rows[[1]], np.array([[0, 1]]), np.array([[True, True]])).tolist()
        [[False, True]]
        """
        found = np.zeros(likely.shape, dtype=bool)
        row, place = np.nonzero(likely)
        own, theirs = new[row], self.rows[index[row, place]]
        cosines = np.asarray(own.multiply(theirs).sum(axis=1)).ravel()
        found[row, place] = (cosines >= COPY) | (np.diff(own.indptr) + np.diff(theirs.indptr) == 0)
        return found

    def without(self, columns: Array) -> Self:
        """Return the same rows, which say nothing in some columns."""
        return type(self)(silent(self.rows, columns))

    def to_state(self) -> dict[str, Any]:
        """Return the rows as plain values and arrays."""
        return {"rows": packed(self.rows), "n_features": self.rows.shape[1]}

    @classmethod
    def from_state(cls, state: Any, n: int) -> Self | None:
        """Return the words of `n` documents that `to_state` described, None for None; raises ValueError for others."""
        if state is None:
            return None
        rows = unpacked(state["rows"], int(state["n_features"]))
        if not sp.issparse(rows) or rows.shape[0] != n:
            raise ValueError(f"its words have shape {rows.shape} for {n} rows")
        return cls(rows)


def _unit(words: Any) -> Any:
    """Return the rows as CSR of unit length, without entries that are zero."""
    rows = sp.csr_matrix(checked_matrix(words, "words", ensure_min_features=0), copy=True)
    rows.eliminate_zeros()
    return normalize(rows, copy=False) if rows.nnz else rows


# --- Rows and their neighbours as plain arrays, and back: what a file says is checked before it is believed


def packed(X: Any) -> Any:
    """Return rows as arrays, those of a sparse matrix as a list of three."""
    return [X.data, X.indices, X.indptr] if sp.issparse(X) else X


def unpacked(given: Any, d: int) -> Any:
    """Return the rows that `packed` made arrays of, None for None; raises ValueError unless they have d columns."""
    if given is None:
        return None
    if isinstance(given, list | tuple):
        data, indices, indptr = (np.asarray(each) for each in given)
        X: Any = sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, d))
        X.check_format(full_check=True)
    else:
        X = np.ascontiguousarray(given)
    if X.dtype not in FLOATS or X.ndim != 2 or X.shape[1] != d or not np.isfinite(X.sum()):
        raise ValueError(f"its rows have shape {X.shape} and dtype {X.dtype}")
    return X


def graph_of(given: Any, X: Any) -> Neighbours | None:
    """Return the neighbours of the rows `X` (n, d) from their index and cosines, None where there are no rows.

    Raises ValueError where these are none, or there are neighbours without rows.
    """
    if X is None and given is None:
        return None
    if X is None:
        raise ValueError("neighbours without rows")
    n = X.shape[0]
    index, cosines = (np.asarray(each) for each in given)
    right = index.ndim == 2 and index.shape == cosines.shape and len(index) == n and index.dtype.kind == "i"
    if not right or cosines.dtype.kind != "f" or not np.isfinite(cosines).all():
        raise ValueError(f"neighbours have shapes {index.shape} and {cosines.shape} for {n} rows")
    if index.min(initial=-1) < -1 or index.max(initial=-1) >= n:
        raise ValueError(f"a neighbour is numbered {index.max()} of {n}")
    return Neighbours(index.astype(np.int32), cosines.astype(np.float32), n)


# --- How often "auto" averages rows with their neighbours, as far as can be told without labels

_LEAST_ROWS = 1000  # for "auto": few rows have no near neighbours
MOST_SPARSE, _MOST_DENSE = 100_000, 1_000_000  # rows: of more the search is long
_A_GROUP = 20  # rows of a mean group: a row's neighbours should find room in it
_SHORT = 30  # known words of a mean document: texts of about 80 words (docs/decisions/0015-neighbours.md)
_DENSE = 0.25  # the share of entries that are not zero from which rows are vectors, not counts of words
_OF_VECTORS = 5  # passes over dense rows: more change next to nothing


def passes_for(X: Any, groups: int | None) -> int:
    """Return how many passes help these rows, as far as can be told without labels."""
    n = X.shape[0]
    if not enough(X, groups):
        return 0
    entries = X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    if entries > _DENSE * n * X.shape[1]:
        return _OF_VECTORS
    return int(are_short(n, entries))


def enough(X: Any, groups: int | None) -> bool:
    """Return whether rows are so many that their neighbours are near, and not so many that the search is long."""
    most = MOST_SPARSE if sp.issparse(X) else _MOST_DENSE
    return max(_LEAST_ROWS, _A_GROUP * int(groups or 0)) <= X.shape[0] <= most


def are_short(n: int, entries: float) -> bool:
    """Return whether n texts with so many known words together are few and short enough that "auto" averages them."""
    return n <= MOST_SPARSE and entries <= _SHORT * n
