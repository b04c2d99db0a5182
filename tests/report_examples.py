"""Summaries of parts that tests name one by one, whichever value of a summary's they belong to."""

from __future__ import annotations

import io
from dataclasses import fields
from typing import Any

from rich.console import Console

from outgroup.report.terminal import terminal
from outgroup.summary.partition import Partition
from outgroup.summary.records import Summary
from outgroup.summary.summarise import summarise


def summed(**parts: Any) -> Summary:
    """Return `summarise` of all parts by their names."""
    if "true_labels" in parts:
        parts["fields"] = parts.get("fields", {}) | {"label": parts.pop("true_labels")}
    names = {field.name for field in fields(Partition)}
    partition = Partition(**{name: part for name, part in parts.items() if name in names})
    return summarise(partition, **{name: part for name, part in parts.items() if name not in names})


def printed(summary: Summary) -> str:
    """Return what a wide terminal shows of a summary."""
    out = io.StringIO()
    terminal(summary, Console(file=out, width=200, force_terminal=False))
    return out.getvalue()
