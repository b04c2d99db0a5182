"""A paper's tables: `python -m bench table cpm3c-2` runs what is missing and prints paper, ours and the difference.

Two protocols, never mixed. As printed: the best setting of the grid by the labels, as these papers did. Without
labels: the defaults. In both the start with most groups, and then of lowest own loss, counts; a method without a loss
counts by its mean. Beside them the best single run: setting and start by the labels, which is what a paper prints that
ran each setting once.
"""

from __future__ import annotations

import argparse

from bench.papers import runner
from bench.papers.orderings import orderings
from bench.papers.plan import Paper, definition, named, of_table
from bench.papers.protocols import means, objectives, paired, protocols
from bench.papers.runner import Row
from bench.tables import markdown

KINDS = {
    "protocols": protocols,
    "means": means,
    "orderings": orderings,
    "paired": paired,
    "objectives": objectives,
}


def main(argv: list[str]) -> None:
    """Run a paper's grid, or a part of it, and print one of its tables."""
    parser = argparse.ArgumentParser(prog="python -m bench table", description=__doc__)
    parser.add_argument("table", help="a paper and a table's number, such as cpm3c-2")
    parser.add_argument("--tasks", default="", metavar="A,B", help="rows of the table to fill")
    parser.add_argument("--methods", default="", metavar="A,B", help="methods to run")
    options = parser.parse_args(argv)
    name, number = named(options.table)
    paper = definition(name)
    if number not in paper["tables"]:
        parser.error(f"{name} has the tables {', '.join(paper['tables'])}")
    part = _narrowed(paper, options.tasks, options.methods, parser)
    print(rendered(part, number, runner.run(of_table(part, part["tables"][number]), name, part["limit_s"])))


def _narrowed(paper: Paper, rows: str, methods: str, parser: argparse.ArgumentParser) -> Paper:
    chosen = dict(paper)
    for key, wanted in (("tasks", rows), ("methods", methods)):
        names = [name.strip() for name in wanted.split(",") if name.strip()]
        unknown = set(names) - set(paper[key])
        if unknown:
            parser.error(f"unknown {key}: {', '.join(sorted(unknown))}; there are {', '.join(paper[key])}")
        chosen[key] = {name: paper[key][name] for name in names} if names else paper[key]
    return chosen


def rendered(paper: Paper, number: str, rows: list[Row]) -> str:
    """Return the table as Markdown under its title."""
    table, found = paper["tables"][number], runner.by_setting(rows)
    header, lines = KINDS[table.get("kind", "protocols")](paper, table, found)
    absent = [line for line in lines if any(str(cell).startswith("no data: ") for cell in line)]
    folded = "\n\nNo data: " + ", ".join(dict.fromkeys(line[0] for line in absent)) + "." if absent else ""
    shown = markdown(header, [line for line in lines if line not in absent])
    return f"### {paper['title']}, table {number}: {table['title']}\n\n{shown}{folded}"
