"""Active learning: questions about documents and groups, in the order of the documents that an answer moves."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from ..cluster.seeded import fitted
from ..cluster.spherical import SphericalKMeans
from ..decisions import Decision, Merge, Split
from ..decisions.state import Step
from ..rows.arrays import normalize
from ..solve.labels import LabelProcess
from ..stopping import stop_if_asked
from ..text.collection import Collection
from ..types import Array
from .version import Verdicts, Version

GROUP = "group:"
"""The prefix of skipped groups, before their number; skipped documents have their id."""

KINDS = {
    "typical": "Are these two groups one?",
    "mixed": "This group has two parts. Do they belong together?",
    "document": "This document may belong to another group, and similar ones with it. To which group does it belong?",
    "off-topic": "This document looks off-topic. Is it junk?",
}
"""The reasons by kind of proposal, as sentences."""


@dataclass(frozen=True)
class Proposal:
    """A question to the user about a document or a group.

    Parameters
    ----------
    row : int
        The document; -1 for a mixed group.
    kind : str
        One of `KINDS`.
    group, rival : int
        Numbers of the group and of a second one; -1 for none.
    moves : int, default 0
        The number of documents that move if the answer is not the present group: with the document to the second
        group, with the smaller of two groups, or with the smaller part of one.
    worth : float, default 0
        The expected number of documents that an answer moves; the questions are in its order.
    """

    row: int
    kind: str
    group: int
    rival: int = -1
    moves: int = 0
    worth: float = 0.0

    @property
    def why(self) -> str:
        """The reason for the question, as a sentence."""
        return KINDS[self.kind]


class Questions:
    """Asks about the versions of a session; it keeps the halves of groups from one version to the next.

    `_halves` has for a group its documents, the share of the smaller half, and the probability of two groups.
    """

    def __init__(self) -> None:
        self._halves: dict[int, tuple[Array, float, float]] = {}

    def next(
        self,
        version: Version,
        verdicts: Verdicts,
        decisions: Sequence[Decision],
        passed: AnyCollection[str] = (),
        *,
        most: int = 10,
    ) -> list[Proposal]:
        """Return the next questions, in descending order of the documents that an answer is expected to move.

        Questions about junk come last.

        Parameters
        ----------
        version : Version
        verdicts : Verdicts
            Those on the documents of the version.
        decisions : sequence of Decision
            The log.
        passed : str, default none
            The skipped documents by id, and the skipped groups as "group:3".
        most : int >= 0, default 10

        Notes
        -----
        Two groups are one with the probability that `LabelProcess.one` states, and a merge moves the smaller one. The
        halves of a group by k-means are two groups with a quarter of the remaining probability. A document is expected
        to move the documents that would follow it: see `LabelProcess.informative`.
        """
        assert version.documents is not None
        documents = version.documents.without_words(version.state.ignored)
        step, row_of = Step(version.state, documents), documents.row_of
        labelled = {document for decision in decisions for document in decision.labelled}
        excluded = np.zeros(len(documents), dtype=bool)
        excluded[[row_of[key] for key in {*labelled, *passed} if key in row_of]] = True
        proposals = list[Proposal]()
        if step.space is not None and len(version.numbers) > 1:
            process = LabelProcess.of(step.space, step.labels, len(version.numbers))
            proposals += _same(version, process, step.rows, excluded, decisions)
            merged = {group for decision in decisions if isinstance(decision, Merge) for group in decision.groups}
            left_out = {f"{GROUP}{number}" for number in version.state.done | merged} | {*passed}
            groups = [g for g, number in enumerate(version.numbers) if f"{GROUP}{number}" not in left_out]
            proposals += self._mixed(version, process, step.rows, groups)
            free = ~(excluded | version.state.finished)[step.rows]
            for best in process.informative(step.placed(version.state.pins), free):
                ways = (version.numbers[step.labels[best.row]], version.numbers[best.rival])
                proposals.append(Proposal(int(step.rows[best.row]), "document", *ways, best.moves, best.worth))
        proposals.sort(key=lambda proposal: -proposal.worth)
        return [*proposals, *_junk(version, verdicts, excluded)][:most]

    def _mixed(self, version: Version, process: LabelProcess, rows: Array, groups: list[int]) -> Iterator[Proposal]:
        for g in groups:
            members = np.flatnonzero(process.labels == g)
            if len(members) < _LEAST_OF_TWO:
                continue
            number, documents = version.numbers[g], rows[members]
            known = self._halves.get(number)
            if known is None or len(np.setxor1d(documents, known[0], assume_unique=True)) > _CHANGED * len(members):
                stop_if_asked()
                some = members[np.linspace(0, len(members) - 1, min(len(members), _SAMPLE_OF_GROUP)).astype(int)]
                known = self._halves[number] = documents, *_halves(process.space.rows[some], process.b)
            smaller, two = round(known[1] * len(members)), known[2]
            if two > 0:
                yield Proposal(-1, "mixed", number, moves=smaller, worth=_TWO * two * smaller)


def _same(
    version: Version, process: LabelProcess, rows: Array, seen: Array, decisions: Sequence[Decision]
) -> Iterator[Proposal]:
    """Yield the pairs of a group and the most similar one, with the document that is most typical of the first.

    A pair is answered once a document is seen that is as typical of its first group as half of its members.
    """
    k, numbers = len(version.numbers), version.numbers
    apart = [{*pair} for pair in version.state.apart]
    parted = {decision.group for decision in decisions if isinstance(decision, Split)} | version.state.done
    one, pairs = process.one(), set[frozenset[int]]()
    sizes = np.bincount(process.labels[process.labels >= 0], minlength=k)
    for g in range(k):
        for other in np.flatnonzero([{numbers[g], number} in apart for number in numbers]):
            one[g, other] = -1.0
        rival = int(one[g].argmax())
        if one[g, rival] <= 0 or parted & {numbers[g], numbers[rival]} or frozenset({g, rival}) in pairs:
            continue
        pairs.add(frozenset({g, rival}))
        members = np.flatnonzero(process.labels == g)
        typical = process.confidence(members)
        if (seen[rows[members]] & (typical >= np.median(typical))).any():
            continue
        moves = int(min(sizes[g], sizes[rival]))
        row = int(rows[members[_first_highest(typical)]])
        yield Proposal(row, "typical", numbers[g], numbers[rival], moves, float(one[g, rival]) * moves)


def _junk(version: Version, verdicts: Verdicts, seen: Array) -> Iterator[Proposal]:
    """Yield unseen documents by descending off-topic score, with their nearest groups: 2 % of all documents."""
    if verdicts.off_topic is None:
        return
    score = np.where(np.isfinite(verdicts.scores).all(axis=1), verdicts.off_topic_score, np.nan)
    order = np.argsort(-score, kind="stable")[: ceil(_JUNK * np.count_nonzero(np.isfinite(score)))]
    for row in order[~seen[order]].tolist():
        yield Proposal(row, "off-topic", version.numbers[int(verdicts.scores[row].argmax())])


_JUNK = 0.02  # of all documents, at most, in questions about junk
_ROUNDING = 1e-6  # relative tolerance of equal probabilities


def _first_highest(values: Array) -> int:
    """Return the position of the highest value; the first of values equal up to rounding.

    >>> _first_highest(np.array([0.5, 0.3 + 0.6, 0.9]))
    1
    """
    highest = float(values.max())
    return int(np.argmax(values >= highest - _ROUNDING * abs(highest)))


# --- Halves of groups

_SAMPLE_OF_GROUP = 300  # documents of a group, evenly spaced, to find its halves
_CHANGED = 0.1  # share of a group that may change before its halves are computed again
_LEAST_OF_TWO = 8  # smallest size of a group to split
_TWO = 0.25  # of the groups with clear halves hold two topics, about: k-means finds clear halves of one topic, too


def _halves(rows: Array, b: float) -> tuple[float, float]:
    """Return the share of the smaller half of unit rows (m, d), and one minus twice their mean probability of the other
    half, by logits that are `b` times the cosines.

    >>> share, two = _halves(np.repeat(np.eye(2), [6, 2], axis=0), 10.0)
    >>> share, round(two, 3)
    (0.25, 1.0)
    """
    of = np.asarray(fitted(SphericalKMeans(2, n_init=1, random_state=0), rows).labels_)
    centres = normalize([rows[of == half].sum(axis=0) for half in (0, 1)])
    other = softmax(b * (rows @ centres.T), axis=1)[np.arange(len(of)), 1 - of]
    share = float(np.bincount(of, minlength=2).min() / len(of))
    return share, 1.0 - 2.0 * float(other.mean()) if share > 0 else 0.0


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
    """Return the off-topic scores of the documents by labels, (n,); higher is more off-topic, nan without a row.

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
    if not len(labels.off_topic):
        return off_topic_score
    scores = np.full(len(off_topic_score), np.nan)
    scores[labels.documents.kept] = labels.scores(labels.off_topic, labels.grouped)
    return scores


