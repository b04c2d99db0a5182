"""What the estimators share: the checks of their input, and a state that can be saved without pickle."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InputError, ModelError
from ..rows import Rows, is_rows
from ..rows.device import placed
from ..rows.matrix import checked_matrix, no_texts
from ..rows.sparse_indices import sound
from ..solve.in_memory.up_to import directions_up_to
from ..solve.result import Fit
from ..types import Array, Rng
from .saved_fields import check_fitted

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
