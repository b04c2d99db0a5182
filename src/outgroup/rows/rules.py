"""Rules that several algorithms use, and the folds made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .arrays import argmax, like, namespace
from .blocks import few_rows
from .seam import OneHot, Rows


def all_scores(scores: Array) -> Array:
    """Map each row to its scores, (n, c)."""
    return scores


def first_column(scores: Array) -> Array:
    """Map each row to its first score, (n,)."""
    return scores[:, 0]


def correlated(rows: Rows, x: Any) -> Array:
    """Return the product of each row with one, (n,), or with each of several, (n, m), by a pass over the rows."""
    x = few_rows(x, rows.shape[1])
    return np.asarray(rows.map(x, first_column if len(x) == 1 else all_scores))


def as_given(_: None, coefficients: Array) -> tuple[Array, float]:
    """Fold the rows by coefficients (n, c) that are known."""
    return coefficients, 0.0


def highest_score(scores: Array) -> Array:
    """Map each row to its highest score, (n,)."""
    highest: Array = namespace(scores).max(scores, axis=1)
    return highest


@dataclass(frozen=True)
class HighestColumn:
    """Map each row to the column of its highest score, (n,) int32; `shift` (c,), if given, is added first."""

    shift: Array | None = None

    def __call__(self, scores: Array) -> Array:
        return argmax(scores if self.shift is None else scores + like(self.shift, scores))


@dataclass(frozen=True)
class Plus:
    """Map each row to its scores plus `shift` (c,), in the dtype of the scores."""

    shift: Array

    def __call__(self, scores: Array) -> Array:
        return scores + like(self.shift, scores)


@dataclass(frozen=True)
class Members:
    """Fold the rows of each of `k` clusters: a row is in the cluster that its label says, in none for -1.

    A row counts as often as its weight says, if weights are given after the labels.
    """

    k: int

    def __call__(self, scores: Any, labels: Array, *weights: Array) -> tuple[OneHot, float]:
        return OneHot(labels, self.k, *weights), 0.0


def cluster_sums(rows: Rows, labels: Array, k: int, on: Array | None = None, *, weights: Array | None = None) -> Array:
    """Return the sum of the rows of each of `k` clusters.

    Parameters
    ----------
    rows : Rows
    labels : (n,) whole numbers
        The cluster of each row, -1 for none.
    k : int
    on : (m,) increasing row numbers, default None
        The rows to add up; None: all.
    weights : (n,) numbers, default None
        What to multiply the rows by; None: 1.

    Returns
    -------
    (k, d) float64 array

    Examples
    --------
    >>> from outgroup.rows import as_rows
    >>> cluster_sums(as_rows([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 1, 0]), 2).tolist()
    [[4.0, 0.0], [0.0, 2.0]]
    """
    each = (labels,) if weights is None else (labels, weights)
    return rows.fold(None, Members(k), *each, on=on)[0]


def highest(rows: Rows, W: Array, shift: Array | None = None) -> Array:
    """Return the column of each row's highest score `X W^T + shift`.

    Parameters
    ----------
    rows : Rows
    W : (c, d) array
    shift : (c,) array, default None

    Returns
    -------
    (n,) int32 array
        Ties go to the lower number.
    """
    return np.asarray(rows.map(W, HighestColumn(shift)))
