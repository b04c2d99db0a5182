"""Spherical k-means by folds over rows: starts and batch steps (Dhillon, Guan and Kogan, ICDM 2002, section 2).

The objective is the sum of the clusters' coherences, `Q = sum_j ||s_j||`, where `s_j` is the sum of cluster j's unit
rows; the concept vector of a cluster is `s_j / ||s_j||`. Weighted rows are unit rows times their weights: sums, gains
`sqrt(||s||^2 -+ 2 w ||s|| x.c + w^2)` and Q then include the weights, and the nearest centre of a row does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InputError
from ..rows import Rows, as_rows, cluster_sums, highest
from ..rows.arrays import argmax, at, namespace
from ..rows.base import highest_score
from ..rows.blocks import group_sizes
from ..rows.wrappers import row_lengths
from ..types import Array, Rng

Init = str | Array

_ROUNDING = 1e-12  # of the greatest sum: a smaller one is zero, and its direction noise


@dataclass(frozen=True)
class Partition:
    """A partition: `labels` (n,) int32, and the sums of the clusters' rows, `sums` (k, d) float64."""

    labels: Array
    sums: Array

    @cached_property
    def coherences(self) -> Array:
        """The norms of the clusters' sums, (k,)."""
        return np.asarray(np.sqrt(np.einsum("kd,kd->k", self.sums, self.sums)))

    @property
    def objective(self) -> float:
        """Q, the sum of the coherences."""
        return float(self.coherences.sum())

    @property
    def centres(self) -> Array:
        """Concept vectors (k, d) of unit length; zero if the sum is zero."""
        norms = self.coherences
        return self.sums * np.where(norms > _ROUNDING * norms.max(), 1 / _no_zeros(norms), 0.0)[:, None]

    def fit(self, trace: list[dict[str, Any]], searched: int = 0) -> SphericalFit:
        """Return the partition as a fit with its history."""
        return SphericalFit(self.labels, self.centres, self.objective, trace, searched)


@dataclass(frozen=True)
class SphericalFit:
    """A clustering with its history; `trace` has a dictionary per step (kind, objective, moved).

    `searched` is the number of rows of local search: all, those of a sample, or none.
    """

    labels: Array
    centres: Array
    objective: float
    trace: list[dict[str, Any]]
    searched: int = 0

    @property
    def n_iter(self) -> int:
        """Number of steps."""
        return len(self.trace)


def spherical_kmeans(
    rows: Rows, k: int, *, init: Init = "k-means++", rng: Rng | None = None, tol: float = 1e-6, max_iter: int = 300
) -> SphericalFit:
    """Cluster unit `rows` into `k` clusters by batch steps only, until a step gains less than `tol` of Q.

    `init` is the name of a start ("k-means++", "random": a random partition, "random-rows"), centres (k, d) or labels
    (n,). No cluster is empty. Raises InputError if `k` exceeds the number of rows, or for an invalid `init`.

    >>> from outgroup.rows import as_rows
    >>> fit = spherical_kmeans(as_rows(np.eye(2)[[0, 1, 0, 1]]), 2, init=np.array([0, 1, 0, 0]))
    >>> fit.labels.tolist(), fit.objective
    ([0, 1, 0, 1], 4.0)
    """
    return batch(rows, start(rows, k, init, np.random.default_rng() if rng is None else rng), tol, max_iter)


def batch(rows: Rows, partition: Partition, tol: float, max_iter: int = 300) -> SphericalFit:
    """Make batch steps until one gains less than `tol` of Q."""
    trace: list[dict[str, Any]] = []
    for _ in range(max_iter):
        # every row moves to its nearest concept vector; ties stay
        labels = keep_one(assign(rows, partition.centres, partition.labels), partition.labels, len(partition.sums))
        following, moved = relabel(rows, partition, labels), int(np.count_nonzero(labels != partition.labels))
        gain = following.objective - partition.objective
        if gain >= 0:  # Q only falls by rounding
            partition = following
        trace.append({"kind": "batch", "objective": partition.objective, "moved": moved})
        if gain <= tol * partition.objective:
            break
    return partition.fit(trace)


def centres_of(X: Any, labels: Array, k: int) -> Array:
    """Return the unit directions of the clusters in `labels` (n,), (k, d); zeros for an empty cluster."""
    sums = cluster_sums(as_rows(X), labels, k)
    return sums / _no_zeros(np.linalg.norm(sums, axis=1))[:, None]


def keep_one(labels: Array, before: Array, k: int) -> Array:
    """Return `labels` after each empty cluster got back its last row of `before`."""
    labels = labels.copy()
    while len(empty := np.flatnonzero(group_sizes(labels, k) == 0)):
        labels[np.flatnonzero(before == empty[0])[-1]] = empty[0]
    return labels


def assign(rows: Rows, centres: Array, labels: Array | None = None) -> Array:
    """Return the nearest centres of rows, (n,) int32; ties keep `labels` if given, else the lowest index."""
    if labels is None:
        return highest(rows, centres)
    return np.asarray(rows.map(centres, _nearest, labels))


