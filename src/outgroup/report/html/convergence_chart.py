"""The geometry of the convergence chart: the objective and its lower bound over the steps of each restart."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from ..facts import Summary
from ..sentences.wording import figure

WIDTH, HEIGHT = 640.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 14.0, 14.0, 34.0


@dataclass(frozen=True)
class Line:
    """One restart's way: the path of its objective, its steps as (x, y, what), and the path of its lower bound."""

    restart: Any
    kept: bool
    path: str
    steps: list[tuple[float, float, str]]
    bound: str


@dataclass(frozen=True)
class Chart:
    """Lines, the kept one last, with ticks as (place, label); `last` is the row that the kept restart ended with."""

    lines: list[Line]
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    last: dict[str, Any]


def convergence(summary: Summary) -> Chart | None:
    """The chart of a fit, or None where the trace holds no objective."""
    runs = defaultdict(list)
    for row in summary.trace:
        if isinstance(row.get("objective"), int | float):
            runs[row.get("restart")].append(row)
    if not runs:
        return None
    kept = kept_restart(summary, runs)
    values = [row["objective"] for rows in runs.values() for row in rows] + _bounds(runs[kept])
    y = _Scale(min(values), max(values), HEIGHT - _BOTTOM, _TOP)
    x = _Scale(0, max(1, max(len(rows) for rows in runs.values()) - 1), _LEFT, WIDTH - _RIGHT, slack=0.0)
    ordered = sorted(runs, key=lambda restart: restart == kept)
    lines = [_line(restart, restart == kept, runs[restart], x, y) for restart in ordered]
    steps = runs[max(runs, key=lambda restart: len(runs[restart]))]
    every = max(1, math.ceil(len(steps) / 12))
    x_ticks = [(x(i), str(row.get("step", i))) for i, row in enumerate(steps) if i % every == 0]
    return Chart(lines, x_ticks, y.ticks(), runs[kept][-1])


def kept_restart(summary: Summary, runs: dict[Any, list[dict[str, Any]]]) -> Any:
    """The restart whose result was kept: the one said to be, else the one that ends lowest."""
    named = [row.get("restart") for row in summary.restarts if row.get("kept")]
    return named[0] if named and named[0] in runs else min(runs, key=lambda restart: runs[restart][-1]["objective"])


def _bounds(rows: list[dict[str, Any]]) -> list[float]:
    """Lower bounds worth showing: an early one may lie so deep that it would flatten all else."""
    spread = max(row["objective"] for row in rows) - min(row["objective"] for row in rows)
    floor = min(row["objective"] for row in rows) - max(spread, 1e-3 * abs(rows[-1]["objective"]))
    return [b for row in rows if isinstance(b := row.get("lower_bound"), int | float) and b >= floor]


def _line(restart: Any, kept: bool, rows: list[dict[str, Any]], x: _Scale, y: _Scale) -> Line:
    steps = [(x(i), y(row["objective"]), _step_in_words(row, i)) for i, row in enumerate(rows)]
    shown = _bounds(rows)
    bound = [(x(i), y(row["lower_bound"]), "") for i, row in enumerate(rows) if row.get("lower_bound") in shown]
    return Line(restart, kept, _path(steps), steps, _path(bound) if kept else "")


def _step_in_words(row: dict[str, Any], i: int) -> str:
    said = [f"step {row.get('step', i)}: objective {figure(row['objective'], 4)}"]
    if row.get("lower_bound") is not None:
        said.append(f"lower bound {figure(row['lower_bound'], 4)}")
    return ", ".join(said + [f"{row[key]} {key}" for key in ("cuts", "moved") if row.get(key) is not None])


def _path(points: list[tuple[float, float, str]]) -> str:
    return "M" + " L".join(f"{px:.1f},{py:.1f}" for px, py, _ in points) if points else ""


class _Scale:
    """From values to places, with round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float, slack: float = 0.05) -> None:
        margin = slack * (high - low) or (0.0 if slack == 0.0 else max(abs(high), 1.0) * 0.01)
        self._low, self._high, self._start, self._end = low - margin, high + margin, start, end

    def __call__(self, value: float) -> float:
        return round(self._start + (value - self._low) / (self._high - self._low) * (self._end - self._start), 1)

    def ticks(self) -> list[tuple[float, str]]:
        rough = (self._high - self._low) / 4
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self._low / step), math.floor(self._high / step)
        return [(self(i * step), figure(i * step, digits)) for i in range(first, last + 1)]
