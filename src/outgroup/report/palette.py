"""The colours of groups in the light and the dark theme.

A colour has the same hue on both. The first ten are chosen by hand and safe for colour-blind readers. A further colour
is the candidate least similar to the earlier ones: the colour of a group does not depend on the number of groups.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..types import Array

# (light page, dark page), of the same hue, with a contrast of at least 3 to 1 against the card. Hues that colour-blind
# readers confuse differ in lightness.
_BASE = (
    ("#164ab6", "#4880f1"),
    ("#9e590d", "#d1770f"),
    ("#296056", "#52e3cb"),
    ("#80218d", "#b75ac4"),
    ("#3992a9", "#4dcfef"),
    ("#e9597e", "#da4b72"),
    ("#878c29", "#d5de30"),
    ("#9878f5", "#aa92fb"),
    ("#594620", "#dfa61e"),
    ("#437b50", "#44d070"),
)
OUT = ("#8a8f96", "#8d939c")
"""The colour of off-topic documents, greyer than any group."""
_DIFFERENT, _AT_ONCE = 240, 30  # colours before they repeat, and colours computed together

# The candidates for further colours in OKLab (Ottosson 2020), where equal distances look about equal: lightness on a
# light and on a dark page, chroma and hue.
_LIGHT, _DARK = np.linspace(0.3, 0.66, 7), np.linspace(0.6, 0.92, 7)
_CHROMA, _HUE = np.linspace(0.05, 0.21, 5), np.linspace(0, 2 * np.pi, 36, endpoint=False)
_LUMINANCE, _BRIGHTEST = np.array([0.2126, 0.7152, 0.0722]), 0.29  # on a light page: 3 to 1 against white
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def colours(k: int) -> list[tuple[str, str]]:
    """Return the (light theme, dark theme) colours of k groups; they repeat after 240.

    Beyond ten, and for colour-blind readers, the numbers on the map identify the groups.

    >>> colours(1), len(set(colours(100)))
    ([('#164ab6', '#4880f1')], 100)
    """
    return [colour(i) for i in range(k)]


def colour(i: int) -> tuple[str, str]:
    """Return the colours of the group numbered `i`."""
    i %= _DIFFERENT
    return _BASE[i] if i < len(_BASE) else _first(_AT_ONCE * (i // _AT_ONCE + 1))[i]


@lru_cache
def _first(count: int) -> list[tuple[str, str]]:
    """Return the first `count` colours; from the eleventh on, add the candidate farthest from all before."""
    pairs = _candidates()
    labs = [_lab(pairs[:, theme]) for theme in (0, 1)]
    near = np.full(len(pairs), np.inf)
    chosen = list(_BASE)
    for earlier in [_linear(pair) for pair in (*_BASE, OUT)]:
        near = np.minimum(near, _distance(labs, _lab(earlier)))
    while len(chosen) < count:
        last = int(near.argmax())
        chosen.append((_hex(pairs[last, 0]), _hex(pairs[last, 1])))
        near = np.minimum(near, _distance(labs, _lab(pairs[last])))
    return chosen


def _candidates() -> Array:
    """Return the candidate colours within the gamut of a screen, (m, 2, 3): linear RGB in both themes."""
    light, dark, chroma, hue = (axis.ravel() for axis in np.meshgrid(_LIGHT, _DARK, _CHROMA, _HUE, indexing="ij"))
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    lab = np.stack([np.stack([lightness, a, b], axis=-1) for lightness in (light, dark)], axis=1)
    rgb = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T
    visible = ((rgb >= 0) & (rgb <= 1)).all(axis=(1, 2)) & (rgb[:, 0] @ _LUMINANCE <= _BRIGHTEST)
    return np.asarray(rgb[visible])


def _distance(labs: list[Array], pair: Array) -> Array:
    """Return the distance of each candidate from a pair of colours: the smaller of those in the light and the dark
    theme.
    """
    return np.minimum(*(np.linalg.norm(lab - reference, axis=1) for lab, reference in zip(labs, pair, strict=True)))


def _lab(linear: Array) -> Array:
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T)


def _linear(pair: tuple[str, str]) -> Array:
    rgb = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in pair])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _hex(linear: Array) -> str:
    rgb = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb.tolist())
