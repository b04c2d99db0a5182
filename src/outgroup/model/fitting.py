"""A clusterer fitted on the documents of a collection, from nothing: the one way to it, with and without a session."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..cluster.averaging import beside_original
from ..cluster.neighbours import NeighbourAverage
from ..cluster.off_topic import OffTopicMixin
from ..cluster.profile import Choice, Profile, k_profile
from ..cluster.saved_fields import is_count
from ..errors import InputError
from ..steering.seed_arrays import Placed
from ..steering.steering import Steering, takes_seeds
from ..text.collection import Arranged, Collection
from ..text.representation import Spaces
from ..text.words.vectorize import Vectorizer
from ..types import Array, FindsOffTopic, Reports


@dataclass(frozen=True)
class Fitted:
    """A clusterer fitted on the rows `arranged.spaces.space[order]`, and the seeds that it had, None for none."""

    clusterer: Any
    arranged: Arranged
    order: Array
    placed: Placed | None

    @property
    def labels(self) -> Array:
        """The group of each of the n documents, (n,) int32; -1 for one that took no part, or is set aside."""
        own = np.asarray(self.clusterer.labels_)[np.argsort(self.order)]
        return spread(own, self.arranged.inside, -1, np.int32)


def copied_clusterer(given: Any) -> Any:
    """Return an unfitted copy of a clusterer; raises InputError for what is none."""
    return _copied(given, "clusterer", "fit", "SphericalKMeans()")


def copied_vectorizer(given: Any) -> Any:
    """Return an unfitted copy of a vectorizer, the default one for None; raises InputError for what is none."""
    return Vectorizer() if given is None else _copied(given, "vectorizer", "fit_transform", "Vectorizer()")


def _copied(given: Any, name: str, verb: str, example: str) -> Any:
    if isinstance(given, type) or not hasattr(given, verb):
        raise InputError(f"{name} is {given!r:.60}; give an object, such as {example}")
    return clone(given, safe=False)


def fit_from_nothing(
    documents: Collection,
    clusterer: Any,
    steering: Steering,
    progress: Any,
    *,
    init: Array | None = None,
    **others: Any,
) -> Fitted:
    """Fit `clusterer` on the documents that are left to be grouped, in the order of their texts.

    `init` (n,) is the group of each document to start from; what is in `others` goes to the clusterer as it is. Raises
    InputError for what the clusterer cannot take.
    """
    arranged = Arranged.of(documents, frozenset(np.flatnonzero(steering.away).tolist()))
    if arranged.examples is not None or documents.universum is not None:
        _takes_universum(clusterer)
    placed = steering.place(documents.representation.vectorizer, getattr(clusterer, "n_clusters", 0), arranged.inside)
    if placed is not None:
        takes_seeds(clusterer)
    seeds = None if placed is None else placed.seeds
    order = arranged.order() if seeds is None else arranged.spaces.order(seeds)
    X, examples = rows_and_examples(arranged.spaces, arranged.examples, clusterer, order)
    extras = others | _said(arranged, placed, order, clusterer)
    extras |= examples_for(clusterer, examples, arranged.thrown)
    if init is not None:
        extras["init"] = init[arranged.inside][order]
    call(clusterer.fit, X, progress=progress, **extras)
    if not hasattr(clusterer, "labels_"):
        raise InputError(f"a {type(clusterer).__name__} finds no groups: it has no labels_ after fit; use a clusterer")
    return Fitted(clusterer, arranged, order, placed)


def is_number(choice: Any) -> TypeGuard[int]:
    """Whether a number of groups is given as such, and no profile is asked for; False and True are none."""
    return isinstance(choice, Integral) and not isinstance(choice, bool)


def choose_groups(documents: Collection, choice: Choice, clusterer: Any, progress: Any) -> Profile | None:
    """Give `clusterer` the number of groups that is asked for: where `choice` is none, the one that a profile chooses.

    Returns the profile, None where a number was given.
    """
    if is_number(choice):
        clusterer.set_params(n_clusters=int(choice))
        return None
    order, spaces = documents.spaces.order(), documents.spaces
    profile = k_profile(spaces.space[order], choice, words=sp.csr_matrix(spaces.words)[order], progress=progress)
    clusterer.set_params(n_clusters=profile.chosen)
    return profile


def _said(arranged: Arranged, placed: Placed | None, order: Array, clusterer: Any) -> dict[str, Any]:
    """Return the seeds as a clusterer takes them, and, where it asks for it, who is near whom."""
    extras: dict[str, Any] = {}
    if placed is not None:
        extras |= placed.arguments(order)
        if arranged.spaces.apart and "word_seeds" in extras:
            extras["words"] = arranged.spaces.words[order]
    asked = placed is not None or not arranged.documents.representation.passes  # averaged rows were heard already
    if asked and arranged.spaces.graph is not None and "graph" in getattr(clusterer, "steered_by", ()):
        extras["graph"] = arranged.spaces.graph[order][:, order]
    return extras


def rows_and_examples(spaces: Spaces, examples: Spaces | None, clusterer: Any, order: Array) -> tuple[Any, Any]:
    """Return what a clusterer is fitted on: the documents' rows in that `order`, and those of the `examples`, or None.

    Without examples rows as they came would tell it nothing: what is averaged is all it needs.
    """
    if examples is None:
        return spaces.space[order], None
    return rows_of(spaces, clusterer, order), rows_of(examples, clusterer)


def rows_of(spaces: Spaces, clusterer: Any, order: Any = slice(None)) -> Any:
    """Return the rows, in that `order`, that a clusterer judges documents by.

    One of Outgroup finds groups among averaged rows, and junk among the same rows as they came.
    """
    own = None if spaces.original is None or not isinstance(clusterer, OffTopicMixin) else spaces.original[order]
    return beside_original(spaces.space[order], own)


def averaging(neighbours: Any, groups: Any) -> NeighbourAverage:
    """Return what averages rows with their neighbours, `neighbours` times; "auto" asks how many `groups` there are.

    Raises InputError for anything but "auto" and a whole number from 0.

    >>> averaging(2, 8).passes
    2
    """
    if neighbours != "auto" and not is_count(neighbours, 0):
        raise InputError(f'neighbours is {neighbours!r:.60}; give "auto", 0, or how often rows are averaged')
    return NeighbourAverage(neighbours, n_groups=groups if is_count(groups) else None)


def examples_for(clusterer: Any, examples: Any, thrown: Array | None) -> dict[str, Any]:
    """Return the `examples` as a clusterer takes them, if it does: one of Outgroup hears which were `thrown` away."""
    if examples is None or not isinstance(clusterer, FindsOffTopic):
        return {}
    return {"universum": examples} | ({"thrown_away": thrown} if isinstance(clusterer, OffTopicMixin) else {})


def _takes_universum(clusterer: Any) -> None:
    if not isinstance(clusterer, FindsOffTopic):
        raise InputError(f"{type(clusterer).__name__} takes no universum; leave it out, or use MaxMarginClustering")


def call(method: Any, *given: Any, progress: Any, **extras: Any) -> Any:
    """Call a method of a part that may be another library's: it is given `progress` only if it says that it reports."""
    if hears(getattr(method, "__self__", None), "progress"):
        extras["progress"] = progress
    return method(*given, **extras)


def hears(part: Any, name: str) -> bool:
    return isinstance(part, Reports) and name in part.reports


def spread(found: Array, kept: Array, missing: Any, dtype: Any) -> Array:
    """Return `found` at the rows that were kept, and `missing` at the others."""
    everything = np.full((len(kept), *np.shape(found)[1:]), missing, dtype=dtype)
    everything[kept] = found
    return everything
