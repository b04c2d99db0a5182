"""A paper's tables: `python -m bench table cpm3c-2` runs what is missing and prints paper, ours and the difference.

Two protocols, never mixed. As printed: the best setting of the grid by the labels, as these papers did. Without
labels: the defaults. In both the start of lowest own loss counts; a method without a loss counts by its mean.
"""

from __future__ import annotations

import argparse
import statistics
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench import runner, tasks
from bench.runner import DONE, Row
from bench.tables import markdown

PAPERS = Path(__file__).parent / "papers"
HEADER = ["data", "method", "paper", "as printed", "starts", "settings", "without labels", "printed - paper"]


def main(argv: list[str]) -> None:
    """Run a paper's grid, or a part of it, and print one of its tables."""
    parser = argparse.ArgumentParser(prog="python -m bench table", description=__doc__)
    parser.add_argument("table", help="a paper and a table's number, such as cpm3c-2")
    parser.add_argument("--tasks", default="", metavar="A,B", help="rows of the table to fill")
    parser.add_argument("--methods", default="", metavar="A,B", help="methods to run")
    options = parser.parse_args(argv)
    name, _, number = options.table.partition("-")
    paper = definition(name)
    if number not in paper["tables"]:
        parser.error(f"{name} has the tables {', '.join(paper['tables'])}")
    part = _narrowed(paper, options.tasks, options.methods, parser)
    print(rendered(part, number, runner.run(part, name)))


def definition(name: str) -> dict[str, Any]:
    """Return a paper's definition; exits with a plain line where there is none."""
    path = PAPERS / f"{name}.toml"
    if not path.is_file():
        raise SystemExit(f"no paper {name}: choose from {', '.join(sorted(p.stem for p in PAPERS.glob('*.toml')))}")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _narrowed(paper: dict[str, Any], rows: str, methods: str, parser: argparse.ArgumentParser) -> dict[str, Any]:
    chosen = dict(paper)
    for key, wanted in (("tasks", rows), ("methods", methods)):
        names = [name.strip() for name in wanted.split(",") if name.strip()]
        unknown = set(names) - set(paper[key])
        if unknown:
            parser.error(f"unknown {key}: {', '.join(sorted(unknown))}; there are {', '.join(paper[key])}")
        chosen[key] = {name: paper[key][name] for name in names} if names else paper[key]
    return chosen


def rendered(paper: dict[str, Any], number: str, rows: list[Row]) -> str:
    """Return the table as Markdown under its title."""
    table = paper["tables"][number]
    by_task: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        by_task[row["task"], row["method"]].append(row)
    lines = []
    for label, parts in paper["tasks"].items():
        names = [name for part in parts for name in tasks.expanded(part)]
        for method in paper["methods"]:
            printed = table["printed"].get(method, {}).get(label)
            lines.append([label, method, printed, *_cells([by_task[n, method] for n in names], table, printed)])
    return f"### {paper['title']}, table {number}: {table['title']}\n\n" + markdown(HEADER, lines)


def _cells(groups: list[list[Row]], table: dict[str, Any], printed: float | None) -> list[Any]:
    """Return the columns from "as printed" on, averaged over the tasks that a row stands for."""
    done = [[row for row in rows if row["status"] == DONE] for rows in groups]
    if not all(done):
        return [_reason(groups), None, None, None, None]
    measure, scale = table["measure"], table["scale"]
    best = [_best(rows, measure) for rows in done]
    value = scale * statistics.fmean(of[0] for of in best)
    spread = scale * statistics.fmean(of[1] for of in best)
    plain = scale * statistics.fmean(_kept(_of(rows, "{}"), measure) for rows in done)
    starts, count = len(_of(done[0], "{}")), len({row["options"] for row in done[0]})
    return [value, f"{starts} (± {spread:.3g})", count, plain, None if printed is None else value - printed]


def _reason(groups: list[list[Row]]) -> str:
    notes = [row["note"] for rows in groups for row in rows if row["status"] != DONE]
    return notes[0] if notes else "not run yet"


def _of(rows: list[Row], options: str) -> list[Row]:
    return [row for row in rows if row["options"] == options]


def _kept(rows: list[Row], measure: str) -> float:
    """Return a setting's value: of the start of lowest loss, or the mean where there is no loss, as for seconds."""
    if measure == "seconds" or rows[0]["loss"] is None:
        return statistics.fmean(row[measure] for row in rows)
    return float(min(rows, key=lambda row: row["loss"])[measure])


def _best(rows: list[Row], measure: str) -> tuple[float, float]:
    """Return the value of the setting that the labels like best, and the deviation of its starts.

    Seconds are those of the setting of highest accuracy.
    """
    chooser = "accuracy" if measure == "seconds" else measure
    settings = [_of(rows, options) for options in dict.fromkeys(row["options"] for row in rows)]
    best = max(settings, key=lambda starts: _kept(starts, chooser))
    return _kept(best, measure), statistics.pstdev(row[measure] for row in best)
