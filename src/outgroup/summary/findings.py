"""What a summary says beyond groups and documents: trust, pockets, groups of passages, and the effect of seeds."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..cluster.outliers import POCKETS, pockets
from ..cluster.trust import GroupTrust, Trust, group_trust
from ..decisions.state import Pair, Pin
from ..errors import InputError
from ..model import Model
from ..pipeline import call, examples_for, rows_and_examples
from ..readers.documents import Corpus
from ..solve.ensemble import Ensemble
from ..text.collection import Collection
from ..text.representation import Spaces
from ..text.texts import passage_ends
from ..types import Array, OnCount, OnProgress
from .partition import Partition
from .records import Pocket, Receipt, SeveralGroups
from .summarise import receipt
from .words import GroupedRows, distinctive

_EXAMPLES, _SHORT = 3, 120  # titles or beginnings of texts of a pocket, and their letters
_OFTEN = 2.0  # times as often in a group as elsewhere: a word of the group
_FIRST = 10  # words of a group for its coherence
_PASSAGE = 3  # sentences
MULTI = 0.05  # least probability of a further group of a document in the workbench


def pockets_of(corpus: Corpus | Collection, model: Model, most: float = POCKETS.most_rows) -> list[Pocket]:
    """Return the pockets among grouped documents; none if there are more than `most` documents.

    A pocket is left out if half of its words, or more, are words of its group: the other documents of the group have
    them twice as often as those of other groups.
    """
    if len(corpus) > most:
        return []
    spaces, rows = model.spaces_, np.flatnonzero(model.kept_)
    own = np.flatnonzero(model.labels_[rows] >= 0)
    found, names = [own[pocket] for pocket in pockets(spaces.unaveraged[own])], model.representation_.names

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


def held_groups(p: Array, labels: Array, numbers: Array, least: float, pins: Mapping[int, Pin]) -> Array:
    """Return the groups of each document, (n, k) bool: its own, and those with at least the probability `least`.

    `p` (n, k) are those of `Model.several_`, `labels` (n,) the groups, of the `numbers` (k,). A document with a label
    has the groups of its label, and a document in no group has none.
    """
    own = labels[:, None] == numbers
    held = own | ((np.nan_to_num(p) >= least) & own.any(axis=1, keepdims=True))
    for row, pin in pins.items():
        held[row] = np.isin(numbers, [pin.group, *pin.further])
    return np.asarray(held)


def several_groups(model: Model, texts: Sequence[str], p: Array, held: Array) -> list[SeveralGroups | None]:
    """Return the groups of each text with at least two, and of its passages; None for another text.

    `held` (n, k) bool are the groups of the texts, and `p` (n, k) their probabilities. A passage has the most probable
    of them, or -1 if it has no known word or no vector.
    """
    numbers, found = model.numbers_.tolist(), list[SeveralGroups | None]([None] * len(texts))
    rows, p = np.flatnonzero(held.sum(axis=1) > 1).tolist(), np.nan_to_num(p)
    if not rows:
        return found
    ends_of = [passage_ends(texts[row], _PASSAGE) for row in rows]
    cuts = [
        texts[row][start:end] for row, ends in zip(rows, ends_of, strict=True) for start, end in pairwise([0, *ends])
    ]
    try:
        every = np.nan_to_num(model.predict_several(cuts))
    except InputError:  # no encoder makes vectors of passages, so they have no groups
        every = np.zeros((len(cuts), len(numbers)))
    parts = np.split(every, np.cumsum([len(ends) for ends in ends_of])[:-1])
    for row, ends, part in zip(rows, ends_of, parts, strict=True):
        own = np.where(held[row], part, 0)
        order = [g for g in np.argsort(-p[row], kind="stable").tolist() if held[row, g]]
        groups = [numbers[g] if most > 0 else -1 for g, most in zip(own.argmax(axis=1), own.max(axis=1), strict=True)]
        found[row] = SeveralGroups(
            [(numbers[g], round(float(p[row, g]), 2)) for g in order],
            [*zip(ends, groups, own.max(axis=1).round(2).tolist(), strict=True)],
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
    return replace(found, groups=[_parted(group, partition.version.state.apart) for group in found.groups])


def _parted(group: GroupTrust, apart: AnyCollection[Pair]) -> GroupTrust:
    """Return a group as "loose" instead of "mixed" if a decision separated it from the group it is mixed with."""
    mixed = group.word == "mixed" and frozenset({group.number, group.mixed_with}) in apart
    return replace(group, word="loose") if mixed else group


def _first_words(words: Any, labels: Array, coef: Array) -> list[list[int]]:
    """Return the columns of each group's first words, as many as a page shows."""
    columns = np.arange(words.shape[1]).astype(str).tolist()
    grouped = GroupedRows.of(words, labels, len(coef), labels >= 0)
    return [[int(column) for column, _ in first] for first in distinctive(grouped, coef, columns, _FIRST)]


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
    free = call(clone(groups).fit, X, progress=progress, **examples_for(groups, examples, model.labelled_examples_))
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
