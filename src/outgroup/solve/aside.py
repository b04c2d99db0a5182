"""Junk set aside beside any clusterer: look for it, take it out, group the rest again, until nothing moves.

It needs rows and a partition, and nothing of how the groups were found. Every round learns the reject row on the rows
that are in groups alone: junk that is out no longer pulls the groups' rows of it towards itself, so that the next look
is sharper. How many rows go out is decided by the first look, and later ones say which: they judge by groups from which
the examples have chosen what left, so that examples no longer score as hidden junk does. What is out is always what
scores above the last threshold, for the last reject row: so a prediction for the same row says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..rows import CentredRows, Rows, cluster_sums
from ..types import Array, Rng
from .mixture import Mixture
from .near_examples import NearExamples, near_examples
from .reject import RejectProblem, off_topic_scores
from .threshold import MIXTURE_FROM, Threshold, calibrate, carried, choose

ROUNDS = 3
FEWEST = 10  # examples: fewer tell of some junk at most, and not how much would go with it
_FOLDS = 8
_SETTLED = 0.002  # of the rows: fewer that would change their place are not worth another fit
_HELD_OUT_GAP = 1e-2  # the folds only place a threshold
_RATHER = 0.5  # probability of being junk from which a row is no target


class Groups(NamedTuple):
    """A partition: `labels` (n,) from 0 to k - 1."""

    labels: Array
    k: int


@dataclass(frozen=True)
class Found:
    """What a look for junk found: the reject row with its `intercept`, the threshold, and which rows are `out` (n,)."""

    coef: Array
    intercept: Array
    threshold: dict[str, Any]
    out: Array


@dataclass(frozen=True)
class Apart:
    """The last look, and for each of them how many rows were out and how many of these changed their place."""

    found: Found
    rounds: list[dict[str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Search:
    """What a look for junk works on, whatever the groups are.

    The rows that are `kept` (n,) never go out, whatever their score.
    """

    rows: Rows
    universum: Rows
    kept: Array
    rate: float = 0.05
    method: str = "mixture"
    center: bool = True
    gap: float = 1e-3
    side_by_side: bool = True

    def look(self, groups: Groups, inside: Array, rng: Rng, first: Found | None = None) -> Found:
        """Learn the reject row beside the groups of the rows that are `inside` (n,), and judge all rows by it.

        The threshold is placed by rows and examples that are held out; after a `first` look, so that it takes out as
        many rows as that one did. Rows that look like junk when held out are no targets of the row that judges: they
        would score lower than new documents like them. It never takes out more rows than score so when held out.
        """
        problem, mean = self._problem(groups, inside, self._alike)
        scores, examples = problem.held_out(_FOLDS, rng, _HELD_OUT_GAP)
        on = self._judged_by
        beside = None if self._near is None else self._near.shares()
        if first is None:
            threshold = choose(calibrate(scores[on], examples, self.rate, beside), self.method)
        else:
            threshold = carried(first.threshold, scores[on])
        junk = scores > threshold["value"]
        if beside is not None and examples is not None:
            junk[on] = Mixture(scores[on], examples, beside).posterior >= _RATHER
        found = self._found(problem, mean, threshold, inside & ~junk)
        own = off_topic_scores(self.rows, found.coef, found.intercept)
        most = carried(threshold | {"flagged": round(threshold["flagged"] * len(own) / len(scores[on]))}, own)
        if most["value"] <= threshold["value"]:
            return found
        value = most["value"]
        return replace(found, threshold=_with_value(threshold, value), out=(own > value) & ~self.kept)

    def look_again(
        self, groups: Groups, inside: Array, threshold: dict[str, Any], before: tuple[Array, Array] | None
    ) -> Found:
        """Learn the reject row as `look` does, by a `threshold` of much the same groups and examples.

        That spares the fits that would place it, and the reject row `before`, its weights and intercepts, spares the
        one that says which rows look like junk. Without one, since there are more groups, or fewer, or other words,
        scores are not what they were: as many rows are out as are not `inside`.
        """
        problem, mean = self._problem(groups, inside, None)
        if before is not None and np.isfinite(threshold["value"]):
            trusted = inside & (off_topic_scores(self.rows, *before) <= threshold["value"])
        else:
            trusted = inside
        start, few = None if before is None else before[0], self.universum.shape[0] < FEWEST
        found = self._found(problem, mean, threshold, trusted, start, straight=few)
        return found if before is not None or np.isinf(threshold["value"]) else self._as_many(found, inside)

    def _as_many(self, found: Found, inside: Array) -> Found:
        """Return what was found with the threshold above which as many rows lie as are not `inside` (n,)."""
        own = off_topic_scores(self.rows, found.coef, found.intercept)
        count = int(np.count_nonzero(~inside))
        value = carried(found.threshold | {"flagged": count}, own)["value"]
        return replace(found, threshold=_with_value(found.threshold, value), out=(own > value) & ~self.kept)

    def _found(
        self, problem: RejectProblem, mean: Array, threshold: dict[str, Any], trusted: Array,
        start: Array | None = None, *, straight: bool = False,
    ) -> Found:  # fmt: skip
        """Learn the row that judges from the rows that are `trusted` (n,), and those that are labelled."""
        inside = np.zeros(len(trusted), dtype=bool)
        inside[problem.targets] = True
        targets = np.flatnonzero(trusted | (inside & self.kept))
        V = problem.solve(targets if len(targets) else None, start=start, straight=straight).W
        intercept = -V @ mean
        out = (off_topic_scores(self.rows, V, intercept) > threshold["value"]) & ~self.kept
        return Found(V, intercept, threshold, out)

    def _problem(
        self, groups: Groups, inside: Array, alike: Callable[[Array], Array] | None
    ) -> tuple[RejectProblem, Array]:
        """Return the problem over the rows that are `inside` (n,), and the mean about which its rows are."""
        on = np.flatnonzero(inside)
        mean = self._mean(on) if self.center else np.zeros(self.rows.shape[1])
        energy = float(self.rows.squares()[on].mean() - mean @ mean)
        problem = RejectProblem(
            self._about(self.rows, mean), self._about(self.universum, mean), groups.labels, groups.k,
            max(energy, float(np.finfo(self.rows.dtype).tiny)), self.gap, self.side_by_side,
            None if inside.all() else on, alike,
        )  # fmt: skip
        return problem, mean

    @cached_property
    def _near(self) -> NearExamples | None:
        """Which examples are near, where they are enough to tell."""
        return near_examples(self.rows, self.universum) if self.universum.shape[0] >= MIXTURE_FROM else None

    @property
    def _alike(self) -> Callable[[Array], Array] | None:
        near = self._near
        return None if near is None else lambda present: near.alike(present) & ~self.kept

    @property
    def _judged_by(self) -> Any:
        """The rows that a threshold is placed by: all, or those whose neighbours are known."""
        return slice(None) if self._near is None else self._near.on

    def _mean(self, on: Array) -> Array:
        return np.asarray(cluster_sums(self.rows, np.zeros(self.rows.shape[0], dtype=np.int32), 1, on)[0] / len(on))

    def _about(self, rows: Rows, mean: Array) -> Rows:
        return CentredRows(rows, mean) if self.center else rows


def set_aside(
    search: Search, groups: Groups, again: Callable[[Array, Array], Groups], rng: Rng, rounds: int = ROUNDS
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
            found = search.look(groups, inside, rng, first)
    return Apart(kept, rounds_made)


def judged(
    search: Search, groups: Groups, inside: Array, rng: Rng, threshold: dict[str, Any] | None,
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
        found = search.look_again(groups, inside, threshold, before)
    if search.universum.shape[0] < FEWEST or np.count_nonzero(~found.out) < groups.k:
        found = _nothing(found)
    return Apart(
        found, [{"round": 1, "out": int(found.out.sum()), "moved": int(np.count_nonzero(found.out == inside))}]
    )


def _with_value(threshold: dict[str, Any], value: float) -> dict[str, Any]:
    """Return the threshold at another value, and its own among the choices."""
    own = [each | {"value": value} if each["method"] == threshold["method"] else each for each in threshold["choices"]]
    return threshold | {"value": value, "choices": own}


def _nothing(found: Found) -> Found:
    """Return what was found with a verdict that nothing is junk."""
    nothing = found.threshold | {"value": np.inf, "flagged": 0}
    return Found(found.coef, found.intercept, nothing, np.zeros_like(found.out))
