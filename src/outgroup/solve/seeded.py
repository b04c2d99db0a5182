"""Seeded k-means: centres of labelled documents and labelled words, pooled at every update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..rows import Rows, cluster_sums, weighed_rows
from ..rows.arrays import namespace
from ..rows.base import all_scores, as_given
from ..rows.threads import one_blas_thread
from ..types import Array, Rng
from .spherical import Partition, assign, relabel, seed_plus_plus

# The notation is that of Hu, Milios and Blustein, A Unified Framework for Document Clustering with Dual Supervision
# (2012), for rows of unit length and the cosine. docs/decisions/0006 covers the points that the paper leaves open.


@dataclass(frozen=True)
class SeededFit:
    """`labels` (n,) are the nearest `centres` (k, d); `seed_centres` (k, d) are zeros for clusters without seeds."""

    labels: Array
    centres: Array
    seed_centres: Array
    objective: float
    weights: Weights
    trace: list[dict[str, Any]]


@one_blas_thread()
def seeded_kmeans(
    rows: Rows,
    supervision: Supervision,
    *,
    rng: Rng,
    tol: float = 1e-3,
    max_iter: int = 100,
    init: Array | None = None,
) -> SeededFit:
    """Cluster unit `rows` around the seeds of k clusters (Algorithm 1), until at most a share `tol` of rows moves.

    The labels are those of the returned centres; with `max_iter` 1, of the seeds alone (the paper's Supervised
    variants). The centres of the partition `init` (n,), -1 for rows without a group, are pooled with the seeds as in an
    update. Clusters without seeds and without rows in `init` start from k-means++, given the other centres.
    """
    k, sample = len(supervision.strength), supervision.sample
    errors = {name: _error(source, supervision) for name, source in supervision.sources.items()}
    seeds = pool(supervision, errors, rows.shape[1])
    known, weights = seeds.centres, seeds.weights
    if init is not None:
        clusters = Opinion(cluster_sums(rows, init, k, weights=sample), supervision.shares(init, k))
        known, weights = _refined(seeds, clusters, supervision, errors, known)
    weighted = weighed_rows(rows, sample)
    centres, trace = start_free(weighted, known, rng), list[dict[str, Any]]()
    partition = Partition(np.full(rows.shape[0], -1, dtype=np.int32), np.zeros((k, rows.shape[1])))
    for step in range(1, max_iter + 1):
        before, partition = partition, relabel(weighted, partition, assign(rows, centres))
        clusters = Opinion(partition.sums, supervision.shares(partition.labels, k))
        moved = int(np.count_nonzero(changed := before.labels != partition.labels))
        trace.append({"step": step, "objective": clusters.coherence, "moved": moved, **weights})
        little = moved <= tol * rows.shape[0] if sample is None else sample[changed].sum() <= tol * sample.sum()
        if little or step == max_iter:
            break
        centres, weights = _refined(seeds, clusters, supervision, errors, centres)
    return SeededFit(partition.labels, centres, seeds.centres, clusters.coherence, weights, trace)


def _refined(
    seeds: Pool, clusters: Opinion, supervision: Supervision, errors: Mapping[str, float | None], centres: Array
) -> tuple[Array, Weights]:
    """Pool the seeds with the current clusters; return the centres and the weights of the sources.

    A cluster with neither keeps its centre.
    """
    weights = source_weights(supervision, {**errors, CLUSTERS: _error(clusters, supervision)})
    # The relative weights of the seeds are constant, so their pool is only scaled.
    growth = next((weights[name] / weight for name, weight in seeds.weights.items() if weight > 0), 0.0)
    refined, scale = centres.copy(), clusters.scale(weights[CLUSTERS])
    for j, (seeded, grouped) in enumerate(zip(seeds.total, clusters.sums, strict=True)):  # single rows stay in cache
        pooled = growth * seeded + scale[j] * grouped
        norm = np.sqrt(pooled @ pooled)
        if norm > 0:
            refined[j] = pooled / norm
    return refined, weights


def _error(source: Opinion, supervision: Supervision) -> float | None:
    return held_out_error(source, supervision) if supervision.weights is None else None


def start_free(rows: Rows, centres: Array, rng: Rng) -> Array:
    """Fill the zero rows of `centres` (k, d), the clusters without seeds, by k-means++ away from the other centres.

    `rows` are unit rows, times their weights if they have some.
    """
    free = np.flatnonzero(~centres.any(axis=1))
    if len(free):
        centres = centres.copy()
        centres[free] = unit(rows.take(seed_plus_plus(rows, len(free), rng, centres)).astype(np.float64))
    return centres


# --- Sources of seeds: sums of rows for each cluster, used by their directions
#
# The notation is that of Hu, Milios and Blustein (2012); see `seeded`.


@dataclass(frozen=True)
class Opinion:
    """A source of centres: directions of `sums` (k, d), zero where it has none; `shares` (m, k) are those of the
    labelled rows.
    """

    sums: Array
    shares: Array

    @cached_property
    def squares(self) -> Array:
        """The squared norms of the sums, (k,)."""
        return np.asarray(np.einsum("kd,kd->k", self.sums, self.sums))

    @property
    def coherence(self) -> float:
        """The sum of the norms; it is Q for the sums of a partition."""
        return float(np.sqrt(self.squares).sum())

    def scale(self, lengths: Array | float) -> Array:
        """Return the factors that scale the sums to `lengths`, (k,)."""
        return np.asarray(lengths / np.sqrt(np.where(self.squares > 0, self.squares, 1.0)))


def documents_source(rows: Rows, seeds: Array, k: int, sample: Array | None = None) -> Opinion:
    """Return the sums of the rows labelled 0 to k - 1 in `seeds` (n,), -1 for none: the directions of Eq. 2."""
    return Opinion(cluster_sums(rows, seeds, k, weights=sample), own_shares(seeds, seeds >= 0, k, sample))


def votes(presence: Rows, words: Array) -> Array:
    """Return the votes of the labelled words of rows, (n, k): shares that sum to 1, or zeros (Eq. 3).

    `presence` is 1 if a word occurs in a document, else 0; `words` (k, d) is the mask of words labelled for clusters.
    Each word of a document counts once, for each of its clusters.
    """
    return np.asarray(presence.map(words, _shares))


def _shares(scores: Array) -> Array:
    xp = namespace(scores)
    total = xp.sum(scores, axis=1, keepdims=True)
    return scores / xp.where(total > 0, total, xp.ones_like(total))


def vote_source(rows: Rows, presence: Rows, words: Array, labelled: Array, sample: Array | None = None) -> Opinion:
    """Return the sums of rows weighted by their votes (Eq. 4), and by `sample` (n,) if given."""
    shares = votes(presence, words)
    shares = shares if sample is None else shares * sample[:, None].astype(shares.dtype)
    sums, _ = rows.fold(None, as_given, shares)
    return Opinion(sums, shares[labelled].astype(np.float64))


def generative_source(words: Array, ratio: float, labelled: Array) -> Opinion:
    """Return the multinomial models of the clusters' words (Eqs. 11-14); it needs no documents."""
    return Opinion(generative_centres(words, ratio), np.zeros((len(labelled), len(words))))


