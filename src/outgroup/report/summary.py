"""From arrays to a `Summary`: what sets each group apart, which documents show it best, and how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..types import Array
from . import words as words_
from .document import Look
from .documents import every_document
from .facts import Agreement, Document, Fixed, Group, Summary, Tree, plain
from .labels import agreement
from .off_topic import off_topic_facts
from .reader import reader
from .tree import merges, splits
from .trust import group_sentences, trust_word

_WORDS = 36  # words of a group
_EXEMPLARS = 4  # documents shown as a group's best, and as its borderline ones


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
    reject_coef: Array | None = None,
    reject_intercept: Array | None = None,
    threshold: dict[str, Any] | None = None,
    true_labels: Sequence[str | None] | None = None,
    skipped: Sequence[tuple[str, str]] = (),
    duplicates: Sequence[Sequence[str]] = (),
    trace: Sequence[dict[str, Any]] = (),
    restarts: Sequence[dict[str, Any]] = (),
    stability: float | None = None,
    universum: dict[str, Any] | None = None,
    names: Sequence[str | None] | None = None,
    fields: Mapping[str, Sequence[str | None]] | None = None,
    fixed: Fixed | None = None,
    each: bool = True,
    trust: dict[str, Any] | None = None,
    run: dict[str, Any] | None = None,
) -> Summary:
    """Gather what a report tells about a clustering of n documents, V words and k groups, as plain data.

    Parameters
    ----------
    X : CSR of shape (n, V), the documents' tf-idf rows.
    labels : int array (n,), 0 to k - 1; -1 for a document that is set aside as off-topic: it is in no group, and sizes,
        words, examples and agreement are of the others.
    scores : float array (n, k). A margin is the own group's score minus the runner-up's (the score if k = 1).
    coef : float array (k, V), the groups' directions.
    feature_names : V words as people should read them.
    ids, titles, texts : n strings each.
    off_topic_score : float array (n,), higher is more off-topic. Default None.
    off_topic : bool array (n,), the documents found to be off-topic. Default None: not looked for.
    reject_coef, reject_intercept : (k + 1, V) and (k + 1,), the groups' directions when "none of these", last, is one
        of them: they tell which words pulled a document out. Default None: no words are told.
    threshold : {"choices": list of dicts with method, rate, value, flagged, share, precision, recall; "method": the
        one in force}, or None.
    true_labels : n strings (None or "" where unknown), or None.
    skipped : (where, reason) of each document that could not be used.
    duplicates : lists of ids of documents with the same text.
    trace : the fit's steps, dicts with `restart`, `step`, `objective`, `lower_bound`, `gap`, `cuts`, `moved`.
    restarts : dicts with `restart`, `objective`, `agreement` (with the best, at most 1) and `kept`.
    stability : mean agreement of the restarts, at most 1, or None.
    universum : {"count": int, "source": str}, or None.
    names : k names, each of them or altogether None (default) for a group's first words.
    fields : further columns, n strings each (None or "" where unknown), such as dates: to filter and colour by.
    fixed : places and neighbours that an earlier summary of the same documents found. Default: found anew.
    each : whether examples and what is told of each document alone are gathered; if not, a `Reader` tells it if asked.
    trust : the fields of a `Trust` of these groups, or None.
    run : what the report cannot know, all optional: `title`, `source`, `date`, `command`, `next` (strings),
        `parameters`, `versions`, `timings` (dicts; timings in seconds).

    Returns
    -------
    Summary

    Raises
    ------
    InputError : the lengths do not fit each other, no document is in a group, or a label is not in -1 to k - 1.

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
    reject = (reject_coef, reject_intercept)
    told = reader(sp.csr_matrix(X), labels, scores, coef, feature_names, ids, titles, texts, reject)
    look, aside = told.look, told.aside
    out = aside if off_topic is None else aside | np.asarray(off_topic, dtype=bool)
    columns = dict(fields or {}) | ({} if true_labels is None else {"label": true_labels})
    documents = every_document(look, scores, out, aside, off_topic_score, told.reject, columns, fixed, each=each)
    gone = None
    if off_topic is not None:
        gone = off_topic_facts(look, out, off_topic_score, told.reject, threshold, aside=bool(aside.any()))
    return Summary(
        n_documents=len(labels),
        groups=_groups(look, out, aside, documents.typical, names, plain(trust), each),
        tree=_tree(look, out, fixed),
        documents=documents,
        agreement=None if true_labels is None else _agreement(true_labels, labels, len(coef)),
        off_topic=gone,
        skipped=[(str(where), str(reason)) for where, reason in skipped],
        duplicates=[[str(i) for i in same] for same in duplicates],
        trace=plain(list(trace)),
        restarts=plain(list(restarts)),
        stability=plain(stability),
        universum=plain(universum),
        run=plain(run or {}),
        trust=plain(trust),
    )


