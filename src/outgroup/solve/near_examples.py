"""How much of a row's neighbourhood is examples of junk: what one direction for all kinds of junk cannot see.

The reject row is a single direction. Where junk is of several kinds, whole kinds of on-topic documents may lie as far
out along it as junk does, and nothing in its scores tells them apart. Their neighbours do: hidden junk and examples
lie among each other, since they come from where the others come from, and what is merely like them does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..rows import Neighbours, Rows, as_rows, nearest, unit_rows
from ..rows.neighbours import COUNT
from ..rows.sample import MOST_SAMPLED, sample
from ..types import Array
from .mixture import Mixture

_ALL = 1 << 15  # rows whose neighbours are all looked for, which takes time in proportion to the square
_RATHER = 0.5  # probability of being junk


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest of m rows and of N examples, each among all of both but itself.

    `on` (m,) are the rows' numbers among `n`. `of_rows` (m, 15) and `of_examples` (N, 15) say which example each of the
    nearest is, -1 for a row; their cosines are `row_cosines` and `example_cosines`.
    """

    n: int
    on: Array
    of_rows: Array
    row_cosines: Array
    of_examples: Array
    example_cosines: Array

    def shares(self, present: Array | None = None) -> tuple[Array, Array]:
        """Return what share of each neighbourhood's cosines is of examples, of the rows (m,) and the examples (N,).

        Only the examples that are `present` (N,) bool count as such, if that is given.
        """
        present = np.ones(len(self.of_examples), dtype=bool) if present is None else present
        known = np.r_[present, False]  # the last is what -1 finds
        return _share(known[self.of_rows], self.row_cosines), _share(known[self.of_examples], self.example_cosines)

    def alike(self, present: Array) -> Array:
        """Return which of the n rows are rather junk than not by the examples `present` (N,) beside them alone, (n,).

        As many as the others would be found with all examples count as much: fewer are nearer to fewer.
        """
        found = np.zeros(self.n, dtype=bool)
        own, _ = self.shares(present)
        found[self.on] = own * len(present) >= self._enough * np.count_nonzero(present)
        return found

    @cached_property
    def _enough(self) -> float:
        """The least share of examples from which a row is rather junk than not, infinity for none."""
        own, examples = self.shares()
        likely = own[Mixture(own, examples).posterior >= _RATHER]
        return float(likely.min()) if len(likely) and likely.min() > 0 else np.inf


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
    return NearExamples(
        n, on, *_merged(nearest(own), nearest(own, others)), *_merged(nearest(others, own), nearest(others))
    )


def _merged(rows: Neighbours, examples: Neighbours) -> tuple[Array, Array]:
    """Return the nearest of both: which example each is, -1 for a row, and the cosines; of equal ones rows first."""
    cosines = np.hstack([rows.cosines, examples.cosines])
    which = np.hstack([np.full_like(rows.index, -1), examples.index])
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :COUNT]
    return np.take_along_axis(which, order, axis=1), np.take_along_axis(cosines, order, axis=1)


def _share(known: Array, cosines: Array) -> Array:
    total = cosines.sum(axis=1, dtype=np.float64)
    return np.asarray((cosines * known).sum(axis=1, dtype=np.float64) / np.where(total > 0, total, 1.0))
