"""A paper's figures: `python -m bench figure cpm3c-1` runs what is missing, prints the curves and draws them."""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

from bench import plots
from bench.papers import runner
from bench.papers.plan import Paper, at, definition, named, of_figure
from bench.papers.protocols import Results, done, kept
from bench.papers.runner import Row
from bench.tables import markdown

DOCS = Path(__file__).resolve().parents[2] / "docs" / "figures"

_WORDS = {
    "rows": "number of rows",
    "C_universum": "weight of the Universum",
    "documents": "labelled documents a cluster",
    "unseeded": "clusters without seeds",
    "k": "clusters",
    "angle": "angle of x2",
    "nmi_arithmetic": "NMI",
}


def main(argv: list[str]) -> None:
    """Run the settings of one figure, print its curves as a table, draw it."""
    parser = argparse.ArgumentParser(prog="python -m bench figure", description=__doc__)
    parser.add_argument("figure", help="a paper and a figure's number, such as cpm3c-1")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder for the drawing (default docs/figures)")
    options = parser.parse_args(argv)
    name, number = named(options.figure)
    paper = definition(name)
    if number not in paper.get("figures", {}):
        parser.error(f"{name} has the figures {', '.join(paper.get('figures', {})) or 'none'}")
    rows = runner.run(of_figure(paper, paper["figures"][number]), name, paper["limit_s"])
    print(rendered(paper, number, rows))
    draw(name, paper, number, rows, options.out)


def rendered(paper: Paper, number: str, rows: list[Row]) -> str:
    """Return the figure's curves as a Markdown table under its title."""
    figure = paper["figures"][number]
    lines = [[label, *values] for label, values in curves(figure, runner.by_setting(rows)).items()]
    header = [_WORDS.get(figure["along"], figure["along"]), *(f"{value:g}" for value in figure["values"])]
    return f"### {paper['title']}, figure {number}: {figure['title']}\n\n" + markdown(header, lines)


def curves(figure: dict[str, Any], found: Results) -> dict[str, list[float | None]]:
    """Return each curve's values, None where there is no result."""
    return {
        _label(figure, task, method): [_value(found, figure, task, method, value) for value in figure["values"]]
        for task in figure["tasks"]
        for method in figure["methods"]
    }


def _label(figure: dict[str, Any], task: str, method: str) -> str:
    """Return what tells a curve from the others."""
    told = [name for name, kind in ((task, "tasks"), (method, "methods")) if len(figure[kind]) > 1]
    return ", ".join(told) or method


def _value(found: Results, figure: dict[str, Any], task: str, method: str, value: Any) -> float | None:
    rows = done(found.get(at(figure, task, method, value), []))
    if "base" in figure:
        return _gain(rows, done(found.get(at(figure, task, figure["base"], value), [])), figure["measure"])
    if not rows:
        return None
    if figure.get("protocol") == "means":
        return figure.get("scale", 1.0) * statistics.fmean(row[figure["measure"]] for row in rows)
    return kept(rows, figure["measure"])


def _gain(rows: list[Row], base: list[Row], measure: str) -> float | None:
    """Return the mean gain over the base's start of that number, in percent."""
    both = list(zip(rows, base, strict=False))
    return statistics.fmean(100 * (row[measure] / least[measure] - 1) for row, least in both) if both else None


def draw(name: str, paper: Paper, number: str, rows: list[Row], out: Path) -> None:
    """Draw the figure as an SVG; a curve is as long as it has results."""
    figure = paper["figures"][number]
    drawn = curves(figure, runner.by_setting(rows)).items()
    found = {label: ys for label, ys in drawn if any(y is not None for y in ys)}
    across, up = (_WORDS.get(figure[axis], figure[axis]) for axis in ("along", "measure"))
    plots.curves(
        out, f"{name}-figure-{number}", figure["values"], found, across, figure.get("up", up), log=figure.get("log", "")
    )
