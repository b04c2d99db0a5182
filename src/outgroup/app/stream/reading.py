"""How a stream reads: the settings as fields, and what tells one input from another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...text.reading.fields import Fields


def fields_of(settings: Any) -> Fields:
    """Return which field of a record is what."""
    label = getattr(settings, "label", "label")
    return Fields(
        settings.text, settings.id, settings.title, label, settings.no_title is not True, settings.html == "keep"
    )


def strip_of(settings: Any) -> list[str]:
    """Return the parts of mails to leave out."""
    return [part.strip() for part in (settings.strip or "").split(",") if part.strip()]


def identity(docs: Path) -> list[int]:
    """Return what changes with an input: how many files it has, their bytes, and the latest change; [] for a pipe."""
    if str(docs) == "-":
        return []
    paths = [docs]
    if docs.is_dir():
        paths = [Path(place, name) for place, _, names in os.walk(docs) for name in names]
    found = []
    for path in paths:
        try:
            found.append(path.stat())
        except OSError:
            continue  # reading it says why
    return [len(found), sum(each.st_size for each in found), max((each.st_mtime_ns for each in found), default=0)]
