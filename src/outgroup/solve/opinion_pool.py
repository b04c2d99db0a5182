"""What each source of seeds weighs: a linear opinion pool, by how often it errs on rows that are left out.

The notation is that of Hu, Milios and Blustein (2012); see `seeded`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..rows import Rows
from ..rows.rules import all_scores
from ..types import Array
from .seed_sources import Opinion

Weights = dict[str, float]

DOCUMENTS, WORDS, CLUSTERS = "documents", "words", "clusters"
SOURCES = (DOCUMENTS, WORDS, CLUSTERS)


@dataclass(frozen=True)
class Supervision:
    """All that the user said: sources by name, and the labelled rows, `labelled` (m,) sorted, with `classes` (m,).

    `judges` are the labelled rows again, with only their `columns`, a small part of all where rows are
    sparse; None without labelled rows.
    `strength` (k,) multiplies the weight of each cluster's seeds; `weights` are fixed weights of the sources, or None
    for those of the pool.
    """

    sources: dict[str, Opinion]
    labelled: Array
    classes: Array
    judges: Rows | None
    columns: Array
    strength: Array
    weights: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Pool:
    """The linear opinion pool of the seeds (Eq. 15), `total` (k, d), and the weight of each source in it."""

    total: Array
    weights: Weights

    @cached_property
    def centres(self) -> Array:
        """The directions, unit rows (k, d); zeros for a cluster without seeds."""
        return unit(self.total.copy())


def pool(supervision: Supervision, errors: Mapping[str, float | None], d: int) -> Pool:
    """Pool the sources of seeds: each speaks in unit vectors; where one says nothing, the others share its weight."""
    weights = source_weights(supervision, errors)
    total = np.zeros((len(supervision.strength), d))
    for name, source in supervision.sources.items():
        total += source.sums * source.scale(weights[name] * supervision.strength)[:, None]
    return Pool(total, weights)


def source_weights(supervision: Supervision, errors: Mapping[str, float | None]) -> Weights:
    """Return the weight of each source: the fixed one, or that of the pool."""
    if supervision.weights is not None:
        return {name: float(supervision.weights.get(name, 0.0)) for name in errors}
    return pool_weights(errors, len(supervision.labelled), len(supervision.strength))


def pool_weights(errors: Mapping[str, float | None], n_labelled: int, k: int) -> Weights:
    """Return `log((1 - err) / err) + log(k - 1)` for each source, never below 0, normalised to a sum of 1.

    Eq. 16 for two clusters; for more, the second term makes an error of chance, 1 - 1/k, the one that counts nothing
    (as in SAMME). Errors are kept half a document away from 0. Seeds without an error (None) get the mean weight of the
    other seeds, else that of the clusters; without any difference all weigh the same.

    >>> {name: round(weight, 3) for name, weight in pool_weights({"documents": 0.1, "words": 0.25}, 40, 2).items()}
    {'documents': 0.667, 'words': 0.333}
    """
    known = {name: _log_odds(error, n_labelled, k) for name, error in errors.items() if error is not None}
    if sum(known.values()) == 0:
        return {name: 1 / len(errors) for name in errors}
    others = [known[name] for name in (DOCUMENTS, WORDS) if name in known] or list(known.values())
    raw = {name: known.get(name, sum(others) / len(others)) for name in errors}
    return {name: weight / sum(raw.values()) for name, weight in raw.items()}


def _log_odds(error: float, n_labelled: int, k: int) -> float:
    least = 0.5 / max(n_labelled, 1)
    error = min(max(error, least), 1 - least)
    return max(0.0, float(np.log((1 - error) / error) + np.log(max(k - 1, 1))))


def held_out_error(source: Opinion, supervision: Supervision) -> float | None:
    """Return the share of labelled rows that the source classifies wrongly, each row left out of its sums.

    With the row left in, the centres of the labelled documents would judge themselves, and hardly ever err. Only
    clusters that the source covers compete, and only their rows count, as far as something is left of the cluster
    without them; None where there is no such row.
    """
    if supervision.judges is None:
        return None
    products = supervision.judges.map(source.sums[:, supervision.columns], all_scores).astype(np.float64)
    squares = source.squares - 2 * source.own * products + source.own**2
    left = squares > 1e-6 * source.squares
    scores = np.where(left, (products - source.own) / np.sqrt(np.where(left, squares, 1)), -np.inf)
    counted = left[np.arange(len(left)), supervision.classes]
    if not counted.any() or np.count_nonzero(source.squares) < 2:
        return None
    return float(np.mean(scores.argmax(axis=1)[counted] != supervision.classes[counted]))


def unit(vectors: Array) -> Array:
    """Scale the rows to unit length, in place; rows of zeros stay."""
    norms = np.sqrt(np.einsum("kd,kd->k", vectors, vectors))
    vectors /= np.where(norms > 0, norms, 1.0)[:, None]
    return vectors
