"""Pairs of words that stand side by side more often than chance says ("credit card"), found and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import chdtri, xlogy

from ...types import Array
from .count import Block

_FALSE = 0.001  # the chance that any pair at all is called a phrase where words fall independently


def find_phrases(blocks: Sequence[Block], n_words: int, fewest: int) -> Array:
    """Return the pairs that occur together more often than independent words would, (m, 2) int64, in increasing order.

    A pair must occur `fewest` times, more often than expected, and with a log-likelihood ratio (Dunning,
    Computational Linguistics 19(1), 1993) that is significant at 0.001 over all pairs tried (Bonferroni).

    Parameters
    ----------
    blocks : sequence of `Block`
    n_words : int
    fewest : int >= 1

    Examples
    --------
    >>> words = np.array([0, 1, 2, 0, 1, 3, 0, 1] * 20)
    >>> find_phrases([(words, np.array([160]))], 4, 2).tolist()
    [[0, 1], [1, 2], [1, 3], [2, 0], [3, 0]]
    """
    counted = [np.unique(_keys(block, n_words)[1], return_counts=True) for block in blocks]
    if not counted:
        return np.empty((0, 2), dtype=np.int64)
    keys, where = np.unique(np.concatenate([keys for keys, _ in counted]), return_inverse=True)
    together = np.bincount(where, weights=np.concatenate([count for _, count in counted]), minlength=len(keys))
    first = np.bincount(keys // n_words, weights=together, minlength=n_words)
    second = np.bincount(keys % n_words, weights=together, minlength=n_words)
    often = together >= fewest
    keys, both = keys[often], together[often]
    kept = _more_than_chance(both, first[keys // n_words], second[keys % n_words], float(together.sum()))
    return np.column_stack([keys[kept] // n_words, keys[kept] % n_words])


def count_phrases(blocks: Sequence[Block], phrases: Array, n_words: int) -> Any:
    """Return how often each phrase occurs in each text, CSR of int32, (n, m)."""
    wanted = phrases[:, 0] * n_words + phrases[:, 1]
    order = np.argsort(wanted)
    counts = [_count(block, wanted[order], n_words) for block in blocks]
    if not counts:
        return sp.csr_matrix((0, len(phrases)), dtype=np.int32)
    return sp.csr_matrix(sp.vstack(counts, format="csr")[:, np.argsort(order)])


def _keys(block: Block, n_words: int) -> tuple[Array, Array]:
    """Return the text and the number of each pair of neighbours, both kept, of one text."""
    words, ends = block[0].astype(np.int64), block[1]
    text = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    inside = (words[:-1] >= 0) & (words[1:] >= 0) & (text[:-1] == text[1:])
    return text[:-1][inside], (words[:-1] * n_words + words[1:])[inside]


def _more_than_chance(both: Array, first: Array, second: Array, total: float) -> Array:
    """Return which pairs are phrases, by how often both occur side by side, and each of them with anything."""
    seen = np.stack([both, first - both, second - both, total - first - second + both])
    expected = np.stack([first * second, first * (total - second), (total - first) * second,
                         (total - first) * (total - second)]) / max(total, 1.0)  # fmt: skip
    ratio = 2 * (xlogy(seen, seen) - xlogy(seen, np.maximum(expected, 1e-300))).sum(axis=0)
    return (both > expected[0]) & (ratio > chdtri(1, _FALSE / max(len(both), 1)))


def _count(block: Block, wanted: Array, n_words: int) -> Any:
    texts, keys = _keys(block, n_words)
    place = np.minimum(np.searchsorted(wanted, keys), max(len(wanted) - 1, 0))
    found = wanted[place] == keys if len(wanted) else np.zeros(len(keys), dtype=bool)
    shape = (len(block[1]), len(wanted))
    ones = np.ones(int(found.sum()), dtype=np.int32)
    counts = sp.csr_matrix((ones, (texts[found], place[found])), shape=shape)
    counts.sum_duplicates()
    return counts
