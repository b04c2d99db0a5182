"""How much of the examples of junk reaches a row over the graph of nearest neighbours: what one direction cannot see.

The reject row is a single direction. Where junk is of several kinds, whole kinds of on-topic documents may lie as far
out along it as junk does, and nothing in its scores tells them apart. Their neighbours do: hidden junk and examples
lie among each other, since they come from where the others come from, and what is merely like them does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...rows import Rows, as_rows, nearest, unit_rows
from ...rows.sample import MOST_SAMPLED, sample
from ...types import Array
from ..neighbours.label_spreading import spread_labels
from .constants import JUNK
from .reject import Folds


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest of m rows and of N examples, each among all of both but itself.

    `on` (m,) are the rows' numbers. `shares` (m + N, m + N), the rows first, are as `Neighbours` has them.
    """

    on: Array
    shares: Any

    def reach(self, folds: Folds) -> tuple[Array, Array]:
        """Return how much of the examples of other folds spreads to each row (m,) and example (N,).

        So hidden junk and examples can be compared: an example is reached by others as if it were hidden itself.
        """
        own = np.r_[folds.rows[self.on], folds.examples]
        pins = np.r_[np.full(len(self.on), -1), folds.examples]
        spread = spread_labels(self.shares, pins, folds.count)
        others = spread @ (1 - np.eye(folds.count, dtype=spread.dtype))
        reached = np.asarray(others[np.arange(len(own)), own], dtype=np.float64)
        return reached[: len(self.on)], reached[len(self.on) :]


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
    return NearExamples(on, nearest(as_rows(both)).shares)
