"""Active learning: questions about documents and groups, the most informative first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as AnyCollection
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp

from ..cluster.seeded import fitted
from ..cluster.spherical import SphericalKMeans
from ..decisions import Decision, Merge, Split
from ..solve.cosines import centred_cosines, centred_products, cosine, nearest_groups, sums
from ..solve.threshold import JUNK
from ..stopping import stop_if_asked
from ..text.collection import Collection
from ..types import Array
from .version import Verdicts, Version

GROUP = "group:"
"""The prefix of skipped groups, before their number; skipped documents have their id."""


class Questions:
    """Asks about the versions of a session; it keeps the halves and parts of groups from one version to the next."""

    def __init__(self) -> None:
        self._mixed, self._parts = MixedGroups(), MisplacedParts()

    def next(
        self,
        version: Version,
        verdicts: Verdicts,
        decisions: Sequence[Decision],
        passed: AnyCollection[str] = (),
        *,
        most: int = 10,
    ) -> list[Proposal]:
        """Return the next questions; groups are numbers.

        `verdicts` are those on the documents, `decisions` those in force, `passed` the skipped documents by id and the
        skipped groups as "group:3".
        """
        assert version.documents is not None
        row_of = version.documents.row_of
        named = [document for each in decisions for document in each.labelled]
        decided = [row_of[each] for each in named if each in row_of]
        seen = [*decided, *(row_of[each] for each in passed if each in row_of)]
        place = {number: g for g, number in enumerate(version.numbers)}
        done = version.state.done
        touched = {place[number] for number in {*version.labels[seen].tolist(), *done} if number in place}
        score = None if verdicts.off_topic is None else verdicts.off_topic_score
        space, labels = version.model.spaces_.space, version.labels[version.rows]
        rows = np.flatnonzero(version.rows)
        of_seen, of_decided = (np.flatnonzero(np.isin(rows, each)) for each in (seen, decided))
        merged = {group for each in decisions if isinstance(each, Merge) for group in each.groups}
        whole = [each for each in version.numbers if f"{GROUP}{each}" not in passed and each not in done | merged]
        every = [
            part for part in self._parts.order(space, labels, list(version.numbers), rows) if part.group not in done
        ]
        parts = _unanswered(every, space, of_seen, of_decided)
        known = Known(
            grouped=np.asarray(version.labels >= 0),
            seen=seen,
            touched=touched,
            nearest=nearest_groups(space, labels, version.numbers, version.model.spaces_.mean, version.state.apart),
            mixed=[place[number] for number in self._mixed.order(space, labels, whole, rows)],
            parts=((int(rows[part.row]), place[part.group], place[part.rival]) for part in parts),
            turn=len(decisions) + len(passed),
            few_examples=0 < version.model.n_universum_ < JUNK.mixture_from,
        )
        number = {-1: -1, **dict(enumerate(version.numbers))}
        split = {each.group for each in decisions if isinstance(each, Split)}
        found = propose(verdicts.scores, score, known, most=most)
        return [_in_numbers(each, number[each.group], number[each.rival], split) for each in found]


def _in_numbers(proposal: Proposal, group: int, rival: int, split: set[int | str]) -> Proposal:
    """Return a proposal with the numbers of its groups; without the offer to merge groups that a decision split."""
    together = proposal.kind == "typical" and split & {group, rival}
    return replace(proposal, group=group, rival=-1 if together else rival)


def _unanswered(every: list[Part], X: Any, seen: Array, decided: Array) -> Iterator[Part]:
    """Yield the parts that are neither in `seen` nor answered by the rows `decided`."""
    return (part for part in every if not np.isin(part.rows, seen).any() and not answered(X, part.rows, decided))


# --- Proposals: the documents and groups with the most informative labels

KINDS = {
    "typical": "There is no decision about this group yet. Is this its topic, or does another group have the same "
    "topic?",
    "part": "This document represents similar documents that differ from the rest of the group. To which group do "
    "they belong?",
    "mixed": "This group has two parts. Do they belong together?",
    "off-topic": "This document looks off-topic. Is it junk?",
}
"""The reason of each kind of proposal, as a sentence."""
ALONE = "There is no decision about this group yet. Is this its topic?"


_TURNS = ("typical", "part", "part", "mixed", "part", "part", "typical", "part", "part", "off-topic")
_SEARCHING = ("off-topic", "typical", "off-topic", "part", "off-topic", "mixed")
_ROUNDING = 1e-6  # relative tolerance of equal margins and directions


@dataclass(frozen=True)
class Proposal:
    """A question to the user about a document or a group: its row, its `kind`, its group, and a second group if there
    is one.

    Groups are columns of the scores, or numbers of groups from `Questions`; -1 for none. A mixed group has row -1.
    """

    row: int
    kind: str
    group: int
    rival: int = -1

    @property
    def why(self) -> str:
        """The reason for the question, as a sentence."""
        return ALONE if self.kind == "typical" and self.rival < 0 else KINDS[self.kind]


@dataclass(frozen=True)
class Known:
    """Facts about n documents and k groups that limit and order the questions.

    Parameters
    ----------
    grouped : bool array (n,), default None
        The documents in a group; others are only proposed as off-topic. By default all.
    seen : row numbers, default none
        Documents with a decision, or skipped: they are not proposed again.
    touched : groups, default none
        Groups with a decision on one of their documents.
    nearest : (group, rival) each, default none
        Untouched groups in the order of their questions, each with its nearest group; the others follow, the largest
        first.
    mixed : groups, default none
        Groups that may be two, in the order of their questions.
    parts : (row, group, rival) each, default none
        The most typical document of each part that may belong to another group, in order; read lazily.
    turn : int, default 0
        The number of earlier questions: the alternation continues there.
    few_examples : bool, default False
        Whether more off-topic examples would find more: every second question then looks for one.
    """

    grouped: Array | None = None
    seen: AnyCollection[int] = ()
    touched: AnyCollection[int] = ()
    nearest: Sequence[tuple[int, int]] = ()
    mixed: Sequence[int] = ()
    parts: Iterable[tuple[int, int, int]] = ()
    turn: int = 0
    few_examples: bool = False


def propose(
    scores: Array, off_topic_score: Array | None = None, known: Known = Known(), *, most: int = 10
) -> list[Proposal]:
    """Return the questions, the most informative first; the kinds alternate, and most are about parts of groups.

    The margin of a document is the difference of its two best scores. A typical document has the largest margin; an
    off-topic one the highest off-topic score.

    Parameters
    ----------
    scores : float array (n, k)
        The scores of the groups; nan in rows without scores.
    off_topic_score : float array (n,), default None
        Higher is more off-topic; nan if unknown.
    known : Known
    most : int >= 0, default 10

    Examples
    --------
    >>> scores = np.array([[1.0, 0.0], [0.9, 0.0], [0.5, 0.4], [0.0, 1.0]])
    >>> [(each.row, each.kind) for each in propose(scores, known=Known(seen=[0]))]
    [(1, 'typical'), (3, 'typical')]
    """
    free = np.asarray(np.isfinite(scores).all(axis=1))
    free[list(known.seen)] = False
    margin, best = _margins(np.where(free[:, None], scores, 0.0))
    inside = free if known.grouped is None else free & known.grouped
    apart = (Proposal(row, "part", group, rival) for row, group, rival in known.parts if inside[row])
    kinds: dict[str, Iterator[Proposal]] = {
        "part": apart,
        "mixed": (Proposal(-1, "mixed", group) for group in known.mixed),
        "typical": _typical(margin, best, inside, set(known.touched), dict(known.nearest)),
        "off-topic": _off_topic(off_topic_score, best, free),
    }
    queues = [kinds[kind] for kind in (_SEARCHING if known.few_examples else _TURNS)]
    first, chosen = known.turn % len(queues), dict[tuple[int, int], Proposal]()
    for proposal in _in_turn([*queues[first:], *queues[:first]]):
        if len(chosen) >= most:
            break
        chosen.setdefault((proposal.row, proposal.group if proposal.row < 0 else -1), proposal)
    return list(chosen.values())


def _margins(scores: Array) -> tuple[Array, Array]:
    """Return the margin and the best group of each row, (n,) each; with a single group its score is the margin."""
    best, ordered = scores.argmax(axis=1), np.sort(scores, axis=1)
    return ordered[:, -1] - (ordered[:, -2] if scores.shape[1] > 1 else 0.0), best


def _typical(margin: Array, best: Array, free: Array, touched: set[int], nearest: dict[int, int]) -> Iterator[Proposal]:
    """Yield the document with the largest margin of each untouched group: `nearest` groups first, then by size."""
    sizes = np.bincount(best[free], minlength=max(nearest, default=-1) + 1)
    groups = dict.fromkeys([*nearest, *np.argsort(-sizes, kind="stable").tolist()])
    for group in _one_of_each_pair_first([group for group in groups if sizes[group]], nearest, touched):
        members = np.flatnonzero(free & (best == group))
        row = int(members[_first_highest(margin[members])])
        yield Proposal(row, "typical", group, nearest.get(group, -1))


def _first_highest(values: Array) -> int:
    """Return the position of the highest value; the first of values equal up to rounding.

    >>> _first_highest(np.array([0.5, 0.3 + 0.6, 0.9]))
    1
    """
    highest = float(values.max())
    return int(np.argmax(values >= highest - _ROUNDING * abs(highest)))


def _one_of_each_pair_first(groups: list[int], nearest: dict[int, int], touched: set[int]) -> list[int]:
    """Return the groups that are not in `touched`; of two mutually nearest groups, the second goes to the end.

    >>> _one_of_each_pair_first([0, 1, 2, 3], {0: 1, 1: 0, 2: 3}, {3})
    [0, 1, 2]
    """
    first, last = list[int](), list[int]()
    for group in groups:
        if group not in touched:
            (last if nearest.get(group) in touched.union(first) else first).append(group)
    return first + last


def _off_topic(score: Array | None, best: Array, free: Array) -> Iterator[Proposal]:
    if score is None:
        return
    known = np.flatnonzero(free & np.isfinite(score))
    for row in known[np.argsort(-score[known], kind="stable")].tolist():
        yield Proposal(row, "off-topic", int(best[row]))


def _in_turn(queues: list[Iterator[Proposal]]) -> Iterator[Proposal]:
    for turn in zip_longest(*queues):
        yield from (each for each in turn if each is not None)


# --- Off-topic scores by logistic regression on labels, and the estimated recall
#
# The reject row is fitted together with groups that may hold unlabelled off-topic documents, and is regularised for few
# examples: it ranks the last tenth of the off-topic documents low. A logistic regression of off-topic labels against
# all other documents ignores the groups (docs/decisions/0023). It only ranks documents; the reject row sets the labels.

_SAMPLE = 2_000  # unlabelled documents of the regression, evenly spaced
_C = 10.0  # of the regression, with equal total weight of both classes
_FOLDS = 5  # of the cross-validated scores of labelled documents
_LEAST = 5  # labels of each class for an estimate of the recall


def junk_scores(version: Version, off_topic_score: Array) -> Array:
    """Return the off-topic score of each document by labels, (n,); higher is more off-topic, nan without a row.

    Without off-topic labels it is the `off_topic_score` (n,).

    Examples
    --------
    >>> from outgroup.session import Session
    >>> from outgroup.decisions import Label
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "fresh bread"]
    >>> session = Session(texts, n_clusters=2)
    >>> scores = junk_scores(session.fit([Label("2", ())], start=session.fit()), np.zeros(5))
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [2, 3]
    """
    labels = _OffTopicLabels.of(version)
    if not len(labels.thrown):
        return off_topic_score
    scores = np.full(len(off_topic_score), np.nan)
    scores[labels.documents.kept] = labels.scores(labels.thrown, labels.kept)
    return scores


def junk_seen(version: Version, scores: Array) -> float | None:
    """Return the estimated share of off-topic documents that have been labelled; None if there are too few labels.

    `scores` (n,) are those of `junk_scores`. Labelled documents get cross-validated scores: scores fitted on their own
    labels would be too extreme, and the estimate too high.
    """
    labels = _OffTopicLabels.of(version)
    if min(len(labels.thrown), len(labels.kept)) < _LEAST:
        return None
    own = scores[labels.documents.kept]
    left = own[np.isfinite(own) & labels.free]
    return share_found(labels.held_out(), np.repeat([True, False], [len(labels.thrown), len(labels.kept)]), left)


def share_found(judged: Array, junk: Array, left: Array) -> float:
    """Return the estimated share of off-topic documents that have been labelled.

    A logistic curve over the scores `judged` (j,) of labelled documents, of which `junk` (j,) bool are off-topic, gives
    the probability of each unlabelled document with score `left` (u,); their sum estimates the remaining count.

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
class _OffTopicLabels:
    """The labelled rows of m documents: off-topic rows `thrown` (t,), and rows of groups `kept` (p,)."""

    documents: Collection
    thrown: Array
    kept: Array

    @classmethod
    def of(cls, version: Version) -> _OffTopicLabels:
        """Return the labels of a version; the rows exclude ignored words."""
        assert version.documents is not None
        documents = version.documents.without_words(version.state.ignored)
        rows = np.flatnonzero(documents.kept)
        away, pins = (np.flatnonzero(np.isin(rows, list(each))) for each in (version.state.away, version.state.pins))
        return cls(documents, away, pins)

    @property
    def free(self) -> Array:
        """The mask of unlabelled rows, (m,) bool."""
        free = np.ones(len(self.documents.spaces), dtype=bool)
        free[self.thrown], free[self.kept] = False, False
        return free

    def scores(self, thrown: Array, kept: Array) -> Array:
        """Return the off-topic score of each row, (m,), from the labelled rows `thrown` and `kept`."""
        space, examples, others = self.documents.spaces.space, self.documents.universum, np.flatnonzero(self.free)
        some = others[np.linspace(0, len(others) - 1, min(len(others), _SAMPLE)).astype(int)]
        junk = space[thrown] if examples is None else _stacked([space[thrown], examples.space])
        weights = np.repeat([1.0, len(others) / max(len(some), 1)], [len(kept), len(some)])
        rest = space[np.concatenate([kept, some])]
        return np.asarray(_regressed(junk, rest, weights).decision_function(space))

    def held_out(self) -> Array:
        """Return the cross-validated score of each labelled row, (t + p,)."""
        judged, held_out = np.concatenate([self.thrown, self.kept]), np.zeros(len(self.thrown) + len(self.kept))
        folds = np.concatenate([np.arange(len(self.thrown)), np.arange(len(self.kept))]) % _FOLDS
        of_thrown, of_kept = np.split(folds, [len(self.thrown)])
        for fold in range(_FOLDS):
            stop_if_asked()
            scores = self.scores(self.thrown[of_thrown != fold], self.kept[of_kept != fold])
            held_out[folds == fold] = scores[judged[folds == fold]]
        return held_out


