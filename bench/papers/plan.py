"""What a paper's definition asks for: the settings behind its tables and figures."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from bench.methods.registry import METHODS
from bench.papers import tasks

PAPERS = Path(__file__).parent
_OF_THE_TASK = {"rows": "@", "angle": ""}  # what stands before the value in the task's name
Paper = dict[str, Any]
Choice = tuple[str, str]  # a method and its options


@dataclass(frozen=True)
class Setting:
    """A task, a method, its options (JSON, keys sorted) and the number of starts."""

    task: str
    method: str
    options: str
    starts: int

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells the setting from others."""
        return self.task, self.method, self.options


def names() -> list[str]:
    """Return the papers that are defined."""
    return sorted(path.stem for path in PAPERS.glob("*.toml"))


def definition(name: str) -> Paper:
    """Return a paper's definition; exits with a plain line where there is none."""
    if name not in names():
        raise SystemExit(f"no paper {name}: choose from {', '.join(names())}")
    return tomllib.loads((PAPERS / f"{name}.toml").read_text(encoding="utf-8"))


def named(part: str) -> tuple[str, str]:
    """Return the paper and the number that "dual-supervision-4-D2" names."""
    known = [name for name in names() if part.startswith(f"{name}-")]
    name = known[0] if known else part
    return name, part.removeprefix(f"{name}-")


def options_of(**options: Any) -> str:
    """Return options as they are stored."""
    return json.dumps(options, sort_keys=True)


def options_in_words(options: str) -> str:
    """Return stored options as a table shows them: "defaults" for none.

    >>> options_in_words('{"C": 64.0, "center": false}')
    'C 64, center no'
    """
    said = {True: "yes", False: "no"}
    found = {name: said[value] if isinstance(value, bool) else value for name, value in json.loads(options).items()}
    pairs = (f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in found.items())
    return ", ".join(pairs) or "defaults"


def grid(parts: list[dict[str, list[Any]]]) -> list[str]:
    """Return every combination of each part's values, as JSON."""
    combined = [dict(zip(part, values, strict=True)) for part in parts for values in product(*part.values())]
    return [options_of(**options) for options in combined]


def settings(paper: Paper) -> list[Setting]:
    """Return every setting of a paper's tables and figures, in the order of its tasks, each once."""
    figures = paper.get("figures", {}).values()
    found = [s for table in paper["tables"].values() for s in of_table(paper, table)]
    return list(dict.fromkeys([*found, *(s for figure in figures for s in of_figure(paper, figure))]))


def of_table(paper: Paper, table: dict[str, Any]) -> list[Setting]:
    """Return the settings that a table shows: those of its lines or pairs where it names them, else the grid."""
    if "lines" in table:
        wanted = [line_of(line) for line in table["lines"].values()]
    elif "pairs" in table:
        wanted = [side for compared in pairs(table) for side in compared]
    else:
        return of_grid(paper)
    return [
        Setting(task, method, options, _starts(paper, method, task))
        for task, (method, options) in product(columns(paper, table), wanted)
        if method in paper["methods"]
    ]


def line_of(line: dict[str, Any]) -> Choice:
    """Return what a table's line names."""
    return line["method"], options_of(**line.get("options", {}))


def pairs(table: dict[str, Any]) -> list[tuple[Choice, Choice]]:
    """Return the pairs that a table compares, at each of its options; `worse` are further options of the second."""
    return [
        ((better, options_of(**at)), (worse, options_of(**at, **table.get("worse", {}))))
        for (better, worse), at in product(table["pairs"], table["at"])
    ]


def columns(paper: Paper, table: dict[str, Any]) -> dict[str, str]:
    """Return the tasks that a table has columns for, with their labels: all of the paper's unless it says which."""
    return {parts[0]: label for label, parts in paper["tasks"].items() if label in (table.get("on") or paper["tasks"])}


def of_grid(paper: Paper) -> list[Setting]:
    """Return each method's settings on each task that it is for: all of the paper's unless it says which."""
    return list(dict.fromkeys(
        Setting(sampled(plan, task), method, options, _starts(paper, method, task))
        for label, parts in paper["tasks"].items()
        for task in expanded(parts)
        for method, plan in paper["methods"].items()
        if label in plan.get("on", paper["tasks"])
        for options in tried(plan, task)
    ))  # fmt: skip


def expanded(parts: list[str]) -> list[str]:
    """Return the tasks that a row of a table is the mean of."""
    return [name for part in parts for name in tasks.expanded(part)]


def sampled(plan: dict[str, Any], task: str) -> str:
    """Return the task as a method gets it: a part of the rows, where it can take no more."""
    return f"{task} @{plan['rows']}" if "rows" in plan else task


def tried(plan: dict[str, Any], task: str) -> list[str]:
    """Return the options of a method on a task: defaults (no options, unless told) and its grid."""
    parts = plan.get("grid_on", {}).get(task.split(" ")[0], plan.get("grid", []))
    return [*(["{}"] if plan.get("defaults", True) else []), *grid(parts)]


def of_figure(paper: Paper, figure: dict[str, Any]) -> list[Setting]:
    """Return the settings of one figure: its tasks and methods at each value of what it goes along, and its base."""
    methods = [*figure["methods"], *([figure["base"]] if "base" in figure else [])]
    return [
        Setting(*at(figure, task, method, value), _starts(paper, method, task))
        for task, method, value in product(figure["tasks"], methods, figure["values"])
    ]


def at(figure: dict[str, Any], task: str, method: str, value: Any) -> tuple[str, str, str]:
    """Return the task, method and options of a figure at one value; some things it goes along change the task."""
    fixed = figure.get("fixed", {})
    if figure["along"] in _OF_THE_TASK:
        return f"{task} {_OF_THE_TASK[figure['along']]}{value}", method, options_of(**fixed)
    return task, method, options_of(**fixed, **{figure["along"]: value})


def _starts(paper: Paper, method: str, task: str) -> int:
    if not METHODS[method].random:
        return 1
    return int(paper.get("starts_on", {}).get(task.split(" ")[0], paper["starts"]))
