"""Multiclass maximum-margin clustering by cutting planes, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

from sklearn.utils._param_validation import Interval, StrOptions

from ..rows import as_rows, part_of
from ..solve.cpm3c import CuttingPlaneObjective
from ..solve.max_margin import Data, checked_balance
from ..solve.starts import start_of
from ..types import Array, OnStep, Whole, no_op
from .base import (
    LIMITS,
    LinearClusterer,
    checked_start,
    enough_rows,
    generator,
    warn_of_empty_groups,
    weighted_fit,
)
from .off_topic import OffTopicMixin


@dataclass(eq=False, repr=False)
class CPM3C(OffTopicMixin, LinearClusterer):
    """Maximum-margin clustering against the nearest rival group, by cutting planes (CPM3C).

    Minimises, over W (k, d), with S = X W^T and p_i, r_i the best cluster and the runner-up of row i::

        J(W) = 1/2 ||W||^2 + C/n sum_i v_i max(0, 1 - (S[i,p_i] - S[i,r_i]))

    by adding the most violated constraint until none is violated by more than `epsilon`; after each, the
    concave-convex procedure solves the problem over the constraints so far (Zhao, Wang and Zhang, Efficient
    MultiClass Maximum Margin Clustering, ICML 2008; its beta is 1/C, its v_i are 1). Neither loop need descend: the W
    of lowest J is kept. For other kernels put `sklearn.kernel_approximation` or kernel PCA before it in a pipeline. Of
    more than about four groups it may leave some without rows (docs/cpm3c.md); `MaxMarginClustering` does not.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups k; 1 has no margins and puts every row in one group.
    C : float or "auto", default "auto"
        Weight of the loss. "auto" is 3 times the C at which margins reach 1 in the mean while the problem is still
        linear; it has no unit and is computed from the start.
    epsilon : float, default 0.01
        Largest violation of a constraint at the end, in units of the margin; J is within C * epsilon of the problem
        over the constraints found.
    center : bool, default True
        Whether to centre rows at their mean, implicitly. It prevents one cluster from taking all rows, so `balance` is
        not needed.
    balance : float or None, default None
        Largest difference between two clusters' summed scores (l in the paper). Only without centring.
    class_weight : "balanced" or None, default "balanced"
        Weight v_i of a row's loss: "balanced" n / (k n_g), with n_g the size of its group in the start; None: 1, the
        paper's form, which empties more groups (docs/decisions/0009).
    n_init : int, default 4
        Number of default fits of `SphericalKMeans`; the one of highest coherence is the start.
    tol : float, default 0.01
        The inner procedure stops when a step reduces its objective by less than this share.
    max_cuts : int, default 200
        Most constraints.
    off_topic_rate, off_topic_threshold, set_aside :
        Treatment of off-topic documents, as in `MaxMarginClustering`.
    random_state : int, RandomState instance or None, default None
        Makes the result reproducible for any number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each row, numbered by size, largest first, and of equal ones by their first
        rows; -1 for one that is set aside
    coef_, intercept_ : (k, d) and (k,) float64, the decision function's weights
    objective_, lower_bound_ : J, and a lower bound on the last convex problem (not on J)
    C_ : the weight used
    n_iter_, trace_ : number of constraints, and for each: step, objective, working (the objective over the constraints
        found), lower_bound, gap (relative, of the last convex problem), violation, cccp_steps, moved (the first, and
        objective, lower_bound, gap and moved alone where the start is the result)
    reject_coef_, reject_intercept_, off_topic_ : as of `MaxMarginClustering`; None, None and {} without a Universum
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    Memory beyond X: for each constraint n int32 and a (k, d) float64 array, with room for as many again.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 0.1], [0.9, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.9, 0.0]])
    >>> groups = CPM3C(n_clusters=2, n_init=3, random_state=0).fit(X)
    >>> groups.labels_ == groups.labels_[0]
    array([ True,  True, False, False])
    """

    starts_from: ClassVar[tuple[str, ...]] = ("labels", "model")
    reports: ClassVar[tuple[str, ...]] = ("on_step",)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "C": [StrOptions({"auto"}), Interval(Real, 0, LIMITS.risk, closed="right")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "center": ["boolean"],
        "balance": [None, Interval(Real, 0, None, closed="left")],
        "class_weight": [None, StrOptions({"balanced"})],
        "n_init": [Interval(Integral, 1, LIMITS.starts, closed="both")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_cuts": [Interval(Integral, 1, None, closed="left")],
        **OffTopicMixin._parameter_constraints,
    }
    _fitted = ("coef_", "intercept_", "lower_bound_", "C_", *OffTopicMixin._fitted)

    n_clusters: Whole = 8
    _: KW_ONLY
    C: float | str = "auto"
    epsilon: float = 0.01
    center: bool = True
    balance: float | None = None
    class_weight: str | None = "balanced"
    n_init: int = 4
    tol: float = 0.01
    max_cuts: int = 200

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
        on_step: OnStep | None = None,
    ) -> Self:
        """Find the groups of `X`.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored
        universum : array, sparse matrix or `Rows` of shape (N, d), default None
            Examples of off-topic documents. Documents like them are set aside, and the rest is grouped again from the
            first groups. An extension of the paper's method.
        discarded : (N,) booleans, default None
            True for examples that were rows of `X` until a user discarded them. The threshold counts them as rows: the
            farthest rows are discarded first, so they are not a sample of the off-topic documents.
        init : (n,) whole numbers or a fitted model, default None
            The only start, if given: the group of each row, -1 for a row without one, which joins the group of its
            highest score; or a fitted model, for its predictions. Groups then keep their numbers.
        sample_weight : (n,) numbers from 0 to 1e9, default None
            The weight of each row; None for equal ones. Weights of whole numbers equal repeated rows, from the same
            start. The risk has the weights w_i / sum w. A row of weight 0 takes no part, and gets the group of
            `predict`.
        on_step : callable, optional
            Called after each constraint with its entry of the trace; an exception that it raises ends the fit.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Fewer rows than clusters; equal rows; `balance` on centred rows; a start with a wrong length or range; an
            empty Universum or one with other columns.
        ValueError
            NaN or infinity in `X` or the Universum.
        """
        X, k, alone = self._checked(X, reset=True), self._k, init is not None
        enough_rows(X.shape[0], k)
        examples, rng = self._examples(universum, discarded, X), generator(self.random_state)
        given = None if init is None else checked_start(init, X, k)

        def group(rows: Array, before: Array | None) -> None:
            data = Data(as_rows(part_of(X, rows)), center=self.center)
            data = data.sampled(None if sample_weight is None else sample_weight[rows])
            objective = CuttingPlaneObjective(
                data,
                k,
                self.C,
                self.epsilon,
                balance=checked_balance(data.original, self.balance, center=self.center, weights=data.sample),
                tol=self.tol,
                max_cuts=self.max_cuts,
                class_weight=self.class_weight,
            )
            start = given if before is None else before
            start = start_of(data, k, rng.spawn(1)[0], int(self.n_init), start, fixed=alone)
            objective, fit = objective.fit(start, found=not alone, on_step=on_step or no_op)
            self._keep(objective, fit, numbered=alone)
            warn_of_empty_groups(fit, "choose fewer groups, or use MaxMarginClustering, which compares all rivals")

        self._fit_apart(X, examples, group, rng)
        return self