def junk_seen(version: Version, scores: Array) -> float | None:
    """Return the estimated share of off-topic documents that have been labelled; None if there are too few labels.

    `scores` (n,) are those of `junk_scores`. Labelled documents get cross-validated scores: scores fitted on their own
    labels would be too extreme, and the estimate too high.
    """
    labels = _OffTopicLabels.of(version)
    if min(len(labels.off_topic), len(labels.grouped)) < _LEAST:
        return None
    row_scores = scores[labels.documents.kept]
    left = row_scores[np.isfinite(row_scores) & labels.free]
    return share_found(labels.held_out(), np.repeat([True, False], [len(labels.off_topic), len(labels.grouped)]), left)


def share_found(judged: Array, junk: Array, left: Array) -> float:
    """Return the estimated share of off-topic documents that have been labelled.

    A logistic curve over the scores `judged` (j,) of labelled documents, of which `junk` (j,) bool are off-topic, gives
    the probabilities of unlabelled documents with scores `left` (u,); their sum estimates the remaining count.

    >>> judged, junk = np.array([3.0, 2.5, 2.0, 1.0, 0.5]), np.array([True, True, True, False, False])
    >>> round(share_found(judged, junk, np.array([2.2, -1.0, -2.0])), 2)
    0.76
    """
    from sklearn.linear_model import LogisticRegression

    together = np.concatenate([judged, left])
    scale = max(float(together.std()), 1e-12)
    model = LogisticRegression(C=100.0).fit((judged / scale)[:, None], junk)
    unseen = float(model.predict_proba((left / scale)[:, None])[:, 1].sum()) if len(left) else 0.0
    seen = int(np.count_nonzero(junk))
    return seen / (seen + unseen)


