"""Seeds as arrays over the documents and the words of a collection."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn import config_context

from ..errors import InputError, OutgroupWarning
from ..types import Array
from .seeds import Seeds

_SHOWN = 5  # unknown ids or words that a warning names


@dataclass(frozen=True)
class Placed:
    """Seeds as arrays: `seeds` (n,) int32, -1 for unlabelled; `word_seeds` (k, V) bool; `seed_weights` (k,).

    Each is None where nobody gave such. `names` has None for a cluster that nobody named.
    """

    seeds: Array | None
    word_seeds: Any
    seed_weights: Array | None
    names: list[str | None]

    def arguments(self, order: Array) -> dict[str, Any]:
        """Return what a clusterer's `fit` takes for the rows in that `order` (n,)."""
        seeds = None if self.seeds is None else self.seeds[order]
        given = {"seeds": seeds, "word_seeds": self.word_seeds, "seed_weights": self.seed_weights}
        return {name: value for name, value in given.items() if value is not None}


def place(seeds: Seeds, ids: Sequence[str], vectorizer: Any, n_clusters: int) -> Placed:
    """Return the seeds as arrays over the documents `ids` and the columns of a fitted `vectorizer`.

    A word is brought to its columns as the texts were. Warns of each id and word that is not known, naming the nearest,
    and of words for every cluster, which are left out.

    Raises InputError for more named clusters than `n_clusters`, or when no seed is left.
    """
    names = list(seeds.clusters)
    if len(names) > n_clusters:
        raise InputError(
            f"the seeds name {len(names)} clusters and there are to be {n_clusters}; choose at least {len(names)}"
        )
    labels = _labels(rows_of(ids, [seeds.clusters[name].documents for name in names]), len(ids))
    words = _columns([seeds.clusters[name].words for name in names], vectorizer, n_clusters)
    if names and not ((labels >= 0).any() or words.any()):
        raise InputError(
            "no seed is left: none of the labelled documents and words is known; write them as the collection does, or "
            "leave them out"
        )
    unnamed = n_clusters - len(names)
    weights = np.array([*(seeds.clusters[name].weight for name in names), *[1.0] * unnamed], dtype=float)
    return Placed(
        labels if (labels >= 0).any() else None,
        words if words.any() else None,
        weights if (weights != 1).any() else None,
        [*names, *[None] * unnamed],
    )


def _labels(rows_of_each: Sequence[list[int]], n: int) -> Array:
    """Return the cluster of each of n documents, (n,) int32, by the rows of each cluster; -1 for none."""
    labels = np.full(n, -1, dtype=np.int32)
    for number, rows in enumerate(rows_of_each):
        labels[rows] = number
    return labels


def rows_of(ids: Sequence[str], wanted: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the row of each wanted id, a list for each of `wanted`; warns of unknown ids and names the nearest."""
    row_of = {identity: row for row, identity in enumerate(ids)}
    unknown = dict.fromkeys(identity for each in wanted for identity in each if identity not in row_of)
    if unknown:
        _warn(f"{_counted(unknown, 'labelled document')} not in the collection", unknown, list(row_of))
    return [[row_of[identity] for identity in each if identity in row_of] for each in wanted]


@config_context(transform_output="default")  # the vectorizer shall give a matrix, whatever people have set
def _columns(wanted: Sequence[Sequence[str]], vectorizer: Any, k: int) -> Array:
    """Return which column is labelled for which cluster, (k, V) bool."""
    names = [str(name) for name in vectorizer.get_feature_names_out()]
    words = list(dict.fromkeys(word for each in wanted for word in each))
    labelled = np.zeros((k, len(names)), dtype=bool)
    if not words:
        return labelled
    rows = vectorizer.transform(words).tocsr()
    columns = {word: rows[number].indices[rows[number].data != 0] for number, word in enumerate(words)}
    unknown = [word for word in words if not len(columns[word])]
    if unknown:
        _warn(f"{_counted(unknown, 'labelled word')} not in the vocabulary (rare, or a stop word?)", unknown, names)
    for number, each in enumerate(wanted):
        for word in each:
            labelled[number, columns[word]] = True
    return _telling(labelled, names)


def _telling(labelled: Array, names: list[str]) -> Array:
    everywhere: Array = np.flatnonzero(labelled.all(axis=0) & (len(labelled) > 1))
    if len(everywhere):
        shown = ", ".join(repr(names[column]) for column in everywhere[:_SHOWN])
        message = f"words labelled for every cluster tell nothing and are left out: {shown}"
        warnings.warn(message, OutgroupWarning, stacklevel=4)
        labelled[:, everywhere] = False
    return labelled


def _warn(message: str, unknown: Iterable[str], known: list[str]) -> None:
    shown = []
    for name in list(unknown)[:_SHOWN]:
        near = get_close_matches(name, known, 3)
        shown.append(f"{name!r}" + (f" (nearest: {', '.join(map(repr, near))})" if near else " (nothing is near)"))
    more = " ..." if len(list(unknown)) > _SHOWN else ""
    warnings.warn(f"{message}: {', '.join(shown)}{more}", OutgroupWarning, stacklevel=5)


def _counted(things: Iterable[str], what: str) -> str:
    count = len(list(things))
    return f"{count} {what} is" if count == 1 else f"{count} {what}s are"
