"""K-means steered by seeds: centres of labelled documents and labelled words, pooled in at every update.

The notation is that of Hu, Milios and Blustein, A Unified Framework for Document Clustering with Dual Supervision
(2012), on rows of unit length, compared by the cosine. What the paper leaves open is decided in docs/decisions/0006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..rows import Rows, cluster_sums
from ..rows.arrays import namespace
from ..rows.threads import one_blas_thread
from ..types import Array, Rng
from .opinion_pool import CLUSTERS, Pool, Supervision, Weights, held_out_error, pool, source_weights
from .seed_sources import Opinion, one_hot
from .spherical import Partition, assign, relabel


@dataclass(frozen=True)
class SeededFit:
    """`labels` (n,) are the nearest of `centres` (k, d); `seed_centres` hold zeros where there is no seed."""

    labels: Array
    centres: Array
    seed_centres: Array
    objective: float
    weights: Weights
    trace: list[dict[str, Any]]


@one_blas_thread()
def seeded_kmeans(
    rows: Rows, k: int, supervision: Supervision, *, rng: Rng, tol: float = 1e-3, max_iter: int = 100,
    init: Array | None = None,
) -> SeededFit:  # fmt: skip
    """Cluster unit `rows` into `k` around the seeds (Algorithm 1), until at most a share `tol` of the rows moves.

    Labels are always those of the returned centres: with `max_iter` 1, of the seeds alone (the paper's Supervised
    variants). The centres of the partition `init` (n,), -1 for rows that are in none, are pooled with the seeds as
    those of an update are; clusters that have neither start from k-means++ on what is not covered, and stay free.
    """
    errors = {name: _error(source, supervision) for name, source in supervision.sources.items()}
    seeds = pool(supervision, errors, rows.shape[1])
    known, weights = (
        (seeds.centres, seeds.weights) if init is None else _started(rows, seeds, supervision, errors, init)
    )
    centres, trace = start_free(rows, known, rng), list[dict[str, Any]]()
    partition = Partition(np.full(rows.shape[0], -1, dtype=np.int32), np.zeros((k, rows.shape[1])))
    for step in range(1, max_iter + 1):
        before, partition = partition, relabel(rows, partition, assign(rows, centres))
        clusters = Opinion(partition.sums, one_hot(partition.labels[supervision.labelled], k))
        moved = int(np.count_nonzero(before.labels != partition.labels))
        trace.append({"step": step, "objective": clusters.coherence, "moved": moved, **weights})
        if moved <= tol * rows.shape[0] or step == max_iter:
            break
        weights = source_weights(supervision, {**errors, CLUSTERS: _error(clusters, supervision)})
        centres = _refined(seeds, weights, clusters, centres)
    return SeededFit(partition.labels, centres, seeds.centres, clusters.coherence, weights, trace)


def _refined(seeds: Pool, weights: Weights, clusters: Opinion, centres: Array) -> Array:
    """Pool the seeds with the intermediate clusters; a cluster that has neither keeps its centre."""
    # What the seeds weigh against each other never changes, so their pool only needs to be scaled.
    growth = next((weights[name] / weight for name, weight in seeds.weights.items() if weight > 0), 0.0)
    refined, scale = centres.copy(), clusters.scale(weights[CLUSTERS])
    for j, (said, found) in enumerate(zip(seeds.total, clusters.sums, strict=True)):  # one at a time stays in cache
        pooled = growth * said + scale[j] * found
        norm = np.sqrt(pooled @ pooled)
        if norm > 0:
            refined[j] = pooled / norm
    return refined


def _error(source: Opinion, supervision: Supervision) -> float | None:
    return held_out_error(source, supervision) if supervision.weights is None else None


def _started(rows: Rows, seeds: Pool, supervision: Supervision, errors: Any, init: Array) -> tuple[Array, Weights]:
    """Return the centres (k, d) of the partition `init` (n,), pooled as in a step, and the weights in them."""
    clusters = Opinion(
        cluster_sums(rows, init, len(seeds.total)), one_hot(init[supervision.labelled], len(seeds.total))
    )
    weights = source_weights(supervision, {**errors, CLUSTERS: _error(clusters, supervision)})
    return _refined(seeds, weights, clusters, seeds.centres), weights


def start_free(rows: Rows, centres: Array, rng: Rng) -> Array:
    """Return `centres` (k, d) with its rows of zeros, the clusters without seeds, filled by greedy k-means++.

    Each is the best of `2 + log k` rows drawn by their distance to the nearest centre so far: the one that leaves the
    least distance. So they start where no seed reaches.
    """
    free = np.flatnonzero(~centres.any(axis=1))
    if len(free) == 0:
        return centres
    centres, distance = centres.copy(), _distance(rows, centres)
    trials = 2 + int(np.log(len(centres)))
    for cluster in free:
        drawn = [_draw(rows, distance, rng) for _ in range(trials)]
        products = rows.correlate(np.array(drawn))
        left = [np.minimum(distance, np.clip(1 - products[:, trial], 0, None)) for trial in range(trials)]
        best = int(np.argmin([after.sum() for after in left]))
        length = np.linalg.norm(drawn[best]) or 1.0  # all rows may be zeros
        centres[cluster], distance = drawn[best] / length, left[best]
    return centres


def _draw(rows: Rows, distance: Array, rng: Rng) -> Array:
    """Return a row drawn with probability in proportion to `distance`, no row of zeros while there are others."""
    while True:
        cumulative = np.cumsum(distance)
        if cumulative[-1] <= 0:  # only copies are left
            return rows.take(rng.integers(len(distance), size=1))[0]
        row = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
        x = rows.take(np.array([row]))[0]
        if x.any():
            return x
        distance[row] = 0.0


def _distance(rows: Rows, centres: Array) -> Array:
    """One minus the cosine with the nearest centre, shape (n,); all 1 without centres."""
    return np.asarray(rows.map(centres, _away), dtype=np.float64)


def _away(scores: Array) -> Array:
    xp = namespace(scores)
    return xp.clip(1 - xp.max(scores, axis=1), 0.0, 1.0)
