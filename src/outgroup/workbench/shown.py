"""What the page shows of a version: its groups as a summary, its documents by a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..report.documents.reader import Reader, reader_of
from ..report.facts import Fixed, Summary
from ..report.inputs import Clustering, Judged, RunFacts
from ..report.map.layout import layout
from ..report.summary import summarise
from ..session import Version
from ..session.reporting.arrays_by_number import by_number
from ..session.verdicts import judge
from ..session.version import Collection


class Shown:
    """What a page shows of a version: all documents that have a row, those that are away among the off-topic ones.

    Groups are in the order of their numbers; one that was merged away has none, and says so.
    """

    def __init__(self, version: Version, labels: Sequence[str] | None, fields: Mapping[str, Sequence[str]]) -> None:
        documents = version.documents
        assert documents is not None
        shown = by_number(version, judge(version.model, documents.spaces, documents.kept))
        self.version, self.documents, verdicts = version, documents, shown.verdicts
        rows = np.flatnonzero(documents.kept).tolist()

        def of(values: Sequence[Any]) -> list[Any]:
            return list(values) if len(rows) == len(values) else [values[row] for row in rows]

        self.labels = None if labels is None else of(labels)
        self.texts = of(documents.texts)
        self.fields = {name: of(values) for name, values in fields.items()}
        self.fields |= {} if self.labels is None else {"label": self.labels}
        self.names, self.verdicts, self.rows = shown.names, verdicts, rows
        self.given = Clustering(
            X=_without(documents, version.state.ignored), labels=version.labels[rows], scores=verdicts.scores[rows],
            coef=shown.coef, feature_names=documents.words, ids=of(documents.ids), titles=of(documents.titles),
            texts=self.texts, numbers=version.numbers,
        )  # fmt: skip
        threshold = getattr(version.model.clusterer_, "off_topic_", None)
        self.judged = Judged(version.labels[rows] < 0, verdicts.off_topic_score[rows], shown.reject, threshold)

    @property
    def reader(self) -> Reader:
        return reader_of(self.given, self.judged)

    def places(self, landmarks: int | None = None) -> Fixed:
        """Return places on a map; few `landmarks` make a rough one in a moment."""
        given, labels = self.given, self.given.labels
        place = layout(given.X, given.scores, np.maximum(labels, 0), labels < 0, landmarks=landmarks)
        return Fixed(place, np.zeros((len(labels), 0), dtype=np.int32))

    def summary(
        self, title: str, fixed: Fixed | None, skipped: Sequence[tuple[str, str]] = (),
        trust: dict[str, Any] | None = None,
    ) -> Summary:  # fmt: skip
        """`fixed` is what an earlier summary of the same documents found, `skipped` what was no document, `trust` the
        fields of a `Trust` of the groups, where they are known."""
        why, away = self.documents.representation.missing, np.flatnonzero(~self.documents.kept).tolist()
        return summarise(
            self.given,
            self.judged,
            RunFacts([*((self.documents.ids[row], why) for row in away), *skipped], trust=trust, run={"title": title}),
            true_labels=self.labels,
            names=self.names,
            fields={name: values for name, values in self.fields.items() if name != "label"},
            fixed=fixed,
            each=False,
        )


def _without(documents: Collection, ignored: frozenset[str]) -> Any:
    """Return the documents' rows of words, with zeros where a word is ignored."""
    words = documents.spaces.words
    columns = [column for word in sorted(ignored) for column in documents.columns(word)]
    if not columns:
        return words
    quiet = words.copy()
    quiet.data[np.isin(quiet.indices, columns)] = 0
    return quiet
