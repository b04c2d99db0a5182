"""What a summary says beyond groups and documents: trust, pockets, groups of passages, and the effect of seeds."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..cluster.outliers import POCKETS, pockets
from ..cluster.trust import GroupTrust, Trust, group_trust
from ..decisions.state import Pair
from ..model import Model
from ..pipeline import call, examples_for, rows_and_examples
from ..readers.documents import Corpus
from ..solve.ensemble import Ensemble
from ..text.collection import Collection
from ..text.representation import Spaces
from ..text.texts import PASSAGE, passage_ends
from ..types import Array, OnCount, OnProgress
from .partition import Partition
from .records import Pocket, Receipt, SeveralGroups
from .summarise import receipt
from .words import Grouped, distinctive

_EXAMPLES, _SHORT = 3, 120  # titles or beginnings of texts of a pocket, and their letters
_OFTEN = 2.0  # times as often in a group as elsewhere: a word of the group
_FIRST = 10  # words of a group for its coherence
LEAST_SHARE = 0.05  # of a group in a text, to be listed


def pockets_of(corpus: Corpus | Collection, model: Model, most: float = POCKETS.most_rows) -> list[Pocket]:
    """Return the pockets among grouped documents; none if there are more than `most` documents.

    A pocket is left out if half of its words, or more, are words of its group: the other documents of the group have
    them twice as often as those of other groups.
    """
    if len(corpus) > most:
        return []
    spaces, rows = model.spaces_, np.flatnonzero(model.kept_)
    own = np.flatnonzero(model.labels_[rows] >= 0)
    found, names = [own[each] for each in pockets(spaces.unaveraged[own])], model.representation_.names

    def pocket(documents: list[int], words: list[int]) -> Pocket:
        seen = [corpus.titles[row] or corpus.texts[row][:_SHORT] or corpus.ids[row] for row in documents[:_EXAMPLES]]
        return Pocket([corpus.ids[row] for row in documents], [names[column] for column in words], seen)

    typical, labels = spaces.typical_words(found), model.labels_[rows]
    every = zip(found, typical, strict=True)
    return [pocket(rows[each].tolist(), words) for each, words in every if not _of_group(spaces, labels, each, words)]


def _of_group(spaces: Spaces, labels: Array, pocket: Array, words: list[int]) -> bool:
    """Return whether half of the words of a pocket, or more, are words of its group."""
    within = labels == np.bincount(labels[pocket]).argmax()
    rest = np.ones(len(labels), dtype=bool)
    rest[pocket] = False
    own, other = (_share(spaces.words[rest & of][:, words]) for of in (within, ~within))
    return bool(np.count_nonzero(own > _OFTEN * other) * 2 >= len(words) > 0)


def _share(words: Any) -> Array:
    """Return the share of rows that contain each word."""
    return np.asarray((words > 0).sum(axis=0)).ravel() / max(words.shape[0], 1)


def probability_of(model: Model, groups: Array) -> Array:
    """Return each document's probability of its given group (-1 for no group); nan if unknown."""
    p, numbers = model.membership_, model.numbers_
    p = p if p.shape[1] > len(numbers) else np.column_stack([p, np.full(len(p), np.nan)])
    place = np.full(int(numbers.max()) + 2, len(numbers))
    place[numbers] = np.arange(len(numbers))
    return np.asarray(p[np.arange(len(p)), place[groups]])


def several_groups(
    model: Model, texts: Sequence[str], least: float, shares: Array | None = None
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


# --- The trust in groups: by rows, by words, and by refits on subsamples


def trust_of(partition: Partition, *, every: tuple[Any, Array] | None = None, progress: OnCount | None = None) -> Trust:
    """Return the trust in the groups of a version that has the rows of its documents, by number.

    For a version with a sample of them, `every` has all rows and their groups. Rows are in the order of the texts, as
    in the fit, so that the order of the input has no effect.
    """
    model = partition.version.model
    spaces, order = model.spaces_, model.order_
    words = sp.csr_matrix(spaces.words)
    own = partition.labels[model.kept_[partition.rows]]  # without off-topic labels
    rows, labels = every or (spaces.space[order], own[order])
    first = _first_words(words, own, partition.coef)
    if every is None:
        model._ensemble = Ensemble.of(rows, labels, model._ensemble)
    found = group_trust(
        rows,
        labels,
        n_clusters=len(partition.coef),
        words=words,
        first_words=first,
        ensemble=model._ensemble if every is None else None,
        progress=progress,
    )
    return replace(found, groups=[_parted(each, partition.version.state.apart) for each in found.groups])


def _parted(group: GroupTrust, apart: AnyCollection[Pair]) -> GroupTrust:
    """Return a group as "loose" instead of "mixed" if a decision separated it from the group it is mixed with."""
    mixed = group.word == "mixed" and frozenset({group.number, group.mixed_with}) in apart
    return replace(group, word="loose") if mixed else group


def _first_words(words: Any, labels: Array, coef: Array) -> list[list[int]]:
    """Return the columns of each group's first words, as many as a page shows."""
    columns = np.arange(words.shape[1]).astype(str).tolist()
    grouped = Grouped.of(words, labels, len(coef), labels >= 0)
    return [[int(column) for column, _ in each] for each in distinctive(grouped, coef, columns, _FIRST)]


# --- The effect of seeds, by a comparison with a fit without them


def steering_receipt(model: Model, ids: Sequence[str], progress: OnProgress) -> Receipt | None:
    """Return the effect of the seeds of a model, fitted on texts with these `ids`; None without seeds.

    Fits the same clusterer with the same random state without the seeds, on the same rows and Universum. Raises
    AttributeError for a loaded model, which has no rows.
    """
    placed, groups = model.placed_, model.clusterer_
    if placed is None:
        return None
    X, examples = rows_and_examples(model.spaces_, model.examples_, groups, model.order_)
    free = call(clone(groups).fit, X, progress=progress, **examples_for(groups, examples, model.thrown_))
    return receipt(
        model.spaces_.words,
        model.labels_[model.kept_],
        model.word_coef_,
        model.representation_.names,
        [ids[row] for row in np.flatnonzero(model.kept_).tolist()],
        placed.names,
        seeds=placed.seeds,
        word_seeds=placed.word_seeds,
        labels_without=free.labels_[np.argsort(model.order_)],
        objectives=(_objective(groups), _objective(free)),
    )


def _objective(groups: Any) -> float:
    """Return the objective without the seed terms."""
    return float(getattr(groups, "unsteered_objective_", groups.objective_))
