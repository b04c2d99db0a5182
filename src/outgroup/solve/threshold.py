"""From off-topic scores to a verdict: a threshold that keeps its promise, and what to expect of it.

The promise: at most `rate` of the on-topic documents are thrown out. Two thresholds keep it.

- **conformal**: the ceil((1 - rate)(n + 1))-th smallest held-out score of the collection (split-conformal prediction:
  Papadopoulos et al. 2002; Lei et al., JASA 2018; cross-fitted: Vovk 2015). It assumes nothing about the junk but that
  it does not score lower than the rest; since the collection hides junk itself, it can never flag more than `rate`.
- **mixture**: the collection is a mixture of on-topic documents and a share of junk that scores as the examples do,
  both held out alike. How often each score comes from junk follows from the two samples; a document goes out where that
  is likely enough, while the on-topic documents among them stay below `rate`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..types import Array
from .mixture import Mixture, above

_TELL = 10  # examples, so that they tell what to expect
MIXTURE_FROM = 50  # examples for a mixture: with 20 the share was up to twice the true one, and the promise broken
_CERTAIN = np.inf  # a threshold that nothing passes
_LIKELY = 0.2  # least probability of being junk at which a document goes out: one in the groups is worth four of them
_AIM = 0.7  # of the rate: the on-topic documents among those that go out are estimated, and up to 1.3 times as many
_NARROW = 0.2  # widest interval that is told as one figure
_TELLING = 0.6  # widest that is told at all


@dataclass(frozen=True)
class Threshold:
    """A threshold on off-topic scores and what to expect: documents that score above `value` are off-topic.

    `share` is the estimated share of junk like the examples in the collection; `precision` and `recall` are what the
    verdicts should reach. Each has an interval, `_low` and `_high`, and is None where that is wider than .2; all three
    are None where held-out examples do not tell. `flagged` counts the held-out scores of the collection above.
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


def mixture_threshold(scores: Array, examples: Array, rate: float) -> float:
    """Return the least threshold above which documents are likely to be junk, few on-topic ones among them.

    Every document above it is junk with probability .2 at least, and at most .7 `rate` of the on-topic documents are
    above it, by a careful estimate (docs/decisions/0010).
    """
    return Mixture(scores, examples).threshold(_AIM * rate, _LIKELY)


def calibrate(
    scores: Array, examples: Array | None, rate: float, beside: tuple[Array, Array] | None = None
) -> list[Threshold]:
    """Return the thresholds for held-out `scores` (n,) of the collection: conformal, and mixture where it can be.

    `examples` (N,) are those of the Universum, held out of the same fits: fewer than 50 make no mixture, and fewer than
    ten tell nothing of what to expect. `beside` is what `Mixture` takes.
    """
    value = conformal_threshold(scores, rate)
    if examples is None or len(examples) < _TELL:
        return [Threshold("conformal", rate, value, int((scores > value).sum()))]
    mixture, values = Mixture(scores, examples, beside), {"conformal": value}
    if len(examples) >= MIXTURE_FROM:
        values["mixture"] = mixture.threshold(_AIM * rate, _LIKELY)
    return [_expected(method, rate, value, mixture) for method, value in values.items()]


def carried(threshold: dict[str, Any], scores: Array) -> dict[str, Any]:
    """Return the threshold, with its choices, on other `scores` (n,) of the same rows: as many are above as before.

    >>> found = choose(calibrate(np.arange(99.0), None, 0.05), "conformal")
    >>> found["flagged"], carried(found, np.arange(0, 198.0, 2))["value"]
    (4, 189.0)
    """
    ordered = np.sort(scores)[::-1]
    each = [choice | {"value": _counting(ordered, choice["flagged"])} for choice in threshold["choices"]]
    return threshold | {"value": _counting(ordered, threshold["flagged"]), "choices": each}


def _counting(ordered: Array, count: int) -> float:
    """Return what `count` of the scores, in falling order, are above: the middle between two."""
    if count == 0:
        return _CERTAIN
    return float((ordered[count - 1] + ordered[count]) / 2) if count < len(ordered) else -_CERTAIN


def choose(thresholds: list[Threshold], method: str) -> dict[str, Any]:
    """Return the threshold of `method`, or the first, as a dictionary; its `choices` are all of them."""
    chosen = next((each for each in thresholds if each.method == method), thresholds[0])
    return chosen.to_dict() | {"choices": [each.to_dict() for each in thresholds]}


def _expected(method: str, rate: float, value: float, mixture: Mixture) -> Threshold:
    """Return a threshold with what to expect of it.

    Recall is that of junk like the examples: where the least share of it is nothing, so that what there is may be
    unlike them, none is told. Precision is told from that least share to the highest.
    """
    flagged = mixture.scores > value
    least, (_, high) = mixture.least(value), mixture.interval
    share, told = mixture.share, {"share": _narrow(mixture.share, least, high), "share_low": least, "share_high": high}
    if least > 0:
        told |= _interval("recall", float(above(mixture.examples, value)), len(mixture.examples))
    if flagged.any() and share:
        own = float(mixture.posterior[flagged].mean())
        lowest, highest = own * least / share, min(1.0, own * high / share)
        if highest - lowest <= _TELLING:
            told |= {"precision": _narrow(own, lowest, highest), "precision_low": lowest, "precision_high": highest}
    return Threshold(method, rate, value, int(flagged.sum()), **told)


def _interval(name: str, share: float, n: int) -> dict[str, float | None]:
    """Return a share of n with its interval (Wilson, eight cases of ten)."""
    z = 1.28
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return {name: _narrow(share, low, high), f"{name}_low": float(low), f"{name}_high": float(high)}


def _narrow(value: float, low: float, high: float) -> float | None:
    return float(value) if high - low <= _NARROW else None
