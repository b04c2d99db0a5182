"""Groups that start from definitions: the documents near a text are the seeds of its group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..rows import as_rows, unit_rows
from ..solve.neighbour_votes import voted
from ..solve.starts import completed
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


class DefinedStart(NamedTuple):
    """A start by definitions.

    `groups` (l,) are the sorted numbers of the groups that start, and become 0 to l - 1 in `labels` (n,). `uncovered`
    has the rows of each group that no definition covers, the most typical first.
    """

    groups: Array
    labels: Array
    uncovered: list[Array]


def start_by_definitions(X: Any, scores: Array, labels: Array, defined: int, k: int, graph: Any = None) -> DefinedStart:
    """Return a start from the rows near definitions, and from labelled rows.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    scores : (n, defined + r) float
        The similarities of the rows with the definitions of the first groups, then with r texts that define no group.
    labels : (n,) whole numbers
        The group of each labelled row, -1 for the others.
    defined : int
    k : int
        Number of groups. Those without a definition start from the rows that the definitions cover least.
    graph : CSR matrix of shape (n, n), default None
        The neighbour graph of the rows: neighbours then vote on the start.

    Notes
    -----
    A group without a near or a labelled row does not start. Rows without a group join the nearest mean of the others.

    Examples
    --------
    >>> X = np.eye(3)[[0, 0, 1, 1, 2]]
    >>> start_by_definitions(X, X[:, :2], np.full(5, -1), 2, 3).labels.tolist()
    [0, 0, 1, 1, 2]
    """
    groups = np.where(labels >= 0, labels, near_definitions(scores, defined))
    free, count = _least_covered(X, groups, k)
    more = range(defined if (groups >= 0).any() else 0, k)
    for group, rows in zip(more, free, strict=False):
        groups[rows] = group
    present = np.unique(groups[groups >= 0])
    start = np.where(groups >= 0, np.searchsorted(present, groups), -1)
    # Directions of centred rows would put most rows of a large group into small ones.
    unit = unit_rows(as_rows(X))
    start = completed(unit, start, len(present))
    if graph is not None:
        start = voted(start, unit, graph)
    return DefinedStart(present, start, free[len(more) : count])


def near_definitions(scores: Array, k: int) -> Array:
    """Return the group of each row that seeds one, (n,) int; -1 for the others.

    The margin of a row is its highest similarity minus the second, where 0 is that with nothing. Seeds are the half of
    the rows with the widest margins, and the three widest of each group. A group that is best for fewer rows than a
    sixteenth of the mean number has none: so many are nearest to any text by chance.

    >>> near_definitions(np.array([[0.9, 0.1], [0.8, 0.1], [0.4, 0.3], [0.0, 0.0]]), 2).tolist()
    [0, 0, 0, -1]
    """
    every = np.column_stack([scores, np.zeros(len(scores))])
    best = every.argmax(axis=1)
    first, second = np.sort(every, axis=1)[:, :-3:-1].T
    margin = np.where(best < k, first - second, 0.0)
    near = margin >= max(np.quantile(margin, 1 - _DEFINITIONS.seeds), np.finfo(float).tiny)
    counts = np.bincount(best, minlength=k)[:k]
    for group in range(k):
        own = np.flatnonzero((best == group) & (margin > 0))
        near[own[np.argsort(-margin[own], kind="stable")[: _DEFINITIONS.least]]] = True
        near[own] &= counts[group] >= _DEFINITIONS.chance * counts.mean()
    return np.where(near, best, -1)


def _least_covered(X: Any, seeds: Array, k: int) -> tuple[list[Array], int]:
    """Return the rows without a seed by groups of spherical k-means, the least covered group first, and the number of
    groups that no definition covers.

    A definition covers a group if an eighth of its rows are seeds: a quarter of the share in the collection.
    """
    n = len(seeds)
    count = min(n, max(k, min(_DEFINITIONS.groups, n // _DEFINITIONS.fewest)))
    groups = SphericalKMeans(count, n_init=1, random_state=0).fit(X)
    cosines, parts = groups.decision_function(X), []
    for group in range(count):
        inside = groups.labels_ == group
        free = np.flatnonzero(inside & (seeds < 0))
        if len(free):
            share = 1 - len(free) / np.count_nonzero(inside)
            covered = share >= _DEFINITIONS.uncovered or len(free) < _DEFINITIONS.fewest
            parts.append((covered, share, free[np.argsort(-cosines[free, group], kind="stable")]))
    parts.sort(key=lambda part: part[:2])
    return [rows for _, _, rows in parts], sum(not covered for covered, _, _ in parts)
