"""From off-topic scores to a verdict: a threshold that keeps its promise, and what to expect of it.

The promise: at most `rate` of the on-topic documents are thrown out. Two thresholds keep it.

- **conformal**: the ceil((1 - rate)(n + 1))-th smallest held-out score of the collection (split-conformal prediction:
  Papadopoulos et al. 2002; Lei et al., JASA 2018; cross-fitted: Vovk 2015). It assumes nothing about the junk but that
  it does not score lower than the rest; since the collection hides junk itself, it can never flag more than `rate`.
- **mixture**: the collection is a mixture of on-topic documents and a share of junk that scores as the held-out
  Universum does. The share is bounded as in mixture-proportion estimation (Scott, AISTATS 2015), and what that junk
  explains is taken off before the rate is counted. The collection's own frequencies are what they are; those of the
  examples, a sample, enter with their confidence limit on the careful side. It flags far more where there is more
  junk, if the examples look like it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..types import Array

_Z = 1.645  # one-sided 95 % confidence
_FEWEST = 50  # examples for a mixture
_CERTAIN = np.inf  # a threshold that nothing passes


@dataclass(frozen=True)
class Threshold:
    """A threshold on off-topic scores and what to expect: documents that score above `value` are off-topic.

    `share` is the estimated share of junk in the collection, `precision` and `recall` are what the verdicts should
    reach (None where held-out examples do not tell), `flagged` counts the held-out scores of the collection above.
    """

    method: str
    rate: float
    value: float
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary."""
        return asdict(self)


def conformal_threshold(scores: Array, rate: float) -> float:
    """Return the ceil((1 - rate)(n + 1))-th smallest of n held-out `scores`, infinity when n is too small for `rate`.

    A new document from the same source scores above it with probability at most `rate`.

    >>> conformal_threshold(np.arange(1.0, 20.0), 0.05)
    19.0
    >>> conformal_threshold(np.arange(1.0, 19.0), 0.05)
    inf
    """
    rank = int(np.ceil((1 - rate) * (len(scores) + 1) - 1e-9))
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else _CERTAIN


def junk_share(scores: Array, universum_scores: Array, z: float = 0.0) -> float:
    """Return the estimated share of `scores` that comes from where `universum_scores` come from.

    For every t, P(score >= t) >= share * P(Universum score >= t): the least ratio of the two bounds the share from
    above and reaches it where only junk scores so high. With `z` > 0 the examples' frequency is taken that many
    standard errors higher, so that few examples give a low estimate.
    """
    points = np.quantile(universum_scores, np.linspace(0.05, 0.75, 15))  # higher up, too few examples are left
    examples = _reach(universum_scores, points)
    ratio = _reach(scores, points) / (examples + _error(examples, len(universum_scores), z))
    return float(np.clip(ratio.min(), 0.0, 0.95))


def mixture_threshold(scores: Array, universum_scores: Array, rate: float) -> float:
    """Return the least threshold at which on-topic documents exceed it at most at half of `rate`, junk being taken off.

    Half, because the share errs high where junk and the rest overlap: at the whole rate 6 to 7 % of new on-topic
    documents were thrown out where 5 % was promised.
    """
    points = np.unique(scores)
    share = junk_share(scores, universum_scores, _Z)
    collection, junk = _exceed(scores, points), _exceed(universum_scores, points)
    junk = junk - _error(junk, len(universum_scores), _Z)
    kept = np.flatnonzero((collection - share * junk) / (1 - share) <= rate / 2)
    careful = float(points[kept[0]]) if len(kept) else _CERTAIN
    return min(careful, conformal_threshold(scores, rate))


def calibrate(scores: Array, universum_scores: Array | None, rate: float) -> list[Threshold]:
    """Return the thresholds for held-out `scores` (n,) of the collection: conformal, and mixture where it can be.

    `universum_scores` (N,), held out too, give the share of junk and what to expect. With fewer than 50 there is
    no mixture: the share comes out too high where junk and the rest overlap, and the promise is broken.
    """
    value = conformal_threshold(scores, rate)
    if universum_scores is None:
        return [Threshold("conformal", rate, value, int((scores > value).sum()), None, None, None)]
    values = {"conformal": value}
    if len(universum_scores) >= _FEWEST:
        values["mixture"] = mixture_threshold(scores, universum_scores, rate)
    return [_expect(method, rate, value, scores, universum_scores) for method, value in values.items()]


def choose(thresholds: list[Threshold], method: str) -> dict[str, Any]:
    """Return the threshold of `method`, or the first, as a dictionary; its `choices` are all of them."""
    chosen = next((each for each in thresholds if each.method == method), thresholds[0])
    return chosen.to_dict() | {"choices": [each.to_dict() for each in thresholds]}


def _expect(method: str, rate: float, value: float, scores: Array, universum_scores: Array) -> Threshold:
    """Return a threshold with the precision and the recall to expect of it.

    On-topic documents exceed it at most as often as any lower point, where more examples tell how often that is: this
    steadies high thresholds, which few examples pass.
    """
    share, above = junk_share(scores, universum_scores), float(np.mean(scores > value))
    points = np.append(scores[scores <= value], value)
    on_topic = max(0.0, float((_exceed(scores, points) - share * _exceed(universum_scores, points)).min()))
    recall = min(1.0, (above - on_topic) / share) if share else float(np.mean(universum_scores > value))
    precision = share * recall / above if above else None
    return Threshold(method, rate, value, int((scores > value).sum()), share, precision, recall)


def _exceed(scores: Array, points: Array) -> Array:
    """Return the share of `scores` above each of `points`."""
    return 1 - np.searchsorted(np.sort(scores), points, side="right") / len(scores)


def _reach(scores: Array, points: Array) -> Array:
    """Return the share of `scores` at or above each of `points`, which is never 0 at a quantile of theirs."""
    return 1 - np.searchsorted(np.sort(scores), points, side="left") / len(scores)


def _error(share: Array, n: int, z: float) -> Array:
    """Return `z` standard errors of a share of `n`, and half a count so that it is never nothing."""
    return z * (np.sqrt(share * (1 - share) / n) + 1 / (2 * n))
