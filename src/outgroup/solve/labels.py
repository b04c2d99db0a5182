"""Correct groups by labels after they were found without labels.

A fair sample of labels enters a regression over all groups, in which the members of the groups are examples, too; the
groups stay unchanged unless held-out labels support a change. Corrections are not a random sample, since users correct
errors, so they move only the nearest rows. Labelled words move the rows that contain two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.preprocessing import normalize

from ..rows import as_rows, cluster_sums, is_rows, nearest, unit_rows
from ..rows.base import all_scores
from ..rows.blocks import even_spans
from ..rows.threads import one_blas_thread
from ..rows.wrappers import sample, sampled
from ..types import Array, Rng
from .neighbour_graph import transition_matrix

Near = Callable[[int], tuple[Array, Array]]
"""Returns the numbers and cosines of the rows nearest to a row, at most 15, without itself."""


@dataclass(frozen=True)
class _Constants:
    """Constants, chosen on webkb, rcv1-top, digits, Classic4, Reuters and news titles (`bench steer people`)."""

    passes: int = 2  # of smoothing over the graph of neighbours
    basis: int = 1_000  # labelled rows that span the features of the regression
    features: int = 200  # principal directions of them
    penalty: float = 20.0  # C of the regression, on features whose mean squared length is 1
    prior: float = 2.0  # labels' worth of the members of a group
    members: int = 3_000  # of all groups, about, in the regression: as many of each
    rounds: int = 2  # of regression: the second has the members after the first
    folds: int = 3
    least: int = 30  # labels: of 20, one draw in 14 passed by chance and lost .3 of NMI
    errors: float = 2.0  # standard errors by which a change must exceed no change
    strength: float = 2.0  # of a correction, and of each labelled word beyond the first, in logits
    near: int = 15  # neighbours of a row
    sample: int = 200  # rows that set the scale of the cosines
    scores_at_once: int = 1 << 22
    tiny: float = 1e-9  # least probability


_LABELS = _Constants()


class Regrouped(NamedTuple):
    """Groups corrected by labels, (n,) int32; number of labels; accuracy on labels before and, held out, after.

    `changed` tells whether unlabelled rows may have moved.
    """

    labels: Array
    changed: bool
    n_labels: int
    right_before: float
    right_after: float


@one_blas_thread()
def regrouped(X: Any, near: Any, found: Array, pins: Array, k: int, rng: Rng) -> Regrouped:
    """Correct groups by a random sample of labels, for all groups or some.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    near : (n, n) symmetric CSR matrix or None
        The neighbour graph over which the regression smooths the rows; None takes them as they are.
    found : (n,) whole numbers
        The groups found without labels, numbered as the labels are; -1 for a row without a group, which stays so.
    pins : (n,) whole numbers
        The group of each labelled row, -1 for the others.
    k : int
        Number of groups.

    Returns
    -------
    Regrouped
        Labelled rows are in their groups.

    Notes
    -----
    One logistic regression over the k groups moves each row to its most probable group. Its examples are the labels,
    and the members of the groups: those of a labelled group weigh as much as two labels, those of another group as much
    as two and the median number of labels in a labelled group, so that these groups keep their place. A second
    regression has the members after the first. Groups stay as they are for fewer than 30 labels, and unless held-out
    labels are right more often, by two standard errors, than by the groups and by the most frequent label. Rows outside
    of memory do not move.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 30, axis=0) + 0.1 * np.random.default_rng(0).random((60, 2))
    >>> found, pins = np.repeat([0, 1, 1], [15, 15, 30]), np.full(60, -1)
    >>> pins[::2] = np.repeat([0, 1], 15)
    >>> regrouped(X, None, found, pins, 2, np.random.default_rng(0)).labels.tolist() == [0] * 30 + [1] * 30
    True
    """
    rows = np.flatnonzero((pins >= 0) & (found >= 0))
    kept = np.where(pins >= 0, pins, found).astype(np.int32)
    as_found = found[rows] == pins[rows]
    before = float(as_found.mean()) if len(rows) else 0.0
    enough = len(rows) >= _LABELS.least and len(np.unique(pins[rows])) > 1
    matrix = as_rows(X).local() if enough else None
    if matrix is None:
        return Regrouped(kept, False, len(rows), before, before)
    F = _features(matrix, near, rows)
    right, fold = np.zeros(len(rows), dtype=bool), rng.permutation(len(rows)) % _LABELS.folds
    for part in range(_LABELS.folds):
        hidden = rows[fold == part]
        shown = pins.copy()
        shown[hidden] = -1
        right[fold == part] = _by_regression(F, found, shown, k)[hidden] == pins[hidden]
    frequent = pins[rows] == np.bincount(pins[rows]).argmax()
    if not all(_ahead(right.astype(float) - other) for other in (as_found, frequent)):
        return Regrouped(kept, False, len(rows), before, before)
    labels = np.where((found < 0) & (pins < 0), -1, _by_regression(F, found, pins, k))
    return Regrouped(labels.astype(np.int32), True, len(rows), before, float(right.mean()))


def _by_regression(F: Array, found: Array, pins: Array, k: int) -> Array:
    """Return the groups of rows with features `F` (n, b) by the labels and the members of the groups, (n,)."""
    from sklearn.linear_model import LogisticRegression  # a fifth of a second to import

    labelled, labels = np.flatnonzero((pins >= 0) & (found >= 0)), found
    counts = np.bincount(pins[labelled], minlength=k)
    mass = _LABELS.prior + np.where(counts > 0, 0.0, np.median(counts[counts > 0]))
    most = max(1, _LABELS.members // k)
    for _ in range(_LABELS.rounds):
        members = [_spaced(np.flatnonzero((labels == group) & (pins < 0)), most) for group in range(k)]
        sizes = np.array([len(each) for each in members])
        groups = np.repeat(np.arange(k), sizes)
        weights = np.r_[np.ones(len(labelled)), (mass / np.maximum(sizes, 1))[groups]]
        rows, given = np.concatenate([labelled, *members]), np.r_[pins[labelled], groups]
        if len(np.unique(given)) < 2:
            break
        fit = LogisticRegression(C=_LABELS.penalty, max_iter=300).fit(F[rows], given, sample_weight=weights)
        labels = np.where(pins >= 0, pins, np.where(found < 0, -1, fit.predict(F)))
    return labels


def _spaced(rows: Array, count: int) -> Array:
    """Return at most `count` of the rows, evenly spaced."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), count)).astype(int))]


