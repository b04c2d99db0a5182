"""What the decisions of a log say, resolved: every document, word and group by its number.

A state is a value: following a decision makes the next one, which says what it touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..types import Array

Names = Mapping[int, str]
Pair = frozenset[int]
"""The numbers of two groups."""


@dataclass(frozen=True)
class Label:
    """The label of a document or a word: its group, its weight, and its source, as of `Belongs`."""

    group: int
    weight: float = 1.0
    source: str = "correction"


@dataclass(frozen=True)
class State:
    """What holds after a log of decisions.

    `labels` (n,) has the number of each document's group, -1 for none; `numbers` are the groups there are, `names`
    those that have one. `pins` and `words` are the labelled documents (by number) and words, `away` the documents that
    belong to no group, `ignored` the words that count no more. `weights` is what a document of each group weighs, where
    a fit has groups weigh alike: settled once, by the groups' sizes, and changed by merging and splitting alone.
    `apart` are the pairs of groups that a person parted, by splitting one or beginning one with documents of the other.
    `absent` are labelled documents (by id, None for those of no group) that are not among these: labelled again when
    they are back. Since the version before, `touched` are the groups that decisions named, `free` (n,) bool the
    documents that the fit may move: those that hold a word which counts no more, or whose label was taken back; `refit`
    says whether a fit has to follow, and `again` whether the fit may take many steps.
    """

    labels: Array
    numbers: tuple[int, ...]
    free: Array
    names: Names = field(default_factory=dict)
    pins: Mapping[int, Label] = field(default_factory=dict)
    words: Mapping[str, Label] = field(default_factory=dict)
    away: frozenset[int] = frozenset()
    ignored: frozenset[str] = frozenset()
    weights: Mapping[int, float] = field(default_factory=dict)
    apart: frozenset[Pair] = frozenset()
    absent: Mapping[str, Label | None] = field(default_factory=dict)
    touched: frozenset[int] = frozenset()
    refit: bool = False
    again: bool = False
    notes: tuple[str, ...] = ()

    def by_id(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the labelled documents as `pins`, and those of no group as `away`, by id, with the absent ones."""
        pins = {each: label for each, label in self.absent.items() if label is not None}
        away = {each for each, label in self.absent.items() if label is None}
        return {
            "pins": pins | {ids[row]: label for row, label in self.pins.items()},
            "away": frozenset(away | {ids[row] for row in self.away}),
        }

    def weighed(self) -> State:
        """Return the state with weights by the groups' sizes, n / (k n_g), where it has none."""
        if self.weights:
            return self
        sizes = {number: int(np.count_nonzero(self.labels == number)) for number in self.numbers}
        mean = sum(sizes.values()) / len(sizes)
        return replace(self, weights={number: mean / max(size, 1) for number, size in sizes.items()})

    def settled(self) -> State:
        """Return the state as the next version begins with it: nothing is touched, nothing noted."""
        return replace(
            self,
            touched=frozenset(),
            free=np.zeros_like(self.free),
            refit=False,
            again=False,
            notes=(),
        )


def by_row(pins: Mapping[str, Label], away: Iterable[str], row_of: Mapping[str, int]) -> dict[str, Any]:
    """Return `pins`, `away` and `absent` of a state with these rows: the inverse of `State.by_id`.

    >>> found = by_row({"a": Label(2), "b": Label(3)}, ["c"], {"b": 0})
    >>> found["pins"], list(found["absent"])
    ({0: Label(group=3, weight=1.0, source='correction')}, ['c', 'a'])
    """
    said: dict[str, Label | None] = {**dict.fromkeys(sorted(away)), **pins}
    return {
        "pins": {row_of[each]: label for each, label in pins.items() if each in row_of},
        "away": frozenset(row_of[each] for each in away if each in row_of),
        "absent": {each: label for each, label in said.items() if each not in row_of},
    }
