"""Which documents join those that begin a group of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...text.collection import Collection
from ...text.representation import Spaces
from ...types import Array
from ..cosines import centred_products, cosine, sums, without_one

_CLEARLY = 0.03  # in cosines, nearer to the new group than to what is left of the own one
_ROUNDS = 5


def joining(documents: Collection, labels: Array, labelled: Iterable[int], rows: Array) -> Array:
    """Return which documents join the `rows` that begin a group, by number: none that is labelled or in no group.

    Each is clearly nearer to the new group than to what is left of its own. Half of what the new group is are the
    documents that began it, so that it does not drift; the other half are all that are in it. No group is left empty.
    """
    spaces, kept = documents.spaces, np.flatnonzero(documents.kept)
    own, first = labels[kept], kept.searchsorted(np.sort(rows))
    may = (own >= 0) & ~np.isin(kept, [*labelled, *rows])
    inside = first
    for _ in range(_ROUNDS):
        after = np.union1d(first, np.flatnonzero(_nearer(spaces, own, first, inside) & may))
        if np.array_equal(after, inside):
            break
        inside = after
    return np.asarray(kept[np.setdiff1d(inside, first)])


def _nearer(spaces: Spaces, own: Array, first: Array, inside: Array) -> Array:
    """Return which rows are clearly nearer to the new group than to what is left of their own, (n,) bool."""
    whole, counts = sums(spaces.space, [first, inside])
    new = whole[[0]] / counts[0] + whole[[1]] / counts[1]
    found = np.zeros(len(own), dtype=bool)
    for group in np.unique(own[own >= 0]).tolist():
        members = np.flatnonzero(own == group)
        rest = ~np.isin(members, inside)
        if rest.any():
            goes = _ahead(spaces, members, new, rest) > _CLEARLY
            found[members] = goes & (~goes & ~np.isin(members, first)).any()
    return found


def _ahead(spaces: Spaces, members: Array, new: Any, rest: Array) -> Array:
    """Return by how much each member of a group is nearer to the new one, the sum of two means, than to the rest of it.

    Those of the rest are compared with it without themselves: of few documents each is a good part of the mean.
    """
    left, count = sums(spaces.space, [members[rest]])
    both = sp.vstack([new, left], format="csr") if sp.issparse(left) else np.vstack([new, left])
    rows, ones = spaces.space[members], np.ones(len(members))
    dots, lengths, squares = centred_products(rows, ones, both, np.r_[2, count], spaces.mean)
    alone = without_one(dots[:, 1], squares[1], lengths, int(count[0]))
    to_rest, of_rest = np.where(rest, alone, (dots[:, 1], np.full(len(members), squares[1])))
    return cosine(dots[:, 0], lengths, squares[0]) - cosine(to_rest, lengths, of_rest)