def _features(matrix: Any, near: Any, rows: Array) -> Array:
    """Return features (n, at most 200) with nearly the inner products of the rows smoothed over `near`.

    Rows are smoothed by S = (I + P) / 2, twice: S^2 X is never formed, only its products with labelled `rows`.
    """
    matrix = normalize(sp.csr_matrix(matrix) if sp.issparse(matrix) else matrix)
    basis, smooth = _spaced(rows, _LABELS.basis), sp.identity(matrix.shape[0], format="csr", dtype=np.float32)
    if near is not None:
        smooth = ((smooth + transition_matrix(near)) / 2).astype(np.float32)
    some = smooth[basis]
    for _ in range(_LABELS.passes - 1):
        some = some @ smooth
    K = matrix @ (some @ matrix).T
    K = K.toarray() if sp.issparse(K) else np.asarray(K)
    for _ in range(_LABELS.passes):
        K = smooth @ K
    K = np.asarray(K, dtype=np.float64)
    gram = (K[basis] + K[basis].T) / 2
    K, gram = K / (scale := max(float(np.mean(gram.diagonal())), _LABELS.tiny)), gram / scale
    values, vectors = (each[..., -_LABELS.features :] for each in np.linalg.eigh(gram))
    return np.asarray(K @ (vectors / np.sqrt(np.maximum(values, 1e-6))), dtype=np.float32)


def _ahead(differences: Array) -> bool:
    """Return whether the mean of paired differences exceeds zero by two standard errors."""
    error = float(differences.std(ddof=1)) / np.sqrt(len(differences))
    return bool(differences.mean() > _LABELS.errors * error)


def moved_near(X: Any, near: Near, labels: Array, k: int, pins: Mapping[int, int], row: int) -> tuple[Array, Array]:
    """Return the rows that move with a corrected row, and their new groups.

    Parameters
    ----------
    X : (n, d) array, CSR matrix or `Rows`, rows of unit length
    near : callable
        Returns the nearest rows of a row, at most 15, and their cosines.
    labels : (n,) whole numbers
        The group of each row before the correction; -1 for none.
    k : int
        Number of groups.
    pins : mapping of row numbers to groups
        All labelled rows.
    row : int
        The labelled row whose neighbours may move.

    Returns
    -------
    rows, groups : (m,) and (m,) whole numbers

    Notes
    -----
    The logits of row i are b s_i, with s_i its cosines to the groups' centres, and b such that the mean of the largest
    probability is the share of nearest rows in the same group. A labelled row l adds to its nearest rows
    (c_il / c_l)^2 (e_l - p_l), with c_l its highest cosine, e_l its label and p_l its probabilities: one step towards a
    Gaussian process with the groups as its mean. A row moves if this changes its argmax; no other row moves.
    """
    centres = centres_of(X, labels, k)
    b = _strength(X, labels, centres)
    index = near(row)[0]
    index = np.array([each for each in index.tolist() if labels[each] >= 0 and each not in pins], dtype=int)
    logits = b * _cosines(X, index, centres)
    offset, place = np.zeros_like(logits), {each: i for i, each in enumerate(index.tolist())}
    labelled = np.fromiter(pins, dtype=int)
    errors = np.eye(k)[[pins[each] for each in labelled.tolist()]] - softmax(b * _cosines(X, labelled, centres), axis=1)
    for each, error in zip(labelled.tolist(), errors, strict=True):
        others, cosines = near(each)
        share = np.maximum(cosines, 0.0) / max(float(cosines.max(initial=0.0)), _LABELS.tiny)
        for other, part in zip(others.tolist(), share.tolist(), strict=True):
            if other in place:
                offset[place[other]] += _LABELS.strength / 2 * part**2 * error
    after = (logits + offset).argmax(axis=1)
    moves = (after != logits.argmax(axis=1)) & (after != labels[index])
    return index[moves], after[moves]


