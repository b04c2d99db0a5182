"""Groups over time, or by a category: what their counts say in one line."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...types import Array
from ..facts import By, Summary
from .wording import counted, percent

_FEWEST = 10  # documents of a half, a category or a column, for a share of them to be told


def by_line(summary: Summary) -> str:
    """Return what stands out: the group that grew most over time, or that is most of one category."""
    by = summary.by
    if by is None or not by.labels:
        return "" if by is None else by.wrong
    parts = [_over_time(by, summary) if by.unit else _by_category(by, summary), by.wrong]
    return " ".join(part for part in parts if part)


def by_table(summary: Summary) -> dict[str, Any] | None:
    """Return what a page shows of it: a head, the line, and each group's counts with how dark each is.

    That is its share of the column, as if a column had ten documents at least: of one document it would be the darkest.
    """
    if summary.by is None or not summary.by.labels:
        return None
    totals = [sum(column) for column in zip(*summary.by.counts, strict=True)]
    rows = [
        (group, [(count, count / max(total, _FEWEST)) for count, total in zip(counts, totals, strict=True)])
        for group, counts in zip(summary.groups, summary.by.counts, strict=True)
    ]
    head = "Over time" if summary.by.unit else f"By {summary.by.column}"
    few = f"; where that has fewer than {_FEWEST} documents, its share of {_FEWEST}" if min(totals) < _FEWEST else ""
    shade = f"A cell's shade is the group's share of its column{few}."
    return {"head": head, "line": by_line(summary), "shade": shade, "rows": rows}


def _over_time(by: By, summary: Summary) -> str:
    counts = np.array(by.counts)
    span = f"By {by.unit} of {by.column}, {by.labels[0]} to {by.labels[-1]}."
    half = _half(counts.sum(axis=0))
    before, after = counts[:, :half].sum(axis=1), counts[:, half:].sum(axis=1)
    if min(before.sum(), after.sum()) < _FEWEST:
        return span
    change = after / after.sum() - before / before.sum()
    best = int(change.argmax())
    if change[best] <= 0:
        return span
    early, late = percent(before[best] / before.sum()), percent(after[best] / after.sum())
    name = summary.groups[best].name
    return f"{span} Grew most: {name} ({early} of the first half, {late} of the second)."


def _half(totals: Array) -> int:
    """Return how many periods hold the first half of the documents: at least one, and not all."""
    reached = int(np.searchsorted(np.cumsum(totals), totals.sum() / 2)) + 1
    return max(1, min(reached, len(totals) - 1))


def _by_category(by: By, summary: Summary) -> str:
    counts = np.array(by.counts, dtype=float)
    totals = counts.sum(axis=0)
    said = f"By {by.column}: {counted(len(by.labels), 'value')}."
    if not (totals >= _FEWEST).any() or len(by.labels) < 2:
        return said
    lead = counts / np.maximum(totals, 1) - counts.sum(axis=1, keepdims=True) / max(1, totals.sum())
    lead[:, totals < _FEWEST] = -1
    group, value = np.unravel_index(int(lead.argmax()), lead.shape)
    share = percent(counts[group, value] / totals[value])
    overall = percent(counts[group].sum() / totals.sum())
    name = summary.groups[int(group)].name
    return f"{said} Stands out: {name} is {share} of {by.labels[int(value)]} ({overall} of all)."
