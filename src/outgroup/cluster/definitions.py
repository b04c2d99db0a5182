"""Groups that start from definitions: the documents near a text are the seeds of its group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .spherical import SphericalKMeans


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench codebook` on banking77, 20 Newsgroups, WebKB and Reuters."""

    seeds: float = 0.5  # share of the documents: a quarter is worse on three collections of four
    least: int = 3  # seeds of a group, if so many documents are nearest to it
    chance: float = 1 / 16  # of the mean number of documents nearest to a group: fewer are so by chance
    groups: int = 8  # found without the definitions, at least
    uncovered: float = 0.125  # share of seeds among the documents of a group, below which no definition covers it
    fewest: int = 6  # documents of such a group


_DEFINITIONS = _Constants()


def near_definitions(scores: Array, k: int) -> Array:
    """Return the groups of the documents that seed one, (n,) int32; -1 for the others.

    Parameters
    ----------
    scores : (n, k + r) float
        The similarities of the documents with the definitions of k groups, then with r texts that define no group.
    k : int

    Notes
    -----
    The margin of a document is its highest similarity minus the second, where 0 is that with nothing. Seeds are the
    half of the documents with the widest margins, and the three widest of each group. A group that is best for fewer
    documents than a sixteenth of the mean number has none: so many are nearest to any text by chance.

    Examples
    --------
    >>> near_definitions(np.array([[0.9, 0.1], [0.8, 0.1], [0.4, 0.3], [0.0, 0.0]]), 2).tolist()
    [0, 0, 0, -1]
    """
    similarities = np.column_stack([scores, np.zeros(len(scores))])
    best = similarities.argmax(axis=1)
    first, second = np.sort(similarities, axis=1)[:, :-3:-1].T
    margin = np.where(best < k, first - second, 0.0)
    near = margin >= max(np.quantile(margin, 1 - _DEFINITIONS.seeds), np.finfo(float).tiny)
    counts = np.bincount(best, minlength=k)[:k]
    for group in range(k):
        members = np.flatnonzero((best == group) & (margin > 0))
        near[members[np.argsort(-margin[members], kind="stable")[: _DEFINITIONS.least]]] = True
        near[members] &= counts[group] >= _DEFINITIONS.chance * counts.mean()
    return np.where(near, best, -1)


def uncovered(X: Any, seeds: Array, k: int, random_state: int) -> tuple[list[Array], int]:
    """Return groups of the documents without seeds, the least covered first, and how many of them no definition covers.

    The most typical rows of a group are the first.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    seeds : (n,) whole numbers
        The groups of the seeds, -1 for the others.
    k : int
        Number of groups of the fit.
    random_state : int

    Notes
    -----
    The groups are those of spherical k-means, without the seeds. A definition covers a group if an eighth of its
    documents are seeds: a quarter of the share in the collection.
    """
    n = len(seeds)
    count = min(n, max(k, min(_DEFINITIONS.groups, n // _DEFINITIONS.fewest)))
    groups = SphericalKMeans(count, n_init=1, random_state=random_state).fit(X)
    cosines, groups_of_rest = groups.decision_function(X), []
    for group in range(count):
        inside = groups.labels_ == group
        free = np.flatnonzero(inside & (seeds < 0))
        if len(free):
            share = 1 - len(free) / np.count_nonzero(inside)
            covered = share >= _DEFINITIONS.uncovered or len(free) < _DEFINITIONS.fewest
            groups_of_rest.append((covered, share, free[np.argsort(-cosines[free, group], kind="stable")]))
    groups_of_rest.sort(key=lambda entry: entry[:2])
    return [rows for _, _, rows in groups_of_rest], sum(not covered for covered, _, _ in groups_of_rest)
