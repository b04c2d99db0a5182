"""Off-topic thresholds: a conformal bound on the false positive rate, and a mixture model of scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar, nnls

from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants, by `python -m bench aside` (docs/decisions/0007, 0010, 0030, 0034)."""

    own_pull: float = 3.75  # weight of an example times its squared length: how far it alone pushes its margin
    balance: float = 3.0  # Universum's weight / targets' weight: the targets hide some junk
    fewest: int = 10  # examples: fewer cannot show how many on-topic documents would be flagged
    mixture_from: int = 50  # examples: of 20 the estimated share was up to twice the true one
    folds: int = 8  # of rows and examples: with 4 up to a fiftieth of the junk is missed
    fold_gap: float = 1e-2  # relative gap of these fits: at .05 a hundredth of the junk is missed
    many: int = 1000  # examples, from which half of the folds and five times the gap suffice, without clusters
    fold_rows: int = 4096  # targets of a fit, and held-out rows that place the threshold: more change little
    cluster_sizes: tuple[int, ...] = (50, 25, 12)  # rows and examples in the mean: junk may come in many or in few
    kinds: int = 10  # of junk, at most, each with twice as many examples: one reject row loses half of the evidence
    likely: float = 0.2  # least probability of being junk of a row set aside: junk in a group costs four times as much
    aim: float = 0.6  # of the rate: up to 1.7 times the estimated number of on-topic documents is set aside
    decays: tuple[float, ...] = (1.5, 3.0, 6.0)  # of the on-topic part of the ratio, from the examples' median to 90 %


JUNK = _Constants()

_TENTH = 1.28  # standard errors: nine cases of ten are below
_MOST = 0.95  # largest share of junk considered
_ROUNDING = 1e-12  # of a range of scores: smaller widths count as 0

# --- Thresholds with a bound on the false positive rate, and their expected precision and recall
#
# Both thresholds flag at most `rate` of the on-topic documents.
#
# - **conformal**: the ceil((1 - rate)(n + 1))-th smallest held-out score of the collection (split-conformal
#   prediction: Papadopoulos et al. 2002; Lei et al., JASA 2018; cross-fitted: Vovk 2015). Its only assumption is that
#   junk does not score lower than other documents. Since the collection contains the junk, it never flags more than
#   `rate` of all.
# - **mixture**: the collection is a mixture of on-topic documents and a share of junk like the examples. The held-out
#   scores of both, and their neighbours if known, give the probability that each document is junk. Documents with a
#   high probability are flagged, while the expected number of on-topic documents among them stays below `rate`.

