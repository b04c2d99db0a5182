"""Parts of groups that may belong to another: documents alike that lie nearer to another group than to their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cluster.quiet import fitted
from ...cluster.spherical import SphericalKMeans
from ...stopping import stop_if_asked
from ...types import Array
from ..cosines import centred_products, cosine, sums

_OF_A_PART = 25  # documents, about
_SAMPLE = 300  # documents of a group, evenly drawn, that its parts are found by
_CHANGED = 0.1  # of a group may be others before its parts are found again
_DIGITS = 6  # of a score or margin; values that agree in them are a tie, and the first row comes first


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


class MisplacedParts:
    """Finds the parts of groups; those of a group stay until a tenth of it has changed.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), [60, 60, 40], axis=0)
    >>> first = MisplacedParts().order(X, np.repeat([0, 1, 2], [60, 40, 60]), [0, 1, 2])[0]
    >>> first.group, first.rival, first.row
    (2, 1, 100)
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Array, list[Array]]] = {}

    def order(self, X: Any, labels: Array, numbers: list[int], documents: Array | None = None) -> list[Part]:
        """Return the parts of all groups, those that look least like their group first.

        `X` (m, d) are unit rows, `labels` (m,) the numbers of their groups, and `documents` (m,) rising numbers by
        which rows are known again the next time, when some may be gone and others back; 0 to m - 1 by default. A part
        is compared with its own group without it and with the other groups, as they are seen from the mean of all rows.
        """
        known = np.arange(len(labels)) if documents is None else documents
        found = [(rows, number) for number in numbers for rows in self._of(X, labels, number, known)]
        return _judged(X, labels, numbers, found) if found and len(numbers) > 1 else []

    def _of(self, X: Any, labels: Array, number: int, documents: Array) -> list[Array]:
        """Return the parts of a group, without the rows that left it since these were found."""
        stop_if_asked()
        members = np.flatnonzero(labels == number)
        before, parts = self._known.get(number, (documents[:0], []))
        if len(np.setxor1d(documents[members], before, assume_unique=True)) > _CHANGED * len(members):
            drawn = members[np.linspace(0, len(members) - 1, min(len(members), _SAMPLE)).astype(int)]
            parts = [documents[rows] for rows in _parts(X, drawn)]
            self._known[number] = (documents[members], parts)
        return _two_or_none([_places(part, documents[members], members) for part in parts])


def answered(X: Any, rows: Array, decided: Array) -> bool:
    """Return whether the answer for a part of these `rows` is known: one that was `decided` is as near to its middle as
    half of them are, wherever it is by now.

    >>> X = np.eye(4)[[0, 0, 0, 1]]
    >>> answered(X, np.array([0, 1]), np.array([2])), answered(X, np.array([0, 1]), np.array([3]))
    (True, False)
    """
    if not len(decided):
        return False
    middle = np.asarray(X[rows].sum(axis=0)).ravel()
    near = np.asarray(X[np.concatenate([rows, decided])] @ middle).ravel()
    return bool(near[len(rows) :].max() >= np.median(near[: len(rows)]))


def _places(part: Array, documents: Array, rows: Array) -> Array:
    """Return the rows of the documents of a part that are among `documents` (c,), which rise, with their `rows` (c,).

    >>> _places(np.array([7, 3, 5]), np.array([3, 4, 7]), np.array([0, 1, 2])).tolist()
    [2, 0]
    """
    places = np.minimum(np.searchsorted(documents, part), len(documents) - 1)
    return rows[places[documents[places] == part]] if len(documents) else rows


def _parts(X: Any, rows: Array) -> list[Array]:
    """Return the parts of a group, the most typical rows of each first; equal rows make one part."""
    count = round(len(rows) / _OF_A_PART)
    if count < 2:
        return []
    fit = fitted(SphericalKMeans(count, n_init=1, local_search=None, random_state=0), X[rows])
    typical = np.argsort(-np.asarray(fit.decision_function(X[rows])).max(axis=1).round(_DIGITS), kind="stable")
    cosines = fit.cluster_centers_ @ fit.cluster_centers_.T
    labels = (cosines.round(_DIGITS) == 1).argmax(axis=1)[fit.labels_]  # clusters of equal rows have one centre
    return [rows[typical][labels[typical] == part] for part in range(count)]


def _two_or_none(parts: list[Array]) -> list[Array]:
    """Return the parts with rows: none where there are not two, since nothing then lies apart from the rest."""
    full = [rows for rows in parts if len(rows)]
    return full if len(full) > 1 else []


def _judged(X: Any, labels: Array, numbers: list[int], found: list[tuple[Array, int]]) -> list[Part]:
    """Return each part with its margin, the smallest first."""
    place = {number: g for g, number in enumerate(numbers)}
    whole, sizes = sums(X, [np.flatnonzero(labels == number) for number in numbers])
    pieces, counts = sums(X, [rows for rows, _ in found])
    every, own = np.arange(len(found)), np.array([place[number] for _, number in found])
    dots, of_pieces, of_whole = centred_products(pieces, counts, whole, sizes, np.asarray(X.mean(axis=0)).ravel())
    cosines = cosine(dots, of_pieces[:, None], of_whole[None, :])
    drawn = np.minimum(1.0, _SAMPLE / sizes[own])  # the sample stands for the whole group
    share = counts / drawn / sizes[own]
    apart = _apart(dots[every, own], of_pieces, of_whole[own], share)
    cosines[every, own] = -np.inf
    rival, margin = cosines.argmax(axis=1), apart - cosines.max(axis=1)
    parts = [
        Part(rows, int(rows[0]), number, numbers[rival[i]], float(margin[i])) for i, (rows, number) in enumerate(found)
    ]
    return sorted(parts, key=lambda part: (round(part.margin, _DIGITS), part.row))


def _apart(dots: Array, of_pieces: Array, of_whole: Array, share: Array) -> Array:
    """Return the cosine of each piece with the rest of its whole, of which it is a `share`, by their dot products.

    The mean of the rest is (whole - share * piece) / (1 - share).
    """
    with_piece = (dots - share * of_pieces) / (1 - share)
    squares = (of_whole - 2 * share * dots + share**2 * of_pieces) / (1 - share) ** 2
    return cosine(with_piece, of_pieces, squares)
