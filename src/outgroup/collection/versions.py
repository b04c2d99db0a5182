"""Versions of a stored collection: the first fit, the continuation of an earlier version, and a sample of a version."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import clone

from ..cluster.strangeness import Strangeness
from ..decisions import Decision, Define, Word
from ..decisions.state import State
from ..errors import counted
from ..pipeline import GroupFit, spread
from ..readers.documents import Corpus
from ..rows.blocks import pieces
from ..rows.wrappers import MOST_SAMPLED, part_of, sampled
from ..session import DecisionReceipt, Past, Version
from ..session.refit import Fitter, by_name
from ..session.version import kept_names
from ..text.collection import Collection
from ..text.representation import Spaces
from ..types import Array
from .stored import RowSpaces, SparseStrings, StoredCollection, digests, digests_of

SAMPLED = 20_000
"""The number of documents in the report."""

NEW = -2
"""The group of a document that an earlier result does not have."""

_AT_ONCE = 1 << 16  # ids of an earlier result


def documents_with_rows(
    stored: StoredCollection,
    named: set[str],
    universum: Spaces | None,
    weights: Array | None,
    seed: int,
    *,
    without_outliers: bool,
) -> Collection:
    """Return the documents that have a row, with the ids in `named`; without the others' ids and texts.

    `weights` are those of all documents, or None.
    """
    ids = {int(stored.row_of[place]): each for each, place in stored.find(named) if stored.has_row[place]}
    space = stored.rows if stored.vectors is None else stored.vectors
    spaces = RowSpaces([], space, space if stored.vectors is None else stored.rows)
    n = len(spaces)
    found = Collection(
        SparseStrings(n, ids),  # type: ignore[arg-type]
        SparseStrings(n),  # type: ignore[arg-type]
        SparseStrings(n),  # type: ignore[arg-type]
        stored.representation,
        spaces,
        np.ones(n, dtype=bool),
        universum,
        sample_weight=None if weights is None else weights[stored.has_row],
    )
    if not without_outliers:
        return found
    scores = Strangeness.outliers(stored.spaces(stored.row_of[stored.draw(MOST_SAMPLED, seed)], []).space)
    blocks = [scores.score(sampled(space, np.arange(each.start, each.stop))) for each in pieces(n)]
    return found.leave_out(np.concatenate(blocks) > scores.threshold)


def first_version(
    stored: StoredCollection, documents: Collection, decisions: tuple[Decision, ...], clusterer: Any, seed: int
) -> Version:
    """Fit a version from scratch; where labelled words start groups, a sample is fitted, and all documents continue."""
    named = by_name(decisions)
    if not any(isinstance(each, Word | Define) and each.group is not None for each in named):
        return Fitter(documents, clone(clusterer).set_params(n_init=1), seed).fit_log(decisions, None)
    ids = documents.ids.at  # type: ignore[attr-defined]
    places = np.union1d(stored.draw(MOST_SAMPLED, seed), np.flatnonzero(stored.has_row)[list(ids)])
    corpus, rows, some = _some(stored, documents, places)
    first = Fitter(some, clusterer, seed).fit_log(named, None)
    past = Past.of(first, corpus.texts)
    groups = np.full(len(documents), NEW, dtype=np.int32)
    groups[rows] = first.labels
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
    every = homes(np.concatenate(stored.documents(digests_of)))
    found, before = every[stored.has_row], np.count_nonzero(homes.groups >= 0)
    removed = bool(np.count_nonzero(found >= 0) < before)
    fitter = Fitter(documents, clone(past.model.clusterer_), seed, past=past)
    begun = fitter.continue_from(past, state=_state_after(past, found, documents, gone=removed))
    version = fitter.fit_log((*past.decisions, *decisions), begun) if decisions else begun
    moved, new = np.count_nonzero((found != NEW) & (found != version.labels)), np.count_nonzero(found == NEW)
    gone = before - np.count_nonzero(every >= 0)
    note = f"{counted(int(moved), 'document')} moved, {new:,} new, {gone:,} gone"
    return replace(version, notes=(note, *dict.fromkeys((*begun.notes, *version.notes))))


def _state_after(past: Past, groups: Array, documents: Collection, *, gone: bool) -> State:
    """Return the state of documents after an earlier result with the groups `groups` (n,).

    New documents go where the model predicts.
    """
    new, numbers = np.flatnonzero(groups == NEW), np.array(past.numbers, dtype=np.int32)
    labels = groups.copy()
    if len(new):
        rows = part_of(documents.spaces.space, new)
        labels[new] = numbers[past.model.clusterer_.predict(rows, off_topic=False)]
    there = {identity: row for row, identity in documents.ids.at.items()}  # type: ignore[attr-defined]
    return past.state_of(labels, groups == NEW, there, refit=gone or bool(len(new)))


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
    among = spread(every.kept, stored.has_row, False, bool)
    corpus, rows, documents = _some(stored, every, stored.draw(SAMPLED, seed, among))
    # 2. Their groups and labels, by the row in the sample.
    row_of = {row: number for number, row in enumerate(rows.tolist())}
    state = replace(
        version.state,
        labels=version.labels[rows],
        free=np.zeros(len(rows), dtype=bool),
        pins={row_of[row]: label for row, label in version.state.pins.items() if row in row_of},
        away=frozenset(row_of[row] for row in version.state.away if row in row_of),
        absent={},
    )
    # 3. The version: the directions of the groups are those of all documents.
    clusterer = copy(version.model.clusterer_)
    fitter = Fitter(documents, clusterer, 0)
    arranged = fitter.fit_documents(state)
    order = arranged.order()
    fitted = GroupFit(clusterer, arranged, order)
    found = fitter.version(fitted, state, version.decisions, version.notes)
    clusterer.labels_ = found.model._positions()[arranged.inside][order].astype(np.int32)
    found.model.n_universum_, found.model._word_means = version.model.n_universum_, version.model._word_means
    return corpus, replace(found, number=version.number, automatic_names=kept_names(version))


def _some(stored: StoredCollection, every: Collection, places: Array) -> tuple[Corpus, Array, Collection]:
    """Return the documents at these positions, which have rows: with texts, the rows, and as a collection in memory."""
    corpus, rows = stored.corpus(places), stored.row_of[places]
    spaces, kept = stored.spaces(rows, corpus.texts), np.ones(len(rows), dtype=bool)
    texts = corpus.ids, corpus.titles, corpus.texts
    weights = None if every.sample_weight is None else every.sample_weight[rows]
    return corpus, rows, Collection(*texts, every.representation, spaces, kept, every.universum, sample_weight=weights)
