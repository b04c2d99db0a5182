"""What labels are to a maximum-margin fit: pins, what they weigh, and the starts that they choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from ..rows import as_rows, part_of
from ..solve.best import best_of
from ..solve.data import Data
from ..solve.margin import MarginObjective, Seeding
from ..solve.neighbours.vote import Voted
from ..solve.starts import spherical_start
from ..types import Array, Rng, no_op
from ._choice import ChosenByLabels
from ._seeds import among, checked_seeds, checked_strength, checked_words


class CheckedSeeds(NamedTuple):
    """The seeds: `pins` (n,), `words` (k, V), `strength` (k,), where words are `counted` if not in the rows, and who is
    `near` whom if it is known."""

    pins: Array
    words: Array
    strength: Array
    counted: Any
    near: Any

    @classmethod
    def of(
        cls, X: Any, k: int, seeds: Any, word_seeds: Any, seed_weights: Any, counted: Any, near: Any
    ) -> Self | None:  # fmt: skip
        """Return the seeds of the rows `X`, checked; None without any."""
        if seeds is None and word_seeds is None:
            return None
        pins = checked_seeds(seeds, X.shape[0], k)
        words = checked_words(word_seeds, (X if counted is None else counted).shape[1], k)
        said = cls(pins, words, checked_strength(seed_weights, k), counted, near)
        return said if (pins >= 0).any() or words.any() else None

    def on(self, rows: Array) -> Self:
        """Return what was said of the rows numbered."""
        counted = None if self.counted is None else part_of(self.counted, rows)
        return self._replace(pins=self.pins[rows], counted=counted, near=among(self.near, rows))

    @property
    def given(self) -> dict[str, Any]:
        """The same as the arguments of `SeededKMeans.fit`."""
        given: dict[str, Any] = {"seeds": self.pins} if (self.pins >= 0).any() else {}
        given |= {"word_seeds": self.words} if self.words.any() else {}
        return given | {"seed_weights": self.strength, "words": self.counted}


@dataclass(frozen=True)
class Labelled:
    """What the seeds say to the solver, and the start that they choose."""

    seeding: Seeding
    choice: ChosenByLabels

    @classmethod
    def of(
        cls, X: Any, said: CheckedSeeds, rows: Array | None, k: int, weight: float, n_init: int,
        objective_of: Callable[[Data, Seeding | None], MarginObjective], *, center: bool,
    ) -> Self:  # fmt: skip
        """Return the seeds of the `rows` of `X` numbered, None for all: a label weighs `weight` ordinary documents.

        `objective_of` makes what a fit descends on; one without seeds has `n_init` starts.
        """
        if rows is not None:
            X, said = part_of(X, rows), said.on(rows)
        emphasis = np.where(said.pins >= 0, weight * said.strength[said.pins], 1.0)
        data = Data(as_rows(X), center=center)

        def free(rng: Rng) -> Array:
            objective = objective_of(data, None)
            start = spherical_start(data, k, n_init)
            start = start if said.near is None else Voted(start, data.given, said.near)
            return best_of(objective, [start], rng).fit.labels

        def descend(labels: Array, shown: Array, most: int | None) -> Array:
            objective = of_steps(objective_of(data, Seeding(shown, np.where(shown >= 0, emphasis, 1.0))), most)
            return objective.resolved(labels).weighted(labels).solve(labels, no_op).labels

        choice = ChosenByLabels(X, k, said.given, said.pins, free, descend, said.near)
        return cls(Seeding(said.pins, emphasis), choice)


def of_steps(objective: MarginObjective, most: int | None) -> MarginObjective:
    """Return the same, whose descent takes `most` steps at most; None: as many as before."""
    return objective if most is None else replace(objective, max_iter=min(most, objective.max_iter))
