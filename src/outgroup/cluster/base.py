"""Shared parts of the estimators: input checks, seeds, predictions by scores, saved state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from math import inf, isfinite
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _check_n_features, _num_samples, check_is_fitted, validate_data

from ..errors import InputError, ModelError, quoted, warn
from ..rows import Rows, as_rows, is_rows, part_of, unit_rows
from ..rows.base import Shifted, all_scores, highest_score
from ..rows.device import placed
from ..rows.matrix import checked_matrix, no_texts, sound
from ..solve.labels import Regrouping, is_sample, label_space, moved_by_words, regrouped
from ..solve.n_clusters import directions_up_to
from ..solve.reject import minus_margins
from ..solve.seeded import votes
from ..solve.solution import Fit, by_size
from ..solve.threshold import Threshold
from ..types import Array, Rng
from .strangeness import Strangeness

# --- Base class, checks of input, and state that is saved without pickle

FLOATS = [np.float64, np.float32]
THRESHOLD_FIELDS = {field.name for field in fields(Threshold)}


@dataclass(frozen=True)
class Limits:
    """Bounds of input values: sums of squares over many rows neither overflow nor vanish within them."""

    risk: float = 1e12  # weight of a risk
    lightest: float = 1e-3  # least of the largest weight of a document: sums are rounded to six decimals
    heaviest: float = 1e9  # weight of a document
    coefficient: float = 1e30  # of a saved model: scores of rows of about unit length stay finite in float32
    starts: int = 1_000_000  # random starts: each has a seed in memory
    few_words: int = 6  # known words of a row that one labelled word describes (docs/decisions/0029)
    columns: int = 5  # columns in a message


LIMITS = Limits()

_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def checked(fit: _Fit) -> _Fit:
    """Validate parameters before `fit`, as scikit-learn's decorator does; keep the type annotations of `fit`."""
    wrapped: _Fit = _fit_context(prefer_skip_nested_validation=True)(fit)
    return wrapped


def checked_weights(values: Any, n: int) -> Array:
    """Return the weights of `n` documents, (n,) float64.

    Raises InputError unless they are n numbers from 0 to 1e9, not all of them below 1e-3.

    >>> checked_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    weights = numbers_of(values, "the weights")
    valid = weights.shape == (n,) and ((weights >= 0) & (weights <= LIMITS.heaviest)).all()
    if not valid or not weights.max() >= LIMITS.lightest:
        raise InputError(
            f"the weights are not valid: give {n} numbers between 0 and {LIMITS.heaviest:,.0f}, and not all zero "
            f"or below {LIMITS.lightest}"
        )
    return weights


def numbers_of(values: Any, name: str) -> Array:
    """Return a float64 copy of an argument; raise InputError if it does not consist of numbers."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers ({error!s:.80}): give a number for each entry") from error


def weighted_fit(fit: _Fit) -> _Fit:
    """Check the parameters, and the argument `sample_weight` of `fit`.

    Rows of weight 0 are left out of the fit and assigned afterwards.
    """

    @wraps(fit)
    def weighed(self: Any, X: Any, y: Any = None, *, sample_weight: Any = None, **arguments: Any) -> Any:
        if sample_weight is None:
            return fit(self, X, y, **arguments)
        weights = checked_weights(sample_weight, _num_samples(X))
        if weights.all():
            return fit(self, X, y, sample_weight=weights, **arguments)
        rows = np.flatnonzero(weights)
        for name, check in (("words", checked_words_of), ("graph", checked_graph)):
            if arguments.get(name) is not None:
                arguments[name] = check(arguments[name], len(weights))
        for name in ("seeds", "words", "graph", "init"):
            if arguments.get(name) is not None and not hasattr(arguments[name], "predict"):
                arguments[name] = _safe_indexing(arguments[name], rows)
        if arguments.get("graph") is not None:
            arguments["graph"] = arguments["graph"][:, rows]
        some = part_of(X, rows) if is_rows(X) else _safe_indexing(X, rows)
        fit(self, some, None, sample_weight=weights[rows], **arguments)
        labels = self.predict(X)
        labels[rows] = self.labels_
        self.labels_, self._rows = labels, X if is_rows(X) else validated(self, X, False)
        return self

    return checked(cast(_Fit, weighed))


class Clusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the clusterers: sparse and dense rows, float32 and float64, `to_state` and `from_state`."""

    n_clusters: Any
    labels_: Array
    reject_coef_: Array | None
    reject_intercept_: Array | None
    off_topic_: dict[str, Any]
    _fitted: ClassVar[tuple[str, ...]] = ()  # names of the fitted attributes that are saved
    _rows: Any = None  # of the fit, for outlier scores; not saved
    _outliers: Strangeness | None = None

    @property
    def outlier_score_(self) -> Array:
        """The outlier scores of the rows of the fit, (n,) float64; higher is stranger. Computed on first access.

        One minus the mean cosine with the 10 nearest rows. Raises InputError for a loaded estimator, and for rows
        outside of memory.
        """
        return self._outlier_scores().own

    def outlier_score(self, X: Any) -> Array:
        """Return the outlier score of each row of `X`; higher is stranger. At most 5 % of rows like those of the fit
        have a score above `outlier_threshold_`.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (m, d)

        Returns
        -------
        (m,) float64 array
            nan for a row of zeros.

        Raises
        ------
        InputError
            The estimator was loaded, or its rows were outside of memory.

        Examples
        --------
        >>> from outgroup import SphericalKMeans
        >>> X = np.repeat(np.eye(3), 10, axis=0)
        >>> groups = SphericalKMeans(n_clusters=3, random_state=0).fit(X)
        >>> groups.outlier_score([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]).round(2).tolist()
        [0.0, 0.42]
        """
        return self._outlier_scores().score(self._checked(X, reset=False))

    @property
    def outlier_threshold_(self) -> float:
        """The score that at most 5 % of rows like those of the fit exceed."""
        return self._outlier_scores().threshold

    def _outlier_scores(self) -> Strangeness:
        check_is_fitted(self)
        if self._outliers is None:
            if self._rows is None or as_rows(self._rows).local() is None:
                raise InputError("outlier scores need the fitted rows in memory: fit the estimator on a matrix")
            self._outliers = Strangeness.outliers(self._rows)
        return self._outliers

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for copies, without the rows of the fit."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_rows", "_outliers")}

    def to_state(self) -> dict[str, Any]:
        """Return the parameters and the fitted attributes as plain values and arrays.

        Returns
        -------
        dict
            "params" and "fitted", each a dictionary by name. A RandomState as `random_state` is saved as None, since
            `predict` draws no random numbers.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        """
        check_is_fitted(self)
        params = self.get_params()
        if isinstance(params["random_state"], np.random.RandomState):
            params["random_state"] = None
        return {"params": params, "fitted": {name: getattr(self, name) for name in self._fitted}}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the fitted estimator stored in a state.

        Parameters
        ----------
        state : dict
            The result of `to_state`.

        Returns
        -------
        fitted estimator

        Raises
        ------
        ModelError
            A field is missing, has a wrong type, or does not match the others. The message names it.
        """
        try:
            estimator = cls(**state["params"])
            estimator._validate_params()
            check_fitted(state["fitted"], cls._fitted, estimator.n_clusters)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the saved {cls.__name__} is damaged: {error}; fit and save it again") from error
        for name in cls._fitted:
            setattr(estimator, name, state["fitted"][name])
        return estimator

    def _as_fitted(self, X: Any) -> Rows:
        """Return `X` checked and prepared as in the fit."""
        return self._scaled(self._checked(X, reset=False))

    def _scaled(self, X: Any) -> Rows:
        return as_rows(X)

    @property
    def groups(self) -> int:
        """Number of groups found."""
        return len(self.coef_)

    @property
    def _k(self) -> int:
        """`n_clusters` as a Python int; NumPy's small integers can overflow in products."""
        return int(self.n_clusters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags = None
        return tags

    if TYPE_CHECKING:  # declared for type checking only: a subclass without one must not have it

        def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Array: ...

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return `X` checked: an array or CSR matrix of floats; `Rows` stay unchanged.

        With `reset`, in a fit, store its width, and place a matrix on the device of `fits_on`.
        """
        if is_rows(X):
            if reset:
                self.__dict__.pop("feature_names_in_", None)
            _check_n_features(self, X, reset=reset)
        else:
            X = validated(self, X, reset)
        if not reset:
            return X
        self._rows, self._outliers = X, None
        return placed(X)


def validated(estimator: Any, X: Any, reset: bool) -> Any:
    """Return `X` as an array or CSR matrix of floats; with `reset`, store the number and names of its columns."""
    with no_texts("X"):
        return validate_data(estimator, sound(X), reset=reset, accept_sparse="csr", dtype=FLOATS, order="C")


def generator(random_state: Any) -> Rng:
    """Return a NumPy generator for a scikit-learn `random_state`."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def enough_rows(n: int, k: int, why: str = "") -> None:
    """Raise InputError if `n` rows are too few for `k` clusters; `why` explains missing rows."""
    if n < k:
        # scikit-learn's estimator checks expect "1 sample"
        there = "is 1 sample" if n == 1 else f"are {n:,}"
        raise InputError(f"{k} clusters need at least {k} documents, but there {there}{why}; choose fewer clusters")


def checked_start(init: Any, X: Any, k: int) -> Array:
    """Return the initial partition, (n,) int32; -1 for rows without a group.

    `init` holds the groups of the rows of `X`, or a fitted model with `predict`. Raises InputError as `checked_groups`.
    """
    return checked_groups(init.predict(X) if hasattr(init, "predict") else init, X.shape[0], k, "init")


def checked_groups(values: Any, n: int, k: int, name: str) -> Array:
    """Return the groups of `n` rows, (n,) int32, -1 for none.

    Raises InputError for another shape, values that are not whole numbers, or a number outside -1..k-1.
    """
    groups = np.asarray(values)
    if groups.shape != (n,) or groups.dtype.kind not in "iuf" or not np.all(groups == np.round(groups)):
        raise InputError(
            f"{name} has shape {groups.shape}, dtype {groups.dtype}; give {n} integers, -1 for rows without a group"
        )
    check_range(groups, k, name)
    return np.ascontiguousarray(groups, dtype=np.int32)


def warn_of_empty_groups(fit: Fit, remedy: str) -> None:
    """Warn (ConvergenceWarning, as scikit-learn's KMeans does) if groups are empty."""
    if fit.empty:
        k = len(fit.weights)
        warn(f"only {k - fit.empty} of {k} groups have rows; {remedy}", ConvergenceWarning)


def warn_of_few_directions(rows: Rows, k: int) -> bool:
    """Return whether rows in memory have fewer directions than there are groups; if so, warn (ConvergenceWarning)."""
    X = rows.local()
    directions = k if X is None else directions_up_to(k, X)
    if directions < k:
        there = "1 direction" if directions == 1 else f"{directions} different directions"
        fault = f"{rows.shape[0]:,} rows have only {there}, fewer than the {k} groups"
        warn(f"{fault}, so some are empty: choose fewer groups", ConvergenceWarning)
    return directions < k


def checked_like(extra: Any, X: Any, name: str) -> Any:
    """Return `extra` as a matrix in the dtype of `X`, or as `Rows`; raise InputError if its columns differ from those
    of `X`.
    """
    if not is_rows(extra):
        extra = checked_matrix(extra, name, dtype=np.dtype(X.dtype), order="C", ensure_min_samples=0)
    if extra.shape[0] == 0:
        raise InputError(f"{name} has no rows: omit it, or give at least one row")
    if extra.shape[1] != X.shape[1]:
        raise InputError(
            f"{name} has {extra.shape[1]} columns and X has {X.shape[1]}; use the same vectorizer for both"
        )
    return extra


# --- Checks of the fields of a saved estimator, before it is built from a file


def check_fitted(fitted: Any, names: tuple[str, ...], n_clusters: Any) -> None:
    """Raise ModelError, with the field, unless all fitted attributes are present and consistent.

    `n_clusters` is the parameter; if it is not a number, the fitted `n_clusters_` counts.
    """
    missing = [name for name in names if not isinstance(fitted, Mapping) or name not in fitted]
    if missing:
        raise ModelError(f"it has no {missing[0]}")
    k, d = n_clusters if is_count(n_clusters) else fitted.get("n_clusters_"), fitted.get("n_features_in_")
    if not is_count(k) or not is_count(d):
        raise ModelError("its numbers of groups and columns must be positive integers")
    reject = fitted.get("reject_coef_")
    rows = max(k + 1, len(reject) if isinstance(reject, np.ndarray) and reject.ndim else 0)  # groups and reject rows
    valid: dict[str, Callable[[Any], bool]] = {
        **dict.fromkeys(("coef_", "cluster_centers_", "seed_centers_"), lambda value: is_real(value, k, d)),
        "intercept_": lambda value: is_real(value, k),
        "reject_coef_": lambda value: value is None or is_real(value, rows, d),
        "reject_intercept_": lambda value: value is None if reject is None else is_real(value, rows),
        "off_topic_": lambda value: _is_verdict(value) and (bool(value) or reject is None),
        "labels_": lambda value: is_labels(value, k),
        **dict.fromkeys(("objective_", "lower_bound_", "C_", "C_universum_"), _is_finite),
        **dict.fromkeys(("trace_", "restarts_"), _are_descents),
        "stability_": _is_number,  # nan after one start
        "n_iter_": lambda value: is_count(value, 0),
        "n_features_in_": is_count,
        "n_clusters_": lambda value: is_count(value) and value == k,
        "weights_": lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    }
    wrong = [name for name in names if not valid[name](fitted[name])]
    if wrong:
        raise ModelError(f"its {wrong[0]} is not valid for {k} groups and {d} columns")


def is_count(value: Any, least: int = 1) -> bool:
    """Return whether a value is an integer of at least `least`; a bool is not."""
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < 2**63


def is_labels(value: Any, k: int) -> bool:
    """Return whether a value is an array of groups, (n,), with integers from -1 to k - 1."""
    integers = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i"
    return integers and (not len(value) or (int(value.min()) >= -1 and int(value.max()) < k))


def is_real(value: Any, *shape: int) -> bool:
    """Return whether a value is a float array of the given shape, finite and at most 1e30 in absolute value."""
    real = isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64) and value.shape == shape
    return real and bool((np.abs(value) <= LIMITS.coefficient).all())


