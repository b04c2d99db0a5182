"""A fitted model and its documents as the `Summary` that pages and terminals show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...model import DocumentClustering
from ...model.fitting import spread
from ...report.facts import Group, Summary
from ...report.inputs import Clustering, Judged, RunFacts
from ...report.summary import summarise, summarise_groups
from ...text.collection import LABELLED_AWAY
from ...text.reading.documents import Corpus
from ...text.representation import Spaces
from ...types import Array
from ..verdicts import judge
from .arrays_by_number import ByNumber


def shown_by(model: DocumentClustering, texts: Sequence[str]) -> ByNumber:
    """Return what a model says of the n documents that it was fitted on; its groups have the numbers 0 to k - 1. Those
    that were labelled off-topic are shown, too."""
    away = labelled_away(model)
    rows, spaces = model.kept_ | away, _with_thrown_away(model, away, texts)
    verdicts = judge(model, spaces, rows, model.labels_)
    if away.any():
        verdicts = replace(
            verdicts, away=away, off_topic=None if verdicts.off_topic is None else verdicts.off_topic | away
        )
    seeds = None if model.placed_ is None else model.placed_.seeds
    return ByNumber(
        rows, spaces, model.labels_[rows], verdicts, model.word_coef_, model.word_reject_, model.names_,
        pinned=None if seeds is None else spread(seeds >= 0, model.kept_[rows], False, bool),
    )  # fmt: skip


def labelled_away(model: DocumentClustering) -> Array:
    """Return which of the n documents of a model's fit were labelled off-topic, (n,) bool, and so took no part."""
    away = np.zeros(len(model.labels_), dtype=bool)
    away[[row for row, why in model.skipped_ if why == LABELLED_AWAY]] = True
    return away


def _with_thrown_away(model: DocumentClustering, away: Array, texts: Sequence[str]) -> Spaces:
    """Return the rows of the documents of a fit and of those that are `away`, which it saw as examples, in order."""
    if not away.any() or model.examples_ is None:
        return model.spaces_
    place = {text: row for row, text in enumerate(model.examples_.texts)}
    thrown = model.examples_.take(np.array([place[texts[row]] for row in np.flatnonzero(away).tolist()]))
    numbers = np.concatenate([np.flatnonzero(model.kept_), np.flatnonzero(away)])
    return model.spaces_.join(thrown).take(np.argsort(numbers))


def skipped(corpus: Corpus, model: DocumentClustering, rows: Array) -> list[tuple[str, str]]:
    """Return each document that is not among those that are shown, `rows` (n,) bool, and why."""
    nothing_left = [(corpus.ids[row], why) for row, why in model.skipped_ if not rows[row]]
    return nothing_left + [(skip.where, skip.reason) for skip in corpus.skipped]


def summary_of(
    corpus: Corpus, model: DocumentClustering, shown: ByNumber, *,
    fields: Mapping[str, Sequence[str | None]] | None = None, **facts: Any,
) -> Summary:  # fmt: skip
    """Return the summary of a model of the documents of a corpus; `facts` are further fields of `RunFacts`."""
    rows = np.flatnonzero(shown.rows).tolist()
    trace = getattr(model.clusterer_, "trace_", ())
    return summarise(
        _given(corpus, model, shown, rows), _judged(model, shown, rows),
        RunFacts(skipped=skipped(corpus, model, shown.rows), trace=trace, **facts),
        true_labels=None if corpus.labels is None else _at(corpus.labels, rows), names=shown.names, fields=fields,
    )  # fmt: skip


def groups_of(corpus: Corpus, model: DocumentClustering, shown: ByNumber) -> list[Group]:
    """Return the groups alone, as a summary has them without how far to trust them."""
    rows = np.flatnonzero(shown.rows).tolist()
    return summarise_groups(_given(corpus, model, shown, rows), _judged(model, shown, rows), shown.names)


def _given(corpus: Corpus, model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Clustering:
    return Clustering(
        X=shown.spaces.words,
        labels=shown.labels,
        scores=shown.verdicts.scores[rows],
        coef=shown.coef,
        feature_names=model.representation_.names,
        ids=_at(corpus.ids, rows),
        titles=_at(corpus.titles, rows),
        texts=[corpus.body(row) for row in rows],
        numbers=shown.numbers,
    )


def _judged(model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Judged | None:
    """Return what a report needs to tell of off-topic documents: None where there are no verdicts."""
    verdicts, away = shown.verdicts, shown.verdicts.away
    out = away if verdicts.off_topic is None else verdicts.off_topic
    if out is None:
        return None
    threshold = getattr(model.clusterer_, "off_topic_", None)
    thrown = None if away is None else away[rows]
    return Judged(out[rows], verdicts.off_topic_score[rows], shown.reject, threshold, thrown, shown.pinned)


def _at(values: Sequence[str], rows: list[int]) -> list[str]:
    return [values[row] for row in rows]
