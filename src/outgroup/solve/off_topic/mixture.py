"""A collection's off-topic scores as a mixture: on-topic documents, and a share of junk that scores as the examples do.

Of the two samples, scores of n documents and of N examples, all held out of the same fits, P(score >= t) of the
collection is at least share * P(score >= t) of the examples for every t (mixture-proportion estimation: Scott, AISTATS
2015), and the ratio of the two falls towards the share where on-topic documents no longer reach. With a likelihood
ratio that never falls as the score grows, the probability of being junk at each score follows by isotonic regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from ...types import Array
from .constants import JUNK
from .frequencies import reach
from .score_gap import beyond_gap

_LEVELS = np.r_[0.05, 0.1, np.linspace(0.2, 0.95, 16)]  # of the examples' quantiles at which the ratio is read
_LOWER = np.linspace(0.0, 0.5, 11)  # and those at which it bounds the share outright
_AT = np.r_[_LEVELS, _LOWER, 0.5, 0.9]  # all that are asked for, and those that the width is between: one sort for all
_DECAYS = (1.5, 3.0, 6.0)  # how fast the on-topic part of the ratio may fall, from the examples' median to their 90 %
_CHOICES = np.array(list(product([False, True], repeat=len(_DECAYS))))  # of these, each way to leave some out
_GRID = 40  # shares that are tried
_ROUNDING = 1e-12  # of the examples' range: what is no wider has no width
_SIDE = 0.05  # left out on each side of it


@dataclass(frozen=True)
class Mixture:
    """Held-out `scores` (n,) of the collection and `examples` (N,) of the Universum, held out of the same fits.

    `beside`, if known, says of both how near the other examples are, (n, p) and (N, p) by p measures: score and these
    together are then the evidence for what is junk.
    """

    scores: Array
    examples: Array
    beside: tuple[Array, Array] | None = None

    @cached_property
    def evidence(self) -> tuple[Array, Array]:
        """What tells junk from the rest, (n,) and (N,): higher is more like the examples."""
        if self.beside is None:
            return self.scores, self.examples
        return evidence(self.scores, self.examples, *self.beside)

    @cached_property
    def share(self) -> float:
        """The estimated share of junk like the examples: too high where on-topic documents are just like junk."""
        return max(junk_share(*self.evidence), self._beyond[1])

    @cached_property
    def _beyond(self) -> tuple[int, float]:
        """How many rows lie beyond a gap, and the share of the collection that is surely junk by that."""
        middle = (np.median(self.scores) + np.median(self.examples)) / 2
        count, few = beyond_gap(*self.evidence, int((self.scores > middle).sum()))
        return count, (count - few) / len(self.scores)

    @cached_property
    def _certain(self) -> Array:
        """The probability of being junk, (n,), that the gap alone tells."""
        count, share = self._beyond
        certain = np.zeros(len(self.scores))
        certain[np.argsort(-self.evidence[0], kind="stable")[:count]] = share * len(certain) / max(count, 1)
        return certain

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Where the share lies, in nine cases of ten.

        The share is what a ratio falls to, so that samples drawn from the samples are put lower than these, as these
        are put lower than the truth. It is sought as far above the estimate as drawn ones lie below it (the basic
        bootstrap: Davison and Hinkley, 1997, chapter 5), where that is higher than what they are put to.
        """
        rng, samples = np.random.default_rng(0), self.evidence
        found = [junk_share(*(rng.choice(part, len(part)) for part in samples)) for _ in range(JUNK.draws)]
        low, high = np.quantile(found, [_SIDE, 1 - _SIDE])
        high = min(max(float(high), 2 * self.share - float(low)), JUNK.most)
        return max(min(float(low), self.share), self._beyond[1]), max(high, self.share)

    @cached_property
    def posterior(self) -> Array:
        """The probability of being junk of each of the n documents, (n,): never lower for stronger evidence."""
        (scores, examples), n, N = self.evidence, len(self.scores), len(self.examples)
        weights = np.r_[np.ones(n), np.full(N, self.share * n / N)]
        if not self.share:
            return np.zeros(n)
        from_examples = IsotonicRegression(out_of_bounds="clip").fit(
            np.r_[scores, examples], np.r_[np.zeros(n), np.ones(N)], weights
        )
        odds = from_examples.predict(scores)
        return np.clip(odds / np.maximum(1 - odds, 1e-12), self._certain, 1.0)

    def on_topic_among(self, out: Array) -> float:
        """The estimated share of the on-topic documents that is among those that are `out` (n,)."""
        return float((1 - self.posterior)[out].sum() / (len(self.scores) * (1 - self.share)))

    def least(self, out: Array) -> float:
        """The share of junk that is left when as many on-topic documents are just like it as are `out` (n,).

        Nothing in the scores tells these from junk; on 20 collections they were up to 3 % of the on-topic ones. Their
        neighbours tell about half of them.
        """
        overlap = self.on_topic_among(out) * (1.0 if self.beside is None else JUNK.untold)
        return max(0.0, self.interval[0] - JUNK.alike - overlap)

    def threshold(self, rate: float, likely: float) -> float:
        """Return the least evidence above which documents are junk with probability `likely` at least, at each.

        The on-topic documents above it stay below `rate`, even if the share is lower than estimated by as much as the
        number of examples leaves open; that of junk beyond a gap does not rest on them. It lies in the middle between
        two.
        """
        own = self.evidence[0]
        order = np.argsort(-own, kind="stable")
        found, junk = own[order], self.posterior[order]
        certain = self._certain[order]
        surely = certain + (junk - certain) * max(0.0, 1 - JUNK.careful / np.sqrt(len(self.examples)))
        lost = np.cumsum(1 - surely) / (len(found) * (1 - self.share))
        kept = np.flatnonzero((junk < likely) | (lost > rate))
        count = int(kept[0]) if len(kept) else len(found)
        if count == 0:
            return np.inf
        return float((found[count - 1] + found[count]) / 2) if count < len(found) else -np.inf


