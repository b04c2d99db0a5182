"""The words behind a result: what sets a group apart, and what put a document in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .facts import Weighted
from .groups.grouped import Grouped


def distinctive(grouped: Grouped, coef: Array, names: Sequence[str], count: int) -> list[list[Weighted]]:
    """Each group's words by how far they set its documents apart.

    A word's weight is (mean tf-idf in the group - mean outside) * (the group's coefficient - the mean of the others'):
    the push that it gives this group's documents, and not the others, towards this group. Scaled to 1 for the first.
    """
    sums, n, sizes = grouped.sums, len(grouped.groups), np.bincount(grouped.groups, minlength=len(coef))
    everything, all_coef = np.asarray(sums.sum(axis=0)).ravel(), coef.sum(axis=0)
    found = []
    for c in range(len(coef)):
        inside = sums[c].toarray().ravel()
        lift = inside / max(sizes[c], 1) - (everything - inside) / max(n - sizes[c], 1)
        drive = coef[c] - (all_coef - coef[c]) / max(len(coef) - 1, 1)
        found.append(top_words(_distinction(lift, drive), names, count, scale=True))
    return found


def group_name(given: str | None, words: Sequence[Weighted], number: int) -> str:
    """Return what a group is called: as a person said, else by its first words, else by its number.

    >>> group_name(None, [("tea", 1.0), ("milk", 0.5)], 3), group_name(None, [], 3), group_name("drinks", [], 3)
    ('tea, milk', 'group 3', 'drinks')
    """
    return ", ".join(word for word, _ in words[:3]) or f"group {number}" if given is None else str(given)


def _distinction(lift: Array, drive: Array) -> Array:
    lift = np.maximum(lift, 0.0)
    both = lift * np.maximum(drive, 0.0)
    return both if both.any() else lift  # directions of zeros tell nothing: the documents still do


def top_words(weights: Array, names: Sequence[str], count: int, scale: bool = False) -> list[Weighted]:
    """The `count` words of largest positive weight, largest first; scaled to 1 for the first one if asked."""
    positive = np.flatnonzero(weights > 0)
    if len(positive) > count > 0:  # the rest need not be sorted
        least = np.partition(weights[positive], -count)[-count]
        positive = positive[weights[positive] >= least]
    best = positive[np.argsort(-weights[positive], kind="stable")[:count]]
    unit = float(weights[best[0]]) if scale and len(best) else 1.0
    return [(str(names[w]), round(float(weights[w]) / unit, 6)) for w in best]


def contributions(x: Any, own: Array, rival: Array | float, names: Sequence[str], count: int) -> list[Weighted]:
    """The words of one document (a CSR row) that raise `x . own` above `x . rival` most, with what each adds."""
    columns = x.indices
    difference = own[columns] - (rival if isinstance(rival, float) else rival[columns])
    return top_words(x.data * difference, [names[c] for c in columns], count)


def pulled_out(
    X: Any, coef: Array, intercept: Array, k: int, names: Sequence[str], count: int
) -> list[list[Weighted]]:  # fmt: skip
    """For each row of `X` (m, V), the words that raise "none of these" most above the best group, with what each adds.

    `coef` (k + j, V) and `intercept` (k + j,) have the `k` groups first, then the kinds of "none of these": a row's is
    the best of them.
    """
    X = sp.csr_matrix(X)
    pairs = zip(*(best.tolist() for best in kind_and_group(X, coef, intercept, k)), strict=True)
    return [contributions(X[i], coef[kind], coef[group], names, count) for i, (kind, group) in enumerate(pairs)]


def kind_and_group(X: Any, coef: Array, intercept: Array, k: int) -> tuple[Array, Array]:
    """Return the best kind of "none of these" and the best group of each row of `X` (m, V), rows of `coef`, (m,) each.

    >>> kind_and_group(np.array([[1.0, 2.0]]), np.array([[1.0, 0], [0, 1], [0, 2], [1, 0]]), np.zeros(4), 2)
    (array([2]), array([1]))
    """
    scores = np.asarray(X @ coef.T + intercept)
    return k + scores[:, k:].argmax(axis=1), scores[:, :k].argmax(axis=1)
