"""How documents become texts, as people say it: options by name, and what `read_corpus` makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

READ = ("text", "id", "title", "no_title", "html", "strip", "encoding", "sheet")  # the same for new documents


def reading_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as `read_corpus` takes them."""
    options = {name: str(value) for name, value in given.items() if name not in ("strip", "no_title")}
    return options | {"strip": _parts(str(given.get("strip", ""))), "join_title": given.get("no_title") is not True}


def _parts(given: str) -> list[str]:
    return [part.strip() for part in given.split(",") if part.strip()]


def without_roles(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return how to read another collection, whose documents need no ids and may have no titles."""
    return {name: value for name, value in reading.items() if name not in ("id", "title", "sheet")}
