"""What the estimators share: checks of input and seeds, predictions by scores, and saved state."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from math import inf, isfinite
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InputError, ModelError, OutgroupWarning
from ..rows import Rows, as_rows, is_rows, part_of, unit_rows
from ..rows.base import Plus, all_scores, highest_score
from ..rows.device import placed
from ..rows.matrix import checked_matrix, no_texts, sound
from ..solve.labels import Pool, moved_by_words, pooled
from ..solve.n_clusters import directions_up_to
from ..solve.reject import minus_margins
from ..solve.seeded import votes
from ..solve.solution import Fit
from ..types import Array, Rng

# --- What the estimators share: the checks of their input, and a state that can be saved without pickle

FLOATS = [np.float64, np.float32]
LARGEST_WEIGHT = 1e12  # of a risk: sums of its squares, over many rows, stay far from where numbers end

_Fit = TypeVar("_Fit", bound=Callable[..., Any])


def checked(fit: _Fit) -> _Fit:
    """Check the parameters by scikit-learn's rules first; its own decorator has no types, and so left none to `fit`."""
    wrapped: _Fit = _fit_context(prefer_skip_nested_validation=True)(fit)
    return wrapped


class Clusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the clusterers: sparse and dense rows, float32 and float64, and `to_state` / `from_state`."""

    n_clusters: Any
    _fitted: ClassVar[tuple[str, ...]] = ()  # the attributes that make a fitted estimator, beside its parameters

    def to_state(self) -> dict[str, Any]:
        """Return the parameters and the fitted attributes as plain values and arrays.

        Returns
        -------
        dict
            "params" and "fitted", each a dictionary by name. A `random_state` that is a RandomState is None there: the
            groups are found, and `predict` draws nothing.

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
        """Return the fitted estimator that `to_state` described.

        Parameters
        ----------
        state : dict
            What `to_state` returned, perhaps read from a file.

        Returns
        -------
        estimator, fitted

        Raises
        ------
        ModelError
            A field, which the message names, is missing, is something else, or does not fit the others.
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

    @property
    def groups(self) -> int:
        """Number of groups that were found."""
        return len(self.coef_)

    @property
    def _k(self) -> int:
        """The number of groups that is asked for: products with one of NumPy's small integers would overflow."""
        return int(self.n_clusters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags = None
        return tags

    if TYPE_CHECKING:  # each clusterer has its own; what has none, such as a baseline, shall not seem to

        def decision_function(self, X: Any) -> Array: ...

    def _directions(self) -> tuple[Array, Array]:
        """Return the directions of the groups (k, d) and what is added to their scores (k,)."""
        W = self.coef_
        return W, getattr(self, "intercept_", np.zeros(len(W)))

    def _as_fitted(self, X: Any) -> Any:
        """Return `X`, checked, as the rows that the groups were found among."""
        return self._checked(X, reset=False)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return `X`, an array or CSR matrix of floats, or the `Rows` that it is.

        With `reset`, in a fit, its width is kept, and a matrix goes to the device that `fits_on` names.
        """
        if is_rows(X):
            self._check_width(X.shape[1], reset=reset)
            return placed(X) if reset else X
        X = validated(self, X, reset)
        return placed(X) if reset else X

    def _check_width(self, width: int, *, reset: bool) -> None:
        if reset:
            self.n_features_in_ = width
            self.__dict__.pop("feature_names_in_", None)
        elif width != self.n_features_in_:
            name, own = type(self).__name__, self.n_features_in_
            raise InputError(f"X has {width} features, but {name} is expecting {own} features as input")


def validated(estimator: Any, X: Any, reset: bool) -> Any:
    """Return `X` as an array or CSR matrix of floats; with `reset` its width and the names of its columns are kept."""
    with no_texts("X"):
        return validate_data(estimator, sound(X), reset=reset, accept_sparse="csr", dtype=FLOATS, order="C")


def generator(random_state: Any) -> Rng:
    """Return the generator of a fit whose `random_state` is one of scikit-learn's."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def enough_rows(n: int, k: int) -> None:
    """Raise InputError when `n` rows cannot make `k` clusters."""
    if n < k:
        # scikit-learn's checks look for "1 sample" where there is one
        there = "is 1 sample" if n == 1 else f"are {n:,}"
        raise InputError(
            f"{k} clusters need at least {k} documents, and there {there} to group; ask for fewer clusters"
        )


def of_so_many_rows(words: Any, n: int) -> Any:
    """Return `words` (n, V), in which words are counted; raises InputError for another number of rows."""
    if words.shape[0] != n:
        raise InputError(f"words has {words.shape[0]} rows for {n} documents; give one for each")
    return words


def checked_start(init: Any, X: Any, k: int) -> Array:
    """Return the partition to start from, (n,) int32, -1 for rows that are in no group of it.

    `init` is the group of each row of `X`, or anything fitted with `predict`. Raises InputError for a wrong length,
    other things than whole numbers, or a group outside -1..k-1.
    """
    labels = np.asarray(init.predict(X) if hasattr(init, "predict") else init)
    if labels.shape != (X.shape[0],) or not np.issubdtype(labels.dtype, np.integer):
        raise InputError(f"init has shape {labels.shape}, dtype {labels.dtype}; give {X.shape[0]} whole numbers")
    if labels.min() < -1 or labels.max() >= k:
        raise InputError(f"init has groups from {labels.min()} to {labels.max()}; give 0 to {k - 1}, -1: none")
    return labels.astype(np.int32)


def warn_of_empty_groups(fit: Fit, remedy: str) -> None:
    """Warn (ConvergenceWarning, as scikit-learn's KMeans does) where fewer groups have rows than were asked for."""
    if fit.empty:
        k = len(fit.weights)
        warnings.warn(f"only {k - fit.empty} of {k} groups have rows; {remedy}", ConvergenceWarning, stacklevel=4)


def warn_of_few_directions(rows: Rows, k: int) -> None:
    """Warn (ConvergenceWarning) where rows in memory have fewer directions than there are groups.

    No group of spherical k-means is empty, so equal rows are then in several.
    """
    X = rows.local()
    found = k if X is None else directions_up_to(k, X)
    if found < k:
        there = "1 direction" if found == 1 else f"{found} different directions"
        said = f"{rows.shape[0]:,} rows have only {there}: some of {k} groups have nothing of their own; ask for fewer"
        warnings.warn(said, ConvergenceWarning, stacklevel=4)


def checked_like(extra: Any, X: Any, name: str) -> Any:
    """Return `extra`, a matrix of the dtype of `X` or `Rows`; raises InputError naming it where its columns differ."""
    if not is_rows(extra):
        extra = checked_matrix(extra, name, dtype=np.dtype(X.dtype), order="C", ensure_min_samples=0)
    if extra.shape[0] == 0:
        raise InputError(f"{name} has no rows; leave it out, or give at least one")
    if extra.shape[1] != X.shape[1]:
        raise InputError(
            f"{name} has {extra.shape[1]} columns and X has {X.shape[1]}; make both with the same vectorizer"
        )
    return extra


# --- What the fields of a saved estimator must be: each is checked before anything is made of a file

_LARGEST = 1e30  # of a coefficient: rows are about as long as 1, and their scores shall stay finite in single precision

Sizes = Mapping[str, int]
"""The lengths that fields share: k groups, d columns, and k + j rows for groups and kinds of junk."""

Form = Callable[[Any, Sizes], str | None]
"""Returns what a field should be where it is something else."""


def check_fitted(fitted: Any, names: tuple[str, ...], n_clusters: Any) -> None:
    """Raise ModelError, naming the field, unless the fitted attributes of an estimator are all there and fit together.

    `n_clusters` is the parameter; where it is no number, the fitted `n_clusters_` counts.
    """
    missing = [name for name in names if not isinstance(fitted, Mapping) or name not in fitted]
    if missing:
        raise ModelError(f"it has no {missing[0]}")
    k = n_clusters if is_count(n_clusters) else fitted.get("n_clusters_")
    if not is_count(k) or not is_count(fitted.get("n_features_in_")):
        raise ModelError("its numbers of groups and columns are not both whole numbers from 1")
    sizes = {"k": k, "k + j": _rows_of(fitted.get("reject_coef_"), k + 1), "d": fitted["n_features_in_"]}
    for name in names:
        wanted = _FORMS.get(name, _plain)(fitted[name], sizes)
        if wanted is not None:
            raise ModelError(f"{name} is not {wanted}")
    if (fitted.get("reject_coef_") is None) != (fitted.get("reject_intercept_") is None):
        raise ModelError("only one of reject_coef_ and reject_intercept_ is there")
    if fitted.get("reject_coef_") is not None and not fitted["off_topic_"]:
        raise ModelError("off_topic_ is empty beside reject_coef_")


def is_count(value: Any, least: int = 1) -> bool:
    """Return whether a value is a whole number from `least` on, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < 2**63


def is_labels(value: Any, k: int) -> bool:
    """Return whether a value is the groups of documents, (n,): whole numbers from -1 to k - 1."""
    whole = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i"
    return whole and (not len(value) or (int(value.min()) >= -1 and int(value.max()) < k))


def is_real(value: Any, *shape: int) -> bool:
    """Return whether a value is an array of floats of this shape, finite and not too large to count with."""
    real = isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64) and value.shape == shape
    return real and bool((np.abs(value) <= _LARGEST).all())


def _real(*lengths: str) -> Form:
    said = f"finite numbers of shape ({', '.join(lengths)})"
    return lambda value, sizes: None if is_real(value, *(sizes[length] for length in lengths)) else said


def _or_none(form: Form) -> Form:
    return lambda value, sizes: None if value is None else form(value, sizes)


def _rows_of(value: Any, least: int) -> int:
    return max(least, len(value)) if isinstance(value, np.ndarray) and value.ndim else least


def _labels(value: Any, sizes: Sizes) -> str | None:
    return None if is_labels(value, sizes["k"]) else f"a list of groups from -1 to {sizes['k'] - 1}"


def _number(value: Any, sizes: Sizes) -> str | None:
    return None if _is_number(value) else "a number"


def _finite(value: Any, sizes: Sizes) -> str | None:
    return None if _is_number(value) and isfinite(value) else "a finite number"


def _count(value: Any, sizes: Sizes) -> str | None:
    return None if is_count(value, 0) else "a whole number"


def _groups(value: Any, sizes: Sizes) -> str | None:
    return None if is_count(value) and value == sizes["k"] else "the number of groups"


def _steps(value: Any, sizes: Sizes) -> str | None:
    rows = value if isinstance(value, list) else [None]
    whole = all(isinstance(row, dict) and all(map(_is_plain, row.values())) for row in rows)
    return None if whole else "a list of steps"


def _descent(value: Any, sizes: Sizes) -> str | None:
    said = _steps(value, sizes)
    known = said is None and all(_finite(row.get("objective"), sizes) is None for row in value)
    return said if said or known else "a list of steps, each with an objective"


def _shares(value: Any, sizes: Sizes) -> str | None:
    return None if isinstance(value, dict) and all(map(_is_number, value.values())) else "a table of numbers"


def _verdict(value: Any, sizes: Sizes) -> str | None:
    """A threshold and the choices that it was taken from, or an empty table."""
    said = "a threshold"
    if not isinstance(value, dict) or (value and not isinstance(value.get("choices"), list)):
        return said
    each = [{name: part for name, part in value.items() if name != "choices"}, *value["choices"]] if value else []
    return None if all(map(_is_threshold, each)) else said


def _is_threshold(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {*_THRESHOLD, "method"} or not isinstance(value["method"], str):
        return False
    if any(value[name] is None for name in ("rate", "value", "flagged")) or not is_count(value["flagged"], 0):
        return False
    return all(value[name] is None or _is_limit(value[name]) for name in _THRESHOLD)


def _is_limit(value: Any) -> bool:
    """Return whether scores can be compared with a value: a number, or infinity, which nothing passes."""
    return _is_number(value) and (abs(value) <= _LARGEST or value == inf)


def _plain(value: Any, sizes: Sizes) -> str | None:
    return None if _is_plain(value) else "a number or a text"


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or is_count(value, -(2**63))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bool) or _is_number(value)


_EXPECTED = ("share", "precision", "recall")
_THRESHOLD = ("rate", "value", "flagged", *(name + end for name in _EXPECTED for end in ("", "_low", "_high")))
_FORMS: dict[str, Form] = {
    **dict.fromkeys(("coef_", "cluster_centers_", "seed_centers_"), _real("k", "d")),
    **dict.fromkeys(("objective_", "lower_bound_", "C_", "C_universum_"), _finite),
    "unsteered_objective_": _or_none(_finite),
    **dict.fromkeys(("trace_", "restarts_"), _descent),
    "rounds_": _steps,
    "intercept_": _real("k"),
    "reject_coef_": _or_none(_real("k + j", "d")),
    "reject_intercept_": _or_none(_real("k + j")),
    "stability_": _number,  # nan after one start
    "labels_": _labels,
    "n_iter_": _count,
    "n_features_in_": _count,
    "n_clusters_": _groups,
    "weights_": _shares,
    "off_topic_": _verdict,
}


# --- Clusterers whose groups are the highest of k scores, linear ones or cosines: these scores, and how high they are


class LinearClusterer(Clusterer):
    """Base of the clusterers whose groups are the highest of k linear scores: `coef_` (k, d) and `intercept_` (k,)."""

    coef_: Array
    intercept_: Array

    def decision_function(self, X: Any) -> Array:
        """Return the score of each row of `X` for each group.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)

        Returns
        -------
        (n, k) array, in the dtype of `X`
            `X @ coef_.T + intercept_`.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.
        """
        check_is_fitted(self)
        return np.asarray(as_rows(self._checked(X, reset=False)).map(self.coef_, Plus(self.intercept_)))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the mean slack of the rows of `X`: higher for rows that the groups tell apart more clearly.

        The slack of a row is max(0, 1 - m), where m is how far its highest score is ahead of the next: what the
        objective asks of the rows of the fit.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            From -1, where no row belongs anywhere, to 0, where each is at least 1 ahead; 0 for a single group.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.

        Examples
        --------
        >>> from outgroup import MaxMarginClustering
        >>> X = np.repeat(np.eye(2, 3), 4, axis=0)
        >>> groups = MaxMarginClustering(n_clusters=2, random_state=0).fit(X)
        >>> groups.score(X) > groups.score(np.eye(3)[[2]])
        True
        """
        check_is_fitted(self)
        behind = minus_margins(as_rows(self._checked(X, reset=False)), self.coef_, self.intercept_)
        return 0.0 if self.groups < 2 else -float(np.maximum(1 + behind, 0).mean(dtype=np.float64))