def _regressed(junk: Any, rest: Any, weights: Array) -> Any:
    """Return a logistic regression of `junk` against `rest`, with row `weights` and balanced classes."""
    from sklearn.linear_model import LogisticRegression

    total = junk.shape[0] + weights.sum()  # the sample counts as all rows
    sides = [np.full(junk.shape[0], 1 / junk.shape[0]), weights / weights.sum()]
    answers = np.repeat([1, 0], [junk.shape[0], rest.shape[0]])
    model = LogisticRegression(C=_C, solver="liblinear", tol=1e-2)
    return model.fit(_stacked([junk, rest]), answers, total / 2 * np.concatenate(sides))


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)


# --- Misplaced parts: clusters within a group that are nearer to another group

_OF_A_PART = 25  # documents per part, about
_DRAWN = 300  # documents of a group, evenly spaced, to find its parts or halves
_CHANGED = 0.1  # share of a group that may change before these are found again
_DIGITS = 6  # of a score or margin; equal digits are a tie, and the first row comes first


@dataclass(frozen=True)
class Part:
    """A cluster inside a group: `rows` of the sample, the most typical `row`, and the number of the `group`.

    `rival` is the nearest other group, and `margin` the cosine with the rest of the own group minus the cosine with the
    rival: negative if the rival is nearer.
    """

    rows: Array
    row: int
    group: int
    rival: int
    margin: float


