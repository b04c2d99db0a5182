"""Convert versions and fitted models to plain arrays for reports, tables and the workbench."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..cluster.outliers import POCKETS, pockets
from ..cluster.trust import GroupTrust, Trust, group_trust
from ..decisions.state import Pair
from ..document_clustering import DocumentClustering
from ..naming import GroupBrief, names_by, phrase_names
from ..pipeline import spread
from ..readers.documents import Corpus
from ..report.facts import Clustering, Fixed, Group, Judged, Pocket, RunFacts, SeveralGroups, Summary, Weighted
from ..report.summary import summarise, summarise_groups
from ..report.words import Grouped, distinctive, group_name
from ..solve.ensemble import Ensemble
from ..text.collection import LABELLED_AWAY, Collection
from ..text.representation import Representation, Spaces
from ..text.texts import PASSAGE, passage_ends
from ..types import Array, OnCount
from .version import Assignment, Verdicts, Version, judge, kept_names

_EXAMPLES, _SHORT = 3, 120  # titles or beginnings of texts of a pocket, and their letters
LEAST_SHARE = 0.05  # of a group in a text, to be listed


def shown_by(model: DocumentClustering, texts: Sequence[str]) -> ByNumber:
    """Return a model's arrays on its n training documents and those labelled off-topic; groups are 0 to k - 1."""
    away = labelled_away(model)
    rows, spaces = model.kept_ | away, _with_thrown_away(model, away, texts)
    verdicts = judge(model, spaces, rows, model.labels_)
    if away.any():
        verdicts = replace(
            verdicts, away=away, off_topic=None if verdicts.off_topic is None else verdicts.off_topic | away
        )
    seeds = None if model.placed_ is None else model.placed_.seeds
    return ByNumber(
        rows,
        spaces,
        model.labels_[rows],
        verdicts,
        model.word_coef_,
        model.word_reject_,
        model.names_,
        pinned=None if seeds is None else spread(seeds >= 0, model.kept_[rows], False, bool),
    )


def labelled_away(model: DocumentClustering) -> Array:
    """Return the mask of documents labelled off-topic, (n,) bool; they are not part of the fit."""
    away = np.zeros(len(model.labels_), dtype=bool)
    away[[row for row, why in model.skipped_ if why == LABELLED_AWAY]] = True
    return away


def _with_thrown_away(model: DocumentClustering, away: Array, texts: Sequence[str]) -> Spaces:
    """Return the rows of the fitted documents and of the off-topic documents in the mask `away`, in order."""
    if not away.any() or model.examples_ is None:
        return model.spaces_
    place = {text: row for row, text in enumerate(model.examples_.texts)}
    thrown = model.examples_.take(np.array([place[texts[row]] for row in np.flatnonzero(away).tolist()]))
    numbers = np.concatenate([np.flatnonzero(model.kept_), np.flatnonzero(away)])
    return model.spaces_.join(thrown).take(np.argsort(numbers))


def skipped(corpus: Corpus, model: DocumentClustering, rows: Array) -> list[tuple[str, str]]:
    """Return the id and the reason of each document outside the mask `rows` (n,)."""
    nothing_left = [(corpus.ids[row], why) for row, why in model.skipped_ if not rows[row] and model.labels_[row] < 0]
    return nothing_left + [(skip.where, skip.reason) for skip in corpus.skipped]


def summary_of(
    corpus: Corpus,
    model: DocumentClustering,
    shown: ByNumber,
    *,
    fields: Mapping[str, Sequence[str | None]] | None = None,
    place: Array | None = None,
    **facts: Any,
) -> Summary:
    """Return the summary of a model and its corpus; `place` are known map positions, `facts` further fields of
    `RunFacts`.
    """
    rows = np.flatnonzero(shown.rows).tolist()
    trace = getattr(model.clusterer_, "trace_", ())
    known = {} if corpus.labels is None else {"label": _at(corpus.labels, rows)}
    return summarise(
        _given(corpus, model, shown, rows),
        _judged(model, shown, rows),
        RunFacts(skipped=skipped(corpus, model, shown.rows), trace=trace, **facts),
        fields=dict(fields or {}) | known,
        fixed=None if place is None else Fixed(place),
    )


