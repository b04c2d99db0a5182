"""A version: what a fit made of a log of decisions, starting from the version before."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np

from ..errors import InputError
from ..model import DocumentClustering
from ..steering.decisions import Decision
from ..text.collection import Collection as Collection  # a version shows its documents
from ..text.representation import Spaces
from ..types import Array
from .assignment import Assignment
from .receipts.decision import DecisionReceipt, decision_receipt
from .verdicts import Verdicts, judge

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
