"""From arrays to a `Summary`: what sets each group apart, which documents show it best, and how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError
from ..types import Array
from . import words as words_
from .documents.columns import every_document
from .documents.off_topic import off_topic_facts
from .documents.reader import Reader, reader_of
from .documents.typicality import typicality
from .documents.view import DocumentView
from .facts import Agreement, Fixed, Group, ShownDocument, Summary, Tree, plain
from .groups.agreement import agreement
from .groups.grouped import Grouped
from .groups.tree import merges, splits
from .inputs import Clustering, Judged, RunFacts
from .sentences.trust import group_sentences, trust_word

_WORDS = 36  # words of a group
_KEPT = 8  # of them that a model keeps
_TITLE = 200  # characters of an example's title that it keeps
_EXEMPLARS = 4  # documents shown as a group's best, and as its borderline ones


def summarise(
    given: Clustering,
    judged: Judged | None = None,
    run: RunFacts | None = None,
    *,
    true_labels: Sequence[str | None] | None = None,
    names: Sequence[str | None] | None = None,
    fields: Mapping[str, Sequence[str | None]] | None = None,
    fixed: Fixed | None = None,
    each: bool = True,
) -> Summary:
    """Gather what a report tells about a clustering of n documents, V words and k groups, as plain data.

    Parameters
    ----------
    given : the documents and their groups.
    judged : what was found off-topic. Default None: nobody looked.
    run : what the rows do not say, such as how the groups were made. Default None: nothing.
    true_labels : n strings (None or "" where unknown), or None.
    names : k names, each of them or altogether None (default) for a group's first words.
    fields : further columns, n strings each (None or "" where unknown), such as dates: to filter and colour by.
    fixed : places and neighbours that an earlier summary of the same documents found. Default: found anew.
    each : whether examples and what is told of each document alone are gathered; if not, a `Reader` tells it if asked.

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
    >>> s = summarise(Clustering(X, labels=np.array([0, 1, 1]), scores=X.toarray(), coef=np.eye(2),
    ...     feature_names=["tea", "car"], ids=["a", "b", "c"], titles=["A", "B", "C"], texts=["tea", "car", "a car"]))
    >>> [(group.name, group.size) for group in s.groups]
    [('tea', 1), ('car', 2)]
    """
    judged, run = judged or Judged(), run or RunFacts()
    reader, grouped, out = _looked_at(given, judged, names)
    columns = dict(fields or {}) | ({} if true_labels is None else {"label": true_labels})
    scores = np.asarray(given.scores, float)
    documents = every_document(reader, grouped, scores, out, judged, columns, fixed, each=each)
    plainly = run.plainly()
    trust = plainly.pop("trust")
    summary = Summary(
        n_documents=len(out),
        groups=_marked(_groups(reader, grouped, out, documents.typical, names, each), given.numbers),
        tree=_tree(reader, grouped, out, given.numbers, fixed),
        documents=documents,
        agreement=None if true_labels is None else _agreement(true_labels, np.asarray(given.labels), given.coef),
        off_topic=off_topic_facts(reader, out, judged),
        **plainly,
    )
    return summary if trust is None else with_trust(summary, trust)


def with_trust(summary: Summary, trust: dict[str, Any]) -> Summary:
    """Return the same summary with how far its groups can be trusted, the fields of a `Trust`, told of each."""
    whole = plain(trust)
    told = {each["number"]: each for each in whole["groups"]}
    groups = [_trusted(group, told.get(group.number), whole) for group in summary.groups]
    return replace(summary, groups=groups, trust=whole)


def _trusted(group: Group, own: dict[str, Any] | None, whole: dict[str, Any]) -> Group:
    return replace(group, trust=trust_word(own), sentences=group_sentences(own, whole), figures=own)


def summarise_groups(
    given: Clustering, judged: Judged | None = None, names: Sequence[str | None] | None = None
) -> list[Group]:
    """Return the groups alone, as `summarise` does without what is told of how far to trust them: at once."""
    reader, grouped, out = _looked_at(given, judged or Judged(), names)
    typical = typicality(reader.look.X, reader.look.labels, grouped.sums)
    return _groups(reader, grouped, out, typical.astype(np.float32), names, True)


def _looked_at(
    given: Clustering, judged: Judged, names: Sequence[str | None] | None
) -> tuple[Reader, Grouped, Array]:  # fmt: skip
    """Return who tells of single documents, those in groups, and which are off-topic, (n,) bool."""
    reader = reader_of(given, judged)
    if names is not None and len(names) != len(reader.look.coef):
        raise InputError(f"{len(names)} names for {len(reader.look.coef)} groups: give one for each")
    out = reader.aside if judged.off_topic is None else reader.aside | np.asarray(judged.off_topic, dtype=bool)
    return reader, Grouped.of(reader.look.X, reader.look.labels, len(reader.look.coef), ~reader.aside), out


def clusters_json(summary: Summary) -> list[dict[str, Any]]:
    """The groups as a plain list for `clusters.json`: `cluster`, `name`, `size`, `words`, `exemplars`, `trust`."""
    return [
        {
            "cluster": group.number,
            "name": group.name,
            "size": group.size,
            "words": [{"word": word, "weight": weight} for word, weight in group.words],
            "exemplars": [{"id": d.id, "title": d.title, "margin": d.margin} for d in group.exemplars],
            **({} if group.figures is None else {"trust": _figures_of(group)}),
        }
        for group in summary.groups
    ]


def described(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """What is kept with a model of its groups, as plain values; `trust` and `found_again` are "" and 0 if unknown."""
    return [
        {
            "name": group.name,
            "size": group.size,
            "trust": group.trust or "",
            "found_again": 0 if group.figures is None else int(group.figures["found_again"]),
            "words": [word for word, _ in group.words[:_KEPT]],
            "example": group.exemplars[0].title[:_TITLE] if group.exemplars else "",
        }
        for group in groups
    ]


def _figures_of(group: Group) -> dict[str, Any]:
    """The figures of a group's trust, without what stands beside them, and its word with them."""
    figures = group.figures or {}
    left_out = ("number", "size", "word")
    return {"word": group.trust} | {name: value for name, value in figures.items() if name not in left_out}


