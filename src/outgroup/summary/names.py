"""Names of groups and of levels of their tree: by decisions, by a namer, or by phrases of their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..decisions import Merge, NewGroup
from ..decisions.history import number_of
from ..errors import listed
from ..model import Model
from ..naming import GroupBrief, group_words, names_by
from ..pipeline import Weighted
from ..solve.tree import cut, halves, splits
from ..text.representation import Representation
from ..types import Array
from .partition import Partition
from .tree import linkage
from .words import GroupedRows, distinctive, group_name

_SHOWN = 10  # words of a group that a namer sees
_COMPOSED = 3  # names by hand in the name of a branch
_BEST = 20  # documents of a group that a namer sees


def named(partition: Partition, texts: Sequence[str], namer: Any = None) -> Partition:
    """Return the partition with a name for each group, None if only its words name it; the version keeps new names.

    `texts` are those of the partition's documents, with their titles.
    """
    version = partition.version
    if version is None:
        return partition
    given = partition.names or [None] * len(partition.coef)
    names = automatic_names(texts, partition.labels, given, version.model.representation_)
    left = [g for g in np.unique(partition.labels[partition.labels >= 0]).tolist() if given[g] is None]
    descriptions = dict(partition.descriptions)
    if namer is not None and left:
        for g, answer in zip(left, names_by(namer, briefs(partition, texts, names, left)), strict=True):
            names[g] = answer.text
            if answer.description:
                descriptions[g] = f"{answer.description} (by the namer)"
    undecided = {*version.numbers} - {*version.names}
    version.automatic_names.update({g: name for g in sorted(undecided) if (name := names[g]) is not None})
    return replace(partition, names=names, descriptions=descriptions)


def briefs(
    partition: Partition, texts: Sequence[str], names: Sequence[str | None], groups: Sequence[int]
) -> list[GroupBrief]:
    """Return the brief of each of the `groups`; `texts` are those of the partition's documents."""
    grouped, words, called = _by_coef(partition, names)
    typical = np.asarray((grouped.X @ grouped.sums.T).todense())
    inside, found = np.flatnonzero(partition.labels >= 0), []
    for g in groups:
        best = np.flatnonzero(grouped.groups == g)
        best = inside[best[np.argsort(-typical[best, g], kind="stable")[:_BEST]]]
        siblings = tuple(called[other] for other in np.unique(grouped.groups).tolist() if other != g)
        size = int(np.count_nonzero(partition.labels == g))
        found.append(
            GroupBrief(g, called[g], size, tuple(words[g]), tuple(texts[row] for row in best.tolist()), siblings)
        )
    return found


def _by_coef(partition: Partition, names: Sequence[str | None]) -> tuple[GroupedRows, list[list[Weighted]], list[str]]:
    """Return the documents in groups, the first words of each group, and its name (as given, or its words)."""
    words = distinctive(partition.grouped, partition.coef, partition.feature_names, _SHOWN)
    return partition.grouped, words, [group_name(name, words[g], g) for g, name in enumerate(names)]


@dataclass(frozen=True)
class Level:
    """A level of the tree: the branch of each document, (n,), -1 for none; the name and the groups of each branch.

    The groups are those of the finest level, if that has more than the partition.
    """

    labels: Array
    names: dict[int, str]
    groups: dict[int, list[int]]


def levels_of(partition: Partition, texts: Sequence[str], names: Sequence[str], counts: Sequence[int]) -> list[Level]:
    """Return levels of the tree with the given numbers of branches.

    A branch with one group has the group's name, one with groups that decisions named is called by these.
    """
    found = list[Level]()
    if not counts:
        return found
    model, sizes = partition.version.model, np.bincount(partition.labels[partition.labels >= 0], minlength=len(names))
    *found_labels, finest = branches(model, [*counts, max(len(model.numbers_), *counts)])
    for labels in found_labels:
        at, groups = labels[partition.rows], dict[int, list[int]]()
        given: list[str | None] = [None] * (int(finest.max()) + 1)
        for g in np.unique(at[at >= 0]).tolist():
            groups[g] = np.unique(finest[partition.rows][at == g]).tolist()
            whole = np.unique(partition.labels[at == g])
            if sizes[whole].sum() == np.count_nonzero(at == g):  # not a part of a group
                given[g] = _of_branch(whole.tolist(), names, partition.version.names)
        level = replace(partition, labels=at, coef=np.zeros((len(given), partition.coef.shape[1])))
        called = _by_coef(level, automatic_names(texts, at, given, model.representation_))[2]
        found.append(Level(labels, {g: called[g] for g in groups}, groups))
    return found


def _of_branch(groups: Sequence[int], names: Sequence[str], by_hand: Mapping[int, str]) -> str | None:
    """Return the name of a branch, composed of names by hand; None without any.

    >>> _of_branch([0, 2, 5], ["a", "b", "c", "d", "e", "f"], {0: "Tea", 5: "Milk"})
    'Tea, Milk and others'
    """
    if len(groups) == 1:
        return names[groups[0]]
    own = [by_hand[g] for g in groups if g in by_hand]
    shown = own[:_COMPOSED]
    return listed([*shown, *["others"] * (len(shown) < len(groups))]) if own else None


def tree_of(model: Model) -> Array:
    """Return the tree of the groups of a fitted model as SciPy's linkage matrix, (k - 1, 4)."""
    return linkage(model._own_spaces().words, model._positions()[model.kept_], len(model.numbers_))


def branches(model: Model, counts: Sequence[int]) -> list[Array]:
    """Return for each count of branches the lowest group number in each document's branch, (n,) int32, -1 for none.

    More branches than groups are parts of the groups, by the best splits; new parts have the next numbers.
    """
    tree, positions, k = tree_of(model), model._positions(), len(model.numbers_)
    rows, most = model._own_spaces().words, max(counts, default=0)
    further = list(splits(positions[model.kept_], k, most, lambda group: halves(rows[group])))
    numbers = np.array([*model.numbers_, *(int(max(model.numbers_)) + 1 + np.arange(len(further))), -1], dtype=np.int32)
    found = []
    for count in counts:
        at = np.append(cut(tree, k, int(count)), -1)[positions]
        for new, (_, moved, _) in enumerate(further[: max(0, count - k)], start=k):
            at[np.flatnonzero(model.kept_)[moved]] = new
        found.append(numbers[at])
    return found


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
    taken = [name for name in names if name is not None]
    words = group_words(texts, labels, len(names), analyser, taken=taken, encode=representation.for_names)
    return [str(own) or None if name is None else name for name, own in zip(names, words, strict=True)]


def begun_words(partition: Partition) -> list[list[Weighted]]:
    """Return the words of the texts of each group that documents began, [] for the other groups, and for one
    that took in others.

    The vocabulary may be older than these documents, and lack their words.
    """
    version, k = partition.version, len(partition.coef)
    decided = () if version is None else version.decisions
    first = {document for decision in decided if isinstance(decision, NewGroup) for document in decision.documents}
    merged = {number_of(version, decision.groups[0]) for decision in decided if isinstance(decision, Merge)}
    begun = {version.groups.get(document) for document in first} & {*range(k)} - merged
    if not begun:
        return [[] for _ in range(k)]
    representation = version.model.representation_
    analyser = getattr(representation.vectorizer, "analyser", None)
    words = group_words(partition.texts, partition.labels, k, analyser, encode=representation.for_names)
    columns = version.documents.columns
    ignored = {column for word in version.state.ignored for column in columns(word)}
    return [
        [word for word in own.ranked() if not ignored.intersection(columns(word[0]))] if g in begun else []
        for g, own in enumerate(words)
    ]
