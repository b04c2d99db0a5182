"""CPM3C's working set of constraints: each one's choices, and its cut at the best clusters of the last W."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rows import Rows
from ..rows.arrays import cast, namespace, put, total, zeros
from ..types import Array

NONE = -1


class _Stack:
    """Arrays of one shape, one on top of the other in one array, with room for more."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._arrays, self._count = np.empty((1, *shape), dtype=dtype), 0

    def push(self, array: Array | float) -> None:
        """Put one more on top."""
        if self._count == len(self._arrays):
            larger = np.empty((2 * self._count, *self._arrays.shape[1:]), dtype=self._arrays.dtype)
            larger[: self._count], self._arrays = self._arrays, larger
        self._arrays[self._count] = array
        self._count += 1

    @property
    def all(self) -> Array:
        """What has been pushed, (count, *shape): a view."""
        return self._arrays[: self._count]


class Constraints:
    """The working set: each constraint's choices, and its cut at the best clusters `anchor` (n,) of the last W."""

    def __init__(self, rows: Rows, k: int, anchor: Array, weights: Array | None = None) -> None:
        self.rows, self._k, self.anchor = rows, k, anchor
        self.weights = np.ones(rows.shape[0]) if weights is None else weights
        self._choices = _Stack((rows.shape[0],), np.int32)
        self._slopes, self._offsets = _Stack(self.shape, np.float64), _Stack((), np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """That of W."""
        return self._k, self.rows.shape[1]

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def slopes(self) -> Array:
        """Those of the constraints' cuts at the anchor, (c, k, d)."""
        return self._slopes.all

    @property
    def offsets(self) -> Array:
        """Those of the constraints' cuts at the anchor, (c,)."""
        return self._offsets.all

    def add(self, choice: Array) -> None:
        """Add the constraint of these choices (n,)."""
        n = self.rows.shape[0]
        slope, count = self.rows.fold(None, _Constraint(self._k, self.rows.dtype), self.anchor, choice, self.weights)
        self._choices.push(choice)
        self._slopes.push(slope / n)
        self._offsets.push(count / n)

    def anchor_to(self, anchor: Array) -> None:
        """Write every constraint anew for other best clusters: only the rows that moved are passed over.

        A row that goes from cluster p to q changes each constraint that it has a choice in by (e_p - e_q) x_i^T,
        whatever the choice: where that is p or q, the two terms of the slope cancel by themselves.
        """
        n, moved = self.rows.shape[0], np.flatnonzero(anchor != self.anchor)
        before, after, choices = self.anchor[moved], anchor[moved], self._choices.all[:, moved]
        self.offsets[:] += ((choices == before) @ self.weights[moved] - (choices == after) @ self.weights[moved]) / n
        for cluster in np.union1d(before, after):
            self.slopes[:, cluster] += self._shift(cluster, anchor) / n
        self.anchor = anchor

    def _shift(self, cluster: int, anchor: Array) -> Array:
        """Return what the rows that leave a cluster add to each constraint's slope, less those that join it, (c, d)."""
        leaving, joining = self.anchor == cluster, anchor == cluster
        rule, on = _Moved(self.rows.dtype), np.flatnonzero(leaving != joining)
        return self.rows.fold(None, rule, leaving, self._choices.all.T, self.weights, on=on)[0]

    def slack(self, W: Array) -> float:
        """Return the slack that the cuts ask for at `W`: the constraints' own where the anchor is W's best clusters."""
        return max(0.0, float((self.offsets + self.slopes.reshape(len(self), -1) @ W.ravel()).max(initial=0.0)))


@dataclass(frozen=True)
class _Constraint:
    """A constraint's coefficients (n, k), and the weight of the rows that it has a rival for."""

    k: int
    dtype: np.dtype[Any]

    def __call__(self, _: None, anchor: Array, choice: Array, weights: Array) -> tuple[Array, float]:
        counted = cast((choice != NONE) & (choice != anchor), self.dtype) * cast(weights, self.dtype)
        rival = namespace(choice).where(choice == NONE, anchor, choice)
        coefficients = put(zeros(counted, self.k), rival, counted)
        return put(coefficients, anchor, -counted), total(counted)


@dataclass(frozen=True)
class _Moved:
    """What moving rows change of each constraint, (n, c): their weight, less than 0 for those that join."""

    dtype: np.dtype[Any]

    def __call__(self, _: None, leaving: Array, choices: Array, weights: Array) -> tuple[Array, float]:
        sign = (2 * cast(leaving, self.dtype) - 1) * cast(weights, self.dtype)
        return sign[:, None] * cast(choices != NONE, self.dtype), 0.0
