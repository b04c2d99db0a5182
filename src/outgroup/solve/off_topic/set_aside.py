"""Junk set aside beside any clusterer: look for it, take it out, and group the rest again.

It needs rows and a partition, and nothing of how the groups were found. A look says which rows are junk, by scores and
neighbours, each judged by fits that did not see it. The reject rows are then learned with that junk as further
examples: so they tell of other rows what neighbours told of these. What is out is what scores above the threshold for
these rows, so that a prediction for the same row says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...rows import CentredRows, Rows, cluster_sums, highest, unit_rows
from ...types import Array, Rng
from ..spherical import spherical_kmeans
from .constants import JUNK
from .mixture import Mixture
from .near_examples import NearExamples, near_examples
from .reject import Folds, Kinds, RejectProblem, off_topic_scores
from .threshold import Threshold, bounded, calibrate, carried, changed, choose, counting, expected_of
from .thrown_away import above_each, as_documents, flagged_among


class Groups(NamedTuple):
    """A partition: `labels` (n,) from 0 to k - 1."""

    labels: Array
    k: int


@dataclass(frozen=True)
class Found:
    """What a look for junk found: the reject rows with their `intercept`, the threshold, and which rows are `out` (n,).

    `junk` has the numbers of the rows that were examples to it.
    """

    coef: Array
    intercept: Array
    threshold: dict[str, Any]
    out: Array
    junk: Array | None


@dataclass(frozen=True)
class Apart:
    """The last look, and for each of them how many rows were out and how many of these changed their place."""

    found: Found
    rounds: list[dict[str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class JunkSearch:
    """What a look for junk works on, whatever the groups are.

    The rows that are `kept` (n,) never go out. The examples that a person has `thrown` (N,) away count as documents
    where a threshold is placed; None for none.
    """

    rows: Rows
    universum: Rows
    kept: Array
    rate: float = 0.05
    method: str = "mixture"
    center: bool = True
    gap: float = 1e-3
    side_by_side: bool = True
    thrown: Array | None = None

    def look(self, groups: Groups, inside: Array, rng: Rng) -> Found:
        """Find junk beside the groups of the rows that are `inside` (n,), and judge all rows by it.

        Which rows are junk, and how many, is said by rows and examples that are held out. The threshold of the reject
        rows that learn from them is placed on held-out scores again, of some folds where rows are many: of these as
        many are above it.
        """
        problem, mean = self._problem(groups, self._asked(inside))
        many = self.universum.shape[0] >= JUNK.many
        count, gap = (JUNK.folds_of_many, JUNK.fold_gap_of_many) if many else (JUNK.folds, JUNK.fold_gap)
        folds = problem.dealt(count, rng)
        scores, examples = problem.held_out(folds, gap)
        placed, mixture = self._calibrated(scores, examples, folds)
        doubtful, junk = self._judged(placed, scores, mixture)
        threshold = placed
        if len(doubtful):
            problem = self._parted(problem, doubtful, junk)
            again, _ = problem.held_out(folds, gap, -(-JUNK.placed_on * folds.count // len(scores)))
            part = ~np.isnan(again[self._on])
            counts = above_each(placed, scores[self._on], mixture, part)
            threshold = carried(placed, counts, again[self._on][part])
        found = self._found(problem, mean, threshold)
        if mixture is None:
            return found
        expected = expected_of(placed, mixture, int(found.out[self._on].sum() + self._thrown.sum()))
        return replace(found, threshold=changed(found.threshold, expected))

    def look_again(
        self, groups: Groups, inside: Array, threshold: dict[str, Any], junk: Array | None,
        before: tuple[Array, Array] | None = None, *, straight: bool = False,
    ) -> Found:  # fmt: skip
        """Learn the reject rows beside other groups, with the same rows as `junk`, numbers, by the same threshold.

        That spares the fits that would place it. Those `before`, weights and intercepts, are where it begins.
        """
        problem, mean = self._problem(groups, inside)
        if junk is not None and len(junk):
            by_kind = threshold["method"] == "mixture"
            problem = self._parted(problem, junk, junk if by_kind else junk[:0])
        return self._found(problem, mean, threshold, None if before is None else before[0], straight=straight)

    def checked(self, found: Found, k: int) -> Found:
        """Return what was found; nothing is out where examples are few, or fewer rows than `k` would be left."""
        if self.universum.shape[0] >= JUNK.fewest and np.count_nonzero(~found.out) >= k:
            return found
        nothing = changed(found.threshold, {"value": np.inf, "flagged": 0})
        return replace(found, threshold=nothing, out=np.zeros_like(found.out))

    def as_many(self, found: Found, k: int, count: int) -> Found:
        """Return what was found, beside k groups, with the threshold above which `count` rows lie."""
        own = off_topic_scores(self.rows, found.coef, k, found.intercept)
        value = counting(np.sort(own)[::-1], count)
        return replace(found, threshold=changed(found.threshold, {"value": value}), out=(own > value) & ~self.kept)

    def above(self, threshold: dict[str, Any], before: tuple[Array, Array] | None, k: int, inside: Array) -> Array:
        """Return the numbers of the rows that are junk by the reject rows `before`, or that are not `inside` (n,)."""
        out = ~inside
        if before is not None and np.isfinite(threshold["value"]):
            out = out | (off_topic_scores(self.rows, before[0], k, before[1]) > threshold["value"])
        return np.flatnonzero(out & ~self.kept)

    def _calibrated(self, scores: Array, examples: Array | None, folds: Folds) -> tuple[dict[str, Any], Mixture | None]:
        """Return the threshold by held-out scores, and the mixture of rows and examples, where these are enough."""
        own = scores[self._on]
        if examples is None:
            return choose(calibrate(own, None, self.rate), self.method), None
        beside = None if self._near is None else self._near.reach(folds)
        every, drawn, beside = as_documents(own, examples, beside, self._thrown)
        mixture = None if len(drawn) < JUNK.fewest else Mixture(every, drawn, beside)
        return flagged_among(choose(calibrate(every, mixture, self.rate), self.method), own, mixture), mixture

    def _judged(self, placed: dict[str, Any], scores: Array, mixture: Mixture | None) -> tuple[Array, Array]:
        """Return the numbers of the rows that may be junk by the threshold `placed`, and of those that surely are.

        They may be where they are out or, by the mixture, rather junk; they surely are where out and surely junk.
        """
        own = scores[self._on]
        junk = np.zeros(len(own))
        if placed["method"] == "mixture" and mixture is not None:
            own, junk = mixture.evidence[0][: len(own)], mixture.posterior[: len(own)]
        out = own > placed["value"]
        return self._numbers(out | (junk >= JUNK.rather)), self._numbers(out & (junk >= JUNK.surely))

    def _numbers(self, chosen: Array) -> Array:
        """Return the numbers of rows that are chosen among those judged, but for those kept."""
        rows = np.zeros(len(self.kept), dtype=bool)
        rows[self._on] = chosen
        return np.flatnonzero(rows & ~self.kept)

    def _parted(self, problem: RejectProblem, doubtful: Array, junk: Array) -> RejectProblem:
        """Return the problem without the rows `doubtful` among its targets, and with `junk` among the examples.

        Junk that is known by its neighbours is of many kinds.
        """
        rest = np.setdiff1d(problem.targets, doubtful)
        if len(rest) < 2:
            return problem
        if not len(junk):
            return replace(problem, among=rest)
        count = max(1, min(JUNK.kinds, self.universum.shape[0] // JUNK.of_a_kind))
        found = spherical_kmeans(unit_rows(self.universum), count, rng=np.random.default_rng(0))
        kinds = Kinds(found.labels, highest(self.rows, found.centres), count)
        return replace(problem, among=rest, junk=junk, kinds=kinds)

    def _found(
        self, problem: RejectProblem, mean: Array, threshold: dict[str, Any], start: Array | None = None, *,
        straight: bool = False,
    ) -> Found:  # fmt: skip
        """Learn the rows that judge."""
        usable = start is not None and len(start) == problem.count
        V = problem.solve(start=start if usable else None, straight=straight).W
        intercept = -V @ mean
        own = off_topic_scores(self.rows, V, problem.k, intercept)
        threshold = bounded(threshold, own)
        return Found(V, intercept, threshold, (own > threshold["value"]) & ~self.kept, problem.junk)

    def _problem(self, groups: Groups, inside: Array) -> tuple[RejectProblem, Array]:
        """Return the problem over the rows that are `inside` (n,), and the mean about which its rows are."""
        on = np.flatnonzero(inside)
        mean = self._mean(on) if self.center else np.zeros(self.rows.shape[1])
        energy = float(self.rows.squares()[on].mean() - mean @ mean)
        problem = RejectProblem(
            self._about(self.rows, mean), self._about(self.universum, mean), groups.labels, groups.k,
            max(energy, float(np.finfo(self.rows.dtype).tiny)), self.gap, self.side_by_side,
            None if inside.all() else on,
        )  # fmt: skip
        return problem, mean

    @cached_property
    def _near(self) -> NearExamples | None:
        """Which examples are near, where they are enough to tell."""
        return None if np.count_nonzero(~self._thrown) < JUNK.mixture_from else near_examples(self.rows, self.universum)

    @property
    def _thrown(self) -> Array:
        return np.zeros(self.universum.shape[0], dtype=bool) if self.thrown is None else self.thrown

    @property
    def _on(self) -> Any:
        """The rows that a threshold is placed by: all, or those whose neighbours are known."""
        return slice(None) if self._near is None else self._near.on

    def _asked(self, inside: Array) -> Array:
        """Return those rows `inside` (n,) that are judged: the others, unjudged, may be junk, and are no targets."""
        asked = np.zeros(len(inside), dtype=bool)
        asked[self._on] = inside[self._on]
        return asked if asked.any() else inside

    def _mean(self, on: Array) -> Array:
        return np.asarray(cluster_sums(self.rows, np.zeros(self.rows.shape[0], dtype=np.int32), 1, on)[0] / len(on))

    def _about(self, rows: Rows, mean: Array) -> Rows:
        return CentredRows(rows, mean) if self.center else rows


def set_aside(search: JunkSearch, groups: Groups, again: Callable[[Array, Array], Groups], rng: Rng) -> Apart:
    """Look for junk and group the rest again, if any of it goes out.

    `again(inside, labels)` groups the rows `inside` (m,), numbers, anew, from the groups that stand on them, `labels`
    (m,). The reject rows stay as they are: they judge beside the first groups, which they have learned themselves.
    Nothing goes out where fewer rows than groups would be left, or where there are fewer than ten examples.
    """
    inside = np.ones(search.rows.shape[0], dtype=bool)
    found = search.checked(search.look(groups, inside, rng), groups.k)
    if found.out.any():
        on = np.flatnonzero(~found.out)
        again(on, groups.labels[on])
    return Apart(found, _one_round(found, inside))


def judged(
    search: JunkSearch, groups: Groups, inside: Array, rng: Rng, threshold: dict[str, Any] | None,
    before: tuple[Array, Array] | None = None,
) -> Apart:  # fmt: skip
    """Judge beside groups that stay as they are; `inside` (n,) are the rows that were in groups before.

    With fewer than ten examples nothing goes out, and no fit is spent on a threshold.
    """
    few = search.universum.shape[0] < JUNK.fewest
    if few:
        threshold = choose([Threshold("conformal", search.rate, np.inf, 0)], search.method)
    if threshold is None:
        found = search.look(groups, inside, rng)
    else:
        junk = search.above(threshold, before, groups.k, inside)
        found = search.look_again(groups, inside, threshold, junk, before, straight=few)
        if before is None and np.isfinite(threshold["value"]):  # scores are not what they were
            found = search.as_many(found, groups.k, int(np.count_nonzero(~inside)))
    found = search.checked(found, groups.k)
    return Apart(found, _one_round(found, inside))


def _one_round(found: Found, inside: Array) -> list[dict[str, int]]:
    return [{"round": 1, "out": int(found.out.sum()), "moved": int(np.count_nonzero(found.out == inside))}]