@dataclass(frozen=True)
class _OffTopicLabels:
    """The labelled rows of m documents: off-topic rows `off_topic` (t,), and rows of groups `grouped` (p,)."""

    documents: Collection
    off_topic: Array
    grouped: Array

    @classmethod
    def of(cls, version: Version) -> _OffTopicLabels:
        """Return the labels of a version; the rows exclude ignored words."""
        assert version.documents is not None
        documents = version.documents.without_words(version.state.ignored)
        rows = np.flatnonzero(documents.kept)
        state = version.state
        return cls(documents, *(np.flatnonzero(np.isin(rows, list(labelled))) for labelled in (state.away, state.pins)))

    @property
    def free(self) -> Array:
        """The mask of unlabelled rows, (m,) bool."""
        free = np.ones(len(self.documents.spaces), dtype=bool)
        free[self.off_topic], free[self.grouped] = False, False
        return free

    def scores(self, off_topic: Array, grouped: Array) -> Array:
        """Return the off-topic scores of the rows, (m,), from the labelled rows `off_topic` and `grouped`."""
        space, examples, others = self.documents.spaces.space, self.documents.universum, np.flatnonzero(self.free)
        some = others[np.linspace(0, len(others) - 1, min(len(others), _SAMPLE)).astype(int)]
        junk = space[off_topic] if examples is None else _stacked([space[off_topic], examples.space])
        weights = np.repeat([1.0, len(others) / max(len(some), 1)], [len(grouped), len(some)])
        rest = space[np.concatenate([grouped, some])]
        return np.asarray(_regressed(junk, rest, weights).decision_function(space))

    def held_out(self) -> Array:
        """Return the cross-validated scores of the labelled rows, (t + p,)."""
        judged = np.concatenate([self.off_topic, self.grouped])
        held_out, t = np.zeros(len(judged)), len(self.off_topic)
        folds = np.concatenate([np.arange(t), np.arange(len(self.grouped))]) % _FOLDS
        for fold in range(_FOLDS):
            stop_if_asked()
            scores = self.scores(self.off_topic[folds[:t] != fold], self.grouped[folds[t:] != fold])
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
