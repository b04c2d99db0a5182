"""What a report, a table or the workbench shows of a version, as plain arrays and figures."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..cluster.trust import GroupTrust, Trust, trust_by_words
from ..document_clustering import DocumentClustering, spread
from ..readers.documents import Corpus
from ..report.facts import Clustering, Group, Judged, RunFacts, Summary
from ..report.summary import summarise, summarise_groups
from ..report.words import Grouped, distinctive, group_name
from ..text.collection import LABELLED_AWAY, Collection
from ..text.representation import Spaces
from ..types import Array, OnCount
from .apply import Pair
from .version import Assignment, Verdicts, Version, judge

# --- A fitted model and its documents as the `Summary` that pages and terminals show


def shown_by(model: DocumentClustering, texts: Sequence[str]) -> ByNumber:
    """Return what a model says of the n documents that it was fitted on; its groups have the numbers 0 to k - 1. Those
    that were labelled off-topic are shown, too."""
    away = labelled_away(model)
    rows, spaces = model.kept_ | away, _with_thrown_away(model, away, texts)
    verdicts = judge(model, spaces, rows, model.labels_)
    if away.any():
        verdicts = replace(
            verdicts, away=away, off_topic=None if verdicts.off_topic is None else verdicts.off_topic | away
        )
    seeds = None if model.placed_ is None else model.placed_.seeds
    return ByNumber(
        rows, spaces, model.labels_[rows], verdicts, model.word_coef_, model.word_reject_, model.names_,
        pinned=None if seeds is None else spread(seeds >= 0, model.kept_[rows], False, bool),
    )  # fmt: skip


def labelled_away(model: DocumentClustering) -> Array:
    """Return which of the n documents of a model's fit were labelled off-topic, (n,) bool, and so took no part."""
    away = np.zeros(len(model.labels_), dtype=bool)
    away[[row for row, why in model.skipped_ if why == LABELLED_AWAY]] = True
    return away


def _with_thrown_away(model: DocumentClustering, away: Array, texts: Sequence[str]) -> Spaces:
    """Return the rows of the documents of a fit and of those that are `away`, which it saw as examples, in order."""
    if not away.any() or model.examples_ is None:
        return model.spaces_
    place = {text: row for row, text in enumerate(model.examples_.texts)}
    thrown = model.examples_.take(np.array([place[texts[row]] for row in np.flatnonzero(away).tolist()]))
    numbers = np.concatenate([np.flatnonzero(model.kept_), np.flatnonzero(away)])
    return model.spaces_.join(thrown).take(np.argsort(numbers))


def skipped(corpus: Corpus, model: DocumentClustering, rows: Array) -> list[tuple[str, str]]:
    """Return each document that is not among those that are shown, `rows` (n,) bool, and why."""
    nothing_left = [(corpus.ids[row], why) for row, why in model.skipped_ if not rows[row]]
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
        RunFacts(skipped=skipped(corpus, model, shown.rows), trace=trace, **facts),
        true_labels=None if corpus.labels is None else _at(corpus.labels, rows), names=shown.names, fields=fields,
    )  # fmt: skip


def groups_of(corpus: Corpus, model: DocumentClustering, shown: ByNumber) -> list[Group]:
    """Return the groups alone, as a summary has them without how far to trust them."""
    rows = np.flatnonzero(shown.rows).tolist()
    return summarise_groups(_given(corpus, model, shown, rows), _judged(model, shown, rows), shown.names)


