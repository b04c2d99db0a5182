"""What a person should look at next: the documents from whose decision a version learns most."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ...types import Array

KINDS = {
    "typical": "Nobody has looked at this group yet; is this what it is about, or is another group about the same?",
    "between": "It lies between two groups, with others like it; which of them is it?",
    "part": "It stands for others like it, which lie apart from the rest of the group; which group do they belong to?",
    "mixed": "This group falls into two parts; are they one?",
    "drawn": "It was drawn at random: such answers tell how good the groups are. Where does it belong?",
    "again": "Some documents drawn at random are labelled; shall these labels correct all groups?",
    "off-topic": "It looks off-topic; is it junk?",
}
"""Why a document or a group is proposed, in words."""
ALONE = "Nobody has looked at this group yet; is this what it is about?"


_TURNS = (
    *("typical", "part", "part", "drawn", "mixed", "part", "part", "drawn"),
    *("typical", "part", "part", "drawn", "between", "off-topic"),
)
_NEAR_A_BORDER = 5  # one in so many documents counts as between two groups
_ROUNDING = 1e-6  # of a margin


@dataclass(frozen=True)
class Proposal:
    """A document to look at: its row, the `kind` of reason, its group and, between two groups, the other one.

    Groups are columns of the scores, -1 for none. A group that looks like two has no row: -1. The question whether
    groups should be found again has neither.
    """

    row: int
    kind: str
    group: int
    rival: int = -1

    @property
    def why(self) -> str:
        """The reason as a sentence."""
        return ALONE if self.kind == "typical" and self.rival < 0 else KINDS[self.kind]


def propose(
    scores: Array,
    off_topic_score: Array | None = None,
    *,
    grouped: Array | None = None,
    seen: Collection[int] = (),
    touched: Collection[int] = (),
    nearest: Sequence[tuple[int, int]] = (),
    mixed: Sequence[int] = (),
    parts: Iterable[tuple[int, int, int]] = (),
    turn: int = 0,
    most: int = 10,
) -> list[Proposal]:
    """Return what to look at, the most instructive first; the kinds take turns, most are parts of groups.

    A document between two groups has a small difference of its two best scores, as a share of what is usual for the
    better group: of the fifth of all documents where that is smallest, the pairs of groups with most of them come
    first, and of each pair the smallest. A typical one has the largest difference; an off-topic one the highest score.

    Parameters
    ----------
    scores : float array (n, k)
        The groups' scores; nan in the rows of documents that take no part.
    off_topic_score : float array (n,), default None
        Higher is more off-topic; nan where unknown.
    grouped : bool array (n,), default None
        The documents that are in a group: others are proposed as off-topic ones alone. By default all are.
    seen : row numbers, default none
        Documents that were decided, or put off: they are not proposed again.
    touched : columns of the scores, default none
        Groups of which a document was decided.
    nearest : (group, rival) each, default none
        Groups in the order in which they are asked about where nobody looked at them, each with the one that may be
        about the same; the others follow, the largest first.
    mixed : columns of the scores, default none
        Groups that look like two, the first first.
    parts : (row, group, rival) each, default none
        The most typical documents of parts of groups that may belong to another group, the first first; no more of
        them are asked for than are proposed, or are in no group.
    turn : int, default 0
        How many questions came before: the kinds go on with their turns.
    most : int >= 0, default 10

    Examples
    --------
    >>> scores = np.array([[1.0, 0.0], [0.9, 0.0], [0.5, 0.4], [0.0, 1.0]])
    >>> [(each.row, each.kind) for each in propose(scores, seen=[0])]
    [(1, 'typical'), (2, 'drawn'), (3, 'typical')]
    """
    free = np.asarray(np.isfinite(scores).all(axis=1))
    free[list(seen)] = False
    margin, best, rival = _margins(np.where(free[:, None], scores, 0.0))
    inside = free if grouped is None else free & grouped
    apart = (Proposal(row, "part", group, rival) for row, group, rival in parts if inside[row])
    kinds: dict[str, Iterator[Proposal]] = {
        "part": apart,
        "mixed": (Proposal(-1, "mixed", group) for group in mixed),
        "typical": _typical(margin, best, inside, set(touched), dict(nearest)),
        "between": _between(margin, best, rival, inside, list(seen)),
        "off-topic": _off_topic(off_topic_score, best, free),
        "drawn": _drawn(best, inside),
    }
    queues = [kinds[kind] for kind in _TURNS]
    first, chosen = turn % len(queues), dict[tuple[int, int], Proposal]()
    for proposal in _in_turn([*queues[first:], *queues[:first]]):
        if len(chosen) >= most:
            break
        chosen.setdefault((proposal.row, proposal.group if proposal.row < 0 else -1), proposal)
    return list(chosen.values())


def _margins(scores: Array) -> tuple[Array, Array, Array]:
    """Return the difference of each row's two best scores, (n,), and whose these are; one group has no rival."""
    best = scores.argmax(axis=1)
    rows = np.arange(len(scores))
    if scores.shape[1] == 1:
        return scores[:, 0], best, np.full(len(scores), -1)
    others = scores.copy()
    others[rows, best] = -np.inf
    rival = others.argmax(axis=1)
    return scores[rows, best] - others[rows, rival], best, rival


