"""How seeds meet a collection of texts: which texts they take out, and what a clusterer hears of the others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InputError, OutgroupWarning
from ..types import Array, Steerable
from .seed_arrays import Placed, place, rows_of
from .seeds import Seeds

_SHOWN = 5


@dataclass(frozen=True)
class Steering:
    """Seeds for n texts: by name in `seeds`, or as arrays. `away` (n,) are texts labelled off-topic."""

    ids: list[str]
    away: Array
    seeds: Seeds | None = None
    documents: Any = None
    words: Any = None

    @classmethod
    def of(cls, seeds: Any, word_seeds: Any, ids: list[str]) -> Steering:
        """Return the steering of texts, which have these `ids`, by `Seeds`, by mappings from names, or by arrays.

        Raises InputError for names and arrays together.
        """
        n = len(ids)
        named = [given for given in (seeds, word_seeds) if isinstance(given, Mapping | Seeds)]
        if not named:
            return cls(ids, np.zeros(n, dtype=bool), None, seeds, word_seeds)
        if len(named) < sum(given is not None for given in (seeds, word_seeds)):
            raise InputError("seeds and word_seeds must both map names to lists, or both be arrays")
        if (isinstance(seeds, Seeds) and word_seeds is not None) or isinstance(word_seeds, Seeds):
            raise InputError("seeds of a file hold words too; give them as seeds, and no word_seeds")
        said = seeds if isinstance(seeds, Seeds) else Seeds.of(seeds, word_seeds)
        away = np.zeros(n, dtype=bool)
        away[rows_of(ids, [said.off_topic])[0]] = True
        return cls(ids, away, said)

    def place(self, vectorizer: Any, n_clusters: int, kept: Array) -> Placed | None:
        """Return the seeds over the texts that are `kept` (n,) bool; None where there are none.

        Warns of labelled texts that are not kept: they steer nothing.
        """
        if self.seeds is None:
            return self._arrays(n_clusters, kept)
        if not self.seeds.clusters:
            return None
        placed = place(self.seeds, self.ids, vectorizer, n_clusters)
        if placed.seeds is None:
            return placed
        self._warn_of_lost(placed.seeds, kept)
        return replace(placed, seeds=placed.seeds[kept])

    def _arrays(self, k: int, kept: Array) -> Placed | None:
        if self.documents is None and self.words is None:
            return None
        if self.documents is None:
            return Placed(None, self.words, None, [None] * k)
        seeds = np.asarray(self.documents)
        if seeds.shape != kept.shape or seeds.dtype.kind not in "iuf":
            raise InputError(
                f"seeds has shape {seeds.shape} and type {seeds.dtype} for {len(kept)} texts; give one whole number a "
                "text, -1 for none"
            )
        self._warn_of_lost(seeds, kept)
        return Placed(seeds[kept], self.words, None, [None] * k)

    def _warn_of_lost(self, seeds: Array, kept: Array) -> None:
        lost = [self.ids[row] for row in np.flatnonzero((seeds >= 0) & ~kept)]
        if lost:
            shown = ", ".join(map(repr, lost[:_SHOWN])) + (" ..." if len(lost) > _SHOWN else "")
            message = f"labelled documents without a known word steer nothing: {shown}"
            warnings.warn(message, OutgroupWarning, stacklevel=4)


def takes_seeds(clusterer: Any) -> None:
    """Raise InputError for a clusterer that cannot be steered."""
    if not isinstance(clusterer, Steerable):
        name = type(clusterer).__name__
        raise InputError(f"{name} takes no seeds; leave them out, or use SeededKMeans or MaxMarginClustering")
