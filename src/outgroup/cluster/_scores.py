"""Clusterers whose groups are the highest of k scores, linear ones or cosines: these scores, and how high they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..rows import Rows, as_rows, unit_rows
from ..rows.rules import Plus, all_scores, highest_score
from ..solve.off_topic.reject import minus_margins
from ..types import Array
from ._base import Clusterer


class LinearClusterer(Clusterer):
    """Base of the clusterers whose groups are the highest of k linear scores: `coef_` (k, d) and `intercept_` (k,)."""

    coef_: Array
    intercept_: Array

    def decision_function(self, X: Any) -> Array:
        """Return the score of each row of `X` for each group.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`
            `X @ coef_.T + intercept_`.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        check_is_fitted(self)
        return np.asarray(as_rows(self._checked(X, reset=False)).map(self.coef_, Plus(self.intercept_)))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the mean slack of the rows of `X`: higher for rows that the groups tell apart more clearly.

        The slack of a row is max(0, 1 - m), where m is how far its highest score is ahead of the next: what the
        objective asks of the rows of the fit.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            From -1, where no row belongs anywhere, to 0, where each is at least 1 ahead; 0 for a single group.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.

        Examples
        --------
        >>> from outgroup import MaxMarginClustering
        >>> X = np.repeat(np.eye(2, 3), 4, axis=0)
        >>> groups = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
        >>> groups.score(X) > groups.score(np.eye(3)[[2]])
        True
        """
        check_is_fitted(self)
        behind = minus_margins(as_rows(self._checked(X, reset=False)), self.coef_, self.intercept_)
        return 0.0 if self.groups < 2 else -float(np.maximum(1 + behind, 0).mean(dtype=np.float64))


class CosineClusterer(Clusterer):
    """Base of the clusterers whose groups are the nearest of k centres by the cosine: `cluster_centers_` (k, d)."""

    cluster_centers_: Array
    normalize: bool

    def decision_function(self, X: Any) -> Array:
        """Return the score of each row of `X` for each group: its cosine with the group's centre.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        check_is_fitted(self)
        return np.asarray(self._as_fitted(X).map(self.cluster_centers_, all_scores))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean cosine of the rows of `X` with their nearest centres: higher for rows nearer to the groups.

        Of the rows of `SphericalKMeans.fit` it is `objective_`, divided by their number.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            1 where each row is a centre.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.

        Examples
        --------
        >>> from outgroup import SphericalKMeans
        >>> X = np.eye(2)[[0, 0, 1]]
        >>> groups = SphericalKMeans(n_clusters=2, random_state=0).fit(X)
        >>> groups.score(X), round(groups.score([[1.0, 1.0]]), 3)
        (1.0, 0.707)
        """
        check_is_fitted(self)
        return float(np.asarray(self._as_fitted(X).map(self.cluster_centers_, highest_score)).mean(dtype=np.float64))

    @property
    def coef_(self) -> Array:
        """The centres under the name that all clusterers share for their directions, shape (k, d)."""
        return np.asarray(self.cluster_centers_)

    def _as_fitted(self, X: Any) -> Rows:
        return self._scaled(self._checked(X, reset=False))

    def _scaled(self, X: Any) -> Rows:
        return unit_rows(as_rows(X)) if self.normalize else as_rows(X)
