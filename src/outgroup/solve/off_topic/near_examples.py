"""How near the examples of junk are, over the neighbours and in clusters: what one direction cannot see.

The reject row is a single direction. Where junk is of several kinds, whole kinds of on-topic documents may lie as far
out along it as junk does, and nothing in its scores tells them apart. Their neighbours do: hidden junk and examples
lie among each other, since they come from where the others come from, and what is merely like them does not. Of long
documents the nearest are often the wrong ones; which of them fall into one small cluster is steadier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows import Neighbours, Rows, as_rows, nearest, unit_rows
from ...rows.neighbours import COUNT
from ...rows.sample import MOST_SAMPLED, sample
from ...types import Array
from ..in_memory.bisection import bisections, fewer
from ..neighbours.label_spreading import spread_labels
from .reject import Folds

_ALL = 1 << 15  # rows whose neighbours are all looked for, which takes time in proportion to the square
_SIZES = (100, 50, 25, 12)  # of clusters, in the mean: junk may come in many or in few
_TREES = 2  # each halves at random, and halves elsewhere
_PRIOR = 0.5  # examples that a cluster of no size would hold, beside as many expected
_LEAST = 0.02  # of what is expected: fewer examples tell no more


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest of m rows and of N examples, each among all of both but itself, and clusters of both together.

    `on` (m,) are the rows' numbers. `shares` (m + N, m + N), the rows first, are as `Neighbours` has them; `clusters`
    are partitions (m + N,), several sizes of each of a few trees.
    """

    on: Array
    shares: Any
    clusters: list[Array]

    def reach(self, folds: Folds) -> tuple[Array, Array]:
        """Return how near examples are to each row (m, 2) and example (N, 2): over the neighbours, and in clusters.

        Each is reached by the examples of other folds than its own, so that hidden junk and examples can be compared:
        an example is reached by others as if it were hidden itself.
        """
        own = np.r_[folds.rows[self.on], folds.examples]
        reached = np.column_stack([self._over_neighbours(own, folds), self._in_clusters(own, folds)])
        return reached[: len(self.on)], reached[len(self.on) :]

    def _over_neighbours(self, own: Array, folds: Folds) -> Array:
        """Return how much of the examples of other folds than its `own` spreads to each of both, (m + N,)."""
        pins = np.r_[np.full(len(self.on), -1), folds.examples]
        spread = spread_labels(self.shares, pins, folds.count)
        others = spread @ (1 - np.eye(folds.count, dtype=spread.dtype))
        return np.asarray(others[np.arange(len(own)), own], dtype=np.float64)

    def _in_clusters(self, own: Array, folds: Folds) -> Array:
        """Return how many examples of other folds each one's clusters hold, as a share of what their sizes let expect.

        The geometric mean over the partitions, (m + N,).
        """
        m, N = len(self.on), len(folds.examples)
        logs = np.zeros(m + N)
        for labels in self.clusters:
            sizes = np.bincount(labels)
            examples = np.zeros((len(sizes), folds.count))
            np.add.at(examples, (labels[m:], folds.examples), 1)
            others = examples.sum(axis=1)[labels] - examples[labels, own]
            logs += np.log((others + _PRIOR) / (sizes[labels] * N / (m + N) + _PRIOR) + _LEAST)
        return np.asarray(np.exp(logs / max(len(self.clusters), 1)))


def near_examples(rows: Rows, universum: Rows) -> NearExamples | None:
    """Return the nearest of the rows and the examples, of a sample of the rows where there are many.

    None where the examples are too many.
    """
    N, n = universum.shape[0], rows.shape[0]
    if N > MOST_SAMPLED:
        return None
    on, own = np.arange(n), unit_rows(rows)
    if n > _ALL or own.local() is None:
        on, matrix = sample(rows, np.random.default_rng(0))
        own = unit_rows(as_rows(matrix))
    others = unit_rows(universum if universum.local() is not None else as_rows(universum.take(np.arange(N))))
    of_rows, of_examples = _merged(own, own, others), _merged(others, own, others)
    which, cosines = (np.vstack(parts) for parts in zip(of_rows, of_examples, strict=True))
    return NearExamples(on, Neighbours(which, cosines, len(on) + N).shares, _clusters(own, others))


def _clusters(rows: Rows, examples: Rows) -> list[Array]:
    """Return partitions of both together, in clusters of 100, 50, 25 and 12 in the mean, of each of a few trees."""
    parts = [each.local() for each in (rows, examples)]
    sparse = any(sp.issparse(part) for part in parts)
    both = sp.vstack([sp.csr_matrix(part) for part in parts], format="csr") if sparse else np.vstack(parts)
    most = max(1, both.shape[0] // min(_SIZES))
    trees = [bisections(both, most, np.random.default_rng(seed)) for seed in range(_TREES)]
    return [fewer(*tree, max(1, both.shape[0] // size)) for tree in trees for size in _SIZES]


def _merged(asked: Rows, rows: Rows, examples: Rows) -> tuple[Array, Array]:
    """Return the nearest of both, (m, 15), examples counted on from the rows, and the cosines."""
    first, second = (nearest(asked, None if asked is among else among) for among in (rows, examples))
    cosines = np.hstack([first.cosines, second.cosines])
    which = np.hstack([first.index, np.where(second.index < 0, -1, second.index + rows.shape[0])])
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :COUNT]
    return np.take_along_axis(which, order, axis=1), np.take_along_axis(cosines, order, axis=1)
