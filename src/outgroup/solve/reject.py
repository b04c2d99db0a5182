"""The reject row: one more row of W, for "none of these", learned from the Universum once the groups are known.

With u_i the group of a target row, V (k+1, d), T = X V^T and T* = U V^T, the convex problem is

    minimise  1/2 ||V||^2 + C_t/(n (k+1)) sum_i sum_{r != u_i} max(0, 1 - (T[i,u_i] - T[i,r]))
                          + C_u/(N (k+1)) sum_j sum_{p <= k}   max(0, 1 - (T*[j,k+1] - T*[j,p]))

and the off-topic score of a row is T[k+1] - max_{p <= k} T[p]: how far "none of these" is ahead of the best group. It
uses view 1's cuts and nothing else. The groups stay as they are, so looking for junk cannot spoil them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..rows import Rows
from ..rows.arrays import argmax, at, like, masked, namespace
from ..rows.threads import one_blas_thread, ordered_map
from ..types import Array
from .cutting_plane import STEP, Solution, minimise
from .master import Master
from .risks import MarginRisk, RejectRisk, Risk

_OWN_PULL = 3.75  # C_u / N times a row's squared length: how far an example alone may push its own margin
_BALANCE = 3.0  # the targets hide some junk, so that all of them together weigh a third of the Universum


@dataclass(frozen=True)
class RejectProblem:
    """Targets with their groups, the Universum, and the weight that the number of examples gives it.

    C_u = 3.75 N / energy and C_t = C_u / 3, `energy` being the mean squared length of a target row: the pull of one
    example on its own margin is then the same however many there are, so that few examples are strongly regularised
    and thousands hardly (docs/decisions/0007). `side_by_side` solves for several folds at once,
    each with cuts of its own. The targets are all rows, or those numbered in `among`; the others have no group.
    `alike`, if any, says which rows (n,) are rather junk by the examples (N,) bool that take part in a fit. They are no
    targets of a held-out fit: an example that is held out has not chosen what it is judged by.
    """

    rows: Rows
    universum: Rows
    labels: Array
    k: int
    energy: float
    gap: float = 1e-3
    side_by_side: bool = True
    among: Array | None = None
    alike: Callable[[Array], Array] | None = None

    def solve(
        self, on: Array | None = None, universum_on: Array | None = None, gap: float = 0.0, start: Array | None = None,
        *, straight: bool = False,
    ) -> Solution:  # fmt: skip
        """Solve on all targets or those numbered, to the problem's gap or a wider one, from `start` (k + 1, d).

        To go `straight` to the lowest point over all cuts takes two or three of them where examples are few: so weak a
        pull closes hardly a hinge.
        """
        on = self.among if on is None else on
        weight = _OWN_PULL * self.universum.shape[0] / self.energy
        risks: list[Risk] = [
            MarginRisk(self.rows, weight / _BALANCE, on),
            RejectRisk(self.universum, weight, universum_on),
        ]
        shape = (self.k + 1, self.rows.shape[1])
        master = Master([risk.weight for risk in risks], shape)
        begun, step = np.zeros(shape) if start is None else start, 1.0 if straight else STEP
        return minimise(risks, self.labels, begun, master, tol=max(gap, self.gap), step=step)

    @one_blas_thread()
    def held_out(self, folds: int, rng: np.random.Generator, gap: float) -> tuple[Array, Array | None]:
        """Return the scores of all rows (n,) and of the Universum (N,), each from a fit without it.

        A fit leaves out a fold of both, and scores both: hidden junk and examples are then held out of the same fits,
        so that their scores can be compared. Each fit begins at zero: from another's solution a wide gap would keep
        what that one saw. With fewer examples than `folds` none can be spared: each fit has all of them, and the second
        is None. A single target scores infinity.
        """
        targets, n, N = self.targets, self.rows.shape[0], self.universum.shape[0]
        if len(targets) < 2:
            return np.full(n, np.inf), None
        count = min(folds, len(targets))
        own, others = _dealt(n, targets, count, rng), np.full(N, -1)
        if folds <= N:
            others = rng.permutation(np.arange(N) % count)
        tasks = [partial(self._without, own, others, number, gap) for number in range(count)]
        scores = ordered_map(_run, tasks) if self.side_by_side else map(_run, tasks)
        held_out, examples = np.empty(n), np.empty(N)
        for number, (of_rows, of_examples) in enumerate(scores):
            held_out[own == number], examples[others == number] = of_rows, of_examples
        return held_out, examples if folds <= N else None

    @property
    def targets(self) -> Array:
        """The numbers of the rows that are targets."""
        return np.arange(self.rows.shape[0]) if self.among is None else self.among

    def _without(self, own: Array, others: Array, number: int, gap: float) -> tuple[Array, Array]:
        """Return the scores of a fold's rows and examples from a fit without them."""
        seen = self._seen(own != number, others != number)
        V = self.solve(seen, np.flatnonzero(others != number), gap).W
        out, examples = np.flatnonzero(own == number), np.flatnonzero(others == number)
        scores = off_topic_scores(self.rows, V, on=out)
        return scores, off_topic_scores(self.universum, V, on=examples) if len(examples) else scores[:0]

    def _seen(self, own: Array, others: Array) -> Array:
        """Return the targets of a fit that sees some rows (n,) bool and examples (N,) bool."""
        targets = self.targets
        seen = targets[own[targets]]
        clean = seen if self.alike is None else seen[~self.alike(others)[seen]]
        return clean if len(clean) else seen


