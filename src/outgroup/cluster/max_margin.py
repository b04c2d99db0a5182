"""Maximum-margin clustering with a Universum, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ..rows import as_rows
from ..rows.threads import one_blas_thread
from ..solve.max_margin import Best, Problem, best_of
from ._base import checked_like, enough_rows
from ._off_topic import OffTopicMixin, energy

Progress = Callable[[int, int], None]


class MaxMarginClustering(OffTopicMixin):
    """Groups with the widest margins, steered by examples of what belongs to none of them (M2DCU).

    Minimises, over W (k, d), with S = X W^T on rows centred at the mean of X,

        J(W) = 1/2 ||W||^2 + C R_l(W) + C_universum R_u(W)
        R_l  = 1/(n k) sum_i sum_{r != u_i} max(0, 1 - (S[i,u_i] - S[i,r])),       u_i = argmax_p S[i,p]
        R_u  = 1/N sum_j max(0, k/(k-1) (max_p S*[j,p] - mean_p S*[j,p]) - epsilon)

    by the concave-convex procedure over a two-view cutting-plane method, each convex problem to a proven gap, from
    `n_init` starts, of which the lowest J is kept (Zhang, Wang and Si, Document Clustering with Universum, SIGIR 2011).

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups k; 1 has no margins and puts every document in one group.
    C : float or "auto", default "auto"
        Weight of the target documents' risk. "auto" is 3 times the C at which margins reach 1 in the mean while the
        problem is still linear; it has no unit and is computed from the first start (docs/decisions/0004).
    C_universum : float or "auto", default "auto"
        Weight of the Universum's risk; "auto" is that of the targets. Without `universum` it plays no part.
    epsilon : float, default 0.5
        How far a Universum document may lean to a group for free.
    center : bool, default True
        Whether rows are centred at the targets' mean, implicitly, so sparse rows stay sparse. That keeps one cluster
        from winning all, and `balance` has nothing left to do.
    balance : float or None, default None
        Without centring only: the most by which two clusters' summed scores may differ (l in the paper).
    n_init : int, default 10
        Number of starts, each a spherical k-means from random rows.
    tol : float, default 0.01
        The descent stops when a step wins less than this share of J.
    gap : float, default 1e-3
        Largest relative gap between each convex problem's value and its lower bound.
    max_iter : int, default 100
        Most steps of the descent.
    off_topic_rate : float, default 0.05
        The promise of the off-topic verdict: at most this share of on-topic documents is thrown out.
    off_topic_threshold : "conformal" or "mixture", default "conformal"
        How the threshold is set: "conformal" is certain, and never flags more than `off_topic_rate` of the collection;
        "mixture" estimates how much junk there is, finds far more where there is much, and is less certain with few
        examples. Both are in `off_topic_`, with what to expect of them (docs/off_topic.md).
    random_state : int, RandomState instance or None, default None
        Makes the result repeatable, whatever the number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each document; groups are numbered by size, largest first
    coef_, intercept_ : (k, d) and (k,) float64, the decision function's weights
    objective_, lower_bound_ : J, and a lower bound on the last convex problem
    C_, C_universum_ : the weights used
    n_iter_, trace_ : number of steps, and for each: step, objective, anchored, lower_bound, gap, cuts, moved
    restarts_ : for each start: restart, objective, steps, gap, kept, agreement (adjusted Rand index with the kept one)
    stability_ : expected agreement (adjusted Rand index) of two such fits with half the starts each; nan for one start
    reject_coef_, reject_intercept_ : (k + 1, d) and (k + 1,), "none of these" last; None without a Universum
    off_topic_ : the verdict's threshold: method, rate, value, flagged, and share, precision, recall to be expected;
        `choices` has the same for each method
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Notes
    -----
    Memory beyond X: n * k scores in blocks, and a (k, d) float64 array for each cut held, commonly 20 to 60.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 0.1], [0.9, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.9, 0.0]])
    >>> groups = MaxMarginClustering(n_clusters=2, n_init=3, random_state=0).fit(X, universum=[[0.5, 0.5, 0.0]])
    >>> groups.labels_[0] == groups.labels_[1], groups.labels_[0] == groups.labels_[2]
    (np.True_, np.False_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "C": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "C_universum": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "center": ["boolean"],
        "balance": [None, Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "gap": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "off_topic_rate": [Interval(Real, 0, 1, closed="neither")],
        "off_topic_threshold": [StrOptions({"mixture", "conformal"})],
        "random_state": ["random_state"],
    }
    _fitted = (
        *("coef_", "intercept_", "labels_", "objective_", "lower_bound_", "C_", "C_universum_"),
        *("n_iter_", "trace_", "restarts_", "stability_", "n_features_in_"),
        *("reject_coef_", "reject_intercept_", "off_topic_"),
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        C: float | str = "auto",
        C_universum: float | str = "auto",
        epsilon: float = 0.5,
        center: bool = True,
        balance: float | None = None,
        n_init: int = 10,
        tol: float = 0.01,
        gap: float = 1e-3,
        max_iter: int = 100,
        off_topic_rate: float = 0.05,
        off_topic_threshold: str = "conformal",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.C = C
        self.C_universum = C_universum
        self.epsilon = epsilon
        self.center = center
        self.balance = balance
        self.n_init = n_init
        self.tol = tol
        self.gap = gap
        self.max_iter = max_iter
        self.off_topic_rate = off_topic_rate
        self.off_topic_threshold = off_topic_threshold
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, universum: Any = None, progress: Progress | None = None) -> Self:
        """Find the groups of `X` (n, d), kept apart from `universum` (N, d); `y` is ignored.

        `progress(done, total)` is called after each start. Raises InputError for fewer rows than clusters, equal rows,
        a Universum that is empty or has other columns, and `balance` on centred rows; ValueError for NaN and infinity.
        """
        X = self._checked(X, reset=True)
        enough_rows(X.shape[0], self.n_clusters)
        if universum is not None:
            universum = as_rows(checked_like(universum, X, "universum"))
        with one_blas_thread():
            problem = Problem(
                as_rows(X), universum, self.n_clusters, center=self.center, balance=self.balance, epsilon=self.epsilon,
                C=self.C, C_universum=self.C_universum, tol=self.tol, gap=self.gap, max_iter=self.max_iter,
            )  # fmt: skip
            rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
            best = best_of(problem, self.n_init, rng, progress or (lambda done, total: None))
            self._keep(best)
            self._learn_off_topic(problem.rows, problem.universum, problem.mean, energy(X, problem.mean), rng)
        return self

    def _keep(self, best: Best) -> None:
        self.coef_, self.intercept_, self.labels_ = best.fit.weights, best.intercept, best.fit.labels
        self.objective_, self.lower_bound_ = best.fit.objective, best.fit.lower_bound
        self.C_, self.C_universum_ = best.C, best.C_universum
        self.n_iter_, self.trace_ = best.fit.n_iter, best.fit.trace
        self.restarts_, self.stability_ = best.restarts, best.stability
