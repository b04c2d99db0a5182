"""A version: what a fit made of a log of decisions, starting from the version before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputError
from ..model import DocumentClustering
from ..report.wording import counted
from ..steering.decisions import Decision, in_force
from ..text.collection import Collection as Collection  # a version shows its documents
from ..types import Array
from .assess import Verdicts, judge
from .changes import Changes, Grouped, changed_rows, changes
from .decision_receipt import DecisionReceipt, Effect, decision_receipt
from .state import State


@dataclass(frozen=True, eq=False, repr=False)
class Version:
    """The groups of a session's documents after a log of decisions. It never changes.

    Parameters
    ----------
    number : int
        From 1, one more than that of the version before.
    ids : list of n str
        The documents.
    labels : (n,) int32
        The number of each document's group; -1 for a document in none: it is off-topic, or has no known word. A
        document that was said to belong to a group is in that group.
    numbers : tuple of k int
        The groups that there are. A number stays with its group from version to version; those of merged groups are
        free again.
    model : DocumentClustering
        Fitted: its group g is `numbers[g]`, here and in its own `labels_`.
    state : State
        What the decisions in force say, by numbers.
    decisions : tuple
        The whole log, with what was undone.
    parent : Version or None
        The version from which the fit started.
    notes : tuple of str
        What somebody should know: decisions that could not be followed, and why.
    seconds : float
        How long the fit took.
    effects : tuple
        What each new decision touched.
    base : Version or None
        What the new decisions were followed from: `parent`, and after an undo the version before what it took back.
    documents : Collection or None
        The documents with their rows.

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
    labels: Array
    numbers: tuple[int, ...]
    model: DocumentClustering
    state: State
    decisions: tuple[Decision, ...] = ()
    parent: Version | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    effects: tuple[Effect, ...] = ()
    base: Version | None = None
    documents: Collection | None = None

    def __repr__(self) -> str:
        """The version in a line: a notebook shall not print every id."""
        decided, notes = len(self.lasting), len(self.notes)
        said = f"{counted(len(self.ids), 'document')} in {counted(len(self.numbers), 'group')}"
        noted = f", {counted(notes, 'note')}" if notes else ""
        return f"<Version {self.number}: {said} after {counted(decided, 'decision')}{noted}>"

    @property
    def names(self) -> Mapping[int, str]:
        """The names of those groups that somebody named, by their number."""
        return self.state.names

    @property
    def first(self) -> Version:
        """The version that all came from."""
        step = self
        while step.parent is not None:
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

    def compare(self, other: Grouped) -> Changes:
        """Return what differs in this version from an earlier one, or from what is kept of it.

        Documents are the same by their ids, groups by their numbers.

        Parameters
        ----------
        other : Version or Past

        Returns
        -------
        Changes
        """
        if isinstance(other, Version) and other.ids is self.ids:
            return changed_rows(self.ids, other.labels, self.labels, self.names)
        return changes(other.groups, self.groups, self.names)

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

    @property
    def rows(self) -> Array:
        """Which of the n documents the model's `spaces_` hold, (n,) bool: those that took part in the fit."""
        out = np.zeros(len(self.ids), dtype=bool)
        out[[row for row, _ in self.model.skipped_]] = True
        return ~out

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
