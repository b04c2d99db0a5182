"""Colours and contrast, computed from what the page ships."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from outgroup import report
from outgroup.report.palette import colours

CSS = (Path(report.__file__).parent / "page" / "page.css").read_text(encoding="utf-8")
SIGHT = {
    "full": np.eye(3),
    # Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
TO_CONE = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
           [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
TO_LAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
          [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip


def linear(colour):
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    return TO_LAB @ np.cbrt(TO_CONE @ np.clip(rgb, 0, 1))


def contrast(a, b):
    low, high = sorted(linear(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def shade(name, theme):
    return re.search(rf"--{name}: light-dark\((#\w{{6}}), (#\w{{6}})\)", CSS)[theme + 1]


@pytest.mark.parametrize("theme", [0, 1])
def test_group_colours_stand_out_from_the_card(theme):
    assert min(contrast(pair[theme], shade("card", theme)) for pair in colours(240)) >= 3


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [0, 1])
def test_ten_groups_can_be_told_apart(theme, sight):
    seen = [oklab(np.asarray(SIGHT[sight]) @ linear(pair[theme])) for pair in colours(10)]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.06


def test_a_group_keeps_its_colours_whatever_others_there_are():
    assert colours(300)[:77] == colours(77)
    assert all(len(set(theme)) == 240 for theme in zip(*colours(240), strict=True))
    assert colours(241)[240] == colours(1)[0]
