"""Rows averaged with their nearest neighbours before groups are looked for, as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, ModelError
from ..rows import Neighbours, averaged
from ..rows.neighbours import COUNT
from ..rows.wrappers.unit import of_unit_length
from ..solve.neighbours.graph import joined
from ..types import Array, OnCount
from ._base import checked, validated
from ._by_words import ByWords
from ._saved_rows import graph_of, packed, unpacked
from .auto_passes import MOST_SPARSE, enough, passes_for
from .averaging import (
    COPY,
    LastPass,
    alike,
    check_size,
    half_of,
    in_memory,
    nearest_of,
    own_weight,
    passed,
    put,
    silent,
    weighed,
)


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