_EXPECTED = [name + end for name in ("share", "precision", "recall") for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class Threshold:
    """A threshold with its estimated precision and recall; documents above `value` are off-topic.

    The value applies to held-out scores, or to the evidence of a mixture, until `OffTopicSearch` places it on the
    scores of the final reject rows.

    `share` is the estimated share of junk like the examples in the collection; `precision` and `recall` are the
    expected ones. Each has an interval, `_low` and `_high`, and is None if that is wider than .2, or if held-out
    examples are too few. `flagged` is the number of documents above. `slope` is that of the probability of being
    off-topic, see `slope_of`. Documents above `aside` are set aside; None if all flagged ones are.
    """

    method: str
    rate: float
    value: float
    flagged: int
    share: float | None = None
    precision: float | None = None
    recall: float | None = None
    share_low: float | None = None
    share_high: float | None = None
    precision_low: float | None = None
    precision_high: float | None = None
    recall_low: float | None = None
    recall_high: float | None = None
    slope: float | None = None
    aside: float | None = None

    @property
    def aside_above(self) -> float:
        """The score above which a document is set aside."""
        return self.value if self.aside is None else self.aside


def conformal_threshold(scores: Array, rate: float) -> float:
    """Return the ceil((1 - rate)(n + 1))-th smallest of n held-out `scores`; infinity if n is too small.

    A new document from the same source scores above it with probability at most `rate`.

    >>> conformal_threshold(np.arange(1.0, 20.0), 0.05)
    19.0
    >>> conformal_threshold(np.arange(1.0, 19.0), 0.05)
    inf
    """
    rank = int(np.ceil((1 - rate) * (len(scores) + 1) - 1e-9))
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else np.inf


def threshold_for(scores: Array, mixture: Mixture | None, rate: float, method: str) -> Threshold:
    """Return the threshold for held-out `scores` (n,) by `method`, "conformal" or "mixture".

    `mixture` holds these scores and those of the examples, held out of the same fits. A mixture threshold needs 50
    examples; fewer, or None, give the conformal one. An estimate of precision and recall needs ten.
    """
    if mixture is not None and method == "mixture" and len(mixture.examples) >= JUNK.mixture_from:
        value, evidence = mixture.threshold(JUNK.aim * rate, JUNK.likely), mixture.evidence
    else:
        method, value = "conformal", conformal_threshold(scores, rate)
        evidence = (scores, np.empty(0)) if mixture is None else (scores, mixture.examples)
    threshold = Threshold(method, rate, value, int((evidence[0] > value).sum()))
    if mixture is None or len(mixture.examples) < JUNK.fewest:
        return threshold
    return replace(threshold, **_expected(mixture, evidence, value))


def bounded(threshold: Threshold, scores: Array, method: str) -> Threshold:
    """Raise a conformal threshold until it flags at most its rate of `scores` (n,).

    Reject rows that were fitted with off-topic rows as examples score similar rows higher than held-out scores do.
    Where `method` is "mixture" and the examples are too few for it, at most the estimated number of junk documents is
    set aside, and the others are only flagged. If the estimate is an interval, its lower end counts.

    >>> first = threshold_for(np.arange(99.0), None, 0.05, "conformal")
    >>> first.value, bounded(first, np.arange(99.0) + 50, "conformal").value
    (94.0, 144.5)
    """
    if threshold.method != "conformal":
        return threshold
    n, ordered = len(scores), np.sort(scores)[::-1]
    value = max(threshold.value, counting(ordered, int(threshold.rate * n)))
    share = threshold.share_low if threshold.share is None else threshold.share
    if method == "conformal" or share is None:
        return replace(threshold, value=value, aside=None)
    return replace(threshold, value=value, aside=max(value, counting(ordered, int(share * n))))


def expected_of(threshold: Threshold, mixture: Mixture, count: int) -> dict[str, Any]:
    """Estimate precision and recall if the final reject rows flag `count` documents.

    The estimate uses the `count` documents of the strongest evidence (docs/decisions/0010).

    >>> mixture = Mixture(np.r_[np.zeros(80), np.ones(20)], np.ones(50))
    >>> found = threshold_for(mixture.scores, mixture, 0.3, "mixture")
    >>> found.recall, expected_of(found, mixture, 20)["recall"]
    (1.0, 1.0)
    """
    evidence = mixture.evidence if threshold.method == "mixture" else (mixture.scores, mixture.examples)
    return _expected(mixture, evidence, counting(np.sort(evidence[0])[::-1], count))


def slope_of(mixture: Mixture, count: int) -> float | None:
    """Return the slope of the logistic function that fits the off-topic probabilities best; None if it cannot be
    fitted.

    It is Platt's fit (1999) with a probability of one half at the threshold, which gives the more probable verdict.
    `count` documents exceed the threshold; None if it is above or below all documents.
    """
    offsets = mixture.scores - counting(np.sort(mixture.scores)[::-1], count)
    if not np.isfinite(offsets).all():
        return None
    junk = mixture.posterior
    loss = lambda slope: float(np.mean(np.logaddexp(0.0, slope * offsets) - junk * slope * offsets))  # noqa: E731
    return float(minimize_scalar(loss, bounds=(0.0, 100.0), method="bounded").x)


def counting(ordered: Array, count: int) -> float:
    """Return the threshold that `count` of the descending scores exceed, midway between two scores.

    >>> float(counting(np.array([3.0, 2.0, 1.0]), 1))
    2.5
    """
    if count == 0:
        return np.inf
    return float((ordered[count - 1] + ordered[count]) / 2) if count < len(ordered) else -np.inf


def _expected(mixture: Mixture, evidence: tuple[Array, Array], value: float) -> dict[str, Any]:
    """Return the estimated off-topic share, precision and recall at a threshold `value` of the `evidence`.

    Recall is None if the lower bound of the share is 0. The interval of precision goes from the lower bound of the
    share to the upper.
    """
    flagged, recall = evidence[0] > value, float((evidence[1] > value).mean())
    least, (_, high), share = mixture.least(flagged), mixture.interval, mixture.share
    expected: dict[str, float | None] = dict.fromkeys(_EXPECTED)
    expected |= {"share": _narrow(share, least, high), "share_low": least, "share_high": high}
    if least > 0:
        expected |= _interval("recall", recall, len(mixture.examples))
    if flagged.any() and share:
        mean = float(mixture.posterior[flagged].mean())
        lowest, highest = mean * least / share, min(1.0, mean * high / share)
        if highest - lowest <= 0.6:  # wider intervals are not reported
            expected |= {"precision_low": lowest, "precision_high": highest}
            expected["precision"] = _narrow(mean, lowest, highest)
    return expected


def _interval(name: str, share: float, n: int) -> dict[str, float | None]:
    """Return a share of n with its 80 % interval (Wilson)."""
    z = _TENTH
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return {name: _narrow(share, low, high), f"{name}_low": float(low), f"{name}_high": float(high)}


def _narrow(value: float, low: float, high: float) -> float | None:
    return float(value) if high - low <= 0.2 else None


# --- The off-topic scores of a collection as a mixture of on-topic documents and junk like the examples
#
# The samples are scores of n documents and of N examples, held out of the same fits. For every t, P(score >= t) in the
# collection is at least share * P(score >= t) of the examples (mixture-proportion estimation: Scott, AISTATS 2015), and
# the ratio of the two falls towards the share at scores that on-topic documents do not reach. If the likelihood ratio
# never falls as the score grows, isotonic regression gives the probability of being junk at each score.


@dataclass(frozen=True)
class Mixture:
    """Held-out `scores` (n,) of the documents, and held-out scores `examples` (N,) of the Universum, from the same
    fits.

    `nearness`, if given, is the nearness of other examples to both, (n, p) and (N, p) by p measures: the evidence then
    combines score and nearness.
    """

    scores: Array
    examples: Array
    nearness: tuple[Array, Array] | None = None

    @cached_property
    def evidence(self) -> tuple[Array, Array]:
        """The evidence that documents (n,) and examples (N,) are off-topic; higher is more like the examples."""
        if self.nearness is None:
            return self.scores, self.examples
        return evidence(self.scores, self.examples, *self.nearness)

    @cached_property
    def share(self) -> float:
        """The estimated share of documents like the examples; too high if on-topic documents resemble the examples."""
        return max(junk_share(*self.evidence), self._beyond[1])

    @cached_property
    def _beyond(self) -> tuple[int, float]:
        """The number of rows above a gap in the scores, and the share that is certainly off-topic because of the
        gap.
        """
        middle = (np.median(self.scores) + np.median(self.examples)) / 2
        count, few = beyond_gap(*self.evidence, int((self.scores > middle).sum()))
        return count, (count - few) / len(self.scores)

    @cached_property
    def _certain(self) -> Array:
        """The off-topic probability that follows from the gap alone, (n,)."""
        count, share = self._beyond
        certain = np.zeros(len(self.scores))
        certain[np.argsort(-self.evidence[0], kind="stable")[:count]] = share * len(certain) / max(count, 1)
        return certain

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 90 % interval of the share.

        The estimate is the limit of a falling ratio, so it is biased downwards, and bootstrap estimates are biased in
        the same way. The interval reflects them about the estimate (the basic bootstrap: Davison and Hinkley, 1997,
        chapter 5) where that is higher than the bootstrap estimates themselves.
        """
        rng, samples = np.random.default_rng(0), self.evidence
        estimates = [junk_share(*(rng.choice(part, len(part)) for part in samples)) for _ in range(40)]
        low, high = np.quantile(estimates, [0.05, 0.95])
        high = min(max(float(high), 2 * self.share - float(low)), _MOST)
        return max(min(float(low), self.share), self._beyond[1]), max(high, self.share)

    @cached_property
    def posterior(self) -> Array:
        """The off-topic probabilities of the documents, (n,), which ascend with the evidence."""
        from sklearn.isotonic import IsotonicRegression  # late: it imports SciPy's statistics

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
        """Return the estimated share of on-topic documents that are in the mask `out` (n,)."""
        return float((1 - self.posterior)[out].sum() / (len(self.scores) * (1 - self.share)))

    def least(self, out: Array) -> float:
        """Return a lower bound of the off-topic share; documents `out` (n,) may be on-topic and resemble the examples.

        Scores cannot separate these; on 20 collections they were up to 3 % of the on-topic documents. Neighbours
        separate about half of them. Another half per cent may equal junk.
        """
        overlap = self.on_topic_among(out) * (1.0 if self.nearness is None else 0.5)
        return max(0.0, self.interval[0] - 0.005 - overlap)

    def threshold(self, rate: float, likely: float) -> float:
        """Return the lowest evidence above which each document is off-topic with probability at least `likely`.

        The on-topic documents above it stay below `rate`, even if the share is overestimated by the standard error that
        the number of examples implies; junk beyond a gap does not depend on the examples. The value is the midpoint
        between two documents.
        """
        values = self.evidence[0]
        order = np.argsort(-values, kind="stable")
        ordered, junk, certain = values[order], self.posterior[order], self._certain[order]
        certain_junk = certain + (junk - certain) * max(0.0, 1 - _TENTH / np.sqrt(len(self.examples)))
        lost = np.cumsum(1 - certain_junk) / (len(ordered) * (1 - self.share))
        failing = np.flatnonzero((junk < likely) | (lost > rate))
        return counting(ordered, int(failing[0]) if len(failing) else len(ordered))


def junk_share(scores: Array, examples: Array) -> float:
    """Return the estimated share of `scores` that are distributed like the `examples`.

    The ratio of the frequencies of scores above t is the share plus a contribution of on-topic documents, which falls
    as t grows: a constant and falling exponentials, all nonnegative, are fitted to it. The share is the mean of the
    constants within one standard error of the best.

    >>> rng = np.random.default_rng(0)
    >>> mixed = np.r_[rng.normal(0, 1, 9000), rng.normal(3, 1, 1000)]
    >>> round(junk_share(mixed, rng.normal(3, 1, 500)), 1)
    0.1
    """
    # 1. P(score >= t) of documents and examples at quantiles t of the examples, and the ratio of the two.
    fitted, bounding = np.r_[0.05, 0.1, np.linspace(0.2, 0.95, 16)], np.linspace(0.0, 0.5, 11)
    t = np.quantile(examples, np.r_[fitted, bounding, 0.5, 0.9])
    tail, others = reach(scores, t), reach(examples, t)
    ratio, n, N, m = tail / others, len(scores), len(examples), len(fitted)
    # 2. An upper bound: the ratio is the share at least, whatever t.
    most = min(float(ratio[m:-2].min()), _MOST)
    # 3. The scale of t, from the median of the examples to their 90 % quantile.
    width = float(t[-1] - t[-2])
    t, tail, others, ratio = (values[:m] for values in (t, tail, others, ratio))
    steps = (t - t[0]) / (width if width > _ROUNDING * (t[-1] - t[0]) else 1.0)
    if not steps.any():  # equal examples: only the bound is left
        return max(0.0, most)
    # 4. Fit ratio(t) = share + sum_d w_d exp(-d t), w >= 0, for each candidate share, in units of the standard error.
    error = np.sqrt(ratio**2 * (1 - others) / (others * N) + np.maximum(tail, 1 / n) / (n * others**2))
    falling = np.column_stack([np.exp(-decay * steps) for decay in JUNK.decays])
    shares = np.linspace(0.0, most, 40)
    misfit = np.array([nnls(falling / error[:, None], (ratio - share) / error)[1] ** 2 for share in shares])
    # 5. The mean of the shares within one standard error of the best.
    return float(shares[misfit <= misfit.min() + 1].mean())


def evidence(scores: Array, examples: Array, nearness: Array, nearness_of_examples: Array) -> tuple[Array, Array]:
    """Return the log odds that a document (n,) or example (N,) is off-topic, from scores and neighbours.

    A logistic regression on the score, clipped to the range near the examples', and on the logarithms of the nearness
    of other examples, (n, p) and (N, p), with nonnegative weights; both samples have the same total weight.

    >>> near = np.array([[0.0], [0], [0], [0.3]]), np.full((2, 1), 0.3)
    >>> documents, other = evidence(np.array([0.0, 1, 2, 2]), np.full(2, 2.0), *near)
    >>> bool(documents[3] > documents[2] > documents[1] and documents[3] == other[0])
    True
    """
    width = float(np.subtract(*np.quantile(examples, [0.75, 0.25]))) or float(np.std(scores)) or 1.0
    score = np.clip((np.r_[scores, examples] - np.median(examples)) / width, -3.0, 3.0)
    typical = np.median(nearness_of_examples, axis=0)
    typical = np.where(typical > 0, typical, nearness_of_examples.mean(axis=0))
    near = np.log(np.vstack([nearness, nearness_of_examples]) / np.where(typical > 0, typical, 1.0) + 0.05)
    features = np.column_stack([score, near, np.ones(len(score))])
    n, N, p = len(scores), len(examples), features.shape[1] - 1
    sign, weight = np.repeat([-1.0, 1.0], [n, N]), np.repeat([0.5 / n, 0.5 / N], [n, N])

    penalty = 1e-3  # a clean separation would make the weights infinite

    def loss(w: Array) -> tuple[float, Array]:
        margins = sign * (features @ w)
        slope = weight * sign / (1 + np.exp(np.clip(margins, -500, 500)))
        value = weight @ np.logaddexp(0, -margins) + penalty / 2 * (w[:p] @ w[:p])
        return float(value), np.asarray(-features.T @ slope + penalty * np.r_[w[:p], 0])

    fit = minimize(loss, np.zeros(p + 1), jac=True, method="L-BFGS-B", bounds=[(0, None)] * p + [(None, None)])
    odds = features @ fit.x
    return odds[:n], odds[n:]


# --- A gap in the scores bounds the number of on-topic documents beyond it
#
# Off-topic documents may form a separate cloud. A hundred examples estimate its share with an error of about a tenth.
# A tighter bound follows from a decreasing density of on-topic scores (the shape constraint of Grenander, 1956).


def beyond_gap(scores: Array, examples: Array, nearer: int = 0) -> tuple[int, float]:
    """Find a gap below the highest `scores` (n,); return how many lie above it, and an upper bound on the on-topic
    ones.

    The gap is the place beyond which the most documents are certainly junk; zeros without one. At most half of the
    scores can be beyond it, since on-topic scores also get rarer below their mode, and at most as many as the examples
    allow. Junk of another source may lie below all examples: there, at most the `nearer` documents, which are nearer to
    the examples than to the rest.

    >>> rng = np.random.default_rng(0)
    >>> found = beyond_gap(np.r_[rng.normal(0, 1, 200), rng.normal(20, 1, 100)], rng.normal(20, 1, 50))
    >>> found[0], bool(found[1] < 10)
    (100, True)
    >>> beyond_gap(rng.normal(0, 1, 200), rng.normal(1, 1, 50))
    (0, 0.0)
    """
    ordered = np.sort(scores)[::-1]
    most_on_topic, count = rarer_beyond(ordered), np.arange(1, len(scores) + 1)
    other_source = (ordered < examples.min()) & (count <= nearer)
    allowed = np.where(other_source, 1.0, _most(scores, examples) * reach(examples, ordered))
    possible = count <= len(scores) * np.minimum(0.5, allowed)
    certain_junk = np.where(possible, count - most_on_topic, 0.0)
    best = int(certain_junk.argmax())
    return (best + 1, float(most_on_topic[best])) if certain_junk[best] > 0 else (0, 0.0)


def rarer_beyond(ordered: Array) -> Array:
    """Return upper bounds on the number of on-topic documents among the c highest scores, for c = 1 to n, (n,).

    The density of on-topic scores above the c-th is at most that of all scores in any stretch just below it. The
    expected number of scores in a stretch with j of them is at most (1 + sqrt(j + 1))^2, in about 39 of 40 cases.
    """
    bounds, extent = np.arange(1.0, len(ordered) + 1), ordered[0] - ordered[-1]
    steps = np.unique(np.geomspace(1, 1024, 21).astype(int))  # scores of a stretch
    for step in steps[: np.searchsorted(steps, len(ordered))]:
        end = ordered[step:]
        width = ordered[: len(end)] - end
        wide = width > _ROUNDING * extent
        dense = (1 + np.sqrt(step)) ** 2 * (ordered[0] - end[wide]) / width[wide]
        bounds[: len(end)][wide] = np.minimum(bounds[: len(end)][wide], dense)
    return bounds


def _most(scores: Array, examples: Array) -> float:
    """Return an upper bound on the share of scores like the examples."""
    points, N = np.quantile(examples, np.linspace(0.0, 0.5, 11)), len(examples)
    tail, others = reach(scores, points), reach(examples, points)
    errors = 3.0  # standard errors
    high = (errors / 2 + np.sqrt(tail * len(scores) + 1)) ** 2 / len(scores)
    low = others - errors * np.sqrt(others * (1 - others) / N)
    return float((high[low > 0] / low[low > 0]).min())


# --- Empirical tail probabilities


def reach(scores: Array, points: Array | float) -> Array:
    """Return the share of `scores` at or above the points; never 0 at a quantile of the scores.

    >>> float(reach(np.array([1.0, 2.0, 2.0, 3.0]), 2.0))
    0.75
    """
    return np.asarray(1 - np.searchsorted(np.sort(scores), points, side="left") / len(scores))
