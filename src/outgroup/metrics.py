"""Agreement between groups and classes, or between groupings: arrays in, floats out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from .errors import InputError

Labels = Any  # array-like of int or str, shape (n,)
_AVERAGES = ("geometric", "arithmetic", "min", "max")


def accuracy(y: Labels, labels: Labels, *, matching: str = "hungarian") -> float:
    """Return the accuracy under the best matching of clusters to classes.

    Parameters
    ----------
    y, labels : array-like of int or str, shape (n,)
        Classes and clusters; their numbers may differ.
    matching : {"hungarian", "majority"}, default "hungarian"
        "hungarian": the best matching of clusters with different classes (M2DCU); documents of an unmatched cluster are
        wrong. "majority": a cluster takes its most frequent class (CPM3C); several may take the same.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    InputError
        The two differ in length, are empty or have missing labels (None, NaN), or the matching is unknown.

    Examples
    --------
    >>> accuracy(["a", "a", "a", "b"], [0, 0, 1, 1]), accuracy(["a", "a", "a", "a"], [0, 0, 1, 1])
    (0.75, 0.5)
    >>> accuracy(["a", "a", "a", "a"], [0, 0, 1, 1], matching="majority")
    1.0
    """
    from sklearn.metrics.cluster import contingency_matrix  # late: the import of an estimator must be fast

    table = contingency_matrix(*_coded(y, labels))
    if matching == "hungarian":
        right = table[linear_sum_assignment(table, maximize=True)].sum()
    elif matching == "majority":
        right = table.max(axis=0).sum()
    else:
        raise InputError(f"unknown matching {matching!r}: choose 'hungarian' or 'majority'")
    return float(right / table.sum())


def nmi(y: Labels, labels: Labels, *, average: str = "geometric") -> float:
    """Return the normalised mutual information I(y, labels) / average(H(y), H(labels)).

    Parameters
    ----------
    y, labels : array-like of int or str, shape (n,)
    average : {"geometric", "arithmetic", "min", "max"}, default "geometric"
        The mean of the two entropies: geometric in the M2DCU paper, arithmetic in the dual-supervision paper.

    Returns
    -------
    float in [0, 1]
        1 if both have a single group, 0 if only one of them has.

    Raises
    ------
    InputError
        The two differ in length, are empty or have missing labels (None, NaN), or the average is unknown.

    Examples
    --------
    >>> nmi(["a", "a", "b", "b"], [1, 1, 0, 0]), nmi(["a", "a", "b", "b"], [0, 1, 0, 1])
    (1.0, 0.0)
    """
    if average not in _AVERAGES:
        raise InputError(f"unknown average {average!r}: choose one of {', '.join(_AVERAGES)}")
    from sklearn.metrics import normalized_mutual_info_score

    value = normalized_mutual_info_score(*_coded(y, labels), average_method=average)
    return float(np.clip(value, 0, 1))


def rand(y: Labels, labels: Labels) -> float:
    """Return the Rand index: the share of document pairs that both groupings join or both separate; 1 for one document.

    Parameters
    ----------
    y, labels : array-like of int or str, shape (n,)

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    InputError
        The two differ in length, are empty or have missing labels (None, NaN).

    Examples
    --------
    >>> rand(["a", "a", "b"], [0, 1, 1])  # of three pairs both agree on the first and the last document alone
    0.3333333333333333
    """
    from sklearn.metrics import rand_score

    return float(rand_score(*_coded(y, labels)))


def adjusted_rand(y: Labels, labels: Labels) -> float:
    """Return the Rand index adjusted for chance (Hubert and Arabie): 0 for random groups, 1 for equal groups.

    Parameters
    ----------
    y, labels : array-like of int or str, shape (n,)

    Returns
    -------
    float in [-0.5, 1]

    Raises
    ------
    InputError
        The two differ in length, are empty or have missing labels (None, NaN).

    Examples
    --------
    >>> adjusted_rand([0, 0, 1, 1], ["b", "b", "a", "a"]), adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
    (1.0, -0.5)
    """
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(*_coded(y, labels)))


def agreement(labelings: Sequence[Labels]) -> np.ndarray:
    """Return the pairwise agreement of several groupings of the same documents.

    Parameters
    ----------
    labelings : sequence of m array-likes of int or str, each of shape (n,)

    Returns
    -------
    float64 array, shape (m, m)
        Adjusted Rand indices; symmetric, with a diagonal of ones.

    Raises
    ------
    InputError
        The groupings differ in length, are empty or have missing labels (None, NaN).

    Examples
    --------
    >>> agreement([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]]).tolist()
    [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
    """
    labelings = [_label_array(labels, f"labelings[{i}]") for i, labels in enumerate(labelings)]
    result = np.eye(len(labelings))
    for i, j in combinations(range(len(labelings)), 2):
        result[i, j] = result[j, i] = adjusted_rand(labelings[i], labelings[j])
    return result


def _coded(y: Labels, labels: Labels) -> tuple[np.ndarray, np.ndarray]:
    """Return both groupings as codes from 0."""
    y, labels = _label_array(y, "y"), _label_array(labels, "labels")
    if y.ndim != 1 or y.shape != labels.shape or not y.size:
        raise InputError(
            f"expected two nonempty lists of labels of the same length, got shapes {y.shape} and {labels.shape}"
        )
    return _codes(y), _codes(labels)


def _label_array(labels: Labels, name: str) -> np.ndarray:
    """Return labels as an array; raise InputError, with the position, for a missing label (None, NaN)."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind in "biu" or (array is labels and array.dtype.kind in "SU"):
        return array
    values = labels if array.dtype.kind == "U" else array  # NumPy converts other values to text, such as "nan"
    place = next((i for i, label in enumerate(values) if _is_missing(label)), None)
    if place is not None:
        missing = f"{name}[{place}] is {values[place]}, not a label"
        raise InputError(f"{missing}; remove this document from both lists, or give it a separate class")
    return array


def _is_missing(label: Any) -> bool:
    same = label == label  # False for NaN, True for None, undecided for pandas.NA
    return label is None or not isinstance(same, bool | np.bool_) or not same


def _codes(labels: np.ndarray) -> np.ndarray:
    try:
        return np.unique(labels, return_inverse=True)[1]
    except TypeError as error:
        kinds = " and ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(f"labels mix {kinds}; give only numbers or only strings") from error


def stability(objectives: np.ndarray, agreements: np.ndarray) -> float:
    """Split the starts in halves; return the mean agreement between the best starts of both halves.

    It estimates the agreement of two runs with other random numbers and half of the starts: the mean over all splits,
    or over 200 random splits beyond 10 starts.

    Parameters
    ----------
    objectives : (m,) numbers
        The objectives of the starts, lower is better.
    agreements : (m, m) numbers
        Pairwise agreement of the starts, as `agreement` returns it.

    Returns
    -------
    float
        From -1 to 1; nan for a single start.

    Examples
    --------
    >>> round(stability(np.array([1.0, 2.0, 3.0]), np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])), 3)
    0.333
    """
    objectives, agreements = np.asarray(objectives), np.asarray(agreements)
    m = len(objectives)
    if m < 2:
        return float("nan")
    everything = set(range(m))
    pairs = []
    for half in _halves(m):
        a = min(half, key=lambda i: objectives[i])
        b = min(everything - set(half), key=lambda i: objectives[i])
        pairs.append(agreements[a, b])
    return float(np.mean(pairs))


def _halves(m: int) -> list[tuple[int, ...]]:
    if m <= 10:
        return list(combinations(range(m), m // 2))
    rng = np.random.default_rng(0)
    return [tuple(rng.choice(m, m // 2, replace=False)) for _ in range(200)]
