"""A fit that goes on from the version before: what a decision touched moves freely, all else is held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.preprocessing import normalize

from ...cluster.max_margin import MaxMarginClustering
from ...cluster.spherical import SphericalKMeans
from ...cluster.warm_start import WarmStart, fit_from
from ...model.fitting import call, examples_for, rows_and_examples
from ...text.collection import Arranged
from ...types import Array
from ..progress import Reporter
from ..state import State
from ..version import Version

_SAME = 0.1  # of the examples may be others before the threshold is placed anew
_FEW_STEPS = 3  # of k-means, which cannot hold a row

AFRESH = "{} cannot go on from a version; it was fitted again, and its groups matched to those before"


@dataclass(frozen=True)
class Warm:
    """A clusterer that went on from a version, the number of each of its groups, and notes.

    `afresh` says that it did not begin where the documents were. `threshold_examples` is as of `Version`.
    """

    fitted: Any
    numbers: tuple[int, ...]
    notes: tuple[str, ...] = ()
    afresh: bool = False
    threshold_examples: int | None = None


def warm_fit(clusterer: Any, base: Version, state: State, arranged: Arranged, order: Array, reporter: Reporter) -> Warm:
    """Fit a copy of `clusterer` from a state, on the rows in that `order`; `base` is the version before."""
    labels = _positions(state, arranged)[order]
    X, examples = rows_and_examples(arranged.spaces, arranged.examples, clusterer, order)
    if isinstance(clusterer, MaxMarginClustering):
        start = _start(state, arranged, labels, order, base)
        on_step = lambda step: reporter("moving", int(step["step"]))  # noqa: E731
        fitted = fit_from(clusterer, X, start, len(state.numbers), universum=examples, on_step=on_step)
        count = 0 if arranged.examples is None else len(arranged.examples)
        placed_with = count if start.threshold is None else _threshold_examples(base)
        return Warm(fitted, state.numbers, threshold_examples=placed_with)
    if isinstance(clusterer, SphericalKMeans):
        given = examples_for(clusterer, examples, arranged.thrown)
        return Warm(_by_k_means(clusterer, labels, state).fit(X, **given), state.numbers)
    return _afresh(clusterer, X, labels, state, reporter, examples_for(clusterer, examples, arranged.thrown))


def _by_k_means(clusterer: SphericalKMeans, labels: Array, state: State) -> SphericalKMeans:
    """Return k-means that begins at the labels, and takes few steps where groups are not to be found again."""
    found = clone(clusterer).set_params(n_clusters=len(state.numbers), init=labels, local_search=None, n_init=1)
    return found if state.again else found.set_params(max_iter=_FEW_STEPS)


def _start(state: State, arranged: Arranged, labels: Array, order: Array, base: Version) -> WarmStart:
    before, k = base.model.clusterer_, len(state.numbers)
    rows = np.flatnonzero(arranged.inside)[order]
    place = {number: g for g, number in enumerate(state.numbers)}
    pins, weights = np.full(len(rows), -1, dtype=np.int32), np.ones(len(rows))
    labelled = np.flatnonzero(np.isin(rows, list(state.pins)))
    for row in labelled.tolist():
        label = state.pins[int(rows[row])]
        pins[row], weights[row] = place[label.group], label.weight
    same = len(before.coef_) == k and state.ignored == base.state.ignored
    C = float(before.C_) if same and hasattr(before, "C_") else "auto"
    inside = state.labels[rows] >= 0
    threshold = before.off_topic_ if _holds(base, arranged) else None
    own = arranged.documents.universum is not None
    return WarmStart(
        labels, ~state.free[rows], pins, weights, C, own, inside, threshold, _coef(before, base.numbers, state),
        _reject(before) if same else None, _weights(state, labels), arranged.thrown,
    )  # fmt: skip


def _coef(before: Any, numbers: tuple[int, ...], state: State) -> Array | None:
    """Return the weights of the version before, a row for each group there is now, (k, d); zeros for a new one."""
    place = {number: g for g, number in enumerate(numbers)}
    W = np.vstack([before.coef_, np.zeros(before.coef_.shape[1])])
    return np.asarray(W[[place.get(number, len(numbers)) for number in state.numbers]])


def _reject(before: Any) -> tuple[Array, Array] | None:
    coef = getattr(before, "reject_coef_", None)
    return None if coef is None else (coef, before.reject_intercept_)


def _weights(state: State, labels: Array) -> Array:
    """Return what each row weighs, by its group."""
    return np.array([state.weights.get(number, 1.0) for number in state.numbers])[labels]


def _holds(base: Version, arranged: Arranged) -> bool:
    """Whether a version's off-topic threshold holds for these examples: they are much the same."""
    if arranged.examples is None or getattr(base.model.clusterer_, "reject_coef_", None) is None:
        return False
    count = _threshold_examples(base)
    return bool(abs(len(arranged.examples) - count) <= _SAME * count)


def _threshold_examples(version: Version) -> int:
    """Return how many examples there were when the off-topic threshold was placed."""
    return version.model.n_universum_ if version.threshold_examples is None else version.threshold_examples


def _positions(state: State, arranged: Arranged) -> Array:
    """Return the place of each row's group among the numbers, (m,) int32; a row in none goes to the nearest mean."""
    numbers = np.array(state.numbers)
    labels = state.labels[arranged.inside]
    order = np.argsort(numbers)
    found = order[np.clip(np.searchsorted(numbers[order], labels), 0, len(numbers) - 1)].astype(np.int32)
    none = np.flatnonzero(labels < 0)
    if len(none):
        X, means = arranged.spaces.space, _means(arranged.spaces.space, np.where(labels < 0, -1, found), len(numbers))
        found[none] = np.asarray(X[none] @ means.T).argmax(1)
    return found


def _means(X: Any, labels: Array, k: int) -> Array:
    inside = np.flatnonzero(labels >= 0)
    members = sp.csr_matrix((np.ones(len(inside)), (labels[inside], inside)), shape=(k, X.shape[0]))
    sums = members @ X
    return np.asarray(normalize(sums.toarray() if sp.issparse(sums) else np.asarray(sums)))


def _afresh(
    clusterer: Any, X: Any, labels: Array, state: State, reporter: Reporter, given: dict[str, Any]
) -> Warm:  # fmt: skip
    fitted = clone(clusterer, safe=False).set_params(n_clusters=len(state.numbers))
    call(fitted.fit, X, progress=reporter.of("fitting"), **given)
    places = matched(np.asarray(fitted.labels_), labels, len(state.numbers))
    note = AFRESH.format(type(clusterer).__name__)
    return Warm(fitted, tuple(state.numbers[place] for place in places), (note,), afresh=True)


def matched(labels: Array, before: Array, k: int) -> list[int]:
    """Return for each of `k` groups the group before that it goes on, one to one, so that the fewest documents move.

    >>> matched(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]), 2)
    [1, 0]
    """
    table = np.zeros((k, k), dtype=int)
    both = (labels >= 0) & (before >= 0)
    np.add.at(table, (labels[both], before[both]), 1)
    return linear_sum_assignment(table, maximize=True)[1].tolist()
