"""Groups in a notebook: data frames, an HTML table, and the explanation of a prediction."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from .readers.in_memory import Form
from .report.palette import colour
from .summary.clean import clean
from .summary.records import own_code

# --- Tables: a DataFrame of an available library, or a `Table`

_LIBRARIES = ("pandas", "polars")
_SHOWN, _WIDEST = 30, 40  # printed rows, and letters of a cell


def table(columns: Mapping[str, Sequence[Any]], form: Form) -> Any:
    """Return columns as a DataFrame of the library of `form`, else of an imported or installed library, else a
    `Table`.
    """
    if form.index is not None:
        return import_module("pandas").DataFrame(dict(columns), index=form.index)
    in_use = [form.library] if form.library else [name for name in _LIBRARIES if name in sys.modules]
    for name in in_use or [name for name in _LIBRARIES if find_spec(name)]:
        return import_module(name).DataFrame(dict(columns))
    return Table(columns)


class Table:
    """Columns by name and rows as dictionaries, with a printed form.

    Examples
    --------
    >>> print(Table({"name": ["tea", "trains"], "size": [2, 10]}))
    name    size
    tea        2
    trains    10
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self._columns, row, strict=True)) for row in zip(*self._columns.values(), strict=True))

    def __repr__(self) -> str:
        lines = [
            [*map(_cell, self.columns)],
            *([*map(_cell, row)] for row in islice(zip(*self._columns.values(), strict=True), _SHOWN)),
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [all(isinstance(value, int | float) for value in values) for values in self._columns.values()]
        more = len(self) - _SHOWN
        return "\n".join([*_aligned(lines, widths, right), *([f"and {more} more"] if more > 0 else [])])


def _aligned(lines: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    for line in lines:
        cells = zip(line, widths, right, strict=True)
        yield "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in cells).rstrip()


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.3g}" if isinstance(value, float) else clean(str(value))
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


# --- Groups by their descriptions, as a table and as HTML; text of documents is escaped

Descriptions = Mapping[int, Mapping[str, Any]]
"""The descriptions of groups, as stored with a model, by number."""

_HTML_SHOWN = 50


def topics_of(groups: Descriptions, form: Form) -> Any:
    """Return groups as a table, the largest group first."""
    order = sorted(groups, key=lambda number: (-groups[number]["size"], number))
    total = max(sum(group["size"] for group in groups.values()), 1)
    in_order = [groups[number] for number in order]
    return table(
        {
            "group": order,
            "code": [groups[number].get("code", own_code(number)) for number in order],
            "name": [group["name"] for group in in_order],
            "size": [group["size"] for group in in_order],
            "share": [round(group["size"] / total, 6) for group in in_order],
            "trust": [group.get("trust", "") for group in in_order],
            "found_again": [group.get("found_again", 0) for group in in_order],
            "words": [", ".join(group["words"]) for group in in_order],
            "example": [group.get("example", "") for group in in_order],
        },
        Form(form.library),
    )


def groups_html(groups: Descriptions, out: int) -> str:
    """Return groups as an HTML table; `out` documents are off-topic."""
    numbers = [number for number, record in groups.items() if record["size"]]
    rows = []
    for number in sorted(numbers, key=lambda number: (-groups[number]["size"], number))[:_HTML_SHOWN]:
        group = groups[number]
        texts = (group.get("trust", ""), ", ".join(group["words"]), group.get("example", ""))
        spot = f'<span style="color:{colour(number)[0]}">&#9679;</span>'
        cells = (f"{spot} {number}", _escaped(group["name"]), f"{group['size']:,}", *map(_escaped, texts))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = f"<p>and {len(numbers) - _HTML_SHOWN} more groups</p>" if len(numbers) > _HTML_SHOWN else ""
    size = f"{sum(record['size'] for record in groups.values()) + out:,} documents in {len(numbers)} groups"
    size += f", {out:,} off-topic" if out else ""
    head = "".join(f"<th>{name}</th>" for name in ("group", "name", "documents", "trust", "words", "example"))
    return f"<p>{size}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _escaped(text: str) -> str:
    return f'<bdi dir="auto">{escape(clean(text))}</bdi>'


# --- The explanation of a prediction


@dataclass(frozen=True)
class Explanation:
    """The explanation of a prediction: `group` (-1 for none), `second` best group, `margin`, `words` with
    contributions, `nearest` documents.

    `off_topic` is True above the off-topic threshold, None without one. For an off-topic text, `group` is the nearest
    one, and `words` are those with the largest contributions to the rejection.
    """

    group: int
    name: str
    second: int | None
    margin: float
    off_topic_score: float | None
    words: list[tuple[str, float]]
    nearest: list[str]
    off_topic: bool | None = None

    def __str__(self) -> str:
        """Return the explanation in a few lines."""
        if self.group < 0:
            return f"in no group: {self.name or 'no word of it is known, or its embedding is zero'}"
        behind = "" if self.second is None else f", ahead of group {self.second} by {self.margin:.3g}"
        words = ", ".join(f"{word} +{value:.2g}" for word, value in self.words)
        group = f"group {self.group}" + (f" ({self.name})" if self.name != f"group {self.group}" else "")
        head = f"{'off-topic; nearest to ' if self.off_topic else ''}{group}"
        like = f"\nlike: {', '.join(self.nearest)}" if self.nearest else ""
        return "\n".join(map(clean, f"{head}{behind}\nwords: {words or 'none'}{like}".split("\n")))
