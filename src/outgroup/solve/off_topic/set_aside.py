"""Junk set aside beside any clusterer: look for it, take it out, group the rest again, until nothing moves.

It needs rows and a partition, and nothing of how the groups were found. The first look says which rows are junk, by
scores and neighbours, each judged by fits that did not see it. The reject rows are then learned with that junk as
further examples: so they tell of other rows what neighbours told of these. Later looks learn them anew beside the
groups of the rest. What is out is always what scores above the threshold for the last reject rows, so that a prediction
for the same row says the same.
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
from .mixture import Mixture
from .near_examples import NearExamples, near_examples
from .reject import Folds, Kinds, RejectProblem, off_topic_scores
from .threshold import MIXTURE_FROM, Threshold, bounded, calibrate, carried, changed, choose, expected_of
from .thrown_away import as_documents, flagged_among

ROUNDS = 3
FEWEST = 10  # examples: fewer tell of some junk at most, and not how much would go with it
_FOLDS = 8
_KINDS = 10  # of junk, at most: a row of W for each
_A_KIND = 20  # examples at least, in the mean
_SETTLED = 0.002  # of the rows: fewer that would change their place are not worth another fit
_HELD_OUT_GAP = 1e-2  # the folds only place a threshold
_RATHER, _SURELY = 0.5, 0.8  # probabilities of being junk: from which a row is no target, and an example of it


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
        rows that learn from them is placed on held-out scores again: as many are above it.
        """
        problem, mean = self._problem(groups, self._asked(inside))
        folds = problem.dealt(_FOLDS, rng)
        scores, examples = problem.held_out(folds, _HELD_OUT_GAP)
        placed, mixture = self._calibrated(scores, examples, folds)
        doubtful, junk = self._judged(placed, scores, mixture)
        threshold = placed
        if len(doubtful):
            problem = self._parted(problem, doubtful, junk)
            scores, _ = problem.held_out(folds, _HELD_OUT_GAP)
            threshold = carried(placed, scores[self._on])
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

    def as_many(self, found: Found, k: int, count: int) -> Found:
        """Return what was found, beside k groups, with the threshold above which `count` rows lie."""
        own = off_topic_scores(self.rows, found.coef, k, found.intercept)
        value = carried(found.threshold | {"flagged": count}, own)["value"]
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
        mixture = None if len(drawn) < FEWEST else Mixture(every, drawn, beside)
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
        return self._numbers(out | (junk >= _RATHER)), self._numbers(out & (junk >= _SURELY))

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
        count = max(1, min(_KINDS, self.universum.shape[0] // _A_KIND))
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
        return None if np.count_nonzero(~self._thrown) < MIXTURE_FROM else near_examples(self.rows, self.universum)

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


def set_aside(
    search: JunkSearch, groups: Groups, again: Callable[[Array, Array], Groups], rng: Rng, rounds: int = ROUNDS
) -> Apart:
    """Look for junk and group the rest again, until about the same rows are out or the rounds are over.

    `again(inside, labels)` groups the rows `inside` (m,), numbers, anew, from the groups that stand on them, `labels`
    (m,), -1 for a row that was out; it returns theirs. Nothing goes out where fewer rows than groups would be left, or
    where there are fewer than ten examples.
    """
    n = search.rows.shape[0]
    inside, rounds_made = np.ones(n, dtype=bool), list[dict[str, int]]()
    kept = found = first = search.look(groups, inside, rng)
    for number in range(1, rounds + 1):
        if search.universum.shape[0] < FEWEST or np.count_nonzero(~found.out) < groups.k:
            found = _nothing(found)
        moved = int(np.count_nonzero(found.out == inside))
        if number > 1 and moved <= _SETTLED * n:
            break
        kept = found
        rounds_made.append({"round": number, "out": int(found.out.sum()), "moved": moved})
        if moved == 0:
            break
        before, inside = np.where(inside, groups.labels, -1), ~found.out
        on = np.flatnonzero(inside)
        labels, k = again(on, before[on])
        groups = Groups(np.full(n, -1, dtype=np.int32), k)
        groups.labels[on] = labels
        if number < rounds:
            found = _no_more(search.look_again(groups, inside, first.threshold, first.junk), first, search, k)
    return Apart(kept, rounds_made)


def _no_more(found: Found, first: Found, search: JunkSearch, k: int) -> Found:
    """Return what a later look found, with at most as many rows out as in the first, for which the promise was made.

    Without the rows that are out, those beside them score higher, whatever they are: look by look more would go.
    """
    most = int(first.out.sum())
    return found if found.out.sum() <= most else search.as_many(found, k, most)


def judged(
    search: JunkSearch, groups: Groups, inside: Array, rng: Rng, threshold: dict[str, Any] | None,
    before: tuple[Array, Array] | None = None,
) -> Apart:  # fmt: skip
    """Judge once, beside groups that stay as they are; `inside` (n,) are the rows that were in groups before.

    With fewer than ten examples nothing goes out, and no fit is spent on a threshold.
    """
    if search.universum.shape[0] < FEWEST:
        nothing = Threshold("conformal", search.rate, np.inf, 0, None, None, None)
        threshold = choose([nothing], search.method)
    if threshold is None:
        found = search.look(groups, inside, rng)
    else:
        few, junk = search.universum.shape[0] < FEWEST, search.above(threshold, before, groups.k, inside)
        found = search.look_again(groups, inside, threshold, junk, before, straight=few)
        if before is None and np.isfinite(threshold["value"]):  # scores are not what they were
            found = search.as_many(found, groups.k, int(np.count_nonzero(~inside)))
    if search.universum.shape[0] < FEWEST or np.count_nonzero(~found.out) < groups.k:
        found = _nothing(found)
    return Apart(
        found, [{"round": 1, "out": int(found.out.sum()), "moved": int(np.count_nonzero(found.out == inside))}]
    )


def _nothing(found: Found) -> Found:
    """Return what was found with a verdict that nothing is junk."""
    nothing = changed(found.threshold, {"value": np.inf, "flagged": 0})
    return replace(found, threshold=nothing, out=np.zeros_like(found.out))
