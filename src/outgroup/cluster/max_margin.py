"""Maximum-margin clustering with a Universum, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..rows import as_rows, part_of
from ..solve.labels import Regrouping
from ..solve.max_margin import MAX_MARGIN, Data, MarginObjective, Seeding, checked_balance
from ..solve.neighbour_votes import voted
from ..solve.solution import Fit
from ..solve.starts import start_of
from ..types import Array, OnStep, Rng, Whole, no_op
from .base import (
    LIMITS,
    FitInputs,
    LinearClusterer,
    corrected,
    enough_rows,
    generator,
    numbers_of_seeds,
    warn_of_empty_groups,
    weighted_fit,
)
from .off_topic import OffTopicMixin


@dataclass(eq=False, repr=False)
class MaxMarginClustering(OffTopicMixin, LinearClusterer):
    """Maximum-margin clustering with off-topic examples, the Universum (M2DCU).

    Minimises, over W (k, d), with S = X W^T on rows centred at their mean::

        J(W) = 1/2 ||W||^2 + C R_l(W) + C_universum R_u(W)
        R_l  = 1/(n k) sum_i v_i sum_{r != u_i} max(0, a_i - (S[i,u_i] - S[i,r])),   u_i = argmax_p S[i,p]
        R_u  = 1/N sum_j max(0, k/(k-1) (max_p S*[j,p] - mean_p S*[j,p]) - epsilon)

    by the concave-convex procedure over a two-view cutting-plane method, each convex problem to a proven gap. The
    descent begins at the best of `n_init` spherical fits (Zhang, Wang and Si, Document Clustering with Universum, SIGIR
    2011).
    The weights v_i and margins a_i, 1 in the paper, keep small and tight groups from being emptied: see `class_weight`.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups k; 1 has no margins and puts every document in one group.
    C : float or "auto", default "auto"
        Weight of the target documents' risk. "auto" is 5 times the C at which the mean margin reaches 1 while the
        problem is still linear; it has no unit and is computed from the start (docs/decisions/0031). If that
        leaves groups without rows, with `class_weight="balanced"`, 10 and 100 times are tried in turn. If these fail
        too, the start is the result: the directions of its groups, on uncentred rows.
    C_universum : float or "auto", default "auto"
        Weight of the Universum's risk, at most 1e12. "auto" is 0 if `set_aside`, since the groups are then found
        without off-topic documents (docs/decisions/0030), else `C`. Ignored without `universum`.
    epsilon : float, default 0.5
        How far a Universum document may lean to a group without loss.
    center : bool, default True
        Whether to centre rows at the targets' mean, weighted as by `class_weight`. Centring is implicit, so sparse rows
        stay sparse. It prevents one cluster from taking all rows, so `balance` is not needed.
    balance : float or None, default None
        Largest difference between two clusters' summed scores (l in the paper). Only without centring.
    class_weight : "balanced" or None, default "balanced"
        "balanced": weight v_i = n / (k n_g), with n_g the size of the document's group in the start, so that all groups
        pull alike; margin a_i in proportion to the distance of its group from the others and to the length of its row,
        with mean 1 over groups. Both are fixed during the descent. None: v_i = a_i = 1, the paper's form, in which
        large groups take rows from small ones until these are empty (docs/decisions/0009).
    n_init : int or "auto", default "auto"
        Number of default fits of `SphericalKMeans`; the one of highest coherence is the start of the descent
        (docs/decisions/0031). "auto" is 40 / k, rounded, at least 1: optima differ most for few groups, and starts are
        cheap then. Groups are found without the seeds; the seeds then correct them.
    tol : float, default 0.01
        The descent stops when a step reduces J by less than this share.
    gap : float, default 1e-3
        Largest relative gap between each convex problem's value and its lower bound.
    max_iter : int, default 100
        Most steps of the descent.
    off_topic_rate : float or None, default 0.05
        Largest share of on-topic documents that the off-topic threshold may flag. None skips the search for off-topic
        documents: the paper's method alone.
    off_topic_threshold : "mixture" or "conformal", default "mixture"
        How to set the threshold. "mixture" estimates the probability that a score is of an off-topic document, assuming
        that these resemble the examples. "conformal" holds the rate without that assumption, and never flags more than
        `off_topic_rate` of the collection. `off_topic_` has the expected precision and recall
        (docs/off_topic.md). Fewer than 50 examples give "conformal" alone.
    set_aside : bool, default True
        Whether to set documents above the threshold aside and group the rest again; False only flags them. Fewer than
        ten examples flag nothing.
    seed_weight : float, default 10
        Weight of a labelled document relative to an unlabelled one.
    random_state : int, RandomState instance or None, default None
        Makes the result reproducible for any number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each document, -1 for one that is set aside; groups are numbered by size,
        largest first, ties by their first rows, or as the seeds are. A labelled document keeps its label; `predict`
        uses its score alone
    coef_, intercept_ : (k, d) and (k,) float64, the decision function's weights
    objective_, lower_bound_ : J, and a lower bound on the last convex problem
    C_, C_universum_ : weights of the risks in J; 0 for the Universum's without one
    n_iter_, trace_ : number of steps, and for each: step, objective, anchored, lower_bound, gap, cuts, moved
        (`anchored` and `cuts` are missing where the start is the result)
    reject_coef_, reject_intercept_ : (k + j, d) and (k + j,), the j reject rows last; None without a Universum
    off_topic_ : the threshold: method, rate, value, flagged (rows above it when it was set; `labels_` has the final
        rows), and expected share, precision, recall, each with its interval (`_low`, `_high`; None: unknown);
        `slope` of the probability that a score above `aside` is off-topic; `aside` is the score above which rows are
        set aside if not all flagged rows are (fewer than 50 examples), else None
    regrouped_ : what labelled documents did: `changed` (False: no other document moved), `n_labels`, and the accuracy
        on labels before (`right_before`) and after, by cross-validation (`right_after`); None without seeds. It is not
        saved
    n_features_in_, feature_names_in_ : as in scikit-learn

    Notes
    -----
    Memory beyond X: n * k scores in blocks, and a (k, d) float64 array for each cut, commonly 20 to 60. Starts on fewer
    than 2^25 numbers run in parallel, each with this memory.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0, 0.1], [0.9, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.9, 0.0]])
    >>> groups = MaxMarginClustering(n_clusters=2, n_init=3, random_state=0).fit(X, universum=[[0.5, 0.5, 0.0]])
    >>> groups.labels_ == groups.labels_[0]
    array([ True,  True, False, False])
    """

    steered_by: ClassVar[tuple[str, ...]] = ("seeds", "word_seeds", "seed_weights", "words", "graph")
    starts_from: ClassVar[tuple[str, ...]] = ("labels", "model")
    reports: ClassVar[tuple[str, ...]] = ("on_step",)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "C": [StrOptions({"auto"}), Interval(Real, 0, LIMITS.risk, closed="right")],
        "C_universum": [StrOptions({"auto"}), Interval(Real, 0, LIMITS.risk, closed="both")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "center": ["boolean"],
        "balance": [None, Interval(Real, 0, None, closed="left")],
        "class_weight": [None, StrOptions({"balanced"})],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, LIMITS.starts, closed="both")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "gap": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **OffTopicMixin._parameter_constraints,
        "seed_weight": [Interval(Real, 0, LIMITS.risk, closed="right")],
    }
    _fitted = ("coef_", "intercept_", "lower_bound_", "C_", "C_universum_", *OffTopicMixin._fitted)

    n_clusters: Whole = 8
    _: KW_ONLY
    C: float | str = "auto"
    C_universum: float | str = "auto"
    epsilon: float = 0.5
    center: bool = True
    balance: float | None = None
    class_weight: str | None = "balanced"
    n_init: int | str = "auto"
    tol: float = 0.01
    gap: float = 1e-3
    max_iter: int = 100
    seed_weight: float = 10.0

    @weighted_fit
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        universum: Any = None,
        discarded: Any = None,
        seeds: Any = None,
        word_seeds: Any = None,
        seed_weights: Any = None,
        words: Any = None,
        graph: Any = None,
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
            Examples of off-topic documents.
        discarded : (N,) booleans, default None
            True for examples that were rows of `X` until a user discarded them. The threshold counts them as rows: the
            farthest rows are discarded first, so they are not a sample of the off-topic documents.
        seeds : (n,) whole numbers, default None
            The group of each labelled document, -1 for the others. Give a random sample of labels. Groups are found
            without seeds and take the seeds' numbers. Other documents move only if held-out labels support it
            (`regrouped_`, docs/labels.md). A labelled document keeps its group in `labels_`.
        word_seeds : (k, d) array or sparse matrix of booleans, default None
            True for a word labelled for a group. Each word of a group in a document, beyond the first, adds two logits
            for the group. If words name all groups and no document is labelled, documents with two words of a group
            count as labelled; one word suffices in a document of up to six known words.
        seed_weights : (k,) positive numbers, default None
            Relative weight of each group's seeds; 1 by default.
        words : (n, V) array or sparse matrix, default None
            Word counts of the documents, if the columns of `X` are not words (embeddings, for example): `word_seeds` is
            then (k, V). By default `X`.
        graph : (n, n) symmetric array or sparse matrix, default None
            The neighbour graph, with weights of at least 0, such as `NeighbourAverage.graph_`. Each row of the start
            moves to the group of the weighted vote of itself and its neighbours (docs/decisions/0024); None skips the
            vote. The regression of the labels smooths rows over the graph.
        init : (n,) whole numbers or a fitted model, default None
            The only start, if given: the group of each row, -1 for a row without one, which joins the group of its
            highest score; or a fitted model, for its predictions. Groups then keep their numbers.
        sample_weight : (n,) numbers from 0 to 1e9, default None
            The weight of each row; None for equal ones. Weights of whole numbers equal repeated rows, from the same
            start. The risk has the weights w_i / sum w; labels, votes of neighbours and the off-topic threshold count
            each row once. A row of weight 0 takes no part, and gets the group of `predict`.
        on_step : callable, optional
            Called after each step of a descent with its entry of the trace. An exception that it raises ends the fit;
            so does `outgroup.stopping.stoppable`, between two passes.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Fewer rows than clusters; equal rows; an empty Universum or one with other columns; `balance` on centred
            rows; seeds or a start with a wrong length, shape or range.
        ValueError
            NaN or infinity in `X` or the Universum.
        """
        # 1. Check the rows, the Universum and the seeds.
        X, k = self._checked(X, reset=True), self._k
        n = X.shape[0]
        enough_rows(n, k)
        examples = self._examples(universum, discarded, X)
        given = {"seeds": seeds, "word_seeds": word_seeds, "seed_weights": seed_weights, "words": words}
        inputs = FitInputs.checked(X, k, **given, graph=graph, weights=sample_weight, init=init)
        rng = generator(self.random_state)

        # 2. to 6. Minimise J(W) over all rows, or over the rows that step 7 keeps: see `_group`. The grouping before
        # step 7 leaves the Universum's risk out, since it only serves the search (docs/decisions/0030).
        apart = examples[0] is not None and self.set_aside and self.off_topic_rate is not None
        last = examples[0] if self._has_universum_risk else None

        def group(rows: Array, before: Array | None) -> None:
            others = None if apart and before is None else last
            self._group(part_of(X, rows), others, inputs.on(rows), before, rng, on_step or no_op)

        # 7. Fit the reject row and its threshold, set off-topic rows aside, and repeat 2. to 6. on the rest.
        self._fit_apart(X, examples, group, rng, inputs.pins >= 0)
        if apart and last is not None and (self.labels_ >= 0).all():
            group(np.arange(n), self.labels_)

        # 8. Without a Universum, set the threshold on the margins max_p S[i,p] - max_{r != p} S[i,r].
        if examples[0] is None:
            self._by_margin(X)
        return self

    def _group(
        self,
        X: Any,
        universum: Any,
        inputs: FitInputs,
        before: Array | None,
        rng: Rng,
        on_step: OnStep,
    ) -> None:
        """Find the groups of `X` and store them, from the groups `before` (n,) if given. Equations: docs/m2dcu.md."""
        k, start = self._k, inputs.init if before is None else before
        # 2. Centre the rows, and set up J(W) = 1/2 ||W||^2 + C_l R_l(W) + C_u R_u(W).
        data = Data(as_rows(X), None if universum is None else as_rows(universum), self.center)
        data = data.sampled(inputs.weights)
        objective = self._objective(data, None)
        # 3. Choose the start: `start`, or the most coherent of `n_init` spherical fits. No seed takes part.
        fixed = start is not None and (inputs.init is not None or inputs.any)
        start = start_of(data, k, rng.spawn(1)[0], self._n_init, start, fixed=fixed)
        if inputs.near is not None and not fixed:  # one vote of each row and its neighbours (docs/decisions/0024)
            start = voted(start, data.original, inputs.near)
        # 4. Fix C, v_i and a_i of R_l by the start, and descend on J(W) by the concave-convex procedure.
        objective, fit = objective.fit(start, found=not fixed, on_step=on_step)
        # 5. Correct the groups by the labels, and fit W again with these groups held as u_i of R_l.
        self.regrouped_: Regrouping | None = None
        if inputs.any:
            number_of = np.arange(k) if fixed else numbers_of_seeds(fit.labels, inputs, X, k)
            labels, self.regrouped_ = corrected(X, number_of[fit.labels], inputs, k, rng)
            emphasis = np.where(inputs.pins >= 0, self.seed_weight * inputs.strength[inputs.pins], 1.0)
            seeding = Seeding(labels, emphasis)
            objective = replace(objective, data=data, seeding=seeding, row_margins=None).with_row_weights(labels)
            fit = objective.solve_from(labels, fit.weights[np.argsort(number_of)], on_step)
            fit = replace(fit, labels=labels)
        # 6. Keep W, J(W) and the labels u_i = argmax_p S[i,p].
        self._keep(objective, fit, numbered=fixed or inputs.any)
        by_equal_rows = self.class_weight == "balanced"  # then a smaller C does not help
        more = " or more starts" if by_equal_rows else ", more starts or a smaller C"
        warn_of_empty_groups(fit, f"choose fewer groups{more}")

    def _objective(self, data: Data, seeding: Seeding | None) -> MarginObjective:
        return MarginObjective(
            data,
            self._k,
            self.C,
            self.C_universum,
            self.epsilon,
            class_weight=self.class_weight,
            balance=checked_balance(data.original, self.balance, center=self.center, weights=data.sample),
            tol=self.tol,
            gap=self.gap,
            max_iter=self.max_iter,
            seeding=seeding,
        )

    @property
    def _has_universum_risk(self) -> bool:
        """Whether the objective J includes the risk of the Universum."""
        return self.C_universum != "auto" or not self.set_aside or self.off_topic_rate is None

    @property
    def _n_init(self) -> int:
        if self.n_init == "auto":
            return max(1, round(MAX_MARGIN.starts_times_groups / self._k))
        return int(self.n_init)

    def _keep(self, objective: Any, fit: Fit, *, numbered: bool) -> None:
        super()._keep(objective, fit, numbered=numbered)
        self.C_universum_ = 0.0 if objective.data.universum is None else float(objective.C_universum)
