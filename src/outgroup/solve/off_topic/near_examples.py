"""How near the examples of junk are, over neighbours and in small clusters: what one direction cannot see.

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

from ...rows import Rows, as_rows, nearest, unit_rows
from ...rows.sample import MOST_SAMPLED, sample
from ...types import Array
from ..in_memory.bisection import bisections, fewer
from ..neighbours.label_spreading import spread_labels
from .constants import JUNK
from .reject import Folds


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest of m rows and of N examples, each among all of both but itself, and clusters of both together.

    `on` (m,) are the rows' numbers. `shares` (m + N, m + N), the rows first, are as `Neighbours` has them; `clusters`
    are partitions (m + N,) of one tree of bisections, with 50, 25 and 12 members in the mean;
    none where examples are so many that neighbours alone tell.
    """

    on: Array
    shares: Any
    clusters: list[Array]

    def reach(self, folds: Folds) -> tuple[Array, Array]:
        """Return how near examples of other folds are to each row (m, 2) and example (N, 2).

        First over the neighbours, then in clusters. So hidden junk and examples can be compared: an example is reached
        by others as if it were hidden itself.
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
            logs += np.log((others + JUNK.prior) / (sizes[labels] * N / (m + N) + JUNK.prior) + JUNK.least)
        return np.asarray(np.exp(logs / max(len(self.clusters), 1)))


def near_examples(rows: Rows, universum: Rows) -> NearExamples | None:
    """Return the nearest of the rows and the examples, of a sample of the rows where there are many.

    None where the examples are too many.
    """
    N, n = universum.shape[0], rows.shape[0]
    if N > MOST_SAMPLED:
        return None
    on, own = np.arange(n), unit_rows(rows)
    if n > JUNK.neighbours_of or own.local() is None:
        on, matrix = sample(rows, np.random.default_rng(0))
        own = unit_rows(as_rows(matrix))
    others = unit_rows(universum if universum.local() is not None else as_rows(universum.take(np.arange(N))))
    parts = [each.local() for each in (own, others)]
    sparse = any(sp.issparse(part) for part in parts)
    both = sp.vstack([sp.csr_matrix(part) for part in parts], format="csr") if sparse else np.vstack(parts)
    return NearExamples(on, nearest(as_rows(both)).shares, [] if JUNK.many <= N else _clusters(both))


def _clusters(both: Any) -> list[Array]:
    """Return partitions of the rows of a matrix, nested: those of one tree of bisections."""
    counts = [max(1, both.shape[0] // size) for size in JUNK.cluster_sizes]
    tree = bisections(both, max(counts), np.random.default_rng(0), trials=1)
    return [fewer(*tree, count) for count in counts]
