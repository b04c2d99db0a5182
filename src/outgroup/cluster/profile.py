"""The choice of the number of groups: a quality profile over all candidates, and two or three recommendations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..errors import InputError
from ..rows import Rows, as_rows, nearest, unit_rows
from ..rows.blocks import evenly_spaced
from ..rows.threads import one_blas_thread
from ..rows.wrappers import sampled
from ..solve.ensemble import measure
from ..solve.n_clusters import candidates, feasible_numbers
from ..types import Array, OnCount, Rng, Whole, no_op

Choice = Whole | Literal["auto"] | Sequence[int]
"""A number of groups, "auto", or the fewest and the most of them."""


@dataclass(frozen=True)
class _Constants:
    """Constants of the profile (docs/decisions/0021)."""

    rows: int = 8_000  # of a draw, in two halves: more change the figures little
    draws: int = 2  # that choose the number: the curve of a single one is uneven
    rows_of_a_group: int = 10  # in the sample, at least, for "auto"
    most: int = 150  # groups of "auto"
    all: int = 16  # numbers of a range, all of which are tried
    step: float = 1.15  # ratio of successive numbers in a longer range
    copy: float = 0.9  # cosine of near-copies, such as alerts from one template, at least
    spread: float = 0.5  # cosine that a quarter of the pairs stay below; else only equal rows are copies
    compared: int = 500  # rows whose pairs tell this


_PROFILE = _Constants()
_AT_ONCE = 1 << 10  # rows compared with all others
_ROUNDING = 1e-5  # of cosines


@dataclass(frozen=True)
class KPoint:
    """Quality of one number of groups, measured on held-out rows.

    Parameters
    ----------
    n_clusters : int
    modularity : float
        Share of neighbour pairs within groups above that expected by chance, at most 1; 0 is chance.
    bits : float
        Description length of the neighbour graph that the groups save per edge; negative if a single group is shorter.
    stability : float
        Agreement of the groups of two halves on all documents (adjusted Rand index), at most 1; 0 is chance.

    Examples
    --------
    >>> KPoint(5, 0.6, 1.2, 0.8).n_clusters
    5
    """

    n_clusters: int
    modularity: float
    bits: float
    stability: float


@dataclass(frozen=True)
class Profile:
    """Quality of each number of groups, and the recommended numbers.

    Parameters
    ----------
    points : list of KPoint
        By number of groups.
    candidates : list of int
        Two or three candidate numbers, ascending.
    chosen : int
        One of the candidates.
    rows : int
        Number of rows in all draws.
    different : int or None, default None
        Number of distinct rows, if it limited the numbers of groups.

    Examples
    --------
    >>> profile = k_profile(np.eye(4)[[0, 1, 2, 3] * 20], (2, 8))
    >>> profile.chosen, 4 in profile.candidates
    (4, True)
    """

    points: list[KPoint]
    candidates: list[int]
    chosen: int
    rows: int
    different: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts and lists, ready for JSON.

        Returns
        -------
        dict
        """
        return asdict(self)


@one_blas_thread()
def k_profile(
    X: Any,
    n_clusters: Choice = "auto",
    *,
    random_state: int = 0,
    progress: OnCount | None = None,
) -> Profile:
    """Measure the quality of each number of groups, and recommend two or three.

    For each number, quick fits cluster the two halves of up to 8,000 random rows, twice. A large collection takes about
    as long as one of 8,000 rows: five fits of these.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d)
        They are scaled to unit length.
    n_clusters : "auto" or (int, int), default "auto"
        The fewest and the most groups, at least 2. "auto": from 2 to 150, or to a tenth of the sampled rows. Ten
        near-copies of a row count; numbers above the number of distinct rows are not tried.
    random_state : int, default 0
    progress : callable, default None
        Called with the number of finished numbers and of all.

    Returns
    -------
    Profile

    Raises
    ------
    InputError
        The range is not valid, begins below 2 or above the number of distinct rows, or exceeds half of the rows.
    ValueError
        NaN or infinity in `X`.

    Notes
    -----
    The number with the highest modularity on held-out rows is chosen. The other candidates lie as far below and above
    it as possible while every number between is within a fifth of a candidate. Modularity does not detect groups that
    are small relative to the whole: if more groups than these candidates cover save the most bits, that number is the
    third candidate, and the geometric mean, the second, is chosen.

    Examples
    --------
    >>> k_profile(np.eye(3)[[0, 1, 2] * 20], (2, 6)).chosen
    3
    """
    rows = unit_rows(as_rows(X))
    ks, figures, count, different = _measured(rows, n_clusters, np.random.default_rng(random_state), progress or no_op)
    best, chosen = candidates(ks, *np.array(figures).T[:2])
    return Profile([KPoint(k, *own) for k, own in zip(ks, figures, strict=True)], best, chosen, count, different)