class CosineClusterer(Clusterer):
    """Base of the clusterers whose groups are the nearest of k centres by the cosine: `cluster_centers_` (k, d)."""

    cluster_centers_: Array
    normalize: bool

    def decision_function(self, X: Any) -> Array:
        """Return the score of each row of `X` for each group: its cosine with the group's centre.

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
        check_is_fitted(self)
        return np.asarray(self._as_fitted(X).map(self.cluster_centers_, all_scores))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean cosine of the rows of `X` with their nearest centres: higher for rows nearer to the groups.

        Of the rows of `SphericalKMeans.fit` it is `objective_`, divided by their number.

        Parameters
        ----------
        X : array, sparse matrix or `Rows` of shape (n, d)
        y : ignored

        Returns
        -------
        float
            1 where each row is a centre.

        Raises
        ------
        ValueError
            NaN or infinity in `X`, or other columns than those of the fit.

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
        """The centres under the name that all clusterers share for their directions, shape (k, d)."""
        return np.asarray(self.cluster_centers_)

    def _as_fitted(self, X: Any) -> Rows:
        return self._scaled(self._checked(X, reset=False))

    def _scaled(self, X: Any) -> Rows:
        return unit_rows(as_rows(X)) if self.normalize else as_rows(X)


# --- The checks of seeds, shared by the clusterers that take them

_SHOWN = 5


class CheckedSeeds(NamedTuple):
    """Seeds that were checked: `pins` (n,), `words` (k, V), `strength` (k,), `counted` (n, V) where words are found if
    not in the rows, and the graph `near` (n, n), None if it is not known."""

    pins: Array
    words: Array
    strength: Array
    counted: Any
    near: Any

    @classmethod
    def of(
        cls, X: Any, k: int, seeds: Any, word_seeds: Any, seed_weights: Any, counted: Any, near: Any
    ) -> Self | None:  # fmt: skip
        """Return the seeds of the rows `X`, checked; None without any."""
        if seeds is None and word_seeds is None:
            return None
        pins = checked_seeds(seeds, X.shape[0], k)
        words = checked_words(word_seeds, (X if counted is None else counted).shape[1], k)
        found = cls(pins, words, checked_strength(seed_weights, k), counted, near)
        return found if found.any else None

    @property
    def any(self) -> bool:
        """Whether a document or a word is labelled."""
        return bool((self.pins >= 0).any() or self.words.any())

    @property
    def words_name_all(self) -> bool:
        """Whether each group has a labelled word, and no document is labelled that words could be judged by."""
        return not (self.pins >= 0).any() and bool(self.words.any(axis=1).all())

    def on(self, rows: Array) -> Self:
        """Return the seeds of the rows numbered."""
        counted = None if self.counted is None else part_of(self.counted, rows)
        return self._replace(pins=self.pins[rows], counted=counted, near=among(self.near, rows))


def checked_seeds(seeds: Any, n: int, k: int) -> Array:
    """Return `seeds` as (n,) int32 with -1 for unlabelled documents; all -1 for None.

    Raises InputError for a wrong length, other things than whole numbers, or a label outside -1..k-1; warns when no
    document is labelled.
    """
    if seeds is None:
        return np.full(n, -1, dtype=np.int32)
    seeds = np.asarray(seeds)
    if seeds.shape != (n,):
        raise InputError(f"seeds has shape {seeds.shape} for {n} documents; give one integer a document, -1 for none")
    if seeds.dtype.kind not in "iuf" or not np.all(seeds == np.round(seeds)):
        raise InputError(f"seeds are of type {seeds.dtype}; give whole numbers: a cluster's number, or -1 for none")
    _check_range(seeds, k)
    if (seeds < 0).all():
        _warn("seeds labels no document; leave it out, or label some")
    return np.ascontiguousarray(seeds, dtype=np.int32)


def among(near: Any, rows: Array) -> Any:
    """Return who is near whom among the rows numbered, where that is known."""
    return None if near is None else near[rows][:, rows]


def checked_graph(graph: Any, n: int) -> Any:
    """Return who is near whom as a CSR matrix (n, n), None for None; raises InputError for what cannot be that."""
    if graph is None:
        return None
    graph = sp.csr_matrix(graph)
    if graph.shape != (n, n) or graph.dtype.kind not in "biuf":
        raise InputError(f"graph has shape {graph.shape} and type {graph.dtype}; give numbers of shape {(n, n)}")
    if not np.isfinite(graph.data).all() or graph.data.min(initial=0) < 0:
        raise InputError("graph has weights below 0, or that are no numbers; give how near rows are, 0 for not at all")
    graph = graph.astype(np.float64)
    graph.sort_indices()  # sums over neighbours are then the same bits in whatever order they came
    return graph


def held(labels: Array, pins: Array) -> Array:
    """Return the groups `labels` (n,) with every labelled row where a person put it: `pins` (n,), -1 for the others.

    >>> held(np.array([0, 1, 1]), np.array([-1, 0, -1])).tolist()
    [0, 0, 1]
    """
    return np.asarray(np.where(pins >= 0, pins, labels), dtype=np.int32)


def checked_words(words: Any, d: int, k: int) -> Array:
    """Return `word_seeds` as a boolean (k, d) array; all False for None.

    Raises InputError for another shape or other values than 0 and 1; warns when no word is labelled, and when some are
    labelled for every cluster: those tell nothing and are left out.
    """
    if words is None:
        return np.zeros((k, d), dtype=bool)
    words = np.asarray(words.toarray() if sp.issparse(words) else words)
    if words.shape != (k, d):
        raise InputError(
            f"word_seeds has shape {words.shape}; give {k} rows, one a cluster, of {d} columns, those of X: {(k, d)}"
        )
    if words.dtype.kind not in "biuf" or not np.isin(words, (0, 1)).all():
        raise InputError("word_seeds must hold 0 and 1, or False and True: whether a word is labelled for a cluster")
    return _telling(words.astype(bool))


def checked_words_of(words: Any, n: int) -> Any:
    """Return `words` (n, V), in which labelled words are counted; raises InputError for another number of rows."""
    if not is_rows(words):
        words = checked_matrix(words, "words")
    return of_so_many_rows(words, n)


def checked_strength(strength: Any, k: int) -> Array:
    """Return `seed_weights` as (k,) float64, ones for None; raises InputError unless they are k positive numbers."""
    if strength is None:
        return np.ones(k)
    try:
        strength = np.asarray(strength, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"seed_weights must be numbers, one a cluster: {error}") from error
    if strength.shape != (k,) or not (np.isfinite(strength).all() and (strength > 0).all()):
        raise InputError(f"seed_weights must be {k} positive numbers, one a cluster; 1 is the usual weight")
    return strength


def _check_range(seeds: Array, k: int) -> None:
    outside = np.flatnonzero((seeds < -1) | (seeds >= k))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            f"seeds[{row}] is {seeds[row]:.0f}, and labels go from 0 to {k - 1}, or -1 for none; "
            "choose a larger n_clusters, or change the seeds"
        )


def _telling(words: Array) -> Array:
    everywhere = np.flatnonzero(words.all(axis=0)) if len(words) > 1 else np.array([], dtype=int)
    if len(everywhere):
        columns = ", ".join(map(str, everywhere[:_SHOWN])) + (" ..." if len(everywhere) > _SHOWN else "")
        _warn(f"words labelled for every cluster tell nothing and are left out: columns {columns}")
        words[:, everywhere] = False
    elif not words.any():
        _warn("word_seeds labels no word; leave it out, or label some")
    return words


def _warn(message: str) -> None:
    warnings.warn(message, OutgroupWarning, stacklevel=4)


# --- The numbers of groups that were found without seeds: those of the seeds whose rows they hold


def numbers_of_seeds(found: Array, said: CheckedSeeds, X: Any, k: int) -> Array:
    """Return the number of each group of the partition `found` (n,) that agrees best with the seeds, (k,)."""
    spoken = spoken_by_words(X if said.counted is None else said.counted, said.words, said.pins)
    return numbers_by(found, np.where(said.pins >= 0, said.pins, spoken), k)


def corrected(X: Any, found: Array, said: CheckedSeeds, k: int, rng: Rng) -> tuple[Array, Pool]:
    """Return the groups (n,) after labels corrected the partition `found` (n,), and how the labels were pooled."""
    pool = pooled(X, said.near, found, said.pins, k, rng)
    labels = pool.labels
    if said.words.any():
        present = as_rows(presence_of(X if said.counted is None else said.counted))
        counts = present.map(said.words.astype(present.dtype), all_scores)
        labels = moved_by_words(X, counts, labels, said.pins >= 0)
    return labels, pool


def numbers_by(labels: Array, pins: Array, k: int) -> Array:
    """Return the number of each group of a partition that agrees best with the labelled documents, (k,) int32.

    Each group takes one number, so that the shares of the numbers' labelled documents in it add up to the most.

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


