"""A map of the documents: one disc a group, one dot a document, no dot on another.

Groups that score alike lie near each other. Inside a disc the surest documents are in the middle, the borderline ones
at the rim, on the side of the group that they nearly went to. All of it comes from the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..types import Array
from .facts import Map, MapGroup, MapPoint

SHOWN = 3_000  # dots at most; more would make a heavy file and tell no more
_WIDTH, _HEIGHT = 1000.0, 620.0
_PITCH = 30.0  # largest distance of two dots, so that a handful of documents does not fill the page
_EDGE = 30.0  # room at the border, for labels
_CAPTION = 34.0  # room between discs, for the names below them
_TITLE = 90  # characters of a title


def draw(
    scores: Array, labels: Array, margins: Array, off_topic: Array, titles: Sequence[str], ids: Sequence[str]
) -> Map:
    """Place the documents: `scores` (n, k), `labels`, `margins` and `off_topic` (n,).

    Those of label -1 are set aside: they have a disc of their own beside the groups. A dot is called by its title, or
    by its id where it has none (n strings each).
    """
    k = scores.shape[1]
    own = np.where(labels < 0, k, labels)  # the place beside the groups comes last
    chosen = _sample(own, margins)
    labels_, margins_, out = own[chosen], margins[chosen], off_topic[chosen]
    sizes = np.bincount(labels_, minlength=k + 1)
    radii = np.where(sizes > 0, _ring(np.maximum(sizes, 1) - 1) + 0.5, 0.0)
    centres = _turn(_settle(_likeness(scores[labels >= 0]), radii[:k]), radii[:k])
    centres = np.vstack([centres, _beside(centres, radii)])
    offsets = _places(_headings(scores[chosen], labels_, centres), labels_, margins_, out)
    pitch, centres, height = _fit_page(centres, radii)
    called = [_short(titles[i] or ids[i]) for i in chosen]
    points = _points(centres[labels_] + pitch * offsets, called, _sureness(margins_, labels_ < k), out)
    groups = _discs(centres, pitch * radii, labels_, points)
    aside = replace(groups.pop(), number=-1) if sizes[k] else None
    return Map(_WIDTH, round(height, 1), round(0.4 * pitch, 2), len(chosen), groups, aside)


def _beside(centres: Array, radii: Array) -> Array:
    """The place of the last disc: right of all others, at the lower edge."""
    present = radii[:-1] > 0
    right, low = (centres[present] + radii[:-1][present, None]).max(axis=0)
    return np.array([[right + radii[-1] + 1.0, low - radii[-1]]])


def _points(xy: Array, called: list[str], sureness: Array, off_topic: Array) -> list[MapPoint]:
    columns = (*np.round(xy, 1).T.tolist(), called, sureness.tolist(), off_topic.tolist())
    return [MapPoint(*parts) for parts in zip(*columns, strict=True)]


def _discs(centres: Array, radii: Array, labels: Array, points: list[MapPoint]) -> list[MapGroup]:
    x, y, r = np.round(np.column_stack([centres, radii]), 1).T.tolist()
    members = [np.flatnonzero(labels == c).tolist() for c in range(len(radii))]
    return [MapGroup(c, x[c], y[c], r[c], [points[i] for i in own]) for c, own in enumerate(members) if own]


def _sample(labels: Array, margins: Array) -> Array:
    """Every document, or evenly spaced ones in order of group and margin, with at least one of each group."""
    if len(labels) <= SHOWN:
        return np.arange(len(labels))
    order = np.lexsort((-margins, labels))
    _, first = np.unique(labels[order], return_index=True)
    spaced = np.linspace(0, len(labels) - 1, SHOWN - len(first)).astype(int)
    return np.sort(order[np.union1d(spaced, first)])


def _likeness(scores: Array) -> Array:
    """The first two principal axes of the groups, by how alike they score the documents (classical scaling)."""
    k = scores.shape[1]
    spread = scores.std(axis=0)
    columns = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    gram = columns.T @ columns / len(scores)
    centring = np.eye(k) - 1.0 / k
    values, vectors = np.linalg.eigh(centring @ gram @ centring)
    axes = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    axes = axes * np.where(axes.sum(axis=0) >= 0, 1.0, -1.0)
    turn = 2.399963 * np.arange(k)  # the golden angle: groups that score exactly alike still get places of their own
    return np.pad(axes, ((0, 0), (0, 2 - axes.shape[1]))) + 1e-3 * np.column_stack([np.cos(turn), np.sin(turn)])


def _settle(positions: Array, radii: Array) -> Array:
    """Push discs apart until none overlaps, while a pull to the middle keeps them together, wider than high."""
    pitch = min(_PITCH, np.sqrt(0.5 * _WIDTH * _HEIGHT / (np.pi * (radii**2).sum())))  # roughly: it is known afterwards
    reach = radii[:, None] + radii[None, :] + _CAPTION / pitch
    present = (radii[:, None] > 0) & (radii[None, :] > 0) & ~np.eye(len(radii), dtype=bool)
    scale = float(np.abs(positions).max())
    positions = positions * (1.5 * np.sqrt((radii**2).sum()) / scale) * np.array([1.5, 0.7])
    for pull in np.append(np.linspace(0.04, 0.004, 300), np.zeros(60)):
        positions = positions * (1.0 - pull * np.array([0.45, 1.0]))
        apart = positions[:, None, :] - positions[None, :, :]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-9)
        overlap = np.where(present, np.maximum(reach - distance, 0.0), 0.0)
        positions = positions + 0.4 * ((overlap / distance)[:, :, None] * apart).sum(axis=1)
    return np.asarray(positions)


def _turn(centres: Array, radii: Array) -> Array:
    """Turn the whole to where it can be drawn largest."""
    turns = np.pi * np.arange(36) / 36
    turned = [centres @ np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) for t in turns]
    return max(turned, key=lambda places: _fit_page(places, radii)[0])


def _headings(scores: Array, labels: Array, centres: Array) -> Array:
    """The angle at which each document leans out of its place: towards the groups that score it next best."""
    rows = np.arange(len(labels))
    heat = float(scores.std()) or 1.0
    if scores.shape[1] == 1:
        return np.zeros(len(labels))
    rivals = np.column_stack([scores, np.full(len(scores), -np.inf)])
    rivals[rows, labels] = -np.inf
    pull = np.exp((rivals - rivals.max(axis=1, keepdims=True)) / heat)
    away = centres[None, :, :] - centres[:, None, :]
    away = away / np.maximum(np.linalg.norm(away, axis=2, keepdims=True), 1e-9)
    lean = np.stack([(pull * away[labels, :, axis]).sum(axis=1) for axis in (0, 1)])
    return np.asarray(np.arctan2(lean[1], lean[0]))


def _ring(rank: Array) -> Array:
    """Ring number of the rank-th dot of a disc: rings hold 1, 6, 12, 18 ... dots."""
    return np.ceil((np.sqrt(9.0 + 12.0 * rank) - 3.0) / 6.0 - 1e-9)


def _places(headings: Array, labels: Array, margins: Array, off_topic: Array) -> Array:
    """Offsets (n, 2) from the disc's centre, in pitches.

    Rings by margin, off-topic ones outermost; on a ring evenly, in the order of the headings.
    """
    order = np.lexsort((-margins, off_topic, labels))
    rings = np.empty(len(labels))
    rings[order] = _ring(_position_in_run(labels[order]))
    order = np.lexsort((headings, rings, labels))
    ring_of = np.unique((labels * (rings.max() + 1) + rings)[order], return_inverse=True)[1]
    even = 2 * np.pi * _position_in_run(ring_of) / np.bincount(ring_of)[ring_of]
    turn = np.exp(1j * (headings[order] - even))
    middle = np.bincount(ring_of, turn.real) + 1j * np.bincount(ring_of, turn.imag)
    angles = np.empty(len(labels))
    angles[order] = even + np.angle(middle)[ring_of]  # the turn of the ring that brings dots nearest to their headings
    return np.column_stack([rings * np.cos(angles), rings * np.sin(angles)])


def _position_in_run(sorted_values: Array) -> Array:
    _, first, lengths = np.unique(sorted_values, return_index=True, return_counts=True)
    return np.arange(len(sorted_values)) - np.repeat(first, lengths)


def _fit_page(centres: Array, radii: Array) -> tuple[float, Array, float]:
    """Scale and shift the discs onto the page: the pitch of dots, the centres, the page's height."""
    present = radii > 0
    low = (centres - radii[:, None])[present].min(axis=0)
    high = (centres + radii[:, None])[present].max(axis=0)
    span = np.maximum(high - low, 1.0)
    pitch = float(min((_WIDTH - 2 * _EDGE) / span[0], (_HEIGHT - 2 * _EDGE) / span[1], _PITCH))
    height = pitch * float(span[1]) + 2 * _EDGE
    middle = np.array([_WIDTH / 2, height / 2])
    return pitch, middle + pitch * (centres - (low + high) / 2), height


def _sureness(margins: Array, inside: Array) -> Array:
    """Four steps from borderline to sure, of margins against the usual one of documents that are `inside` a group."""
    usual = float(np.median(margins[inside]))
    steps = np.array([0.25, 0.6, 1.2]) * (usual if usual > 0 else 1.0)
    return np.searchsorted(steps, margins)


def _short(title: str) -> str:
    title = " ".join(title[: 4 * _TITLE].split())
    return title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"
