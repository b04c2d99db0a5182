"""The first fit of a session: from nothing, around the documents and words that were put to groups by name."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..model import call
from ..steering.decisions import Belongs, Decision, IgnoreWord, OffTopic, WordBelongs
from ..steering.place import Steering, takes_seeds
from ..steering.seeds import Cluster, Placed, Seeds
from ..types import Array
from .collection import Arranged, Collection
from .watch import Watch


@dataclass(frozen=True)
class Cold:
    """A clusterer fitted on the rows `arranged.spaces.space[order]`, and the seeds that it had, None for none."""

    clusterer: Any
    arranged: Arranged
    order: Array
    placed: Placed | None
    notes: tuple[str, ...]

    @property
    def labels(self) -> Array:
        """The group of each row of the spaces, (m,)."""
        return np.asarray(self.clusterer.labels_)[np.argsort(self.order)]


def by_name(log: Sequence[Decision]) -> tuple[Decision, ...]:
    """Return the beginning of a log that a first fit can follow: it names no group by a number.

    Numbers are those of a version, so where one follows, only labels by name make such a beginning.

    >>> by_name([Belongs("d1", "bread"), OffTopic("d2"), Belongs("d3", 0)])
    (Belongs(document='d1', group='bread', weight=1.0), OffTopic(document='d2'))
    >>> by_name([OffTopic("d2"), Belongs("d3", 0)])
    ()
    """
    count = next((place for place, each in enumerate(log) if not _without_numbers(each)), len(log))
    named = any(isinstance(each, Belongs | WordBelongs) for each in log[:count])
    return tuple(log[:count]) if named or count == len(log) else ()


def _without_numbers(decision: Decision) -> bool:
    if isinstance(decision, Belongs | WordBelongs):
        return isinstance(decision.group, str)
    return isinstance(decision, OffTopic | IgnoreWord)


def cold_fit(documents: Collection, clusterer: Any, named: Sequence[Decision], watch: Watch) -> Cold:
    """Fit a copy of the clusterer from nothing; raises InputError where that cannot be."""
    seeds = seeds_of(named)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        steering = Steering.of(seeds, None, documents.ids, len(documents))
        arranged = Arranged.of(documents, frozenset(np.flatnonzero(steering.away).tolist()))
        placed = steering.place(documents.representation.vectorizer, clusterer.n_clusters, arranged.inside)
        order = arranged.spaces.order(None if placed is None else placed.seeds)
        fitted = clone(clusterer)
        if placed is not None:
            takes_seeds(fitted)
        extras = _extras(arranged, placed, order)
        call(fitted.fit, arranged.spaces.space[order], progress=watch.of("fitting"), **extras)
    return Cold(fitted, arranged, order, placed, tuple(str(each.message) for each in heard))


def _extras(arranged: Arranged, placed: Placed | None, order: Array) -> dict[str, Any]:
    extras = {} if arranged.examples is None else {"universum": arranged.examples.space}
    if placed is not None:
        extras |= placed.arguments(order)
        if arranged.spaces.apart and "word_seeds" in extras:
            extras["words"] = arranged.spaces.words[order]
    return extras


def seeds_of(named: Sequence[Decision]) -> Seeds | None:
    """Return decisions by name as seeds; of two on one document the later holds. None where they label nothing."""
    homes: dict[str, str | None] = {}
    words: dict[str, dict[str, None]] = {}
    weights: dict[str, float] = {}
    for each in named:
        if isinstance(each, Belongs | WordBelongs):
            name = str(each.group)
            words.setdefault(name, {})
            weights[name] = max(each.weight, weights.get(name, 0.0))
        if isinstance(each, Belongs | OffTopic):
            homes[each.document] = str(each.group) if isinstance(each, Belongs) else None
        elif isinstance(each, WordBelongs):
            words[str(each.group)][each.word] = None
    if not homes and not words:
        return None
    clusters = {
        name: Cluster(tuple(doc for doc, home in homes.items() if home == name), tuple(own), weights[name])
        for name, own in words.items()
    }
    return Seeds(clusters, tuple(document for document, home in homes.items() if home is None))
