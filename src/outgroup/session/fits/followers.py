"""Who moves with a document that a person moves: those that are most like it and lie with it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp

from ...text.collection import Collection
from ...text.representation import Spaces
from ...types import Array
from ..cosines import centred_cosines, sums

_MOST_LIKE = 60  # documents most like one that a person moves: those in the group that it left may come along
_CLOSE = 8  # of them stand for the place that it was moved from
_CLEARLY = 0.05  # in cosines, nearer to that place and the new group than to what is left of the group


def most_like(documents: Collection, row: int) -> Array:
    """Return the numbers of the documents most like one, by the cosine."""
    rows, space = np.flatnonzero(documents.kept), documents.spaces.space
    place = int(np.searchsorted(rows, row))
    one = space[place]
    cosines = np.asarray(space @ (one.toarray().ravel() if sp.issparse(one) else one))
    cosines[place] = -1.0
    return np.asarray(rows[np.argsort(-cosines, kind="stable")[:_MOST_LIKE]])


def followers(
    documents: Collection, labels: Array, labelled: Iterable[int], row: int, group: int, like: Array
) -> Array:
    """Return which of the documents that are `like` one go with it to its new group, at once: none that is labelled.

    Each is clearly nearer to the document's place (the mean of it and of those most like it, two thirds) and to the new
    group (one third) than to the rest of the group that it leaves. None goes where that is not so for the document.
    """
    like = like[~np.isin(like, list(labelled))]
    rows = np.flatnonzero(documents.kept)
    moving, of_rows = rows.searchsorted([row, *like]), labels[rows]
    place = moving[: _CLOSE + 1]
    rest, new = (np.flatnonzero(of_rows == each) for each in (int(labels[row]), group))
    rest = np.setdiff1d(rest, place)
    if len(place) < 2 or not len(rest) or not len(new):
        return like[:0]
    near, there, left = _nearness(documents.spaces, moving, [place, new, rest])
    goes = (2 * near + there) / 3 > left + _CLEARLY
    return like[goes[1:] & goes[0]]


def _nearness(spaces: Spaces, rows: Array, sets: list[Array]) -> Array:
    """Return the cosines of rows with the means of sets of rows, (s, m), as seen from the mean of all; a row of the
    first set is compared with the others of it."""
    space, mean, ones = spaces.space, spaces.mean, np.ones(len(rows))
    centres, sizes = sums(space, sets)
    found = centred_cosines(space[rows], ones, centres, sizes, mean).T
    inside = np.flatnonzero(np.isin(rows, sets[0]))
    alone = [np.setdiff1d(sets[0], rows[i]) for i in inside.tolist()]
    others, counts = sums(space, alone)
    found[0, inside] = centred_cosines(space[rows[inside]], ones[inside], others, counts, mean).diagonal()
    return found