def clusters_json(summary: Summary) -> list[dict[str, Any]]:
    """The groups as a plain list for `clusters.json`: `cluster`, `name`, `size`, `words`, `exemplars`, `trust`."""
    return [
        {
            "cluster": group.number,
            "name": group.name,
            "size": group.size,
            "words": [{"word": word, "weight": weight} for word, weight in group.words],
            "exemplars": [{"id": d.id, "title": d.title, "margin": d.margin} for d in group.exemplars],
            **({} if group.figures is None else {"trust": _told(group)}),
        }
        for group in summary.groups
    ]


def _told(group: Group) -> dict[str, Any]:
    """The figures of a group's trust, without what stands beside them, and its word with them."""
    figures = group.figures or {}
    left_out = ("number", "size", "word")
    return {"word": group.trust} | {name: value for name, value in figures.items() if name not in left_out}


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
    if labels.min() < -1 or labels.max() >= k:
        raise InputError(f"labels must be 0 to {k - 1}, or -1, but they go from {labels.min()} to {labels.max()}")
    if labels.max() < 0:
        raise InputError("every document is set aside; a report needs at least one in a group")


def _check_options(scores: Array, names: Sequence[str | None] | None, **each: Array | None) -> None:
    n, k = scores.shape
    if names is not None and len(names) != k:
        raise InputError(f"{len(names)} names for {k} groups: give one for each")
    for name, part in each.items():
        if part is not None and len(part) != n:
            raise InputError(f"{name} has {len(part)} values for {n} documents: give one for each")


def _agreement(true_labels: Sequence[str | None], labels: Array, k: int) -> Agreement | None:
    """Compare the groups with the labels of the documents that are in them."""
    if len(true_labels) != len(labels):
        return agreement(true_labels, labels, k)
    inside = np.flatnonzero(labels >= 0)
    return agreement([true_labels[i] for i in inside.tolist()], labels[inside], k)


def _tree(look: Look, out: Array, fixed: Fixed | None) -> Tree:
    inside, k = np.flatnonzero(~out), len(look.coef)
    X, groups = look.X[inside], look.labels[inside]
    return Tree(merges(X, groups, k), splits(X, groups, k, look.names, None if fixed is None else fixed.halves))


def _groups(
    look: Look, out: Array, aside: Array, typical: Array, names: Sequence[str | None] | None,
    trust: dict[str, Any] | None, each: bool,
) -> list[Group]:  # fmt: skip
    k, inside = len(look.coef), np.flatnonzero(~aside)
    n, labels = len(inside), look.labels[inside]
    distinctive = words_.distinctive(look.X[inside], labels, look.coef, look.names, _WORDS)
    order = inside[np.lexsort((-look.margins[inside], out[inside], labels))]
    edges = np.searchsorted(look.labels[order], np.arange(k + 1))
    figures = {} if trust is None else {each["number"]: each for each in trust["groups"]}
    found = []
    for c in range(k):
        members = order[edges[c] : edges[c + 1]]
        inside = members[~out[members]] if not out[members].all() else members
        best = _unlike(look, inside[np.argsort(-typical[inside], kind="stable")], []) if each else []
        worst = _unlike(look, inside[::-1], best) if each else []
        given = None if names is None else names[c]
        name = str(given) if given is not None else ", ".join(w for w, _ in distinctive[c][:3]) or f"group {c}"
        size, off = len(members), int(out[members].sum())
        told = figures.get(c)
        group = Group(c, name, size, round(size / n, 6), off, distinctive[c], best, worst)
        found.append(replace(group, trust=trust_word(told), sentences=group_sentences(told), figures=told))
    return found


def _unlike(look: Look, order: Array, shown: list[Document]) -> list[Document]:
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
