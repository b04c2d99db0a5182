"""Spherical k-means with local search, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions

from ..errors import InputError
from ..metrics import agreement, stability
from ..rows import Rows, part_of
from ..rows.threads import one_blas_thread
from ..solve.refinement import REFINEMENTS, Plan, every_fit
from ..solve.restarts import completed
from ..solve.spherical import STARTS, SphericalFit
from ..types import Array, Rng, Whole
from .base import CosineClusterer, checked, checked_start, enough_rows, generator, warn_of_few_directions
from .off_topic import OFF_TOPIC_CONSTRAINTS, OFF_TOPIC_FITTED, OffTopicMixin, checked_thrown
from .profile import best_number


class SphericalKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OffTopicMixin, CosineClusterer):  # type: ignore[misc]
    """Groups of documents by the cosine, refined by moves that escape the poor optima of k-means.

    Maximises the sum of the clusters' coherences, `Q = sum_j ||s_j||`, where `s_j` is the sum of cluster j's unit rows
    (Dhillon, Guan and Kogan, Iterative Clustering of High Dimensional Text Data Augmented by Local Search, ICDM 2002).
    No cluster is ever left empty.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
        Number of groups k. "auto": the number that `outgroup.k_profile` chooses, from 2 to 150, whose groups keep
        nearest neighbours together most (docs/decisions/0021-how-many-groups.md).
    init : {"bisect", "k-means++", "random", "random-rows"} or array, default "bisect"
        The start: repeated bisection, k-means++ in cosine distance, a random partition, random rows as centres, an
        array of centres (k, d), or one of labels (n,).
    n_init : int, default 1
        Number of starts; the fit of greatest Q is kept.
    local_search : {"sweep", "first-variation", "chains", "ping-pong", "split-merge"} or None, default "split-merge"
        How Q is climbed. None: batch steps, plain spherical k-means. "sweep": rows in random order move at once to
        where Q gains most, which does what batch steps do in fewer passes. "first-variation": batch steps, then the
        single best move, again and again. "chains": batch steps, then Kernighan-Lin chains of such moves, the paper's
        ping-pong. "ping-pong": batch steps, sweeps, chains. "split-merge": also exchange a merge of two clusters for a
        split of a third.
    chain_length : int, default 10
        Moves in a Kernighan-Lin chain (f in the paper).
    tol : float, default 1e-6
        A refinement is left when it gains no more than this share of Q.
    max_iter : int, default 10000
        Most steps of a climb; a batch step, a sweep and a chain are one each.
    normalize : bool, default True
        Whether rows are scaled to unit length first; set False for rows that have it already.
    off_topic_rate, off_topic_threshold, set_aside :
        What becomes of junk where `fit` has a Universum: as of `MaxMarginClustering`.
    random_state : int, RandomState instance or None, default None
        Makes the result repeatable, whatever the number of threads.

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
    reject_coef_, reject_intercept_, off_topic_, rounds_ : as of `MaxMarginClustering`; None, None, {} and [] without a
        Universum
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Notes
    -----
    Local search on sparse rows in memory needs, beyond X, one inverted copy of it, the sums (d x k) and the products of
    all rows with them (n x k), in the dtype of X; on dense rows the last two alone. More than four times as many rows
    as a sample of 16384 (100 a group, if that is more) begin with the groups of such a sample, and sweeps over all
    rows follow. Of rows that do not lie in memory it works on a sample, whose groups then take batch steps over all.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"bisect", *STARTS}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "local_search": [None, StrOptions({name for name in REFINEMENTS if name is not None})],
        "chain_length": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "normalize": ["boolean"],
        **OFF_TOPIC_CONSTRAINTS,
        "random_state": ["random_state"],
    }
    _fitted = (
        *("cluster_centers_", "labels_", "objective_", "n_iter_", "trace_", "n_clusters_"),
        *("restarts_", "stability_", "n_features_in_"),
        *OFF_TOPIC_FITTED,
    )

    def __init__(
        self,
        n_clusters: Whole | str = 8,
        *,
        init: Any = "bisect",
        n_init: int = 1,
        local_search: str | None = "split-merge",
        chain_length: int = 10,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        normalize: bool = True,
        off_topic_rate: float | None = 0.05,
        off_topic_threshold: str = "mixture",
        set_aside: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.local_search = local_search
        self.chain_length = chain_length
        self.tol = tol
        self.max_iter = max_iter
        self.normalize = normalize
        self.off_topic_rate = off_topic_rate
        self.off_topic_threshold = off_topic_threshold
        self.set_aside = set_aside
        self.random_state = random_state

    @checked
    def fit(self, X: Any, y: Any = None, *, universum: Any = None, thrown_away: Any = None, init: Any = None) -> Self:
        """Find the groups of `X`.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored
        universum : array, sparse matrix or `Rows` of shape (N, d), default None
            Examples of what belongs to no group: junk like them is looked for, set aside, and the rest grouped again
            from the groups that stand.
        thrown_away : (N,) booleans, default None
            Which of these examples were rows of `X` until a person threw them away. They count as rows where the
            threshold is placed, since a person throws away what lies farthest out: that is no sample of the junk.
        init : (n,) whole numbers or a fitted model, default None
            The only start where it is given, in place of the parameter: the group of each row, -1 for a row that is in
            none and goes to the nearest; or a fitted model, for what it predicts.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Fewer rows than clusters, a start that does not fit, or a Universum that is empty or has other columns.
        ValueError
            NaN or infinity in `X` or the Universum.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            Rows in memory have fewer different directions than there are groups.
        """
        warn_of_few_directions(*self._found(X, universum=universum, thrown_away=thrown_away, init=init))
        return self

    def _found(self, X: Any, *, universum: Any = None, thrown_away: Any = None, init: Any = None) -> tuple[Rows, int]:
        """Find the groups and keep them, without a warning; return the scaled rows and how many groups there are."""
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], 1 if self.n_clusters == "auto" else self._k)
        universum = self._checked_universum(universum, X)
        thrown = checked_thrown(thrown_away, universum)
        start = None if init is None else self._started(init, X)
        rng = generator(self.random_state)
        everything = self._scaled(X)
        k = _chosen(everything, rng) if self.n_clusters == "auto" else self._k

        def group(rows: Array | None, before: Array | None) -> int:
            if rows is None:
                self._group(everything, k, start, rng)
            else:
                self._group(part_of(everything, rows), k, before, rng)
            return k

        self._fit_apart(everything, None if universum is None else self._scaled(universum), group, rng, thrown=thrown)
        return everything, k

    def _group(self, X: Rows, k: int, start: Array | None, rng: Rng) -> None:
        """Find the groups of the scaled rows `X` and keep them; `start` (n,) is the only start, if given."""
        plan = Plan(self.init, self.local_search, self.chain_length, self.tol, self.max_iter)
        if start is not None:
            plan = replace(plan, init=completed(X, start, k))
        fits = every_fit(X, k, plan, self.n_init if start is None else 1, rng)
        self._keep(fits, int(np.argmax([found.objective for found in fits])))

    def _started(self, init: Any, X: Any) -> Array:
        if self.n_clusters == "auto":
            raise InputError('init gives the groups that n_clusters="auto" is to choose; give their number')
        k = self._k
        return completed(self._scaled(X), checked_start(init, X, k), k)

    def _keep(self, fits: list[SphericalFit], kept: int) -> None:
        best, agreements = fits[kept], agreement([found.labels for found in fits])
        self.cluster_centers_, self.labels_, self.objective_ = best.centres, best.labels, best.objective
        self.n_iter_, self.trace_, self.n_clusters_ = best.n_iter, best.trace, len(best.centres)
        self.restarts_ = [
            _restart(i, found, i == kept, other)
            for i, (found, other) in enumerate(zip(fits, agreements[:, kept].tolist(), strict=True))
        ]
        self.stability_ = stability(np.array([-found.objective for found in fits]), agreements)

    def transform(self, X: Any) -> Array:
        """Return the cosine of each row of `X` with each concept vector.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        return self.decision_function(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@one_blas_thread()
def _chosen(X: Rows, rng: Rng) -> int:
    return best_number(X, rng)


def _restart(number: int, fit: SphericalFit, kept: bool, agreement: float) -> dict[str, Any]:
    entry = {"objective": fit.objective, "steps": fit.n_iter, "searched": fit.searched}
    return {"restart": number, **entry, "kept": kept, "agreement": agreement}