def moved_by_words(X: Any, counts: Any, labels: Array, pins: Array) -> Array:
    """Move rows that contain labelled words; return the groups of all rows, (n,).

    Each labelled word of a group beyond the first adds two logits for the group to those of `moved_near`. A row moves
    to a group if it contains two of its words and the group then has the higher score. `counts` (n, k) are the distinct
    labelled words of each group in each row of `X`, of any length; rows in the mask `pins` (n,) stay.
    """
    rows, k = unit_rows(as_rows(X)), counts.shape[1]
    counts = sp.csr_matrix(counts)
    centres, labels = normalize(cluster_sums(rows, labels, k)), np.array(labels, dtype=np.int32)
    some = np.flatnonzero((counts.max(axis=1).toarray().ravel() >= 2) & (labels >= 0) & ~pins)
    if not len(some):
        return labels
    b = _strength(rows, labels, centres)
    for span in even_spans(0, len(some), len(some) * k // _LABELS.scores_at_once + 1):
        index = some[span]
        held, every = counts[index].toarray(), np.arange(len(index))
        score = b * np.asarray(rows.map(centres, all_scores, on=index), dtype=np.float64)
        score += _LABELS.strength * np.maximum(held - 1.0, 0.0)
        best = np.where(held >= 2, score, -np.inf).argmax(axis=1)
        ahead = score[every, best] > score[every, labels[index]]
        labels[index[ahead]] = best[ahead]
    return labels


def _strength(X: Any, labels: Array, centres: Array) -> float:
    """Return the scale b of the cosines; from a sample if the rows are not in memory."""
    if is_rows(X) and X.local() is None:
        index, X = sample(X, np.random.default_rng(0))
        labels = labels[index]
    chosen = _sampled(labels)
    # one search for all rows: single searches took up to 3 s among 200,000 short texts
    found = nearest(sampled(X, chosen) if is_rows(X) else X[chosen], X, count=_LABELS.near + 1).index
    others = [index[(index >= 0) & (index != row)][: _LABELS.near] for row, index in zip(chosen, found, strict=True)]
    return _scale(_cosines(X, chosen, centres), _share([labels[each] for each in others], labels[chosen]))


def centres_of(X: Any, labels: Array, k: int) -> Array:
    """Return the unit directions of the groups, (k, d); zeros for an empty group."""
    if is_rows(X):
        return np.asarray(normalize(cluster_sums(X, labels, k)))
    inside = np.flatnonzero(labels >= 0)
    members = sp.csr_matrix((np.ones(len(inside), dtype=X.dtype), (labels[inside], inside)), shape=(k, X.shape[0]))
    sums = members @ X
    return np.asarray(normalize(sums.toarray() if sp.issparse(sums) else np.asarray(sums)))


def nearest_centres(X: Any, rows: Array, centres: Array) -> Array:
    """Return the group with the highest cosine for each of some rows, (m,)."""
    return np.asarray(_cosines(X, rows, centres).argmax(axis=1))


def _cosines(X: Any, rows: Array, centres: Array) -> Array:
    return np.asarray((sampled(X, rows) if is_rows(X) else X[rows]) @ centres.T, dtype=np.float64)


def _sampled(labels: Array) -> Array:
    """Return the rows from which the scale of the cosines is found, evenly spaced among grouped rows."""
    return _spaced(np.flatnonzero(labels >= 0), _LABELS.sample)


def _share(found: Sequence[Array], own: Array) -> float:
    """Return the mean share of nearest rows in the same group; `found` are their groups, `own` those of the rows."""
    shares = [float(np.mean(groups == group)) for groups, group in zip(found, own, strict=True) if len(groups)]
    return float(np.mean(shares)) if shares else 1.0


def _scale(cosines: Array, same: float) -> float:
    """Return the scale b for which the mean highest probability equals the share of nearest rows in the `same`
    group.
    """
    low, high = 1e-1, 1e3
    for _ in range(30):
        middle = float(np.sqrt(low * high))
        if softmax(middle * cosines, axis=1).max(axis=1).mean() < same:
            low = middle
        else:
            high = middle
    return low
