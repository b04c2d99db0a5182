"""Novelty: new rows that are far from every grouped row of the fit."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.special import bdtrc, bdtrik

from ..rows import as_rows, nearest, unit_rows
from ..rows.blocks import evenly_spaced
from ..types import Array
from .neighbour_average import packed, unpacked
from .outliers import as_dtype, copies, halved, strangeness


@dataclass(frozen=True)
class _Constants:
    """Constants of novelty; `bench watch` prints the alarms and proposed groups."""

    rate: float = 0.05  # largest share of ordinary rows above the threshold
    near: int = 3  # nearest rows
    stored: int = 10_000  # rows of the fit that a model keeps
    held_out: int = 2_000  # of them, scored without themselves for the threshold
    doubt: float = 0.1  # chance of a higher rate
    fewest: int = 6  # distinct rows of a theme
    links: int = 10  # nearest new rows of a row
    tight: float = 0.75  # least cosine of a link, as a share of that of the threshold
    compared: float = 0.03  # least number of compared new rows, as a share of the rows of the fit
    surprise: float = 0.001  # chance that ordinary documents are as often unlike every group


NOVELTY = _Constants()


@dataclass(frozen=True, eq=False)
class Novelty:
    """Reference rows of a fit, and the score above which a new row is unlike every group.

    The score of a row is one minus its mean cosine with the 3 nearest rows. A model keeps at most 10,000 rows; equal
    rows are one.

    Parameters
    ----------
    rows : (n, d) float32 array or CSR matrix
        Distinct rows of the fit that are in a group, of unit length.
    threshold : float
        At most 5 % of ordinary rows exceed it, with a chance of 90 %: set on rows that are scored without themselves.
        inf for fewer than 45 rows, which are too few for a threshold.

    Examples
    --------
    >>> X = np.vstack([np.eye(3)[i % 2] + 0.01 * np.cos([i, 2 * i, 3 * i]) for i in range(60)])
    >>> Novelty.of(X).unlike(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [False, True]
    """

    rows: Any
    threshold: float

    @classmethod
    def of(cls, X: Any) -> Self:
        """Keep a sample of the rows `X` (n, d), evenly spaced in the given order, and set the threshold."""
        if not X.shape[0]:
            return cls(X, inf)
        reference = halved(X[evenly_spaced(X.shape[0], NOVELTY.stored)])
        reference = reference[copies(reference)[0]]
        held_out = reference[evenly_spaced(reference.shape[0], NOVELTY.held_out)]
        score = strangeness(unit_rows(as_rows(held_out)), reference, NOVELTY.near, itself=True)
        place = ceil(bdtrik(NOVELTY.doubt, len(score), NOVELTY.rate)) - 1
        return cls(reference, float(np.sort(score)[::-1][place]) if 0 <= place < len(score) else inf)

    @property
    def has_threshold(self) -> bool:
        """Whether there are enough rows for a threshold."""
        return self.threshold < inf

    def score(self, X: Any) -> Array:
        """Return the novelty of new rows (m, d): (m,) float64, from 0 to 1, higher for rows less like any group."""
        if not X.shape[0] or not self.has_threshold:
            return np.zeros(X.shape[0])
        return strangeness(unit_rows(as_rows(X)), self.rows, NOVELTY.near)

    def unlike(self, X: Any) -> Array:
        """Return the mask of new rows (m, d) that are unlike every group, (m,) bool."""
        return np.asarray(self.score(X) > self.threshold)

    def themes(self, X: Any, score: Array | None = None) -> list[Array]:
        """Return the row indices of new themes in the new rows (m, d), the largest theme first.

        `score` (m,) is their score, if it is known.

        The rows unlike every group are compared, and those with the next highest scores, at least 3 % of the number of
        rows of the fit. Among so few, ordinary rows are rarely nearer to each other than to the fit. Two rows
        are linked if one is among the 10 nearest of the other, and their cosine exceeds the other's mean cosine with
        the 3 nearest rows of the fit, and 0.75 of the cosine of the threshold. A theme is a connected component of 6
        distinct rows or more, with one that is unlike every group.

        >>> X = np.vstack([np.eye(4)[i % 2] + 0.01 * np.cos([i, 2 * i, 3 * i, 4 * i]) for i in range(60)])
        >>> [len(rows) for rows in Novelty.of(X).themes(np.roll(X[:12:2], 2, axis=1))]
        [6]
        """
        score = self.score(X) if score is None else score
        unlike = score > self.threshold
        if not unlike.any():
            return []
        most = max(np.count_nonzero(unlike), int(NOVELTY.compared * self.rows.shape[0]))
        rows = np.sort(np.argsort(-score, kind="stable")[:most])
        first, copy_of = copies(halved(X[rows]))
        if len(first) < NOVELTY.fewest:
            return []
        unit = halved(X[rows[first]])
        near = nearest(unit, None, count=NOVELTY.links)
        least_cosine = np.maximum(1 - score[rows[first]], NOVELTY.tight * (1 - self.threshold))
        linked = (near.index >= 0) & (near.cosines > least_cosine[:, None])
        index = np.where(linked, near.index, np.arange(len(first))[:, None])
        pairs = (np.ones(index.size), (np.repeat(np.arange(len(first)), index.shape[1]), index.ravel()))
        _, component = connected_components(sp.csr_matrix(pairs, shape=(len(first),) * 2), directed=False)
        themes = [rows[component[copy_of] == i] for i in np.flatnonzero(np.bincount(component) >= NOVELTY.fewest)]
        return sorted((theme for theme in themes if unlike[theme].any()), key=lambda theme: (-len(theme), theme[0]))

    def to_state(self) -> dict[str, Any]:
        """Return plain arrays and numbers for `from_state`."""
        return {"rows": as_dtype(packed(self.rows), np.float16), "threshold": self.threshold}

    @classmethod
    def from_state(cls, state: Any, d: int) -> Self:
        """Return the rows stored in a state; raise ValueError if a value is invalid, since states come from files."""
        try:
            rows, threshold = unpacked(as_dtype(state["rows"], np.float32), d), float(state["threshold"])
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise ValueError(f"its rows are damaged: {error}") from error
        if not threshold >= 0 or np.abs(rows.data if sp.issparse(rows) else rows).max(initial=0) > 1 + 1e-2:
            raise ValueError("its rows do not have unit length, or the threshold is negative")
        return cls(rows, threshold)


def is_unusual(count: int, n: int) -> bool:
    """Return whether `count` rows unlike every group, out of `n`, are more than chance explains at the expected 5 %.

    >>> is_unusual(14, 280), is_unusual(78, 280)
    (False, True)
    """
    return count > 0 and bool(bdtrc(count - 1, n, NOVELTY.rate) < NOVELTY.surprise)
