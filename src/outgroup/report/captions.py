"""Names on the map: as much of each as fits below or above its disc without touching another disc or name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .facts import MapGroup, Summary
from .wording import clean

_FONT = 15.0  # as in report.css
_LETTER = 0.6 * _FONT  # a letter's width, roughly


@dataclass(frozen=True)
class Caption:
    """A name (behind its number) and the baseline it stands on, centred below or above its disc."""

    text: str
    y: float


_Box = tuple[float, float, float, float]  # left, top, right, bottom


def captions(summary: Summary) -> dict[int, Caption]:
    """Choose a caption for each group's disc, large discs first."""
    placed: dict[int, Caption] = {}
    taken: list[_Box] = []
    for disc in sorted(summary.map.groups, key=lambda disc: (-disc.radius, disc.number)):
        options = list(_options(disc, clean(summary.groups[disc.number].name)))
        free = (option for option in options if _fits(_box(disc, option), disc, summary, taken))
        placed[disc.number] = next(free, options[-1])
        taken.append(_box(disc, placed[disc.number]))
    return placed


def _options(disc: MapGroup, name: str) -> Iterator[Caption]:
    words = name.split(", ")
    cuts = [name, ", ".join(words[:2]), words[0]]
    for text in (*(cut for cut in cuts if len(cut) <= 40), name[:11] + "…", ""):
        yield Caption(text, round(disc.y + disc.radius + 6 + _FONT, 1))
        yield Caption(text, round(disc.y - disc.radius - 10, 1))
    yield Caption("", round(disc.y + disc.radius + 6 + _FONT, 1))


def _box(disc: MapGroup, caption: Caption) -> _Box:
    half = (len(caption.text) + len(str(disc.number)) + 1) * _LETTER / 2
    return disc.x - half, caption.y - _FONT, disc.x + half, caption.y + 3


def _fits(box: _Box, own: MapGroup, summary: Summary, taken: list[_Box]) -> bool:
    left, top, right, bottom = box
    if left < 4 or right > summary.map.width - 4 or top < 2 or bottom > summary.map.height - 2:
        return False
    if any(left < r and right > x and top < b and bottom > y for x, y, r, b in taken):
        return False
    return not any(_touches(box, disc) for disc in summary.map.groups if disc is not own)


def _touches(box: _Box, disc: MapGroup) -> bool:
    left, top, right, bottom = box
    dx = disc.x - min(max(disc.x, left), right)
    dy = disc.y - min(max(disc.y, top), bottom)
    return dx * dx + dy * dy < (disc.radius + 5) ** 2
