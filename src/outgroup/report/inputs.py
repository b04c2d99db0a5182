"""What a report is given: a clustering, what was found off-topic in it, and what is told of the run that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array
from .facts import plain

Reject = tuple[Array, Array]
"""Directions (k + j, V) and intercepts (k + j,): the groups, then the kinds of "none of these"."""


@dataclass(frozen=True)
class Clustering:
    """n documents, V words and k groups.

    Parameters
    ----------
    X : CSR of shape (n, V), the documents' tf-idf rows.
    labels : int array (n,), 0 to k - 1; -1 for a document that is set aside as off-topic: it is in no group, and sizes,
        words, examples and agreement are of the others.
    scores : float array (n, k). A margin is the own group's score minus the runner-up's (the score if k = 1).
    coef : float array (k, V), the groups' directions.
    feature_names : V words as people should read them.
    ids, titles, texts : n strings each.
    numbers : the groups that there are; the others were merged away. Default None: all k.
    """

    X: Any
    labels: Array
    scores: Array
    coef: Array
    feature_names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    numbers: Sequence[int] | None = None

    def check(self) -> None:
        """Raise InputError unless the lengths fit each other, a document is in a group, and labels are -1 to k - 1."""
        n, k = self.scores.shape
        if n == 0:
            raise InputError("a report needs at least one document, but none was given")
        X, coef, words = self.X.shape, self.coef.shape, len(self.feature_names)
        lengths = {X[0], *map(len, (self.labels, self.ids, self.titles, self.texts))}
        if lengths != {n} or coef != (k, X[1]) or words != X[1]:
            raise InputError(
                f"the parts of a report do not fit: X {X}, scores {self.scores.shape}, coef {coef}, {words} feature "
                f"names, labels, ids, titles and texts {sorted(lengths)}; give all of them for the same documents, "
                "words and groups"
            )
        least, most = self.labels.min(), self.labels.max()
        if least < -1 or most >= k:
            raise InputError(f"labels must be 0 to {k - 1}, or -1, but they go from {least} to {most}")
        if most < 0:
            raise InputError("every document is set aside; a report needs at least one in a group")


@dataclass(frozen=True)
class Judged:
    """What was found off-topic; each part is None where nobody looked for it.

    Parameters
    ----------
    off_topic : bool array (n,), the documents found to be off-topic.
    off_topic_score : float array (n,), higher is more off-topic.
    reject : directions (k + j, V) and intercepts (k + j,) of the groups, when "none of these", last, is j of them:
        they tell which words pulled a document out.
    threshold : {"choices": list of dicts with method, rate, value, flagged, share, precision, recall; "method": the
        one in force}.
    away : bool array (n,), those of the off-topic documents that a person threw away: no threshold did.
    pinned : bool array (n,), those that a person gave to a group, whatever a threshold says.
    """

    off_topic: Array | None = None
    off_topic_score: Array | None = None
    reject: Reject | None = None
    threshold: dict[str, Any] | None = None
    away: Array | None = None
    pinned: Array | None = None

    def check(self, n: int, coef: Array) -> None:
        """Raise InputError unless the parts are of n documents, and fit the groups' directions `coef` (k, V)."""
        for name in ("off_topic", "off_topic_score", "away", "pinned"):
            part = getattr(self, name)
            if part is not None and len(part) != n:
                raise InputError(f"{name} has {len(part)} values for {n} documents: give one for each")
        k, V = coef.shape
        shapes = None if self.reject is None else tuple(np.shape(part) for part in self.reject)
        count = k + 1 if self.reject is None else max(k + 1, len(self.reject[0]))
        if shapes not in (None, ((count, V), (count,))):
            raise InputError(f"reject {shapes} does not fit {k} groups and {V} words: give {((count, V), (count,))}")


@dataclass(frozen=True)
class RunFacts:
    """What a report cannot find in the rows.

    Parameters
    ----------
    skipped : (where, reason) of each document that could not be used.
    duplicates : lists of ids of documents with the same text.
    trace : the fit's steps, dicts with `restart`, `step`, `objective`, `lower_bound`, `gap`, `cuts`, `moved`.
    restarts : dicts with `restart`, `objective`, `agreement` (with the best, at most 1) and `kept`.
    stability : mean agreement of the restarts, at most 1, or None.
    universum : {"count": int, "source": str}, or None.
    trust : the fields of a `Trust` of these groups, or None.
    run : all optional: `title`, `source`, `date`, `command`, `next` (strings), `parameters`, `versions`, `timings`
        (dicts; timings in seconds).
    """

    skipped: Sequence[tuple[str, str]] = ()
    duplicates: Sequence[Sequence[str]] = ()
    trace: Sequence[dict[str, Any]] = ()
    restarts: Sequence[dict[str, Any]] = ()
    stability: float | None = None
    universum: dict[str, Any] | None = None
    trust: dict[str, Any] | None = None
    run: dict[str, Any] | None = None

    def plainly(self) -> dict[str, Any]:
        """Return the fields of a `Summary` that they are, as plain data."""
        as_it_is = ("trace", "restarts", "stability", "universum", "trust")
        return {name: plain(getattr(self, name)) for name in as_it_is} | {
            "skipped": [(str(where), str(reason)) for where, reason in self.skipped],
            "duplicates": [[str(i) for i in same] for same in self.duplicates],
            "run": plain(self.run or {}),
        }
