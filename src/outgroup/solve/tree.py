"""The tree over and under a partition: the cheapest merges of its groups, and their best splits.

The coherence of a partition is the sum of the lengths of its groups' sums of unit rows, the objective of spherical
k-means (Dhillon and Modha, 2001). Merging a and b costs |s_a| + |s_b| - |s_a + s_b|; splitting a group gains the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows.blocks import even_spans
from ..stopping import stop_if_asked
from ..types import Array
from .local_search import LEAST_GAIN
from .refinement import losses_of, merge_losses, split_groups

_AT_ONCE = 256  # groups in a block of products


def merges(sums: Any) -> list[tuple[int, int, float]]:
    """Return the k - 1 merges of k sums of rows, CSR (k, V), cheapest first: two nodes and the loss.

    Merge t makes node k + t.

    >>> [(a, b) for a, b, _ in merges(sp.csr_matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]]))]
    [(1, 2), (0, 3)]
    """
    k, tree = sums.shape[0], list[tuple[int, int, float]]()
    if not k:
        return tree
    gram = np.vstack([sums[span].toarray() @ sums.T for span in even_spans(0, k, -(-k // _AT_ONCE))])
    losses, nodes, present = merge_losses(gram), np.arange(k), np.ones(k, dtype=bool)
    partner, lowest = losses.argmin(axis=1), losses.min(axis=1)  # among later sums
    for node in range(k, 2 * k - 1):
        i = int(lowest.argmin())
        j = int(partner[i])
        tree.append((int(nodes[i]), int(nodes[j]), max(float(lowest[i]), 0.0)))
        # Sum j joins i: the products and losses of i change.
        nodes[i], present[j], row = node, False, gram[i] + gram[j]
        row[i] += row[j]
        gram[i] = gram[:, i] = row
        losses[j] = losses[:, j] = np.inf
        fresh = np.where(present, losses_of(gram, i), np.inf)
        losses[i, i + 1 :], losses[:i, i] = fresh[i + 1 :], fresh[:i]
        # Only sums that lost their partner, or for which i is cheaper, search again: k^2 steps in all, not k^3.
        stale = present & (np.isin(partner, (i, j)) | (losses[:, i] <= lowest))
        stale[[i, j]] = True
        partner[stale], lowest[stale] = losses[stale].argmin(axis=1), losses[stale].min(axis=1)
    return tree


def cut(tree: Array, k: int, count: int) -> Array:
    """Cut the tree into at most `count` branches; return for each of `k` leaves the lowest leaf of its branch, (k,).

    Row t of `tree` begins with the nodes of merge t, as in SciPy's linkage matrix.

    >>> cut(np.array([[1.0, 2.0, 0.1, 2.0], [0.0, 3.0, 0.2, 3.0]]), 3, 2).tolist()
    [0, 1, 1]
    """
    branch, members = np.arange(k), {leaf: [leaf] for leaf in range(k)}
    for step, (a, b) in enumerate(np.asarray(tree)[: max(0, k - count), :2].astype(int).tolist()):
        members[k + step] = members.pop(a) + members.pop(b)
        branch[members[k + step]] = min(members[k + step])
    return branch


@dataclass(frozen=True)
class Bisection:
    """The halves of a group: the gain of coherence, and the mask of the smaller half over its rows, bool."""

    gain: float
    second: Array


def halves(X: Any) -> Bisection | None:
    """Return the best split in two of unit rows, (n, V), found as in `refinement`; None if all rows are equal.

    >>> halves(sp.csr_matrix([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])).second.tolist()
    [False, False, True]
    """
    [split] = split_groups(sp.csr_matrix(X), [np.arange(X.shape[0])], np.random.default_rng(0))
    return Bisection(split.gain, smaller(split.right)) if split.gain > LEAST_GAIN else None


def smaller(half: Array) -> Array:
    """Return the mask of the smaller half, of 0 or 1 for each row; of equal halves the one without the first row.

    >>> smaller(np.array([1, 1, 0])).tolist(), smaller(np.array([1, 0])).tolist()
    ([False, False, True], [False, True])
    """
    ones = int(np.count_nonzero(half))
    if 2 * ones == len(half):
        return np.asarray(half != half[0])
    return np.asarray(half == (1 if 2 * ones < len(half) else 0))


def splits(
    labels: Array, k: int, count: int, halve: Callable[[Array], Bisection | None]
) -> Iterator[tuple[int, Array, float]]:
    """Yield the best splits of k groups, one after the other, up to `count` groups: a group, rows and the gain.

    `labels` (n,) are 0 to k - 1, -1 for none; `halve` takes the rows of a group, such as `halves` of them. The rows
    become group k, then k + 1 and so on. There are fewer splits if groups of equal rows remain.
    """
    labels, best, changed = np.array(labels), dict[int, Bisection](), list(range(k))
    for new in range(k, count):
        for g in changed:
            stop_if_asked()
            if (bisection := halve(np.flatnonzero(labels == g))) is not None:
                best[g] = bisection
        if not best:
            return
        group = max(sorted(best), key=lambda g: best[g].gain)
        split = best.pop(group)
        moved = np.flatnonzero(labels == group)[split.second]
        labels[moved] = new
        changed = [group, new]
        yield group, moved, split.gain
