"""The effects of decisions, and the versions of a chain that first have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array
from .base import Decision

Version = Any
"""A `Version`, which imports this module."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The direct effect of a decision: affected `groups`, the rows that it `moved`, rows with its ignored word
    (`with_word`), and the `reason` if it could not be applied.
    """

    decision: Decision
    groups: frozenset[int]
    moved: Array
    with_word: Array
    reason: str


def first_with(version: Version, decision: Decision) -> Version | None:
    """Return the latest version that has this decision among its new decisions; None if there is none."""
    step: Version | None = version
    while step is not None and decision not in new_decisions(step):
        step = step.parent
    return step


def last_place(version: Version, decision: Decision) -> int:
    """Return the last position of a decision in the log of a version; a log may repeat it."""
    return max(place for place, other in enumerate(version.decisions) if other == decision)


def effect_of(version: Version, decision: Decision) -> Effect | None:
    return next((effect for effect in reversed(effects_of(version)) if effect.decision == decision), None)


def new_decisions(version: Version) -> tuple[Decision, ...]:
    """Return the decisions that are new in a version."""
    if version.effects:
        return tuple(effect.decision for effect in version.effects)
    return () if version.origin is None else version.decisions[len(version.origin.decisions) :]


def effects_of(version: Version) -> tuple[Effect, ...]:
    """Return the effects of a version's new decisions; in a saved version they share all moves."""
    base = version.origin
    if version.effects or base is None:
        return version.effects
    rows = np.flatnonzero(base.labels != version.labels)
    groups = frozenset({*base.labels[rows].tolist(), *version.labels[rows].tolist()} & {*version.numbers})
    return tuple(
        Effect(decision, groups, rows, rows[:0], next(filter(None, map(decision.reason_in, version.notes)), ""))
        for decision in new_decisions(version)
    )


def rows_of(version: Version, documents: Sequence[str]) -> list[int]:
    """Return the rows of the documents that the version has."""
    row_of = {} if version.documents is None else version.documents.row_of
    return [row_of[document] for document in documents if document in row_of]


def relabelled(version: Version, decision: Decision, other: Decision) -> set[str]:
    """Return the documents that both decisions label and the later one labels differently."""
    both = {*decision.labelled} & {*other.labelled}
    anew = decision.kind == other.kind == "new-group"
    if not both or (decision.place == other.place and not anew):
        return set()
    later = max(decision, other, key=lambda one: last_place(version, one))
    return {document for document in both if not _stays(version, later, document)}


def _stays(version: Version, decision: Decision, document: str) -> bool:
    """Return whether a decision repeats the earlier label of a document, by name or number."""
    first, rows = first_with(version, decision), rows_of(version, [document])
    base = None if first is None else first.origin
    if first is None or base is None or not rows:
        return False
    before, after = base.state.pins.get(rows[0]), first.state.pins.get(rows[0])
    return before is not None and after is not None and bool(before.group == after.group)


def relabelled_later(version: Version, decision: Decision) -> set[str]:
    """Return the documents of a decision that a later decision labels differently."""
    return set[str]().union(*(relabelled(version, decision, later) for later in later_than(version, decision)))


def later_than(version: Version, decision: Decision) -> Sequence[Decision]:
    """Return the decisions in force after a decision."""
    return version.decisions[last_place(version, decision) + 1 :]


def moved_since(version: Version, decision: Decision, rows: Sequence[int]) -> str:
    """Return the last later split or merge that moved a document of the decision; "" if none did."""
    moved = [later for later in later_than(version, decision) if later.past and _moved_with(version, later, rows)]
    return f" since {moved[-1].past}" if moved else ""


def _moved_with(version: Version, decision: Decision, rows: Sequence[int]) -> bool:
    """Return whether a decision moved one of these documents to another group."""
    first = first_with(version, decision)
    effect = None if first is None else effect_of(first, decision)
    return effect is not None and not effect.reason and bool(np.isin(rows, effect.moved).any())


def number_of(version: Version, group: Any) -> int | None:
    """Return the number of a group given by number or name; None for an unknown name."""
    return group if isinstance(group, int) else {name: number for number, name in version.names.items()}.get(group)
