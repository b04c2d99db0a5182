"""How much of what spreads over the neighbours comes from examples of junk: what one direction cannot see.

The reject row is a single direction. Where junk is of several kinds, whole kinds of on-topic documents may lie as far
out along it as junk does, and nothing in its scores tells them apart. Their neighbours do: hidden junk and examples
lie among each other, since they come from where the others come from, and what is merely like them does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rows import Neighbours, Rows, as_rows, nearest, unit_rows
from ..rows.neighbours import COUNT
from ..rows.sample import MOST_SAMPLED, sample
from ..types import Array
from .reject import Folds
from .spread import spread_labels

_ALL = 1 << 15  # rows whose neighbours are all looked for, which takes time in proportion to the square


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest of m rows and of N examples, each among all of both but itself.

    `on` (m,) are the rows' numbers. `shares` (m + N, m + N), the rows first, are as `Neighbours` has them.
    """

    on: Array
    shares: Any

    def reach(self, folds: Folds) -> tuple[Array, Array]:
        """Return how much of the examples reaches each row (m,) and each example (N,) over the neighbours.

        Each is reached by the examples of other folds than its own, so that hidden junk and examples can be compared:
        an example is reached by others as if it were hidden itself.
        """
        own, m = np.r_[folds.rows[self.on], folds.examples], len(self.on)
        pins = np.r_[np.full(m, -1), folds.examples]
        spread = spread_labels(self.shares, pins, folds.count)
        others = spread @ (1 - np.eye(folds.count, dtype=spread.dtype))
        reached = others[np.arange(len(own)), own].astype(np.float64)
        return reached[:m], reached[m:]


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
    return NearExamples(on, Neighbours(which, cosines, len(on) + N).shares)


def _merged(asked: Rows, rows: Rows, examples: Rows) -> tuple[Array, Array]:
    """Return the nearest of both, (m, 15), examples counted on from the rows, and the cosines."""
    first, second = (nearest(asked, None if asked is among else among) for among in (rows, examples))
    cosines = np.hstack([first.cosines, second.cosines])
    which = np.hstack([first.index, np.where(second.index < 0, -1, second.index + rows.shape[0])])
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :COUNT]
    return np.take_along_axis(which, order, axis=1), np.take_along_axis(cosines, order, axis=1)
