"""Probabilities of groups: how often fits on other samples assign a row to each group."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from ..rows import Rows, as_rows, unit_rows
from ..rows.base import all_scores
from ..solve.ensemble import Ensemble
from ..solve.spherical import centres_of
from ..types import Array

_KNOTS = 101  # of the stored quantiles
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Membership:
    """Calibrated group probabilities of a fit.

    p is softmax(b s), s the cosines with the centres of the groups. b maximises the likelihood of the groups to which
    fits on random halves assign unseen rows, matched to the groups of the fit. The highest probability
    is then mapped, by isotonic regression, to the share of those fits that agree; the others are scaled to the rest.

    Parameters
    ----------
    centres : (k, d) array
    scale : float
        b.
    raw, share : (m,) arrays
        The map of the highest probability: from softmax, to the share of fits that agree.
    quantiles : (101,) array
        Of the probability of the group to which a fit assigned an unseen row.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> membership = Membership.of(X, np.repeat([0, 1, 2], 20), 3)
    >>> membership.of_new(np.array([[1.0, 0.1, 0.0], [1.0, 1.0, 0.0]])).argmax(axis=1).tolist()
    [0, 0]
    >>> membership.sets(np.array([[0.9, 0.1, 0.0]]), 0.5).tolist()
    [[True, False, False]]
    """

    centres: Array
    scale: float
    raw: Array
    share: Array
    quantiles: Array

    @classmethod
    def of(cls, X: Any, labels: Array, k: int, ensemble: Ensemble | None = None) -> Self:
        """Calibrate group probabilities for the rows `X` (n, d) with the groups `labels` (n,), -1 for none.

        `ensemble` holds earlier fits on samples of these rows.
        """
        from sklearn.isotonic import IsotonicRegression  # late: it imports SciPy's statistics

        rows, labels = unit_rows(as_rows(X)), np.asarray(labels)
        centres, fits = centres_of(rows, labels, k), Ensemble.of(rows, labels, ensemble)
        if fits.clusters < 2 or fits.size >= len(fits.inside):
            return cls(centres, 1.0, np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.linspace(0, 1, _KNOTS))
        row, group = fits.unseen(labels, k)
        cosines = _cosines(as_rows(fits.X), centres)
        scale = _scale(cosines, row, group)
        p = softmax(scale * cosines, axis=1)
        top = p.max(axis=1)[row]
        agrees = p.argmax(axis=1)[row] == group
        least = 1.0 / k
        regression = IsotonicRegression(y_min=least, y_max=1 - 1e-3, out_of_bounds="clip").fit(top, agrees)
        uncalibrated = cls(centres, scale, regression.X_thresholds_, regression.y_thresholds_, np.zeros(0))
        probabilities = uncalibrated._calibrated(p)[row, group]
        quantiles = np.quantile(probabilities, np.linspace(0, 1, _KNOTS))
        return cls(centres, scale, uncalibrated.raw, uncalibrated.share, quantiles)

    def of_new(self, X: Any) -> Array:
        """Return the group probabilities of the rows `X` (m, d): (m, k), rows sum to 1."""
        rows = unit_rows(as_rows(X))
        return self._calibrated(softmax(self.scale * _cosines(rows, self.centres), axis=1))

    def sets(self, p: Array, coverage: float) -> Array:
        """Return sets of groups that contain a row's group with probability `coverage`, (m, k) bool.

        `p` (m, k) are probabilities of `of_new`.
        """
        least = np.interp(1 - coverage, np.linspace(0, 1, len(self.quantiles)), self.quantiles)
        sets = p >= least
        sets[np.arange(len(p)), p.argmax(axis=1)] = True
        return sets

    def to_state(self) -> dict[str, Any]:
        """Return plain arrays and numbers for `from_state`."""
        return asdict(self) | {"centres": self.centres.astype(np.float32)}

    @classmethod
    def from_state(cls, state: Any, k: int, d: int) -> Self:
        """Return the membership stored in a state; raise an error of `errors.DAMAGE` if a value is invalid."""
        raw, share, quantiles = (np.asarray(state[name], dtype=float) for name in ("raw", "share", "quantiles"))
        centres, scale = np.asarray(state["centres"], dtype=float), float(state["scale"])
        values = (raw, share, quantiles)
        in_range = all(array.ndim == 1 and len(array) and bool(((array >= 0) & (array <= 1)).all()) for array in values)
        ordered = all(bool((np.diff(array) >= 0).all()) for array in values)
        if not in_range or not ordered or len(raw) != len(share) or not 0 <= scale < 1e6:
            raise ValueError("its probabilities are not ascending numbers from 0 to 1")
        if centres.shape != (k, d) or not bool((np.abs(centres) <= 1 + 1e-3).all()):
            raise ValueError("the group centres stored for the probabilities do not match the groups")
        return cls(centres, scale, raw, share, quantiles)

    def _calibrated(self, p: Array) -> Array:
        rows, best = np.arange(len(p)), p.argmax(axis=1)
        top = p[rows, best]
        share = np.interp(top, self.raw, self.share)
        p = p * ((1 - share) / np.maximum(1 - top, _TINY))[:, None]
        p[rows, best] = share
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def _scale(cosines: Array, row: Array, group: Array) -> float:
    """Return the scale of the cosines with the highest likelihood for the pairs of rows and groups."""

    def loss(logarithm: float) -> float:
        return -float(log_softmax(np.exp(logarithm) * cosines, axis=1)[row, group].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-2.0, 6.0), method="bounded").x))


def _cosines(rows: Rows, centres: Array) -> Array:
    return np.asarray(rows.map(centres.astype(rows.dtype), all_scores), dtype=np.float64)
