"""From off-topic scores to a verdict: a threshold that keeps its promise, and what to expect of it.

The promise: at most `rate` of the on-topic documents are thrown out. Two thresholds keep it.

- **conformal**: the ceil((1 - rate)(n + 1))-th smallest held-out score of the collection (split-conformal prediction:
  Papadopoulos et al. 2002; Lei et al., JASA 2018; cross-fitted: Vovk 2015). It assumes nothing about the junk but that
  it does not score lower than the rest; since the collection hides junk itself, it can never flag more than `rate`.
- **mixture**: the collection is a mixture of on-topic documents and a share of junk like the examples, both held out
  alike. How likely each document is to be junk follows from the two samples, by its score and its neighbours together
  where these are known; a document goes out where that is likely enough, while the on-topic documents among them stay
  below `rate`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...types import Array
from .constants import JUNK
from .frequencies import above
from .mixture import Mixture

_CERTAIN = np.inf  # a threshold that nothing passes
_EXPECTED = [name + end for name in ("share", "precision", "recall") for end in ("", "_low", "_high")]


@dataclass(frozen=True)
class Threshold:
    """A threshold and what to expect: documents above `value` are off-topic.

    It is one on held-out scores, or for a mixture on its evidence; `carried` makes it one on other scores.

    `share` is the estimated share of junk like the examples in the collection; `precision` and `recall` are what the
    verdicts should reach. Each has an interval, `_low` and `_high`, and is None where that is wider than .2; all three
    are None where held-out examples do not tell. `flagged` counts the documents above.
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


def mixture_threshold(mixture: Mixture, rate: float) -> float:
    """Return the least threshold above which documents are likely to be junk, few on-topic ones among them.

    Every document above it is junk with probability .2 at least, and at most .6 `rate` of the on-topic documents are
    above it, by a careful estimate (docs/decisions/0010).
    """
    return mixture.threshold(JUNK.aim * rate, JUNK.likely)


def calibrate(scores: Array, mixture: Mixture | None, rate: float) -> list[Threshold]:
    """Return the thresholds for held-out `scores` (n,) of the collection: conformal, and mixture where it can be.

    `mixture` is of them and the examples of the Universum, held out of the same fits: fewer than 50 are not enough for
    a threshold, and fewer than ten tell nothing of what to expect.
    """
    value = conformal_threshold(scores, rate)
    if mixture is None or len(mixture.examples) < JUNK.fewest:
        return [Threshold("conformal", rate, value, int((scores > value).sum()))]
    found = [_threshold("conformal", rate, value, mixture, (scores, mixture.examples))]
    if len(mixture.examples) >= JUNK.mixture_from:
        value = mixture_threshold(mixture, rate)
        found.append(_threshold("mixture", rate, value, mixture, mixture.evidence))
    return found


def carried(threshold: dict[str, Any], counts: dict[str, int], scores: Array) -> dict[str, Any]:
    """Return the threshold, with its choices, on other `scores` (n,): `counts` of them are above, by method.

    >>> found = choose(calibrate(np.arange(99.0), None, 0.05), "conformal")
    >>> carried(found, {"conformal": 4}, np.arange(0, 198.0, 2))["value"]
    189.0
    """
    ordered = np.sort(scores)[::-1]
    each = [choice | {"value": counting(ordered, counts[choice["method"]])} for choice in threshold["choices"]]
    return threshold | {"value": counting(ordered, counts[threshold["method"]]), "choices": each}


def bounded(threshold: dict[str, Any], scores: Array) -> dict[str, Any]:
    """Return the threshold, with its choices, so that of the `scores` (n,) none that is conformal takes more than its
    rate: rows that learned from junk lift what is like it above what held-out scores were compared with.

    >>> found = choose(calibrate(np.arange(99.0), None, 0.05), "conformal")
    >>> found["value"], bounded(found, np.arange(99.0) + 50)["value"]
    (94.0, 144.5)
    """
    ordered = np.sort(scores)[::-1]

    def at_least(choice: dict[str, Any]) -> float:
        if choice["method"] != "conformal":
            return float(choice["value"])
        return max(float(choice["value"]), counting(ordered, int(choice["rate"] * len(ordered))))

    each = [choice | {"value": at_least(choice)} for choice in threshold["choices"]]
    return threshold | {"value": at_least(threshold), "choices": each}