def pockets_of(corpus: Corpus | Collection, model: DocumentClustering, most: float = POCKETS.most_rows) -> list[Pocket]:
    """Return the pockets among grouped documents; none if there are more than `most` documents."""
    if len(corpus) > most:
        return []
    spaces, rows = model.spaces_, np.flatnonzero(model.kept_)
    own = np.flatnonzero(model.labels_[rows] >= 0)
    found, names = [own[each] for each in pockets(spaces.unaveraged[own])], model.representation_.names

    def pocket(documents: list[int], words: list[int]) -> Pocket:
        seen = [corpus.titles[row] or corpus.texts[row][:_SHORT] or corpus.ids[row] for row in documents[:_EXAMPLES]]
        return Pocket(_at(corpus.ids, documents), [names[column] for column in words], seen)

    typical = spaces.typical_words(found)
    return [pocket(rows[each].tolist(), words) for each, words in zip(found, typical, strict=True)]


def groups_of(corpus: Corpus, model: DocumentClustering, shown: ByNumber) -> list[Group]:
    """Summarise the groups of a model, without their trust."""
    rows = np.flatnonzero(shown.rows).tolist()
    return summarise_groups(_given(corpus, model, shown, rows), _judged(model, shown, rows))


def _names(every: Sequence[str], model: DocumentClustering, shown: ByNumber, rows: list[int]) -> list[str | None]:
    """Return the name of each group: from a decision, the model's namer, or a phrase of its texts."""
    texts, given = [every[row] for row in rows], shown.names or [None] * len(shown.coef)
    names = automatic_names(texts, shown.labels, given, model.representation_)
    left = [g for g in np.unique(shown.labels[shown.labels >= 0]).tolist() if given[g] is None]
    if model.namer is None or not left:
        shown.call(names)
        return names
    grouped, words, called = _by_coef(model, shown, names)
    typical = np.asarray((grouped.X @ grouped.sums.T).todense())
    inside = np.flatnonzero(shown.labels >= 0)
    briefs = []
    for g in left:
        best = np.flatnonzero(grouped.groups == g)
        best = inside[best[np.argsort(-typical[best, g], kind="stable")[:20]]]
        siblings = tuple(called[other] for other in np.unique(grouped.groups).tolist() if other != g)
        size = int(np.count_nonzero(shown.labels == g))
        briefs.append(GroupBrief(g, called[g], size, tuple(words[g]), tuple(texts[row] for row in best), siblings))
    for g, name in zip(left, names_by(model.namer, briefs), strict=True):
        names[g] = name.text
    shown.call(names)
    return names


def _by_coef(
    model: DocumentClustering, shown: ByNumber, names: Sequence[str | None]
) -> tuple[Grouped, list[list[Weighted]], list[str]]:
    """Return the documents in groups, the first words of each group, and its name (as given, or its words)."""
    grouped = Grouped.of(shown.spaces.words, shown.labels, len(shown.coef), shown.labels >= 0)
    words = distinctive(grouped, shown.coef, model.representation_.names, _TRUST_FIRST)
    return grouped, words, [group_name(name, words[g], g) for g, name in enumerate(names)]


@dataclass(frozen=True)
class Level:
    """A level of the tree: the branch of each document, (n,), -1 for none; the name and the groups of each branch."""

    labels: Array
    names: dict[int, str]
    groups: dict[int, list[int]]


def levels_of(
    texts: Sequence[str], model: DocumentClustering, shown: ByNumber, names: Sequence[str], counts: Sequence[int]
) -> list[Level]:
    """Return levels of the tree with the given numbers of branches; a branch with one group has the group's name."""
    rows, found = np.flatnonzero(shown.rows).tolist(), []
    for labels in model.levels(counts):
        at = labels[shown.rows]
        groups = {g: np.unique(shown.labels[at == g]).tolist() for g in np.unique(at[at >= 0]).tolist()}
        given = [names[groups[g][0]] if len(groups.get(g, ())) == 1 else None for g in range(len(shown.coef))]
        level = replace(shown, labels=at, coef=np.zeros_like(shown.coef), names=given, version=None)
        named = _by_coef(model, level, _names(texts, model, level, rows))[2]
        found.append(Level(labels, {g: named[g] for g in groups}, groups))
    return found


def probability_of(model: DocumentClustering, groups: Array) -> Array:
    """Return each document's probability of its given group (-1 for no group); nan if unknown."""
    p, numbers = model.membership_, model.numbers_
    p = p if p.shape[1] > len(numbers) else np.column_stack([p, np.full(len(p), np.nan)])
    place = np.full(int(numbers.max()) + 2, len(numbers))
    place[numbers] = np.arange(len(numbers))
    return np.asarray(p[np.arange(len(p)), place[groups]])


