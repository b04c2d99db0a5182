"""How much each document looks like junk, by all that a person threw away and kept, and how much of it was seen.

The reject row learns beside groups that stay, some of them of junk that nobody has looked at yet, and as cautiously as
few examples need: by its order the last tenth of the junk comes late. A regression of what was thrown away against all
else knows no groups (docs/decisions/0023). It puts documents in order; what goes out by itself the reject row decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...stopping import stop_if_asked
from ...text.collection import Collection
from ...types import Array
from ..version import Version

_SAMPLE = 2_000  # documents that nobody judged, evenly drawn: they stand for all of these
_C = 10.0  # of the regression, whose two sides weigh the same
_FOLDS = 5  # of what was judged: each is scored by what was said of the others
_LEAST = 5  # of either kind, before it can be told how much of the junk was seen


def junk_scores(version: Version, off_topic_score: Array) -> Array:
    """Return how much each of n documents looks like junk, nan where it has no row; higher is more.

    While nobody threw a document away it is the `off_topic_score` (n,).

    Examples
    --------
    >>> from outgroup.session import Session
    >>> from outgroup.decisions import OffTopic
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "fresh bread"]
    >>> session = Session(texts, n_clusters=2)
    >>> scores = junk_scores(session.fit([OffTopic("2")], start=session.fit()), np.zeros(5))
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [2, 3]
    """
    said = _Said.of(version)
    if not len(said.thrown):
        return off_topic_score
    found = np.full(len(off_topic_score), np.nan)
    found[said.documents.kept] = said.scores(said.thrown, said.kept)
    return found


def junk_seen(version: Version, scores: Array) -> float | None:
    """Return the share of the junk that a person has seen by now, by an estimate; None where it cannot be told yet.

    `scores` (n,) are those of `junk_scores`. What was judged is scored without what was said of it: by a score that has
    learned from the answer, junk would lie far out, and hardly any would seem to be left.
    """
    said = _Said.of(version)
    if min(len(said.thrown), len(said.kept)) < _LEAST:
        return None
    own = scores[said.documents.kept]
    left = own[np.isfinite(own) & said.free]
    return share_found(said.held_out(), np.repeat([True, False], [len(said.thrown), len(said.kept)]), left)


def share_found(judged: Array, junk: Array, left: Array) -> float:
    """Return the share of the junk among documents of which those with the scores `judged` (j,) were looked at.

    The chance that a document is junk is read off these, of which some were `junk` (j,) bool and some not, by a
    logistic curve over the score, and added up over the others, with the scores `left` (u,).

    >>> judged, junk = np.array([3.0, 2.5, 2.0, 1.0, 0.5]), np.array([True, True, True, False, False])
    >>> round(share_found(judged, junk, np.array([2.2, -1.0, -2.0])), 2)
    0.76
    """
    from sklearn.linear_model import LogisticRegression

    every = np.concatenate([judged, left])
    scale = max(float(every.std()), 1e-12)
    model = LogisticRegression(C=100.0).fit((judged / scale)[:, None], junk)
    unseen = float(model.predict_proba((left / scale)[:, None])[:, 1].sum()) if len(left) else 0.0
    seen = int(np.count_nonzero(junk))
    return seen / (seen + unseen)


@dataclass(frozen=True)
class _Said:
    """Which of the m rows of some documents a person threw away, `thrown` (t,), and `kept` (p,)."""

    documents: Collection
    thrown: Array
    kept: Array

    @classmethod
    def of(cls, version: Version) -> _Said:
        """Return what was said until a version; words that are ignored are in no row."""
        assert version.documents is not None
        documents = version.documents.without_words(version.state.ignored)
        rows = np.flatnonzero(documents.kept)
        away, pins = (np.flatnonzero(np.isin(rows, list(each))) for each in (version.state.away, version.state.pins))
        return cls(documents, away, pins)

    @property
    def free(self) -> Array:
        """The rows of which nothing was said, (m,) bool."""
        free = np.ones(len(self.documents.spaces), dtype=bool)
        free[self.thrown], free[self.kept] = False, False
        return free

    def scores(self, thrown: Array, kept: Array) -> Array:
        """Return how much each row looks like junk, (m,), by some of those that were thrown away and kept."""
        space, examples, others = self.documents.spaces.space, self.documents.universum, np.flatnonzero(self.free)
        some = others[np.linspace(0, len(others) - 1, min(len(others), _SAMPLE)).astype(int)]
        junk = space[thrown] if examples is None else _stacked([space[thrown], examples.space])
        weights = np.repeat([1.0, len(others) / max(len(some), 1)], [len(kept), len(some)])
        rest = space[np.concatenate([kept, some])]
        return np.asarray(_regressed(junk, rest, weights).decision_function(space))

    def held_out(self) -> Array:
        """Return the score of each row that was judged by what was said of others, (t + p,)."""
        judged, found = np.concatenate([self.thrown, self.kept]), np.zeros(len(self.thrown) + len(self.kept))
        folds = np.concatenate([np.arange(len(self.thrown)), np.arange(len(self.kept))]) % _FOLDS
        of_thrown, of_kept = np.split(folds, [len(self.thrown)])
        for fold in range(_FOLDS):
            stop_if_asked()
            scores = self.scores(self.thrown[of_thrown != fold], self.kept[of_kept != fold])
            found[folds == fold] = scores[judged[folds == fold]]
        return found


def _regressed(junk: Any, rest: Any, weights: Array) -> Any:
    """Return a regression of `junk` against the `rest`, whose rows have `weights`; both sides weigh the same."""
    from sklearn.linear_model import LogisticRegression

    total = junk.shape[0] + weights.sum()  # as if all rows were there
    sides = [np.full(junk.shape[0], 1 / junk.shape[0]), weights / weights.sum()]
    answers = np.repeat([1, 0], [junk.shape[0], rest.shape[0]])
    model = LogisticRegression(C=_C, solver="liblinear", tol=1e-2)
    return model.fit(_stacked([junk, rest]), answers, total / 2 * np.concatenate(sides))


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts)
