"""A version: the groups that a fit made of a log of decisions, with the verdict on each document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from ..decisions import Decision, in_force
from ..document_clustering import DocumentClustering, rows_of, spread
from ..errors import InputError
from ..report.sentences import counted
from ..report.words import pulled_out
from ..text.collection import Collection as Collection  # a version shows its documents
from ..text.representation import Spaces
from ..types import Array, FindsOffTopic
from .apply import State
from .changes import Changes, HasGroups, changed_rows, changes
from .receipts import DecisionReceipt, Effect, decision_receipt

# --- The groups of documents after a log of decisions: a version without its model, as a project file keeps it


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """The groups of a session's documents after a log of decisions: what a project file keeps of each version.

    `session.fit(each.decisions, start=each)` finds its model again: the groups are those that it had.

    Parameters
    ----------
    number : int
        From 1, one more than that of the version before; in a project file, than that of the last one that is kept.
    ids : list of n str
        The documents.
    labels : (n,) int32
        The number of each document's group; -1 for a document in none: it is off-topic, or has no known word. A
        document that was said to belong to a group is in that group.
    numbers : tuple of k int
        The groups that there are. A number stays with its group from version to version; those of merged groups are
        free again.
    state : State
        What the decisions in force say, by numbers.
    decisions : tuple
        The whole log, with what was undone.
    parent : Assignment or None
        The version from which the fit started.
    notes : tuple of str
        What somebody should know: decisions that could not be followed, and why.
    seconds : float
        How long the fit took.
    made : datetime or None
        When the fit ended.
    effects : tuple
        What each new decision touched.

    Examples
    --------
    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> isinstance(Session(texts, n_clusters=2).fit(), Assignment)
    True
    """

    number: int
    ids: list[str]
    labels: Array
    numbers: tuple[int, ...]
    state: State
    decisions: tuple[Decision, ...] = ()
    parent: Assignment | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    made: datetime | None = None
    effects: tuple[Effect, ...] = ()

    def __repr__(self) -> str:
        """The version in a line: a notebook shall not print every id."""
        decided, notes = len(self.lasting), len(self.notes)
        said = f"{counted(len(self.ids), 'document')} in {groups_in_words(self)}"
        noted = f", {counted(notes, 'note')}" if notes else ""
        return f"<{type(self).__name__} {self.number}: {said} after {counted(decided, 'decision')}{noted}>"

    @property
    def names(self) -> Mapping[int, str]:
        """The names of those groups that somebody named, by their number."""
        return self.state.names

    @property
    def first(self) -> Assignment:
        """The version that all came from."""
        return self.chain[0]

    @property
    def chain(self) -> list[Assignment]:
        """The versions that it came from, the first one first, and itself."""
        found: list[Assignment] = [self]
        while (before := found[-1].parent) is not None:
            found.append(before)
        return found[::-1]

    @property
    def origin(self) -> Assignment | None:
        """The version whose decisions it goes on from: `parent`, or one before it of which nothing was taken back.

        Where it decides nothing beyond that one, it is that one again.
        """
        step = self.parent
        while step is not None and step.lasting != self.lasting[: len(step.lasting)]:
            step = step.parent
        return step

    @cached_property
    def lasting(self) -> tuple[Decision, ...]:
        """The decisions that no undo took back."""
        return in_force(self.decisions)

    @cached_property
    def groups(self) -> dict[str, int]:
        """The number of each document's group, by its id."""
        return dict(zip(self.ids, self.labels.tolist(), strict=True))

    def compare(self, other: HasGroups) -> Changes:
        """Return what differs in this version from an earlier one, or from what is kept of it.

        Documents are the same by their ids, groups by their numbers.

        Parameters
        ----------
        other : Version, Assignment or Past

        Returns
        -------
        Changes
        """
        if isinstance(other, Assignment) and other.ids is self.ids:
            return changed_rows(self.ids, other.labels, self.labels, self.names)
        return changes(other.groups, self.groups, self.names)


def groups_in_words(given: Assignment) -> str:
    """Return how many groups hold documents, and how many are empty."""
    full = len({*given.numbers} & {*np.unique(given.labels).tolist()})
    empty = len(given.numbers) - full
    return f"{counted(full, 'group')}{f', {empty} empty,' if empty else ''}"


# --- A version: what a fit made of a log of decisions, starting from the version before

_MODELS = 10  # that a chain holds: one that is found again takes some seconds of a large collection


