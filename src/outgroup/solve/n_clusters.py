"""Criteria for the number of groups: modularity and description length; and the choice by them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from ..errors import InputError
from ..rows import Neighbours
from ..types import Array

# --- The choice among numbers of groups by the criteria of `ensemble.measure`


@dataclass(frozen=True)
class _Constants:
    """Constants (docs/decisions/0021)."""

    near: float = 0.2  # of a number: the largest distance to a candidate that covers it
    candidates: int = 3
    apart: float = 1.5  # ratio of two candidates: every number between is within `near` of one
    nearest: int = 30  # neighbours of a row in the graph of `graph_quality`, at most
    fewest: int = 5  # and at least
    share: int = 5  # of the rows, at most one in so many: groups of a small collection have few rows


_NUMBERS = _Constants()


def neighbours_of(n: int) -> int:
    """Return the number of neighbours of n rows in the graph of `graph_quality`.

    >>> neighbours_of(3), neighbours_of(40), neighbours_of(1_000)
    (3, 8, 30)
    """
    return min(n, _NUMBERS.nearest, max(_NUMBERS.fewest, n // _NUMBERS.share))


def candidates(ks: Sequence[int], modularities: Sequence[float], bits: Sequence[float]) -> tuple[list[int], int]:
    """Return up to three candidate numbers of groups, ascending, and the chosen one.

    The chosen number has the highest modularity, and the others are those of `around`. If these do not cover the number
    with the most bits, the candidates are the number by modularity, the number by bits, and their geometric mean, which
    is then chosen.

    >>> ks = list(range(2, 41))
    >>> few = [-abs(k - 10) for k in ks]
    >>> candidates(ks, few, few), candidates(ks, few, [-abs(k - 40) for k in ks])
    (([7, 10, 15], 10), ([10, 20, 40], 20))
    """
    near, best = around(ks, modularities)
    finest = ks[int(np.argmax(bits))]
    if finest <= (1 + _NUMBERS.near) * near[-1]:
        return near, best
    between = min(ks, key=lambda k: abs(math.log(k * k / (best * finest))))
    return sorted({best, between, finest}), between


def around(ks: Sequence[int], modularities: Sequence[float]) -> tuple[list[int], int]:
    """Return up to three candidates, ascending, and the number with the highest modularity.

    The others lie below and above it, at a ratio of at most 1.5, so that every number between is within a fifth of a
    candidate; at an end of the range `ks`, both lie on the same side.

    >>> around(range(2, 21), [-abs(k - 10) for k in range(2, 21)]), around([2, 3, 4, 5], [0.4, 0.3, 0.2, 0.1])
    (([7, 10, 15], 10), ([2, 3, 4], 2))
    """
    best = ks[int(np.argmax(modularities))]
    chosen = [best]
    for _ in range(_NUMBERS.candidates - 1):
        if len(chosen) < _NUMBERS.candidates:
            below = [k for k in ks if chosen[0] <= _NUMBERS.apart * k < _NUMBERS.apart * chosen[0]][:1]
            chosen = [*below, *chosen, *[k for k in ks if chosen[-1] < k <= _NUMBERS.apart * chosen[-1]][-1:]]
    return chosen, best


# --- Quality of a partition on the neighbour graph: modularity, which favours few groups, and bits, which favour many
#
# Modularity is the share of the edge weight within groups above the share expected by chance (Newman and Girvan, 2004).
# It does not detect groups that are small relative to the whole (Fortunato and Barthélemy, 2007); the description
# length of the graph does: see `bits_saved`.


def graph_quality(near: Neighbours, labels: Array, k: int) -> tuple[float, float]:
    """Return the modularity of the groups `labels` (n,), and the bits saved per edge; zeros without edges.

    Edges join a row and its neighbours, weighted by cosines; mutual neighbours have two. Modularity is the share of the
    edge weight within groups, minus the expected share in a random graph with the same degrees.

    >>> pairs = Neighbours(np.array([[1], [-1], [3], [-1]]), np.array([[1.0], [0], [1], [0]]), 4)
    >>> graph_quality(pairs, np.array([0, 0, 1, 1]), 2)[0], graph_quality(pairs, np.array([0, 1, 0, 1]), 2)[0]
    (0.5, -0.5)
    """
    source, target, weight = near.edges
    total = float(weight.sum())
    if total <= 0:
        return 0.0, 0.0
    ends = np.concatenate([labels[source], labels[target]])
    within = labels[source] == labels[target]
    volumes = np.bincount(ends, np.tile(weight, 2), k) / (2 * total)
    modularity = float(weight[within].sum() / total - np.square(volumes).sum())
    sizes, degrees = np.bincount(labels, minlength=k), np.bincount(ends, minlength=k)
    return modularity, bits_saved(sizes, degrees, int(within.sum()))


# --- Description length of a graph by its groups: the planted partition of Zhang and Peixoto (2020)
#
# The description states the group of each row, the number of edges within groups, their distribution over the groups,
# the degree of each row, and then which of the remaining graphs it is. At each step all remaining possibilities are
# equally probable, so there is no parameter. Groups that keep edges within shorten the last step, and more groups
# lengthen the first. This is the microcanonical, degree-corrected stochastic block model with equal groups.


def bits_saved(sizes: Array, degrees: Array, within: int) -> float:
    """Return the bits per edge that groups save in the description length; negative if they lengthen it.

    `sizes` (k,) and `degrees` (k,) are the rows and the edges of each group, `within` is the number of edges inside
    groups. Empty groups do not count.

    >>> bits_saved(np.array([50, 50]), np.array([1000, 1000]), 1000) > 0.8
    True
    >>> bits_saved(np.array([50, 50]), np.array([1000, 1000]), 500) < 0
    True
    """
    edges = float(degrees.sum()) / 2
    if not edges:
        return 0.0
    whole = _description(sizes.sum(keepdims=True), degrees.sum(keepdims=True), edges)
    return float((whole - _description(sizes[sizes > 0], degrees[sizes > 0], within)) / (edges * np.log(2)))


def _description(sizes: Array, degrees: Array, within: float) -> float:
    """Return the description length in nats, without terms that do not depend on the partition."""
    groups, between = len(sizes), float(degrees.sum()) / 2 - within
    pairs = groups * (groups - 1) / 2
    length = within * np.log(groups / 2) - _ln_factorial(within) - _ln_factorial(between)
    if groups > 1:
        length += between * np.log(pairs) + np.log(within + between + 1)
    length += np.sum(_ln_factorial(degrees + sizes - 1) - _ln_factorial(sizes - 1))
    return float(length + _partition(sizes))


def _partition(sizes: Array) -> float:
    """Return the description length of the partition: number of groups, sizes, and assignment."""
    n, groups = float(sizes.sum()), len(sizes)
    ways = _ln_factorial(n - 1) - _ln_factorial(groups - 1) - _ln_factorial(n - groups)
    return float(np.log(n) + ways + _ln_factorial(n) - _ln_factorial(sizes).sum())


def _ln_factorial(number: Any) -> Any:
    return gammaln(np.asarray(number) + 1.0)


# --- Feasible numbers of groups: at most the number of different rows


def feasible_numbers(ks: Sequence[int], X: Any) -> list[int]:
    """Return the ascending numbers `ks` up to the number of distinct rows of `X`, which is last if it limits them.

    Raises InputError if none is left.

    >>> feasible_numbers([2, 3, 4, 8], np.eye(3)[[0, 1, 2, 0, 1, 2]]), feasible_numbers([2, 8], np.eye(4))
    ([2, 3], [2, 4])
    """
    different = _different(X, ks[-1])
    if different < ks[0]:
        few = f"only {different} documents are distinct" if different > 1 else "all documents are equal"
        raise InputError(f"{few}, too few for {ks[0]} groups: give at most {different} groups, or other documents")
    return sorted({*(k for k in ks if k <= different), min(ks[-1], different)})


def directions_up_to(most: int, X: Any) -> int:
    """Return the number of unit rows that differ by more than rounding; at most `most`.

    >>> directions_up_to(9, np.array([[0.6, 0.8], [0.6 + 1e-15, 0.8], [1.0, 0.0]]))
    2
    """
    return _different(X, most, 5 if X.dtype == np.float32 else 9)


def _different(X: Any, most: int, digits: int | None = None) -> int:
    """Return the number of distinct rows after rounding to `digits`; at most `most`."""
    seen = set[bytes]()
    for key in row_keys(X, digits):
        seen.add(key)
        if len(seen) == most:
            break
    return len(seen)


def row_keys(X: Any, digits: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of each row, rounded to `digits`; equal rows have equal bytes."""

    def as_bytes(row: Array) -> bytes:
        return bytes((row if digits is None else row.round(digits) + 0.0).tobytes())  # turns -0.0 into 0.0

    if not sp.issparse(X):
        yield from (as_bytes(row) for row in np.asarray(X))
        return
    X = sp.csr_matrix(X)
    for start, end in pairwise(X.indptr):
        yield X.indices[start:end].tobytes() + as_bytes(X.data[start:end])
