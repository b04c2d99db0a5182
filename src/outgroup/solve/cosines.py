"""Cosines of rows with the means of groups, after centring at the mean of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..types import Array


def cosine(dots: Array, squares_a: Array, squares_b: Array | float) -> Array:
    """Return cosines from dot products and squared lengths; 0 if a length is zero."""
    lengths = np.sqrt(np.maximum(squares_a, 0) * np.maximum(squares_b, 0))
    return np.asarray(np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 1e-12))


def without_one(dots: Array, square: Any, squares_of_rows: Array, count: Any) -> tuple[Array, Array]:
    """Return the dot products of rows with the mean of their set without them, (n,), and its squared lengths (n,).

    `dots` (n,) are the products with the mean of all `count` rows, whose squared length is `square`, each a number or
    (n,); `squares_of_rows` (n,) are the squared lengths of the rows; all with the same centre. Zeros for a set of one
    row.

    >>> X = np.array([[2.0, 0.0], [0.0, 4.0], [0.0, 2.0]])
    >>> mean = X.mean(axis=0)
    >>> dots, squares = without_one(X @ mean, mean @ mean, (X * X).sum(axis=1), 3)
    >>> dots.round(9).tolist(), squares.round(9).tolist()
    ([0.0, 4.0, 4.0], [9.0, 2.0, 5.0])
    """
    left = np.maximum(np.asarray(count) - 1.0, 0.5)
    others = (count * dots - squares_of_rows) / left
    squares = (count**2 * square - 2 * count * dots + squares_of_rows) / left**2
    return np.where(left < 1, 0.0, others), np.where(left < 1, 0.0, np.maximum(squares, 0))


@dataclass(frozen=True)
class Advantage:
    """A rule: the cosine of each row with a new group minus its cosine with the rest of its own group.

    Scores are products with the means of the new group, of the rest of each of k groups, and of all rows, the centre;
    `means` (k + 2, d) are these. `counts` (k,) are the sizes of the rests. The mean of the rest leaves out the row
    itself: in a small group its share of the mean is large.
    """

    means: Array
    counts: Array

    @cached_property
    def _products(self) -> tuple[Array, Array, float]:
        """The products of the means with the centre, their squared distances from it, and its squared length."""
        at = self.means @ self.means[-1]
        squares = np.einsum("ij,ij->i", self.means, self.means)
        return at, squares - 2 * at + at[-1], float(at[-1])

    def __call__(self, scores: Array, own: Array, is_rest: Array, squares: Array) -> Array:
        """Return each row's cosine with the new group minus its cosine with the rest of its own group, (n,).

        `own` (n,) are the groups, -1 for none; `is_rest` (n,) is the mask of rows in the rest of one.
        """
        at, of_means, centre = self._products
        centred = scores.astype(np.float64) - at - scores[:, [-1]] + centre
        lengths, count = squares - 2 * scores[:, -1] + centre, self.counts[own]
        dots, of_rest = centred[np.arange(len(own)), own + 1], of_means[own + 1]
        to_rest, of_rest = np.where(is_rest, without_one(dots, of_rest, lengths, count), (dots, of_rest))
        return cosine(centred[:, 0], lengths, of_means[0]) - cosine(to_rest, lengths, of_rest)
