"""How much each document looks like junk, by all that a person threw away and kept.

The reject row learns beside groups that stay, some of them of junk that nobody has looked at yet, and as cautiously as
few examples need: by its order the last tenth of the junk comes late. A regression of what was thrown away against all
else knows no groups (docs/decisions/0023). It puts documents in order; what goes out by itself the reject row decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..types import Array
from .version import Version

_SAMPLE = 2_000  # documents that nobody judged, evenly drawn: they stand for all of these
_C = 10.0  # of the regression, whose two sides weigh the same


def junk_scores(version: Version, off_topic_score: Array) -> Array:
    """Return how much each of n documents looks like junk, nan where it has no row; higher is more.

    While nobody threw a document away it is the `off_topic_score` (n,).

    Examples
    --------
    >>> from outgroup.session import Session
    >>> from outgroup.steering.decisions import OffTopic
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's train", "fresh bread"]
    >>> session = Session(texts, n_clusters=2)
    >>> scores = junk_scores(session.fit([OffTopic("2")], start=session.fit()), np.zeros(5))
    >>> sorted(np.argsort(-scores)[:2].tolist())
    [2, 3]
    """
    assert version.documents is not None
    documents, state = version.documents, version.state
    rows = np.flatnonzero(documents.kept)
    away, pinned = (np.isin(rows, list(each)) for each in (state.away, state.pins))
    thrown, kept, others = (np.flatnonzero(each) for each in (away, pinned, ~(away | pinned)))
    if not len(thrown):
        return off_topic_score
    some = others[np.linspace(0, len(others) - 1, min(len(others), _SAMPLE)).astype(int)]
    space, examples = documents.spaces.space, documents.universum
    junk = space[thrown] if examples is None else _stacked([space[thrown], examples.space])
    rest = np.concatenate([kept, some])
    weights = np.repeat([1.0, len(others) / max(len(some), 1)], [len(kept), len(some)])
    found = np.full(len(documents), np.nan)
    found[rows] = _regressed(junk, space[rest], weights).decision_function(space)
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
