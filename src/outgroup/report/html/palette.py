"""Colours of the groups: ten that colour-blind people can tell apart, on a light page and on a dark one."""

from __future__ import annotations

# (on a light page, on a dark page): 3 to 1 against the card at least,
# and apart in lightness where their hues look alike to some.
_BASE = [
    ("#3b70d4", "#9fd0ff"),
    ("#d87a01", "#e3892c"),
    ("#10695f", "#4e9587"),
    ("#a34db0", "#d08ecc"),
    ("#08a1b7", "#2eb7fd"),
    ("#db6c8e", "#d15c52"),
    ("#717800", "#bcc23e"),
    ("#43267a", "#7579de"),
    ("#5f4600", "#f6d497"),
    ("#8f7358", "#c4ab9d"),
]
_SHADE = 0.4  # how far the second ten go: darker on a light page, lighter on a dark one


def colours(k: int) -> list[tuple[str, str]]:
    """(light theme, dark theme) colours of k groups: ten, then a shade of each, then the same again.

    Beyond twenty, as for anyone who sees no colours, it is the numbers on the map that tell groups apart.

    >>> colours(1)
    [('#3b70d4', '#9fd0ff')]
    """
    return [colour(i) for i in range(k)]


def colour(i: int) -> tuple[str, str]:
    """Return the colours of the group numbered `i`, whatever others there are."""
    return _shade(*_BASE[i % len(_BASE)], _SHADE * (i // len(_BASE) % 2))


def _shade(light: str, dark: str, amount: float) -> tuple[str, str]:
    return _mix(light, amount, 0), _mix(dark, amount, 255)


def _mix(colour: str, amount: float, end: int) -> str:
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + amount * (end - part)):02x}" for part in parts)
