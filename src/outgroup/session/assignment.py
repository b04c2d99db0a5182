"""The groups of documents after a log of decisions: a version without its model, as a project file keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np

from ..report.sentences.wording import counted
from ..steering.decisions import Decision, in_force
from ..types import Array
from .changes import Changes, HasGroups, changed_rows, changes
from .receipts.effects import Effect
from .state import State


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
