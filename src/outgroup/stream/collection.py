"""The documents of a stream in a session: rows outside of memory, and the ids that decisions name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, overload

import numpy as np

from ..rows import cluster_sums
from ..rows.blocks import group_sizes, spans
from ..rows.wrappers import MOST_SAMPLED, MaskedRows, part_of, sampled
from ..session.apply import State
from ..session.past import Past
from ..text.collection import Collection
from ..text.representation import Spaces, nearest_of
from ..types import Array
from .results import digests

_COSINES = 1 << 26  # of documents with named ones, held at once: a quarter of a gigabyte
_AT_ONCE = 1 << 16  # ids of an earlier result


@dataclass(frozen=True)
class Known(Sequence[str]):
    """`n` strings, of which `at` holds some by position; the others are empty."""

    n: int
    at: Mapping[int, str]

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self.at.get(each, "") for each in range(*place.indices(self.n))]
        if place >= self.n:
            raise IndexError(place)
        return self.at.get(place, "")


@dataclass(frozen=True)
class RowSpaces(Spaces):
    """Spaces of `Rows` outside of memory, in the order of the input; one pass finds the neighbours of all `named` rows.

    A few documents, such as those with an off-topic label, are taken into memory.
    """

    named: tuple[int, ...] = ()

    def __len__(self) -> int:
        return int(self.space.shape[0])

    @cached_property
    def mean(self) -> Array:
        return np.asarray(cluster_sums(self.space, np.zeros(len(self), dtype=np.int32), 1)[0] / len(self))

    def rows(self, order: Any) -> Any:
        return self.space

    def order(self, seeds: Array | None = None) -> Array:
        return np.arange(len(self))

    def take(self, rows: Array) -> Spaces:
        if len(rows) == len(self):
            return self
        few = len(rows) <= MOST_SAMPLED
        taken = sampled if few else part_of
        space = taken(self.space, rows)
        words = taken(self.words, rows) if self.apart else space
        return Spaces([""] * len(rows), space, words) if few else RowSpaces([], space, words)

    def nearest(self, row: int) -> tuple[Array, Array]:
        if row not in self._nearest:
            every = sorted({row, *self.named})
            for span in spans([*range(0, len(every), max(1, _COSINES // len(self))), len(every)]):
                products = self.space.correlate(self.space.take(np.array(every[span]))).reshape(len(self), -1)
                for each, cosines in zip(every[span], products.T, strict=True):
                    self._nearest[each] = nearest_of(each, cosines.astype(np.float64))
        return self._nearest[row]

    def with_columns(self, columns: Sequence[int]) -> Array:
        chosen = np.zeros((len(columns), self.words.shape[1]))
        chosen[np.arange(len(columns)), columns] = 1.0
        return np.asarray(self.words.map(chosen, _any_score))

    def masked(self, columns: Array, by_words: bool) -> tuple[Spaces, Array]:
        words = MaskedRows(self.words, columns)
        space = self.space if self.apart else words
        left = np.asarray(space.squares()) > 0
        spaces = RowSpaces([], space, words, named=self.named)
        return spaces.take(np.flatnonzero(left)), left

    def mean_words(self, labels: Array, k: int) -> Array:
        return np.asarray(cluster_sums(self.words, labels, k) / np.maximum(group_sizes(labels, k), 1)[:, None])


def _any_score(scores: Array) -> Array:
    return (scores != 0).any(axis=1)


@dataclass(frozen=True)
class Homes:
    """The groups of the documents of an earlier result: digests of ids, ascending, and the groups, -1 for none."""

    keys: Array
    groups: Array

    @classmethod
    def of(cls, documents: Iterable[tuple[str, int]]) -> Homes:
        """Return the groups of (id, group) pairs."""
        documents, keys, groups = iter(documents), [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        while some := list(islice(documents, _AT_ONCE)):
            keys.append(digests([identity for identity, _ in some]))
            groups.append(np.array([group for _, group in some], dtype=np.int32))
        every = np.concatenate(keys)
        order = np.argsort(every, kind="stable")
        return cls(every[order], np.concatenate(groups)[order])

    def __call__(self, ids: list[str]) -> Array:
        """Return the group of each id, (n,) int32; `NEW` for an unknown one."""
        found = digests(ids)
        if not len(self.keys):
            return np.full(len(found), NEW, dtype=np.int32)
        place = np.minimum(np.searchsorted(self.keys, found), len(self.keys) - 1)
        return np.where(self.keys[place] == found, self.groups[place], np.int32(NEW))


NEW = -2
"""The group of a document that an earlier result does not have."""


def state_after(past: Past, homes: Homes, groups: Array, documents: Collection) -> State:
    """Return the state of the documents of a stream after an earlier result, whose `groups` (n,) they have.

    New documents go where the model predicts.
    """
    new, numbers = np.flatnonzero(groups == NEW), np.array(past.numbers, dtype=np.int32)
    labels = groups.copy()
    if len(new):
        rows = part_of(documents.spaces.space, new)
        labels[new] = numbers[past.model.clusterer_.predict(rows, off_topic=False)]
    gone = np.count_nonzero(groups >= 0) < np.count_nonzero(homes.groups >= 0)
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, groups == NEW, there, refit=bool(gone or len(new)))