@one_blas_thread()
def best_number(rows: Rows, rng: Rng) -> int:
    """Return the number of groups that "auto" chooses for these unit rows.

    >>> best_number(as_rows(np.eye(3)[[0, 1, 2] * 20]), np.random.default_rng(0))
    3
    """
    ks, figures, *_ = _measured(rows, "auto", rng, no_op)
    return candidates(ks, *np.array(figures).T[:2])[1]


def _measured(
    rows: Rows, choice: Choice, rng: Rng, progress: OnCount
) -> tuple[list[int], list[list[float]], int, int | None]:
    """Return the feasible numbers with their criteria, the number of sampled rows, and that of distinct rows if it
    limited the numbers.

    Near-copies of a row count as the smallest group, since more would outweigh the groups of all others; more often
    only where too few rows are left for a given range.
    """
    ks, is_auto = numbers(choice, rows.shape[0]), isinstance(choice, str)
    matrix = sampled(rows, _drawn(rows.shape[0], rng, ks))
    matrix = matrix[_few_copies(matrix, _PROFILE.rows_of_a_group, 0 if is_auto else 2 * ks[-1])]
    count = matrix.shape[0]
    ks = numbers(choice, count) if is_auto else ks
    parts = [np.sort(rng.choice(count, min(count, _at_once(ks)), replace=False)) for _ in range(_PROFILE.draws)]
    feasible = feasible_numbers(ks, matrix)
    figures = measure([matrix[part] for part in parts], feasible, rng, progress)
    return feasible, figures, count, feasible[-1] if feasible[-1] < ks[-1] else None


def _few_copies(X: Any, most: int, least: int) -> Array:
    """Return the rows with at most `most` near-copies, or as many as leave `least` rows, ascending.

    >>> _few_copies(np.eye(3)[[0, 0, 0, 1, 2]], 1, 3), _few_copies(np.eye(2)[[0, 0, 0, 1]], 1, 3)
    (array([0, 3, 4]), array([0, 1, 3]))
    """
    copy = np.zeros(X.shape[0], dtype=np.int64)
    some = evenly_spaced(len(copy), _PROFILE.compared)
    alike = _PROFILE.copy if np.quantile(_cosines(X[some], X[some]), 0.25) < _PROFILE.spread else 1 - _ROUNDING
    rows = np.flatnonzero(nearest(X, count=min(most, len(copy))).cosines[:, -1] >= alike)
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        earlier = np.tril(_cosines(X[some], X[rows[: start + len(some)]]) >= alike, start - 1)
        copy[some] = np.count_nonzero(earlier, axis=1)
    enough = 1 + int(np.searchsorted(np.cumsum(np.bincount(copy)), min(least, len(copy))))
    return np.flatnonzero(copy < max(most, enough))


def _cosines(X: Any, Y: Any) -> Array:
    products = X @ Y.T
    return np.asarray(products.toarray() if sp.issparse(products) else products)


def numbers(choice: Choice, n: int) -> list[int]:
    """Return the numbers of groups to try for n rows; raise InputError if the range is invalid.

    >>> numbers((5, 9), 100), numbers("auto", 100)
    ([5, 6, 7, 8, 9], [2, 3, 4, 5, 6, 7, 8, 9, 10])
    """
    if isinstance(choice, str) and choice == "auto":
        low, high = 2, max(3, min(_PROFILE.most, min(n, _PROFILE.rows) // _PROFILE.rows_of_a_group))
    else:
        low, high = _bounds(choice)
    if n < 2 * high:
        few = f"{n} document{'s are' if n != 1 else ' is'} too few to try"
        raise InputError(f"{few} {high} groups with two documents each; give a number of groups, or a smaller range")
    if high - low < _PROFILE.all:
        return list(range(low, high + 1))
    steps = math.ceil(math.log(high / low) / math.log(_PROFILE.step))
    return sorted({round(low * (high / low) ** (i / steps)) for i in range(steps + 1)})


def _bounds(choice: Any) -> tuple[int, int]:
    try:
        low, high = (int(number) for number in choice)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"n_clusters={choice!r:.60} is not valid: give an integer, 'auto', or a range such as (5, 40)"
        ) from error
    if not 2 <= low < high:
        raise InputError(f"{low} to {high} groups is not a valid range: start at 2 or more, and end higher")
    return low, high


def _drawn(n: int, rng: Rng, ks: Sequence[int]) -> Array:
    """Return the indices of sampled rows."""
    most = _PROFILE.draws * _at_once(ks)
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _at_once(ks: Sequence[int]) -> int:
    return max(_PROFILE.rows, 4 * ks[-1])
