"""Several groups of a row: a logistic regression for each group, against all other rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit

from ..rows import as_rows
from ..rows.base import all_scores
from ..rows.blocks import evenly_spaced
from ..rows.threads import ordered_map
from ..rows.wrappers import sampled
from ..stopping import stop_if_asked
from ..types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants, chosen on Reuters' documents of several topics (`bench several`)."""

    penalty: float = 30.0  # C of a regression; with 3, half of the documents of small collections had further groups
    most: int = 50_000  # rows of a regression
    sure: float = 30.0  # logit of a group that holds all rows, or, negative, none
    folds: int = 5
    least: int = 20  # rows with further groups: fewer give no precision and recall


SEVERAL = _Constants()


class HeldOut(NamedTuple):
    """Precision and recall of the further groups of `documents` labelled documents, by cross-validation."""

    documents: int
    precision: float
    recall: float


@dataclass(frozen=True, eq=False)
class Several:
    """The probability of each of k groups, each by itself, for rows with d columns.

    Parameters
    ----------
    coef : (k, d) float32 array
    intercept : (k,) float32 array

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 20, axis=0)
    >>> found = Several.of(X, np.repeat(np.eye(3, dtype=bool), 20, axis=0))
    >>> found.of_new(np.array([[0.7, 0.7, 0.0]])).argmin(axis=1).tolist()
    [2]
    """

    coef: Array
    intercept: Array

    @classmethod
    def of(cls, X: Any, held: Array) -> Self:
        """Learn from the rows `X` (n, d) and the groups that hold them, (n, k) bool; at most 50,000 rows."""
        from sklearn.linear_model import LogisticRegression  # a fifth of a second to import

        some = evenly_spaced(len(held), SEVERAL.most)
        rows, held = sampled(as_rows(X), some), held[some]

        def fitted(own: Array) -> Array:
            stop_if_asked()
            if own.all() or not own.any():
                return np.append(np.zeros(rows.shape[1]), SEVERAL.sure if own.any() else -SEVERAL.sure)
            found = LogisticRegression(C=SEVERAL.penalty, solver="liblinear").fit(rows, own)
            return np.append(found.coef_[0], found.intercept_)

        both = np.array(ordered_map(fitted, held.T), dtype=np.float32)
        return cls(both[:, :-1], both[:, -1])

    def of_new(self, X: Any) -> Array:
        """Return the probability of each group for the rows `X` (m, d): (m, k); rows need not sum to 1."""
        return np.asarray(expit(as_rows(X).map(self.coef, all_scores).astype(np.float64) + self.intercept))

    def to_state(self) -> dict[str, Any]:
        """Return plain arrays for `from_state`."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Any, k: int, d: int) -> Self:
        """Return the regressions stored in a state; raise an error of `errors.DAMAGE` if a value is invalid."""
        coef, intercept = (np.asarray(state[name], dtype=np.float32) for name in ("coef", "intercept"))
        finite = bool(np.isfinite(coef).all() and np.isfinite(intercept).all())
        if coef.shape != (k, d) or intercept.shape != (k,) or not finite:
            raise ValueError("its regressions of several groups do not match the groups")
        return cls(coef, intercept)


def crossed(X: Any, held: Array) -> Array:
    """Return the probability of each group for the rows `X` (n, d), by regressions without them, (n, k).

    `held` (n, k) bool are the groups of the rows. A regression has four of five folds, so that the group of a row does
    not lower its other probabilities.
    """
    rows, fold, found = as_rows(X), np.arange(len(held)) % SEVERAL.folds, np.zeros(held.shape)
    for number in range(SEVERAL.folds):
        out, rest = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        if len(out) and len(rest):
            found[out] = Several.of(sampled(rows, rest), held[rest]).of_new(sampled(rows, out))
    return found


def held_out(p: Array, held: Array, own: Array, least: float) -> HeldOut | None:
    """Return precision and recall of the groups beside the `own` one (m,) with at least the probability `least`.

    `p` (m, k) are probabilities of `crossed` for rows with labels of several groups, `held` (m, k) bool. Returns None
    for too few rows.
    """
    if len(p) < SEVERAL.least:
        return None
    others = own[:, None] != np.arange(p.shape[1])
    chosen, true = (p >= least) & others, held & others
    right = int((chosen & true).sum())
    return HeldOut(len(p), right / max(1, int(chosen.sum())), right / max(1, int(true.sum())))
