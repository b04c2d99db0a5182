"""From arrays to a `Summary`: what sets each group apart, which documents show it best, and how far to trust it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from . import map as map_
from . import words as words_
from .facts import Document, Group, OffTopic, OffTopicDocument, Summary
from .truth import agreement

Array = np.ndarray[Any, Any]

_WORDS = 36  # words of a group
_WHY = 8  # words behind one document's place
_EXEMPLARS = 4  # documents shown as a group's best, and as its borderline ones
_OFF_TOPIC = 30  # off-topic documents shown


def summarise(
    *,
    X: Any,
    labels: Array,
    scores: Array,
    coef: Array,
    feature_names: Sequence[str],
    ids: Sequence[str],
    titles: Sequence[str],
    texts: Sequence[str],
    off_topic_score: Array | None = None,
    off_topic: Array | None = None,
    true_labels: Sequence[str | None] | None = None,
    skipped: Sequence[tuple[str, str]] = (),
    duplicates: Sequence[Sequence[str]] = (),
    trace: Sequence[dict[str, Any]] = (),
    restarts: Sequence[dict[str, Any]] = (),
    stability: float | None = None,
    universum: dict[str, Any] | None = None,
    names: Sequence[str] | None = None,
    run: dict[str, Any] | None = None,
) -> Summary:
    """Gather what a report tells about a clustering of n documents, V words and k groups, as plain data.

    Parameters
    ----------
    X : CSR of shape (n, V), the documents' tf-idf rows.
    labels : int array (n,), 0 to k - 1.
    scores : float array (n, k). A margin is the own group's score minus the runner-up's (the score if k = 1).
    coef : float array (k, V), the groups' directions.
    feature_names : V words as people should read them.
    ids, titles, texts : n strings each.
    off_topic_score : float array (n,), higher is more off-topic; used for ranking only. Default None.
    off_topic : bool array (n,), the documents found to be off-topic. Default None: not looked for.
    true_labels : n strings (None or "" where unknown), or None.
    skipped : (where, reason) of each document that could not be used.
    duplicates : lists of ids of documents with the same text.
    trace : the fit's steps, dicts with `restart`, `step`, `objective`, `lower_bound`, `gap`, `cuts`, `moved`.
    restarts : dicts with `restart`, `objective`, `agreement` (with the best, at most 1) and `kept`.
    stability : mean agreement of the restarts, at most 1, or None.
    universum : {"count": int, "source": str}, or None.
    names : k names; default None: each group's first words.
    run : what the report cannot know, all optional: `title`, `source`, `date`, `command` (strings), `parameters`,
        `versions`, `timings` (dicts; timings in seconds).

    Returns
    -------
    Summary

    Raises
    ------
    InputError : the lengths do not fit each other, there is no document, or a label is not in 0 to k - 1.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_matrix([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> s = summarise(X=X, labels=np.array([0, 1, 1]), scores=X.toarray(), coef=np.eye(2), feature_names=["tea", "car"],
    ...               ids=["a", "b", "c"], titles=["A", "B", "C"], texts=["tea", "car", "a car"])
    >>> [(group.name, group.size) for group in s.groups]
    [('tea', 1), ('car', 2)]
    """
    labels, scores, coef = np.asarray(labels), np.asarray(scores, dtype=float), np.asarray(coef)
    _check(X, labels, scores, coef, feature_names, ids, titles, texts)
    _check_options(scores, off_topic=off_topic, off_topic_score=off_topic_score, names=names)
    out = np.zeros(len(labels), dtype=bool) if off_topic is None else np.asarray(off_topic, dtype=bool)
    margins, rivals = _margins(scores, labels)
    look = _Look(sp.csr_matrix(X), labels, coef, feature_names, ids, titles, texts, margins, rivals)
    return Summary(
        n_documents=len(labels),
        groups=_groups(look, out, names),
        map=map_.draw(scores, labels, margins, out, titles, ids),
        agreement=None if true_labels is None else agreement(true_labels, labels, len(coef)),
        off_topic=None if off_topic is None else _off_topic(look, out, off_topic_score),
        skipped=[(str(where), str(reason)) for where, reason in skipped],
        duplicates=[[str(i) for i in same] for same in duplicates],
        trace=_plain(list(trace)),
        restarts=_plain(list(restarts)),
        stability=_plain(stability),
        universum=_plain(universum),
        run=_plain(run or {}),
    )


def clusters_json(summary: Summary) -> list[dict[str, Any]]:
    """The groups as a plain list for `clusters.json`: `cluster`, `name`, `size`, `words`, `exemplars`."""
    return [
        {
            "cluster": group.number,
            "name": group.name,
            "size": group.size,
            "words": [{"word": word, "weight": weight} for word, weight in group.words],
            "exemplars": [{"id": d.id, "title": d.title, "margin": d.margin} for d in group.exemplars],
        }
        for group in summary.groups
    ]


@dataclass(frozen=True)
class _Look:
    """All that is needed to show a single document."""

    X: Any
    labels: Array
    coef: Array
    names: Sequence[str]
    ids: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    margins: Array
    rivals: Array | None

    def document(self, i: int) -> Document:
        rival = None if self.rivals is None else int(self.rivals[i])
        against = 0.0 if rival is None else self.coef[rival]
        why = words_.contributions(self.X[i], self.coef[self.labels[i]], against, self.names, _WHY)
        return Document(*self.shown(i, why), margin=round(float(self.margins[i]), 6), rival=rival, words=why)

    def shown(self, i: int, why: list[tuple[str, float]]) -> tuple[str, str, str]:
        text = self.texts[i]
        return str(self.ids[i]), str(self.titles[i] or self.ids[i]), words_.passage(text, why)


def _check(X: Any, labels: Array, scores: Array, coef: Array, feature_names: Any, *each: Sequence[str]) -> None:
    n, k = scores.shape
    if n == 0:
        raise InputError("a report needs at least one document, but none was given")
    lengths = {X.shape[0], len(labels), *(len(part) for part in each)}
    if lengths != {n} or coef.shape != (k, X.shape[1]) or len(feature_names) != X.shape[1]:
        raise InputError(
            f"the parts of a report do not fit: X {X.shape}, scores {scores.shape}, coef {coef.shape}, "
            f"{len(feature_names)} feature names, labels, ids, titles and texts {sorted(lengths)}; "
            "give all of them for the same documents, words and groups"
        )
    if labels.min() < 0 or labels.max() >= k:
        raise InputError(f"labels must be 0 to {k - 1}, but they go from {labels.min()} to {labels.max()}")


def _check_options(scores: Array, names: Sequence[str] | None, **each: Array | None) -> None:
    n, k = scores.shape
    if names is not None and len(names) != k:
        raise InputError(f"{len(names)} names for {k} groups: give one for each")
    for name, part in each.items():
        if part is not None and len(part) != n:
            raise InputError(f"{name} has {len(part)} values for {n} documents: give one for each")


def _margins(scores: Array, labels: Array) -> tuple[Array, Array | None]:
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    if scores.shape[1] == 1:
        return own, None
    others = scores.copy()
    others[rows, labels] = -np.inf
    rivals = others.argmax(axis=1)
    return own - others[rows, rivals], rivals


def _groups(look: _Look, out: Array, names: Sequence[str] | None) -> list[Group]:
    k, n = len(look.coef), len(look.labels)
    distinctive = words_.distinctive(look.X, look.labels, look.coef, look.names, _WORDS)
    order = np.lexsort((-look.margins, out, look.labels))
    edges = np.searchsorted(look.labels[order], np.arange(k + 1))
    found = []
    for c in range(k):
        members = order[edges[c] : edges[c + 1]]
        inside = members[~out[members]]
        best = _unlike(look, inside, [])
        worst = _unlike(look, inside[::-1], best)
        name = str(names[c]) if names is not None else ", ".join(w for w, _ in distinctive[c][:3]) or f"group {c}"
        size, off = len(members), int(out[members].sum())
        found.append(Group(c, name, size, round(size / n, 6), off, distinctive[c], best, worst))
    return found


def _unlike(look: _Look, order: Array, shown: list[Document]) -> list[Document]:
    """The first few documents that do not read like each other or the shown ones: copies would tell no more."""
    seen = {document.snippet or document.id for document in shown}
    found: list[Document] = []
    for i in order[: 5 * _EXEMPLARS].tolist():
        document = look.document(i)
        if (document.snippet or document.id) not in seen:
            seen.add(document.snippet or document.id)
            found.append(document)
        if len(found) == _EXEMPLARS:
            break
    return found


def _off_topic(look: _Look, out: Array, score: Array | None) -> OffTopic:
    ranking = np.where(out, -look.margins if score is None else np.asarray(score, dtype=float), -np.inf)
    order = np.argsort(-ranking, kind="stable")[: min(_OFF_TOPIC, int(out.sum()))]
    pushes, directions = words_.usual_push(look.X, look.labels, look.coef)
    found = []
    for i in order.tolist():
        c = int(look.labels[i])
        why = words_.shortfalls(look.X[i], directions[c], float(pushes[c]), look.names, _WHY)
        value = None if score is None else _plain(round(float(score[i]), 6))
        found.append(OffTopicDocument(*look.shown(i, why), group=c, score=value, words=why))
    return OffTopic(int(out.sum()), found)


def _plain(value: Any) -> Any:
    """The same as JSON-able data: NumPy scalars and arrays as Python's, numbers that are not finite as None."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
