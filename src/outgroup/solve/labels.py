"""Correct groups by labels after they were found without labels.

A fair sample of labels enters a regression over all groups, in which the members of the groups are examples, too; the
groups stay unchanged unless held-out labels support a change. Corrections are not a random sample, since users correct
errors, so they move similar rows only. Both act on the rows of a `LabelSpace`. Labelled words move the rows that
contain two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.utils.extmath import randomized_svd

from ..rows import as_rows, is_rows, nearest, unit_rows
from ..rows.arrays import normalize
from ..rows.base import all_scores
from ..rows.blocks import even_spans, evenly_spaced
from ..rows.threads import one_blas_thread
from ..rows.wrappers import sample, sampled
from ..types import Array, Rng
from .spherical import centres_of


@dataclass(frozen=True)
class _Constants:
    """Constants, chosen on webkb, rcv1-top, digits, Classic4, Reuters and news titles (`bench steer people`)."""

    passes: int = 2  # of smoothing over the graph of neighbours
    basis: int = 1_000  # smoothed rows that give the directions of the label space
    features: int = 200  # principal directions of them
    most: int = 500_000  # rows: a label moves no others in a larger collection
    penalty: float = 20.0  # C of the regression
    prior: float = 2.0  # labels' worth of the members of a group
    members: int = 3_000  # of all groups, about, in the regression: as many of each
    rounds: int = 2  # of regression: the second has the members after the first
    folds: int = 3
    least: int = 30  # labels: of 20, one draw in 14 passed by chance and lost .3 of NMI
    errors: float = 2.0  # standard errors by which a change must exceed no change
    strength: float = 2.0  # of a correction, and of each labelled word beyond the first, in logits
    width: float = 0.1  # kernel mass of a row, in mean groups: .25 moves twice as many, half of them wrong
    reach: float = 0.05  # least kernel of a row that a label may move
    near: int = 15  # neighbours of a row
    candidates: int = 300  # least sure rows, from which the most informative are chosen
    alike: float = 0.5  # kernel of two rows of which only one is a question
    sample: int = 300  # rows that set the scale of the cosines and the width of the kernel
    scores_at_once: int = 1 << 22


_LABELS = _Constants()


class LabelSpace(NamedTuple):
    """Rows on which labels act: unit rows (n, d) float32, d at most 200, and the neighbour graph (n, n) CSR or None."""

    rows: Array
    graph: Any = None

    def kernel(self, index: Array, others: Array, power: float) -> Array:
        """Return the similarities max(0, cosine)^power of some rows and others, (m, l)."""
        with np.errstate(invalid="ignore"):  # BLAS may raise the flag for lanes beyond few columns
            cosines = self.rows[index] @ self.rows[others].T
        return np.asarray(np.maximum(cosines, 0.0, dtype=np.float64) ** power)

    def power(self, k: int) -> float:
        """Return the power for which the similarities of a row with all others sum to a tenth of a mean group."""
        some = evenly_spaced(len(self.rows), _LABELS.sample)
        cosines = np.maximum(self.rows[some] @ self.rows[some].T, 0.0)[~np.eye(len(some), dtype=bool)]
        if not len(cosines):
            return 1.0
        return 10 ** _zero(lambda power: _LABELS.width / k - float(np.mean(cosines ** (10**power))), 0.0, 3.0)

    def scale(self, labels: Array, centres: Array) -> float:
        """Return the scale of the cosines with the centres (k, d) that makes them the logits of the groups."""
        some = _sampled(labels)
        if self.graph is None:
            return _scale(self.rows, labels, centres)
        spans = zip(self.graph.indptr[some], self.graph.indptr[some + 1], strict=True)
        near = [self.graph.indices[first:last] for first, last in spans]
        return _scale_by(_cosines(self.rows, some, centres), [labels[rows] for rows in near], labels[some])

    def centres(self, labels: Array, k: int) -> Array:
        """Return the unit directions of the groups, (k, d)."""
        return centres_of(self.rows, labels, k)


@one_blas_thread()
def label_space(X: Any, near: Any) -> LabelSpace | None:
    """Return the rows on which labels act; None for more than half a million.

    Parameters
    ----------
    X : array, CSR matrix or `Rows` of shape (n, d)
    near : (n, n) symmetric CSR matrix or None
        The neighbour graph that smooths the rows; None takes them as they are.

    Notes
    -----
    The rows are S^2 X V: S = (I + P) / 2 is half a step over the graph, V the 200 principal directions of 1,000 rows of
    S^2 X. Their inner products are nearly those of S^2 X, which would be dense and is never formed.
    """
    rows = unit_rows(as_rows(X))
    n = rows.shape[0]
    if n > _LABELS.most:
        return None
    smooth = sp.identity(n, format="csr", dtype=np.float32)
    if near is not None:
        smooth = ((smooth + normalize(near, norm="l1")) / 2).astype(np.float32)
    basis = evenly_spaced(n, _LABELS.basis)
    some = smooth[basis]
    for _ in range(_LABELS.passes - 1):
        some = some @ smooth
    reached = np.unique(some.indices)
    some = some[:, reached] @ sampled(rows, reached)
    count = min(_LABELS.features, *some.shape)
    F = np.asarray(rows.map(randomized_svd(some, count, random_state=0)[2], all_scores), dtype=np.float32)
    for _ in range(_LABELS.passes if near is not None else 0):
        F = smooth @ F
    return LabelSpace(normalize(F).astype(np.float32), near)


class Regrouping(NamedTuple):
    """Groups corrected by labels, (n,) int32; number of labels; accuracy on labels before and, held out, after.

    `changed` tells whether unlabelled rows may have moved.
    """

    labels: Array
    changed: bool
    n_labels: int
    right_before: float
    right_after: float


def is_sample(groups: Array, pins: Array) -> bool:
    """Return whether enough rows with a group are labelled, of two groups at least, for `regrouped` to move others."""
    labels = pins[(pins >= 0) & (groups >= 0)]
    return len(labels) >= _LABELS.least and len(np.unique(labels)) > 1


@one_blas_thread()
def regrouped(space: LabelSpace | None, groups: Array, pins: Array, k: int, rng: Rng) -> Regrouping:
    """Correct groups by a random sample of labels, for all groups or some.

    Parameters
    ----------
    space : LabelSpace or None
        None: unlabelled rows stay.
    groups : (n,) whole numbers
        The groups of a fit without labels, numbered as the labels are; -1 for a row without a group, which stays so.
    pins : (n,) whole numbers
        The groups of labelled rows, -1 for the others.
    k : int
        Number of groups.

    Returns
    -------
    Regrouping
        Labelled rows are in their groups.

    Notes
    -----
    One logistic regression over the k groups moves rows to their most probable groups. Its examples are the labels,
    and the members of the groups: those of a labelled group weigh as much as two labels, those of another group as much
    as two and the median number of labels in a labelled group, so that these groups keep their place. A second
    regression has the members after the first. Groups stay as they are for fewer than 30 labels, and unless held-out
    labels are right more often, by two standard errors, than by the groups and by the most frequent label.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 30, axis=0) + 0.1 * np.random.default_rng(0).random((60, 2))
    >>> groups, pins = np.repeat([0, 1, 1], [15, 15, 30]), np.full(60, -1)
    >>> pins[::2] = np.repeat([0, 1], 15)
    >>> np.bincount(regrouped(label_space(X, None), groups, pins, 2, np.random.default_rng(0)).labels).tolist()
    [30, 30]
    """
    rows = np.flatnonzero((pins >= 0) & (groups >= 0))
    pinned = np.where(pins >= 0, pins, groups).astype(np.int32)
    unchanged = groups[rows] == pins[rows]
    before = float(unchanged.mean()) if len(rows) else 0.0
    if space is None or not is_sample(groups, pins):
        return Regrouping(pinned, False, len(rows), before, before)
    F = space.rows
    right, fold = np.zeros(len(rows), dtype=bool), rng.permutation(len(rows)) % _LABELS.folds
    for part in range(_LABELS.folds):
        hidden = rows[fold == part]
        visible = pins.copy()
        visible[hidden] = -1
        right[fold == part] = _by_regression(F, groups, visible, k)[hidden] == pins[hidden]
    frequent = pins[rows] == np.bincount(pins[rows]).argmax()
    if not all(_ahead(right.astype(float) - other) for other in (unchanged, frequent)):
        return Regrouping(pinned, False, len(rows), before, before)
    labels = np.where((groups < 0) & (pins < 0), -1, _by_regression(F, groups, pins, k))
    return Regrouping(labels.astype(np.int32), True, len(rows), before, float(right.mean()))


def _by_regression(F: Array, start: Array, pins: Array, k: int) -> Array:
    """Return the groups of rows with features `F` (n, b) by the labels and the members of the groups, (n,)."""
    from sklearn.linear_model import LogisticRegression  # a fifth of a second to import

    labelled, labels = np.flatnonzero((pins >= 0) & (start >= 0)), start
    counts = np.bincount(pins[labelled], minlength=k)
    mass = _LABELS.prior + np.where(counts > 0, 0.0, np.median(counts[counts > 0]))
    most = max(1, _LABELS.members // k)
    for _ in range(_LABELS.rounds):
        members = [np.flatnonzero((labels == group) & (pins < 0)) for group in range(k)]
        members = [rows[evenly_spaced(len(rows), most)] for rows in members]
        sizes = np.array([len(rows) for rows in members])
        groups = np.repeat(np.arange(k), sizes)
        weights = np.r_[np.ones(len(labelled)), (mass / np.maximum(sizes, 1))[groups]]
        rows, classes = np.concatenate([labelled, *members]), np.r_[pins[labelled], groups]
        if len(np.unique(classes)) < 2:
            break
        fit = LogisticRegression(C=_LABELS.penalty, max_iter=300).fit(F[rows], classes, sample_weight=weights)
        labels = np.where(pins >= 0, pins, np.where(start < 0, -1, fit.predict(F)))
    return labels


def _ahead(differences: Array) -> bool:
    """Return whether the mean of paired differences exceeds zero by two standard errors."""
    error = float(differences.std(ddof=1)) / np.sqrt(len(differences))
    return bool(differences.mean() > _LABELS.errors * error)


def moved_near(
    space: LabelSpace | None, labels: Array, k: int, pins: Mapping[int, int], rows: Sequence[int]
) -> tuple[Array, Array]:
    """Return the rows that move with newly labelled rows, and their new groups.

    Parameters
    ----------
    space : LabelSpace or None
        None: no row moves.
    labels : (n,) whole numbers
        The groups of the rows before; -1 for none.
    k : int
        Number of groups.
    pins : mapping of row numbers to groups
        All labelled rows.
    rows : sequence of int
        The newly labelled rows, to which the moved ones are similar.

    Returns
    -------
    rows, groups : (m,) and (m,) whole numbers

    Notes
    -----
    The logits of row i are b s_i, with s_i its cosines to the groups' centres, and b such that the mean of the largest
    probability is the share of nearest rows in the same group. The labels L add 2 K(i, L) (K(L, L) + I)^-1 r, with r
    the label less the probabilities of a labelled row, and K = max(0, cosine)^p: one step towards a Gaussian process
    with the groups as its mean. The kernel is so narrow that a row weighs as a tenth of a mean group. A row moves if
    this changes its argmax; no other row moves.
    """
    none = np.zeros(0, dtype=int)
    if space is None:
        return none, none
    process, new = LabelProcess.of(space, labels, k), np.asarray(rows)
    free = np.setdiff1d(np.flatnonzero(labels >= 0), np.fromiter(pins, dtype=int))
    return process.moved(pins, new, free[space.kernel(free, new, process.power).max(axis=1) > _LABELS.reach])


class Informative(NamedTuple):
    """A row to label: its second most probable group, the number of rows that move there with it, itself included, and
    the expected number of moves.
    """

    row: int
    rival: int
    moves: int
    worth: float


class LabelProcess(NamedTuple):
    """A Gaussian process on the rows of a space, to which labels are added; see `moved_near`.

    `labels` (n,) are the groups of the rows, `centres` (k, d) the directions of the groups, `b` the scale of their
    cosines, and `power` that of the kernel.
    """

    space: LabelSpace
    labels: Array
    centres: Array
    b: float
    power: float

    @classmethod
    def of(cls, space: LabelSpace, labels: Array, k: int) -> LabelProcess:
        centres = space.centres(labels, k)
        return cls(space, labels, centres, space.scale(labels, centres), space.power(k))

    def mean(self, rows: Array) -> Array:
        """Return the logits of some rows by the groups alone, (m, k)."""
        return self.b * np.asarray(self.space.rows[rows] @ self.centres.T, dtype=np.float64)

    def added(self, rows: Array, pins: Mapping[int, int], near: Array) -> Array:
        """Return the terms of the labelled rows similar to the rows `near` in the logits of `rows`, (m, k)."""
        labelled = np.fromiter(pins, dtype=int)
        labelled = labelled[self.space.kernel(labelled, near, self.power).max(axis=1) > _LABELS.reach]
        groups = [pins[row] for row in labelled.tolist()]
        errors = np.eye(len(self.centres))[groups] - softmax(self.mean(labelled), axis=1)
        steps = np.linalg.solve(self.space.kernel(labelled, labelled, self.power) + np.eye(len(labelled)), errors)
        return np.asarray(_LABELS.strength * self.space.kernel(rows, labelled, self.power) @ steps)

    def moved(self, pins: Mapping[int, int], new: Array, index: Array) -> tuple[Array, Array]:
        """Return the rows of `index` that move with the newly labelled rows `new`, and their new groups."""
        mean = self.mean(index)
        after = (mean + self.added(index, pins, new)).argmax(axis=1)
        moves = (after != mean.argmax(axis=1)) & (after != self.labels[index])
        return index[moves], after[moves]

    def confidence(self, rows: Array) -> Array:
        """Return the probability of their own groups for some rows, (m,)."""
        parts = np.array_split(rows, len(rows) * len(self.centres) // _LABELS.scores_at_once + 1)
        probabilities = [softmax(self.mean(part), axis=1)[np.arange(len(part)), self.labels[part]] for part in parts]
        return np.concatenate(probabilities)

    def one(self) -> Array:
        """Return the probability that two groups are one, (k, k); 0 on the diagonal.

        It is twice the mean probability of the other group in both: a half for two random halves of one group.
        """
        k = len(self.centres)
        total, rows = np.zeros((k, k)), np.flatnonzero(self.labels >= 0)
        for part in np.array_split(rows, len(rows) * k // _LABELS.scores_at_once + 1):
            np.add.at(total, self.labels[part], softmax(self.mean(part), axis=1))
        sizes = np.bincount(self.labels[rows], minlength=k)
        probability = np.minimum(2 * (total + total.T) / np.maximum(sizes[:, None] + sizes, 1), 1.0)
        np.fill_diagonal(probability, 0.0)
        return np.asarray(probability)

    @one_blas_thread()
    def informative(self, pins: Mapping[int, int], free: Array) -> list[Informative]:
        """Return the rows whose labels are expected to move most rows, in this order.

        `pins` are the labelled rows and their groups; the rows of the mask `free` (n,) may be candidates.

        The candidates are the 300 rows with the least probable groups. An answer is expected to move (1 - p) m rows: p
        is the probability of the own group, and m the number of rows that move to the second most probable group by
        `moved_near`. Of the answers and the labels no two have a kernel of a half or more: near-duplicates occur once.

        Examples
        --------
        >>> X = np.repeat(np.eye(3), 10, axis=0)[:25] + 0.2 * np.random.default_rng(0).random((25, 3))
        >>> process = LabelProcess.of(label_space(X, None), np.repeat([0, 1], [12, 13]), 2)
        >>> candidates = process.informative({}, np.ones(25, dtype=bool))
        >>> candidates[0].worth >= candidates[1].worth
        True
        """
        labelled, rows = np.fromiter(pins, dtype=int), np.flatnonzero(free & (self.labels >= 0))
        rows = rows[np.argsort(self.confidence(rows), kind="stable")[: _LABELS.candidates]]
        open_ = np.setdiff1d(np.flatnonzero(self.labels >= 0), labelled)
        least = _LABELS.reach ** (1 / self.power)  # the cosine at the reach of the kernel
        candidates = list[Informative]()
        for part in np.array_split(rows, len(rows) * len(open_) // _LABELS.scores_at_once + 1):
            near = self.space.rows[part] @ self.space.rows[open_].T > least
            candidates += [self._informative(i, pins, open_[mask]) for i, mask in zip(part.tolist(), near, strict=True)]
        alike = self.space.kernel(rows, np.r_[rows, labelled], self.power) >= _LABELS.alike
        excluded, chosen = np.asarray(alike[:, len(rows) :].any(axis=1)), list[Informative]()
        for i in sorted(range(len(rows)), key=lambda i: -candidates[i].worth):
            if not excluded[i]:
                excluded |= alike[:, i]
                chosen.append(candidates[i])
        return chosen

    def _informative(self, row: int, pins: Mapping[int, int], near: Array) -> Informative:
        here, group = np.array([row]), self.labels[row]
        p = softmax((self.mean(here) + self.added(here, pins, here))[0])
        rival = int(np.where(np.arange(len(p)) == group, -1.0, p).argmax())
        groups = self.moved({**pins, row: rival}, here, near[near != row])[1]
        moves = 1 + int(np.count_nonzero(groups == rival))
        return Informative(row, rival, moves, float(1 - p[group]) * moves)


def moved_by_words(X: Any, counts: Any, labels: Array, pins: Array) -> Array:
    """Move rows that contain labelled words; return the groups of all rows, (n,).

    The logits are b times the cosines with the centres, and two more for each labelled word beyond the first. A row
    moves to a group if it contains two of its words and the group then has the higher score. `counts` (n, k) are the
    distinct labelled words of each group in each row of `X`, of any length; rows in the mask `pins` (n,) stay.
    """
    rows, k = unit_rows(as_rows(X)), counts.shape[1]
    counts = sp.csr_matrix(counts)
    centres, labels = centres_of(rows, labels, k), np.array(labels, dtype=np.int32)
    some = np.flatnonzero((counts.max(axis=1).toarray().ravel() >= 2) & (labels >= 0) & ~pins)
    if not len(some):
        return labels
    b = _scale(rows, labels, centres)
    for span in even_spans(0, len(some), len(some) * k // _LABELS.scores_at_once + 1):
        index = some[span]
        counted, places = counts[index].toarray(), np.arange(len(index))
        score = b * np.asarray(rows.map(centres, all_scores, on=index), dtype=np.float64)
        score += _LABELS.strength * np.maximum(counted - 1.0, 0.0)
        best = np.where(counted >= 2, score, -np.inf).argmax(axis=1)
        ahead = score[places, best] > score[places, labels[index]]
        labels[index[ahead]] = best[ahead]
    return labels


def _scale(X: Any, labels: Array, centres: Array) -> float:
    """Return the scale b of the cosines by the nearest rows; from a sample if the rows are not in memory."""
    if is_rows(X) and X.local() is None:
        index, X = sample(X, np.random.default_rng(0))
        labels = labels[index]
    chosen = _sampled(labels)
    # one search for all rows: single searches took up to 3 s among 200,000 short texts
    near = nearest(sampled(X, chosen) if is_rows(X) else X[chosen], X, count=_LABELS.near + 1).index
    others = [index[(index >= 0) & (index != row)][: _LABELS.near] for row, index in zip(chosen, near, strict=True)]
    return _scale_by(_cosines(X, chosen, centres), [labels[index] for index in others], labels[chosen])


def nearest_centres(X: Any, rows: Array, centres: Array) -> Array:
    """Return the groups of the nearest centres for some rows, (m,)."""
    return np.asarray(_cosines(X, rows, centres).argmax(axis=1))


def _cosines(X: Any, rows: Array, centres: Array) -> Array:
    return np.asarray((sampled(X, rows) if is_rows(X) else X[rows]) @ centres.T, dtype=np.float64)


def _sampled(labels: Array) -> Array:
    """Return the rows that set the scale of the cosines, evenly spaced among grouped rows."""
    rows = np.flatnonzero(labels >= 0)
    return rows[evenly_spaced(len(rows), _LABELS.sample)]


def _scale_by(cosines: Array, near: Sequence[Array], groups: Array) -> float:
    """Return the scale b for which the mean highest probability is the share of nearest rows in the same group; `near`
    are the groups of these rows, `groups` those of the rows.
    """
    shares = [float(np.mean(others == group)) for others, group in zip(near, groups, strict=True) if len(others)]
    same = float(np.mean(shares)) if shares else 1.0
    return 10 ** _zero(lambda power: float(softmax(10**power * cosines, axis=1).max(axis=1).mean()) - same, -1.0, 3.0)


def _zero(rising: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a rising function, or the nearer end of the interval."""
    if rising(low) >= 0:
        return low
    return high if rising(high) <= 0 else float(brentq(rising, low, high, xtol=1e-9))
