"""Spherical k-means with local search, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions

from ..errors import InputError
from ..metrics import agreement, stability
from ..rows import Rows, part_of, weighed_rows
from ..solve.local_search import Schedule
from ..solve.refinement import REFINEMENTS, every_fit
from ..solve.spherical import STARTS, SphericalFit
from ..solve.starts import completed
from ..types import Array, Rng, Whole
from .base import (
    LIMITS,
    CosineClusterer,
    checked_start,
    enough_rows,
    generator,
    warn_of_few_directions,
    weighted_fit,
)
from .off_topic import OffTopicMixin
from .profile import best_number


@dataclass(eq=False, repr=False)
class SphericalKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OffTopicMixin, CosineClusterer):  # type: ignore[misc]
    """Spherical k-means refined by local search, which escapes poor local optima.

    Maximises the sum of the clusters' coherences, `Q = sum_j ||s_j||`, where `s_j` is the sum of cluster j's unit rows
    (Dhillon, Guan and Kogan, Iterative Clustering of High Dimensional Text Data Augmented by Local Search, ICDM 2002).
    No cluster is empty, unless there are fewer different rows than clusters.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
        Number of groups k. "auto": a number from 2 to 150, as `outgroup.k_profile` chooses it
        (docs/decisions/0021-how-many-groups.md).
    init : {"bisect", "k-means++", "random", "random-rows"} or array, default "bisect"
        The start: repeated bisection, k-means++ in cosine distance, a random partition, random rows as centres, an
        array of centres (k, d), or one of labels (n,).
    n_init : int, default 1
        Number of starts; the fit of greatest Q is kept.
    local_search : {"sweep", "first-variation", "chains", "ping-pong", "split-merge"} or None, default "split-merge"
        How to maximise Q. None: batch steps, plain spherical k-means. "sweep": single moves of largest gain, rows in
        random order; fewer passes than batch steps. "first-variation": batch steps, then repeated single best moves.
        "chains": batch steps, then Kernighan-Lin chains of such moves, the paper's ping-pong. "ping-pong": batch steps,
        sweeps, chains. "split-merge": also exchange a merge of two clusters for a split of a third.
    chain_length : int, default 10
        Moves in a Kernighan-Lin chain (f in the paper).
    tol : float, default 1e-6
        A refinement stops when it gains at most this share of Q.
    max_iter : int, default 10000
        Most steps of local search; a batch step, a sweep and a chain count one each.
    normalize : bool, default True
        Whether to scale rows to unit length; set False for rows of unit length.
    off_topic_rate, off_topic_threshold, set_aside :
        Treatment of off-topic documents, as in `MaxMarginClustering`.
    random_state : int, RandomState instance or None, default None
        Makes the result reproducible for any number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each document; -1 for one that is set aside
    n_clusters_ : number of groups, the chosen one with "auto"
    cluster_centers_ : (k, d) float64, the concept vectors, of unit length
    objective_ : Q, the sum of coherences
    n_iter_, trace_ : number of steps and a dictionary for each: kind, objective, moved (rows)
    restarts_ : for each start: restart, objective, steps, searched (how many rows local search worked on), kept,
        agreement (adjusted Rand index with the kept one)
    stability_ : expected agreement (adjusted Rand index) of two such fits with half the starts each; nan for one start
    reject_coef_, reject_intercept_, off_topic_ : as of `MaxMarginClustering`; None, None and {} without a Universum
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    Memory beyond X for sparse rows: one inverted copy of X, the sums (d x k) and the products of all rows with them
    (n x k), in the dtype of X; for dense rows the last two. More than four times 16,384 rows (or 100 a group, if that
    is more) start from the groups of a sample of that size, followed by sweeps over all rows. For rows outside memory
    local search uses a sample; its groups then take batch steps over all rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [np.cos(0.9), np.sin(0.9)], [0.0, 1.0]])  # the paper's example 3.1
    >>> start = np.array([0, 0, 1])
    >>> round(SphericalKMeans(n_clusters=2, init=start, local_search=None).fit(X).objective_, 6)
    2.800894
    >>> round(SphericalKMeans(n_clusters=2, init=start, local_search="first-variation").fit(X).objective_, 6)
    2.888559
    """

    starts_from: ClassVar[tuple[str, ...]] = ("labels", "model")
    _warns = True  # False for internal fits: see `seeded.fitted`

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"bisect", *STARTS}), "array-like"],
        "n_init": [Interval(Integral, 1, LIMITS.starts, closed="both")],
        "local_search": [None, StrOptions({name for name in REFINEMENTS if name is not None})],
        "chain_length": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
        **OffTopicMixin._parameter_constraints,
    }
    _fitted = ("cluster_centers_", "n_clusters_", "restarts_", "stability_", *OffTopicMixin._fitted)

    n_clusters: Whole | str = 8
    _: KW_ONLY
    init: Any = "bisect"
    n_init: int = 1
    local_search: str | None = "split-merge"
    chain_length: int = 10
    tol: float = 1e-6
    max_iter: int = 10_000
    normalize: bool = True

    @weighted_fit
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        universum: Any = None,
        discarded: Any = None,
        init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Find the groups of `X`.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored
        universum : array, sparse matrix or `Rows` of shape (N, d), default None
            Examples of off-topic documents. Documents like them are set aside, and the rest is grouped again from the
            first groups.
        discarded : (N,) booleans, default None
            True for examples that were rows of `X` until a user discarded them. The threshold counts them as rows: the
            farthest rows are discarded first, so they are not a sample of the off-topic documents.
        init : (n,) whole numbers or a fitted model, default None
            The only start, if given, in place of the parameter: the group of each row, -1 for a row without one, which
            joins the nearest; or a fitted model, for its predictions.
        sample_weight : (n,) numbers from 0 to 1e9, default None
            The weight of each row; None for equal ones. Weights of whole numbers equal repeated rows, from the same
            start. Q is then `sum_i w_i cos(x_i, c)`. A row of weight 0 takes no part, and gets the group of `predict`.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Fewer rows than clusters; a start that does not match `X`; an empty Universum or one with other columns.
        ValueError
            NaN or infinity in `X` or the Universum.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Rows in memory have fewer different directions than there are groups: equal rows stay together, and some
            groups are empty.
        """
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], 1 if self.n_clusters == "auto" else self._k)
        if init is not None and self.n_clusters == "auto":
            raise InputError('n_clusters="auto" is not valid with init: give the number of groups in init')
        examples, everything = self._examples(universum, discarded, X), self._scaled(X)
        rng = generator(self.random_state)
        k = best_number(everything, rng) if self.n_clusters == "auto" else self._k

        start = None if init is None else completed(everything, checked_start(init, X, k), k)

        def group(rows: Array, before: Array | None) -> None:
            weights = None if sample_weight is None else sample_weight[rows]
            self._group(part_of(everything, rows), k, start if before is None else before, rng, weights)

        self._fit_apart(everything, examples, group, rng)
        if self._warns and warn_of_few_directions(everything, k):
            # The search leaves no group empty, and parts equal rows: they go to the first of their groups.
            first = self.decision_function(self._rows).argmax(axis=1)
            self.labels_ = np.where(self.labels_ < 0, self.labels_, first).astype(np.int32)
        return self

    def _group(self, X: Rows, k: int, start: Array | None, rng: Rng, weights: Array | None = None) -> None:
        """Find the groups of the scaled rows `X` and store them; `start` (n,), if given, is the only start."""
        scale = 1.0 if weights is None else float(weights.mean())  # the search has limits for rows of about length 1
        X = weighed_rows(X, None if weights is None else weights / scale)
        init = self.init if start is None else completed(X, start, k)
        schedule = Schedule(self.local_search, self.chain_length, self.tol, self.max_iter, init)
        fits = every_fit(X, k, schedule, self.n_init if start is None else 1, rng)
        fits = fits if weights is None else [_scaled(fit, scale) for fit in fits]
        self._keep(fits, int(np.argmax([fit.objective for fit in fits])))

    def _keep(self, fits: list[SphericalFit], winner: int) -> None:
        best, agreements = fits[winner], agreement([fit.labels for fit in fits])
        self.cluster_centers_, self.labels_, self.objective_ = best.centres, best.labels, best.objective
        self.n_iter_, self.trace_, self.n_clusters_ = best.n_iter, best.trace, len(best.centres)
        self.restarts_ = [
            {
                "restart": i,
                "objective": fit.objective,
                "steps": fit.n_iter,
                "searched": fit.searched,
                "kept": i == winner,
                "agreement": float(agreements[i, winner]),
            }
            for i, fit in enumerate(fits)
        ]
        self.stability_ = stability(np.array([-fit.objective for fit in fits]), agreements)

    def transform(self, X: Any) -> Array:
        """Return the cosines of the rows of `X` with the concept vectors.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.
        """
        return self.decision_function(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _scaled(fit: SphericalFit, scale: float) -> SphericalFit:
    trace = [{**step, "objective": scale * step["objective"]} for step in fit.trace]
    return replace(fit, objective=scale * fit.objective, trace=trace)
