"""The map: a position in the plane for every document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from ..stopping import stop_if_asked
from ..types import Array
from .words import lowest, of_unit_length

# --- Map of content: places by scores and words; equal inputs give equal maps
#
# t-SNE (van der Maaten, JMLR 2014) places up to a thousand landmarks (three thousand with openTSNE), drawn evenly from
# the groups, starting from their principal components. Other documents lie among their nearest landmarks. Off-topic
# documents lie on a separate island.


@dataclass(frozen=True)
class _MapConstants:
    """Constants of the layout."""

    landmarks: int = 1_000  # placed by the exact t-SNE
    more_landmarks: int = 3_000  # placed by openTSNE
    wide: int = 512  # groups: of more, reduce the scores, and do not move whole groups
    topics: int = 12  # directions of words added to the scores: they spread a group by its words
    word_weight: float = 0.6  # length of a document's words against its scores
    block: int = 2_048  # documents
    steps: int = 240  # gradient steps of the exact t-SNE
    early: int = 70  # of these, steps in which similarity counts more
    warmup: int = 70  # the same of openTSNE
    n_iter: int = 180  # further steps of openTSNE


_MAP = _MapConstants()


def layout(X: Any, scores: Array, groups: Array, off_topic: Array, *, landmarks: int | None = None) -> Array:
    """Return a map position for each document, (n, 2) float32, in [-1, 1]; off-topic documents lie below the others.

    `X` is CSR (n, V), `scores` (n, k), `groups` (n,) 0 to k - 1, `off_topic` (n,) bool. A few `landmarks` make a
    rough map fast.
    """
    inside = np.flatnonzero(~off_topic)
    places = np.zeros((len(groups), 2))
    if len(inside):
        with threadpool_limits(1, "blas"):  # small matrices: more threads would be slower
            places[inside] = _content(X[inside], scores[inside], groups[inside], landmarks)
    out = np.flatnonzero(off_topic)
    places[out] = _island(len(out), len(inside), places[inside, 1].max(initial=0.0))
    return places.astype(np.float32)


def _content(X: Any, scores: Array, groups: Array, landmarks: int | None) -> Array:
    many = landmarks is None and len(groups) > _MAP.landmarks and available()
    chosen = _landmarks(groups, landmarks or (_MAP.more_landmarks if many else _MAP.landmarks))
    features = _features(X, scores, chosen)
    placed = _fit(_embed(features[chosen], opentsne if many else tsne))
    return _fit(_spread(_fit(_closer(_among(features, features[chosen], placed, chosen), groups))))


def _landmarks(groups: Array, most: int) -> Array:
    """Return the row indices of at most `most` documents, evenly drawn from the sequence of groups."""
    order = np.argsort(groups, kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, min(len(order), most)).astype(int))]


def _features(X: Any, scores: Array, chosen: Array) -> Array:
    """Return the features of each document: centred scores, and words along the principal directions."""
    parts = [_by_scores(scores, chosen)]
    rank = min(_MAP.topics, len(chosen) - 1, X.shape[1] - 1)
    if rank > 0:
        _, _, directions = randomized_svd(sp.csr_matrix(X[chosen], dtype=np.float64), rank, random_state=0)
        parts.append(_MAP.word_weight * of_unit_length(X @ directions.T))
    return np.hstack(parts)


def _by_scores(scores: Array, chosen: Array) -> Array:
    """Return centred scores; for very many groups, projected on the principal directions of the landmarks."""
    if scores.shape[1] <= _MAP.wide:
        return _against_mean(scores)
    rank = min(_MAP.wide, len(chosen))
    _, _, directions = randomized_svd(_against_mean(scores[chosen]), rank, n_iter=1, random_state=0)
    blocks = range(0, len(scores), _MAP.block)
    return np.vstack([_against_mean(scores[start : start + _MAP.block]) @ directions.T for start in blocks])


def _against_mean(scores: Array) -> Array:
    return of_unit_length(scores - scores.mean(axis=1, keepdims=True) if scores.shape[1] > 1 else 0.0 * scores)


def _embed(features: Array, tsne: Callable[[Array, Array, float], Array]) -> Array:
    start = features - features.mean(axis=0)
    axes = np.linalg.svd(start, full_matrices=False)[2][:2]
    start = np.pad(start @ axes.T, ((0, 0), (0, 2 - len(axes))))
    start = start + 1e-6 * _sunflower(len(start))  # separate equal documents
    if len(start) < 12:
        return start + 0.3 * np.abs(start).max() * _sunflower(len(start))
    start *= 1e-4 / max(float(start[:, 0].std()), 1e-12)
    return tsne(features, start, min(30.0, (len(start) - 1) / 3))


def _among(features: Array, landmarks: Array, placed: Array, chosen: Array) -> Array:
    """Place each document at the weighted mean of its nearest landmarks; landmarks keep their positions."""
    places = np.empty((len(features), 2))
    few = landmarks.astype(np.float32)  # single precision suffices to rank
    norms = (few**2).sum(axis=1)
    for start in range(0, len(features), _MAP.block):
        stop_if_asked()
        block = features[start : start + _MAP.block]
        far = block.astype(np.float32) @ few.T
        far *= -2
        far += norms  # without the block's own lengths, which do not change the order
        near = lowest(far, 4)
        away = np.maximum(np.take_along_axis(far, near, axis=1) + (block**2).sum(axis=1)[:, None], 0.0)
        weight = 1.0 / (away + 1e-3)
        weighted = (weight[:, :, None] * placed[near]).sum(axis=1)
        places[start : start + _MAP.block] = weighted / weight.sum(axis=1)[:, None]
    places[chosen] = placed
    return places


def _closer(places: Array, groups: Array) -> Array:
    """Move whole groups towards the centre until they nearly touch; mixed groups, and very many groups, stay."""
    numbers, own = np.unique(groups, return_inverse=True)
    if len(numbers) > _MAP.wide:
        return places  # each round is quadratic in the groups
    sizes = np.bincount(own)
    before = np.column_stack([np.bincount(own, places[:, axis]) / sizes for axis in (0, 1)])
    away = np.linalg.norm(places - before[own], axis=1)
    reach = np.array([np.quantile(away[own == g], 0.9) for g in range(len(numbers))])
    least = np.minimum(1.3 * (reach[:, None] + reach), np.linalg.norm(before[:, None] - before, axis=2))
    centres = before.copy()
    for pull in np.append(np.linspace(0.04, 0.004, 200), np.zeros(60)):
        centres = centres * (1.0 - pull)
        apart = centres[:, None] - centres
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-9)
        short = np.maximum(least - far, 0.0) / far
        np.fill_diagonal(short, 0.0)
        centres = centres + 0.3 * (short[:, :, None] * apart).sum(axis=1)
    return places + (centres - before)[own]


def _spread(places: Array) -> Array:
    """Move documents in crowded areas apart, further where there are more of them."""
    step = np.sqrt(0.9 / (np.pi * max(len(places), 300)))  # fills much of the square
    for shift in (0.0, 0.5, 0.25, 0.75):
        places = places + _thinned(places, shift, step)
    return places


def _thinned(places: Array, shift: float, step: float) -> Array:
    """Return steps (n, 2) away from the centre of each crowded grid cell, along a sunflower spiral."""
    across, down = (np.floor(places * 50 + shift) - np.floor(places * 50 + shift).min(axis=0)).astype(np.int64).T
    cells = np.unique(across * (down.max(initial=0) + 1) + down, return_inverse=True)[1]  # pairs would be sorted slowly
    sizes = np.bincount(cells)
    middle = np.column_stack([np.bincount(cells, places[:, axis]) / sizes for axis in (0, 1)])
    away = np.linalg.norm(places - middle[cells], axis=1)
    order = np.lexsort((away, cells))
    rank = np.empty(len(places))
    rank[order] = np.arange(len(places)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wanted = step * np.sqrt(rank + 0.5)
    turn = np.where(away > 1e-9, np.arctan2(*(places - middle[cells]).T[::-1]), 2.399963 * rank)
    push = np.maximum(wanted - away, 0.0) * (sizes[cells] > 1)
    return push[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])


def _island(count: int, others: int, bottom: float) -> Array:
    """Return map positions for the off-topic documents: an ellipse below the others, with the same density of
    points.
    """
    radius = np.clip(np.sqrt(count / max(others, 1)), 0.08, 0.8)
    return _sunflower(count) * radius * np.array([1.2, 0.3]) + np.array([0.0, bottom + 0.16 + 0.3 * radius])


def _sunflower(count: int) -> Array:
    """Return `count` points, evenly spread over the unit disc, from the centre outwards."""
    turn = 2.399963 * np.arange(count)
    return np.sqrt((np.arange(count) + 0.5) / max(count, 1))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])


def _fit(places: Array) -> Array:
    """Scale and shift positions to [-1, 1]; outlying positions move closer to leave room for the others."""
    low, high = np.quantile(places, [0.01, 0.99], axis=0)
    middle = (low + high) / 2
    away = (places - middle) / (1.1 * float(np.abs(high - middle).max()) or float(np.abs(places - middle).max()) or 1.0)
    beyond = np.maximum(np.abs(away) - 0.9, 0.0)
    return np.sign(away) * (np.minimum(np.abs(away), 0.9) + 0.1 * beyond / (beyond + 0.1))


# --- Exact t-SNE (van der Maaten and Hinton, JMLR 2008) of a few hundred points: no random numbers, one matrix at a
# time
#
# scikit-learn's takes ten times as long here (docs/decisions/0012-map.md).


def tsne(features: Array, start: Array, perplexity: float) -> Array:
    """Return t-SNE positions (m, 2) from `start` (m, 2); nearby points stay nearby.

    >>> line = np.arange(12.0)[:, None]
    >>> placed = tsne(line, 1e-3 * np.hstack([line, line**2 / 12]), perplexity=3)
    >>> bool(np.linalg.norm(placed[0] - placed[1]) < np.linalg.norm(placed[0] - placed[11]))
    True
    """
    like = _likeness(features.astype(np.float32), perplexity)
    places, speed, gain = start.astype(np.float32), np.zeros_like(start, np.float32), np.ones_like(start, np.float32)
    rate = max(20.0, len(places) / 4)
    early = like * np.float32(8.0)  # exaggerated
    for step in range(_MAP.steps):
        stop_if_asked()
        slope = _slope(early if step < _MAP.early else like, places)
        gain = np.where(slope * speed < 0, gain + 0.2, np.maximum(0.8 * gain, 0.01))
        speed = (0.5 if step < _MAP.early else 0.8) * speed - rate * gain * slope
        places = places + speed
        places = places - places.mean(axis=0)
    return np.asarray(places, dtype=float)


def _slope(like: Array, places: Array) -> Array:
    near = _distances(places)
    near += 1.0
    np.reciprocal(near, out=near)
    np.fill_diagonal(near, 0.0)
    pull = near * np.float32(-1.0 / near.sum())
    pull += like
    pull *= near
    return 4.0 * (pull.sum(axis=1)[:, None] * places - pull @ places)


def _likeness(features: Array, perplexity: float) -> Array:
    """Return symmetric similarities, (m, m), with the given perplexity; bisection finds the precisions."""
    far = _distances(features)
    np.fill_diagonal(far, np.inf)
    far = far / (float(np.median(far[np.isfinite(far)])) or 1.0)
    far -= far.min(axis=1, keepdims=True)
    np.fill_diagonal(far, 1e4)
    low, high = np.full(len(far), -10.0), np.full(len(far), 14.0)  # logarithms of the precisions
    for _ in range(20):  # bisections of a range of 24: to 2e-5
        middle = (low + high) / 2
        wide = _entropy(far, middle) > np.log(perplexity)
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    share = _weights(far, (low + high) / 2)
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray((share + share.T) / (2 * len(share)), dtype=np.float32)


def _entropy(far: Array, precision: Array) -> Array:
    """Return the entropy of each row: log of the total weight plus precision times the mean distance."""
    weights = _weights(far, precision)
    total = weights.sum(axis=1)
    return np.asarray(np.log(total) + np.exp(precision) * np.einsum("ij,ij->i", weights, far) / total)


def _weights(far: Array, precision: Array) -> Array:
    """Return exp(-precision * distance), scaled to 1 for the nearest point; 0 for the point itself."""
    weights = far * -np.exp(precision).astype(np.float32)[:, None]
    np.exp(weights, out=weights)
    np.fill_diagonal(weights, 0.0)
    return weights


def _distances(points: Array) -> Array:
    squares, ones = (points**2).sum(axis=1), np.ones(len(points), dtype=points.dtype)
    found = np.column_stack([-2.0 * points, squares, ones]) @ np.column_stack([points, ones, squares]).T
    return np.maximum(found, 0.0, out=found)


# --- t-SNE by openTSNE, where it is installed (extra `map`): it lays out three times as many landmarks as ours does


def available() -> bool:
    """Return whether openTSNE is installed."""
    return find_spec("openTSNE") is not None


def opentsne(features: Array, start: Array, perplexity: float) -> Array:
    """Return openTSNE positions (m, 2) from `start` (m, 2), repeatable like `tsne`.

    Neighbours are exact and one thread is used, so that results repeat.
    """
    from openTSNE import TSNE  # half a second to import
    from openTSNE.affinity import MultiscaleMixture
    from openTSNE.nearest_neighbors import Sklearn

    # The search for neighbours is named: left to itself, openTSNE first loads each that is installed, a second long.
    near = Sklearn(features, k=min(len(features) - 1, int(3 * perplexity)), metric="euclidean")
    likeness = MultiscaleMixture(None, perplexity, knn_index=near)
    steps = {"early_exaggeration_iter": _MAP.warmup, "n_iter": _MAP.n_iter}
    # A larger theta merges cells of the plane sooner; the default, .5, keeps no more neighbours.
    fast = {"negative_gradient_method": "bh", "theta": 0.8, "n_jobs": 1}
    stops = {"callbacks": lambda *_: stop_if_asked(), "callbacks_every_iters": 20}
    fit = TSNE(initialization=start, random_state=0, **steps, **fast, **stops)
    return np.asarray(fit.fit(affinities=likeness), dtype=float)