def generative_centres(words: Array, ratio: float) -> Array:
    """Return the probabilities of words in clusters, (k, d); rows sum to 1, or are zeros without words.

    With m words, p of them labelled for the cluster and q for others only, the probabilities are 1/(p+q) and
    1/(ratio (p+q)), and the unlabelled words share the rest. If all words are labelled, rows are scaled to a sum of 1.

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


def own_shares(labels: Array, labelled: Array, k: int, sample: Array | None) -> Array:
    """Return the shares of labelled rows in the sums of their clusters, (m, k): 1, or their weights."""
    shares = (labels[labelled][:, None] == np.arange(k)).astype(np.float64)
    return shares if sample is None else shares * sample[labelled, None]


# --- Weights of the sources: a linear opinion pool, by their errors on held-out rows
#
# The notation is that of Hu, Milios and Blustein (2012); see `seeded`.

Weights = dict[str, float]

DOCUMENTS, WORDS, CLUSTERS = "documents", "words", "clusters"
SOURCES = (DOCUMENTS, WORDS, CLUSTERS)


@dataclass(frozen=True)
class Supervision:
    """The supervision: sources by name, and the sorted indices of labelled rows, `labelled` (m,), with `classes` (m,).

    `validation` are the labelled rows with their nonzero `columns` only; None without labelled rows. `strength` (k,)
    multiplies the weight of the seeds of each cluster; `weights` are fixed weights of the sources, or None for those of
    the pool. `sample` (n,) are the weights of all rows in sums, None for equal ones.
    """

    sources: dict[str, Opinion]
    labelled: Array
    classes: Array
    validation: Rows | None
    columns: Array
    strength: Array
    weights: Mapping[str, float] | None = None
    sample: Array | None = None

    def shares(self, labels: Array, k: int) -> Array:
        """Return the shares of labelled rows in the sums of a partition `labels` (n,), (m, k)."""
        return own_shares(labels, self.labelled, k, self.sample)


@dataclass(frozen=True)
class Pool:
    """The linear opinion pool of the seeds (Eq. 15), `total` (k, d), and the weight of each source."""

    total: Array
    weights: Weights

    @cached_property
    def centres(self) -> Array:
        """The directions as unit rows (k, d); zeros for a cluster without seeds."""
        return unit(self.total.copy())


def pool(supervision: Supervision, errors: Mapping[str, float | None], d: int) -> Pool:
    """Pool the unit vectors of the sources; where a source has none, the others share its weight."""
    weights = source_weights(supervision, errors)
    total = np.zeros((len(supervision.strength), d))
    for name, source in supervision.sources.items():
        total += source.sums * source.scale(weights[name] * supervision.strength)[:, None]
    return Pool(total, weights)


def source_weights(supervision: Supervision, errors: Mapping[str, float | None]) -> Weights:
    """Return the weights of the sources: fixed, or from their errors."""
    if supervision.weights is not None:
        return {name: float(supervision.weights.get(name, 0.0)) for name in errors}
    return pool_weights(errors, len(supervision.labelled), len(supervision.strength))


def pool_weights(errors: Mapping[str, float | None], n_labelled: int, k: int) -> Weights:
    """Return `log((1 - err) / err) + log(k - 1)` for each source, at least 0, scaled to sum to 1.

    Eq. 16 for two clusters; for more, the second term gives the error of chance, 1 - 1/k, the weight 0 (as in SAMME).
    The least error is half a document. Seeds without an error (None) get the mean weight of the other seeds, else that
    of the clusters. If all weights are 0, they become equal.

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
    """Return the leave-one-out error of a source on the labelled rows.

    Each row is taken out of the centres, which would otherwise be tested on their own rows. Only clusters that the
    source covers compete. A row counts if its cluster has other rows; None without such a row.
    """
    if supervision.validation is None:
        return None
    products = supervision.validation.map(source.sums[:, supervision.columns], all_scores).astype(np.float64)
    squares = source.squares - 2 * source.shares * products + source.shares**2
    left = squares > 1e-6 * source.squares
    scores = np.where(left, (products - source.shares) / np.sqrt(np.where(left, squares, 1)), -np.inf)
    counted = left[np.arange(len(left)), supervision.classes]
    if not counted.any() or np.count_nonzero(source.squares) < 2:
        return None
    return float(np.mean(scores.argmax(axis=1)[counted] != supervision.classes[counted]))


def unit(vectors: Array) -> Array:
    """Scale the rows to unit length in place; zero rows stay."""
    norms = np.sqrt(np.einsum("kd,kd->k", vectors, vectors))
    vectors /= np.where(norms > 0, norms, 1.0)[:, None]
    return vectors