Result = TypeVar("Result")


class _ByGroup(Generic[Result]):
    """A cache of a result for each group; valid until a tenth of the group's documents has changed."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Array, Result]] = {}

    def _find(self, number: int, documents: Array, members: Array, find: Callable[[Array], Result]) -> Result:
        """Return the result of `find` for a sample of the group's rows `members`, from the cache if possible."""
        stop_if_asked()
        known = self._known.get(number)
        if known is None or len(np.setxor1d(documents, known[0], assume_unique=True)) > _CHANGED * len(members):
            drawn = members[np.linspace(0, len(members) - 1, min(len(members), _DRAWN)).astype(int)]
            known = self._known[number] = documents, find(drawn)
        return known[1]


class MisplacedParts(_ByGroup[list[Array]]):
    """A cache of the parts of each group.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), [60, 60, 40], axis=0)
    >>> first = MisplacedParts().order(X, np.repeat([0, 1, 2], [60, 40, 60]), [0, 1, 2])[0]
    >>> first.group, first.rival, first.row
    (2, 1, 100)
    """

    def order(self, X: Any, labels: Array, numbers: list[int], documents: Array | None = None) -> list[Part]:
        """Return the parts of all groups, in ascending order of margin.

        `X` (m, d) are unit rows, `labels` (m,) the numbers of their groups, and `documents` (m,) ascending ids of the
        rows across calls, by default 0 to m - 1. A part is compared with the rest of its group and with the other
        groups, by cosines centred at the mean of all rows.
        """
        known = np.arange(len(labels)) if documents is None else documents
        halves = [(rows, number) for number in numbers for rows in self._of(X, labels, number, known)]
        return _judged(X, labels, numbers, halves) if halves and len(numbers) > 1 else []

    def _of(self, X: Any, labels: Array, number: int, documents: Array) -> list[Array]:
        """Return the halves of a group, without rows that have left it."""
        members = np.flatnonzero(labels == number)
        own = documents[members]
        parts = self._find(number, own, members, lambda drawn: [documents[rows] for rows in _parts(X, drawn)])
        full = [rows for part in parts if len(rows := _places(part, own, members))]
        return full if len(full) > 1 else []


