"""The numbers of groups that were found without seeds: those of the seeds whose rows they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from ..errors import InputError
from ..rows import as_rows, is_rows
from ..rows.rules import all_scores
from ..solve.labels import Pool, moved_by_words, pooled
from ..solve.seed_sources import votes
from ..types import Array, Rng
from ._seeds import CheckedSeeds


def numbers_of_seeds(found: Array, said: CheckedSeeds, X: Any, k: int) -> Array:
    """Return the number of each group of the partition `found` (n,) that agrees best with the seeds, (k,)."""
    spoken = spoken_by_words(X if said.counted is None else said.counted, said.words, said.pins)
    return numbers_by(found, np.where(said.pins >= 0, said.pins, spoken), k)


def corrected(X: Any, found: Array, said: CheckedSeeds, k: int, rng: Rng) -> tuple[Array, Pool]:
    """Return the groups (n,) after labels corrected the partition `found` (n,), and how the labels were pooled."""
    pool = pooled(X, said.near, found, said.pins, k, rng)
    labels = pool.labels
    if said.words.any():
        present = as_rows(presence_of(X if said.counted is None else said.counted))
        counts = present.map(said.words.astype(present.dtype), all_scores)
        labels = moved_by_words(X, counts, labels, said.pins >= 0)
    return labels, pool


def numbers_by(labels: Array, pins: Array, k: int) -> Array:
    """Return the number of each group of a partition that agrees best with the labelled documents, (k,) int32.

    Each group takes one number, so that the shares of the numbers' labelled documents in it add up to the most.

    >>> numbers_by(np.array([1, 1, 0, 0]), np.array([0, -1, -1, 1]), 2).tolist()
    [1, 0]
    """
    labelled = pins >= 0
    shares = np.zeros((k, k))
    np.add.at(shares, (labels[labelled], pins[labelled]), 1.0)
    shares /= np.maximum(shares.sum(axis=0, keepdims=True), 1.0)
    groups, numbers = linear_sum_assignment(shares, maximize=True)
    number_of = np.empty(k, dtype=np.int32)
    number_of[groups] = numbers
    return number_of


def spoken_by_words(counted: Any, words: Array, pins: Array) -> Array:
    """Return the group of each row by its labelled words, (n,), of the groups that have no labelled document; else -1.

    `counted` (n, V) is where the words are found, `words` (k, V) says which is labelled for which group.
    """
    silent = np.setdiff1d(np.flatnonzero(words.any(axis=1)), pins)
    if not len(silent):
        return np.full_like(pins, -1)
    shares = votes(as_rows(presence_of(counted)), words)
    return np.where(np.isin(shares.argmax(axis=1), silent) & shares.any(axis=1), shares.argmax(axis=1), -1)


def every_group_has_a_seed(pins: Array, words: Array) -> bool:
    """Return whether each of the k groups has a labelled row in `pins` (n,) or a labelled word in `words` (k, V)."""
    return len(np.union1d(pins[pins >= 0], np.flatnonzero(words.any(axis=1)))) == len(words)


def presence_of(X: Any) -> Any:
    """Return 1 where `X` is not zero, in its dtype and form; a sparse one shares its places with `X`.

    Raises InputError for rows that do not lie in memory.
    """
    X = X.local() if is_rows(X) else X
    if X is None:
        raise InputError("labelled words are looked up in memory, and X does not lie there; give the counts as words")
    if sp.issparse(X):
        return sp.csr_matrix(((X.data != 0).astype(X.dtype), X.indices, X.indptr), shape=X.shape)
    return (X != 0).astype(X.dtype)
