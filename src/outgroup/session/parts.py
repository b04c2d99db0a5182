"""Parts of groups that may belong to another: documents alike that lie nearer to another group than to their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..cluster.spherical import SphericalKMeans
from ..types import Array
from .near import centred_cosines, sums

_OF_A_PART = 25  # documents, about
_SAMPLE = 300  # documents of a group, evenly drawn, that its parts are found by
_CHANGED = 0.1  # of a group may be others before its parts are found again


@dataclass(frozen=True)
class Part:
    """Documents alike within a group: `rows` of the sample, the most typical `row` of them, and their `group`.

    `rival` is the other group that they are nearest to, by number, and `margin` how much nearer their own group is
    without them, as a difference of cosines: below zero they are nearer to the rival.
    """

    rows: Array
    row: int
    group: int
    rival: int
    margin: float


class Parts:
    """Finds the parts of groups; those of a group stay until a tenth of it has changed.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), [60, 60, 40], axis=0)
    >>> first = Parts().order(X, np.repeat([0, 1, 2], [60, 40, 60]), [0, 1, 2])[0]
    >>> first.group, first.rival, first.row
    (2, 1, 100)
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Array, list[Array]]] = {}

    def order(self, X: Any, labels: Array, numbers: list[int]) -> list[Part]:
        """Return the parts of all groups, those that look least like their group first.

        `X` (m, d) are unit rows and `labels` (m,) the numbers of their groups. A part is compared with its own group
        without it and with the other groups, as they are seen from the mean of all rows.
        """
        found = [(rows, number) for number in numbers for rows in self._of(X, np.flatnonzero(labels == number), number)]
        return _judged(X, labels, numbers, found) if found and len(numbers) > 1 else []

    def _of(self, X: Any, members: Array, number: int) -> list[Array]:
        before, parts = self._known.get(number, (members[:0], []))
        if len(np.setxor1d(members, before, assume_unique=True)) > _CHANGED * len(members):
            parts = _parts(X, members[np.linspace(0, len(members) - 1, min(len(members), _SAMPLE)).astype(int)])
            self._known[number] = (members, parts)
        return parts


def _parts(X: Any, rows: Array) -> list[Array]:
    """Return the parts of a group: none where there are not two, since nothing then lies apart from the rest of it."""
    count = round(len(rows) / _OF_A_PART)
    if count < 2:
        return []
    labels = SphericalKMeans(count, n_init=1, local_search=None, random_state=0).fit(X[rows]).labels_
    found = [rows[labels == part] for part in np.unique(labels)]
    return found if len(found) > 1 else []


def _judged(X: Any, labels: Array, numbers: list[int], found: list[tuple[Array, int]]) -> list[Part]:
    """Return each part with its margin, the smallest first."""
    place = {number: g for g, number in enumerate(numbers)}
    whole, sizes = sums(X, [np.flatnonzero(labels == number) for number in numbers])
    pieces, counts = sums(X, [rows for rows, _ in found])
    own = np.array([place[number] for _, number in found])
    drawn = np.array([min(1.0, _SAMPLE / max(sizes[g], 1)) for g in own])  # the sample stands for the whole group
    centre = np.asarray(X.mean(axis=0)).ravel()
    cosines = centred_cosines(pieces, counts, whole, sizes, centre)
    left = whole[own] - _scaled(pieces, 1 / drawn)
    remaining = sizes[own] - counts / drawn
    apart = np.array([
        centred_cosines(pieces[i : i + 1], counts[i : i + 1], left[i : i + 1], remaining[i : i + 1], centre)[0, 0]
        for i in range(len(found))
    ])  # fmt: skip
    cosines[np.arange(len(found)), own] = -np.inf
    rival = cosines.argmax(axis=1)
    margin = apart - cosines.max(axis=1)
    parts = [
        Part(rows, _typical(X, rows), number, numbers[rival[i]], float(margin[i]))
        for i, (rows, number) in enumerate(found)
    ]
    return sorted(parts, key=lambda part: part.margin)


def _scaled(X: Any, by: Array) -> Any:
    return sp.diags(by) @ X if sp.issparse(X) else by[:, None] * X


def _typical(X: Any, rows: Array) -> int:
    """Return the row most like all of them; of equal ones the first."""
    whole = np.asarray(X[rows].sum(axis=0)).ravel()
    return int(rows[np.asarray(X[rows] @ whole).ravel().argmax()])
