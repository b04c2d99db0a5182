"""Correct groups by labels after they were found without labels.

A fair sample of labels and the groups are pooled as two opinions, whose weights are chosen by cross-validation: the
groups stay unchanged unless held-out labels support a change. Corrections are not a random sample, since users correct
errors, so they move only the nearest rows. Labelled words move the rows that contain two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from ..rows import as_rows, cluster_sums, is_rows, nearest, unit_rows
from ..rows.base import all_scores
from ..rows.blocks import even_spans
from ..rows.threads import one_blas_thread
from ..rows.wrappers import sample, sampled
from ..types import Array, Rng
from .neighbour_graph import adjacency, transition_matrix

Near = Callable[[int], tuple[Array, Array]]
"""Returns the numbers and cosines of the rows nearest to a row, at most 15, without itself."""


@dataclass(frozen=True)
class _Constants:
    """Constants, chosen on webkb, rcv1-top, digits, Classic4, Reuters and news titles (`bench steer people`)."""

    passes: int = 2  # of smoothing over the graph of neighbours
    basis: int = 1_000  # labelled rows that span the features of the regression
    penalty: float = 10.0  # C of the regression, on features whose mean squared length is 1
    prior: float = 2.0  # labels' worth of the regression in a group's opinion
    weights: tuple[tuple[float, float], ...] = ((0, 1), (0.25, 1), (0.5, 1), (1, 1), (1, 0.5), (1, 0))
    folds: int = 5
    fewest: float = 3.0  # labels per labelled group, in the mean, for cross-validation
    least: int = 30  # labels: of 20, one draw in 14 passed by chance and lost .3 of NMI
    errors: float = 2.0  # standard errors by which a change must exceed no change
    most_rows: int = 1 << 15  # without a given graph: the search takes time proportional to the square
    strength: float = 2.0  # of a correction, and of each labelled word beyond the first, in logits
    near: int = 15  # neighbours of a row
    sample: int = 200  # rows that set the scale of the cosines
    scores_at_once: int = 1 << 22
    tiny: float = 1e-9  # least probability


_LABELS = _Constants()


class Pool(NamedTuple):
    """Groups after pooling, (n,) int32; weights of labels and groups; number of labels; accuracy on labels before and
    after.
    """

    labels: Array
    weights: tuple[float, float]
    n_labels: int
    right_before: float
    right_after: float

    @property
    def changed(self) -> bool:
        """Whether pooling moved unlabelled rows."""
        return self.weights[0] > 0


def pooled(X: Any, near: Any, found: Array, pins: Array, k: int, rng: Rng) -> Pool:
    """Pool the groups with a random sample of labels.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    near : (n, n) symmetric CSR matrix or None
        The neighbour graph; None to compute it.
    found : (n,) whole numbers
        The groups found without labels, numbered as the labels are; -1 for a row without a group, which stays so.
    pins : (n,) whole numbers
        The group of each labelled row, -1 for the others.
    k : int
        Number of groups.

    Returns
    -------
    Pool
        Labelled rows are in their groups.

    Notes
    -----
    p(i) is a logistic regression of the labels on rows smoothed over the graph. A group's opinion q mixes the counts of
    its labels with the mean of p in it. Row i goes to the argmax of u log p(i) + v log q(c_i), with (u, v) of highest
    cross-validated likelihood. (0, 1) means no change. Another choice must exceed it in likelihood and accuracy by two
    standard errors of the paired differences. Groups without labels keep their rows. Fewer than 30 labels, or than
    three per labelled group, change nothing.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 30, axis=0) + 0.1 * np.random.default_rng(0).random((60, 2))
    >>> found, pins = np.repeat([0, 1, 1], [15, 15, 30]), np.full(60, -1)
    >>> pins[::2] = np.repeat([0, 1], 15)
    >>> pooled(X, None, found, pins, 2, np.random.default_rng(0)).labels.tolist() == [0] * 30 + [1] * 30
    True
    """
    rows = np.flatnonzero((pins >= 0) & (found >= 0))
    kept = np.where(pins >= 0, pins, found).astype(np.int32)
    before = float(np.mean(found[rows] == pins[rows])) if len(rows) else 0.0
    unchanged = Pool(kept, (0.0, 1.0), len(rows), before, before)
    steps = _walk_over(X, near) if _enough(pins[rows]) else None
    if steps is None:
        return unchanged
    opinions = _Opinions(_features(X, steps, rows), found, rows, pins[rows], k)
    weights, after = opinions.judged(rng, before)
    if weights[0] == 0:
        return unchanged
    p, q = opinions.of(np.ones(len(rows), dtype=bool))
    own = np.bincount(found[rows], minlength=k) > 0
    moves = (pins < 0) & (found >= 0) & own[found]
    labels = np.where(moves, _score(p, q[found], weights).argmax(axis=1), kept)
    return Pool(labels.astype(np.int32), weights, len(rows), before, after)


def _enough(labels: Array) -> bool:
    """Return whether there are enough labels: at least 30, from two groups, and three per group on average."""
    groups = len(np.unique(labels))
    return groups > 1 and len(labels) >= max(_LABELS.least, _LABELS.fewest * groups)


def _walk_over(X: Any, near: Any) -> Any:
    """Return the transition matrix of the graph `near` or, if it is None, of a new one; None for too many rows."""
    rows = as_rows(X)
    if rows.local() is None:
        return None
    if near is None:
        if rows.shape[0] > _LABELS.most_rows:
            return None
        with one_blas_thread():
            near = adjacency(nearest(unit_rows(rows)))
    return transition_matrix(near)


def _features(X: Any, steps: Any, rows: Array) -> Array:
    """Return features (n, b) with the same inner products with labelled rows as rows smoothed by `steps`.

    Rows are smoothed by S = (I + P) / 2, twice: S^2 X is never formed, only its products with b labelled rows.
    """
    matrix = as_rows(X).local()
    matrix = normalize(sp.csr_matrix(matrix) if sp.issparse(matrix) else matrix)
    basis = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _LABELS.basis)).astype(int))]
    smooth = ((sp.identity(matrix.shape[0], format="csr") + steps) / 2).astype(np.float32)
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
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(K @ (vectors / np.sqrt(np.maximum(values, 1e-6))))


@dataclass(frozen=True)
class _Opinions:
    """Labels `given` (m,) of `rows` (m,), features `F` (n, b) of all rows, and their groups `found` (n,)."""

    F: Array
    found: Array
    rows: Array
    given: Array
    k: int

    def of(self, shown: Array) -> tuple[Array, Array]:
        """Return the probabilities of groups for each row (n, k) and each group (k, k), from the labels in the mask
        `shown` (m,).
        """
        rows, given = self.rows[shown], self.given[shown]
        p = np.full((len(self.F), self.k), _LABELS.tiny)
        if len(np.unique(given)) > 1:
            fit = LogisticRegression(C=_LABELS.penalty, max_iter=300).fit(self.F[rows], given)
            p[:, fit.classes_] = np.maximum(fit.predict_proba(self.F), _LABELS.tiny)
        else:
            p[:, given] = 1.0
        inside = np.flatnonzero(self.found >= 0)
        members = sp.csr_matrix((np.ones(len(inside)), (self.found[inside], inside)), shape=(self.k, len(p)))
        mean = (members @ p) / np.maximum(np.bincount(self.found[inside], minlength=self.k), 1)[:, None]
        counts = np.zeros((self.k, self.k))
        np.add.at(counts, (self.found[rows], given), 1)
        q = (counts + _LABELS.prior * mean) / (counts.sum(axis=1, keepdims=True) + _LABELS.prior)
        return p, np.maximum(q, _LABELS.tiny)

    def judged(self, rng: Rng, before: float) -> tuple[tuple[float, float], float]:
        """Return the weights chosen by cross-validation on the labels, and their accuracy."""
        likely = np.zeros((len(_LABELS.weights), len(self.rows)))
        right = np.zeros(likely.shape, dtype=bool)
        fold = self._folds(rng)
        for part in range(_LABELS.folds):
            hidden = fold == part
            if not hidden.any() or hidden.all():
                continue
            p, q = self.of(~hidden)
            rows, given = self.rows[hidden], self.given[hidden]
            for i, weights in enumerate(_LABELS.weights):
                score = log_softmax(_score(p[rows], q[self.found[rows]], weights), axis=1)
                likely[i, hidden] = score[np.arange(len(rows)), given]
                right[i, hidden] = score.argmax(axis=1) == given
        best = int(likely.mean(axis=1).argmax())
        as_found = self.found[self.rows] == self.given
        if not (_ahead(likely[best] - likely[0]) and _ahead(right[best].astype(float) - as_found)):
            return _LABELS.weights[0], before
        return _LABELS.weights[best], float(right[best].mean())

    def _folds(self, rng: Rng) -> Array:
        """Return the fold of each label, stratified by group."""
        fold = np.zeros(len(self.rows), dtype=int)
        for group in np.unique(self.given):
            mine = rng.permutation(np.flatnonzero(self.given == group))
            fold[mine] = (np.arange(len(mine)) + rng.integers(_LABELS.folds)) % _LABELS.folds
        return fold


def _ahead(differences: Array) -> bool:
    """Return whether the mean of paired differences exceeds zero by two standard errors."""
    error = float(differences.std(ddof=1)) / np.sqrt(len(differences))
    return bool(differences.mean() > _LABELS.errors * error)


def _score(p: Array, q: Array, weights: tuple[float, float]) -> Array:
    return weights[0] * np.log(p) + weights[1] * np.log(q)


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
    inside = np.flatnonzero(labels >= 0)
    return np.asarray(inside[np.unique(np.linspace(0, len(inside) - 1, min(len(inside), _LABELS.sample)).astype(int))])


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
