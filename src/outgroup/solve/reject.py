"""Reject rows: j further rows of W for off-topic documents, fitted to the Universum while the groups are fixed.

There is one for each kind of off-topic documents; a single one for few examples. With u_i the group of a target
row, c_j the kind of an example, V (k+j, d), T = X V^T and T* = U V^T, the convex problem is

    minimise  1/2 ||V||^2 + C_t/(n (k+j)) sum_i sum_{r != u_i}     max(0, 1 - (T[i,u_i] - T[i,r]))
                          + C_u/(N (k+j)) sum_j sum_{r <= k}       max(0, 1 - (T*[j,k+c_j] - T*[j,r]))

and the off-topic score of a row is max_{r > k} T[r] - max_{p <= k} T[p]: how far "none of these" is ahead of the best
group. Rows of the collection that are surely junk may be examples, too. It uses view 1's cuts and nothing else. The
groups stay fixed, so the search for junk does not change them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from operator import call

import numpy as np

from ..rows import Rows, part_of
from ..rows.arrays import argmax, at, masked, namespace
from ..rows.base import Shifted
from ..rows.threads import one_blas_thread, ordered_map
from ..types import Array
from .cutting_plane import Solution, minimise
from .master import Master
from .risks import MarginRisk, RejectRisk, Risk
from .threshold import JUNK


@dataclass(frozen=True)
class Parts:
    """Numbers of parts for rows (n,) and examples (N,), of `count` parts: folds, or kinds of off-topic documents."""

    rows: Array
    examples: Array
    count: int


@dataclass(frozen=True)
class RejectProblem:
    """Target rows with groups, the Universum, and its weight by the number of examples.

    C_u = 3.75 N / energy and C_t = C_u / 3, `energy` being the mean squared length of a target row: the pull of one
    example on its own margin then does not depend on their number, so few examples are strongly regularised and
    thousands hardly (docs/decisions/0007). `side_by_side` solves for several folds in parallel, each with its own cuts.
    The targets are all rows, or those with the numbers `among`; the others have no group. The rows with the numbers
    `junk` are further examples, not targets. Without `kinds` all junk is of one kind.
    """

    rows: Rows
    universum: Rows
    labels: Array
    k: int
    energy: float
    gap: float = 1e-3
    side_by_side: bool = True
    among: Array | None = None
    junk: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    kinds: Parts | None = None

    def solve(
        self,
        on: Array | None = None,
        universum_on: Array | None = None,
        gap: float = 0.0,
        start: Array | None = None,
        *,
        junk_on: Array | None = None,
    ) -> Solution:
        """Solve for all targets, examples and junk rows, or for the given ones; `gap` may be wider than the problem's.

        It starts at `start` (k + j, d), or at zero.
        """
        shape = (self.count, self.rows.shape[1])
        on = self.targets if on is None else on
        risks = self._risks(on, universum_on, self.junk if junk_on is None else junk_on)
        master = Master([risk.weight for risk in risks], shape)
        start = np.zeros(shape) if start is None else start
        return minimise(risks, self.labels[on], start, master, max(gap, self.gap))

    def split(self, folds: int, rng: np.random.Generator) -> Parts:
        """Assign rows and examples to folds; if there are fewer examples than `folds`, they all get -1."""
        targets, N = self.targets, self.universum.shape[0]
        count = max(1, min(folds, len(targets)))
        fold_of_row, fold_of_example = _stratified(self.rows.shape[0], targets, count, rng), np.full(N, -1)
        if folds <= N:
            fold_of_example = rng.permutation(np.arange(N) % count)
        return Parts(fold_of_row, fold_of_example, count)

    @one_blas_thread()
    def held_out(self, folds: Parts, gap: float, most: int | None = None) -> tuple[Array, Array | None]:
        """Return the scores of all rows (n,) and of the Universum (N,), each from a fit without it.

        A fit leaves out a fold of both, and scores both, so that the scores of hidden junk and examples are comparable.
        It uses at most 4,096 targets, with the weight of all. Each fit begins at zero, since the solution of another
        fold has seen the held-out rows. Without examples in folds each fit uses all of them, and the second result is
        None. A single target scores infinity. With `most` only that many folds are scored, by fits on all targets; the
        other scores are nan.
        """
        n, N = self.rows.shape[0], self.universum.shape[0]
        if len(self.targets) < 2:
            return np.full(n, np.inf), None
        learn = self.targets
        if most is None and len(learn) > JUNK.fold_rows:
            learn = np.sort(np.random.default_rng(0).choice(learn, JUNK.fold_rows, replace=False))
        count = folds.count if most is None else min(most, folds.count)
        tasks = [partial(self._without, learn, folds, number, gap) for number in range(count)]
        scores = ordered_map(call, tasks) if self.side_by_side else map(call, tasks)
        held_out, examples = np.full(n, np.nan), np.full(N, np.nan)
        for number, (of_rows, of_examples) in enumerate(scores):
            held_out[folds.rows == number], examples[folds.examples == number] = of_rows, of_examples
        return held_out, None if (folds.examples < 0).any() else examples

    @property
    def count(self) -> int:
        """The number of rows of V, k + j."""
        return self.k + self._kinds.count

    @property
    def targets(self) -> Array:
        """The indices of the target rows."""
        return np.arange(self.rows.shape[0]) if self.among is None else self.among

    @property
    def _kinds(self) -> Parts:
        if self.kinds is not None:
            return self.kinds
        of_rows, of_examples = (np.zeros(rows.shape[0], dtype=np.intp) for rows in (self.rows, self.universum))
        return Parts(of_rows, of_examples, 1)

    def _risks(self, on: Array, universum_on: Array | None, junk_on: Array) -> list[Risk]:
        """Return the risks of the given rows, with the weights of the whole problem.

        The rows are copied, since a pass over a part of a matrix takes as long as one over all.
        """
        pull, N, kinds = JUNK.own_pull / self.energy, self.universum.shape[0], self._kinds
        examples = np.arange(N) if universum_on is None else universum_on
        universum, row_of = part_of(self.universum, examples), self.k + kinds.examples[examples]
        risks: list[Risk] = [
            MarginRisk(part_of(self.rows, on), pull * (N + len(self.junk)) / JUNK.balance),
            RejectRisk(universum, pull * N, row_of=row_of, k=self.k),
        ]
        if len(junk_on):
            junk = part_of(self.rows, junk_on)
            risks.append(RejectRisk(junk, pull * len(self.junk), row_of=self.k + kinds.rows[junk_on], k=self.k))
        return risks

    def _without(self, learn: Array, folds: Parts, number: int, gap: float) -> tuple[Array, Array]:
        """Return the scores of a fold's rows and examples, from a fit on the targets `learn` outside the fold."""
        targets, junk = (index[folds.rows[index] != number] for index in (learn, self.junk))
        V = self.solve(targets, np.flatnonzero(folds.examples != number), gap, junk_on=junk).W
        out, examples = np.flatnonzero(folds.rows == number), np.flatnonzero(folds.examples == number)
        scores = off_topic_scores(self.rows, V, self.k, on=out)
        return scores, off_topic_scores(self.universum, V, self.k, on=examples) if len(examples) else scores[:0]