def several_groups(
    model: DocumentClustering, texts: Sequence[str], least: float, shares: Array | None = None
) -> list[SeveralGroups | None]:
    """Return the groups of each text that has several passages and two groups with a share of at least `least`; else
    None.

    `shares` are those of `DocumentClustering.shares`, if known. A passage has the group -1 if the share of its most
    probable group is too small to be listed.
    """
    ends = [passage_ends(text, PASSAGE) for text in texts]
    found: list[SeveralGroups | None] = [None] * len(texts)
    if all(len(each) < 2 for each in ends):
        return found
    numbers = [*model.numbers_.tolist(), -1]
    shares = np.nan_to_num(model.shares(texts) if shares is None else shares)
    shares[:, len(model.numbers_) :] = 0  # "none of the groups"
    rows = np.flatnonzero(((shares >= least).sum(axis=1) > 1) & [len(each) > 1 for each in ends]).tolist()
    cuts = [texts[row][start:end] for row in rows for start, end in pairwise([0, *ends[row]])]
    p = np.nan_to_num(model.predict_proba(cuts)) if rows else np.zeros((0, 1))
    for row, each in zip(rows, np.split(p, np.cumsum([len(ends[row]) for row in rows])[:-1]), strict=False):
        best, order = each.argmax(axis=1), np.argsort(-shares[row], kind="stable")
        groups = np.where((shares[row][best] >= LEAST_SHARE) & (each.max(axis=1) > 0), np.array(numbers)[best], -1)
        found[row] = SeveralGroups(
            [(numbers[g], round(float(shares[row, g]), 2)) for g in order.tolist() if shares[row, g] >= LEAST_SHARE],
            [*zip(ends[row], groups.tolist(), each.max(axis=1).round(2).tolist(), strict=True)],
        )
    return found


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
        names=_names(corpus.texts, model, shown, rows),
        space=shown.spaces.unaveraged,
    )


def _judged(model: DocumentClustering, shown: ByNumber, rows: list[int]) -> Judged | None:
    """Return the off-topic verdicts for a report; None without verdicts."""
    verdicts, away = shown.verdicts, shown.verdicts.away
    out = away if verdicts.off_topic is None else verdicts.off_topic
    if out is None:
        return None
    threshold = getattr(model.clusterer_, "off_topic_", None)
    thrown = None if away is None else away[rows]
    return Judged(out[rows], verdicts.off_topic_score[rows], shown.reject, threshold, thrown, shown.pinned)


def _at(values: Sequence[str], rows: list[int]) -> list[str]:
    return [values[row] for row in rows]


# --- A version's arrays with a column for each group number
#
# A merge leaves numbers without a group. They get an empty column with scores below all others.


@dataclass(frozen=True)
class ByNumber:
    """The arrays of m shown documents (mask `rows` (n,)) and K group numbers.

    `labels` (m,), `verdicts` on all n documents, `coef` (K, V) by words, `reject` as in
    `DocumentClustering.word_reject_` with at least K rows, `names` or None. `numbers` are the present groups, None for
    all. `spaces` holds the m documents; `pinned` (m,) bool is the mask of labelled documents or None, `apart` the
    separated pairs of groups, and `version` keeps the automatic names.
    """

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
    version: Version | None = None

    def call(self, names: Sequence[str | None]) -> None:
        """Store the automatic names for later versions."""
        if self.version is not None:
            undecided = {*self.version.numbers} - {*self.version.names}
            self.version.called.update({g: name for g in sorted(undecided) if (name := names[g]) is not None})


