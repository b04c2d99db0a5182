"""Mean rows of sets, and their cosines after centring at the mean of all rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..stopping import stop_if_asked
from ..types import Array


def sums(X: Any, sets: Sequence[Array]) -> tuple[Any, Array]:
    """Return the sum of each set's rows, (s, d), sparse or dense like `X`, and the set sizes (s,).

    >>> sums(np.eye(3), [np.array([0, 2])])[0].tolist()
    [[1.0, 0.0, 1.0]]
    """
    stop_if_asked()
    counts = np.array([len(rows) for rows in sets])
    rows = np.concatenate([np.zeros(0, dtype=int), *sets])
    ends = np.concatenate([[0], np.cumsum(counts)])
    members = sp.csr_matrix((np.ones(len(rows), dtype=X.dtype), rows, ends), shape=(len(sets), X.shape[0]))
    found = members @ X
    return (sp.csr_matrix(found) if sp.issparse(X) else np.asarray(found)), counts


def centred_cosines(A: Any, of_a: Array, B: Any, of_b: Array, centre: Array) -> Array:
    """Return the centred cosines of mean rows, (a, b); `A` and `B` are sums of `of_a` and `of_b` rows.

    >>> A, B = np.array([[2.0, 0.0]]), np.array([[4.0, 2.0], [0.0, 1.0]])
    >>> centred_cosines(A, np.array([2]), B, np.array([4, 1]), np.array([1.0, 0.0])).round(3).tolist()
    [[0.0, 0.0]]
    """
    dots, squares_a, squares_b = centred_products(A, of_a, B, of_b, centre)
    return cosine(dots, squares_a[:, None], squares_b[None, :])


def cosine(dots: Array, squares_a: Array, squares_b: Array | float) -> Array:
    """Return cosines from dot products and squared lengths; 0 if a length is zero."""
    lengths = np.sqrt(np.maximum(squares_a, 0) * np.maximum(squares_b, 0))
    return np.asarray(np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 1e-12))


def nearest_groups(
    X: Any, labels: Array, numbers: Sequence[int], centre: Array, apart: Iterable[Collection[int]] = ()
) -> list[tuple[int, int]]:
    """Return each group with its nearest group, as positions in `numbers`, by descending centred cosine.

    `labels` (n,) are the group numbers of the rows, `numbers` (k,) the groups, `centre` (d,) the origin. Pairs of
    numbers in `apart` are left out, and groups without another candidate.

    >>> X = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.9, 0.1]])
    >>> nearest_groups(X, np.arange(3), [0, 1, 2], np.zeros(3))
    [(1, 2), (2, 1), (0, 1)]
    >>> nearest_groups(X, np.arange(3), [0, 1, 2], np.zeros(3), [{1, 2}])
    [(0, 1), (1, 0), (2, 0)]
    """
    if len(numbers) < 2:
        return []
    whole, sizes = sums(X, [np.flatnonzero(labels == number) for number in numbers])
    cosines = centred_cosines(whole, sizes, whole, sizes, centre)
    np.fill_diagonal(cosines, -np.inf)
    for one, other in ([numbers.index(number) for number in pair] for pair in apart):
        cosines[[one, other], [other, one]] = -np.inf
    nearest, most = cosines.argmax(axis=1).tolist(), cosines.max(axis=1)
    order = np.argsort(-most, kind="stable")[: np.count_nonzero(np.isfinite(most))]
    return [(group, nearest[group]) for group in order.tolist()]


def centred_products(A: Any, of_a: Array, B: Any, of_b: Array, centre: Array) -> tuple[Array, Array, Array]:
    """Return the dot products of mean rows after centring at `centre`, (a, b), and their squared lengths (a,) and (b,).

    `A` and `B` are sums of `of_a` and `of_b` rows.

    >>> A, B = np.array([[2.0, 0.0]]), np.array([[4.0, 4.0]])
    >>> [each.tolist() for each in centred_products(A, np.array([2]), B, np.array([4]), np.array([0.0, 1.0]))]
    [[[1.0]], [2.0], [1.0]]
    """
    (dots, at_a, squares_a), (at_b, squares_b) = _products(A, of_a, B, of_b, centre)
    c = float(centre @ centre)
    return dots - at_a[:, None] - at_b[None, :] + c, squares_a - 2 * at_a + c, squares_b - 2 * at_b + c


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


def _products(A: Any, of_a: Array, B: Any, of_b: Array, centre: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Return the products of the means with each other, with the centre, and with themselves."""
    a, b = np.maximum(of_a, 1e-9), np.maximum(of_b, 1e-9)
    product = A @ B.T
    dots = np.asarray(product.toarray() if sp.issparse(product) else product, dtype=float) / np.outer(a, b)
    return (
        (dots, np.asarray(A @ centre).ravel() / a, _squares(A) / a**2),
        (np.asarray(B @ centre).ravel() / b, _squares(B) / b**2),
    )


def _squares(X: Any) -> Array:
    return (
        np.asarray(X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)).ravel().astype(float)
    )
