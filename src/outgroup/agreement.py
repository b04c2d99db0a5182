"""Agreement of two coders of the same documents: Krippendorff's alpha and Cohen's kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np

from .errors import InputError
from .types import Array

Codes = frozenset[str]
"""The codes of a document by one coder."""

_SAMPLES = 1_000  # of documents, for an interval
_LEVEL = (0.025, 0.975)  # quantiles: an interval of 95 %


def masi(one: Codes, other: Codes) -> float:
    """Return the distance of two sets of codes, 0 to 1: one minus their Jaccard index, times 2/3 if one holds the other
    and 1/3 if they only overlap (R. Passonneau: Measuring agreement on set-valued items, LREC 2006).

    Parameters
    ----------
    one, other : frozenset of str

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> masi(frozenset("a"), frozenset("a")), masi(frozenset("a"), frozenset("b"))
    (0.0, 1.0)
    >>> round(masi(frozenset("a"), frozenset("ab")), 3), round(masi(frozenset("ab"), frozenset("bc")), 3)
    (0.667, 0.889)
    """
    if one == other:
        return 0.0
    common = len(one & other)
    return 1.0 - common / len(one | other) * (2 / 3 if common == min(len(one), len(other)) else 1 / 3)


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha and the limits of its 95 % interval; nan if all codes are the same.

    Attributes
    ----------
    value : float, at most 1
        1 for agreement, 0 for that of chance.
    low, high : float
        Quantiles over 1,000 samples of the documents with replacement.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CodeAgreement:
    """The agreement on one code.

    Attributes
    ----------
    code : str
    first, second, both : int
        Numbers of documents with the code by the first coder, by the second, and by both.
    alpha : `Alpha`
        Of the two answers "has the code" and "does not have it".
    """

    code: str
    first: int
    second: int
    both: int
    alpha: Alpha


@dataclass(frozen=True)
class Agreement:
    """The agreement of two coders.

    Attributes
    ----------
    documents : tuple of str
        The ids of the documents with codes by both, in the first coder's order.
    only_first, only_second : int
        Numbers of documents with codes by one coder alone; they do not count.
    same : float in [0, 1]
        Share of documents with equal codes.
    kappa : float
        Cohen's kappa of the sets of codes; nan if all are the same.
    alpha : `Alpha`
        Krippendorff's alpha with the distance `masi`; for one code a document, this is the nominal alpha.
    codes : tuple of `CodeAgreement`
        The most frequent first.
    confusions : dict of (frozenset, frozenset) to list of str
        The documents by pair of different codes, the most frequent pair first.
    """

    documents: tuple[str, ...]
    only_first: int
    only_second: int
    same: float
    kappa: float
    alpha: Alpha
    codes: tuple[CodeAgreement, ...]
    confusions: dict[tuple[Codes, Codes], list[str]]

    @classmethod
    def of(cls, first: Mapping[str, Iterable[str]], second: Mapping[str, Iterable[str]], *, seed: int = 0) -> Agreement:
        """Compare the codes of two coders.

        Parameters
        ----------
        first, second : mapping of str to iterable of str
            The codes of the documents by id; a document without codes is not coded.
        seed : int, default 0
            Of the samples for the intervals.

        Returns
        -------
        Agreement

        Raises
        ------
        InputError
            No document has codes by both.

        Notes
        -----
        Krippendorff's alpha is 1 - D_o / D_e: D_o is the mean distance of the two codings of a document, D_e that of
        all pairs of codings (K. Krippendorff: Content Analysis, 4th edition, 2018, chapter 12).

        Examples
        --------
        >>> ben = dict(enumerate("aabbdcccedda"))
        >>> gerry = dict(enumerate("babbbccceddd"))
        >>> round(Agreement.of(ben, gerry).alpha.value, 3)
        0.692
        """
        one, other = ({key: frozenset(codes) for key, codes in coder.items()} for coder in (first, second))
        one, other = ({key: codes for key, codes in coder.items() if codes} for coder in (one, other))
        shared = [key for key in one if key in other]
        if not shared:
            raise InputError("no document has codes by both coders: compare tables with the same ids")
        pairs = [(one[key], other[key]) for key in shared]
        confusions: dict[tuple[Codes, Codes], list[str]] = {}
        for key, (a, b) in zip(shared, pairs, strict=True):
            if a != b:
                confusions.setdefault((a, b), []).append(key)
        frequencies = Counter(code for a, b in pairs for code in sorted(a | b))
        return cls(
            tuple(shared),
            len(one) - len(shared),
            len(other) - len(shared),
            float(np.mean([a == b for a, b in pairs])),
            _kappa(pairs),
            _alpha(pairs, seed),
            tuple(_of_code(code, pairs, seed) for code, _ in frequencies.most_common()),
            dict(sorted(confusions.items(), key=lambda item: -len(item[1]))),
        )


def _of_code(code: str, pairs: Sequence[tuple[Codes, Codes]], seed: int) -> CodeAgreement:
    holds = [(code in a, code in b) for a, b in pairs]
    first, second = (sum(coder) for coder in zip(*holds, strict=True))
    answers = [(frozenset([str(a)]), frozenset([str(b)])) for a, b in holds]
    return CodeAgreement(code, first, second, sum(map(all, holds)), _alpha(answers, seed))


def _kappa(pairs: Sequence[tuple[Codes, Codes]]) -> float:
    first, second = (Counter(coder) for coder in zip(*pairs, strict=True))
    n, same = len(pairs), sum(a == b for a, b in pairs)
    chance = sum(count * second[codes] for codes, count in first.items()) / n**2
    return nan if chance == 1 else (same / n - chance) / (1 - chance)


def _alpha(pairs: Sequence[tuple[Codes, Codes]], seed: int) -> Alpha:
    """Return the alpha of pairs of codings; the samples count equal pairs together."""
    counts = Counter(pairs)
    values = list(dict.fromkeys(codes for pair in counts for codes in pair))
    place = {codes: position for position, codes in enumerate(values)}
    distance = _distances(values)
    observed = np.array([distance[place[a], place[b]] for a, b in counts])
    holds = np.zeros((len(counts), len(values)))
    for position, pair in enumerate(counts):
        for codes in pair:
            holds[position, place[codes]] += 1
    numbers = np.array([*counts.values()])
    samples = np.random.default_rng(seed).multinomial(len(pairs), numbers / numbers.sum(), size=_SAMPLES)
    alphas = _values(np.vstack([numbers, samples]).astype(float), observed, holds, distance)
    low, high = np.nanquantile(alphas[1:], _LEVEL) if np.isfinite(alphas[1:]).any() else (nan, nan)
    return Alpha(float(alphas[0]), float(low), float(high))


def _distances(values: Sequence[Codes]) -> Array:
    """Return `masi` of all pairs of m different sets of codes, (m, m)."""
    distances = np.zeros((len(values), len(values)))
    for (i, one), (j, other) in combinations(enumerate(values), 2):
        distances[i, j] = distances[j, i] = masi(one, other)
    return distances


def _values(counts: Array, observed: Array, holds: Array, distance: Array) -> Array:
    """Return the alpha of each row of numbers of pairs, (s,), from numbers (s, pairs), the distance within each pair
    (pairs,), the values of each pair (pairs, m), and the distances of values (m, m).
    """
    value_counts, n = counts @ holds, counts.sum(axis=1)
    expected = np.einsum("sm,mv,sv->s", value_counts, distance, value_counts, optimize=True) / (2 * n * (2 * n - 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(expected > 0, 1 - counts @ observed / n / expected, nan))
