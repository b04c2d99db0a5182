"""A fitted model and its documents as the `Summary` that pages and terminals show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model import DocumentClustering
from ...report.facts import Group, Summary
from ...report.inputs import Clustering, Judged, RunFacts
from ...report.summary import summarise, summarise_groups
from ...text.reading.documents import Corpus
from ..verdicts import judge
from .arrays_by_number import ByNumber


def shown_by(model: DocumentClustering) -> ByNumber:
    """Return what a model says of the documents that it was fitted on; its groups have the numbers 0 to k - 1."""
    rows = model.kept_
    verdicts = judge(model, model.spaces_, rows, model.labels_)
    return ByNumber(rows, model.labels_[rows], verdicts, model.word_coef_, model.word_reject_, model.names_)


def skipped(corpus: Corpus, model: DocumentClustering) -> list[tuple[str, str]]:
    """Return each document that took no part, and why."""
    nothing_left = [(corpus.ids[row], why) for row, why in model.skipped_]
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
        RunFacts(skipped=skipped(corpus, model), trace=trace, **facts),
        true_labels=None if corpus.labels is None else _at(corpus.labels, rows), names=shown.names, fields=fields,
    )  # fmt: skip


def groups_of(corpus: Corpus, model: DocumentClustering, shown: ByNumber) -> list[Group]:
    """Return the groups alone, as a summary has them without how far to trust them."""
    rows = np.flatnonzero(shown.rows).tolist()
    return summarise_groups(_given(corpus, model, shown, rows), _judged(model, shown, rows), shown.names)


def _given(corpus: Corpus, model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Clustering:
    return Clustering(
        X=model.spaces_.words,
        labels=shown.labels,
        scores=shown.verdicts.scores[rows],
        coef=shown.coef,
        feature_names=list(model.get_feature_names_out()),
        ids=_at(corpus.ids, rows),
        titles=_at(corpus.titles, rows),
        texts=[corpus.body(row) for row in rows],
        numbers=shown.numbers,
    )


def _judged(model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Judged | None:
    """Return what a report needs to tell of off-topic documents: None where there are no verdicts."""
    verdicts = shown.verdicts
    if verdicts.off_topic is None:
        return None
    return Judged(verdicts.off_topic[rows], verdicts.off_topic_score[rows], shown.reject, model.clusterer_.off_topic_)


def _at(values: Sequence[str], rows: list[int]) -> list[str]:
    return [values[row] for row in rows]
