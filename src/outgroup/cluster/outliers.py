"""Outliers without examples: rows that are far from other rows and from the centre of their group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np

from ..rows import as_rows, cluster_sums, nearest, unit_rows
from ..rows.base import all_scores
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """From the study of scattered strangers among short questions, news, abstracts and vectors (`bench outliers`)."""

    near: int = 10  # nearest rows whose mean cosine counts
    inside: int = 20  # nearest rows of which those in the same group count
    rate: float = 0.05  # of ordinary rows above the threshold, at most


_SET = _Constants()
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Outliers:
    """Outlier scores of the rows of a fit, and of new rows: higher is stranger.

    The score is minus the sum of up to three z-scores: the mean cosine with the 10 nearest rows, the mean cosine with
    those of the 20 nearest rows that are in the same group, and the cosine with the group's centre. A row counts
    neither as its own neighbour nor in its own centre, so new rows compare with those of the fit. It tells scattered
    strangers; strangers that are alike make a group of their own.

    Parameters
    ----------
    rows : array, CSR matrix or None
        The n rows of the fit, of unit length; None for scores by the centres alone.
    labels : (n,) int array
        Their groups, -1 for none.
    centres : (k, d) array
        The directions of the groups.
    means, deviations : (3,) or (1,) arrays
        Of the parts of the score over the rows of the fit.
    score : (n,) float64 array
        The scores of the rows of the fit.
    threshold : float
        At most 5 % of rows like those of the fit have a score above it: the conformal quantile of the distinct rows.

    Examples
    --------
    >>> X = np.repeat(np.eye(4), [5, 5, 5, 1], axis=0) + 0.01
    >>> found = Outliers.of(X, np.repeat([0, 1, 2, 2], [5, 5, 5, 1]), 3)
    >>> int(found.score.argmax())
    15
    """

    rows: Any
    labels: Array
    centres: Array
    means: Array
    deviations: Array
    score: Array
    threshold: float

    @classmethod
    def of(cls, X: Any, labels: Array, k: int) -> Self:
        """Score the rows `X` (n, d) of a fit with their `labels` (n,), 0 to k - 1, -1 for none."""
        rows, labels = unit_rows(as_rows(X)), np.asarray(labels)
        sums = np.asarray(cluster_sums(rows, labels, k), dtype=np.float64)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _TINY)
        cosines = np.asarray(rows.map(centres.astype(rows.dtype), all_scores), dtype=np.float64)
        home = np.where(labels >= 0, labels, cosines.argmax(axis=1))
        index, near = _nearest(rows, None)
        parts = np.stack([*_near(index, near, home, home), _without_own(cosines, sums, home, labels >= 0)], axis=1)
        return cls(rows.local(), home, centres, np.zeros(0), np.ones(0), np.zeros(0), 0.0)._with(parts)

    def _with(self, parts: Array) -> Self:
        means, deviations = parts.mean(axis=0), np.maximum(parts.std(axis=0), _TINY)
        score = -((parts - means) / deviations).sum(axis=1)
        distinct = np.unique(parts.round(9), axis=0, return_index=True)[1]
        ordered = np.sort(score[distinct])
        place = ceil((len(ordered) + 1) * (1 - _SET.rate)) - 1
        threshold = float(ordered[place]) if place < len(ordered) else float("inf")
        return replace(self, means=means, deviations=deviations, score=score, threshold=threshold)

    def of_new(self, X: Any) -> Array:
        """Return the scores of new rows (m, d), (m,) float64; nan for a row of zeros.

        Examples
        --------
        >>> found = Outliers.of(np.repeat(np.eye(3), 4, axis=0), np.repeat([0, 1, 2], 4), 3)
        >>> scores = found.of_new(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
        >>> bool(scores[0] < scores[1])
        True
        """
        rows = unit_rows(as_rows(X))
        cosines = np.asarray(rows.map(self.centres.astype(rows.dtype), all_scores), dtype=np.float64)
        home, parts = cosines.argmax(axis=1), [cosines.max(axis=1)]
        if self.rows is not None:
            index, near = _nearest(rows, self.rows)
            parts = [*_near(index, near, self.labels, home), *parts]
        score = -((np.stack(parts, axis=1) - self.means) / self.deviations).sum(axis=1)
        return np.where(np.asarray(rows.squares()) > 0, score, np.nan)


def _nearest(rows: Any, among: Any) -> tuple[Array, Array]:
    """Return the numbers of the 20 rows nearest to each row, -1 for none, and the cosines."""
    found = nearest(rows, among, count=_SET.inside)
    return found.index, np.asarray(found.cosines, dtype=np.float64)


def _near(index: Array, cosines: Array, labels: Array, home: Array) -> tuple[Array, Array]:
    """Return the mean cosine with the nearest rows, and with those in the group `home` (m,); 0 without any."""
    same = (index >= 0) & (labels[index] == home[:, None])
    inside = (cosines * same).sum(axis=1) / np.maximum(same.sum(axis=1), 1)
    return cosines[:, : _SET.near].mean(axis=1), inside


def _without_own(cosines: Array, sums: Array, home: Array, inside: Array) -> Array:
    """Return the cosine of each row with its centre; a row that is `inside` a group does not count in its centre."""
    rows, length = np.arange(len(home)), np.linalg.norm(sums, axis=1)[home]
    along = cosines[rows, home] * length
    rest = np.sqrt(np.maximum(length**2 - 2 * along + 1, 0.0))
    alone = np.where(rest > 1e-6, (along - 1) / np.maximum(rest, 1e-6), 0.0)
    return np.where(inside, alone, cosines[rows, home])
