"""What to look at next: borders, mixed groups, misplaced parts, and documents that look like junk."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..cluster.seeded import fitted
from ..cluster.spherical import SphericalKMeans
from ..decisions import Belongs, Decision, Regroup, documents_in
from ..stopping import stop_if_asked
from ..text.collection import Collection
from ..types import Array
from .cosines import centred_cosines, centred_products, cosine, nearest_groups, sums
from .version import Verdicts, Version

# --- What to ask a person next about a version, by all that was decided and passed over

AGAIN = "again"
"""The name of the question whether groups should be found again, where it was passed over."""
GROUP = "group:"
"""What the number of a group that was passed over begins with, beside the ids of documents."""


ENOUGH = 10  # documents drawn at random that were labelled since: then it is asked whether these correct all groups


def ask_next(
    version: Version, found: Verdicts, decisions: Sequence[Decision], passed: AnyCollection[str] = (), *,
    mixed: MixedGroups, parts: MisplacedParts, most: int = 10,
) -> list[Proposal]:  # fmt: skip
    """Return what to look at next; its groups are columns of the version's scores.

    `found` is what the version says of each document; `decisions` are those that stand, `passed` the ids of documents
    and, as "group:3", groups that a person put off.
    """
    assert version.documents is not None
    row_of = version.documents.row_of
    named = [document for each in decisions for document in documents_in(each)]
    decided = [row_of[each] for each in named if each in row_of]
    seen = [*decided, *(row_of[each] for each in passed if each in row_of)]
    place = {number: g for g, number in enumerate(version.numbers)}
    touched = {place[number] for number in set(version.labels[seen].tolist()) if number in place}
    score = None if found.off_topic is None else found.off_topic_score
    space, labels = version.model.spaces_.space, version.labels[version.rows]
    rows = np.flatnonzero(version.rows)
    of_seen, of_decided = (np.flatnonzero(np.isin(rows, each)) for each in (seen, decided))
    two = mixed.order(space, labels, [number for number in version.numbers if f"{GROUP}{number}" not in passed], rows)
    open_parts = _unanswered(parts.order(space, labels, list(version.numbers), rows), space, of_seen, of_decided)
    apart = ((int(rows[part.row]), place[part.group], place[part.rival]) for part in open_parts)
    due = AGAIN not in passed and labels_since(decisions) >= ENOUGH
    return [Proposal(-1, "again", -1)] * due + propose(
        found.scores, score, grouped=np.asarray(version.labels >= 0), seen=seen, touched=touched,
        nearest=nearest_groups(space, labels, version.numbers, version.model.spaces_.mean, version.state.apart),
        mixed=[place[number] for number in two], parts=apart, turn=len(decisions) + len(passed), most=most - due,
    )  # fmt: skip


def _unanswered(every: list[Part], X: Any, seen: Array, decided: Array) -> Iterator[Part]:
    """Yield the parts of which none of the rows `seen` is one, and for which no row that was `decided` is an answer."""
    return (part for part in every if not np.isin(part.rows, seen).any() and not answered(X, part.rows, decided))


def labels_since(decisions: Sequence[Decision]) -> int:
    """Return how many documents of a fair sample were put to groups since labels last corrected all groups.

    >>> labels_since([Belongs("1", 0, source="sample"), Regroup(), Belongs("2", 0, source="sample"), Belongs("3", 0)])
    1
    """
    last = max((place for place, each in enumerate(decisions) if isinstance(each, Regroup)), default=-1)
    return sum(isinstance(each, Belongs) and each.source != "correction" for each in decisions[last + 1 :])


# --- What a person should look at next: the documents from whose decision a version learns most

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
    seen: AnyCollection[int] = (),
    touched: AnyCollection[int] = (),
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


# --- How much each document looks like junk, by all that a person threw away and kept, and how much of it was seen
#
# The reject row learns beside groups that stay, some of them of junk that nobody has looked at yet, and as cautiously
# as few examples need: by its order the last tenth of the junk comes late. A regression of what was thrown away
# against all else knows no groups (docs/decisions/0023). It puts documents in order; what goes out by itself the
# reject row decides.

_SAMPLE = 2_000  # documents that nobody judged, evenly drawn: they stand for all of these
_C = 10.0  # of the regression, whose two sides weigh the same
_FOLDS = 5  # of what was judged: each is scored by what was said of the others
_LEAST = 5  # of either kind, before it can be told how much of the junk was seen


def junk_scores(version: Version, off_topic_score: Array) -> Array:
    """Return how much each of n documents looks like junk, nan where it has no row; higher is more.

    While nobody threw a document away it is the `off_topic_score` (n,).

    Examples
    --------
    >>> from outgroup.session import Session
    >>> from outgroup.decisions import OffTopic
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "fresh bread"]
    >>> session = Session(texts, n_clusters=2)
    >>> scores = junk_scores(session.fit([OffTopic("2")], start=session.fit()), np.zeros(5))
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [2, 3]
    """
    said = _Said.of(version)
    if not len(said.thrown):
        return off_topic_score
    found = np.full(len(off_topic_score), np.nan)
    found[said.documents.kept] = said.scores(said.thrown, said.kept)
    return found


def junk_seen(version: Version, scores: Array) -> float | None:
    """Return the share of the junk that a person has seen by now, by an estimate; None where it cannot be told yet.

    `scores` (n,) are those of `junk_scores`. What was judged is scored without what was said of it: by a score that has
    learned from the answer, junk would lie far out, and hardly any would seem to be left.
    """
    said = _Said.of(version)
    if min(len(said.thrown), len(said.kept)) < _LEAST:
        return None
    own = scores[said.documents.kept]
    left = own[np.isfinite(own) & said.free]
    return share_found(said.held_out(), np.repeat([True, False], [len(said.thrown), len(said.kept)]), left)


def share_found(judged: Array, junk: Array, left: Array) -> float:
    """Return the share of the junk among documents of which those with the scores `judged` (j,) were looked at.

    The chance that a document is junk is read off these, of which some were `junk` (j,) bool and some not, by a
    logistic curve over the score, and added up over the others, with the scores `left` (u,).

    >>> judged, junk = np.array([3.0, 2.5, 2.0, 1.0, 0.5]), np.array([True, True, True, False, False])
    >>> round(share_found(judged, junk, np.array([2.2, -1.0, -2.0])), 2)
    0.76
    """
    from sklearn.linear_model import LogisticRegression

    every = np.concatenate([judged, left])
    scale = max(float(every.std()), 1e-12)
    model = LogisticRegression(C=100.0).fit((judged / scale)[:, None], junk)
    unseen = float(model.predict_proba((left / scale)[:, None])[:, 1].sum()) if len(left) else 0.0
    seen = int(np.count_nonzero(junk))
    return seen / (seen + unseen)


@dataclass(frozen=True)
class _Said:
    """Which of the m rows of some documents a person threw away, `thrown` (t,), and `kept` (p,)."""

    documents: Collection
    thrown: Array
    kept: Array

    @classmethod
    def of(cls, version: Version) -> _Said:
        """Return what was said until a version; words that are ignored are in no row."""
        assert version.documents is not None
        documents = version.documents.without_words(version.state.ignored)
        rows = np.flatnonzero(documents.kept)
        away, pins = (np.flatnonzero(np.isin(rows, list(each))) for each in (version.state.away, version.state.pins))
        return cls(documents, away, pins)

    @property
    def free(self) -> Array:
        """The rows of which nothing was said, (m,) bool."""
        free = np.ones(len(self.documents.spaces), dtype=bool)
        free[self.thrown], free[self.kept] = False, False
        return free

    def scores(self, thrown: Array, kept: Array) -> Array:
        """Return how much each row looks like junk, (m,), by some of those that were thrown away and kept."""
        space, examples, others = self.documents.spaces.space, self.documents.universum, np.flatnonzero(self.free)
        some = others[np.linspace(0, len(others) - 1, min(len(others), _SAMPLE)).astype(int)]
        junk = space[thrown] if examples is None else _stacked([space[thrown], examples.space])
        weights = np.repeat([1.0, len(others) / max(len(some), 1)], [len(kept), len(some)])
        rest = space[np.concatenate([kept, some])]
        return np.asarray(_regressed(junk, rest, weights).decision_function(space))

    def held_out(self) -> Array:
        """Return the score of each row that was judged by what was said of others, (t + p,)."""
        judged, found = np.concatenate([self.thrown, self.kept]), np.zeros(len(self.thrown) + len(self.kept))
        folds = np.concatenate([np.arange(len(self.thrown)), np.arange(len(self.kept))]) % _FOLDS
        of_thrown, of_kept = np.split(folds, [len(self.thrown)])
        for fold in range(_FOLDS):
            stop_if_asked()
            scores = self.scores(self.thrown[of_thrown != fold], self.kept[of_kept != fold])
            found[folds == fold] = scores[judged[folds == fold]]
        return found


def _regressed(junk: Any, rest: Any, weights: Array) -> Any:
    """Return a regression of `junk` against the `rest`, whose rows have `weights`; both sides weigh the same."""
    from sklearn.linear_model import LogisticRegression

    total = junk.shape[0] + weights.sum()  # as if all rows were there
    sides = [np.full(junk.shape[0], 1 / junk.shape[0]), weights / weights.sum()]
    answers = np.repeat([1, 0], [junk.shape[0], rest.shape[0]])
    model = LogisticRegression(C=_C, solver="liblinear", tol=1e-2)
    return model.fit(_stacked([junk, rest]), answers, total / 2 * np.concatenate(sides))


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)


# --- Parts of groups that may belong to another: documents alike that lie nearer to another group than to their own

_OF_A_PART = 25  # documents, about
_MISPLACED_PARTS_SAMPLE = 300  # documents of a group, evenly drawn, that its parts are found by
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
            drawn = members[np.linspace(0, len(members) - 1, min(len(members), _MISPLACED_PARTS_SAMPLE)).astype(int)]
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
    drawn = np.minimum(1.0, _MISPLACED_PARTS_SAMPLE / sizes[own])  # the sample stands for the whole group
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


# --- Groups that look like two: those whose halves are large and lie apart

_MIXED_GROUPS_LEAST = 8  # documents of a group that may be worth dividing
_MIXED_GROUPS_SAMPLE = 300  # documents of a group, evenly drawn, by which its halves are judged
_MIXED_GROUPS_ROUNDING = 1e-6  # one minus a cosine that is one
_MIXED_GROUPS_CHANGED = 0.1  # of a group may be others before it is judged again


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
        if len(members) < _MIXED_GROUPS_LEAST:
            return 0.0
        before, share = self._known.get(number, (documents[:0], 0.0))
        if len(np.setxor1d(documents[members], before, assume_unique=True)) > _MIXED_GROUPS_CHANGED * len(members):
            share = _smaller(
                X[members[np.linspace(0, len(members) - 1, min(len(members), _MIXED_GROUPS_SAMPLE)).astype(int)]], mean
            )
            self._known[number] = (documents[members], share)
        return share * len(members)


def _smaller(X: Any, mean: Array) -> float:
    """Return the share of the smaller half times the distance of the halves' directions as seen from `mean` (d,)."""
    halves = np.asarray(fitted(SphericalKMeans(2, n_init=1, random_state=0), X).labels_)
    both, sizes = sums(X, [np.flatnonzero(halves == half) for half in (0, 1)])
    if not sizes.min():
        return 0.0
    apart = 1.0 - centred_cosines(both[:1], sizes[:1], both[1:], sizes[1:], mean)[0, 0]
    return float(sizes.min() / sizes.sum() * np.sqrt(2.0 * apart)) if apart > _MIXED_GROUPS_ROUNDING else 0.0
