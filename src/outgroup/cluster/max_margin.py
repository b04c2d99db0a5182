"""Maximum-margin clustering with a Universum, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ..rows import as_rows, part_of
from ..solve.labels import Pool
from ..solve.max_margin import Data, MarginObjective, Seeding, checked_balance
from ..solve.neighbour_graph import Voted
from ..solve.restarts import Best, Start, best_of, by_size, completed, spherical_start, start_from
from ..types import Array, OnCount, OnStep, Rng, Whole, no_op
from .base import (
    LARGEST_WEIGHT,
    CheckedSeeds,
    LinearClusterer,
    among,
    checked,
    checked_graph,
    checked_start,
    corrected,
    enough_rows,
    generator,
    held,
    numbers_of_seeds,
    warn_of_empty_groups,
)
from .off_topic import OFF_TOPIC_CONSTRAINTS, OFF_TOPIC_FITTED, OffTopicMixin, checked_thrown
from .seeded import SeededKMeans, fitted

# --- How groups with wide margins are found among rows that were checked: starts, the objective, and what is kept

_STARTS_TIMES_GROUPS = 40  # a start takes time in proportion to the groups


class MarginClusterer(LinearClusterer):
    """The part of `MaxMarginClustering` that groups rows by its parameters."""

    C: Any
    C_universum: Any
    epsilon: float
    center: bool
    balance: float | None
    class_weight: str | None
    n_init: Any
    tol: float
    gap: float
    max_iter: int
    seed_weight: float
    labels_: Array
    pool_: Pool | None

    def _group(
        self, X: Any, universum: Any, said: CheckedSeeds | None, start: Any, alone: bool, near: Any, rng: Rng,
        heard: dict[str, Any],
    ) -> None:  # fmt: skip
        """Find the groups of `X` and keep them, from `start`, if it is any.

        Neighbours (`near`) vote once if they are known and no partition was given. Labels then correct the groups.
        """
        data = Data.narrowed(as_rows(X), None if universum is None else as_rows(universum), center=self.center)
        objective = self._objective(data, None)
        if said is not None and start is None and said.words_name_all:
            grower = SeededKMeans(self._k, weights="pool", random_state=int(rng.integers(2**31)))
            start = fitted(grower, X, word_seeds=said.words, words=said.counted).labels_
            said, alone = None, True
        given = start is not None and (alone or said is not None)
        begin = self._start(X, data, start, given)
        if near is not None and not given:
            begin = Voted(begin, data.given, near)
        best = best_of(objective, [begin], rng, **heard)
        self.pool_ = None
        if said is not None:
            best = self._corrected(best, objective, X, said, given, rng, heard["on_step"])
        self._keep(best, numbered=given or said is not None)
        self.unsteered_objective_ = best.objective.unseeded(best.fit)
        more = "" if self.class_weight == "balanced" else " or a smaller C"  # else only equal rows do it
        warn_of_empty_groups(best.fit, f"ask for fewer, or give more starts{more}")

    def _corrected(
        self, best: Best[MarginObjective], objective: MarginObjective, X: Any, said: CheckedSeeds, given: bool,
        rng: Rng, on_step: OnStep,
    ) -> Best[MarginObjective]:  # fmt: skip
        """Return the fit that holds the groups as labels correct them, under the labels' numbers.

        Where the pool changed the groups, they are found once more from there, with labelled rows held.
        """
        number_of = np.arange(self._k) if given else numbers_of_seeds(best.fit.labels, said, X, self._k)
        labels, self.pool_ = corrected(X, number_of[best.fit.labels], said, self._k, rng)
        emphasis = np.where(said.pins >= 0, self.seed_weight * said.strength[said.pins], 1.0)
        objective = replace(objective, C=best.objective.C, C_universum=best.objective.C_universum)
        if self.pool_.changed:
            free = replace(objective, seeding=Seeding(said.pins, emphasis)).weighted(labels)
            labels = held(free.solve(labels, on_step).labels, said.pins)
        objective = replace(objective, seeding=Seeding(labels, emphasis)).weighted(labels)
        fit = objective.continued(labels, best.fit.weights[np.argsort(number_of)], on_step)
        return replace(best, objective=objective, fit=replace(fit, labels=labels))

    def _objective(self, data: Data, seeding: Seeding | None) -> MarginObjective:
        return MarginObjective(
            data, self._k, self.C, self.C_universum, self.epsilon, self.class_weight,
            balance=checked_balance(data.given, self.balance, center=self.center),
            tol=self.tol, gap=self.gap, max_iter=self.max_iter, seeding=seeding,
        )  # fmt: skip

    def _start(self, X: Any, data: Data, start: Any, given: bool) -> Start:
        """Return the start that was `given`, or the best default fit of spherical k-means.

        A start that was not given is climbed on.
        """
        k = self._k
        if given:
            return completed(data.rows, checked_start(start, X, k), k)
        return spherical_start(data, k, self._n_init) if start is None else start_from(data, k, start)

    @property
    def _n_init(self) -> int:
        if self.n_init == "auto":
            return max(1, round(_STARTS_TIMES_GROUPS / self._k))
        return int(self.n_init)

    def _keep(self, best: Best[MarginObjective], *, numbered: bool) -> None:
        fit, objective = best.fit if numbered else by_size(best.fit, self._k), best.objective
        self.coef_, self.labels_ = objective.data.widened(fit.weights), fit.labels
        self.intercept_ = -fit.weights @ objective.data.mean
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        self.C_, self.C_universum_ = float(objective.C), float(objective.C_universum)
        self.n_iter_, self.trace_ = fit.n_iter, fit.trace
        self.restarts_, self.stability_ = best.restarts, best.stability


# --- Maximum-margin clustering with a Universum, as a scikit-learn estimator


class MaxMarginClustering(OffTopicMixin, MarginClusterer):
    """Groups with the widest margins, steered by examples of what belongs to none of them (M2DCU).

    Minimises, over W (k, d), with S = X W^T on rows centred at their mean::

        J(W) = 1/2 ||W||^2 + C R_l(W) + C_universum R_u(W)
        R_l  = 1/(n k) sum_i v_i sum_{r != u_i} max(0, a_i - (S[i,u_i] - S[i,r])),   u_i = argmax_p S[i,p]
        R_u  = 1/N sum_j max(0, k/(k-1) (max_p S*[j,p] - mean_p S*[j,p]) - epsilon)

    by the concave-convex procedure over a two-view cutting-plane method, each convex problem to a proven gap. The
    descent begins at the best of `n_init` spherical fits (Zhang, Wang and Si, Document Clustering with Universum, SIGIR
    2011).
    The weights v_i and margins a_i, 1 in the paper, keep small and tight groups alive: see `class_weight`.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of groups k; 1 has no margins and puts every document in one group.
    C : float or "auto", default "auto"
        Weight of the target documents' risk. "auto" is 5 times the C at which margins reach 1 in the mean while the
        problem is still linear; it has no unit and is computed from the first start (docs/decisions/0031). Where that
        would leave groups without rows, 10 and 100 times are tried in turn, with `class_weight="balanced"`; and where
        these would, too, the start is the result: the directions of its groups, on uncentred rows.
    C_universum : float or "auto", default "auto"
        Weight of the Universum's risk, 1e12 at most, as of all; "auto" is that of the targets. Without `universum` it
        plays no part.
    epsilon : float, default 0.5
        How far a Universum document may lean to a group for free.
    center : bool, default True
        Whether rows are centred at the targets' mean, implicitly, so sparse rows stay sparse; documents weigh in it as
        `class_weight` says. That keeps one cluster from winning all, and `balance` has nothing left to do.
    balance : float or None, default None
        Without centring only: the most by which two clusters' summed scores may differ (l in the paper).
    class_weight : "balanced" or None, default "balanced"
        What a document's loss weighs: "balanced" n / (k n_g), with n_g the size of its group in the start, so that all
        groups pull alike, and it is asked for a margin in proportion to how far its group lies from the others and to
        the length of its row, 1 in the mean of groups, so that none falls silent; both are fixed during the descent.
        None: all documents weigh 1 and are asked for 1, which is the paper's form, and large groups take from small
        ones until these are empty (docs/decisions/0009).
    n_init : int or "auto", default "auto"
        Number of default fits of `SphericalKMeans`; the one of highest coherence is the start of the descent
        (docs/decisions/0031). "auto" is 40 / k, rounded, at least 1: optima differ most where groups are few and
        starts are cheap. Groups are found without the seeds, which then correct them.
    tol : float, default 0.01
        The descent stops when a step wins less than this share of J.
    gap : float, default 1e-3
        Largest relative gap between each convex problem's value and its lower bound.
    max_iter : int, default 100
        Most steps of the descent.
    off_topic_rate : float or None, default 0.05
        The promise of the off-topic verdict: at most this share of on-topic documents is thrown out. None looks for no
        off-topic documents, which saves the time: the paper's method alone.
    off_topic_threshold : "mixture" or "conformal", default "mixture"
        How the threshold is set: "mixture" estimates how likely each score is to be that of junk, if junk is like the
        examples, and finds as much as there is; "conformal" keeps the promise whatever the junk is like, and never
        flags more than `off_topic_rate` of the collection. Both are in `off_topic_`, with what to expect of them
        (docs/off_topic.md); fewer than 50 examples give "conformal" alone.
    set_aside : bool, default True
        Whether documents above the threshold are set aside, and the rest grouped again without them; False flags them
        only. With fewer than ten examples nothing is set aside.
    seed_weight : float, default 10
        How many ordinary documents a labelled one weighs in the weights of the groups.
    random_state : int, RandomState instance or None, default None
        Makes the result repeatable, whatever the number of threads.

    Attributes
    ----------
    labels_ : (n,) int32, the group of each document, -1 for one that is set aside; groups are numbered by size,
        largest first, and of equal ones by their first rows, or as the seeds are. A labelled document is where it was
        put; `predict` goes by its score alone
    coef_, intercept_ : (k, d) and (k,) float64, the decision function's weights
    objective_, lower_bound_ : J, and a lower bound on the last convex problem
    unsteered_objective_ : J at the same weights without the seeds' part in it, to compare with a fit without seeds;
        None in the later fits of a session, which hold most rows where they are
    C_, C_universum_ : the weights used
    n_iter_, trace_ : number of steps, and for each: step, objective, anchored, lower_bound, gap, cuts, moved
    restarts_ : for each descent, on X alone: restart, start, objective (unweighted J where there are several), steps,
        gap, empty (groups), kept, agreement (adjusted Rand index with the kept one)
    stability_ : expected agreement (adjusted Rand index) of two such fits with half the descents each; nan for one
    reject_coef_, reject_intercept_ : (k + j, d) and (k + j,), j kinds of "none of these" last; None without a Universum
    off_topic_ : the verdict's threshold: method, rate, value, flagged (rows above it when it was set; which are out in
        the end `labels_` says), and share, precision, recall to be expected, each with its interval (`_low`, `_high`;
        None: cannot be told); `choices` has the same for each method
    rounds_ : one entry where junk was looked for: round, out (rows), moved (rows in and out); else empty
    pool_ : how the seeds were pooled with the groups: weights (of labels and groups; (0, 1): no document moved),
        `n_labels`, and the share of labels that is right before and, each left out, after (`right_before`,
        `right_after`); None without seeds. It is not saved
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Notes
    -----
    Memory beyond X: n * k scores in blocks, and a (k, d) float64 array for each cut held, commonly 20 to 60; in each
    thread, where a start works on less than 2^25 numbers: such starts run side by side.

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
    reports: ClassVar[tuple[str, ...]] = ("progress", "on_step")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "C": [StrOptions({"auto"}), Interval(Real, 0, LARGEST_WEIGHT, closed="right")],
        "C_universum": [StrOptions({"auto"}), Interval(Real, 0, LARGEST_WEIGHT, closed="both")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "center": ["boolean"],
        "balance": [None, Interval(Real, 0, None, closed="left")],
        "class_weight": [None, StrOptions({"balanced"})],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "gap": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **OFF_TOPIC_CONSTRAINTS,
        "seed_weight": [Interval(Real, 0, LARGEST_WEIGHT, closed="right")],
        "random_state": ["random_state"],
    }
    _fitted = (
        *("coef_", "intercept_", "labels_", "objective_", "lower_bound_", "C_", "C_universum_"),
        *("unsteered_objective_", "n_iter_", "trace_", "restarts_", "stability_", "n_features_in_"),
        *OFF_TOPIC_FITTED,
    )

    def __init__(
        self,
        n_clusters: Whole = 8,
        *,
        C: float | str = "auto",
        C_universum: float | str = "auto",
        epsilon: float = 0.5,
        center: bool = True,
        balance: float | None = None,
        class_weight: str | None = "balanced",
        n_init: int | str = "auto",
        tol: float = 0.01,
        gap: float = 1e-3,
        max_iter: int = 100,
        off_topic_rate: float | None = 0.05,
        off_topic_threshold: str = "mixture",
        set_aside: bool = True,
        seed_weight: float = 10.0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.C = C
        self.C_universum = C_universum
        self.epsilon = epsilon
        self.center = center
        self.balance = balance
        self.class_weight = class_weight
        self.n_init = n_init
        self.tol = tol
        self.gap = gap
        self.max_iter = max_iter
        self.off_topic_rate = off_topic_rate
        self.off_topic_threshold = off_topic_threshold
        self.set_aside = set_aside
        self.seed_weight = seed_weight
        self.random_state = random_state

    @checked
    def fit(
        self, X: Any, y: Any = None, *, universum: Any = None, thrown_away: Any = None, seeds: Any = None,
        word_seeds: Any = None, seed_weights: Any = None, words: Any = None, graph: Any = None, init: Any = None,
        progress: OnCount | None = None, on_step: OnStep | None = None,
    ) -> Self:  # fmt: skip
        """Find the groups of `X`, kept apart from the `universum`.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored
        universum : array, sparse matrix or `Rows` of shape (N, d), default None
            Examples of what belongs to no group.
        thrown_away : (N,) booleans, default None
            Which of these examples were rows of `X` until a person threw them away. They count as rows where the
            threshold is placed, since a person throws away what lies farthest out: that is no sample of the junk.
        seeds : (n,) whole numbers, default None
            A labelled document's group, -1 for the others. Give a fair sample: labels of documents drawn at random.
            Groups are found without seeds, and take the seeds' numbers. Other documents move only if labels that were
            left out support it (`pool_`, docs/labels.md). A labelled document is in its group in `labels_`.
        word_seeds : (k, d) array or sparse matrix of booleans, default None
            Which word is labelled for which group. Where words name all groups and no document is labelled, groups
            grow around the words (`SeededKMeans`) and the descent begins there. Else each word of
            a group beyond the first in a document adds one logit for it.
        seed_weights : (k,) positive numbers, default None
            What the seeds of each group weigh beside the others' (1 as usual).
        words : (n, V) array or sparse matrix, default None
            Where the labelled words are found, if the columns of `X` are no words, such as those of embeddings:
            `word_seeds` is then (k, V). By default `X`.
        graph : (n, n) symmetric array or sparse matrix, default None
            Who is near whom, and how much, at least 0; `NeighbourAverage.graph_` is one. Each row of the start goes
            where it and its neighbours say (docs/decisions/0024); None asks none. Rows are smoothed over it where
            labels are pooled; for these, None is each row's 15 nearest rows of `X` by the cosine.
        init : (n,) whole numbers or a fitted model, default None
            The only start where it is given: the group of each row, -1 for a row that is in none and goes where its
            score is highest; or a fitted model, for what it predicts. Groups then keep their numbers.
        progress : callable, optional
            Called after each descent with the number of descents done and the number in all. An exception that it
            raises ends the fit; so does `outgroup.stopping.stoppable`, between two passes.
        on_step : callable, optional
            Called after each step of a descent with its entry of the trace and the number of its "start"; it may raise,
            too.

        Returns
        -------
        self

        Raises
        ------
        InputError
            Fewer rows than clusters, equal rows, a Universum that is empty or has other columns, `balance` on centred
            rows, or seeds or a start of a wrong length, shape or range.
        ValueError
            NaN or infinity in `X` or the Universum.
        """
        X, k = self._checked(X, reset=True), self._k
        enough_rows(X.shape[0], k)
        universum = self._checked_universum(universum, X)
        thrown = checked_thrown(thrown_away, universum)
        near = checked_graph(graph, X.shape[0])
        said = CheckedSeeds.of(X, k, seeds, word_seeds, seed_weights, words, near)
        rng = generator(self.random_state)
        heard = {"on_start": progress or no_op, "on_step": on_step or no_op}

        def group(rows: Array | None, before: Array | None) -> int:
            start = init if rows is None else before
            some, ties = (X, near) if rows is None else (part_of(X, rows), among(near, rows))
            own = said if said is None or rows is None else said.on(rows)
            of_all = None if rows is None else (self.restarts_, self.stability_)
            self._group(some, universum, own, start, init is not None, ties, rng, heard)
            if of_all is not None:  # the groups of the rest go on from these starts
                self.restarts_, self.stability_ = of_all
            return k

        kept = None if said is None else said.pins >= 0
        self._fit_apart(X, universum, group, rng, kept=kept, center=self.center, thrown=thrown)
        if universum is None:
            self._by_margin(X)
        return self