def _typical(
    margin: Array, best: Array, free: Array, touched: set[int], nearest: dict[int, int]
) -> Iterator[Proposal]:  # fmt: skip
    """The document of the largest margin of each untouched group: first those of which one is `nearest`, the largest
    groups first of the others; of two that are nearest to each other one is asked about, and the other after all."""
    sizes = np.bincount(best[free], minlength=max(nearest, default=-1) + 1)
    groups = dict.fromkeys([*nearest, *np.argsort(-sizes, kind="stable").tolist()])
    for group in _one_of_each_pair_first([group for group in groups if sizes[group]], nearest, touched):
        members = np.flatnonzero(free & (best == group))
        row = int(members[_first_highest(margin[members])])
        yield Proposal(row, "typical", group, nearest.get(group, -1))


def _first_highest(values: Array) -> int:
    """Return the first place of the highest value; values that differ by rounding are equal.

    >>> _first_highest(np.array([0.5, 0.3 + 0.6, 0.9]))
    1
    """
    highest = float(values.max())
    return int(np.argmax(values >= highest - _ROUNDING * abs(highest)))


def _one_of_each_pair_first(groups: list[int], nearest: dict[int, int], touched: set[int]) -> list[int]:
    """Return the groups that are not `touched`, those last whose nearest was asked about before them.

    >>> _one_of_each_pair_first([0, 1, 2, 3], {0: 1, 1: 0, 2: 3}, {3})
    [0, 1, 2]
    """
    first, last = list[int](), list[int]()
    for group in groups:
        if group not in touched:
            (last if nearest.get(group) in touched.union(first) else first).append(group)
    return first + last


def _between(margin: Array, best: Array, rival: Array, free: Array, seen: list[int]) -> Iterator[Proposal]:
    """The borders with most documents take turns, each by its least share; one that was asked about waits longer."""
    share = _share(margin, best, free & (rival >= 0))
    order = np.argsort(share, kind="stable")[: np.count_nonzero(np.isfinite(share))]
    near, far = np.split(order, [-(-len(order) // _NEAR_A_BORDER)])
    own, said = _border(best[near], rival[near]), np.sort(_border(best[seen], rival[seen]))
    asked = np.searchsorted(said, own, side="right") - np.searchsorted(said, own)
    count, place = _counted(own)
    for row in np.concatenate([near[np.lexsort((near, -count / (asked + place + 1)))], far]):
        yield Proposal(int(row), "between", int(best[row]), int(rival[row]))


def _border(best: Array, rival: Array) -> Array:
    """Return a number for each pair of groups, the same for both orders of them."""
    return np.maximum(best, rival).astype(np.int64) << 32 | np.minimum(best, rival)


def _counted(values: Array) -> tuple[Array, Array]:
    """Return how many of the values are like each, and how many of these stand before it.

    >>> [each.tolist() for each in _counted(np.array([7, 3, 7]))]
    [[2, 1, 2], [0, 0, 1]]
    """
    _, which, sizes = np.unique(values, return_inverse=True, return_counts=True)
    place = np.empty(len(values), dtype=int)
    place[np.argsort(which, kind="stable")] = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return sizes[which], place


def _share(margin: Array, best: Array, free: Array) -> Array:
    """Return each margin as a share of the median of its group, (n,); infinite for documents that are not free."""
    share = np.full(len(margin), np.inf)
    for group in np.unique(best[free]).tolist():
        own = free & (best == group)
        share[own] = margin[own] / max(float(np.median(margin[own])), 1e-12)
    return share


def _off_topic(score: Array | None, best: Array, free: Array) -> Iterator[Proposal]:
    if score is None:
        return
    known = np.flatnonzero(free & np.isfinite(score))
    for row in known[np.argsort(-score[known], kind="stable")].tolist():
        yield Proposal(row, "off-topic", int(best[row]))


def _drawn(best: Array, free: Array) -> Iterator[Proposal]:
    """Draw documents at random, in an order that does not change while others are answered."""
    for row in np.random.default_rng(0).permutation(len(free)).tolist():
        if free[row]:
            yield Proposal(row, "drawn", int(best[row]))


def _in_turn(queues: list[Iterator[Proposal]]) -> Iterator[Proposal]:
    for turn in zip_longest(*queues):
        yield from (each for each in turn if each is not None)
