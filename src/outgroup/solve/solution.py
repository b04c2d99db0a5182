"""A solver's result: the solution and its certificate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..rows.blocks import group_sizes
from ..types import Array


@dataclass(frozen=True)
class Fit:
    """A clustering with its certificate.

    `weights` (k, d) and `labels` (n,) int32 are the solution, `objective` its value J. `lower_bound` bounds the last
    convex subproblem from below (not J itself, which is not convex). `trace` has one plain dictionary a step.
    """

    weights: Array
    labels: Array
    objective: float
    lower_bound: float
    trace: list[dict[str, Any]] = field(default_factory=list)

    @property
    def empty(self) -> int:
        """The number of clusters without rows."""
        return len(self.weights) - filled(self.labels)

    @property
    def n_iter(self) -> int:
        """Number of steps."""
        return len(self.trace)


def filled(labels: Array) -> int:
    """Return the number of nonempty groups."""
    return int(np.count_nonzero(group_sizes(labels)))


def by_size(fit: Fit, k: int, sample: Array | None = None) -> Fit:
    """Renumber clusters by size, or by total weight `sample` (n,), the largest first; ties by first row.

    The numbers in the start cannot break ties, since rounding chooses between equal starts.
    """
    first = np.full(k, len(fit.labels))
    np.minimum.at(first, fit.labels, np.arange(len(fit.labels)))
    sizes = group_sizes(fit.labels, k) if sample is None else np.bincount(fit.labels, sample, k)
    order = np.lexsort((first, -sizes))
    rank = np.empty(k, dtype=np.int32)
    rank[order] = np.arange(k)
    return replace(fit, weights=fit.weights[order], labels=rank[fit.labels])


def vanished(before: Array, after: Array) -> int:
    """Return how many fewer nonempty groups the second partition has."""
    return filled(before) - filled(after)


def lost_groups(before: Array, after: Array) -> int:
    """Return how many groups the second partition lost: they are empty, a third of their rows left, or a third of the
    largest group's rows came from other groups.

    Groups left by rows count if they are more than a tenth of the groups; fewer may be a refinement. The largest group
    counts if it is larger than any group was.

    >>> lost_groups(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 0, 1]))
    1
    """
    k = 1 + int(max(before.max(), after.max()))
    sizes, grown = group_sizes(before, k), group_sizes(after, k)
    stayed = group_sizes(before, k, on=before == after)
    left = int(np.count_nonzero(stayed < 2 / 3 * sizes))  # in a good linear fit four fifths and more stay
    largest = int(grown.argmax())
    overgrown = grown[largest] > sizes.max() and stayed[largest] < 2 / 3 * grown[largest]
    return max(vanished(before, after), int(overgrown), left if left > 0.1 * np.count_nonzero(sizes) else 0)
