"""Claims that one method is better than another: paired tests over the starts, wins and losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from bench.papers.plan import Choice, Paper, columns, line_of, options_in_words, pairs
from bench.papers.protocols import Results, Table, done

Array = np.ndarray[Any, Any]
Pair = tuple[Array, Array]  # the values of the better and of the worse, start by start


def orderings(paper: Paper, table: dict[str, Any], found: Results) -> Table:
    """The differences of each pair on each task with their p values, and how many are in the order that is claimed."""
    tasks_of, lines = columns(paper, table), []
    every: list[Pair] = []
    for better, worse in [pair for pair in pairs(table) if all(side[0] in paper["methods"] for side in pair)]:
        ran = [_values(found, table, (task, *better), (task, *worse)) for task in tasks_of]
        effects = [difference(*pair) if pair else "not run yet" for pair in ran]
        there = [pair for pair in ran if pair]
        in_print = _count([_in_print(paper, better, worse, head) for head in tasks_of.values()])
        options = _against(*(options_in_words(side[1]) for side in (better, worse)))
        lines.append([_against(better[0], worse[0]), options, *effects, won(there), in_print])
        every += there
    lines.append(["all", "", *[""] * len(tasks_of), won(every), ""])
    return ["claim", "options", *tasks_of.values(), "holds", "in the paper"], lines


def _against(better: str, worse: str) -> str:
    return better if better == worse else f"{better} > {worse}"


def _values(found: Results, table: dict[str, Any], *keys: tuple[str, str, str]) -> Pair | None:
    """Return both sides' values of the same starts, None unless both have them all."""
    sides = [{row["start"]: row[table["measure"]] for row in done(found.get(key, []))} for key in keys]
    if not sides[0] or sides[0].keys() != sides[1].keys():
        return None
    better, worse = (np.array([side[start] for start in sides[0]]) for side in sides)
    return better, worse


def difference(a: Array, b: Array) -> str:
    """Return the mean difference of paired values and the p value of their two-tailed t-test."""
    return f"{(a - b).mean():+.3f} (p {p_value(a, b):.2g})"


def p_value(a: Array, b: Array) -> float:
    """Return the p value of a paired two-tailed t-test; 1 where there are no differences, or too few."""
    effect = a - b
    if len(effect) < 2 or not effect.any():
        return 1.0
    with np.errstate(divide="ignore"):  # differences that are all the same
        t = abs(effect.mean()) / (effect.std(ddof=1) / len(effect) ** 0.5)
    return float(2 * stats.t.sf(t, len(effect) - 1))


def won(compared: list[Pair]) -> str:
    """Return how many pairs are in the claimed order, and how many significantly (p < 0.05) so or otherwise."""
    ahead = [bool(a.mean() > b.mean()) for a, b in compared]
    sure = [first for first, pair in zip(ahead, compared, strict=True) if p_value(*pair) < 0.05]
    lost = f"; {sure.count(False)} significantly not" if False in sure else ""
    return f"{sum(ahead)} of {len(ahead)}, {sure.count(True)} significantly{lost}"


def _in_print(paper: Paper, better: Choice, worse: Choice, head: str) -> bool | None:
    """Return whether the paper's printed values have the order, None where it prints none."""
    ours, theirs = (_printed(paper, side).get(head) for side in (better, worse))
    return None if ours is None or theirs is None else ours > theirs


def _printed(paper: Paper, side: Choice) -> dict[str, float]:
    for table in paper["tables"].values():
        for label, line in table.get("lines", {}).items():
            if line_of(line) == side and label in table.get("printed", {}):
                return dict(table["printed"][label])
    return {}


def _count(printed: list[bool | None]) -> str | None:
    known = [each for each in printed if each is not None]
    return f"{sum(known)} of {len(known)}" if known else None