def _are_descents(value: Any) -> bool:
    is_value = lambda value: value is None or isinstance(value, str | bool) or _is_number(value)  # noqa: E731
    rows = value if isinstance(value, list) else [None]
    return all(
        isinstance(row, dict) and all(map(is_value, row.values())) and _is_finite(row.get("objective")) for row in rows
    )


def _is_verdict(value: Any) -> bool:
    """Return whether a value has the fields of a threshold, or is an empty table."""
    if not isinstance(value, dict) or value.keys() not in (set(), THRESHOLD_FIELDS):
        return False
    if not value:
        return True
    numbers = {name: part for name, part in value.items() if name != "method" and part is not None}
    limits = all(_is_number(part) and (abs(part) <= LIMITS.coefficient or part == inf) for part in numbers.values())
    needed = {"rate", "value", "flagged"} <= numbers.keys() and is_count(value["flagged"], 0)
    return needed and limits and isinstance(value["method"], str)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or is_count(value, -(2**63))


def _is_finite(value: Any) -> bool:
    return _is_number(value) and isfinite(value)


# --- Clusterers by linear scores, and by cosines


class ScoringClusterer(Clusterer):
    """Base class of clusterers with linear scores: `coef_` (k, d), and `intercept_` (k,) or zeros."""

    def decision_function(self, X: Any) -> Array:
        """Return the scores of each row of `X`, one per group.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`
            `X @ coef_.T + intercept_`, or the cosines with `cluster_centers_`.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.
        """
        check_is_fitted(self)
        W, shift = self._directions()
        return np.asarray(self._as_fitted(X).map(W, Shifted(all_scores, shift)))

    def _directions(self) -> tuple[Array, Array]:
        """Return the weight vectors (k, d) and the intercepts (k,) of the linear scores."""
        W = self.coef_
        return W, getattr(self, "intercept_", np.zeros(len(W)))


