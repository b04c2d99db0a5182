"""A version: the groups after a log of decisions, with verdicts on the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from ..decisions import Decision
from ..decisions.history import Effect
from ..decisions.kinds import ProposedGroup
from ..decisions.state import State
from ..errors import InputError, counted
from ..model import Model
from ..pipeline import pulled_out, rows_of, spread
from ..text.collection import Collection as Collection  # a version shows its documents
from ..text.representation import Spaces
from ..types import Array, FindsOffTopic
from .changes import Changes, HasGroups, changes
from .receipts import DecisionReceipt, decision_receipt

_MODELS = 10  # models in a chain; to fit one again takes some seconds on a large collection


@dataclass(frozen=True, eq=False, repr=False)
class Version:
    """The groups of a session's documents after a log of decisions, with the fitted model; immutable.

    A project file and the middle of a long chain hold versions without a model: `session.fit(version.decisions,
    start=version)` fits it again, with the same groups.

    Parameters
    ----------
    number : int
        From 1, one more than the previous version; in a project file, one more than the last saved version.
    ids : list of n str
        The documents.
    state : State
        The groups and the decisions in force, by row and group number.
    decisions : tuple
        The whole log.
    parent : Version or None
        The version from which the fit started.
    notes : tuple of str
        Notes for the user, such as decisions that could not be applied, with the reason.
    seconds : float
        The duration of the fit.
    made : datetime or None
        The end of the fit.
    effects : tuple
        The effect of each new decision.
    automatic_names : dict of int to str
        The automatic names of groups, filled when a table or a page shows them; see `kept_names`.
    model : Model or None
        The fitted model: its scores are in the order of `numbers`, and it predicts these numbers.
    documents : Collection or None
        The documents with their rows.
    threshold_examples : int or None
        The number of examples at the last calibration of the off-topic threshold; None: those of the model.

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

    number: int
    ids: list[str]
    state: State
    decisions: tuple[Decision, ...] = ()
    parent: Version | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    made: datetime | None = None
    effects: tuple[Effect, ...] = ()
    automatic_names: dict[int, str] = field(default_factory=dict)
    model: Model = None  # type: ignore[assignment]  # nearly all versions that code meets have one
    documents: Collection | None = None
    threshold_examples: int | None = None

    def __repr__(self) -> str:
        """Return the version as one short line."""
        decided, notes = len(self.decisions), len(self.notes)
        size = f"{counted(len(self.ids), 'document')} in {groups_in_words(self)}"
        noted = f", {counted(notes, 'note')}" if notes else ""
        return f"<{type(self).__name__} {self.number}: {size} after {counted(decided, 'decision')}{noted}>"

    @property
    def labels(self) -> Array:
        """The group number of each document, (n,) int32; -1 for a document in no group: off-topic, or without a known
        word. A labelled document is in the group of its label.
        """
        return self.state.labels

    @property
    def numbers(self) -> tuple[int, ...]:
        """The present groups; a group keeps its number in later versions."""
        return self.state.numbers

    @property
    def names(self) -> Mapping[int, str]:
        """The names of the named groups, by number."""
        return self.state.names

    @property
    def proposed(self) -> tuple[ProposedGroup, ...]:
        """Groups suggested by new documents, until `NewGroup` accepts or `NotAGroup` rejects them."""
        return self.state.proposed

    @property
    def first(self) -> Version:
        """The first version of the chain."""
        return self.chain[0]

    @property
    def chain(self) -> list[Version]:
        """The versions from the first one to this one."""
        versions: list[Version] = [self]
        while (before := versions[-1].parent) is not None:
            versions.append(before)
        return versions[::-1]

    @property
    def origin(self) -> Version | None:
        """The latest earlier version without undone decisions; None if there is none.

        With no decision after it, this version has the same groups.
        """
        step = self.parent
        while step is not None and step.decisions != self.decisions[: len(step.decisions)]:
            step = step.parent
        return step

    @cached_property
    def groups(self) -> dict[str, int]:
        """The group numbers of the documents, by id."""
        return dict(zip(self.ids, self.labels.tolist(), strict=True))

    def compare(self, other: HasGroups) -> Changes:
        """Return the changes from an earlier version, or its saved form, to this version.

        Documents match by id, groups by number.

        Parameters
        ----------
        other : Version or Past

        Returns
        -------
        Changes
        """
        return changes(other.groups, self.groups)

    def receipt(self, decision: Decision) -> DecisionReceipt:
        """Return the receipt of a decision in the log; no fit is needed.

        Parameters
        ----------
        decision : Decision

        Returns
        -------
        DecisionReceipt
            Its moves, whether it is honoured, and its contradictions.

        Raises
        ------
        InputError
            The log does not hold the decision.
        """
        if decision not in self.decisions:
            raise InputError(f"the decision {decision} is not in the log of version {self.number}")
        return decision_receipt(self, decision)

    def assess(self) -> Verdicts:
        """Return the scores and off-topic verdicts of the documents.

        Returns
        -------
        Verdicts
            Scores for `numbers` (n, k), off-topic score and verdict.

        Raises
        ------
        AttributeError
            The version was loaded, so it has no rows.
        """
        return judge(self.model, self.model.spaces_, self.rows, self.labels)

    def verdicts_on(self, spaces: Spaces, rows: Array) -> Verdicts:
        """Return the verdicts on the documents in the mask `rows` (n,); those labelled off-topic are off-topic.

        Parameters
        ----------
        spaces : Spaces
            The rows of these documents.
        rows : (n,) bool

        Returns
        -------
        Verdicts
        """
        verdicts = judge(self.model, spaces, rows, self.labels)
        away = rows & np.isin(np.arange(len(rows)), list(self.state.away))
        if not away.any():
            return verdicts
        return replace(verdicts, away=away, off_topic=None if verdicts.off_topic is None else verdicts.off_topic | away)

    def lighter(self, models: int = _MODELS) -> Version:
        """Return the version with models only in the first and last versions of its chain, to save memory.

        The others keep their groups; a fit from one of them finds its model again.

        Parameters
        ----------
        models : int, default 10
            The number of models, this one included; undo within them needs no fit.

        Returns
        -------
        Version
        """
        before = self.parent
        if before is not None and before.model is not None and before.parent is not None:
            before = before.lighter(models - 1) if models > 1 else without_models(before)
        return replace(self, parent=before)

    @property
    def rows(self) -> Array:
        """The mask of documents that the model was fitted on, (n,) bool; `spaces_` contains their rows."""
        return self.model.kept_

    @property
    def rows_and_spaces(self) -> tuple[Array, Spaces]:
        """The mask of documents with rows, (n,) bool, and these rows: fitted documents and those labelled off-topic."""
        if self.documents is None or not self.state.away:
            return self.rows, self.model.spaces_
        documents = self.documents.without_words(self.state.ignored)
        return documents.kept, documents.spaces

    def own(self, row: int) -> int:
        """Return the model's own prediction for a document, ignoring its label.

        Parameters
        ----------
        row : int

        Returns
        -------
        int
            The number of a group; -1 for a document outside the fit.
        """
        rows = self.rows
        if not rows[row]:
            return -1
        place = int(np.count_nonzero(rows[:row]))
        scores = self.model.clusterer_.decision_function(self.model.spaces_.space[place : place + 1])
        return int(self.numbers[int(np.asarray(scores).argmax())])