def junk_share(scores: Array, examples: Array) -> float:
    """Return the estimated share of `scores` that comes from where the `examples` come from.

    The ratio of the two frequencies of reaching t is the share plus what on-topic documents add, which falls as t
    grows: a constant and falling exponentials are fitted to it, none of them negative. The share is the mean of the
    constants within one standard error of the best.

    >>> rng = np.random.default_rng(0)
    >>> mixed = np.r_[rng.normal(0, 1, 9000), rng.normal(3, 1, 1000)]
    >>> round(junk_share(mixed, rng.normal(3, 1, 500)), 1)
    0.1
    """
    at, levels = np.quantile(examples, _AT), slice(len(_LEVELS))
    own, others = reach(scores, at), reach(examples, at)
    most = min(float((own / others)[len(_LEVELS) : -2].min()), JUNK.most)
    own, others, points, width = own[levels], others[levels], at[levels], float(at[-1] - at[-2])
    if width <= _ROUNDING * (points[-1] - points[0]):
        width = 1.0
    ratio, steps = own / others, (points - points[0]) / width
    n, N = len(scores), len(examples)
    error = np.sqrt(ratio**2 * (1 - others) / (others * N) + np.maximum(own, 1 / n) / (n * others**2))
    falling = np.column_stack([np.exp(-decay * steps) for decay in _DECAYS]) / error[:, None]
    if not steps.any():  # equal examples: nothing falls, and the bound is all there is
        return max(0.0, most)
    constants = np.linspace(0.0, most, _GRID)
    misfit = _misfits(falling, (ratio[:, None] - constants) / error[:, None])
    return float(constants[misfit <= misfit.min() + 1].mean())


def _misfits(A: Array, targets: Array) -> Array:
    """Return the least squared distances of the g `targets` (m, g) from sums of the p columns of A (m, p), (g,).

    No weight is negative, so that the weights which are not zero are the plain least squares of their columns: each
    choice of columns is tried for all targets at once.
    """
    Q, R = np.linalg.qr(A)
    within = Q.T @ targets
    some = R * _CHOICES[:, None, :]
    weights = np.linalg.pinv(some) @ within
    rest = ((within - some @ weights) ** 2).sum(axis=1)
    feasible = ((weights >= 0) | ~_CHOICES[:, :, None]).all(axis=1)
    least = np.where(feasible, rest, np.inf).min(axis=0)
    return np.asarray((targets**2).sum(axis=0) - (within**2).sum(axis=0) + least)


def evidence(scores: Array, examples: Array, beside: Array, beside_examples: Array) -> tuple[Array, Array]:
    """Return the log odds of being an example of n documents and N examples, by score and neighbours, (n,) and (N,).

    A logistic regression on the score, as far as it is near the examples', and on the logarithms of how near the other
    examples are, (n, p) and (N, p); none counts against junk, and both samples weigh the same.

    >>> near = np.array([[0.0], [0], [0], [0.3]]), np.full((2, 1), 0.3)
    >>> own, other = evidence(np.array([0.0, 1, 2, 2]), np.full(2, 2.0), *near)
    >>> bool(own[3] > own[2] > own[1] and own[3] == other[0])
    True
    """
    width = float(np.subtract(*np.quantile(examples, [0.75, 0.25]))) or float(np.std(scores)) or 1.0
    score = np.clip((np.r_[scores, examples] - np.median(examples)) / width, -JUNK.wide, JUNK.wide)
    usual = np.median(beside_examples, axis=0)
    usual = np.where(usual > 0, usual, beside_examples.mean(axis=0))
    near = np.log(np.vstack([beside, beside_examples]) / np.where(usual > 0, usual, 1.0) + JUNK.floor)
    features = np.column_stack([score, near, np.ones(len(score))])
    n, N, p = len(scores), len(examples), features.shape[1] - 1
    sign, weight = np.repeat([-1.0, 1.0], [n, N]), np.repeat([0.5 / n, 0.5 / N], [n, N])

    def loss(w: Array) -> tuple[float, Array]:
        margins = sign * (features @ w)
        slope = weight * sign / (1 + np.exp(np.clip(margins, -500, 500)))
        value = weight @ np.logaddexp(0, -margins) + JUNK.penalty / 2 * (w[:p] @ w[:p])
        return float(value), np.asarray(-features.T @ slope + JUNK.penalty * np.r_[w[:p], 0])

    found = minimize(loss, np.zeros(p + 1), jac=True, method="L-BFGS-B", bounds=[(0, None)] * p + [(None, None)])
    odds = features @ found.x
    return odds[:n], odds[n:]
