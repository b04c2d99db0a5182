"""Summaries of parts that tests name one by one, whichever value of a report's they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from outgroup.report.facts import Clustering, Judged, RunFacts, Summary
from outgroup.report.summary import summarise


def summed(**parts: Any) -> Summary:
    """Return `summarise` of all parts by their names."""
    if "true_labels" in parts:
        parts["fields"] = parts.get("fields", {}) | {"label": parts.pop("true_labels")}
    known = [name for of in (Clustering, Judged, RunFacts) for name in _names(of)]
    rest = {name: part for name, part in parts.items() if name not in known}
    return summarise(_made(Clustering, parts), _made(Judged, parts), _made(RunFacts, parts), **rest)


def _made(of: Any, parts: Mapping[str, Any]) -> Any:
    return of(**{name: parts[name] for name in _names(of) if name in parts})


def _names(of: Any) -> list[str]:
    return [field.name for field in fields(of)]
