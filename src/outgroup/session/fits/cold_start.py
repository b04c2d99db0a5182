"""The first fit of a session: from nothing, around the documents and words that were put to groups by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from ...model.fitting import Fitted, fit_from_nothing
from ...steering.decisions import Belongs, Decision, IgnoreWord, OffTopic, WordBelongs
from ...steering.seeds import Cluster, Seeds
from ...steering.steering import Steering
from ...text.collection import Collection
from ..notes import warnings_as_notes
from ..progress import Reporter
from ..state import Label, State


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


def cold_fit(
    documents: Collection, clusterer: Any, named: Sequence[Decision], reporter: Reporter
) -> tuple[Fitted, tuple[str, ...]]:
    """Fit a copy of the clusterer from nothing, with notes; raises InputError where that cannot be."""
    with warnings_as_notes() as notes:
        steering = Steering.of(seeds_of(named), None, documents.ids)
        fitted = fit_from_nothing(documents, clone(clusterer), steering, reporter.of("fitting"))
    return fitted, tuple(notes)


def cold_state(cold: Fitted, named: Sequence[Decision], ignored: frozenset[str], numbers: tuple[int, ...]) -> State:
    """Return what a first fit, and the decisions by name that it followed, come to."""
    documents, placed = cold.arranged.documents, cold.placed
    row_of = documents.row_of
    names = {} if placed is None else {g: name for g, name in enumerate(placed.names) if name is not None}
    gone = [each.document for each in named if isinstance(each, OffTopic)]
    away = frozenset(row_of[document] for document in gone if document in row_of)
    number_of = {name: number for number, name in names.items()}
    labelled = [each for each in named if isinstance(each, WordBelongs)]
    words = {each.word: Label(number_of[str(each.group)], each.weight) for each in labelled}
    pins = {}
    if placed is not None and placed.seeds is not None:
        rows = np.flatnonzero(cold.arranged.inside)
        labelled = np.flatnonzero(placed.seeds >= 0).tolist()
        pins = {int(rows[i]): Label(int(placed.seeds[i]), source="seed") for i in labelled}
    return State(cold.labels, numbers, np.zeros(len(documents), dtype=bool), names, pins, words, away, ignored)


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
