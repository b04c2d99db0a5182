"""The geometry of the picture of a profile: a curve a figure over the number of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..sentences.profile import FIGURES, Profile
from ..sentences.wording import figure

WIDTH, HEIGHT = 640.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 14.0, 14.0, 34.0
_TICKS = (2, 3, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True)
class Curve:
    """One figure over the number of groups: its path, each scaled to the height, and its points as (x, y, what)."""

    name: str
    path: str
    points: list[tuple[float, float, str]]


@dataclass(frozen=True)
class Picture:
    """Curves over the number of groups (by its logarithm), and a line at each candidate: (x, number, is chosen)."""

    curves: list[Curve]
    candidates: list[tuple[float, int, bool]]
    ticks: list[tuple[float, str]]


def picture(profile: Profile) -> Picture:
    """The picture of a profile."""
    ks = [each["n_clusters"] for each in profile["points"]]
    shown = [name for name in FIGURES if all(each[name] is not None for each in profile["points"])]
    candidates = [(_x(k, ks), k, k == profile["chosen"]) for k in profile["candidates"]]
    ticks = [(_x(k, ks), str(k)) for k in _TICKS if ks[0] <= k <= ks[-1]]
    return Picture([_curve(name, profile["points"], ks) for name in shown], candidates, ticks)


def _curve(name: str, points: list[dict[str, Any]], ks: list[int]) -> Curve:
    values = [float(each[name]) for each in points]
    low, high = min(values), max(values)
    share = [(value - low) / (high - low) if high > low else 0.5 for value in values]
    places = [
        (_x(k, ks), round(HEIGHT - _BOTTOM - part * (HEIGHT - _TOP - _BOTTOM), 1))
        for k, part in zip(ks, share, strict=True)
    ]
    titled = [
        (x, y, f"{k} groups: {name} {figure(value, 3)}") for (x, y), k, value in zip(places, ks, values, strict=True)
    ]
    return Curve(name, "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in places), titled)


def _x(k: int, ks: list[int]) -> float:
    low, high = math.log(ks[0]), math.log(ks[-1])
    share = (math.log(k) - low) / (high - low) if high > low else 0.5
    return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)
