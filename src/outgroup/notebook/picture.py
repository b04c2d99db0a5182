"""Pictures for a notebook: the map of the documents, and the words of a group."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import MissingExtraError
from ..report.clean import clean
from ..report.facts import Group, Summary
from ..report.html.palette import OUT, colours


def draw_map(summary: Summary) -> Any:
    """Return a figure of all documents, a colour for each group, the groups' names where most of theirs are."""
    plots, documents = _pyplot(), summary.documents
    from matplotlib.patheffects import withStroke

    figure, axes = plots.subplots(figsize=(8, 7))
    shades = [light for light, _ in colours(len(summary.groups))]
    tones = [shades[group] if group >= 0 else OUT[0] for group in documents.group.tolist()]
    axes.scatter(*documents.place.T, c=tones, s=max(2.0, min(30.0, 8_000 / len(tones))), linewidths=0)
    named = [(group.number, f"{group.number} {group.name}") for group in summary.groups if group.size]
    for number, name in [*named, *([(-1, "Off-topic")] if (documents.group < 0).any() else [])]:
        x, y = np.median(documents.place[documents.group == number], axis=0)
        text = axes.annotate(_plain(name), (x, y), ha="center", weight="bold", fontsize=9)
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])  # to be read upon dots
    axes.set_axis_off()
    plots.close(figure)  # a notebook shows what a cell returns, once
    return figure


def draw_words(group: Group, most: int = 20) -> Any:
    """Return a figure of a group's first words as bars of their weights."""
    plots, words = _pyplot(), group.words[:most][::-1]
    figure, axes = plots.subplots(figsize=(5, 0.28 * len(words) + 0.9))
    axes.barh([_plain(word) for word, _ in words], [weight for _, weight in words])
    axes.set_title(_plain(f"{group.number} {group.name}"), loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    plots.close(figure)
    return figure


def _plain(text: str) -> str:
    """A dollar sign begins a formula in Matplotlib."""
    return clean(text).replace("$", r"\$")


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plots
    except ImportError as error:
        raise MissingExtraError("pictures need Matplotlib: pip install 'outgroup[plots]'") from error
    return plots
