"""Turn a version into a `Summary`: groups, documents, off-topic verdicts, agreement, the effect of seeds."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..errors import InputError
from ..metrics import accuracy, adjusted_rand, nmi, rand
from ..pipeline import Weighted, pulled_out, spread
from ..readers.documents import Corpus
from ..types import Array
from . import words as words_
from .map import layout
from .names import begun_words
from .partition import REASONS, Partition, nearest
from .records import (
    Agreement,
    By,
    ChiSquare,
    Documents,
    Example,
    Group,
    OffTopicDocument,
    OffTopicFacts,
    Summary,
    ThresholdFacts,
    Tree,
    plain,
)
from .sentences import group_sentences, trust_word
from .tree import KnownHalves, merges, parts, splits

# --- Groups: words, examples, trust

_OF_THE_FIT = ("universum", "run")  # facts with numbers of any kind
_EXEMPLARS = 4  # documents shown as a group's best, and as its borderline ones


def summarise(
    partition: Partition,
    *,
    fields: Mapping[str, Sequence[str | None]] | None = None,
    place: Array | None = None,
    halves: KnownHalves | None = None,
    finest: int = 0,
    trust: dict[str, Any] | None = None,
    details: bool = True,
    **facts: Any,
) -> Summary:
    """Summarise a version as plain data.

    Parameters
    ----------
    partition : the documents and their groups.
    fields : further columns to filter and colour by, m strings each (None or "" where unknown). The column "label"
        has the true labels, with which the groups are compared.
    place : (m, 2) places on the map from an earlier summary of the same documents. Default: compute them.
    halves : halves of groups from earlier summaries, to reuse and to fill. Default: none.
    finest : the number of groups of the finest level of the tree. Default: the groups.
    trust : the fields of a `Trust` of these groups. Default: not computed.
    details : whether to add examples, texts, reasons and neighbours of all documents; a `Partition` has them on demand.
    facts : further fields of the summary: those that its documents do not tell.

    Returns
    -------
    Summary

    Raises
    ------
    InputError : no document is in a group.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_matrix([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> s = summarise(Partition(X, labels=np.array([0, 1, 1]), scores=X.toarray(), coef=np.eye(2),
    ...     feature_names=["tea", "car"], ids=["a", "b", "c"], titles=["A", "B", "C"], texts=["tea", "car", "a car"]))
    >>> [(group.name, group.size) for group in s.groups]
    [('tea', 1), ('car', 2)]
    """
    if partition.aside.all():
        raise InputError("every document is set aside: a report needs at least one document in a group")
    fields, k, grouped = fields or {}, len(partition.coef), partition.grouped
    if place is None or len(place) != len(partition.labels):
        place = layout(partition.X, partition.scores, partition.home, partition.aside)
    names, further = partition.feature_names, max(0, finest - len(partition.numbers or range(k)))
    halved, part = parts(grouped, names, k + further, halves)
    summary = Summary(
        n_documents=len(partition.labels),
        groups=groups_of(partition, details=details),
        tree=Tree(merges(grouped, partition.numbers), splits(grouped, names, halves), halved),
        documents=_documents(partition, fields, place, part, details=details),
        agreement=agreement(fields["label"], np.asarray(partition.labels), k) if "label" in fields else None,
        off_topic=off_topic_facts(partition),
        **{name: plain(value) if name in _OF_THE_FIT else value for name, value in facts.items()},
    )
    by_hand = () if partition.version is None else partition.version.names
    return summary if trust is None else with_trust(summary, trust, by_hand)


def summary_of(
    partition: Partition,
    corpus: Corpus,
    *,
    fields: Mapping[str, Sequence[str]] | None = None,
    place: Array | None = None,
    **facts: Any,
) -> Summary:
    """Summarise the named partition of a version with the documents and skips of its corpus; see `summarise`."""
    rows = np.flatnonzero(partition.rows).tolist()
    known: dict[str, Sequence[str]] = dict(fields or {})
    known |= {} if corpus.labels is None else {"label": [corpus.labels[row] for row in rows]}
    return summarise(
        partition,
        fields=known,
        place=place,
        skipped=skipped(partition, corpus),
        **facts,
    )


def skipped(partition: Partition, corpus: Corpus) -> list[tuple[str, str]]:
    """Return the id and the reason of each document of a corpus that is not in the partition."""
    model = partition.version.model
    left = [(corpus.ids[row], why) for row, why in model.skipped_ if not partition.rows[row] and model.labels_[row] < 0]
    return left + [(skip.where, skip.reason) for skip in corpus.skipped]


MIXED = " (mixed)"
"""The end of the automatic name of a group of leftovers, which no phrase describes."""


def with_trust(summary: Summary, trust: dict[str, Any], by_hand: Container[int] = ()) -> Summary:
    """Return the summary with the trust of each group; leftovers are marked, unless they are named `by_hand`."""
    whole = plain(trust)
    by_number = {group["number"]: group for group in whole["groups"]}
    groups = []
    for group in summary.groups:
        own = by_number.get(group.number)
        leftovers = trust_word(own) == "leftovers" and group.number not in by_hand
        name = group.name.removesuffix(MIXED) + MIXED * leftovers
        groups.append(
            replace(group, name=name, trust=trust_word(own), sentences=group_sentences(own, whole), figures=own)
        )
    return replace(summary, groups=groups, trust=whole)


def clusters_json(summary: Summary) -> list[dict[str, Any]]:
    """Return the groups for `clusters.json`: `cluster`, `code`, `name`, `description`, `size`, `words`, `exemplars`,
    `trust`.
    """

    def figures_of(group: Group) -> dict[str, Any]:
        figures = group.figures or {}
        return {name: value for name, value in figures.items() if name not in ("number", "size", "word")}

    return [
        {
            "cluster": group.number,
            **({} if group.code is None else {"code": group.code}),
            "name": group.name,
            **({"description": group.description} if group.description else {}),
            "size": group.size,
            **({} if group.weight is None else {"weight": group.weight, "share": group.share}),
            "words": [{"word": word, "weight": weight} for word, weight in group.words],
            "exemplars": [{"id": d.id, "title": d.title, "margin": d.margin} for d in group.exemplars],
            **({} if group.figures is None else {"trust": {"word": group.trust} | figures_of(group)}),
        }
        for group in summary.groups
        if not group.gone
    ]


def described(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return the descriptions of groups as stored with a model; unknown `trust` is "", `found_again` 0."""
    return [
        {
            "name": group.name,
            **({} if group.code is None else {"code": group.code}),
            "size": group.size,
            "trust": group.trust or "",
            "found_again": 0 if group.figures is None else int(group.figures["found_again"]),
            "words": [word for word, _ in group.words[:8]],
            "example": group.exemplars[0].title[:200] if group.exemplars else "",
        }
        for group in groups
    ]


def groups_of(partition: Partition, *, details: bool = True) -> list[Group]:
    """Return the groups, without their trust and, unless `details`, without examples."""
    inside = np.flatnonzero(~partition.aside)
    k, w = len(partition.coef), partition.weights
    sizes = np.bincount(partition.labels[inside], minlength=k)
    sums = sizes if w is None else np.bincount(partition.labels[inside], w[inside], k)
    total = sums.sum() or 1
    distinctive = words_.distinctive(partition.grouped, partition.coef, partition.feature_names, 36)
    distinctive = [by_text or known for by_text, known in zip(begun_words(partition), distinctive, strict=True)]
    order = inside[np.lexsort((-partition.margins[inside], partition.out[inside], partition.home[inside]))]
    edges = np.searchsorted(partition.home[order], np.arange(k + 1))
    found = []
    for c in range(k):
        members = order[edges[c] : edges[c + 1]]
        name = words_.group_name(None if partition.names is None else partition.names[c], distinctive[c], c)
        best, worst = _examples(partition, members) if details else ([], [])
        share, off = round(float(sums[c] / total), 6), int(partition.out[members].sum())
        gone = partition.numbers is not None and c not in partition.numbers
        more: dict[str, Any] = {"gone": gone, "description": partition.descriptions.get(c, "")}
        more |= {} if w is None else {"weight": round(float(sums[c]), 6)}
        found.append(Group(c, name, len(members), share, off, distinctive[c], best, worst, **more))
    return found


def _examples(partition: Partition, members: Array) -> tuple[list[Example], list[Example]]:
    """Return a group's most typical and its borderline documents; off-topic documents only if it has no others.

    `members` are in descending order of margin.
    """
    out = partition.out[members]
    shown = members[~out] if not out.all() else members
    best = _unlike(partition, shown[np.argsort(-partition.typical[shown], kind="stable")], [])
    return best, _unlike(partition, shown[::-1], best)


def _unlike(partition: Partition, order: Array, shown: list[Example]) -> list[Example]:
    """Return the first documents in `order` that duplicate neither each other nor those in `shown`."""
    seen = {document.snippet or document.id for document in shown}
    found: list[Example] = []
    for i in order[: 5 * _EXEMPLARS].tolist():
        document = partition.example(i)
        if (document.snippet or document.id) not in seen:
            seen.add(document.snippet or document.id)
            found.append(document)
        if len(found) == _EXEMPLARS:
            break
    return found


# --- Documents, column by column


def _documents(
    partition: Partition, fields: Mapping[str, Sequence[str | None]], place: Array, part: Array, *, details: bool
) -> Documents:
    """Return all documents as columns; one set aside has group -1, and its nearest group as rival.

    Without `details`, texts, words and neighbours are empty: a `Partition` gives them on demand.
    """
    n = len(partition.labels)
    words, pull = partition.reasons() if details else (np.zeros((n, 0), np.int32), np.zeros((n, 0)))
    near = (
        nearest(partition.X if partition.space is None else partition.space, partition.labels)
        if details
        else np.zeros((n, 0), np.int32)
    )
    score = np.full(n, np.nan) if partition.off_topic_score is None else partition.off_topic_score
    return Documents(
        ids=[str(identity) for identity in partition.ids],
        titles=[*map(partition.called, range(n))] if details else [],
        texts=list(partition.texts) if details else [],
        group=partition.labels.astype(np.int32),
        part=spread(part, ~partition.aside, -1, np.int32),
        rival=np.where(partition.aside, partition.home, partition.rivals).astype(np.int32),
        flagged=partition.out,
        margin=partition.margins.astype(np.float32),
        typical=partition.typical,
        off_topic_score=np.asarray(score, dtype=float).astype(np.float32),
        place=place,
        why=words,
        pull=pull,
        near=near,
        words=[str(name) for name in partition.feature_names],
        fields={name: [str(value or "") for value in values] for name, values in fields.items()},
    )


# --- Off-topic documents and their threshold

_FIELDS = tuple(name for name in ThresholdFacts.__dataclass_fields__ if name != "flagged")


def off_topic_facts(partition: Partition) -> OffTopicFacts | None:
    """Return the off-topic documents, the most off-topic first, and the threshold; None without verdicts."""
    if partition.off_topic is None:
        return None
    out, none = partition.out, np.zeros(len(partition.out), dtype=bool)
    score = None if partition.off_topic_score is None else np.asarray(partition.off_topic_score, dtype=float)
    away, pinned = (none if given is None else given for given in (partition.away, partition.pinned))
    over = None if score is None else np.where(away, -np.inf, score)  # decisions, not the threshold
    threshold = _threshold(partition.threshold, over)
    value = None if threshold is None else threshold.value
    back = 0 if over is None or value is None else int(((over > value) & pinned & ~out).sum())
    return OffTopicFacts(
        int(out.sum()), _farthest(partition, score), threshold, bool(partition.aside.any()), int(away.sum()), back
    )


def _farthest(partition: Partition, score: Array | None) -> list[OffTopicDocument]:
    out, reject = partition.out, partition.reject
    order = np.argsort(-np.where(out, -partition.margins if score is None else score, -np.inf), kind="stable")
    shown = order[: min(30, int(out.sum()))]
    why: list[list[Weighted]] = [[] for _ in shown]
    if reject is not None and len(shown):
        why = pulled_out(partition.X[shown], *reject, len(partition.coef), partition.feature_names, REASONS)
    found = []
    for i, words in zip(shown.tolist(), why, strict=True):
        value = None if score is None else plain(round(float(score[i]), 6))
        found.append(
            OffTopicDocument(*partition.shown(i, words), group=int(partition.home[i]), score=value, words=words)
        )
    return found


def _threshold(threshold: dict[str, Any] | None, score: Array | None) -> ThresholdFacts | None:
    """Return the threshold with the number of documents above it, by `score` or else by held-out scores."""
    if not threshold:
        return None
    flagged = threshold["flagged"] if score is None else (score > threshold["value"]).sum()
    return ThresholdFacts(**{name: plain(threshold.get(name)) for name in _FIELDS}, flagged=int(flagged))


# --- Groups against true labels


def agreement(true_labels: Sequence[str | None], labels: Array, k: int) -> Agreement | None:
    """Compare k groups with labels (None or "" if unknown); return None if there are fewer than two distinct labels.

    Documents set aside, of label -1, do not count.
    """
    if len(true_labels) != len(labels):
        raise InputError(
            f"{len(true_labels)} true labels for {len(labels)} documents: give a label for each document, None if "
            "unknown"
        )
    inside = np.flatnonzero(labels >= 0)
    true_labels, labels = [true_labels[i] for i in inside.tolist()], labels[inside]
    if len({label for label in true_labels if label}) < 2:
        return None
    known = np.array([bool(label) for label in true_labels])
    classes, found = [str(label) for label in true_labels if label], labels[known]
    kinds = sorted({*classes})
    code_of = {kind: code for code, kind in enumerate(kinds)}
    codes = np.array([code_of[label] for label in classes])
    counts = np.bincount(found * len(kinds) + codes, minlength=k * len(kinds)).reshape(k, len(kinds))
    rows, columns = linear_sum_assignment(counts, maximize=True)
    label_of = dict(zip(rows.tolist(), columns.tolist(), strict=True))  # the one-to-one matching of maximum count
    return Agreement(
        accuracy=_figure(accuracy(codes, found)),
        nmi=_figure(nmi(codes, found)),
        rand=_figure(rand(codes, found)),
        adjusted_rand=_figure(adjusted_rand(codes, found)),
        n_labelled=len(found),
        labels=kinds,
        counts=counts.tolist(),
        matched=[label_of.get(group) for group in range(k)],
    )


def _figure(value: float) -> float:
    return round(float(value), 6) if math.isfinite(value) else 0.0


# --- Groups over time or by category


def by_column(
    column: str,
    unit: str,
    names: Sequence[str],
    numbers: Sequence[int | None],
    at: Array,
    of: Array,
    k: int,
    *,
    weights: Array | None = None,
    weight: str = "",
) -> By:
    """Count the documents of each group by the index of their period or category (None if unknown).

    The documents `at` (m,) count in the groups `of` (m,), those of -1 (set aside) in none. `unit` is "day", "week" ...
    for periods in order, "" for categories. `weights` (n,), of the column `weight`, are summed if given.

    Examples
    --------
    >>> by_column("when", "year", ["2023", "2024"], [0, 1, None], np.arange(3), np.array([0, 0, 1]), 2).counts
    [[1, 1], [0, 0]]
    """
    column_of = np.array([-1 if number is None else number for number in numbers], dtype=int)[at]
    inside = (column_of >= 0) & (of >= 0)
    w = np.ones(len(at), dtype=int) if weights is None else weights[at]
    counts = np.zeros((k, len(names)), dtype=w.dtype)
    np.add.at(counts, (of[inside], column_of[inside]), w[inside])
    counts = counts.round(6)
    unknown = sum(number is None for number in numbers)
    test = _difference(counts, w[inside])
    return By(column, unit, [str(name) for name in names], counts.tolist(), unknown, "", weight, test)


def _difference(counts: Array, weights: Array) -> ChiSquare | None:
    """Return the chi-square test of a table of summed weights; None unless it has two rows and two columns."""
    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(float)
    if min(table.shape) < 2:
        return None
    from scipy.stats import chi2_contingency

    table *= weights.sum() / (weights.astype(float) ** 2).sum()  # to Kish's effective number of documents
    found = chi2_contingency(table, correction=False)
    few = float((found.expected_freq < 5).mean())
    return ChiSquare(float(found.statistic), int(found.dof), float(found.pvalue), few)