def by_number(version: Version, verdicts: Verdicts | None = None) -> ByNumber:
    """Return the arrays of a version indexed by group number; pass known `verdicts` to save time.

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
    known = kept_names(version) | dict(version.names)
    names = [known.get(number) for number in range(K)]
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
        version,
    )


def _judged_by_number(version: Version, rows: Array, spaces: Spaces) -> Verdicts:
    """Return the verdicts on documents with rows; documents labelled off-topic are always off-topic."""
    found = judge(version.model, spaces, rows, version.labels)
    away = rows & np.isin(np.arange(len(rows)), list(version.state.away))
    if not away.any():
        return found
    return replace(found, away=away, off_topic=None if found.off_topic is None else found.off_topic | away)


def at_numbers(verdicts: Verdicts, numbers: Sequence[int] | None) -> Verdicts:
    """Return the verdicts with a score column for each number up to the largest; for None, the columns stay."""
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
    reject = version.model.word_reject_
    if reject is None:
        return None
    count = K + len(reject[1]) - len(numbers)
    places = np.append(numbers, np.arange(K, count))
    intercept = np.full(count, -1e9)  # an empty column never wins
    intercept[places] = reject[1]
    return _rows(reject[0], places, count), intercept


# --- Names of groups, by decisions or by words, also without a model


def automatic_names(
    texts: Sequence[str], labels: Array, names: Sequence[str | None], representation: Representation
) -> list[str | None]:
    """Return the name of each group: as given, else a phrase of its texts that no other group has; else None.

    >>> texts = ["green tea and milk", "some green tea", "the night train", "a night train to town"]
    >>> from outgroup.text.representation import Representation
    >>> from outgroup import Vectorizer
    >>> automatic_names(texts, np.array([0, 0, 1, 1]), ["Drinks", None], Representation(Vectorizer()))
    ['Drinks', 'night train, town']
    """
    if all(name is not None for name in names):
        return list(names)
    analyser = getattr(representation.vectorizer, "analyser", None)
    phrases = phrase_names(texts, labels, len(names), analyser, taken=[name for name in names if name is not None])
    return [phrase or None if name is None else name for name, phrase in zip(names, phrases, strict=True)]


def names_of(version: Assignment, documents: Collection) -> dict[int, str]:
    """Return the group names of a version by number: decided, kept from before, or automatic.

    >>> from outgroup.session import Session
    >>> texts = ["bread and butter", "butter on bread", "a train to town", "the town's rails"]
    >>> session = Session(texts, n_clusters=2)
    >>> version = session.fit()
    >>> version.called.update({0: "butter", 1: "town"})
    >>> names_of(version, session.documents)
    {0: 'butter', 1: 'town'}
    """
    known = kept_names(version) | dict(version.names)
    if all(number in known for number in version.numbers):
        return {number: known[number] for number in sorted(version.numbers)}
    kept = documents.kept
    k, labels = max(version.numbers) + 1, version.labels[kept]
    texts = [documents.texts[row] for row in np.flatnonzero(kept).tolist()]
    names = automatic_names(texts, labels, [known.get(number) for number in range(k)], documents.representation)
    words = _by_words(version, documents, k)
    return {number: group_name(names[number], words[number], number) for number in version.numbers}


def _by_words(version: Assignment, documents: Collection, k: int) -> list[list[Weighted]]:
    counted = documents.without_words(version.state.ignored)
    labels = version.labels[counted.kept]
    grouped = Grouped.of(counted.spaces.words, labels, k, labels >= 0)
    return distinctive(grouped, np.zeros((k, len(documents.words))), documents.words, 3)


# --- The trust in the groups of a fitted model: by rows, by words, and by refits on subsamples

_TRUST_FIRST = 10  # words of a group for its coherence


def trust_of(
    model: DocumentClustering,
    shown: ByNumber,
    *,
    every: tuple[Any, Array] | None = None,
    progress: OnCount | None = None,
) -> Trust:
    """Return the trust in a model's groups on its training documents, by number.

    Needs the rows of the documents, which a loaded model lacks; for a model with a sample of them, `every` has all rows
    and their groups. Rows are in the order of the texts, as in the fit, so that the order of the input has no effect.
    """
    spaces, order = model.spaces_, model.order_
    words = sp.csr_matrix(spaces.words)
    own = shown.labels[model.kept_[shown.rows]]  # without off-topic labels
    rows, labels = every or (spaces.space[order], own[order])
    first = _first_words(words, own, shown.coef)
    if every is None:
        model._ensemble = Ensemble.of(rows, labels, model._ensemble)
    found = group_trust(
        rows,
        labels,
        n_clusters=len(shown.coef),
        words=words,
        first_words=first,
        ensemble=model._ensemble if every is None else None,
        progress=progress,
    )
    return replace(found, groups=[_parted(each, shown.apart) for each in found.groups])


def _parted(group: GroupTrust, apart: AnyCollection[Pair]) -> GroupTrust:
    """Return a group as "loose" instead of "mixed" if a decision separated it from the group it is mixed with."""
    mixed = group.word == "mixed" and frozenset({group.number, group.mixed_with}) in apart
    return replace(group, word="loose") if mixed else group


def _first_words(words: Any, labels: Array, coef: Array) -> list[list[int]]:
    """Return the columns of each group's first words, as many as a page shows."""
    columns = np.arange(words.shape[1]).astype(str).tolist()
    grouped = Grouped.of(words, labels, len(coef), labels >= 0)
    weighed = distinctive(grouped, coef, columns, _TRUST_FIRST)
    return [[int(column) for column, _ in each] for each in weighed]