class LinearClusterer(ScoringClusterer):
    """Base class of linear clusterers: the group is the argmax of k scores; `coef_` (k, d) and `intercept_` (k,)."""

    coef_: Array
    intercept_: Array

    def _keep(self, objective: Any, fit: Fit, *, numbered: bool) -> None:
        """Store the fit; number its groups by size unless they are `numbered`."""
        data = objective.data
        fit = fit if numbered else by_size(fit, self._k, data.sample)
        self.coef_, self.labels_ = fit.weights, fit.labels
        self.intercept_ = -fit.weights @ data.mean
        self.objective_, self.lower_bound_, self.C_ = fit.objective, fit.lower_bound, float(objective.C)
        self.n_iter_, self.trace_ = fit.n_iter, fit.trace

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the mean slack of the rows of `X`; it is higher if margins are wider.

        The slack of a row is max(0, 1 - m), where the margin m is its highest score minus the second highest. Fewer
        groups score higher, so the score does not choose their number.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            From -1, if all margins are 0, to 0, if all are at least 1; 0 for a single group.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.

        Examples
        --------
        >>> from outgroup import MaxMarginClustering
        >>> X = np.repeat(np.eye(2, 3), 4, axis=0)
        >>> groups = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
        >>> groups.score(X) > groups.score(np.eye(3)[[2]])
        True
        """
        check_is_fitted(self)
        behind = minus_margins(self._as_fitted(X), self.coef_, self.intercept_)
        return 0.0 if self.groups < 2 else -float(np.maximum(1 + behind, 0).mean(dtype=np.float64))


class CosineClusterer(ScoringClusterer):
    """Base class of clusterers that assign a row to the centre with the highest cosine: `cluster_centers_` (k, d)."""

    cluster_centers_: Array
    normalize: bool

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean cosine of the rows of `X` with their nearest centres.

        For the rows of `SphericalKMeans.fit` this is `objective_` divided by their number. More groups score higher, so
        the score does not choose their number.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            1 if each row is a centre.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or a different number of columns than in the fit.

        Examples
        --------
        >>> from outgroup import SphericalKMeans
        >>> X = np.eye(2)[[0, 0, 1]]
        >>> groups = SphericalKMeans(n_clusters=2, random_state=0).fit(X)
        >>> groups.score(X), round(groups.score([[1.0, 1.0]]), 3)
        (1.0, 0.707)
        """
        check_is_fitted(self)
        return float(np.asarray(self._as_fitted(X).map(self.cluster_centers_, highest_score)).mean(dtype=np.float64))

    @property
    def coef_(self) -> Array:
        """The centres, (k, d), under the attribute name of the linear clusterers."""
        return np.asarray(self.cluster_centers_)

    def _scaled(self, X: Any) -> Rows:
        return unit_rows(as_rows(X)) if self.normalize else as_rows(X)


