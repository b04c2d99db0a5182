"""Versions of a stored collection: the first fit, the continuation of an earlier version, and a sample of a version."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import clone

from ..decisions import Decision, Define, Word
from ..decisions.state import State
from ..errors import counted
from ..pipeline import GroupFit
from ..readers.documents import Corpus
from ..rows.wrappers import MOST_SAMPLED, part_of
from ..session import DecisionReceipt, Past, Version
from ..session.refit import Fitter, by_name
from ..session.version import kept_names
from ..text.collection import Collection
from ..types import Array
from .stored import StoredCollection, digests, digests_of, in_memory

SAMPLED = 20_000
"""The number of documents in the report."""

NEW = -2
"""The group of a document that an earlier result does not have."""

_AT_ONCE = 1 << 16  # ids of an earlier result


def first_version(
    stored: StoredCollection, documents: Collection, decisions: tuple[Decision, ...], clusterer: Any, seed: int
) -> Version:
    """Fit a version from scratch; where labelled words start groups, a sample is fitted, and all documents continue."""
    named = by_name(decisions)
    if not any(isinstance(each, Word | Define) and each.group is not None for each in named):
        return Fitter(documents, clone(clusterer).set_params(n_init=1), seed).fit_log(decisions, None)
    ids = [place for place in documents.ids.at if documents.kept[place]]  # type: ignore[attr-defined]
    places = np.union1d(stored.draw(MOST_SAMPLED, seed), ids).astype(int)
    corpus, some = _some(stored, documents, places)
    first = Fitter(some, clusterer, seed).fit_log(named, None)
    past = Past.of(first, corpus.texts)
    groups = np.full(len(documents), NEW, dtype=np.int32)
    groups[places] = first.labels
    fitter = Fitter(documents, clone(clusterer), seed, past=past)
    begun = fitter.continue_from(past, state=_state_after(past, groups, documents, gone=False))
    found = fitter.fit_log(decisions, begun) if decisions != named else begun
    return replace(found, number=1, decisions=decisions)


def next_version(
    stored: StoredCollection,
    documents: Collection,
    past: Past,
    groups: Iterable[tuple[str, int]],
    decisions: tuple[Decision, ...],
    seed: int,
) -> Version:
    """Continue an earlier version, whose documents had these (id, group) pairs; a note counts moved, new and removed
    documents.
    """
    homes = Homes.of(groups)
    found, has_row = homes(np.concatenate([*stored.documents(digests_of)])), stored.has_row
    before = np.count_nonzero(homes.groups >= 0)
    removed = bool(np.count_nonzero(found[has_row] >= 0) < before)
    fitter = Fitter(documents, clone(past.model.clusterer_), seed, past=past)
    begun = fitter.continue_from(past, state=_state_after(past, found, documents, gone=removed))
    version = fitter.fit_log((*past.decisions, *decisions), begun) if decisions else begun
    moved = np.count_nonzero(has_row & (found != NEW) & (found != version.labels))
    new, gone = np.count_nonzero(has_row & (found == NEW)), before - np.count_nonzero(found >= 0)
    note = f"{counted(int(moved), 'document')} moved, {new:,} new, {gone:,} gone"
    return replace(version, notes=(note, *dict.fromkeys((*begun.notes, *version.notes))))


def _state_after(past: Past, groups: Array, documents: Collection, *, gone: bool) -> State:
    """Return the state of documents after an earlier result with the groups `groups` (n,).

    New documents go where the model predicts.
    """
    new, labels = documents.kept & (groups == NEW), np.where(documents.kept, groups, -1).astype(np.int32)
    if new.any():
        rows = part_of(documents.spaces.space, np.flatnonzero(new[documents.kept]))
        found = past.model.clusterer_.predict(rows, off_topic=False)
        labels[new] = np.array(past.numbers, dtype=np.int32)[found]
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, new, there, refit=gone or bool(new.any()))


@dataclass(frozen=True)
class Homes:
    """The groups of an earlier result's documents: sorted digests of ids, and the groups, -1 for none."""

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

    def __call__(self, ids: Array) -> Array:
        """Return the group of each document by the digest of its id, (n,) int32; `NEW` for an unknown id.

        Of documents with the same id, each takes the next earlier one, so that no earlier document is found twice.
        """
        order = np.argsort(ids, kind="stable")
        found, groups = ids[order], np.full(len(ids), NEW, dtype=np.int32)
        places = np.searchsorted(self.keys, found) + np.arange(len(found)) - np.searchsorted(found, found)
        inside = places < len(self.keys)
        inside[inside] = self.keys[places[inside]] == found[inside]
        groups[order[inside]] = self.groups[places[inside]]
        return groups


def receipts_of(version: Version) -> tuple[DecisionReceipt, ...]:
    """Return the effect of each decision, as the number of documents that moved at once."""
    receipts = []
    for effect in version.effects:
        why = effect.reason
        said = f"not followed: {why}" if why else f"{counted(len(effect.moved), 'document')} moved at once"
        receipts.append(DecisionReceipt(effect.decision, None, 0, False if why else None, said, []))
    return tuple(receipts)


def sample_of(stored: StoredCollection, version: Version, seed: int) -> tuple[Corpus, Version]:
    """Return some documents, and the version restricted to them."""
    every = version.documents
    assert every is not None
    # 1. A random sample of the documents with a row, without outliers that were set aside.
    places = stored.draw(SAMPLED, seed, every.kept)
    corpus, documents = _some(stored, every, places)
    # 2. The version: the directions of the groups are those of all documents.
    state, clusterer = part_of_state(version, places), copy(version.model.clusterer_)
    fitter = Fitter(documents, clusterer, 0)
    arranged = fitter.fit_documents(state)
    order = arranged.order()
    fitted = GroupFit(clusterer, arranged, order)
    found = fitter.version(fitted, state, version.decisions, version.notes)
    clusterer.labels_ = found.model._positions()[arranged.inside][order].astype(np.int32)
    found.model.n_universum_, found.model._word_means = version.model.n_universum_, version.model._word_means
    return corpus, replace(found, number=version.number, automatic_names=kept_names(version))


def part_of_state(version: Version, places: Array) -> State:
    """Return the state of the documents at these ascending positions."""
    state, row_of = version.state, {place: row for row, place in enumerate(places.tolist())}
    return replace(
        state,
        labels=version.labels[places],
        free=np.zeros(len(places), dtype=bool),
        pins={row_of[place]: label for place, label in state.pins.items() if place in row_of},
        away=frozenset(row_of[place] for place in state.away if place in row_of),
        absent={},
    )


def _some(stored: StoredCollection, every: Collection, places: Array) -> tuple[Corpus, Collection]:
    """Return the documents at these positions, which have rows, with texts, and as a collection in memory."""
    corpus, rows = stored.corpus(places), stored.row_of[places]
    spaces, kept = in_memory(stored.spaces, rows, corpus.texts), np.ones(len(rows), dtype=bool)
    texts = corpus.ids, corpus.titles, corpus.texts
    weights = None if every.sample_weight is None else every.sample_weight[places]
    return corpus, Collection(*texts, every.representation, spaces, kept, every.universum, sample_weight=weights)
