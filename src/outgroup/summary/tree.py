"""The tree of groups as records: the cheapest merges, and the best splits with their words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows.threads import ordered_map
from ..solve import tree
from ..types import Array
from .records import GroupSplit, Merging
from .words import GroupedRows, of_unit_length

_WORDS = 4  # of a half

KnownHalves = dict[bytes, tree.Bisection | None]
"""The halves of groups, by the content of the rows; None: there are none."""


def merges(grouped: GroupedRows, numbers: Sequence[int] | None = None) -> list[Merging]:
    """Return the k - 1 merges of k groups, cheapest first, empty groups before all; merge t makes node k + t.

    Rows have unit length. A loss is a share of the coherence of the k groups. `numbers` are the existing groups; None:
    all.

    >>> X = sp.csr_matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]])
    >>> [(merge.a, merge.b) for merge in merges(GroupedRows(X, np.arange(3), 3))]
    [(1, 2), (0, 3)]
    """
    leaves = list(range(grouped.k) if numbers is None else numbers)
    nodes, whole = [*leaves, *range(grouped.k, grouped.k + len(leaves))], _coherence(grouped)
    found = tree.merges(grouped.sums[leaves])
    return [Merging(nodes[a], nodes[b], round(loss / whole, 6)) for a, b, loss in found]


def linkage(X: Any, labels: Array, k: int) -> Array:
    """Return the merges of `k` groups as SciPy's linkage matrix, (k - 1, 4): two nodes, height, number of groups.

    `labels` (n,) are the groups of the unit rows `X`, CSR or dense, -1 for none. Heights are sums of the losses so far.

    >>> linkage(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.8, 0.6]]), np.arange(3), 3)[:, [0, 1, 3]].tolist()
    [[1.0, 2.0, 2.0], [0.0, 3.0, 3.0]]
    """
    grouped = GroupedRows.of(sp.csr_matrix(X), labels, k, labels >= 0)
    sizes, height, found = [1] * k, 0.0, []
    for merge in merges(grouped):
        height += merge.loss
        sizes.append(sizes[merge.a] + sizes[merge.b])
        found.append([*sorted((merge.a, merge.b)), height, sizes[-1]])
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def splits(grouped: GroupedRows, names: Any, known: KnownHalves | None = None) -> list[GroupSplit]:
    """Return the best split of each group that has two different documents, by descending gain.

    A gain is a share of the coherence of all; `names` are the V words. `known` has results by content of the rows, to
    reuse.
    """
    halve, whole = _halver(grouped, known), _coherence(grouped)

    def split(g: int) -> GroupSplit | None:
        rows = np.flatnonzero(grouped.groups == g)
        halves = halve(rows)
        return None if halves is None else _record(grouped, names, g, rows, rows[halves.second], halves.gain / whole)

    return sorted(filter(None, ordered_map(split, range(grouped.k))), key=lambda split: -split.gain)


def parts(
    grouped: GroupedRows, names: Any, count: int, known: KnownHalves | None = None
) -> tuple[list[GroupSplit], Array]:
    """Return the best splits up to `count` groups, one after the other, and the part of each document, (n,).

    The smaller half gets the next number, from k on. The other arguments are as in `splits`.

    >>> X = sp.csr_matrix([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> parts(GroupedRows(X, np.zeros(3, dtype=int), 1), ["tea", "car"], 2)[1].tolist()
    [0, 0, 1]
    """
    labels, whole, found = np.array(grouped.groups), _coherence(grouped), list[GroupSplit]()
    for group, moved, gain in tree.splits(labels, grouped.k, count, _halver(grouped, known)):
        found.append(_record(grouped, names, group, np.flatnonzero(labels == group), moved, gain / whole))
        labels[moved] = grouped.k + len(found) - 1
    return found, labels


def _halver(grouped: GroupedRows, known: KnownHalves | None) -> Callable[[Array], tree.Bisection | None]:
    known, random = {} if known is None else known, np.random.default_rng(0)
    marks = grouped.X @ random.standard_normal(grouped.X.shape[1])  # equal for equal rows

    def halve(rows: Array) -> tree.Bisection | None:
        key = blake2b(marks[rows].tobytes(), digest_size=16).digest()
        if key not in known:
            known[key] = tree.halves(grouped.X[rows])
        return known[key]

    return halve


def _record(grouped: GroupedRows, names: Any, group: int, rows: Array, moved: Array, gain: float) -> GroupSplit:
    """Return the record of a split of the group with these rows, of which `moved` are the smaller half.

    `gain` is a share of the coherence of all groups.
    """
    kept = np.setdiff1d(rows, moved, assume_unique=True)
    sums = np.vstack([np.asarray(grouped.X[half].sum(axis=0)) for half in (kept, moved)])
    apart = np.subtract(*of_unit_length(sums))
    words = [[str(names[w]) for w in np.argsort(-side, kind="stable")[:_WORDS]] for side in (apart, -apart)]
    return GroupSplit(group, round(gain, 6), [len(kept), len(moved)], words)


def _coherence(grouped: GroupedRows) -> float:
    return float(np.sqrt(grouped.sums.power(2).sum(axis=1)).sum()) or 1.0
