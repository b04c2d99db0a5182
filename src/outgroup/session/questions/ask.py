"""What to ask a person next about a version, by all that was decided and passed over."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from ...steering.decisions import Belongs, Decision, Regroup
from ...steering.decisions.log import documents_in
from ...types import Array
from ..cosines import nearest_groups
from ..verdicts import Verdicts
from ..version import Version
from .misplaced_parts import MisplacedParts, Part, answered
from .mixed_groups import MixedGroups
from .proposals import Proposal, propose

AGAIN = "again"
"""The name of the question whether groups should be found again, where it was passed over."""
GROUP = "group:"
"""What the number of a group that was passed over begins with, beside the ids of documents."""


ENOUGH = 10  # documents drawn at random that were labelled since: then it is asked whether these correct all groups


def ask_next(
    version: Version, found: Verdicts, decisions: Sequence[Decision], passed: Collection[str] = (), *,
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