# --- Checks of seeds


class FitInputs(NamedTuple):
    """The checked arguments of `fit`, apart from the rows.

    The groups of labelled rows `pins` (n,), -1 for the others, the labelled words of the groups `words` (k, V), the
    relative weights of the seeds of the groups `strength` (k,), and, None if absent, the word counts `counted`
    (n, V), the neighbour graph `near` (n, n), the `weights` (n,) of the rows, and the start `init` (n,)."""

    pins: Array
    words: Array
    strength: Array
    counted: Any = None
    near: Any = None
    weights: Array | None = None
    init: Array | None = None

    @classmethod
    def checked(
        cls,
        X: Any,
        k: int,
        *,
        seeds: Any,
        word_seeds: Any,
        seed_weights: Any,
        words: Any,
        graph: Any = None,
        weights: Array | None = None,
        init: Any = None,
    ) -> Self:
        """Return the checked arguments of a `fit` of the rows `X` in `k` groups; raise InputError if one is invalid."""
        n, words = X.shape[0], checked_words_of(words, X.shape[0])
        named = checked_words(word_seeds, (X if words is None else words).shape[1], k)
        start = None if init is None else checked_start(init, X, k)
        pins, strength = checked_seeds(seeds, n, k), checked_strength(seed_weights, k)
        return cls(pins, named, strength, words, checked_graph(graph, n), weights, start)

    @property
    def any(self) -> bool:
        """Whether a document or a word is labelled."""
        return bool((self.pins >= 0).any() or self.words.any())

    @property
    def words_cover_groups(self) -> bool:
        """Whether each group has a labelled word and no document is labelled, so words alone define the groups."""
        return not (self.pins >= 0).any() and bool(self.words.any(axis=1).all())

    def on(self, rows: Array) -> Self:
        """Return the arguments restricted to the ascending row indices `rows`."""
        if len(rows) == len(self.pins):
            return self
        counted, weights, init = (
            None if values is None else part_of(values, rows) for values in (self.counted, self.weights, self.init)
        )
        near = None if self.near is None else self.near[rows][:, rows]
        return self._replace(pins=self.pins[rows], counted=counted, near=near, weights=weights, init=init)


