"""Junk set aside beside any clusterer: look for it, take it out, group the rest again, until nothing moves.

It needs rows and a partition, and nothing of how the groups were found. Every round learns the reject row on the rows
that are in groups alone: junk that is out no longer pulls the groups' rows of it towards itself, so that the next look
is sharper. What is out is always what scores above the last threshold, for the last reject row: so a prediction for the
same row says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..rows import CentredRows, Rows, cluster_sums
from ..types import Array, Rng
from .reject import RejectProblem, off_topic_scores
from .threshold import Threshold, calibrate, choose

ROUNDS = 3
FEWEST = 10  # examples: fewer tell of some junk at most, and not how much would go with it
_FOLDS = 8
_SETTLED = 0.002  # of the rows: fewer that would change their place are not worth another fit
_HELD_OUT_GAP = 1e-2  # the folds only place a threshold


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

    def look(
        self, groups: Groups, inside: Array, rng: Rng, threshold: dict[str, Any] | None = None,
        before: tuple[Array, Array] | None = None,
    ) -> Found:  # fmt: skip
        """Learn the reject row beside the groups of the rows that are `inside` (n,), and judge all rows by it.

        A `threshold` of much the same groups and examples spares the fits that would place it, and the reject row
        `before`, its weights and intercepts, the one that says which rows look like junk. Rows that look like junk
        when held out are no targets of the row that judges: they would score lower than new documents like them.
        """
        on = np.flatnonzero(inside)
        mean = self._mean(on) if self.center else np.zeros(self.rows.shape[1])
        energy = float(self.rows.squares()[on].mean() - mean @ mean)
        problem = RejectProblem(
            self._about(self.rows, mean), self._about(self.universum, mean), groups.labels, groups.k,
            max(energy, float(np.finfo(self.rows.dtype).tiny)), self.gap, self.side_by_side,
            None if inside.all() else on,
        )  # fmt: skip
        if threshold is None:
            scores, examples = problem.held_out(_FOLDS, rng, _HELD_OUT_GAP)
            threshold = choose(calibrate(scores, examples, self.rate), self.method)
        elif np.isinf(threshold["value"]):
            scores = np.full(len(inside), -np.inf)  # nothing is junk
        elif before is not None:
            scores = off_topic_scores(self.rows, *before)
        else:
            scores = off_topic_scores(problem.rows, problem.solve(gap=_HELD_OUT_GAP).W)
        trusted = np.flatnonzero(inside & ((scores <= threshold["value"]) | self.kept))
        V = problem.solve(trusted if len(trusted) else None, start=None if before is None else before[0]).W
        intercept = -V @ mean
        out = (off_topic_scores(self.rows, V, intercept) > threshold["value"]) & ~self.kept
        return Found(V, intercept, threshold, out)

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
    kept = found = search.look(groups, inside, rng)
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
            found = search.look(groups, inside, rng)
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
    found = search.look(groups, inside, rng, threshold, before)
    if search.universum.shape[0] < FEWEST or np.count_nonzero(~found.out) < groups.k:
        found = _nothing(found)
    return Apart(
        found, [{"round": 1, "out": int(found.out.sum()), "moved": int(np.count_nonzero(found.out == inside))}]
    )


def _nothing(found: Found) -> Found:
    """Return what was found with a verdict that nothing is junk."""
    nothing = found.threshold | {"value": np.inf, "flagged": 0}
    return Found(found.coef, found.intercept, nothing, np.zeros_like(found.out))
