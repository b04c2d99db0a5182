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
from typing import NamedTuple

import numpy as np

from ..rows import Rows
from ..rows.arrays import argmax, at, like, masked, namespace
from ..rows.threads import one_blas_thread, ordered_map
from ..types import Array
from .cutting_plane import Solution, minimise
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
    """

    rows: Rows
    universum: Rows
    labels: Array
    k: int
    energy: float
    gap: float = 1e-3
    side_by_side: bool = True
    among: Array | None = None

    def solve(self, on: Array | None = None, universum_on: Array | None = None, gap: float = 0.0) -> Solution:
        """Solve on all targets or those numbered, to the problem's gap or a wider one."""
        on = self.among if on is None else on
        weight = _OWN_PULL * self.universum.shape[0] / self.energy
        risks: list[Risk] = [
            MarginRisk(self.rows, weight / _BALANCE, on),
            RejectRisk(self.universum, weight, universum_on),
        ]
        shape = (self.k + 1, self.rows.shape[1])
        master = Master([risk.weight for risk in risks], shape)
        return minimise(risks, self.labels, np.zeros(shape), master, tol=max(gap, self.gap))

    @one_blas_thread()
    def learn(self, folds: int, rng: np.random.Generator, gap: float) -> tuple[Array, Array, Array | None]:
        """Return V (k+1, d), and the scores of targets (n,) and Universum (N,), each from a fit without the row.

        Targets are held out beside the whole Universum and the Universum beside all targets: a fit with fewer of both
        would score everything lower than the one that new documents meet. Each fit begins at zero: from the whole fit's
        solution a wide gap would keep what that one saw. With fewer examples than `folds` none can be
        spared, and the second is None; a single target scores infinity. A row that is no target was held out of all.
        """
        targets, N = np.arange(self.rows.shape[0]) if self.among is None else self.among, self.universum.shape[0]
        if len(targets) < 2:
            return self.solve().W, np.full(self.rows.shape[0], np.inf), None
        own = _folds(targets, min(folds, len(targets)), rng)
        others = _folds(np.arange(N), folds, rng) if folds <= N else []
        tasks: list[Callable[[], Array]] = [lambda: self.solve().W]
        tasks += [partial(self._without, self.rows, fold, gap) for fold in own]
        tasks += [partial(self._without, self.universum, fold, gap) for fold in others]
        V, *scores = ordered_map(_run, tasks) if self.side_by_side else map(_run, tasks)
        held_out = _together(own, scores)
        if self.among is not None:
            everything = off_topic_scores(self.rows, V)
            everything[targets] = held_out
            held_out = everything
        return V, held_out, _together(others, scores[len(own) :]) if others else None

    def _without(self, rows: Rows, fold: _Fold, gap: float) -> Array:
        on, universum_on = (fold.seen, None) if rows is self.rows else (None, fold.seen)
        return off_topic_scores(rows, self.solve(on, universum_on, gap).W, on=fold.out)


def _run(task: Callable[[], Array]) -> Array:
    return task()


class _Fold(NamedTuple):
    """Numbers of the rows that a fit sees, and of those that it does not."""

    seen: Array
    out: Array


def _folds(numbers: Array, count: int, rng: np.random.Generator) -> list[_Fold]:
    fold = rng.permutation(np.arange(len(numbers)) % count)
    return [_Fold(numbers[fold != number], numbers[fold == number]) for number in range(count)]


def _together(folds: list[_Fold], scores: list[Array]) -> Array:
    """Return each row's score from the fold that held it out, in the order of the rows' numbers."""
    order = np.argsort(np.concatenate([fold.out for fold in folds]))
    return np.concatenate(scores[: len(folds)])[order]


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
