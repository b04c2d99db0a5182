"""Oracles that stand in for a user: documents by their class, words by chi-squared (dual supervision, section 3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def documents(y: Array, per_class: int, rng: np.random.Generator) -> Array:
    """Return the class of `per_class` documents of each class, drawn at random, and -1 for the others: (n,) int32."""
    seeds = np.full(len(y), -1, dtype=np.int32)
    for label in range(int(y.max()) + 1):
        members = rng.permutation(np.flatnonzero(y == label))
        seeds[members[:per_class]] = label
    return seeds


def words(X: Any, y: Array, seeds: Array, *, top: int = 100) -> Array:
    """Return which word is labelled for which class, (k, V) bool.

    A word is labelled when it occurs in a labelled document and its chi-squared with the classes is at least the mean
    of the `top` k highest: for the class with most documents that have it, and any other with at least half as many.
    One for all classes tells nothing and is left out.
    """
    present = (X != 0).astype(np.float64)
    table = _table(present, y)
    worth = chi_squared(table, np.bincount(y))
    threshold = np.sort(worth)[::-1][: top * table.shape[1]].mean()
    seen = np.asarray(present[seeds >= 0].sum(axis=0)).ravel() > 0
    labelled = (table >= 0.5 * table.max(axis=1, keepdims=True)) & ((worth >= threshold) & seen)[:, None]
    labelled[labelled.all(axis=1)] = False
    return np.ascontiguousarray(labelled.T)


def chi_squared(table: Array, sizes: Array) -> Array:
    """Return the chi-squared of each word with the classes, (V,), from the documents of each class with it (V, k)."""
    n = sizes.sum()
    share = table.sum(axis=1, keepdims=True) / n
    expected, expected_not = share * sizes, (1 - share) * sizes
    squares = (table - expected) ** 2
    parts = _over(squares, expected) + _over(squares, expected_not)
    return np.asarray(parts.sum(axis=1))


def _over(a: Array, b: Array) -> Array:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _table(present: Any, y: Array) -> Array:
    return np.asarray(present.T @ np.eye(int(y.max()) + 1)[y])
