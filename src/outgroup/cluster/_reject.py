"""What a maximum-margin estimator knows of off-topic documents: a score, a threshold, a verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError
from ..rows import as_rows
from ..rows.threads import one_blas_thread
from ..solve.data import Data
from ..solve.reject import RejectProblem, off_topic_scores
from ..solve.threshold import calibrate, choose
from ..types import Array
from ._base import LinearClusterer

_FOLDS = 3
_HELD_OUT_GAP = 1e-2  # the folds only place a threshold


class OffTopicMixin(LinearClusterer):
    """Adds `off_topic_score`, and `predict` with a verdict, to an estimator with `off_topic_rate` and its threshold."""

    n_clusters: int
    gap: float
    off_topic_rate: float | None
    off_topic_threshold: str
    labels_: Array
    reject_coef_: Array | None
    reject_intercept_: Array | None
    off_topic_: dict[str, Any]

    def off_topic_score(self, X: Any) -> Array:
        """Return how far each row of `X` is from all groups, shape (n,); higher is more off-topic.

        With a Universum: the score of the reject row less the best group's. Without: minus the margin between the two
        best groups, a much weaker sign (docs/off_topic.md), and 0 for a single group.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if self.reject_coef_ is None:
            return minus_margin(self.decision_function(X))
        with one_blas_thread():
            return off_topic_scores(as_rows(X), self.reject_coef_, self.reject_intercept_)

    def predict(self, X: Any, *, off_topic: bool = False) -> Array:
        """Return the group of each row of `X`, shape (n,) int32: the one of the highest score.

        With `off_topic`, rows that score above `off_topic_["value"]` get -1; raises InputError where the estimator was
        fitted with `off_topic_rate=None`.
        """
        labels = super().predict(X)
        if off_topic and not self.off_topic_:
            raise InputError("no off-topic threshold was fitted; fit again with off_topic_rate=0.05, say")
        if off_topic:
            labels[self.off_topic_score(X) > self.off_topic_["value"]] = -1
        return labels

    def _learn_off_topic(self, data: Data, energy: float, rng: Any, *, side_by_side: bool) -> None:
        """Set the reject row and the threshold, from rows as fitted; `energy` is a target row's mean squared length."""
        rows, universum = data.rows, data.universum
        if self.off_topic_rate is None:
            self.reject_coef_ = self.reject_intercept_ = None
            self.off_topic_ = {}
            return
        if universum is None:
            self.reject_coef_ = self.reject_intercept_ = None
            held_out, examples = minus_margin(rows.map(self.coef_, lambda scores: scores)), None
        else:
            reject = RejectProblem(
                rows, universum, self.labels_, self.n_clusters, energy, self.gap, side_by_side=side_by_side
            )
            V, held_out, examples = reject.learn(_FOLDS, rng, _HELD_OUT_GAP)
            self.reject_coef_, self.reject_intercept_ = V, -V @ data.mean
        self.off_topic_ = choose(calibrate(held_out, examples, self.off_topic_rate), self.off_topic_threshold)


def minus_margin(scores: Array) -> Array:
    """Return minus the difference of the two highest of each row of `scores` (n, k); zeros for one column."""
    if scores.shape[1] < 2:
        return np.zeros(len(scores), dtype=scores.dtype)
    best = np.partition(scores, -2, axis=1)
    return np.asarray(best[:, -2] - best[:, -1])


def energy(X: Any, mean: Array) -> float:
    """Return the mean squared length of the rows of `X`, a matrix (n, d) or `Rows`, less `mean`."""
    squares = as_rows(X).squares()
    return max(float(squares.mean()) - float(mean @ mean), float(np.finfo(X.dtype).tiny))
