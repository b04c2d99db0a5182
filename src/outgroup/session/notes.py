"""Warnings of a fit as notes of the version that it makes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import InputError


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """Take warnings as notes: what a version has to say, it carries. Where no version comes, they stay warnings."""
    notes: list[str] = []
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield notes
    except InputError:
        for each in caught:
            warnings.warn(each.message, stacklevel=3)
        raise
    notes += [str(each.message) for each in caught]