def checked_seeds(seeds: Any, n: int, k: int) -> Array:
    """Return `seeds` as (n,) int32, -1 for unlabelled documents; all -1 if `seeds` is None.

    Raises InputError as `checked_groups`; warns if no document is labelled.
    """
    if seeds is None:
        return np.full(n, -1, dtype=np.int32)
    seeds = checked_groups(seeds, n, k, "seeds")
    if (seeds < 0).all():
        warn("seeds labels no document: omit it, or label some documents")
    return seeds


def checked_graph(graph: Any, n: int) -> Any:
    """Return the neighbour graph as CSR (n, n), None for None; raise InputError for a wrong shape or invalid
    weights.
    """
    if graph is None:
        return None
    try:
        graph = sp.csr_matrix(graph)
    except (TypeError, ValueError) as error:
        raise InputError(f"graph is not a matrix of numbers ({error!s:.80}); give one of shape {(n, n)}") from error
    if graph.shape != (n, n) or graph.dtype.kind not in "biuf":
        raise InputError(f"graph has shape {graph.shape} and type {graph.dtype}; give numbers of shape {(n, n)}")
    if not np.isfinite(graph.data).all() or graph.data.min(initial=0) < 0:
        raise InputError("graph has weights that are negative or not finite; give weights of at least 0")
    graph = graph.astype(np.float64)
    graph.sort_indices()  # a fixed order of the sums over neighbours, for the same bits
    return graph


def checked_words(words: Any, d: int, k: int) -> Array:
    """Return `word_seeds` as a boolean (k, d) array; all False if it is None.

    Raises InputError for another shape or for values other than 0 and 1. Warns if no word is labelled, and drops words
    labelled for every cluster with a warning.
    """
    if words is None:
        return np.zeros((k, d), dtype=bool)
    words = np.asarray(words.toarray() if sp.issparse(words) else words)
    if words.shape != (k, d):
        raise InputError(
            f"word_seeds has shape {words.shape}; give a row for each of {k} clusters and the {d} columns of X: "
            f"{(k, d)}"
        )
    if words.dtype.kind not in "biuf" or not np.isin(words, (0, 1)).all():
        raise InputError("word_seeds must contain 0 and 1, or False and True; 1 labels the word for the cluster")
    words = words.astype(bool)
    everywhere = np.flatnonzero(words.all(axis=0)) if k > 1 else np.array([], dtype=int)
    if len(everywhere):
        columns = quoted(everywhere.tolist(), LIMITS.columns)
        warn(f"words labelled for every cluster are ignored, because they separate nothing: columns {columns}")
        words[:, everywhere] = False
    elif not words.any():
        warn("word_seeds labels no word: omit it, or label some words")
    return words


def checked_words_of(words: Any, n: int) -> Any:
    """Return the word counts `words` (n, V), checked unless they are `Rows`; None for None.

    Raises InputError unless there are `n` rows.
    """
    if words is None:
        return None
    words = words if is_rows(words) else checked_matrix(words, "words")
    if words.shape[0] != n:
        raise InputError(f"words has {words.shape[0]} rows for {n} documents; give a row for each document")
    return words


def checked_strength(strength: Any, k: int) -> Array:
    """Return `seed_weights` as (k,) float64, ones if None; raise InputError unless there are k positive numbers."""
    weights = np.ones(k) if strength is None else numbers_of(strength, "seed_weights")
    if weights.shape != (k,) or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise InputError(f"seed_weights must be {k} positive numbers, one for each cluster; the default is 1")
    return weights


def check_range(labels: Array, k: int, name: str = "seeds") -> None:
    """Raise InputError if a label is outside -1 to k - 1; the message gives its position in the argument `name`."""
    outside = np.flatnonzero((labels < -1) | (labels >= k))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"{name}[{row}] is {labels[row]:.0f}, but labels go from 0 to {k - 1}, or -1 for none; "
            f"choose a larger n_clusters, or change {name}"
        )


