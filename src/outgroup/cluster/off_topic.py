"""Off-topic rows in a clusterer: the score, the threshold, and the fit without off-topic rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..errors import InputError
from ..rows import Rows, as_rows, highest, original_of
from ..rows.threads import one_blas_thread
from ..solve.max_margin import MAX_MARGIN, small
from ..solve.off_topic import OffTopicFit, OffTopicSearch
from ..solve.reject import minus_margins, off_topic_scores
from ..solve.threshold import Threshold, threshold_for
from ..types import Array, Rng
from .base import ScoringClusterer, checked_like

Group = Callable[[Array, Array | None], None]
"""Fits the rows with the given numbers from a partition of them (None: the default start), and keeps the result."""


@dataclass(eq=False, repr=False, kw_only=True)
class OffTopicMixin(ScoringClusterer):
    """A clusterer with `off_topic_score`, the off-topic threshold, and the fit without off-topic rows."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "off_topic_rate": [None, Interval(Real, 0, 1, closed="neither")],
        "off_topic_threshold": [StrOptions({"mixture", "conformal"})],
        "set_aside": ["boolean"],
        "random_state": ["random_state"],
    }
    _fitted: ClassVar[tuple[str, ...]] = (
        *("labels_", "objective_", "n_iter_", "trace_", "n_features_in_"),
        *("reject_coef_", "reject_intercept_", "off_topic_"),
    )

    off_topic_rate: float | None = 0.05
    off_topic_threshold: str = "mixture"
    set_aside: bool = True
    random_state: Any = None

    def off_topic_score(self, X: Any) -> Array:
        """Return the off-topic scores of the rows of `X`; higher is more off-topic.

        With a Universum: the highest score of the reject rows minus the highest group score. Without: minus the margin
        between the two best groups, a much weaker signal (docs/off_topic.md), and 0 for a single group.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n,) array, in the dtype of `X`

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.
        """
        check_is_fitted(self)
        return self._off_topic_scores(self._as_fitted(X))

    def predict(self, X: Any, *, off_topic: bool | None = None) -> Array:
        """Return the groups of the rows of `X`: the argmax of its scores.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        off_topic : bool or None, default None
            True: flagged rows, with a score above `off_topic_["value"]`, get -1. None: rows that the fit would have set
            aside do, above `off_topic_["aside"]` if that is a number. False gives every row a group.

        Returns
        -------
        (n,) int32 array
            From 0 to k - 1; ties go to the lower number. -1 for off-topic rows.

        Raises
        ------
        InputError
            `off_topic` is True and the fit has no off-topic threshold.
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.
        """
        check_is_fitted(self)
        rows = self._as_fitted(X)
        aside = self.set_aside and self.reject_coef_ is not None
        if off_topic and not self.off_topic_:
            raise InputError("no off-topic threshold was fitted; fit again with a universum and off_topic_rate=0.05")
        labels = highest(rows, *self._directions())
        if not (aside if off_topic is None else off_topic):
            return labels
        least = self._aside_above if off_topic is None else self.off_topic_["value"]
        return np.where(self._off_topic_scores(rows) > least, np.int32(-1), labels)

    @property
    def _aside_above(self) -> float:
        """The score above which a row is set aside, or flagged if `set_aside` is False."""
        threshold = Threshold(**self.off_topic_)
        return threshold.aside_above if self.set_aside else threshold.value

    def _off_topic_scores(self, rows: Rows) -> Array:
        """Return the off-topic scores of prepared rows, (n,)."""
        if self.reject_coef_ is None:
            return minus_margins(rows, *self._directions())
        return off_topic_scores(original_of(rows), self.reject_coef_, self.groups, self.reject_intercept_)

    def _examples(self, universum: Any, discarded: Any, X: Any) -> tuple[Rows | None, Array | None]:
        """Return the checked off-topic examples, prepared as rows, and the mask of those that a user discarded, (N,).

        Either is None if there are none.
        """
        if universum is None:
            return None, None
        columns, names = getattr(self, "feature_names_in_", None), getattr(universum, "columns", None)
        if columns is not None and names is not None and len(names) == len(columns) and list(names) != list(columns):
            raise InputError("universum must have the columns of X in the same order: give universum[X.columns]")
        rows = self._scaled(checked_like(universum, X, "universum"))
        discarded = np.zeros(rows.shape[0], dtype=bool) if discarded is None else np.asarray(discarded)
        if discarded.shape != rows.shape[:1] or discarded.dtype.kind != "b":
            form = f"shape {discarded.shape}, dtype {discarded.dtype}"
            raise InputError(f"discarded has {form}; give {rows.shape[0]} booleans, one for each example")
        return rows, discarded if discarded.any() else None

    @one_blas_thread()
    def _fit_apart(
        self,
        X: Any,
        examples: tuple[Rows | None, Array | None],
        group: Group,
        rng: Rng,
        pinned: Array | None = None,
    ) -> None:
        """Group the rows `X`, find off-topic rows, set them aside, and group the remaining rows again.

        The search uses the original rows of averaged ones. `examples` are those of `_examples`; rows in the mask
        `pinned` (n,) stay. Sets the reject row, the threshold, and -1 in `labels_` for rows set aside.
        """
        self._forget()
        (universum, discarded), n = examples, X.shape[0]
        group(np.arange(n), None)
        first, k = self.labels_, self.groups
        if universum is None or self.off_topic_rate is None:
            return
        search = self._search(X, universum, k, np.zeros(n, dtype=bool) if pinned is None else pinned, discarded)
        result = search.fit(first, k, np.ones(n, dtype=bool), rng)
        if self.set_aside and result.out.any():
            rest = np.flatnonzero(~result.out)
            group(rest, first[rest])
        self._keep_verdict(result)

    @one_blas_thread()
    def _judge(
        self,
        search: OffTopicSearch,
        inside: Array,
        rng: Rng,
        threshold: dict[str, Any] | None,
        before: tuple[Array, Array] | None,
    ) -> None:
        """Find off-topic rows for the fixed groups `labels_` (n,), and set them aside.

        `inside` (n,) is the mask of rows in groups before; a given `threshold` is not placed again. `before` is the
        previous reject row, weights and intercepts.
        """
        earlier = None if threshold is None else Threshold(**threshold)
        result = search.fit(self.labels_, self.groups, inside, rng, earlier, before)
        if self.set_aside:
            self.labels_ = self.labels_[~result.out]
        self._keep_verdict(result)

    def _forget(self) -> None:
        self.reject_coef_, self.reject_intercept_, self.off_topic_ = None, None, {}

    def _search(self, X: Any, universum: Any, k: int, pinned: Array, discarded: Array | None) -> OffTopicSearch:
        rows = original_of(as_rows(X))
        return OffTopicSearch(
            rows,
            original_of(as_rows(universum)),
            pinned,
            float(self.off_topic_rate or 0.0),
            self.off_topic_threshold,
            getattr(self, "center", OffTopicSearch.center),
            float(getattr(self, "gap", OffTopicSearch.gap)),
            small(rows, MAX_MARGIN.usual_cuts * (k + 1) * rows.shape[1]),
            discarded,
        )

    def _keep_verdict(self, result: OffTopicFit) -> None:
        """Store the result of the search; if rows are set aside, extend `labels_` to all rows."""
        self.reject_coef_, self.reject_intercept_ = result.coef, result.intercept
        self.off_topic_ = asdict(result.threshold)
        if self.set_aside:
            labels = np.full(len(result.out), -1, dtype=np.int32)
            labels[~result.out] = self.labels_
            self.labels_ = labels

    def _by_margin(self, X: Any) -> None:
        """Set the off-topic threshold of a fit without a Universum, by the negative margins of the rows `X`."""
        if self.off_topic_rate is not None:
            scores = minus_margins(as_rows(X), *self._directions())
            self.off_topic_ = asdict(threshold_for(scores, None, self.off_topic_rate, self.off_topic_threshold))
