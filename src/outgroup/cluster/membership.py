"""Probabilities of groups: how often fits on other samples assign a row to each group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.isotonic import IsotonicRegression

from ..rows import Rows, as_rows, cluster_sums, unit_rows
from ..rows.base import all_scores
from ..rows.threads import ordered_map
from ..solve.local_search import searchable
from ..solve.stability import refitted, sample_size
from ..types import Array, Rng


@dataclass(frozen=True)
class _Constants:
    """Constants, by `bench membership`: with 40 fits the calibration error of ten groups is .045, with 100 it is
    .02.
    """

    fits: int = 100
    knots: int = 101  # of the stored quantiles
    held_out: int = 4_000  # rows of a fit on which the scale is set
    tiny: float = 1e-9


_MEMBERSHIP = _Constants()


@dataclass(frozen=True, eq=False)
class Membership:
    """Calibrated group probabilities of a fit.

    p is softmax(b s), s the cosines with the centres of the groups. b has the highest likelihood of the groups in which
    fits on random halves put the rows that they did not see, matched to the groups of the fit. The highest probability
    is then mapped, by isotonic regression, to the share of those fits that agree; the others are scaled to the rest.

    Parameters
    ----------
    centres : (k, d) array
    scale : float
        b.
    raw, share : (m,) arrays
        The map of the highest probability: from softmax, to the share of fits that agree.
    quantiles : (101,) array
        Of the probability of the group in which a fit put a row it did not see.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> found = Membership.of(X, np.repeat([0, 1, 2], 20), 3)
    >>> found.of_new(np.array([[1.0, 0.1, 0.0], [1.0, 1.0, 0.0]])).argmax(axis=1).tolist()
    [0, 0]
    >>> found.sets(np.array([[0.9, 0.1, 0.0]]), 0.5).tolist()
    [[True, False, False]]
    """

    centres: Array
    scale: float
    raw: Array
    share: Array
    quantiles: Array

    @classmethod
    def of(cls, X: Any, labels: Array, k: int, random_state: int = 0) -> Self:
        """Calibrate group probabilities for the rows `X` (n, d) with the groups `labels` (n,), -1 for none."""
        rows, labels = unit_rows(as_rows(X)), np.asarray(labels)
        centres, matrix = _centres(rows, labels, k), rows.local()
        inside = np.flatnonzero(labels >= 0)
        clusters = len(np.unique(labels[inside]))
        if clusters < 2 or matrix is None or sample_size(len(inside), clusters) >= len(inside):
            return cls(centres, 1.0, np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.linspace(0, 1, _MEMBERSHIP.knots))
        row, group = seen_by_fits(searchable(matrix[inside]), labels[inside], k, np.random.default_rng(random_state))
        cosines = _cosines(as_rows(matrix[inside]), centres)
        scale = _scale(cosines, row, group)
        p = softmax(scale * cosines, axis=1)
        top = p.max(axis=1)[row]
        agrees = p.argmax(axis=1)[row] == group
        least = 1.0 / k
        regression = IsotonicRegression(y_min=least, y_max=1 - 1e-3, out_of_bounds="clip").fit(top, agrees)
        found = cls(centres, scale, regression.X_thresholds_, regression.y_thresholds_, np.zeros(0))
        own = found._calibrated(p)[row, group]
        quantiles = np.quantile(own, np.linspace(0, 1, _MEMBERSHIP.knots))
        return cls(centres, scale, found.raw, found.share, quantiles)

    def of_new(self, X: Any) -> Array:
        """Return the group probabilities of the rows `X` (m, d): (m, k), rows sum to 1."""
        rows = unit_rows(as_rows(X))
        return self._calibrated(softmax(self.scale * _cosines(rows, self.centres), axis=1))

    def sets(self, p: Array, coverage: float) -> Array:
        """Return sets of groups that contain a row's group with probability `coverage`, (m, k) bool.

        `p` (m, k) are probabilities of `of_new`.
        """
        least = np.interp(1 - coverage, np.linspace(0, 1, len(self.quantiles)), self.quantiles)
        chosen = p >= least
        chosen[np.arange(len(p)), p.argmax(axis=1)] = True
        return chosen

    def to_state(self) -> dict[str, Any]:
        """Return plain arrays and numbers for `from_state`."""
        return asdict(self) | {"centres": self.centres.astype(np.float32)}

    @classmethod
    def from_state(cls, state: Any, k: int, d: int) -> Self:
        """Return the membership stored in a state; raise ValueError if a value is invalid, since states come from
        files.
        """
        try:
            raw, share, quantiles = (np.asarray(state[name], dtype=float) for name in ("raw", "share", "quantiles"))
            centres, scale = np.asarray(state["centres"], dtype=float), float(state["scale"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"its probabilities are damaged: {error}") from error
        values = (raw, share, quantiles)
        unit = all(each.ndim == 1 and len(each) and bool(((each >= 0) & (each <= 1)).all()) for each in values)
        ordered = all(bool((np.diff(each) >= 0).all()) for each in values)
        if not unit or not ordered or len(raw) != len(share) or not 0 <= scale < 1e6:
            raise ValueError("its probabilities are not ascending numbers from 0 to 1")
        if centres.shape != (k, d) or not bool((np.abs(centres) <= 1 + 1e-3).all()):
            raise ValueError("the group centres stored for the probabilities do not match the groups")
        return cls(centres, scale, raw, share, quantiles)

    def _calibrated(self, p: Array) -> Array:
        rows, best = np.arange(len(p)), p.argmax(axis=1)
        top = p[rows, best]
        share = np.interp(top, self.raw, self.share)
        p = p * ((1 - share) / np.maximum(1 - top, _MEMBERSHIP.tiny))[:, None]
        p[rows, best] = share
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def seen_by_fits(X: Any, labels: Array, k: int, rng: Rng) -> tuple[Array, Array]:
    """Return pairs of a row and its group, from fits that did not see the row."""
    n, clusters = len(labels), len(np.unique(labels))
    count = sample_size(n, clusters)

    def pairs(child: Rng) -> tuple[Array, Array]:
        order = child.permutation(n)
        part, out = np.sort(order[:count]), np.sort(order[count : count + _MEMBERSHIP.held_out])
        found = refitted(X[part], clusters, child)
        crossed = np.zeros((k, clusters))
        np.add.at(crossed, (labels[part], found), 1)
        groups, columns = linear_sum_assignment(crossed, maximize=True)
        group_of = np.zeros(clusters, dtype=int)
        group_of[columns] = groups
        nearest = _cosines(as_rows(X[out]), _centres(as_rows(X[part]), found, clusters)).argmax(axis=1)
        return out, group_of[nearest]

    found = ordered_map(pairs, rng.spawn(_MEMBERSHIP.fits))
    return np.concatenate([row for row, _ in found]), np.concatenate([group for _, group in found])


def _scale(cosines: Array, row: Array, group: Array) -> float:
    """Return the scale of the cosines with the highest likelihood for the pairs of rows and groups."""

    def loss(logarithm: float) -> float:
        return -float(log_softmax(np.exp(logarithm) * cosines, axis=1)[row, group].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-2.0, 6.0), method="bounded").x))


def _centres(rows: Rows, labels: Array, k: int) -> Array:
    sums = np.asarray(cluster_sums(rows, labels, k), dtype=np.float64)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), _MEMBERSHIP.tiny))


def _cosines(rows: Rows, centres: Array) -> Array:
    return np.asarray(rows.map(centres.astype(rows.dtype), all_scores), dtype=np.float64)