@dataclass(frozen=True, eq=False, repr=False)
class Version(Assignment):
    """The groups of a session's documents after a log of decisions, and the model that found them. It never changes.

    Parameters
    ----------
    number, ids, labels, numbers, state, decisions, parent, notes, seconds, made, effects
        As of `Assignment`.
    model : DocumentClustering
        Fitted: its scores are in the order of `numbers`, and what it predicts are these.
    base : Assignment or None
        What the new decisions were followed from: `parent`, and after an undo the version before what it took back.
    documents : Collection or None
        The documents with their rows.
    threshold_examples : int or None
        How many examples there were when the off-topic threshold was placed, which further ones may leave as it is;
        None: those of the model.

    Examples
    --------
    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> version = Session(texts, n_clusters=2).fit()
    >>> version
    <Version 1: 4 documents in 2 groups after 0 decisions>
    >>> version.number, len(version.numbers), version.parent
    (1, 2, None)
    """

    model: DocumentClustering = field(kw_only=True)
    base: Assignment | None = field(default=None, kw_only=True)
    documents: Collection | None = field(default=None, kw_only=True)
    threshold_examples: int | None = field(default=None, kw_only=True)

    def receipt(self, decision: Decision) -> DecisionReceipt:
        """Return what became of one decision of the log, without a fit.

        Parameters
        ----------
        decision : Decision

        Returns
        -------
        DecisionReceipt
            What moved because of it, whether it was honoured, and what it contradicts.

        Raises
        ------
        InputError
            The log does not hold the decision.
        """
        if decision not in self.decisions:
            raise InputError(f"the decision {decision} is not in the log of version {self.number}")
        return decision_receipt(self, decision)

    def assess(self) -> Verdicts:
        """Return what the version says of each document.

        Returns
        -------
        Verdicts
            Scores for `numbers` (n, k), off-topic score and verdict.

        Raises
        ------
        AttributeError
            The version was loaded: it has no rows.
        """
        return judge(self.model, self.model.spaces_, self.rows, self.labels)

    def lighter(self, models: int = _MODELS) -> Version:
        """Return the same version, of which the chain has the models of the first one and of the last ones alone.

        Of the others it has the groups, from which a fit finds the model again: a day of decisions would hold a model
        for each.

        Parameters
        ----------
        models : int, default 10
            Of how many, this one among them: so many can be undone without that fit.

        Returns
        -------
        Version
        """
        before, base = self.parent, self.base
        if isinstance(before, Version) and before.parent is not None:
            before = before.lighter(models - 1) if models > 1 else without_models(before)
        if base is not None:
            base = before if base is self.parent else replace(without_models(base), parent=None)
        return replace(self, parent=before, base=base)

    @property
    def rows(self) -> Array:
        """Which of the n documents the model's `spaces_` hold, (n,) bool: those that took part in the fit."""
        return self.model.kept_

    @property
    def shown(self) -> tuple[Array, Spaces]:
        """Which of the n documents have rows, (n,) bool, and these: those that took part, and those thrown away."""
        if self.documents is None or not self.state.away:
            return self.rows, self.model.spaces_
        documents = self.documents.without_words(self.state.ignored)
        return documents.kept, documents.spaces

    def own(self, row: int) -> int:
        """Return where the model itself would put a document.

        Parameters
        ----------
        row : int
            The document's number.

        Returns
        -------
        int
            The number of a group; -1 for a document that took no part in the fit.
        """
        rows = self.rows
        if not rows[row]:
            return -1
        place = int(np.count_nonzero(rows[:row]))
        scores = self.model.clusterer_.decision_function(self.model.spaces_.space[place : place + 1])
        return int(self.numbers[int(np.asarray(scores).argmax())])


def without_models(version: Assignment) -> Assignment:
    """Return what a version says of its documents, without its model and those of the versions that it came from; of a
    first one, from which others are found again, all of it."""
    if not isinstance(version, Version):
        return version
    found, *later = version.chain
    for each in later:
        said = {field.name: getattr(each, field.name) for field in fields(Assignment)}
        found = Assignment(**said | {"parent": found}) if isinstance(each, Version) else each
    return found


# --- What a fitted model says of each document: the groups' scores, how off-topic it is, the verdict, and why

_WORDS = 8  # words that are told of a document


@dataclass(frozen=True)
class Verdicts:
    """Of n documents: `scores` (n, k) and `off_topic_score` (n,) are nan for a document without a known word.

    `off_topic` (n,) bool is None where there are no verdicts: without a Universum the score is only minus the margin,
    and some clusterers have none at all, which makes it nan.
    Where they are set `aside`, off-topic documents are in no group. Those that are `away` (n,) bool a person said to be
    off-topic: they always are, and in no group; None where nobody said so of any.
    `words` (n,) holds what pulled an off-topic document out, and "" for all others.
    """

    scores: Array
    off_topic_score: Array
    off_topic: Array | None
    words: Sequence[str]
    aside: bool = False
    away: Array | None = None


NO_VERDICTS = Verdicts(np.empty((0, 1)), np.empty(0), None, [])
"""On documents of which all are skipped."""


def judge(model: DocumentClustering, spaces: Spaces, kept: Array, labels: Array | None = None) -> Verdicts:
    """Return the verdicts on n documents, of which those that are `kept` (n,) have rows in `spaces`.

    `labels` (n,) are the groups of the documents of the fit: among them a labelled one stays, whatever its score.
    """
    n, groups = len(kept), model.clusterer_
    if not len(spaces):
        return Verdicts(np.full((n, 1), np.nan), np.full(n, np.nan), None, [""] * n)
    X = rows_of(spaces, groups)
    scores = spread(groups.decision_function(X), kept, np.nan, float)
    score = groups.off_topic_score(X) if isinstance(groups, FindsOffTopic) else np.full(X.shape[0], np.nan)
    if getattr(groups, "reject_coef_", None) is None:
        return Verdicts(scores, spread(score, kept, np.nan, float), None, [""] * n)
    over, aside = score > groups.off_topic_["value"], bool(getattr(groups, "set_aside", False))
    if aside and labels is not None:
        over = labels[kept] < 0
    words = spread(_words(model, spaces.words, over), kept, "", object).tolist()
    return Verdicts(scores, spread(score, kept, np.nan, float), spread(over, kept, False, bool), words, aside)


def _words(model: DocumentClustering, words: Any, over: Array) -> Array:
    said = np.full(len(over), "", dtype=object)
    if over.any() and model.word_reject_ is not None:
        names = model.representation_.names
        found = pulled_out(words[over], *model.word_reject_, len(model.word_coef_), names, _WORDS)
        said[over] = [" ".join(word for word, _ in words) for words in found]
    return said
