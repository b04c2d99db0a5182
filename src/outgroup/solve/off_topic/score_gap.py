"""What an empty stretch among the scores tells: beyond it on-topic documents are no denser than in it.

Where junk forms a cloud of its own, a person sees at once that all of it is junk. Examples alone cannot say that: of a
cloud that holds a third of a collection, a hundred of them may stand for more or less by a tenth. What says it is that
on-topic documents only get rarer the farther out they lie (the shape constraint of Grenander, 1956).
"""

from __future__ import annotations

import numpy as np

from ...types import Array
from .frequencies import reach

_STRETCHES = np.unique(np.geomspace(1, 1 << 10, 21).astype(int))  # rows to the next below, of which the last is outside
_LEVELS = np.linspace(0.0, 0.5, 11)  # of the examples' quantiles, at which they bound how many rows may be junk
_ROUNDING = 1e-12  # of the scores' range: what is no wider is no stretch
_MOST = 0.5  # of the scores that can lie beyond a gap
_SURELY = 3.0  # standard errors by which own and others may be off there


def beyond_gap(scores: Array, examples: Array, nearer: int = 0) -> tuple[int, float]:
    """Return how many of the highest of `scores` (n,) lie beyond a gap, and how many of these are on-topic at most.

    Of all places it is the one beyond which most are surely junk. Zeros where there is none. At most half of the scores
    can be: below the most usual on-topic score they get rarer, too. Nor can more than the examples allow, but for junk
    of another source, which may lie below all of them: there as many as are `nearer` to the examples than to the rest.

    >>> rng = np.random.default_rng(0)
    >>> found = beyond_gap(np.r_[rng.normal(0, 1, 200), rng.normal(20, 1, 100)], rng.normal(20, 1, 50))
    >>> found[0], bool(found[1] < 10)
    (100, True)
    >>> beyond_gap(rng.normal(0, 1, 200), rng.normal(1, 1, 50))
    (0, 0.0)
    """
    ordered = np.sort(scores)[::-1]
    few, count = rarer_beyond(ordered), np.arange(1, len(scores) + 1)
    elsewhere = (ordered < examples.min()) & (count <= nearer)
    allowed = np.where(elsewhere, 1.0, _most(scores, examples) * reach(examples, ordered))
    possible = count <= len(scores) * np.minimum(_MOST, allowed)
    surely = np.where(possible, count - few, 0.0)
    best = int(surely.argmax())
    return (best + 1, float(few[best])) if surely[best] > 0 else (0, 0.0)


def rarer_beyond(ordered: Array) -> Array:
    """Return how many of the c highest scores are on-topic at most, c = 1 to n, of scores in falling order, (n,).

    On-topic scores from the c-th on are at most as dense as all scores are in any stretch just below it. A stretch with
    j scores in it may have had (1 + sqrt(j + 1))^2 to be expected, in some 39 of 40 cases.
    """
    found, whole = np.arange(1.0, len(ordered) + 1), ordered[0] - ordered[-1]
    for step in _STRETCHES[: np.searchsorted(_STRETCHES, len(ordered))]:
        end = ordered[step:]
        width = ordered[: len(end)] - end
        wide = width > _ROUNDING * whole
        dense = (1 + np.sqrt(step)) ** 2 * (ordered[0] - end[wide]) / width[wide]
        found[: len(end)][wide] = np.minimum(found[: len(end)][wide], dense)
    return found


def _most(scores: Array, examples: Array) -> float:
    """Return the share of the scores that may be junk like the examples, at most."""
    points, N = np.quantile(examples, _LEVELS), len(examples)
    own, others = reach(scores, points), reach(examples, points)
    high = (_SURELY / 2 + np.sqrt(own * len(scores) + 1)) ** 2 / len(scores)
    low = others - _SURELY * np.sqrt(others * (1 - others) / N)
    return float((high[low > 0] / low[low > 0]).min())