def _agreement(true_labels: Sequence[str | None], labels: Array, coef: Array) -> Agreement | None:
    """Compare the groups with the labels of the documents that are in them."""
    k = len(coef)
    if len(true_labels) != len(labels):
        return agreement(true_labels, labels, k)
    inside = np.flatnonzero(labels >= 0)
    return agreement([true_labels[i] for i in inside.tolist()], labels[inside], k)


def _tree(
    reader: Reader, grouped: Grouped, out: Array, numbers: Sequence[int] | None, fixed: Fixed | None
) -> Tree:  # fmt: skip
    """Return the tree of the documents that are not off-topic: those `grouped`, where no other is."""
    look, known = reader.look, None if fixed is None else fixed.halves
    if not np.array_equal(out, reader.aside):
        grouped = Grouped.of(look.X, look.labels, grouped.k, ~out)
    return Tree(merges(grouped, numbers), splits(grouped, look.names, known))


def _groups(
    reader: Reader, grouped: Grouped, out: Array, typical: Array, names: Sequence[str | None] | None, each: bool
) -> list[Group]:  # fmt: skip
    look, inside = reader.look, np.flatnonzero(~reader.aside)
    k, n = len(look.coef), len(inside)
    distinctive = words_.distinctive(grouped, look.coef, look.names, _WORDS)
    order = inside[np.lexsort((-look.margins[inside], out[inside], grouped.groups))]
    edges = np.searchsorted(look.labels[order], np.arange(k + 1))
    found = []
    for c in range(k):
        members = order[edges[c] : edges[c + 1]]
        name = words_.group_name(None if names is None else names[c], distinctive[c], c)
        best, worst = _examples(look, members, out, typical) if each else ([], [])
        size, off = len(members), int(out[members].sum())
        found.append(Group(c, name, size, round(size / n, 6), off, distinctive[c], best, worst))
    return found


def _examples(
    look: DocumentView, members: Array, out: Array, typical: Array
) -> tuple[list[ShownDocument], list[ShownDocument]]:
    """Return a group's most typical documents, and those nearly elsewhere; off-topic ones only where all of them are.

    Its `members` are ordered by their margins, the largest first.
    """
    shown = members[~out[members]] if not out[members].all() else members
    best = _unlike(look, shown[np.argsort(-typical[shown], kind="stable")], [])
    return best, _unlike(look, shown[::-1], best)


def _marked(groups: list[Group], numbers: Sequence[int] | None) -> list[Group]:
    """Return the groups, those that were merged away marked; None: none was."""
    return groups if numbers is None else [replace(group, gone=group.number not in numbers) for group in groups]


def _unlike(look: DocumentView, order: Array, shown: list[ShownDocument]) -> list[ShownDocument]:
    """The first few documents that do not read like each other or the shown ones: copies would tell no more."""
    seen = {document.snippet or document.id for document in shown}
    found: list[ShownDocument] = []
    for i in order[: 5 * _EXEMPLARS].tolist():
        document = look.document(i)
        if (document.snippet or document.id) not in seen:
            seen.add(document.snippet or document.id)
            found.append(document)
        if len(found) == _EXEMPLARS:
            break
    return found