def expected_of(threshold: dict[str, Any], mixture: Mixture, count: int) -> dict[str, float | None]:
    """Return what to expect where `count` documents go out by rows that learned from what the threshold took.

    They are junk about as often as the `count` documents of the strongest evidence, which those rows learned from
    (docs/decisions/0010), so that these tell what to expect.

    >>> mixture = Mixture(np.r_[np.zeros(80), np.ones(20)], np.ones(50))
    >>> found = choose(calibrate(mixture.scores, mixture, 0.3), "mixture")
    >>> found["recall"], expected_of(found, mixture, 20)["recall"]
    (1.0, 1.0)
    """
    judged = mixture.evidence if threshold["method"] == "mixture" else (mixture.scores, mixture.examples)
    return _expected(mixture, judged, counting(np.sort(judged[0])[::-1], count))


def changed(threshold: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Return the threshold with other values of some `fields`, there and in its own among the choices."""
    own = [each | fields if each["method"] == threshold["method"] else each for each in threshold["choices"]]
    return threshold | fields | {"choices": own}


def counting(ordered: Array, count: int) -> float:
    """Return what `count` of the scores, in falling order, are above: the middle between two.

    >>> float(counting(np.array([3.0, 2.0, 1.0]), 1))
    2.5
    """
    if count == 0:
        return _CERTAIN
    return float((ordered[count - 1] + ordered[count]) / 2) if count < len(ordered) else -_CERTAIN


def choose(thresholds: list[Threshold], method: str) -> dict[str, Any]:
    """Return the threshold of `method`, or the first, as a dictionary; its `choices` are all of them."""
    chosen = next((each for each in thresholds if each.method == method), thresholds[0])
    return chosen.to_dict() | {"choices": [each.to_dict() for each in thresholds]}


def _threshold(method: str, rate: float, value: float, mixture: Mixture, judged: tuple[Array, Array]) -> Threshold:
    """Return a threshold with what to expect of it; documents and examples are `judged` by it."""
    return Threshold(method, rate, value, int((judged[0] > value).sum()), **_expected(mixture, judged, value))


def _expected(mixture: Mixture, judged: tuple[Array, Array], value: float) -> dict[str, float | None]:
    """Return what to expect where those of the documents and examples are out that are `judged` above `value`.

    Where the least share of junk like the examples is nothing, so that what there is may be unlike them, no recall is
    told. Precision is told from that least share to the highest.
    """
    out, recall = judged[0] > value, float(above(judged[1], value))
    least, (_, high), share = mixture.least(out), mixture.interval, mixture.share
    expected: dict[str, float | None] = dict.fromkeys(_EXPECTED)
    expected |= {"share": _narrow(share, least, high), "share_low": least, "share_high": high}
    if least > 0:
        expected |= _interval("recall", recall, len(mixture.examples))
    if out.any() and share:
        own = float(mixture.posterior[out].mean())
        lowest, highest = own * least / share, min(1.0, own * high / share)
        if highest - lowest <= JUNK.telling:
            expected |= {"precision": _narrow(own, lowest, highest), "precision_low": lowest, "precision_high": highest}
    return expected


def _interval(name: str, share: float, n: int) -> dict[str, float | None]:
    """Return a share of n with its interval (Wilson, eight cases of ten)."""
    z = JUNK.careful
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return {name: _narrow(share, low, high), f"{name}_low": float(low), f"{name}_high": float(high)}


def _narrow(value: float, low: float, high: float) -> float | None:
    return float(value) if high - low <= JUNK.narrow else None
