"""The types that all packages share, and what a clusterer may say that it can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["FindsOffTopic", "Reports", "StartsFrom", "Steerable"]  # what somebody may write a clusterer by

Array = NDArray[Any]
"""A NumPy array of any dtype."""

Whole = int | np.integer[Any]
"""A whole number, Python's or NumPy's."""

Rng = np.random.Generator
"""Where randomness comes from."""

Progress = Callable[[str, int, int | None], None]
"""Called with a step's name, how much of it is done, and of how much (None: unknown)."""

OnProgress = Callable[[int, int | None], None]
"""Called with how much of a step is done, and of how much (None: unknown)."""

OnCount = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

OnStep = Callable[[dict[str, Any]], None]
"""Called with each step's entry of a solver's trace."""


def no_op(*_: object) -> None:
    """Do nothing: what is called with progress where nobody listens."""


@runtime_checkable
class Steerable(Protocol):
    """A clusterer whose `fit` takes labelled documents or words, by the arguments that `steered_by` names.

    Of "seeds", (n,) whole numbers, -1 for none; "word_seeds", (k, V) booleans; "seed_weights", (k,) positive numbers;
    "words", (n, V) counts, where the columns of X are no words; "graph", (n, n) who is near whom.
    """

    steered_by: ClassVar[tuple[str, ...]]


@runtime_checkable
class FindsOffTopic(Protocol):
    """A clusterer whose `fit` takes a `universum`, (N, d), and that says how far a row is from all groups."""

    def off_topic_score(self, X: Any) -> Array:
        """Return how off-topic each row of `X` is; higher is more.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n,) array
        """


@runtime_checkable
class StartsFrom(Protocol):
    """A clusterer whose `fit` takes `init`, one of the kinds that `starts_from` names: "labels", "model", "centres"."""

    starts_from: ClassVar[tuple[str, ...]]


@runtime_checkable
class Reports(Protocol):
    """A part that tells how far it is, by the callables that `reports` names: of "progress" and "on_step".

    `progress(done, total)`, total None where it is unknown; `on_step(step)`, a plain dictionary.
    """

    reports: ClassVar[tuple[str, ...]]
