"""What a model says of a block of documents, as it is written: here, in a process beside, or on a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import DocumentClustering
from ...model.fitting import spread
from ...session.verdicts import Verdicts, judge
from ...text.reading.documents import Skip
from ...text.representation import Spaces
from ...types import Array
from .doubles import digests
from .kept import Names
from .results import JudgedBlock, made


@dataclass(frozen=True)
class Written:
    """The digests of a block's ids, how many documents of each group are off-topic (k,), how many each off-topic
    threshold flags, and what is written of it."""

    ids: Array
    flagged: Array
    over: Array
    content: Any


@dataclass(frozen=True)
class Judge:
    """A model without its documents, the kind of table that is written, and the groups' names."""

    model: DocumentClustering
    kind: str
    names: list[str]

    def __call__(
        self, named: Names, skipped: list[Skip], X: Any, has_row: Array, labels: Array, *, header: bool
    ) -> Written:
        """Return what is written of documents, of which those that have a row are `X` (m, V), in groups (m,)."""
        every = spread(labels, has_row, -1, np.int32)
        verdicts = judge(self.model, Spaces([""] * X.shape[0], X, X), has_row, every)
        judged = JudgedBlock(*named, skipped, verdicts)
        content = made(self.kind, judged, self.names, header=header)
        return Written(digests(named[0]), self._flagged(verdicts), self._over(verdicts), content)

    def _over(self, verdicts: Verdicts) -> Array:
        """Return how many documents score above each threshold that there was to choose from."""
        choices = (getattr(self.model.clusterer_, "off_topic_", None) or {}).get("choices", [])
        over = [np.count_nonzero(verdicts.off_topic_score > choice["value"]) for choice in choices]
        return np.array(over, dtype=np.int64)

    def _flagged(self, verdicts: Verdicts) -> Array:
        if verdicts.off_topic is None or verdicts.aside:
            return np.zeros(len(self.names), dtype=np.int64)
        over = np.flatnonzero(verdicts.off_topic)
        return np.bincount(verdicts.scores[over].argmax(axis=1), minlength=len(self.names))
