"""Tables for people: aligned in a terminal, and Markdown at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def show(header: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    """Print a Markdown table whose columns are aligned."""
    if title:
        print(f"\n{title}\n")
    print(markdown(header, rows), flush=True)


def begin(header: Sequence[Any]) -> None:
    """Print the head of a Markdown table whose lines follow as they are known."""
    line(header)
    print("|---" * len(header) + "|", flush=True)


def line(cells: Sequence[Any]) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def markdown(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table; floats get four significant digits, None an n/a."""
    cells = [list(map(str, header)), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (w + 2) for w in widths) + "|", *lines[1:]])


def _cell(value: Any) -> str:
    if value is None:
        return "n/a"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
