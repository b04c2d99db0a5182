"""The neighbour average, a scikit-learn transformer: average rows with their nearest rows before a fit."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import DAMAGE, InputError, ModelError
from ..rows import AveragedRows, Neighbours, as_rows, averaged, is_rows, nearest
from ..rows.arrays import normalize
from ..rows.matrix import checked_matrix, packed, unpacked
from ..rows.neighbour_graph import COUNT
from ..rows.threads import one_blas_thread
from ..rows.wrappers import of_unit_length
from ..solve.neighbour_votes import fast_nearest
from ..types import Array, OnCount
from .base import checked, validated


@dataclass(frozen=True)
class Constants:
    """Constants of the neighbour average, by `python -m bench ablation` (docs/decisions/0015, 0024, 0026)."""

    dense_neighbours: int = 20  # of a dense row, weighted by the distance to the next one
    dense_passes: int = 5  # more change almost nothing
    most_passes: int = 99
    itself: float = 0.3  # weight of a row relative to its neighbours in each of several passes
    copy: float = 1 - 1e-6  # least cosine of a copy of a fitted row
    agreement: float = 0.3  # least agreement of words with vectors: real texts have .56 or more, random words 0
    fewest: int = 1_000  # rows in one space: among fewer, neighbours are not near
    fewest_in_both: int = 200  # rows with neighbours by vectors and by words
    rows_of_a_group: int = 20  # in the mean: the neighbours of a row should fit into its group
    most_sparse: int = 100_000  # rows: the search is exact
    most_dense: int = 1_000_000
    short: int = 30  # known words of a mean document: texts of about 80 words
    dense: float = 0.25  # least share of nonzero entries of embeddings
    most_stored: int = 1 << 28  # numbers of averaged sparse rows


AVERAGE = Constants()


class NeighbourAverage(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Average rows with their nearest rows by cosine.

    Pass t computes A_t = normalise(a X + (1 - a) P A_(t - 1)) on rows of unit length, with A_0 = X, and a = 0.5 for one
    pass, 0.3 for several. P holds the weights of the nearest rows of X, which sum to 1: for sparse rows the 15 nearest,
    weighted by their cosines; for dense rows the 20 nearest, weighted by the distance to the next one
    (docs/decisions/0015-neighbours.md). Neighbours are exact for sparse rows and for up to 100,000 dense rows, in time
    quadratic in the number of rows. Among more dense rows the search covers the nearest groups only, and finds most
    neighbours.

    Parameters
    ----------
    passes : int or "auto", default "auto"
        Number of passes; 0 returns the rows unchanged. "auto" decides without labels: 5 for dense rows, 1 for sparse
        rows with at most 30 entries in the mean (short texts). It is 0 for longer texts, where neighbours blur groups,
        for fewer than 1,000 rows or 20 per group (200 dense rows with `words`), and for more than 100,000 sparse or
        1,000,000 dense rows. For up to 100,000 longer texts it still finds neighbours, for `graph_`.
    n_groups : int or None, default None
        Number of groups of the later fit, for "auto"; None if unknown.

    Attributes
    ----------
    passes_ : int, number of passes
    n_words_ : int, number of columns of `words`; 0 without words
    graph_ : (n, n) symmetric CSR matrix, cosines of the fitted rows with their 15 nearest in either direction; None
        without a search, and for a loaded transformer
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    A fitted transformer keeps the rows, the rows of the last two passes (for dense rows from the first new row on), and
    the rows of `words`. A new row is averaged with its nearest fitted rows; a copy of a fitted row gets its average.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    >>> NeighbourAverage(passes=1).fit_transform(X).round(2).tolist()
    [[0.95, 0.32], [0.8, 0.6], [0.45, 0.89]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "passes": [StrOptions({"auto"}), Interval(Integral, 0, AVERAGE.most_passes, closed="both")],
        "n_groups": [None, Interval(Integral, 1, None, closed="left")],
    }

    _near: Neighbours | None
    _graph: Neighbours | None
    _rows: Any
    _words: Any
    _last: list[Any]  # of the last pass; a list, since `transform` may fill it but sets no attribute

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
            TF-IDF rows of the same documents, for embeddings `X`: neighbours are then found in both. Ignored for more
            than 100,000 rows, if all rows are empty, and by "auto" if their neighbours are not near in `X`.

        Returns
        -------
        self

        Raises
        ------
        InputError, ValueError
            As `fit_transform`.
        """
        self.fit_transform(X, words=words)
        return self

    @checked
    def fit_transform(self, X: Any, y: Any = None, *, words: Any = None, progress: OnCount | None = None) -> Any:
        """Return the rows after averaging them with their neighbours.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : ignored
        words : array or sparse matrix of shape (n, V), default None
            As for `fit`.
        progress : callable, default None
            Called with the number of rows done and of all rows. An exception ends the fit; so does
            `outgroup.stopping.stoppable`.

        Returns
        -------
        (n, d) array or CSR matrix
            Of unit length; `X` itself without a pass.

        Raises
        ------
        InputError
            The averaged rows would store more than 2^28 numbers, or `words` has another number of rows.
        ValueError
            NaN or infinity in `X` or `words`.
        """
        X = self._checked(X, reset=True)
        auto = self.passes == "auto"
        by_words = None if words is None else searchable_words(words, X.shape[0])
        self.passes_ = passes_for(X, self.n_groups, by_words is not None) if auto else int(self.passes)
        self._forget()
        if not self.passes_ and not (auto and X.shape[0] <= AVERAGE.most_sparse and enough(X, self.n_groups)):
            return X
        stored = X.nnz * (COUNT + 1) if self.passes_ and sp.issparse(X) else 0
        if stored > AVERAGE.most_stored:
            raise InputError(
                f"rows averaged with their neighbours would store up to {stored:,} numbers: set neighbours to 0"
            )
        A = of_unit_length(X)
        nearest = nearest_of(A, None, progress if by_words is None else half_of(progress, 0))
        if by_words is not None and self.passes_:
            others = nearest_words(by_words, None, half_of(progress, 1))
            if auto and agreement(A, nearest, others) < AVERAGE.agreement:
                by_words, self.passes_ = None, passes_for(X, self.n_groups)
        self._near = nearest.first(COUNT)
        if not self.passes_:
            return X
        self._graph = weighted(nearest, A)
        if by_words is not None:
            self._words, self._graph = by_words, self._graph.beside(others)
        self._rows, last = A, passed(A, self._graph, self.passes_)
        self._last = [*last] if sp.issparse(A) else []  # dense rows are large, and a fit alone does not need them
        return last[1]

    def _forget(self) -> None:
        """Delete the rows and neighbours of an earlier fit."""
        self._near = self._graph = self._rows = self._words = None
        self._last = []

    def transform(self, X: Any, *, words: Any = None) -> Any:
        """Return new rows averaged with their nearest fitted rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
        words : array or sparse matrix of shape (m, V), default None
            TF-IDF rows of the same documents; required if the fit used words.

        Returns
        -------
        (m, d) array or CSR matrix
            Of unit length; `X` itself without a pass.

        Raises
        ------
        InputError
            `words` are missing or have a different number of columns than in the fit, or the fit kept no rows.
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.
        """
        check_is_fitted(self, "passes_")
        X = self._checked(X, reset=False)
        if not self.passes_:
            return X
        rows, (before, last) = self._rows, self._last_pass()
        A = of_unit_length(X).astype(rows.dtype, copy=False)
        if sp.issparse(A) != sp.issparse(rows):
            A = sp.csr_matrix(A) if sp.issparse(rows) else A.toarray()
        nearest = nearest_of(A, rows)
        graph, copied = weighted(nearest, rows), nearest.cosines >= AVERAGE.copy
        if self._words is not None:
            new = self._new_words(words, X.shape[0])
            graph = graph.beside(nearest_words(new, self._words))
            copied &= same_words(new, self._words, nearest.index, copied)
        copies, place = np.flatnonzero(copied.any(axis=1)), copied.argmax(axis=1)
        A = averaged(A, graph.shares, before, own=own_weight(self.passes_))
        return with_rows(A, copies, last[nearest.index[copies, place[copies]]])

    @property
    def graph_(self) -> Any:
        """Cosines of the fitted rows with their nearest rows, symmetric (n, n) CSR; None if no neighbours were
        searched.
        """
        check_is_fitted(self, "passes_")
        return None if self._near is None else self._near.adjacency

    @property
    def n_words_(self) -> int:
        """Number of columns that `words` of new rows must have; 0 if the fit had no words."""
        check_is_fitted(self, "passes_")
        return 0 if self._words is None else int(self._words.shape[1])

    def without_columns(self, columns: Array) -> Self:
        """Return a fitted copy with the same neighbours, and zeros in `columns`.

        These are columns of `words` if the fit used words, else of the rows.

        Parameters
        ----------
        columns : (m,) whole numbers

        Returns
        -------
        NeighbourAverage
        """
        changed = type(self)(self.passes, n_groups=self.n_groups)
        changed.__dict__ |= self.__dict__
        if self._words is not None:
            changed._words = zeroed(self._words, columns)
        elif self._graph is not None:
            before, last = (zeroed(rows, columns) for rows in self._last_pass())
            changed._rows, changed._last = zeroed(self._rows, columns), [before, last]
        return changed

    def to_state(self) -> dict[str, Any]:
        """Return the fitted rows and their neighbours as plain values and arrays.

        Returns
        -------
        dict
            The argument of `from_state`.
        """
        check_is_fitted(self, "passes_")
        graph = None if self._graph is None else [self._graph.index, self._graph.cosines]
        rows = None if self._rows is None else packed(self._rows)
        words = None if self._words is None else {"rows": packed(self._words), "n_features": self.n_words_}
        return {"passes": self.passes_, "n_features": self.n_features_in_, "rows": rows, "words": words, "graph": graph}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the fitted transformer stored in a state.

        Parameters
        ----------
        state : dict
            The result of `to_state`, perhaps from a file.

        Returns
        -------
        NeighbourAverage, fitted

        Raises
        ------
        ModelError
            A field is invalid, or contradicts another.
        """
        try:
            passes, d = int(state["passes"]), int(state["n_features"])
            average = cls(passes)
            average._validate_params()
            rows, saved = unpacked(state["rows"], d), state["words"]
            graph = graph_of(state["graph"], rows)
            words = None if saved is None else unpacked(saved["rows"], int(saved["n_features"]))
            if words is not None and (not sp.issparse(words) or graph is None or words.shape[0] != graph.n):
                raise ValueError(f"its words have shape {words.shape}")
            average._near, average._graph, average._rows, average._words = None, graph, rows, words
            average._last = [] if graph is None else [*passed(rows, graph, passes)]
        except DAMAGE as error:
            raise ModelError(f"the saved neighbour graph is damaged: {error}") from error
        average.passes_, average.n_features_in_ = passes, d
        return average

    def _last_pass(self) -> list[Any]:
        """Return the rows before and after the last averaging; those of dense rows are computed on first access."""
        if self._graph is None:
            raise InputError(
                "the model does not contain its fitted rows, so it cannot find neighbours of new rows: fit it again"
            )
        if not self._last:
            self._last.extend(passed(self._rows, self._graph, self.passes_))
        return self._last

    def _new_words(self, words: Any, m: int) -> Any:
        """Return the word rows of `m` new documents; raise InputError if they are missing or have a wrong shape."""
        if words is None:
            raise InputError("the fit used words: also give the argument words, the TF-IDF rows of these documents")
        rows, shape = unit_words(words), (m, self.n_words_)
        if rows.shape != shape:
            raise InputError(f"words have shape {rows.shape}, but {shape} is needed: give TF-IDF rows as in the fit")
        return rows

    def _checked(self, X: Any, *, reset: bool) -> Any:
        X = X.local() if is_rows(X) else X
        if X is None:
            raise InputError(
                "finding neighbours needs rows in memory, but X is not in memory: pass X to the clusterer directly"
            )
        return validated(self, X, reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


# --- Rows averaged over the neighbour graph


def with_original(A: Any, original: Any) -> Any:
    """Return averaged rows `A` with the original rows; only `A` if there are none."""
    return A if original is None or not A.shape[0] else AveragedRows(as_rows(A), as_rows(original))


@one_blas_thread()
def nearest_of(rows: Any, among: Any, progress: OnCount | None = None) -> Neighbours:
    """Return the nearest rows in `among`, as many as `weighted` needs; None searches the rows themselves."""
    count = COUNT if sp.issparse(rows) else AVERAGE.dense_neighbours + 1
    return fast_nearest(rows, among, count=count, progress=progress)


def weighted(neighbours: Neighbours, rows: Any) -> Neighbours:
    """Return the neighbours that an average uses, with their weights.

    For sparse rows the 15 nearest, weighted by their cosines; for dense rows the 20 nearest, weighted by the distance
    to the next one, so that the last ones have little weight.
    """
    return neighbours if sp.issparse(rows) else neighbours.falling()


def own_weight(passes: int) -> float:
    """Return the weight of the row itself relative to its neighbours."""
    return 0.5 if passes == 1 else AVERAGE.itself


def passed(X: Any, graph: Neighbours, passes: int) -> tuple[Any, Any]:
    """Average unit rows `X` with their neighbours `passes` times; return the rows before and after the last time."""
    before = A = X
    for _ in range(passes):
        before = A  # frees the rows before it first
        A = averaged(X, graph.shares, before, own=own_weight(passes))
    return before, A


def with_rows(A: Any, places: Array, rows: Any) -> Any:
    """Return a copy of `A` with `rows` at the positions `places`."""
    if not len(places):
        return A
    if not sp.issparse(A):
        A[places] = rows
        return A
    order = np.arange(A.shape[0])
    order[places] = A.shape[0] + np.arange(len(places))
    return sp.vstack([A, rows], format="csr")[order]


def zeroed(rows: Any, columns: Array) -> Any:
    """Return the rows with zeros in `columns`, scaled to unit length again."""
    changed = rows.copy()
    if sp.issparse(changed):
        changed.data[np.isin(changed.indices, columns)] = 0
        changed.eliminate_zeros()
    else:
        changed[:, columns] = 0
    return normalize(changed, copy=False)


def half_of(progress: OnCount | None, number: int) -> OnCount | None:
    """Return a callback that reports one of two equal searches as half of the progress: 0 is the first, 1 the
    second.
    """
    return None if progress is None else lambda done, n: progress(number * n + done, 2 * n)


# --- Neighbours by words of documents with embeddings: both spaces find some that the other misses


def searchable_words(words: Any, n: int) -> Any:
    """Return the TF-IDF rows of `n` documents, CSR of unit length; None if there are too many documents, or no words.

    Raises InputError for another number of documents, ValueError for NaN or infinity.
    """
    rows = unit_words(words)
    if rows.shape[0] != n:
        raise InputError(f"X has {n} rows, but words has {rows.shape[0]}: give the words of the same documents as X")
    return rows if rows.nnz and n <= AVERAGE.most_sparse else None


@one_blas_thread()
def nearest_words(words: Any, among: Any, progress: OnCount | None = None) -> Neighbours:
    """Return the 20 nearest rows by words, weighted by the distance to the next one, as vectors are."""
    return nearest(words, among, count=AVERAGE.dense_neighbours + 1, progress=progress).falling()


def same_words(new: Any, words: Any, index: Array, likely: Array) -> Array:
    """Return the mask (m, c) of candidates in `index` that are `likely` and have exactly the words of the `new` row.

    >>> words = sp.csr_matrix(np.eye(2))
    >>> same_words(words[[1]], words, np.array([[0, 1]]), np.array([[True, True]])).tolist()
    [[False, True]]
    """
    copies = np.zeros(likely.shape, dtype=bool)
    row, place = np.nonzero(likely)
    rows, others = new[row], words[index[row, place]]
    cosines = np.asarray(rows.multiply(others).sum(axis=1)).ravel()
    copies[row, place] = (cosines >= AVERAGE.copy) | (np.diff(rows.indptr) + np.diff(others.indptr) == 0)
    return copies


def agreement(A: Any, near: Neighbours, others: Neighbours) -> float:
    """Return how near the neighbours `others` are, scaled to 1 for the neighbours `near` and 0 for random rows.

    >>> A, near = np.eye(2)[[0, 0, 1, 1]], Neighbours(np.array([[1], [0], [3], [2]]), np.ones((4, 1)), 4)
    >>> agreement(A, near, near), agreement(A, near, Neighbours(near.index[::-1], near.cosines, 4))
    (1.0, -1.0)
    """
    at_random = float(np.square(np.asarray(A.mean(axis=0), dtype=np.float64)).sum())
    least = _mean_cosine(A, near) - at_random
    return (_mean_cosine(A, others) - at_random) / least if least > 0 else 1.0


def _mean_cosine(A: Any, near: Neighbours) -> float:
    """Return the mean cosine of unit rows with the mean of their neighbours; rows without neighbours do not count."""
    some = (near.index >= 0).any(axis=1)
    means = Neighbours(near.index, (near.index >= 0).astype(np.float32), near.n).shares @ A
    products = A.multiply(means) if sp.issparse(A) else A * means
    return float(products.sum(dtype=np.float64)) / max(int(np.count_nonzero(some)), 1)


def unit_words(words: Any) -> Any:
    """Return the rows as CSR, scaled to unit length, without stored zeros."""
    rows = sp.csr_matrix(checked_matrix(words, "words", ensure_min_features=0), copy=True)
    rows.eliminate_zeros()
    return normalize(rows, copy=False) if rows.nnz else rows


# --- Neighbours of a file, checked


def graph_of(arrays: Any, X: Any) -> Neighbours | None:
    """Return the neighbours of rows `X` (n, d) from a stored index and cosines; None if there are no rows.

    Raises ValueError for an invalid index, invalid cosines, or neighbours without rows.
    """
    if X is None and arrays is None:
        return None
    n = 0 if X is None else X.shape[0]
    index, cosines = (np.asarray(array) for array in arrays)
    right = index.ndim == 2 and index.shape == cosines.shape and len(index) == n and index.dtype.kind == "i"
    if not right or cosines.dtype.kind != "f" or not np.isfinite(cosines).all():
        raise ValueError(f"neighbours have shapes {index.shape} and {cosines.shape} for {n} rows")
    if index.min(initial=-1) < -1 or index.max(initial=-1) >= n:
        raise ValueError(f"the neighbour index {index.max()} exceeds the {n} rows")
    return Neighbours(index.astype(np.int32), cosines.astype(np.float32), n)


# --- The number of passes of "auto"


def passes_for(X: Any, groups: int | None, by_words: bool = False) -> int:
    """Choose the number of passes for these rows, without labels; `by_words` tells that words also find neighbours."""
    n = X.shape[0]
    entries = X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    vectors = entries > AVERAGE.dense * n * X.shape[1]
    if vectors and by_words and n >= AVERAGE.fewest_in_both:
        return AVERAGE.dense_passes
    if not enough(X, groups):
        return 0
    return AVERAGE.dense_passes if vectors else int(are_short(n, entries))


def enough(X: Any, groups: int | None) -> bool:
    """Return whether there are enough rows for near neighbours, and few enough for a fast search."""
    most = AVERAGE.most_sparse if sp.issparse(X) else AVERAGE.most_dense
    return max(AVERAGE.fewest, AVERAGE.rows_of_a_group * int(groups or 0)) <= X.shape[0] <= most


def are_short(n: int, entries: float) -> bool:
    """Return whether "auto" averages n texts with `entries` known words: few, short texts."""
    return n <= AVERAGE.most_sparse and entries <= AVERAGE.short * n
