"""The checks of seeds, shared by the clusterers that take them."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from ..errors import InputError, OutgroupWarning
from ..rows import is_rows, part_of
from ..rows.matrix import checked_matrix
from ..types import Array
from ._base import of_so_many_rows

_SHOWN = 5


class CheckedSeeds(NamedTuple):
    """Seeds that were checked: `pins` (n,), `words` (k, V), `strength` (k,), `counted` (n, V) where words are found if
    not in the rows, and the graph `near` (n, n), None if it is not known."""

    pins: Array
    words: Array
    strength: Array
    counted: Any
    near: Any

    @classmethod
    def of(
        cls, X: Any, k: int, seeds: Any, word_seeds: Any, seed_weights: Any, counted: Any, near: Any
    ) -> Self | None:  # fmt: skip
        """Return the seeds of the rows `X`, checked; None without any."""
        if seeds is None and word_seeds is None:
            return None
        pins = checked_seeds(seeds, X.shape[0], k)
        words = checked_words(word_seeds, (X if counted is None else counted).shape[1], k)
        found = cls(pins, words, checked_strength(seed_weights, k), counted, near)
        return found if (pins >= 0).any() or words.any() else None

    def on(self, rows: Array) -> Self:
        """Return the seeds of the rows numbered."""
        counted = None if self.counted is None else part_of(self.counted, rows)
        return self._replace(pins=self.pins[rows], counted=counted, near=among(self.near, rows))


def checked_seeds(seeds: Any, n: int, k: int) -> Array:
    """Return `seeds` as (n,) int32 with -1 for unlabelled documents; all -1 for None.

    Raises InputError for a wrong length, other things than whole numbers, or a label outside -1..k-1; warns when no
    document is labelled.
    """
    if seeds is None:
        return np.full(n, -1, dtype=np.int32)
    seeds = np.asarray(seeds)
    if seeds.shape != (n,):
        raise InputError(f"seeds has shape {seeds.shape} for {n} documents; give one integer a document, -1 for none")
    if seeds.dtype.kind not in "iuf" or not np.all(seeds == np.round(seeds)):
        raise InputError(f"seeds are of type {seeds.dtype}; give whole numbers: a cluster's number, or -1 for none")
    _check_range(seeds, k)
    if (seeds < 0).all():
        _warn("seeds labels no document; leave it out, or label some")
    return np.ascontiguousarray(seeds, dtype=np.int32)


def among(near: Any, rows: Array) -> Any:
    """Return who is near whom among the rows numbered, where that is known."""
    return None if near is None else near[rows][:, rows]


def checked_graph(graph: Any, n: int) -> Any:
    """Return who is near whom as a CSR matrix (n, n), None for None; raises InputError for what cannot be that."""
    if graph is None:
        return None
    graph = sp.csr_matrix(graph)
    if graph.shape != (n, n) or graph.dtype.kind not in "biuf":
        raise InputError(f"graph has shape {graph.shape} and type {graph.dtype}; give numbers of shape {(n, n)}")
    if not np.isfinite(graph.data).all() or graph.data.min(initial=0) < 0:
        raise InputError("graph has weights below 0, or that are no numbers; give how near rows are, 0 for not at all")
    graph = graph.astype(np.float64)
    graph.sort_indices()  # sums over neighbours are then the same bits in whatever order they came
    return graph


def held(labels: Array, pins: Array) -> Array:
    """Return the groups `labels` (n,) with every labelled row where a person put it: `pins` (n,), -1 for the others.

    >>> held(np.array([0, 1, 1]), np.array([-1, 0, -1])).tolist()
    [0, 0, 1]
    """
    return np.asarray(np.where(pins >= 0, pins, labels), dtype=np.int32)


def checked_words(words: Any, d: int, k: int) -> Array:
    """Return `word_seeds` as a boolean (k, d) array; all False for None.

    Raises InputError for another shape or other values than 0 and 1; warns when no word is labelled, and when some are
    labelled for every cluster: those tell nothing and are left out.
    """
    if words is None:
        return np.zeros((k, d), dtype=bool)
    words = np.asarray(words.toarray() if sp.issparse(words) else words)
    if words.shape != (k, d):
        raise InputError(
            f"word_seeds has shape {words.shape}; give {k} rows, one a cluster, of {d} columns, those of X: {(k, d)}"
        )
    if words.dtype.kind not in "biuf" or not np.isin(words, (0, 1)).all():
        raise InputError("word_seeds must hold 0 and 1, or False and True: whether a word is labelled for a cluster")
    return _telling(words.astype(bool))


def checked_words_of(words: Any, n: int) -> Any:
    """Return `words` (n, V), in which labelled words are counted; raises InputError for another number of rows."""
    if not is_rows(words):
        words = checked_matrix(words, "words")
    return of_so_many_rows(words, n)


def checked_strength(strength: Any, k: int) -> Array:
    """Return `seed_weights` as (k,) float64, ones for None; raises InputError unless they are k positive numbers."""
    if strength is None:
        return np.ones(k)
    try:
        strength = np.asarray(strength, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"seed_weights must be numbers, one a cluster: {error}") from error
    if strength.shape != (k,) or not (np.isfinite(strength).all() and (strength > 0).all()):
        raise InputError(f"seed_weights must be {k} positive numbers, one a cluster; 1 is the usual weight")
    return strength


def _check_range(seeds: Array, k: int) -> None:
    outside = np.flatnonzero((seeds < -1) | (seeds >= k))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"seeds[{row}] is {seeds[row]:.0f}, and labels go from 0 to {k - 1}, or -1 for none; "
            "choose a larger n_clusters, or change the seeds"
        )


def _telling(words: Array) -> Array:
    everywhere = np.flatnonzero(words.all(axis=0)) if len(words) > 1 else np.array([], dtype=int)
    if len(everywhere):
        columns = ", ".join(map(str, everywhere[:_SHOWN])) + (" ..." if len(everywhere) > _SHOWN else "")
        _warn(f"words labelled for every cluster tell nothing and are left out: columns {columns}")
        words[:, everywhere] = False
    elif not words.any():
        _warn("word_seeds labels no word; leave it out, or label some")
    return words


def _warn(message: str) -> None:
    warnings.warn(message, OutgroupWarning, stacklevel=4)
