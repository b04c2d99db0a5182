"""What a paper's definition asks for: the settings behind its tables and figures."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from bench import tasks
from bench.methods import METHODS

PAPERS = Path(__file__).parent / "papers"
Paper = dict[str, Any]


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


def options_of(**options: Any) -> str:
    """Return options as they are stored."""
    return json.dumps(options, sort_keys=True)


def grid(parts: list[dict[str, list[Any]]]) -> list[str]:
    """Return every combination of each part's values, as JSON."""
    combined = [dict(zip(part, values, strict=True)) for part in parts for values in product(*part.values())]
    return [options_of(**options) for options in combined]


def settings(paper: Paper) -> list[Setting]:
    """Return every setting of a paper's tables and figures, in the order of its tasks, each once."""
    return list(
        dict.fromkeys([*of_tables(paper), *(s for figure in _figures(paper) for s in of_figure(paper, figure))])
    )


def of_tables(paper: Paper) -> list[Setting]:
    """Return the settings of a paper's tables: each method's defaults (no options, unless told) and its grid."""
    parts = dict.fromkeys(
        n for parts in paper.get("tasks", {}).values() for part in parts for n in tasks.expanded(part)
    )
    found = []
    for task, (method, plan) in product(parts, paper.get("methods", {}).items()):
        if task.split(" ")[0] in plan.get("not_on", []):
            continue
        defaults = ["{}"] if plan.get("defaults", True) else []
        found += [
            Setting(task, method, options, _starts(paper, method, task))
            for options in [*defaults, *grid(plan.get("grid", []))]
        ]
    return found


def of_figure(paper: Paper, figure: dict[str, Any]) -> list[Setting]:
    """Return the settings of one figure: its tasks and methods at each value of what it goes along."""
    return [
        Setting(*at(figure, task, method, value), _starts(paper, method, task))
        for task, method, value in product(figure["tasks"], figure["methods"], figure["values"])
    ]


def at(figure: dict[str, Any], task: str, method: str, value: Any) -> tuple[str, str, str]:
    """Return the task, method and options of a figure at one value; along "rows" it is the task that changes."""
    fixed = figure.get("fixed", {})
    if figure["along"] == "rows":
        return f"{task} @{value}", method, options_of(**fixed)
    return task, method, options_of(**fixed, **{figure["along"]: value})


def _figures(paper: Paper) -> Iterable[dict[str, Any]]:
    return paper.get("figures", {}).values()


def _starts(paper: Paper, method: str, task: str) -> int:
    if not METHODS[method].random:
        return 1
    return int(paper.get("starts_on", {}).get(task.split(" ")[0], paper["starts"]))
