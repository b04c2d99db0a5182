"""A tree of the groups: which two would merge next, and which would split next, by what the coherence loses or gains.

The coherence of a partition is the sum of the lengths of its groups' sums of unit rows, the objective of spherical
k-means (Dhillon and Modha, 2001). Merging a and b costs |s_a| + |s_b| - |s_a + s_b|; splitting a group gains the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...types import Array
from ..facts import GroupSplit, Merging
from ..row_wise import of_unit_length
from .cheapest_pairs import Pairs
from .grouped import Grouped

_ROUNDS = 6  # of k-means in a split
_POWERS = 8  # of the rows' products that find the direction
_WORDS = 4  # words of each half
_BLOCK = 256  # groups whose products with all others are made at once

Halves = dict[bytes, tuple[float, list[int], list[list[str]]] | None]
"""Of groups, by the content of their rows: the gain of a split, the sizes of the halves and their words; None: none."""


def merges(grouped: Grouped, numbers: Sequence[int] | None = None) -> list[Merging]:
    """Return the k - 1 merges of k groups, cheapest first; merge t makes the node k + t. Empty groups merge first.

    The rows are of unit length. A loss is a share of the coherence of the k groups. `numbers` are the groups that there
    are, of which one fewer merge; None: all.

    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]])
    >>> [(each.a, each.b) for each in merges(Grouped(X, np.arange(3), 3))]
    [(1, 2), (0, 3)]
    """
    k = grouped.k
    nodes = list(range(k) if numbers is None else numbers)
    pairs = Pairs(_gram(grouped.sums[nodes]))
    whole, found = float(pairs.lengths.sum()) or 1.0, list[Merging]()
    for step in range(len(nodes) - 1):
        i, j, loss = pairs.cheapest()
        found.append(Merging(nodes[i], nodes[j], round(max(loss, 0.0) / whole, 6)))
        pairs.join(i, j)
        nodes[i] = k + step
    return found


def _gram(sums: Any) -> Array:
    gram = np.empty((sums.shape[0], sums.shape[0]))
    for start in range(0, len(gram), _BLOCK):
        gram[start : start + _BLOCK] = (sums[start : start + _BLOCK] @ sums.T).toarray()
    return gram


def splits(grouped: Grouped, names: Any, known: Halves | None = None) -> list[GroupSplit]:
    """Return how each group with two different documents would split, the most gain first.

    Two halves grow by k-means from the two sides of the centre in the direction in which rows vary most: single
    documents, such as the farthest ones, are poor beginnings. A gain is a share of the coherence of all; `names` are
    the V words. What is `known` of equal rows is not found again.
    """
    known, X, groups, k = {} if known is None else known, grouped.X, grouped.groups, grouped.k
    whole = float(np.sqrt(grouped.sums.power(2).sum(axis=1)).sum()) or 1.0
    order = np.argsort(groups, kind="stable")
    edges = np.searchsorted(groups[order], np.arange(k + 1))
    found = []
    for g in range(k):
        part = X[order[edges[g] : edges[g + 1]]]
        key = _content(part)
        if key not in known:
            known[key] = _split(part, names)
        if (halves := known[key]) is not None:
            gain, sizes, words = halves
            found.append(GroupSplit(g, round(gain / whole, 6), sizes, words))
    return sorted(found, key=lambda each: -each.gain)


def _content(X: Any) -> bytes:
    return blake2b(X.indptr.tobytes() + X.indices.tobytes() + X.data.tobytes(), digest_size=16).digest()


def _split(X: Any, names: Any) -> tuple[float, list[int], list[list[str]]] | None:
    """Return the gain of the halves of some rows, their sizes and their words, or None where there are none."""
    if X.shape[0] < 2:
        return None
    X, used = _own_columns(X)
    centre = np.asarray(X.sum(axis=0)).ravel()
    half = _two_means(X, _sums_of_halves(X, _side(X, centre / X.shape[0])))
    if not 0 < half.sum() < len(half):
        return None
    sums = _sums_of_halves(X, half)
    gain = float(np.linalg.norm(sums, axis=1).sum() - np.linalg.norm(centre))
    apart = _mean_directions(sums)
    words = [[str(names[used[w]]) for w in np.argsort(-side, kind="stable")[:_WORDS]] for side in (apart, -apart)]
    sizes = np.bincount(half, minlength=2).tolist()
    return gain, sizes, words


def _own_columns(X: Any) -> tuple[Any, Array]:
    """Return CSR rows without the columns that none of them has, and the columns that are left: a group has few."""
    there = np.bincount(X.indices, minlength=X.shape[1]) > 0
    used, place = np.flatnonzero(there), np.cumsum(there) - 1
    return sp.csr_matrix((X.data, place[X.indices], X.indptr), shape=(X.shape[0], len(used))), used


def _side(X: Any, mean: Array) -> Array:
    """Return on which side of the mean each row lies in about the direction in which rows vary most, 0 or 1, (n,)."""
    along = X @ X[int((X @ mean).argmin())].toarray().ravel()
    for _ in range(_POWERS):
        along = along - along.mean()
        direction = X.T @ (along / (np.linalg.norm(along) or 1.0))
        along = X @ direction - mean @ direction
    return (along > 0).astype(int)


def _two_means(X: Any, centres: Array) -> Array:
    half = np.zeros(X.shape[0], dtype=int)
    for _ in range(_ROUNDS):
        half = (X @ of_unit_length(centres).T).argmax(axis=1)
        centres = _sums_of_halves(X, half)
    return np.asarray(half)


def _mean_directions(sums: Array) -> Array:
    centres = of_unit_length(sums)
    return np.asarray(centres[0] - centres[1])


def _sums_of_halves(X: Any, half: Array) -> Array:
    return np.asarray((X.T @ np.eye(2)[half]).T)
