"""Groups that look like two: those whose halves are large and lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...cluster.quiet import fitted
from ...cluster.spherical import SphericalKMeans
from ...stopping import stop_if_asked
from ...types import Array
from ..cosines import centred_cosines, sums

_LEAST = 8  # documents of a group that may be worth dividing
_SAMPLE = 300  # documents of a group, evenly drawn, by which its halves are judged
_ROUNDING = 1e-6  # one minus a cosine that is one
_CHANGED = 0.1  # of a group may be others before it is judged again


class MixedGroups:
    """Tells which groups look like two; what it found of a group stays until a tenth of it has changed.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 10, axis=0)
    >>> MixedGroups().order(X, np.repeat([0, 0, 1], 10), [0, 1])
    [0]
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Array, float]] = {}

    def order(self, X: Any, labels: Array, numbers: list[int], documents: Array | None = None) -> list[int]:
        """Return the groups that look like two, the most worth asking about first.

        `X` (m, d) are unit rows, `labels` (m,) their groups, and `documents` (m,) rising numbers by which rows are
        known again the next time, when some may be gone and others back; 0 to m - 1 by default. A group's worth is the
        number of documents of its smaller half times the distance of the directions in which the halves lie, seen from
        the mean of all rows.
        """
        mean = np.asarray(X.mean(axis=0)).ravel()
        known = np.arange(len(labels)) if documents is None else documents
        worth = {number: self._worth(X, np.flatnonzero(labels == number), number, mean, known) for number in numbers}
        return sorted((number for number in numbers if worth[number] > 0), key=lambda number: -worth[number])

    def _worth(self, X: Any, members: Array, number: int, mean: Array, documents: Array) -> float:
        stop_if_asked()
        if len(members) < _LEAST:
            return 0.0
        before, share = self._known.get(number, (documents[:0], 0.0))
        if len(np.setxor1d(documents[members], before, assume_unique=True)) > _CHANGED * len(members):
            share = _smaller(X[members[np.linspace(0, len(members) - 1, min(len(members), _SAMPLE)).astype(int)]], mean)
            self._known[number] = (documents[members], share)
        return share * len(members)


def _smaller(X: Any, mean: Array) -> float:
    """Return the share of the smaller half times the distance of the halves' directions as seen from `mean` (d,)."""
    halves = np.asarray(fitted(SphericalKMeans(2, n_init=1, random_state=0), X).labels_)
    both, sizes = sums(X, [np.flatnonzero(halves == half) for half in (0, 1)])
    if not sizes.min():
        return 0.0
    apart = 1.0 - centred_cosines(both[:1], sizes[:1], both[1:], sizes[1:], mean)[0, 0]
    return float(sizes.min() / sizes.sum() * np.sqrt(2.0 * apart)) if apart > _ROUNDING else 0.0