def _given(corpus: Corpus, model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Clustering:
    return Clustering(
        X=shown.spaces.words,
        labels=shown.labels,
        scores=shown.verdicts.scores[rows],
        coef=shown.coef,
        feature_names=model.representation_.names,
        ids=_at(corpus.ids, rows),
        titles=_at(corpus.titles, rows),
        texts=[corpus.body(row) for row in rows],
        numbers=shown.numbers,
    )


def _judged(model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Judged | None:
    """Return what a report needs to tell of off-topic documents: None where there are no verdicts."""
    verdicts, away = shown.verdicts, shown.verdicts.away
    out = away if verdicts.off_topic is None else verdicts.off_topic
    if out is None:
        return None
    threshold = getattr(model.clusterer_, "off_topic_", None)
    thrown = None if away is None else away[rows]
    return Judged(out[rows], verdicts.off_topic_score[rows], shown.reject, threshold, thrown, shown.pinned)


def _at(values: Sequence[str], rows: list[int]) -> list[str]:
    return [values[row] for row in rows]


# --- A version's arrays with a column for each number, as those want them who show groups by number
#
# Merging leaves numbers without a group. They get the place of a group that nothing is in: its score is below all
# others.

_NEVER = -1e9  # an intercept that no document makes up for


@dataclass(frozen=True)
class ByNumber:
    """Of n documents, of which m are `rows` (n,) bool, and K numbers: `labels` (m,), `verdicts` on all n, `coef` (K, V)
    by words, `reject` as `DocumentClustering.word_reject_` with K rows or more, `names`, None where nobody gave one.
    `numbers` are those of groups that there are, None for all. `spaces` holds the m documents; those that are `pinned`
    (m,) bool a person gave to their groups, None for none, and `apart` are the pairs of groups that a person parted."""

    rows: Array
    spaces: Spaces
    labels: Array
    verdicts: Verdicts
    coef: Array
    reject: tuple[Array, Array] | None
    names: list[str | None] | None
    numbers: tuple[int, ...] | None = None
    pinned: Array | None = None
    apart: frozenset[Pair] = frozenset()


def by_number(version: Version, verdicts: Verdicts | None = None) -> ByNumber:
    """Return what a version says, in order of the groups' numbers; `verdicts` where they are known already.

    >>> from outgroup.session import Session
    >>> from outgroup.decisions import Merge
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails", "rails and rye"]
    >>> session = Session(texts, n_clusters=3)
    >>> shown = by_number(session.fit([Merge((2, 0))], start=session.fit()))
    >>> shown.coef.shape[0], set(shown.labels.tolist())
    (3, {1, 2})
    """
    numbers, (rows, spaces) = np.array(version.numbers), version.shown
    K = int(numbers.max()) + 1
    names = [version.names.get(number) for number in range(K)]
    return ByNumber(
        rows,
        spaces,
        version.labels[rows],
        at_numbers(_judged_by_number(version, rows, spaces) if verdicts is None else verdicts, version.numbers),
        _rows(np.asarray(version.model.word_coef_), numbers, K),
        _reject(version, numbers, K),
        names if any(names) else None,
        version.numbers,
        np.isin(np.flatnonzero(rows), list(version.state.pins)),
        version.state.apart,
    )


def _judged_by_number(version: Version, rows: Array, spaces: Spaces) -> Verdicts:
    """Return what a version says of the documents that have rows; who was thrown away is off-topic in any case."""
    found = judge(version.model, spaces, rows, version.labels)
    away = rows & np.isin(np.arange(len(rows)), list(version.state.away))
    if not away.any():
        return found
    return replace(found, away=away, off_topic=None if found.off_topic is None else found.off_topic | away)


def at_numbers(verdicts: Verdicts, numbers: Sequence[int] | None) -> Verdicts:
    """Return the verdicts with a column of scores for each number, of groups that have these; None: they are those."""
    if numbers is None or list(numbers) == list(range(verdicts.scores.shape[1])):
        return verdicts
    return replace(verdicts, scores=_columns(verdicts.scores, np.array(numbers), max(numbers) + 1))


def _columns(scores: Array, numbers: Array, K: int) -> Array:
    if scores.shape[1] < len(numbers):  # nothing has a row
        return scores
    lowest = float(np.nanmin(scores)) - 1 if np.isfinite(scores).any() else 0.0
    found = np.full((len(scores), K), lowest)
    found[np.isnan(scores).any(axis=1)] = np.nan
    found[:, numbers] = scores
    return found


def _rows(coef: Array, numbers: Array, K: int) -> Array:
    found = np.zeros((K, coef.shape[1]), dtype=coef.dtype)
    found[numbers] = coef
    return found


def _reject(version: Version, numbers: Array, K: int) -> tuple[Array, Array] | None:
    said = version.model.word_reject_
    if said is None:
        return None
    count = K + len(said[1]) - len(numbers)
    places = np.append(numbers, np.arange(K, count))
    intercept = np.full(count, _NEVER)
    intercept[places] = said[1]
    return _rows(said[0], places, count), intercept


# --- What the groups of a version are called, also where its model is gone: as a person said, or by their words

_FIRST = 3  # words that make a name
_ALIKE = 0.9  # of the documents of two groups in both: their words are about the same


def names_of(
    version: Assignment, documents: Collection, stands: Assignment, shown: Mapping[int, str]
) -> dict[int, str]:
    """Return what each group of a version is called, by its number.

    One that nobody had named then, nor since, is called as it is `shown` of the version that `stands`, where that has
    nine tenths of the documents that either has in the group of its number; else by the words of its documents.

    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> session = Session(texts, n_clusters=2)
    >>> version = session.fit()
    >>> names_of(version, session.documents, version, {0: "butter", 1: "town"})
    {0: 'butter', 1: 'town'}
    """
    known = dict(version.names)
    for number in {*version.numbers} & {*stands.numbers} - {*known, *stands.names}:
        if number in shown and _same(version.labels == number, stands.labels == number):
            known[number] = shown[number]
    left = [number for number in version.numbers if number not in known]
    return dict(sorted((known | (_by_words(version, documents, left) if left else {})).items()))


def _same(one: Array, other: Array) -> bool:
    return bool(np.count_nonzero(one & other) >= _ALIKE * np.count_nonzero(one | other))


def _by_words(version: Assignment, documents: Collection, numbers: list[int]) -> dict[int, str]:
    quiet = documents.without_words(version.state.ignored)
    labels, k = version.labels[quiet.kept], max(version.numbers) + 1
    grouped = Grouped.of(quiet.spaces.words, labels, k, labels >= 0)
    words = distinctive(grouped, np.zeros((k, len(documents.words))), documents.words, _FIRST)
    return {number: group_name(None, words[number], number) for number in numbers}


# --- How far the groups of a fitted model can be trusted: their rows, their words, and fits on parts of them

_TRUST_FIRST = 10  # words of a group whose coherence is told


def trust_of(
    model: DocumentClustering, shown: ByNumber, *, every: tuple[Any, Array] | None = None,
    progress: OnCount | None = None,
) -> Trust:  # fmt: skip
    """Return how far the groups of the documents that a model was fitted on can be trusted, by their numbers.

    It needs the documents' rows, which a loaded model has not; or, where the model holds a sample of them, `every` row
    and its group. Rows are taken in the order of the texts, as the fit took them, so that the order of the input
    changes nothing.
    """
    spaces, order = model.spaces_, model.order_
    words = sp.csr_matrix(spaces.words)
    own = shown.labels[model.kept_[shown.rows]]  # those that were thrown away took no part
    rows, labels = every or (spaces.space[order], own[order])
    first = _first_words(words, own, shown.coef)
    found = trust_by_words(rows, labels, words, first, n_clusters=len(shown.coef), progress=progress)
    return replace(found, groups=[_parted(each, shown.apart) for each in found.groups])


def _parted(group: GroupTrust, apart: AnyCollection[Pair]) -> GroupTrust:
    """Return a group that is not called mixed with one that a person parted it from: the fits know nothing of that."""
    mixed = group.word == "mixed" and frozenset({group.number, group.mixed_with}) in apart
    return replace(group, word="loose") if mixed else group


def _first_words(words: Any, labels: Array, coef: Array) -> list[list[int]]:
    """Return the columns of the words that stand first for each group on a page."""
    columns = np.arange(words.shape[1]).astype(str).tolist()
    grouped = Grouped.of(words, labels, len(coef), labels >= 0)
    weighed = distinctive(grouped, coef, columns, _TRUST_FIRST)
    return [[int(column) for column, _ in each] for each in weighed]