def _run(task: Callable[[], tuple[Array, Array]]) -> tuple[Array, Array]:
    return task()


def _dealt(n: int, targets: Array, count: int, rng: np.random.Generator) -> Array:
    """Return the fold of each of n rows, (n,): the targets in equal parts, and so the others."""
    folds = np.full(n, -1)
    folds[targets] = rng.permutation(np.arange(len(targets)) % count)
    rest = np.flatnonzero(folds < 0)
    folds[rest] = rng.permutation(np.arange(len(rest)) % count)
    return folds


def minus_margins(rows: Rows, W: Array, shift: Array | None = None) -> Array:
    """Return minus how far each row's highest score `X W^T + shift` is ahead of its second, shape (n,).

    Zeros for a single direction.
    """
    return np.asarray(rows.map(W, MinusMargin(shift)))


def off_topic_scores(rows: Rows, V: Array, shift: Array | None = None, on: Array | None = None) -> Array:
    """Return how far the last row of `V` (k+1, d) is ahead of the best of the others, shape (n,).

    `shift` (k+1,), if given, is added to the scores first: the intercept of uncentred rows.
    """
    return np.asarray(rows.map(V, OffTopic(shift), on=on))


@dataclass(frozen=True)
class MinusMargin:
    """Map each row to its second score less its highest, (n,); `shift` is added first."""

    shift: Array | None = None

    def __call__(self, scores: Array) -> Array:
        scores = scores if self.shift is None else scores + like(self.shift, scores)
        if scores.shape[1] < 2:
            return 0 * scores[:, 0]
        best = argmax(scores)
        return namespace(scores).max(masked(scores, best), axis=1) - at(scores, best)


@dataclass(frozen=True)
class Verdict:
    """Map each row to the best of its first `k` scores and to how off-topic it is, by the others or else by its margin.

    So that a verdict is one pass: the directions of the groups and of the reject row lie one above the other.
    """

    k: int
    shift: Array
    by_margin: bool

    def __call__(self, scores: Array) -> tuple[Array, Array]:
        scores = scores + like(self.shift, scores)
        own = scores[:, : self.k]
        return argmax(own), MinusMargin()(own) if self.by_margin else OffTopic()(scores[:, self.k :])


@dataclass(frozen=True)
class OffTopic:
    """Map each row to how far its last score is ahead of the best of the others, (n,); `shift` is added first."""

    shift: Array | None = None

    def __call__(self, scores: Array) -> Array:
        scores = scores if self.shift is None else scores + like(self.shift, scores)
        return scores[:, -1] - namespace(scores).max(scores[:, :-1], axis=1)
