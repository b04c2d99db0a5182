"""One document as read, or why it was not; and the limit that keeps memory bounded."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_DOCUMENT = 50_000_000
"""Bytes of a file, or characters of a line or cell: a longer document is skipped by name, never loaded."""


@dataclass(frozen=True)
class Skip:
    """A document that was left out.

    Parameters
    ----------
    where : str
        Its path in the folder, its id, or its line. It comes from the input: escape it wherever it is shown.
    reason : str
        Why, in plain words.
    """

    where: str
    reason: str


@dataclass(frozen=True)
class Document:
    """A document as it stands in its source: `label` is None where it has none; `where` names it when it is skipped."""

    where: str
    id: str
    text: str
    title: str
    label: str | None
