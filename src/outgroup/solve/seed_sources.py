"""What labelled documents and words say of where the clusters lie: sums of rows, of which the directions count.

The notation is that of Hu, Milios and Blustein (2012); see `seeded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..rows import Rows, cluster_sums
from ..rows.arrays import namespace
from ..rows.rules import as_given
from ..types import Array


@dataclass(frozen=True)
class Opinion:
    """One opinion on where the clusters lie: `sums` (k, d), rows of zeros where it has none, of which the directions
    count. `own` (m, k) is the share that each labelled row has in each sum."""

    sums: Array
    own: Array

    @cached_property
    def squares(self) -> Array:
        """The sums' squared norms, shape (k,); 0 where the source says nothing."""
        return np.asarray(np.einsum("kd,kd->k", self.sums, self.sums))

    @property
    def coherence(self) -> float:
        """The sum of the sums' norms: Q, where they are those of a partition."""
        return float(np.sqrt(self.squares).sum())

    def scale(self, lengths: Array | float) -> Array:
        """Return what to multiply the sums by to give them `lengths`, shape (k,)."""
        return np.asarray(lengths / np.sqrt(np.where(self.squares > 0, self.squares, 1.0)))


def documents_source(rows: Rows, seeds: Array, k: int) -> Opinion:
    """Return the sums of the rows labelled 0..k-1 in `seeds` (n,), -1 for none: the directions of Eq. 2."""
    return Opinion(cluster_sums(rows, seeds, k), one_hot(seeds[seeds >= 0], k))


def votes(presence: Rows, words: Array) -> Array:
    """Return how the labelled words of each row vote, shape (n, k): shares that sum to 1, or zeros (Eq. 3).

    `presence` has 1 where a word occurs in a document, else 0; `words` (k, d) says which word is labelled for which
    cluster. Each word of a document counts once, for each of its clusters.
    """
    return np.asarray(presence.map(words, _shares))


def _shares(scores: Array) -> Array:
    xp = namespace(scores)
    total = xp.sum(scores, axis=1, keepdims=True)
    return scores / xp.where(total > 0, total, xp.ones_like(total))


def vote_source(rows: Rows, presence: Rows, words: Array, labelled: Array) -> Opinion:
    """Return the sums of all rows, each weighted by its vote (Eq. 4)."""
    shares = votes(presence, words)
    sums, _ = rows.fold(None, as_given, shares)
    return Opinion(sums, shares[labelled].astype(np.float64))


def generative_source(words: Array, ratio: float, labelled: Array) -> Opinion:
    """Return the multinomial model of each cluster's words (Eqs. 11-14): no document takes part in it."""
    return Opinion(generative_centres(words, ratio), np.zeros((len(labelled), len(words))))


def generative_centres(words: Array, ratio: float) -> Array:
    """Return the probability of each word in each cluster, shape (k, d), rows that sum to 1, or zeros without words.

    With p words labelled for the cluster and q for others only, of m in all: 1/(p+q), 1/(ratio (p+q)), and the rest of
    the mass shared by the words that nobody labelled; where everybody labelled all, rows are scaled to a sum of 1.

    >>> generative_centres(np.array([[True, False, False, False], [False, True, False, False]]), 100).round(4).tolist()
    [[0.5, 0.005, 0.2475, 0.2475], [0.005, 0.5, 0.2475, 0.2475]]
    """
    words = np.asarray(words, dtype=bool)
    known = words.any(axis=0)
    p, total, m = words.sum(axis=1, keepdims=True), int(known.sum()), words.shape[1]
    rest = (total - p) * (1 - 1 / ratio) / (total * max(m - total, 1)) if total else np.zeros_like(p, dtype=float)
    centres = np.where(words, 1.0, 1 / ratio) / max(total, 1)
    centres = np.where(p > 0, np.where(known, centres, rest), 0.0)
    return centres / np.where(p > 0, centres.sum(axis=1, keepdims=True), 1.0)


def one_hot(columns: Array, k: int) -> Array:
    """Return a 1 in column `columns[i]` of each row i, shape (m, k) float64; nothing where that is -1."""
    return (columns[:, None] == np.arange(k)).astype(np.float64)
