"""How far the groups of a fitted model can be trusted: their rows, their words, and fits on parts of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...cluster.trust import GroupTrust, Trust, trust_by_words
from ...model import DocumentClustering
from ...report.groups.grouped import Grouped
from ...report.words import distinctive
from ...types import Array, OnCount
from ..state import Pair
from .arrays_by_number import ByNumber

_FIRST = 10  # words of a group whose coherence is told


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


def _parted(group: GroupTrust, apart: Collection[Pair]) -> GroupTrust:
    """Return a group that is not called mixed with one that a person parted it from: the fits know nothing of that."""
    mixed = group.word == "mixed" and frozenset({group.number, group.mixed_with}) in apart
    return replace(group, word="loose") if mixed else group


def _first_words(words: Any, labels: Array, coef: Array) -> list[list[int]]:
    """Return the columns of the words that stand first for each group on a page."""
    columns = np.arange(words.shape[1]).astype(str).tolist()
    grouped = Grouped.of(words, labels, len(coef), labels >= 0)
    weighed = distinctive(grouped, coef, columns, _FIRST)
    return [[int(column) for column, _ in each] for each in weighed]