def answered(X: Any, rows: Array, decided: Array) -> bool:
    """Return whether a decided row is at least as near to the centre of a part as half of the part's rows.

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
    """Return the current rows of a part, ascending; the documents `documents` (c,) have the rows `rows` (c,).

    >>> _places(np.array([7, 3, 5]), np.array([3, 4, 7]), np.array([0, 1, 2])).tolist()
    [2, 0]
    """
    places = np.minimum(np.searchsorted(documents, part), len(documents) - 1)
    return rows[places[documents[places] == part]] if len(documents) else rows


def _parts(X: Any, rows: Array) -> list[Array]:
    """Return the halves of a group, the most typical rows first; equal rows form one part."""
    count = round(len(rows) / _OF_A_PART)
    if count < 2:
        return []
    fit = fitted(SphericalKMeans(count, n_init=1, local_search=None, random_state=0), X[rows])
    typical = np.argsort(-np.asarray(fit.decision_function(X[rows])).max(axis=1).round(_DIGITS), kind="stable")
    cosines = fit.cluster_centers_ @ fit.cluster_centers_.T
    labels = (cosines.round(_DIGITS) == 1).argmax(axis=1)[fit.labels_]  # clusters of equal rows have one centre
    return [rows[typical][labels[typical] == part] for part in range(count)]


def _judged(X: Any, labels: Array, numbers: list[int], halves: list[tuple[Array, int]]) -> list[Part]:
    """Return the parts with their margins, in ascending order."""
    place = {number: g for g, number in enumerate(numbers)}
    whole, sizes = sums(X, [np.flatnonzero(labels == number) for number in numbers])
    pieces, counts = sums(X, [rows for rows, _ in halves])
    every, own = np.arange(len(halves)), np.array([place[number] for _, number in halves])
    dots, of_pieces, of_whole = centred_products(pieces, counts, whole, sizes, np.asarray(X.mean(axis=0)).ravel())
    cosines = cosine(dots, of_pieces[:, None], of_whole[None, :])
    drawn = np.minimum(1.0, _DRAWN / sizes[own])  # scale the sample to the whole group
    share = counts / drawn / sizes[own]
    apart = _apart(dots[every, own], of_pieces, of_whole[own], share)
    cosines[every, own] = -np.inf
    rival, margin = cosines.argmax(axis=1), apart - cosines.max(axis=1)
    judged = [
        Part(rows, int(rows[0]), number, numbers[rival[i]], float(margin[i])) for i, (rows, number) in enumerate(halves)
    ]
    return sorted(judged, key=lambda part: (round(part.margin, _DIGITS), part.row))


def _apart(dots: Array, of_pieces: Array, of_whole: Array, share: Array) -> Array:
    """Return the cosine of each piece with the rest of its whole, from dot products.

    The mean of the rest is (whole - share * piece) / (1 - share), with the `share` of the piece in the whole.
    """
    with_piece = (dots - share * of_pieces) / (1 - share)
    squares = (of_whole - 2 * share * dots + share**2 * of_pieces) / (1 - share) ** 2
    return cosine(with_piece, of_pieces, squares)


# --- Mixed groups: groups with two large halves in different directions

_LEAST_OF_TWO = 8  # smallest size of a group to split


class MixedGroups(_ByGroup[float]):
    """A cache of a score for each group: how likely it contains two groups.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 10, axis=0)
    >>> MixedGroups().order(X, np.repeat([0, 0, 1], 10), [0, 1])
    [0]
    """

    def order(self, X: Any, labels: Array, numbers: list[int], documents: Array | None = None) -> list[int]:
        """Return the groups that may contain two groups, the likeliest first.

        `X` (m, d) are unit rows, `labels` (m,) their groups, and `documents` (m,) ascending ids of the rows across
        calls, by default 0 to m - 1. The worth of a group is the size of its smaller half times the distance of the
        halves' directions, centred at the mean of all rows.
        """
        mean = np.asarray(X.mean(axis=0)).ravel()
        known = np.arange(len(labels)) if documents is None else documents
        worth = {number: self._worth(X, np.flatnonzero(labels == number), number, mean, known) for number in numbers}
        return sorted((number for number in numbers if worth[number] > 0), key=lambda number: -worth[number])

    def _worth(self, X: Any, members: Array, number: int, mean: Array, documents: Array) -> float:
        if len(members) < _LEAST_OF_TWO:
            return 0.0
        return len(members) * self._find(number, documents[members], members, lambda drawn: _smaller(X[drawn], mean))


def _smaller(X: Any, mean: Array) -> float:
    """Return the share of the smaller half times the distance between the halves' directions, centred at `mean`
    (d,).
    """
    halves = np.asarray(fitted(SphericalKMeans(2, n_init=1, random_state=0), X).labels_)
    both, sizes = sums(X, [np.flatnonzero(halves == half) for half in (0, 1)])
    if not sizes.min():
        return 0.0
    apart = 1.0 - centred_cosines(both[:1], sizes[:1], both[1:], sizes[1:], mean)[0, 0]
    return float(sizes.min() / sizes.sum() * np.sqrt(2.0 * apart)) if apart > _ROUNDING else 0.0
