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
    """Return the documents that two decisions label differently."""
    both = {*decision.labelled} & {*other.labelled}
    anew = decision.kind == other.kind == "new-group"
    return both if anew or _home(version, decision) != _home(version, other) else set()


def _home(version: Version, decision: Decision) -> Any:
    """Return the group of a label, by number if it has one."""
    number = number_of(version, next(iter(getattr(decision, "groups", ())), None))
    return decision.place if number is None else number


def relabelled_later(version: Version, decision: Decision) -> set[str]:
    """Return the documents of a decision that a later decision labels differently."""
    return set[str]().union(*(relabelled(version, decision, later) for later in later_than(version, decision)))


def later_than(version: Version, decision: Decision) -> Sequence[Decision]:
    """Return the decisions in force after a decision; a log may repeat it."""
    return version.decisions[len(version.decisions) - version.decisions[::-1].index(decision) :]


def number_of(version: Version, group: Any) -> int | None:
    """Return the number of a group given by number or name; None for an unknown name."""
    return group if isinstance(group, int) else {name: number for number, name in version.names.items()}.get(group)
