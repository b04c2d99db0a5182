"""Shared types, and protocols for the capabilities of clusterers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["FindsOffTopic", "Reports", "StartsFrom", "Steerable"]  # for clusterers of other libraries

Array = NDArray[Any]
"""A NumPy array of any dtype."""

Whole = int | np.integer[Any]
"""A whole number, Python's or NumPy's."""

Rng = np.random.Generator
"""A random number generator."""

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a step, the amount done, and the total (None: unknown)."""

OnProgress = Callable[[int, int | None], None]
"""Called with the amount done of a step, and the total (None: unknown)."""

OnCount = Callable[[int, int], None]
"""Called with the amount done and the total."""

OnStep = Callable[[dict[str, Any]], None]
"""Called with each step's entry of a solver's trace."""


def no_op(*_: object) -> None:
    """Do nothing: the default callback."""


@runtime_checkable
class Steerable(Protocol):
    """A clusterer with supervision; `fit` accepts labelled documents or words by the arguments in `steered_by`.

    Of "seeds", (n,) whole numbers, -1 for none; "word_seeds", (k, V) booleans; "seed_weights", (k,) positive numbers;
    "words", (n, V) counts, if the columns of X are not words; "graph", (n, n), the neighbour graph.
    """

    steered_by: ClassVar[tuple[str, ...]]


@runtime_checkable
class FindsOffTopic(Protocol):
    """A clusterer with an off-topic score; `fit` accepts a `universum`, (N, d)."""

    def off_topic_score(self, X: Any) -> Array:
        """Return the off-topic score of each row of `X`; higher is more off-topic.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n,) array
        """


@runtime_checkable
class StartsFrom(Protocol):
    """A clusterer with a warm start; `fit` accepts `init` of a kind in `starts_from`: "labels", "model", "centres"."""

    starts_from: ClassVar[tuple[str, ...]]


@runtime_checkable
class Reports(Protocol):
    """An object that reports progress through the callables named in `reports`: "progress" and "on_step".

    `progress(done, total)`, total None if unknown; `on_step(step)`, a plain dictionary.
    """

    reports: ClassVar[tuple[str, ...]]
