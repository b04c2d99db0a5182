"""The map: a position in the plane for every document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from ..rows import nearest
from ..rows.threads import one_blas_thread, ordered_map
from ..solve.tsne import tsne
from ..types import Array
from .words import of_unit_length

# --- Map of content: places by scores and words; equal inputs give equal maps
#
# t-SNE places up to three thousand landmarks, drawn evenly from the groups, starting from their principal components.
# Other documents lie among their nearest landmarks. Off-topic documents lie on a separate island.


@dataclass(frozen=True)
class _MapConstants:
    """Constants of the layout."""

    landmarks: int = 3_000  # at most: t-SNE visits all pairs of them
    wide: int = 512  # groups: of more, reduce the scores, and do not move whole groups
    topics: int = 12  # directions of words added to the scores: they spread a group by its words
    word_weight: float = 0.6  # length of a document's words against its scores
    block: int = 2_048  # documents
    amid: int = 4  # landmarks among which a document lies


_MAP = _MapConstants()


def layout(X: Any, scores: Array, groups: Array, off_topic: Array, *, landmarks: int | None = None) -> Array:
    """Return a map position for each document, (n, 2) float32, in [-1, 1]; off-topic documents lie below the others.

    `X` is CSR (n, V), `scores` (n, k), `groups` (n,) 0 to k - 1, `off_topic` (n,) bool. A few `landmarks` make a
    rough map fast.
    """
    inside = np.flatnonzero(~off_topic)
    places = np.zeros((len(groups), 2))
    if len(inside):
        if off_topic.any():
            X, scores, groups = X[inside], scores[inside], groups[inside]
        with one_blas_thread():
            places[inside] = _content(X, scores, groups, landmarks)
    out = np.flatnonzero(off_topic)
    places[out] = _island(len(out), len(inside), places[inside, 1].max(initial=0.0))
    return places.astype(np.float32)


def tidied(places: Array, parts: Array, groups: Array) -> Array:
    """Return the map positions `places` (n, 2), float32, with the parts of each group together.

    Whole parts, (n,) int, move beside the others of the group that has most of their documents, (n,) int from -1 on.
    """
    kin = np.zeros((len(np.unique(parts)), groups.max(initial=0) + 2), dtype=int)
    np.add.at(kin, (np.unique(parts, return_inverse=True)[1], groups), 1)
    return _fit(_closer(places, parts, kin.argmax(axis=1))).astype(np.float32)


def _content(X: Any, scores: Array, groups: Array, landmarks: int | None) -> Array:
    chosen = _landmarks(groups, landmarks or _MAP.landmarks)
    features = _features(X, scores, chosen)
    placed = _fit(_embed(features[chosen]))
    return _fit(_spread(_fit(_closer(_among(features, placed, chosen), groups))))


def _landmarks(groups: Array, most: int) -> Array:
    """Return the row indices of at most `most` documents, evenly drawn from the sequence of groups."""
    order = np.argsort(groups, kind="stable")
    return order[np.unique(np.linspace(0, len(order) - 1, min(len(order), most)).astype(int))]


def _features(X: Any, scores: Array, chosen: Array) -> Array:
    """Return the features of each document, of unit length: centred scores, and words along the principal
    directions.

    The scores of very many groups are projected on the principal directions of the landmarks.
    """
    axes, rank = None, min(_MAP.topics, len(chosen) - 1, X.shape[1] - 1)
    if scores.shape[1] > _MAP.wide:
        few = min(_MAP.wide, len(chosen))
        axes = randomized_svd(_against_mean(scores[chosen]), few, n_iter=1, random_state=0)[2].T
    if rank > 0:
        topics = randomized_svd(sp.csr_matrix(X[chosen], dtype=np.float64), rank, random_state=0)[2].T

    def of(start: int) -> Array:
        block = slice(start, start + _MAP.block)
        centred = _against_mean(scores[block])
        parts = [centred if axes is None else centred @ axes]
        if rank > 0:
            parts.append(_MAP.word_weight * of_unit_length(X[block] @ topics))
        return of_unit_length(np.hstack(parts)).astype(np.float32)  # single precision suffices to rank

    return np.vstack(ordered_map(of, range(0, len(scores), _MAP.block)))


def _against_mean(scores: Array) -> Array:
    return of_unit_length(scores - scores.mean(axis=1, keepdims=True) if scores.shape[1] > 1 else 0.0 * scores)


def _embed(features: Array) -> Array:
    start = features - features.mean(axis=0)
    axes = np.linalg.svd(start, full_matrices=False)[2][:2]
    start = np.pad(start @ axes.T, ((0, 0), (0, 2 - len(axes))))
    start = start + 1e-6 * _sunflower(len(start))  # separate equal documents
    if len(start) < 12:
        return start + 0.3 * np.abs(start).max() * _sunflower(len(start))
    start *= 1e-4 / max(float(start[:, 0].std()), 1e-12)
    return tsne(features, start)


def _among(features: Array, placed: Array, chosen: Array) -> Array:
    """Place each document at the weighted mean of its nearest landmarks; landmarks keep their positions."""
    near = nearest(features, features[chosen], count=_MAP.amid)
    weight = (near.index >= 0) / (2 - 2 * near.cosines + 1e-3)
    places = (weight[:, :, None] * placed[near.index]).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-3)[:, None]
    places[chosen] = placed
    return places


def _closer(places: Array, groups: Array, kin: Array | None = None) -> Array:
    """Move whole groups towards the centre, or those with equal `kin` towards each other, until they nearly touch.

    Mixed groups, and very many groups, stay. A document amid another group moves with it.
    """
    numbers, own = np.unique(groups, return_inverse=True)
    if len(numbers) > _MAP.wide:
        return places  # each round is quadratic in the groups
    sizes = np.bincount(own)
    before = np.column_stack([np.bincount(own, places[:, axis]) / sizes for axis in (0, 1)])
    away = np.linalg.norm(places - before[own], axis=1)
    reach = np.array([np.quantile(away[own == g], 0.9) for g in range(len(numbers))])
    far = np.linalg.norm(before[:, None] - before, axis=2)
    together = np.zeros(far.shape, dtype=bool) if kin is None else kin[:, None] == kin
    least = np.minimum(np.where(together, 0.7, 1.3) * (reach[:, None] + reach), far)
    means = together * sizes / np.maximum((together * sizes).sum(axis=1, keepdims=True), 1)  # or the centre of the map
    centres = before.copy()
    for pull in np.append(np.linspace(0.04, 0.004, 200), np.zeros(60)):
        centres = centres + pull * (means @ centres - centres)
        apart = centres[:, None] - centres
        far = np.maximum(np.linalg.norm(apart, axis=2), 1e-9)
        short = np.maximum(least - far, 0.0) / far
        np.fill_diagonal(short, 0.0)
        centres = centres + 0.3 * (short[:, :, None] * apart).sum(axis=1)
    for stray in np.flatnonzero(away > 2 * reach[own]):
        own[stray] = np.linalg.norm(places[stray] - before, axis=1).argmin()
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
