"""How near rows are to their own groups, and how coherent the first words of groups are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..rows import Rows, cluster_sums
from ..rows.arrays import argmax, at, set_at
from ..rows.blocks import group_sizes, pieces
from ..stopping import stop_if_asked
from ..types import Array
from .cosines import cosine, without_one

_NO_LENGTH = 1e-6  # of a row: shorter vectors are rounding errors without a direction
_AT_ONCE = 256  # centres, compared with all others

# --- Cosines of rows with their own and the next centre, and silhouettes, in one pass
#
# The centre of a row's own group excludes the row: in high dimensions a row is near every sum that includes it, so
# small groups would always seem tight. The silhouette is the simplified one (Hruschka, de Castro and Campello, 2004):
# distances to centres take O(nk) instead of O(n^2).


@dataclass(frozen=True)
class Nearness:
    """The `sizes` (k,) of groups, and their `centres` (k, d), of unit length or zero.

    `cosine` (k,) is the mean cosine of a group's rows with their centre, computed without the row itself. `silhouettes`
    (k,) are the means of (b - a) / max(a, b), with a and b one minus the cosines with this centre and with the nearest
    other one. Both are 0 for an empty group."""

    sizes: Array
    centres: Array
    cosine: Array
    silhouettes: Array

    @cached_property
    def nearest(self) -> tuple[Array, Array]:
        """The nearest other centres of the groups, (k,), and their cosines, (k,); -inf without one."""
        k = len(self.sizes)
        blocks = [self._nearest(np.arange(start, min(start + _AT_ONCE, k))) for start in range(0, k, _AT_ONCE)]
        number, cosine = zip(*blocks, strict=True)
        return np.concatenate(number), np.concatenate(cosine)

    def _nearest(self, groups: Array) -> tuple[Array, Array]:
        cosines = self.centres[groups] @ self.centres.T
        cosines[self.sizes[groups] == 0] = -np.inf
        cosines[:, self.sizes == 0] = -np.inf
        cosines[np.arange(len(groups)), groups] = -np.inf
        return cosines.argmax(axis=1), cosines.max(axis=1)


def nearness(rows: Rows, labels: Array, k: int) -> Nearness:
    """Return how near unit `rows` are to their own group in `labels` (n,), -1 for none, and to the nearest other group.

    >>> from outgroup.rows import as_rows
    >>> near = nearness(as_rows(np.eye(2)[[0, 0, 1, 1]]), np.array([0, 0, 1, 1]), 2)
    >>> near.cosine.tolist(), near.silhouettes.tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    sums = cluster_sums(rows, labels, k)
    norms = np.sqrt(np.einsum("kd,kd->k", sums, sums))
    centres = sums / np.where(norms > _NO_LENGTH, norms, 1.0)[:, None]
    sizes = group_sizes(labels, k)
    filled = np.flatnonzero(sizes)
    column_of = np.full(k + 1, -1, dtype=np.int32)
    column_of[filled] = np.arange(len(filled))
    cosines, other = rows.map(centres[filled], _own_and_other, column_of[labels])
    squares, totals = rows.squares(), np.zeros((2, k))
    for span in pieces(len(labels)):
        group = labels[span]
        count, length = np.maximum(sizes[group], 1), norms[group] / np.maximum(sizes[group], 1)
        dots, rest = without_one(cosines[span] * length, length**2, squares[span], count)
        without = np.clip(cosine(dots, rest, squares[span]), -1, 1)
        for total, values in zip(totals, (without, _silhouettes(without, other[span])), strict=True):
            total += np.bincount(group + 1, values, k + 1)[1:]
    return Nearness(sizes, centres, *(totals / np.maximum(sizes, 1)))


def _silhouettes(cosines: Array, other: Array) -> Array:
    """Return (b - a) / max(a, b), from -1 to 1, where a and b are one minus the cosines; 0 if both are 0."""
    a, b = 1.0 - cosines, 1.0 - other
    larger = np.maximum(a, b)
    return np.where(larger > _NO_LENGTH, (b - a) / np.where(larger > _NO_LENGTH, larger, 1.0), 0.0)


def _own_and_other(scores: Any, places: Array) -> tuple[Any, Any]:
    """A rule: return each row's score for its own group, and the best score for another group; 0 without others."""
    columns = places * (places >= 0)  # the score of a row in no group is not used
    scores_of_group = at(scores, columns) + 0
    if scores.shape[1] == 1:
        return scores_of_group, scores_of_group * 0
    rest = set_at(scores, columns, -np.inf)
    return scores_of_group, at(rest, argmax(rest))


# --- Coherence and diversity of the first words of groups
#
# Coherence is the mean normalised pointwise mutual information of each pair of a group's words, with a whole document
# as the window (Bouma, 2009; Aletras and Stevenson, 2013): log(p(a,b) / p(a)p(b)) / -log p(a,b), which is 1 for words
# that always occur together, 0 for words that occur together by chance, -1 for words that never do. Diversity is the
# share of distinct words among all of these (Dieng, Ruiz and Blei, 2020).


def coherence(words: Any, columns: Sequence[int]) -> float | None:
    """Return the mean NPMI of pairs of `columns` over the rows of a sparse matrix; None for fewer than two columns.

    >>> from scipy.sparse import csr_matrix
    >>> words = csr_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    >>> coherence(words, [0, 1]), coherence(words, [0, 2])
    (1.0, -1.0)
    """
    stop_if_asked()
    if len(columns) < 2:
        return None
    present = (words[:, list(columns)] != 0).astype(np.float64)
    together = np.asarray((present.T @ present).todense()) / words.shape[0]
    alone = together.diagonal()
    pairs = np.triu_indices(len(columns), 1)
    return float(_npmi(together[pairs], np.outer(alone, alone)[pairs]).mean())


def _npmi(joint: Array, chance: Array) -> Array:
    """Return the normalised pointwise mutual information; 1 for words in every document."""
    safe = np.where((joint > 0) & (joint < 1), joint, 0.5)
    npmi = np.log(safe / np.where(joint > 0, chance, 1.0)) / -np.log(safe)
    return np.where(joint <= 0, -1.0, np.where(joint >= 1, 1.0, npmi))


def diversity(columns: Sequence[Sequence[int]]) -> float | None:
    """Return the share of distinct words among the words of all groups; None without words.

    >>> diversity([[0, 1], [1, 2]])
    0.75
    """
    words = [column for group in columns for column in group]
    return len(set(words)) / len(words) if words else None
