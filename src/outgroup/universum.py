"""The Universum: make or select examples that belong to no group.

The four sources of the paper: the remaining classes (`rest`), noise (`random`), midpoints of groups (`mean`), and the
candidates nearest to the targets (`select`). Zhang, Wang and Si, Document Clustering with Universum, SIGIR 2011,
section 5.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from numbers import Integral, Number, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import _safe_indexing, check_random_state

from .errors import InputError
from .rows import PartRows, as_rows, cluster_sums, is_rows
from .rows.base import all_scores
from .rows.matrix import checked_matrix
from .rows.threads import one_blas_thread
from .rows.wrappers import sample
from .solve.spherical import spherical_kmeans
from .types import Array

__all__ = ["mean", "random", "rest", "select"]

_AXES = 100  # most singular directions of the density


def rest(X: Any, y: Sequence[Any], targets: Any) -> tuple[Any, Any]:
    """Split documents by label: those of the `targets`, and the others as Universum (U_rest of the paper).

    Parameters
    ----------
    X : array, DataFrame, sparse matrix or `Rows` of shape (n, d), or a list or column of n texts
        To learn words from the targets alone, split the texts first and vectorise afterwards.
    y : sequence of n labels
    targets : collection of labels, or a label
        The labels of the documents to cluster.

    Returns
    -------
    (targets, universum), both of the kind of `X` (CSR if sparse), in its order

    Raises
    ------
    InputError
        The lengths differ, one part is empty, or an argument is not valid.

    Examples
    --------
    >>> rest(["tea", "cup", "car"], ["kitchen", "kitchen", "road"], {"kitchen"})
    (['tea', 'cup'], ['car'])
    """
    n = X.shape[0] if hasattr(X, "shape") else _as(len, X, "X", "rows or texts")
    chosen = {targets} if isinstance(targets, str | Number) else _as(set, targets, "targets", "the labels to cluster")
    inside = _as(lambda labels: np.array([label in chosen for label in labels], dtype=bool), y, "y", "a label for each")
    if len(inside) != n:
        raise InputError(f"y has {len(inside)} labels for {n} documents: give one label per document")
    if inside.all() or not inside.any():
        share = "every" if inside.any() else "no"
        listing = ", ".join(sorted(map(repr, chosen)))
        raise InputError(f"{share} document has one of the labels {listing}; choose targets that split the documents")
    return _rows(X, np.flatnonzero(inside)), _rows(X, np.flatnonzero(~inside))


def random(X: Any, n: int, random_state: Any = None) -> Any:
    """Draw `n` rows of noise; each feature is uniform between its minimum and maximum in the targets (U_rand).

    Each entry is kept with the feature's share of nonzero entries in the targets, and is zero otherwise: noise over
    words is as sparse as documents. A feature without zeros is uniform.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n_targets, d)
        For rows outside memory, a sample of 16384 rows is used.
    n : int >= 1
    random_state : int, RandomState instance or None

    Returns
    -------
    array or CSR matrix of shape (n, d), as `X` (CSR for a sample), in the dtype of `X` (float64 unless float32)

    Raises
    ------
    InputError : `n` is not an integer >= 1, or `X` is not numeric.

    Examples
    --------
    >>> random([[0.0, 5.0], [2.0, 5.0]], 3, random_state=0).shape
    (3, 2)
    """
    if not _is_count(n):
        raise InputError(f"n={n!r:.60} is not valid: give the number of rows, at least 1")
    rng = _generator(random_state)
    X = _matrix(X, rng)
    low, high = (np.asarray(_dense(bound(axis=0))).ravel().astype(np.float64) for bound in (X.min, X.max))
    share = _counts(X) / X.shape[0]
    noise = sp.vstack([_noise(low, high, share, rng) for _ in range(n)], format="csr").astype(X.dtype)
    return noise if sp.issparse(X) else noise.toarray()


def mean(X: Any, n_clusters: int, random_state: Any = None) -> Any:
    """Return the midpoint of each pair of `n_clusters` spherical k-means centres (U_mean).

    The midpoints are short, so their effect is small. Scaled to unit length they harm the fit: they are few, and lie
    among many documents (20 Newsgroups, six midpoints: NMI -0.24; unscaled +0.005).

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d)
        A centre is the plain mean of its cluster's rows.
    n_clusters : int >= 2
    random_state : int, RandomState instance or None

    Returns
    -------
    array or CSR matrix of shape (k (k - 1) / 2, d), as `X`, in the dtype of `X`

    Raises
    ------
    InputError : `n_clusters` is not an integer from 2 to n, or `X` is not numeric.

    Examples
    --------
    >>> mean([[1.0, 0.0], [0.0, 1.0]], 2, random_state=0)
    array([[0.5, 0.5]])
    """
    if not _is_count(n_clusters, 2):
        raise InputError(f"n_clusters={n_clusters!r:.60} is not valid: give at least 2, to have a pair of centres")
    X, k = _checked(X), int(n_clusters)
    rows, rng = as_rows(X), np.random.default_rng(_generator(random_state).randint(2**31))
    labels = spherical_kmeans(rows, k, rng=rng).labels
    sums = cluster_sums(rows, labels, k)
    centres = sums / np.bincount(labels, minlength=k)[:, None]
    blends = np.array([(centres[p] + centres[q]) / 2 for p, q in combinations(range(k), 2)]).astype(X.dtype)
    return sp.csr_matrix(blends) if sp.issparse(rows.local()) else blends


def select(X: Any, candidates: Any, n_clusters: int, fraction: float = 0.1, random_state: Any = None) -> Array:
    """Select the candidates nearest to the targets, which affect a fit most (U_select).

    Fits a Gaussian mixture of `n_clusters` components with diagonal covariances to the targets on their first singular
    directions, n / 10 and at most 100 (on the features themselves if there are at most 100), and ranks the candidates
    by its density. Give the candidates of all sources at once: the paper selects from their union.

    Parameters
    ----------
    X : array, sparse matrix or `Rows` of shape (n, d), the targets
        For rows outside memory, a sample of 16384 rows is used.
    candidates : array, sparse matrix or `Rows` of shape (m, d)
    n_clusters : int >= 1
    fraction : float in (0, 1], default 0.1
        The share of the candidates to select, rounded up.
    random_state : int, RandomState instance or None

    Returns
    -------
    int array : the row numbers of the chosen candidates, ascending; `candidates[chosen]` is the Universum

    Raises
    ------
    InputError : the columns differ, `X` or the candidates are not numeric, `n_clusters` is not an integer, `fraction`
        is out of range, or there are fewer targets than clusters.

    Examples
    --------
    >>> X = np.array([[0.0, 0.1], [0.1, 0.0], [5.0, 5.1], [5.1, 5.0]])
    >>> select(X, [[9.0, 0.0], [5.0, 4.9], [0.0, 9.0]], n_clusters=2, fraction=0.3, random_state=0)
    array([1])
    """
    X, candidates = _checked(X), _checked(candidates, "candidates")
    _check_selection(X, candidates, n_clusters, fraction)
    rng = _generator(random_state)
    seed = rng.randint(2**31)
    X = _matrix(X, rng)
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a rough density suffices for a ranking
        targets, others = _project(X, candidates, seed)
        # Start from k-means++ alone: the last digits of a full k-means depend on the number of threads.
        mixture = GaussianMixture(n_clusters, covariance_type="diag", init_params="k-means++", random_state=seed)
        density = mixture.fit(targets).score_samples(others)
    kept = int(np.ceil(round(fraction * len(density), 9)))
    return np.sort(np.argsort(-density, kind="stable")[:kept])


def _checked(X: Any, name: str = "X") -> Any:
    if is_rows(X):
        return X
    try:
        return checked_matrix(X, name)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(":.")
        raise InputError(f"{name} contains no numbers: {reason}; convert texts to rows with a Vectorizer") from error


def _is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _generator(random_state: Any) -> Any:
    try:
        return check_random_state(random_state)
    except ValueError as error:
        remedy = "give a whole number, a numpy.random.RandomState, or None"
        raise InputError(f"random_state is {random_state!r:.60}; {remedy}") from error


def _matrix(X: Any, rng: Any) -> Any:
    """Return `X` as a matrix, or a sample of its rows if they are not in memory."""
    if not is_rows(X):
        return _checked(X)
    matrix = X.local()
    return sample(X, np.random.default_rng(rng.randint(2**31)))[1] if matrix is None else matrix


def _as(convert: Callable[[Any], Any], value: Any, name: str, expected: str) -> Any:
    """Return `make(given)`; convert a TypeError to an InputError."""
    try:
        return convert(value)
    except TypeError as error:
        raise InputError(f"{name} is {value!r:.60}; give {expected}") from error


def _rows(X: Any, index: Array) -> Any:
    if is_rows(X):
        return PartRows(X, index)
    return _safe_indexing(X.tocsr() if sp.issparse(X) else X, index)  # by position, not by index label


def _dense(X: Any) -> Any:
    return X.toarray() if sp.issparse(X) else X


def _counts(X: Any) -> Array:
    """Return the number of nonzero entries in each column."""
    if sp.issparse(X):
        return np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
    return np.asarray(np.count_nonzero(X, axis=0))


def _noise(low: Array, high: Array, share: Array, rng: Any) -> Any:
    """Return one row of noise, 1 x d."""
    columns = np.flatnonzero(rng.random_sample(len(share)) < share)
    values = rng.uniform(low[columns], high[columns])
    return sp.csr_matrix((values, (np.zeros_like(columns), columns)), shape=(1, len(share)))


def _check_selection(X: Any, candidates: Any, n_clusters: int, fraction: float) -> None:
    if candidates.shape[1] != X.shape[1]:
        sizes = f"the candidates have {candidates.shape[1]} columns, but X has {X.shape[1]}"
        raise InputError(f"{sizes}: use the same vectorizer for both")
    if not isinstance(fraction, Real) or isinstance(fraction, bool) or not 0 < fraction <= 1:
        raise InputError(f"fraction is {fraction!r:.60}; give a number above 0 and up to 1")
    if not _is_count(n_clusters) or n_clusters > X.shape[0]:
        raise InputError(
            f"n_clusters={n_clusters!r:.60} is not valid: give a number from 1 to {X.shape[0]}, the targets"
        )


def _project(X: Any, candidates: Any, seed: int) -> tuple[Array, Array]:
    """Project `X` and the candidates on the first singular vectors of `X`, in float64."""
    if X.shape[1] <= _AXES:
        return _dense(X).astype(np.float64), _on_axes(candidates, np.eye(X.shape[1]))
    axes = max(1, min(_AXES, X.shape[0] // 10))  # fewer rows a direction would overfit the mixture to noise
    svd = TruncatedSVD(axes, random_state=seed).set_output(transform="default")
    return svd.fit_transform(X).astype(np.float64), _on_axes(candidates, svd.components_)


def _on_axes(candidates: Any, axes: Array) -> Array:
    """Return the products of the candidates with `axes`, (m, c) float64."""
    return np.asarray(as_rows(candidates).map(axes, all_scores), dtype=np.float64)