# --- Corrections by seeds of groups that were fitted without them


def numbers_of_seeds(labels: Array, inputs: FitInputs, X: Any, k: int) -> Array:
    """Return new group numbers, (k,), under which the partition `labels` (n,) agrees best with the seeds."""
    by_words = groups_by_words(X if inputs.counted is None else inputs.counted, inputs.words, inputs.pins)
    return numbers_by(labels, np.where(inputs.pins >= 0, inputs.pins, by_words), k)


def corrected(X: Any, labels: Array, inputs: FitInputs, k: int, rng: Rng) -> tuple[Array, Regrouping]:
    """Correct the partition `labels` (n,) by the seeds; return it, and the result of the regression.

    If words alone name all groups, they label the rows that contain two words of a group, more than of any other; one
    word suffices in a row of few words.
    """
    pins: Array = inputs.pins
    counts: Any = None
    if inputs.words.any():
        present = as_rows(presence_of(X if inputs.counted is None else inputs.counted))
        counts = present.map(inputs.words.astype(present.dtype), all_scores)
    if inputs.words_cover_groups:
        most = counts.max(axis=1, keepdims=True)
        known = present.map(np.ones((1, inputs.words.shape[1]), dtype=present.dtype), all_scores)[:, 0]
        enough = most[:, 0] >= np.where(known > LIMITS.few_words, 2, 1)
        pins = np.where(enough & ((counts == most).sum(axis=1) == 1), counts.argmax(axis=1), -1)
    space = label_space(X, inputs.near) if is_sample(labels, pins) else None
    by_labels = regrouped(space, labels, pins, k, rng)
    moved = by_labels.labels if counts is None else moved_by_words(X, counts, by_labels.labels, inputs.pins >= 0)
    return moved, by_labels


def numbers_by(labels: Array, pins: Array, k: int) -> Array:
    """Return new group numbers, (k,) int32, under which a partition agrees best with the labelled documents.

    It is the assignment that maximises the sum of the shares of each number's labelled documents in its group.

    >>> numbers_by(np.array([1, 1, 0, 0]), np.array([0, -1, -1, 1]), 2).tolist()
    [1, 0]
    """
    labelled = pins >= 0
    shares = np.zeros((k, k))
    np.add.at(shares, (labels[labelled], pins[labelled]), 1.0)
    shares /= np.maximum(shares.sum(axis=0, keepdims=True), 1.0)
    groups, numbers = linear_sum_assignment(shares, maximize=True)
    number_of = np.empty(k, dtype=np.int32)
    number_of[groups] = numbers
    return number_of


def groups_by_words(counted: Any, words: Array, pins: Array) -> Array:
    """Return the groups of rows by their labelled words, (n,); groups with a labelled document are left out; -1 for
    none.

    `counted` (n, V) are the word counts; `words` (k, V) is the mask of the labelled words of the groups.
    """
    unlabelled = np.setdiff1d(np.flatnonzero(words.any(axis=1)), pins)
    if not len(unlabelled):
        return np.full_like(pins, -1)
    shares = votes(as_rows(presence_of(counted)), words)
    return np.where(np.isin(shares.argmax(axis=1), unlabelled) & shares.any(axis=1), shares.argmax(axis=1), -1)


def every_group_has_a_seed(pins: Array, words: Array) -> bool:
    """Return whether each group has a labelled row in `pins` (n,) or a labelled word in `words` (k, V)."""
    return len(np.union1d(pins[pins >= 0], np.flatnonzero(words.any(axis=1)))) == len(words)


def presence_of(X: Any) -> Any:
    """Return a matrix with 1 where `X` is nonzero, in the same dtype and format; sparse results share the indices.

    Raises InputError for rows outside memory.
    """
    X = X.local() if is_rows(X) else X
    if X is None:
        raise InputError(
            "labelled words need counts in memory, but X is not in memory: give the counts as the argument words"
        )
    if sp.issparse(X):
        return sp.csr_matrix(((X.data != 0).astype(X.dtype), X.indices, X.indptr), shape=X.shape)
    return (X != 0).astype(X.dtype)
