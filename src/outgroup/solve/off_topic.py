"""The search for off-topic documents with any clusterer: find them, set them aside, and group the rest again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..rows import CentredRows, Rows, as_rows, cluster_sums, highest, nearest, unit_rows
from ..rows.wrappers import MOST_SAMPLED, sample
from ..types import Array, Rng
from .local_search import searchable
from .neighbour_votes import spread_labels
from .refinement import bisections, undo_splits
from .reject import Parts, RejectProblem, off_topic_scores
from .spherical import spherical_kmeans
from .threshold import JUNK, Mixture, Threshold, bounded, counting, expected_of, slope_of, threshold_for

# --- The search for off-topic rows
#
# It needs rows and a partition only. A search classifies rows by held-out scores and neighbours. The reject rows are
# then fitted again with the rows found as further examples, so that they generalise the evidence of the neighbours.
# Rows above the threshold of these reject rows are out, so that a prediction for the same row agrees.


@dataclass(frozen=True)
class OffTopicFit:
    """The result of a search: reject rows, their `intercept`, the threshold, and the mask `out` of off-topic rows."""

    coef: Array
    intercept: Array
    threshold: Threshold
    out: Array


@dataclass(frozen=True)
class OffTopicSearch:
    """A search for off-topic rows, for given groups.

    Rows in the mask `pinned` (n,) are never set aside. Examples in the mask `discarded` (N,), which were rows until a
    user discarded them, are documents for the threshold; None for none.
    """

    rows: Rows
    universum: Rows
    pinned: Array
    rate: float = 0.05
    method: str = "mixture"
    center: bool = True
    gap: float = 1e-3
    side_by_side: bool = True
    discarded: Array | None = None

    def fit(
        self,
        labels: Array,
        k: int,
        inside: Array,
        rng: Rng,
        threshold: Threshold | None = None,
        before: tuple[Array, Array] | None = None,
    ) -> OffTopicFit:
        """Find off-topic rows for the `k` groups `labels` (n,) of the rows `inside` (n,); apply the threshold to all.

        An earlier `threshold` saves the fits that place it; `before` are the weights and intercepts of its reject rows.
        No row is set aside if there are fewer than ten examples, or if fewer rows than groups would remain.
        """
        few = self.universum.shape[0] < JUNK.fewest
        if few:
            threshold = Threshold("conformal", self.rate, np.inf, 0)
        if threshold is None:
            result = self._search(labels, k, inside, rng)
        else:
            junk = ~inside
            if before is not None and np.isfinite(threshold.value):
                junk = junk | (off_topic_scores(self.rows, before[0], k, before[1]) > threshold.value)
            junk = np.flatnonzero(junk & ~self.pinned)
            problem, mean = self._problem(labels, k, inside)
            if len(junk):
                by_kind = threshold.method == "mixture"
                problem = self._with_junk(problem, junk, junk if by_kind else junk[:0])
            result = self._result(problem, mean, threshold, None if before is None else before[0])
            if before is None and np.isfinite(threshold.value):  # the scores have another scale
                result = self._with_count(result, k, int(np.count_nonzero(~inside)))
        if np.count_nonzero(~result.out) >= k:
            return result
        unlimited = replace(result.threshold, value=np.inf, flagged=0, aside=None)
        return replace(result, threshold=unlimited, out=np.zeros_like(result.out))

    def _search(self, labels: Array, k: int, inside: Array, rng: Rng) -> OffTopicFit:
        """Find off-topic rows, and the threshold."""
        # 1. The convex problem of the reject rows: its targets are the calibration rows that are in a group, if any.
        calibration = self._calibration
        targets = np.zeros_like(inside)
        targets[calibration] = inside[calibration]
        problem, mean = self._problem(labels, k, targets if targets.any() else inside)
        # 2. Cross-fitting: the score max_{r > k} T[r] - max_{p <= k} T[p] of each row and example, held out of its fit.
        many = self.universum.shape[0] >= JUNK.many
        count, gap = (JUNK.folds // 2, 5 * JUNK.fold_gap) if many else (JUNK.folds, JUNK.fold_gap)
        folds = problem.split(count, rng)
        scores, example_scores = problem.held_out(folds, gap)
        scores = scores[calibration]
        # 3. A first threshold: a quantile (split conformal), or the probability of being junk (mixture with examples).
        first, mixture, above = self._first_threshold(scores, example_scores, folds)
        # 4. Rows that may be junk are not targets, and certain junk serves as further examples.
        suspects, junk = self._suspects(first, above, mixture)
        threshold = first
        if len(suspects):
            problem = self._with_junk(problem, suspects, junk)
            # 5. This changes the scale of the scores: take the quantile that flags as many rows as the first threshold,
            #    from the held-out scores of all folds, or of as many as have 4,096 rows.
            rescored, _ = problem.held_out(folds, gap, -(-JUNK.fold_rows * folds.count // len(inside)))
            rescored = rescored[calibration]
            scored = ~np.isnan(rescored)
            value = counting(np.sort(rescored[scored])[::-1], int(above[scored].sum()))
            threshold = replace(first, value=value)
        # 6. The final reject rows score all rows: those above the threshold are off-topic.
        result = self._result(problem, mean, threshold)
        if mixture is None:
            return result
        # 7. Expected precision and recall for the number of flagged documents, and the slope of the probability.
        count = int(result.out[calibration].sum() + self._discarded.sum())
        flagged = count if result.threshold.aside is None else first.flagged
        expected = expected_of(first, mixture, flagged) | {"slope": slope_of(mixture, count)}
        return replace(result, threshold=replace(result.threshold, **expected))

    def _with_count(self, result: OffTopicFit, k: int, count: int) -> OffTopicFit:
        """Return the result for k groups, with exactly `count` rows above the threshold for setting aside."""
        scores, limits = off_topic_scores(self.rows, result.coef, k, result.intercept), result.threshold
        ordered = np.sort(scores)[::-1]
        aside = counting(ordered, count)
        threshold = replace(limits, value=aside)
        if limits.aside is not None:  # as many rows as before are flagged
            threshold = replace(limits, value=counting(ordered, max(count, limits.flagged)), aside=aside)
        return replace(result, threshold=threshold, out=(scores > aside) & ~self.pinned)

    def _first_threshold(
        self, scores: Array, examples: Array | None, folds: Parts
    ) -> tuple[Threshold, Mixture | None, Array]:
        """Return the threshold on held-out scores, the mixture, and the mask of rows above it (n,).

        The mixture is None for few examples.
        """
        if examples is None:
            mixture = None
            threshold = threshold_for(scores, None, self.rate, self.method)
        else:
            # Discarded documents are rows of the collection, although they are examples. Users discard the farthest
            # ones first: as examples they would bias the scores upwards, and return off-topic documents to the groups.
            discarded, nearness = self._discarded, None
            if self._near is not None:
                near, of_examples = self._near.reach(folds)
                nearness = np.vstack([near, of_examples[discarded]]), of_examples[~discarded]
            documents, others = np.r_[scores, examples[discarded]], examples[~discarded]
            mixture = None if len(others) < JUNK.fewest else Mixture(documents, others, nearness)
            threshold = threshold_for(documents, mixture, self.rate, self.method)
        if mixture is not None and threshold.method == "mixture":
            scores = mixture.evidence[0][: len(scores)]
        above = scores > threshold.value
        return replace(threshold, flagged=int(above.sum())), mixture, above  # without the discarded examples

    def _suspects(self, first: Threshold, above: Array, mixture: Mixture | None) -> tuple[Array, Array]:
        """Return the indices of rows that may be off-topic, and of rows that certainly are; never rows in `pinned`.

        The former are in the mask `above` (n,), or are more probably off-topic than not; the latter
        are above it and have a high probability.
        """
        probability = np.zeros(len(above))
        if mixture is not None and first.method == "mixture":
            probability = mixture.posterior[: len(above)]
        rows, free = np.arange(len(self.pinned))[self._calibration], ~self.pinned[self._calibration]
        return rows[free & (above | (probability >= 0.5))], rows[free & above & (probability >= 1 - JUNK.likely)]

    def _with_junk(self, problem: RejectProblem, doubtful: Array, junk: Array) -> RejectProblem:
        """Return the problem in which rows `doubtful` are not targets, and rows `junk` are examples."""
        rest = np.setdiff1d(problem.targets, doubtful)
        if len(rest) < 2:
            return problem
        if not len(junk):
            return replace(problem, among=rest)
        count = max(1, min(JUNK.kinds, self.universum.shape[0] // (2 * JUNK.kinds)))
        clusters = spherical_kmeans(unit_rows(self.universum), count, rng=np.random.default_rng(0))
        kinds = Parts(highest(self.rows, clusters.centres), clusters.labels, count)
        return replace(problem, among=rest, junk=junk, kinds=kinds)

    def _result(
        self,
        problem: RejectProblem,
        mean: Array,
        threshold: Threshold,
        start: Array | None = None,
    ) -> OffTopicFit:
        """Fit the reject rows."""
        usable = start is not None and len(start) == problem.count
        V = problem.solve(start=start if usable else None).W
        intercept = -V @ mean
        scores = off_topic_scores(self.rows, V, problem.k, intercept)
        threshold = bounded(threshold, scores, self.method)
        out = (scores > threshold.aside_above) & ~self.pinned
        return OffTopicFit(V, intercept, threshold, out)

    def _problem(self, labels: Array, k: int, inside: Array) -> tuple[RejectProblem, Array]:
        """Return the problem over the rows in the mask `inside` (n,), and the mean at which rows are centred."""
        on, (n, d) = np.flatnonzero(inside), self.rows.shape
        rows, universum, mean = self.rows, self.universum, np.zeros(d)
        if self.center:
            mean = np.asarray(cluster_sums(rows, np.zeros(n, dtype=np.int32), 1, on)[0] / len(on))
            rows, universum = CentredRows(rows, mean), CentredRows(universum, mean)
        energy = float(self.rows.squares()[on].mean() - mean @ mean)
        problem = RejectProblem(
            rows,
            universum,
            labels,
            k,
            max(energy, float(np.finfo(self.rows.dtype).tiny)),
            self.gap,
            self.side_by_side,
            None if inside.all() else on,
        )
        return problem, mean

    @cached_property
    def _near(self) -> NearExamples | None:
        """The nearest neighbours of the examples; None with fewer than 50 examples."""
        few = np.count_nonzero(~self._discarded) < JUNK.mixture_from
        return None if few else near_examples(self.rows, self.universum)

    @property
    def _discarded(self) -> Array:
        return np.zeros(self.universum.shape[0], dtype=bool) if self.discarded is None else self.discarded

    @property
    def _calibration(self) -> Any:
        """The index of the rows that calibrate the threshold: all rows, or rows with known neighbours."""
        return slice(None) if self._near is None else self._near.on


# --- Nearness of off-topic examples, over neighbours and in small clusters
#
# The reject row is a single direction. If off-topic documents are of several kinds, some on-topic documents reach the
# same scores along it. Neighbours separate them: hidden off-topic documents and examples come from the same source, so
# they are neighbours of each other. Nearest neighbours of long documents are noisy; small clusters are more stable.


@dataclass(frozen=True)
class NearExamples:
    """The 15 nearest neighbours of m rows and N examples among both, and clusters of both.

    `on` (m,) are the numbers of the rows. `shares` (m + N, m + N), rows first, are those of `Neighbours`. `clusters`
    are partitions (m + N,) of one tree of bisections, with 50, 25 and 12 members in the mean; none for many examples,
    whose neighbours suffice.
    """

    on: Array
    shares: Any
    clusters: list[Array]

    def reach(self, folds: Parts) -> tuple[Array, Array]:
        """Return how near each row (m, 2) and example (N, 2) is to examples of other folds.

        Column 0 is over neighbours, column 1 in clusters. Folds make rows and examples comparable: an example is
        treated as a hidden one.
        """
        m, N, examples = len(self.on), len(folds.examples), folds.examples
        fold_of, logs = np.r_[folds.rows[self.on], examples], np.zeros(m + N)
        spread = spread_labels(self.shares, np.r_[np.full(m, -1), examples], folds.count)
        mass = (spread @ (1 - np.eye(folds.count, dtype=spread.dtype)))[np.arange(m + N), fold_of]
        for labels in self.clusters:  # the geometric mean of the number of examples over that by chance
            sizes = np.bincount(labels)
            counts = np.zeros((len(sizes), folds.count))
            np.add.at(counts, (labels[m:], examples), 1)
            others = counts.sum(axis=1)[labels] - counts[labels, fold_of]
            logs += np.log((others + 0.5) / (sizes[labels] * N / (m + N) + 0.5))
        nearness = np.column_stack([mass, np.exp(logs / max(len(self.clusters), 1))]).astype(np.float64)
        return nearness[:m], nearness[m:]


def near_examples(rows: Rows, universum: Rows) -> NearExamples | None:
    """Find the nearest neighbours of examples and rows (a sample if there are many); None for too many examples."""
    N, n = universum.shape[0], rows.shape[0]
    if N > MOST_SAMPLED:
        return None
    on, unit = np.arange(n), unit_rows(rows)
    if n > 2 * MOST_SAMPLED or unit.local() is None:
        on, matrix = sample(rows, np.random.default_rng(0))
        unit = unit_rows(as_rows(matrix))
    others = unit_rows(universum if universum.local() is not None else as_rows(universum.take(np.arange(N))))
    parts = [part.local() for part in (unit, others)]
    sparse = any(sp.issparse(part) for part in parts)
    both = sp.vstack([sp.csr_matrix(part) for part in parts], format="csr") if sparse else np.vstack(parts)
    clusters = list[Array]()
    if JUNK.many > N:
        counts = [max(1, both.shape[0] // size) for size in JUNK.cluster_sizes]
        tree = bisections(searchable(both), max(counts), np.random.default_rng(0), trials=1)
        clusters = [undo_splits(*tree, count) for count in counts]
    return NearExamples(on, nearest(as_rows(both)).shares, clusters)
