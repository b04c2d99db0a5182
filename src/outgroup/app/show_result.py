"""What a job found, on the terminal or as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ..report.clean import clean
from ..report.summary import clusters_json
from ..report.terminal import terminal
from ..text.representation import Representation
from .files import PAGE
from .from_result import lines
from .output import stdout
from .result import Outcome
from .settings.cluster import ClusterSettings
from .settings.earlier import ReplaySettings


def tell(outcome: Outcome, folder: Path, settings: ClusterSettings | ReplaySettings) -> None:
    """Print what a job found as its settings ask: in words, as JSON, or not at all."""
    if settings.json:
        with stdout() as out:
            out.write(_as_json(outcome, folder) + "\n")
    elif not settings.quiet:
        show(outcome, folder)


def _as_json(outcome: Outcome, folder: Path) -> str:
    """Return the record of a run, where its result lies, and its groups."""
    summary = outcome.record | {"out": str(folder), "groups": clusters_json(outcome.summary)}
    return json.dumps(summary, indent=1)


def show(outcome: Outcome, folder: Path) -> None:
    """Print what a job found: what changed, the groups, and where the report is."""
    console = Console(highlight=False)
    if outcome.step is not None:
        for head, said in lines(outcome.step):
            console.print(Text.assemble((f"{head:<10}", "bold"), clean(said)))
        console.print()
    there = [group for group in outcome.summary.groups if group.number in outcome.past.numbers]  # merging frees numbers
    terminal(replace(outcome.summary, groups=there), console)
    console.print()
    if outcome.model.neighbours_:
        console.print(
            Text.assemble((f"{'Rows':<10}", "bold"), _averaged(outcome.model.representation_)), soft_wrap=True
        )
    for head, said in (("Report", str(folder / PAGE)), ("Correct", outcome.record["correct"])):
        if said:
            console.print(Text.assemble((f"{head:<10}", "bold"), clean(said)), soft_wrap=True)


def _averaged(rows: Representation) -> str:
    times = {1: "once", 2: "twice"}.get(rows.passes, f"{rows.passes} times")
    nearest = "nearest, by vectors and by words," if rows.hears_words else "nearest,"
    said = f"each averaged with its {nearest} {times}, before groups were looked for; --neighbours 0 leaves that out"
    return said if rows.width else f"{said}. A model's vectors tell more of short texts than words do: see --encoder"
