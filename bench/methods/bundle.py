"""The face that methods have in common: a bundle of data and a seed in, a start's labels and loss out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD

from bench.data import Rows

_LSA = 50  # dimensions of the mixture's space


@dataclass
class Bundle:
    """What methods take: rows (n, d), classes, and where there are any the Universum's rows and the words' counts.

    `draws` are the data sets of a paper that draws anew for each start, `start` the partition that one prints; `memory`
    is for what a method's first start settles for the others.
    """

    X: Any
    y: np.ndarray
    universum: Any = None
    counts: Any = None
    draws: list[Rows] | None = None
    start: np.ndarray | None = None
    memory: dict[str, Any] = field(default_factory=dict)

    @property
    def k(self) -> int:
        return int(self.y.max()) + 1

    @cached_property
    def low(self) -> Any:
        """The rows in few dimensions: as they are where they have few, else by truncated SVD."""
        if self.X.shape[1] <= _LSA:
            return self.X.toarray() if hasattr(self.X, "toarray") else self.X
        return TruncatedSVD(_LSA, random_state=0).fit_transform(self.X)


@dataclass(frozen=True)
class Start:
    """The labels of one start and its own loss, by which the best of several is kept (None: it has none).

    `y` are the classes of a start that draws its own documents (None: the bundle's).
    """

    labels: np.ndarray
    loss: float | None = None
    y: np.ndarray | None = None

    @property
    def groups(self) -> int:
        """Number of groups with rows."""
        return len(np.unique(self.labels))


@dataclass(frozen=True)
class Method:
    """How to make a start, and what a data set must have for it to be possible."""

    start: Callable[..., Start]
    binary: bool = False
    needs: str | None = None  # an attribute of the bundle
    largest: int | None = None  # rows
    random: bool = True

    def why_not(self, bundle: Bundle) -> str | None:
        """Return why the method cannot run on this bundle, or None when it can."""
        if self.binary and bundle.k != 2:
            return "n/a: two groups only"
        if self.needs and getattr(bundle, self.needs) is None:
            return f"n/a: needs {self.needs}"
        if self.largest and bundle.X.shape[0] > self.largest:
            return f"not run: time (more than {self.largest} rows)"
        return None