def spoken_by_words(counted: Any, words: Array, pins: Array) -> Array:
    """Return the group of each row by its labelled words, (n,), of the groups that have no labelled document; else -1.

    `counted` (n, V) is where the words are found, `words` (k, V) says which is labelled for which group.
    """
    silent = np.setdiff1d(np.flatnonzero(words.any(axis=1)), pins)
    if not len(silent):
        return np.full_like(pins, -1)
    shares = votes(as_rows(presence_of(counted)), words)
    return np.where(np.isin(shares.argmax(axis=1), silent) & shares.any(axis=1), shares.argmax(axis=1), -1)


def every_group_has_a_seed(pins: Array, words: Array) -> bool:
    """Return whether each of the k groups has a labelled row in `pins` (n,) or a labelled word in `words` (k, V)."""
    return len(np.union1d(pins[pins >= 0], np.flatnonzero(words.any(axis=1)))) == len(words)


def presence_of(X: Any) -> Any:
    """Return 1 where `X` is not zero, in its dtype and form; a sparse one shares its places with `X`.

    Raises InputError for rows that do not lie in memory.
    """
    X = X.local() if is_rows(X) else X
    if X is None:
        raise InputError("labelled words are looked up in memory, and X does not lie there; give the counts as words")
    if sp.issparse(X):
        return sp.csr_matrix(((X.data != 0).astype(X.dtype), X.indices, X.indptr), shape=X.shape)
    return (X != 0).astype(X.dtype)