def without_models(version: Version) -> Version:
    """Return a version and its chain without models, except the model of the first version."""
    result, *later = version.chain
    for step in later:
        result = replace(step, model=None, parent=result)  # type: ignore[arg-type]
    return result


def kept_names(version: Version) -> dict[int, str]:
    """Return automatic names, also earlier ones of groups that changed little (a Jaccard index of at least .9)."""
    earlier, names = version.parent, dict(version.automatic_names)
    while earlier is not None and not earlier.automatic_names:
        earlier = earlier.parent
    if earlier is not None:
        for number in {*earlier.automatic_names} & {*version.numbers} - {*names, *version.names}:
            before, now = earlier.labels == number, version.labels == number
            if np.count_nonzero(before & now) >= 0.9 * np.count_nonzero(before | now):
                names[number] = earlier.automatic_names[number]
    return names


def groups_in_words(version: Version) -> str:
    """Return a phrase that counts groups with documents and empty groups."""
    full = len({*version.numbers} & {*np.unique(version.labels).tolist()})
    empty = len(version.numbers) - full
    return f"{counted(full, 'group')}{f', {empty} empty,' if empty else ''}"


# --- Verdicts on documents: scores, off-topic verdicts and their words


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on n documents: `scores` (n, k) and `off_topic_score` (n,); nan for documents without a row.

    `off_topic` (n,) bool is None without a Universum: the score is then minus the margin, or nan for a clusterer
    without off-topic scores. Those `aside` (n,) bool are in no group; None if documents are flagged only. `away` (n,)
    bool are the documents with an off-topic label, in no group; None without such labels. `words` (n,) are the words
    that make a document off-topic, "" for all others. `unlike` (n,) are "yes" for new documents that are unlike every
    group, "no" for the others, "" where it cannot be told; None for documents of a fit.
    """

    scores: Array
    off_topic_score: Array
    off_topic: Array | None
    words: Sequence[str]
    aside: Array | None = None
    away: Array | None = None
    unlike: Sequence[str] | None = None


NO_VERDICTS = Verdicts(np.empty((0, 1)), np.empty(0), None, [], unlike=[])
"""The verdicts on no new document."""


def judge(model: Model, spaces: Spaces, has_row: Array, labels: Array | None = None) -> Verdicts:
    """Return the verdicts on n documents; documents in the mask `has_row` (n,) have rows in `spaces`.

    `labels` (n,) are the groups of the documents of the fit; a labelled document keeps its group at any score.
    """
    n, groups = len(has_row), model.clusterer_
    if not len(spaces):
        return Verdicts(np.full((n, len(model.numbers_)), np.nan), np.full(n, np.nan), None, [""] * n)
    X = rows_of(spaces, groups)
    scores = spread(groups.decision_function(X), has_row, np.nan, float)
    score = groups.off_topic_score(X) if isinstance(groups, FindsOffTopic) else np.full(X.shape[0], np.nan)
    if getattr(groups, "reject_coef_", None) is None:
        return Verdicts(scores, spread(score, has_row, np.nan, float), None, [""] * n)
    over, aside = score > groups.off_topic_["value"], None
    if getattr(groups, "set_aside", False):
        above = score > groups._aside_above
        out = above if labels is None else labels[has_row] < 0
        over, aside = out | (over & ~above), spread(out, has_row, False, bool)
    words = spread(_words(model, spaces.words, over), has_row, "", object).tolist()
    return Verdicts(scores, spread(score, has_row, np.nan, float), spread(over, has_row, False, bool), words, aside)


def judge_new(model: Model, spaces: Spaces, has_row: Array, score: Array | None = None) -> Verdicts:
    """Return the verdicts on n new documents, and which are unlike every group; pass a known novelty `score` (m,) to
    save time.
    """
    known, score = model._known_rows(), model._novelty_score(spaces) if score is None else score
    if known is None or score is None or np.isinf(known.threshold):
        return replace(judge(model, spaces, has_row), unlike=[""] * len(has_row))
    unlike = spread(np.where(score > known.threshold, "yes", "no"), has_row, "", object)
    return replace(judge(model, spaces, has_row), unlike=unlike.tolist())


def _words(model: Model, words: Any, over: Array) -> Array:
    result = np.full(len(over), "", dtype=object)
    if over.any() and model.word_reject_ is not None:
        names = model.representation_.names
        reasons = pulled_out(words[over], *model.word_reject_, len(model.word_coef_), names, 8)
        result[over] = [" ".join(word for word, _ in words) for words in reasons]
    return result