def _stratified(n: int, targets: Array, count: int, rng: np.random.Generator) -> Array:
    """Return the folds of n rows, (n,), stratified by whether they are targets."""
    folds = np.full(n, -1)
    folds[targets] = rng.permutation(np.arange(len(targets)) % count)
    rest = np.flatnonzero(folds < 0)
    folds[rest] = rng.permutation(np.arange(len(rest)) % count)
    return folds


def minus_margins(rows: Rows, W: Array, shift: Array) -> Array:
    """Return the negative margins of rows, (n,): the second highest score `X W^T + shift` minus the highest.

    Zeros for a single direction.
    """
    return np.asarray(rows.map(W, Shifted(minus_margin, shift)))


def off_topic_scores(rows: Rows, V: Array, k: int, shift: Array | None = None, on: Array | None = None) -> Array:
    """Return max_{r > k} T[r] - max_{p <= k} T[p] of rows, (n,), with T = X V^T + shift, V (k+j, d).

    `shift` (k+j,), if given, is the intercept of uncentred rows.
    """
    rule = RejectScore(k)
    return np.asarray(rows.map(V, rule if shift is None else Shifted(rule, shift), on=on))


def minus_margin(scores: Array) -> Array:
    """A rule: return the second highest score of rows minus the highest, (n,)."""
    if scores.shape[1] < 2:
        return 0 * scores[:, 0]
    best = argmax(scores)
    return namespace(scores).max(masked(scores, best), axis=1) - at(scores, best)


@dataclass(frozen=True)
class RejectScore:
    """A rule: return the best score after the first `k` minus the best of these, (n,)."""

    k: int

    def __call__(self, scores: Array) -> Array:
        xp = namespace(scores)
        return xp.max(scores[:, self.k :], axis=1) - xp.max(scores[:, : self.k], axis=1)
