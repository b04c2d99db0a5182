"""What each decision of a log touched, and in which version of a chain it was new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...steering import decisions as log
from ...steering.decisions.wording import reason_in
from ...types import Array

Version = Any
"""A `Version`, which imports this module."""


@dataclass(frozen=True, eq=False)
class Effect:
    """What a decision touched when it was followed: the `groups` by number, the documents that it `put` elsewhere at
    once and those that hold its `word`, by number; `note` says why it could not be followed, and is "" where it was."""

    decision: log.Decision
    groups: frozenset[int]
    put: Array
    word: Array
    note: str


def first_with(version: Version, decision: log.Decision) -> Version | None:
    """Return the latest version for which the decision was new."""
    step: Version | None = version
    while step is not None and decision not in new_decisions(step):
        step = step.parent
    return step


def last_place(version: Version, decision: log.Decision) -> int:
    """Return where a decision, which may have been said twice, stands in the log of a version for the last time."""
    return max(place for place, other in enumerate(version.lasting) if other == decision)


def effect_of(version: Version, decision: log.Decision) -> Effect | None:
    return next((effect for effect in reversed(effects_of(version)) if effect.decision == decision), None)


def new_decisions(version: Version) -> tuple[log.Decision, ...]:
    """Return the decisions that a version was the first one to follow."""
    base = base_of(version)
    return () if base is None else version.lasting[len(base.lasting) :]


def base_of(version: Version) -> Version | None:
    """Return what the new decisions of a version were followed from, of one that was kept, too."""
    base, step = getattr(version, "base", None), version.parent
    while base is None and step is not None:
        base = step if step.lasting == version.lasting[: len(step.lasting)] else None
        step = step.parent
    return base


def effects_of(version: Version) -> tuple[Effect, ...]:
    """Return what the new decisions of a version touched: of one that was kept, together, all that moved."""
    base = base_of(version)
    if version.effects or base is None:
        return version.effects
    rows = np.flatnonzero(base.labels != version.labels)
    groups = frozenset({*base.labels[rows].tolist(), *version.labels[rows].tolist()} & {*version.numbers})
    return tuple(Effect(each, groups, rows, rows[:0], _note(version, each)) for each in new_decisions(version))


def _note(version: Version, decision: log.Decision) -> str:
    """Return why a version could not follow a decision; "" where it did."""
    return next((note for note in version.notes if reason_in(note, decision)), "")


def row_of(version: Version, document: str) -> int | None:
    """Return the row of a document, None where there is none of this id."""
    return None if version.documents is None else version.documents.row_of.get(document)
