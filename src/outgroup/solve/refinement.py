"""Spherical k-means in memory: starts, refinement, splits and merges, and several restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._native.products import kernels
from ..rows import Rows, as_rows, cluster_sums
from ..rows.threads import one_blas_thread, ordered_map
from ..rows.wrappers import MOST_SAMPLED, sample
from ..stopping import stop_if_asked
from ..types import Array, Rng
from . import spherical
from .local_search import LEAST_GAIN, SCHEDULES, Schedule, Step, open_search, refine, searchable, swept
from .spherical import Partition, SphericalFit

# --- The whole spherical fit: a start, a schedule of refinements, splits and merges, and the best of several restarts


@dataclass(frozen=True)
class _Constants:
    """Constants (docs/decisions/0005)."""

    rows_of_a_group: int = 100  # in a sample, at least
    most_exchanged: int = 1 << 11  # groups: with more, an exchange gains too little, and all pairs are compared
    coarse: int = 100  # times the tolerance: the least gain of an exchange
    at_once: int = 2  # trials in parallel; it determines the result, so it does not depend on the cores
    together: int = 64  # groups for each exchange of a trial: with many groups, one exchange gains little of Q
    failures: int = 2  # rounds of exchanges without a gain before the search ends
    changed: float = 0.1  # share of a cluster's rows that may have changed since it was split
    trials: int = 2  # random halves of a split; more gain little
    split_tol: float = 1e-4  # of Q, at which the sweeps of a split stop
    split_sweeps: int = 30


_SPLITS = _Constants()


REFINEMENTS = (*SCHEDULES, "split-merge")


@one_blas_thread()
def every_fit(X: Any, k: int, schedule: Schedule, n_init: int, rng: Rng) -> list[SphericalFit]:
    """Fit the unit rows `X`, a matrix (n, d) or `Rows`, in `k` clusters from `n_init` starts; return all fits."""
    rows = as_rows(X)
    zeros = np.flatnonzero(rows.squares() == 0)
    fits = [fit(rows, k, schedule, child) for child in rng.spawn(n_init)]
    return [_with_zeros_together(fit, zeros, k) for fit in fits] if len(zeros) else fits


def _with_zeros_together(fit: SphericalFit, zeros: Array, k: int) -> SphericalFit:
    """Move zero rows to the first cluster, which wins ties; no move of them changes Q, so they stay where they
    start.
    """
    labels = fit.labels.copy()
    labels[zeros] = 0
    return replace(fit, labels=spherical.keep_one(labels, fit.labels, k))


def fit(X: Any, k: int, schedule: Schedule, rng: Rng) -> SphericalFit:
    """Fit the unit rows `X`, a matrix (n, d) or `Rows`, from one start.

    Local search and bisection need a matrix. For rows outside memory they use a sample, and batch steps over all rows
    follow from its centres; a given start has batch steps only. `searched` and the trace record it.

    >>> import numpy as np
    >>> fit(np.eye(2)[[0, 1, 0, 1]], 2, Schedule(), np.random.default_rng(0)).objective
    4.0
    """
    rows, init = as_rows(X), schedule.init
    matrix = rows.local()
    if matrix is not None:
        return _fit_matrix(rows, matrix, k, schedule, rng)
    if not isinstance(init, str) or (schedule.local_search is None and init != "bisect"):
        return spherical.batch(rows, spherical.start(rows, k, init, rng), schedule.tol, schedule.max_iter)
    return _by_sample(rows, sample(rows, rng, max(MOST_SAMPLED, k))[1], k, schedule, rng)


def _fit_matrix(rows: Rows, X: Any, k: int, schedule: Schedule, rng: Rng) -> SphericalFit:
    init, bisected = schedule.init, isinstance(schedule.init, str) and schedule.init == "bisect"
    few = max(MOST_SAMPLED, _SPLITS.rows_of_a_group * k)
    if bisected and schedule.local_search == "split-merge" and X.shape[0] > 4 * few:
        return _by_sample(rows, X[np.sort(rng.choice(X.shape[0], few, replace=False))], k, schedule, rng)
    partition = spherical.start(rows, k, bisections(searchable(X), k, rng)[0] if bisected else init, rng)
    if schedule.local_search is None and not sp.issparse(X):
        return spherical.batch(rows, partition, schedule.tol, schedule.max_iter)
    return _searched(rows, X, partition, k, schedule, rng)


def _searched(rows: Rows, X: Any, partition: Partition, k: int, schedule: Schedule, rng: Rng) -> SphericalFit:
    X, labels, exchanges = searchable(X), partition.labels, list[Step]()
    if schedule.local_search == "split-merge" and k > _SPLITS.most_exchanged:
        schedule = replace(schedule, local_search="sweep", tol=_SPLITS.coarse * schedule.tol)
    elif schedule.local_search == "split-merge":
        labels, exchanges = split_merge(X, labels, k, schedule, rng)
        schedule = replace(schedule, local_search="ping-pong")
    labels, _, trace = refine(X, labels, k, schedule, rng)
    return spherical.partition_from(rows, labels, k).fit([*exchanges, *trace], rows.shape[0])


def _by_sample(rows: Rows, few: Any, k: int, schedule: Schedule, rng: Rng) -> SphericalFit:
    """Fit the sample `few`; from its centres, sweep over rows in memory, or make batch steps."""
    fitted = _fit_matrix(as_rows(few), few, k, schedule, rng)
    if few.shape[0] == rows.shape[0]:
        return spherical.partition_from(rows, fitted.labels, k).fit(fitted.trace, few.shape[0])
    partition, X = spherical.start(rows, k, fitted.centres, rng), rows.local()
    first = {"kind": "sample", "objective": partition.objective, "moved": rows.shape[0]}
    if X is None:
        fitted = spherical.batch(rows, partition, schedule.tol, schedule.max_iter)
    else:
        sweeps = replace(schedule, local_search="sweep", tol=10 * schedule.tol)
        fitted = _searched(rows, X, partition, k, sweeps, rng)
    return replace(fitted, trace=[first, *fitted.trace], searched=fitted.searched or few.shape[0])


# --- Exchanges: split one cluster and merge two, then refine; single moves cannot reach these partitions


def split_merge(X: Any, labels: Array, k: int, schedule: Schedule, rng: Rng) -> tuple[Array, list[Step]]:
    """Sweep over the partition `labels` of `X`, then exchange merges and splits while that raises Q.

    Exchanges are ordered by the gain of the split minus the loss of the merge, and refined by coarse sweeps.
    """
    labels, objective, trace = refine(X, labels, k, replace(schedule, local_search="sweep"), rng)
    coarse, least = Schedule("sweep", tol=10 * schedule.tol), _SPLITS.coarse * schedule.tol
    splits, failures = _Splits(X, k), 0
    trials = _trials(X, labels, splits.of(labels, rng))
    while trials and failures < _SPLITS.failures:
        tried, trials = trials[: _SPLITS.at_once], trials[_SPLITS.at_once :]
        tasks = list(zip([_exchanged(labels, trial) for trial in tried], rng.spawn(len(tried)), strict=True))
        fits = ordered_map(lambda task: refine(X, task[0], k, coarse, task[1]), tasks)
        best_labels, best, _ = max(fits, key=itemgetter(1))
        if best - objective <= least * objective:
            failures += 1
            continue
        moved = int(np.count_nonzero(best_labels != labels))
        labels, objective, failures = best_labels, best, 0
        trace.append({"kind": "split and merge", "objective": objective, "moved": moved})
        trials = _trials(X, labels, splits.of(labels, rng))
    return labels, trace


def merge_losses(gram: Array) -> Array:
    """Return the loss of Q for a merge of each pair of sums, by their products (k, k); infinite up to the diagonal."""
    return np.where(np.triu(np.ones(gram.shape, dtype=bool), 1), losses_of(gram, slice(None)), np.inf)


def losses_of(gram: Array, i: Any) -> Array:
    """Return the loss of Q for a merge of sum `i`, or of the sums in a slice, with each of k sums."""
    squares = gram.diagonal()
    norms = np.sqrt(np.maximum(squares, 0.0))
    together = np.sqrt(np.maximum(np.add.outer(squares[i], squares) + 2 * gram[i], 0.0))
    return np.asarray(np.add.outer(norms[i], norms) - together)


class _Splits:
    """A cache of the best splits of clusters; an exchange changes only a few clusters.

    A cluster of dense rows, whose splits take most of the time, keeps its split until a tenth of its rows change.
    """

    def __init__(self, X: Any, k: int) -> None:
        self._X, self._splits = X, list[ClusterSplit | None]([None] * k)
        self._share = 0.0 if sp.issparse(X) else _SPLITS.changed

    def of(self, labels: Array, rng: Rng) -> list[ClusterSplit]:
        """Return the best splits of the clusters of `labels` (n,)."""
        groups = [np.flatnonzero(labels == j) for j in range(len(self._splits))]
        splits = [split and split.updated(rows, self._share) for split, rows in zip(self._splits, groups, strict=True)]
        anew = [j for j, split in enumerate(splits) if split is None]
        for j, split in zip(anew, split_groups(self._X, [groups[j] for j in anew], rng), strict=True):
            self._splits[j] = splits[j] = split
        return [split for split in splits if split is not None]


def _trials(X: Any, labels: Array, splits: list[ClusterSplit]) -> list[list[tuple[ClusterSplit, int, int]]]:
    """Return trials, the best first: an exchange of a merge with a small loss and a split, elsewhere, with a large
    gain, and with many clusters further exchanges of other clusters.
    """
    k = len(splits)
    sums = cluster_sums(as_rows(X), labels, k)
    losses, gains = merge_losses(sums @ sums.T), np.array([split.gain for split in splits])
    pairs = np.column_stack(np.unravel_index(_lowest(losses.ravel(), k), losses.shape))
    lost = losses[tuple(pairs.T)]
    worth = gains - lost[:, None]
    worth[np.arange(k)[:, None], pairs] = -np.inf
    best = _lowest(-worth.ravel(), _SPLITS.at_once * _SPLITS.failures)
    firsts = [int(position) for position in best if np.isfinite(worth.flat[position])]
    trials = [_disjoint(worth, pairs, first, max(1, k // _SPLITS.together)) for first in firsts]
    return [[(splits[split], *pairs[pair].tolist()) for pair, split in trial] for trial in trials]


def _lowest(values: Array, count: int) -> Array:
    """Return the positions of the `count` lowest values (n,), ascending."""
    positions = np.sort(np.argpartition(values, count)[:count]) if count < len(values) else np.arange(len(values))
    return np.asarray(positions[np.argsort(values[positions], kind="stable")])


def _disjoint(worth: Array, pairs: Array, first: int, count: int) -> list[tuple[int, int]]:
    """Return the exchange `first`, and the best others that gain, each of clusters of its own: `count` at most."""
    worth, chosen = worth.copy(), list[tuple[int, int]]()
    while len(chosen) < count and (not chosen or worth.flat[first] > 0):
        pair, split = divmod(first, worth.shape[1])
        chosen.append((pair, split))
        clusters = [*pairs[pair], split]
        worth[np.isin(pairs, clusters).any(axis=1)] = -np.inf
        worth[:, clusters] = -np.inf
        first = int(worth.argmax())
    return chosen


def _exchanged(labels: Array, trial: list[tuple[ClusterSplit, int, int]]) -> Array:
    labels = labels.astype(np.int32)
    for split, into, merged in trial:
        labels[labels == merged] = into
        labels[split.rows[split.right]] = merged
    return labels


# --- Splits: repeated bisection as a start, and splitting one cluster while merging two as a refinement


@dataclass(frozen=True)
class ClusterSplit:
    """The best split of a cluster: `rows` (m,) are its members, `right` (m,) bool is the second half."""

    rows: Array
    right: Array
    gain: float

    def updated(self, rows: Array, share: float) -> ClusterSplit | None:
        """Return the same split for the current `rows` of the cluster; None if too many rows have changed.

        None if at least a `share` of them changed, or a half has no rows left.

        >>> cut = ClusterSplit(np.arange(4), np.array([False, False, True, True]), 1.0)
        >>> cut.updated(np.array([0, 1, 3, 4]), 0.6).rows.tolist(), cut.updated(np.array([0, 1, 4, 5]), 0.6)
        ([0, 1, 3], None)
        """
        still = np.isin(self.rows, rows, assume_unique=True)
        others = len(rows) + len(self.rows) - 2 * np.count_nonzero(still)
        if others >= share * len(rows) or len(np.unique(self.right[still])) < 2:
            return None
        return ClusterSplit(self.rows[still], self.right[still], self.gain)


def bisections(X: Any, k: int, rng: Rng, trials: int = _SPLITS.trials) -> tuple[Array, Array]:
    """Split the rows of `X` into `k` clusters by repeated splits with the largest gain.

    Returns the labels, (n,) int32, and the parents of the clusters, (k,) (see `undo_splits`).

    >>> import scipy.sparse as sp
    >>> labels, _ = bisections(sp.csr_matrix(np.eye(3)[[0, 1, 2, 0, 1, 2]]), 3, np.random.default_rng(0))
    >>> sorted(labels[:3].tolist()), labels[:3].tolist() == labels[3:].tolist()
    ([0, 1, 2], True)
    """
    labels, parents = np.zeros(X.shape[0], dtype=np.int32), np.zeros(k, dtype=np.int32)
    splits = split_groups(X, [np.arange(X.shape[0])], rng, trials)
    gains = np.array([split.gain for split in splits])
    for cluster in range(1, k):
        chosen = int(gains.argmax())
        split, parents[cluster] = splits[chosen], labels[splits[chosen].rows[0]]
        labels[split.rows[split.right]] = cluster
        halves = [split.rows[~split.right], split.rows[split.right]]
        if cluster < k - 1:
            splits[chosen : chosen + 1], fresh = [], split_groups(X, halves, rng, trials)
            splits[chosen:chosen] = fresh
            gains = np.concatenate([gains[:chosen], [split.gain for split in fresh], gains[chosen + 1 :]])
    return labels, parents


def undo_splits(labels: Array, parents: Array, k: int) -> Array:
    """Undo the last splits: map each cluster to its ancestor among the first k, (n,).

    >>> undo_splits(np.array([0, 1, 2, 3]), np.array([0, 0, 1, 0]), 2).tolist()
    [0, 1, 1, 0]
    """
    home = np.arange(len(parents), dtype=np.int32)
    for cluster in range(k, len(parents)):  # a parent comes before its child
        home[cluster] = home[parents[cluster]]
    return np.asarray(home[labels])


def split_groups(X: Any, groups: list[Array], rng: Rng, trials: int = _SPLITS.trials) -> list[ClusterSplit]:
    """Return the best splits of groups of rows of `X`, as `searchable` returns it; trials run in parallel."""
    parts = [X[rows] for rows in groups] if sp.issparse(X) else groups  # dense rows are not copied
    halve = _halve if sp.issparse(X) else partial(_halve_dense, X)
    tasks = [(part, child) for part in parts for child in rng.spawn(trials)]
    splits = ordered_map(lambda task: halve(*task), tasks)
    best = [max(splits[i : i + trials], key=itemgetter(1)) for i in range(0, len(splits), trials)]
    return [ClusterSplit(rows, *split) for rows, split in zip(groups, best, strict=True)]


def _halve_dense(X: Array, rows: Array, rng: Rng) -> tuple[Array, float]:
    """Do as `_halve` in one native call, since calls of sweeps over few rows took most of the time."""
    if len(rows) < 2:
        return np.zeros(len(rows), dtype=bool), -np.inf
    stop_if_asked()
    limits = {"sweeps": _SPLITS.split_sweeps, "tol": _SPLITS.split_tol, "least": LEAST_GAIN}
    right, q = kernels().dense_halve(X, rows, rng, **limits)
    return right, float(q[0] - q[1])


def _halve(X: Any, rng: Rng) -> tuple[Array, float]:
    """Split CSR rows in two by sweeps from random halves; return the mask of the second half, and the gain of Q."""
    n = X.shape[0]
    if n < 2:
        return np.zeros(n, dtype=bool), -np.inf
    search = open_search(X, rng.permutation(n) % 2, 2)
    for _ in range(_SPLITS.split_sweeps):
        stop_if_asked()
        before = search.objective
        swept(search, n, rng)
        if search.objective - before <= _SPLITS.split_tol * before:
            break
    total = np.bincount(X.indices, X.data, X.shape[1])  # SciPy takes longer for few rows
    return search.labels == 1, search.objective - float(np.sqrt((total * total).sum()))
