"""Cells of the columns that stand beside a text, as a page shows them."""

from __future__ import annotations

from ..clean import clean

_WIDEST = 1000  # characters


def shown(value: str) -> str:
    """Return what is shown of a cell: a column may hold whole pages.

    >>> shown(" Ann "), len(shown("a" * 2000))
    ('Ann', 1001)
    """
    said = clean(value).strip()
    return said if len(said) <= _WIDEST else said[:_WIDEST] + "\u2026"