def partition_from(rows: Rows, labels: Array, k: int) -> Partition:
    """Return the partition of `labels` with sums, after filling empty clusters."""
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    return fill_empty(rows, Partition(labels, cluster_sums(rows, labels, k)))


def relabel(rows: Rows, partition: Partition, labels: Array) -> Partition:
    """Return the partition with new `labels`; rows that moved update the sums."""
    k = len(partition.sums)
    moved = np.flatnonzero(labels != partition.labels)
    if len(moved) == 0:
        return partition
    if 2 * len(moved) > len(labels):
        return Partition(labels, cluster_sums(rows, labels, k))
    gained = cluster_sums(rows, labels, k, on=moved)
    lost = cluster_sums(rows, partition.labels, k, on=moved)
    return Partition(labels, partition.sums + (gained - lost))


def fill_empty(rows: Rows, partition: Partition) -> Partition:
    """Move the worst fitting row to each empty cluster; Q cannot decrease (triangle inequality)."""
    k = len(partition.sums)
    counts = group_sizes(partition.labels, k)
    empty = np.flatnonzero(counts == 0)
    if len(empty) == 0:
        return partition
    cosines = rows.map(partition.centres, at, partition.labels)
    labels = partition.labels.copy()
    candidates = iter(np.argsort(np.where(cosines == 0, np.inf, cosines), kind="stable"))  # rows of zeros come last
    for cluster in empty:
        row = next(i for i in candidates if counts[labels[i]] > 1)
        counts[labels[row]] -= 1
        labels[row], counts[cluster] = cluster, 1
    return relabel(rows, partition, labels)


def start(rows: Rows, k: int, init: Init, rng: Rng) -> Partition:
    """Return the initial partition (see `spherical_kmeans`)."""
    n = rows.shape[0]
    if not 1 <= k <= n:
        raise InputError(f"{n} rows cannot form {k} clusters: choose between 1 and {n} clusters")
    if isinstance(init, str):
        if init not in STARTS:
            raise InputError(f"init={init!r} is not valid: give one of {sorted(STARTS)}, centres or labels")
        return STARTS[init](rows, k, rng)
    init = np.asarray(init)
    if init.shape == (k, rows.shape[1]):
        return _from_centres(rows, init.astype(np.float64))
    if init.shape != (n,) or init.dtype.kind not in "iu" or init.min() < 0 or init.max() >= k:
        form = f"init has shape {init.shape} and dtype {init.dtype}"
        raise InputError(f"{form}: give centres {(k, rows.shape[1])}, or {n} labels from 0 to {k - 1}")
    return partition_from(rows, init, k)


def seed_plus_plus(rows: Rows, k: int, rng: Rng, centres: Array | None = None) -> Array:
    """Choose `k` rows by k-means++ with cosine distance; return their indices, (k,).

    `centres` (m, d), of unit length or zero, are those chosen before.

    The probability of a row is proportional to its weight times one minus its cosine with the nearest chosen row, which
    is half the squared distance of unit rows. Rows of zeros are chosen last.
    """
    n = rows.shape[0]
    lengths = row_lengths(rows)  # the weights
    distance, free = lengths.astype(np.float64), np.ones(n, dtype=bool)
    if centres is not None:
        distance = np.clip(distance - rows.map(centres, highest_score), 0.0, None)
    chosen: list[int] = []
    while len(chosen) < k:
        row = _draw(np.where(free, distance, 0.0), free, rng)
        x = rows.take(np.array([row]))[0]
        free[row] = False
        if not x.any() and free.sum() >= k - len(chosen):
            continue
        chosen.append(row)
        distance = np.minimum(distance, np.maximum(lengths - rows.correlate(x / lengths[row]), 0.0))
    return np.array(chosen)


def _draw(weights: Array, free: Array, rng: Rng) -> int:
    cumulative = np.cumsum(weights)
    if cumulative[-1] <= 0:  # only copies of chosen rows are left
        return int(rng.choice(np.flatnonzero(free)))
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def _from_rows(rows: Rows, index: Array) -> Partition:
    return _from_centres(rows, rows.take(index).astype(np.float64))


def _from_centres(rows: Rows, centres: Array) -> Partition:
    norms = np.sqrt(np.einsum("kd,kd->k", centres, centres))
    return partition_from(rows, assign(rows, centres / _no_zeros(norms)[:, None]), len(centres))


STARTS: dict[str, Callable[[Rows, int, Rng], Partition]] = {
    "k-means++": lambda rows, k, rng: _from_rows(rows, seed_plus_plus(rows, k, rng)),
    "random": lambda rows, k, rng: partition_from(rows, rng.permutation(np.arange(rows.shape[0]) % k), k),
    "random-rows": lambda rows, k, rng: _from_rows(rows, rng.choice(rows.shape[0], k, replace=False)),
}


def _nearest(scores: Array, labels: Array) -> Array:
    best = argmax(scores)
    return namespace(scores).where(at(scores, labels) >= at(scores, best), labels, best)


def _no_zeros(norms: Array) -> Array:
    return np.where(norms > 0, norms, 1.0)
