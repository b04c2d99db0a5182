"""Run every paper's tables and figures, and write bench/reports/papers.md: `python -m bench all`."""

from __future__ import annotations

import time

from bench.papers import results, runner
from bench.papers.plan import definition, names, settings


def main(argv: list[str]) -> None:
    """Run what is missing of every paper, shortest first; what is done stays done, and it may be interrupted."""
    begin = time.monotonic()
    for name in sorted(names(), key=lambda name: len(settings(definition(name)))):
        paper = definition(name)
        rows = runner.run(settings(paper), name, paper["limit_s"])
        spent = sum(row["seconds"] for row in rows if row["status"] == runner.DONE)
        print(f"{name}: {len(rows)} runs, {spent:.0f} s of work, {time.monotonic() - begin:.0f} s since the start")
    results.main([])
