"""How a stream reads: the settings as fields, and what tells one input from another."""

from __future__ import annotations

from typing import Any

from ...places import Place, every_file
from ...text.reading.fields import Fields


def fields_of(settings: Any) -> Fields:
    """Return which field of a record is what."""
    label = getattr(settings, "label", "label")
    join_title, keep_html = settings.no_title is not True, settings.html == "keep"
    roles = settings.text, settings.id, settings.title, label
    return Fields(*roles, join_title, keep_html, settings.encoding, settings.sheet)


def strip_of(settings: Any) -> list[str]:
    """Return the parts of mails to leave out."""
    return [part.strip() for part in (settings.strip or "").split(",") if part.strip()]


def identity(docs: Place) -> list[int]:
    """Return what changes with an input: how many files it has, their bytes, and when they changed; [] for a pipe."""
    if str(docs) == "-":
        return []
    found = []
    for path in every_file(docs):
        try:
            found.append(path.stat())
        except OSError:
            continue  # reading it says why
    return [len(found), sum(each.st_size for each in found), sum(each.st_mtime_ns for each in found)]
