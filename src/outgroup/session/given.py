"""Groups of another method: a session can start from their labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..decisions.base import name_of
from ..errors import InputError
from ..storage.json_values import are_numbers
from ..text.texts import is_missing
from ..types import Array

NONE = "-1"
"""The label of a document that is in no group, as HDBSCAN and BERTopic write it."""


GivenGroups = tuple[Array, Mapping[int, str]]
"""The group number of each document, (n,) int32, -1 for off-topic, and the names of named groups."""


def given_groups(labels: Any, n: int) -> GivenGroups:
    """Return the groups of n labels, integers or strings; strings become names, in alphabetical order.

    Raises InputError if there are not n labels, one is missing or not valid, or no document has a group.

    >>> given_groups([4, -1, 4.0, "0"], 4)
    (array([ 4, -1,  4,  0], dtype=int32), {})
    >>> given_groups(["tea", "-1", "bread"], 3)[1]
    {0: 'bread', 1: 'tea'}
    """
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"labels={labels!r:.60} is not valid: give one label per document, {n} in all")
    values = list(labels)
    if len(values) != n:
        raise InputError(f"there are {len(values)} labels for {n} documents: give one label per document")
    texts = [_label(value, row) for row, value in enumerate(values)]
    kinds = sorted({*texts} - {NONE})
    if not kinds:
        raise InputError("no document is in a group: give at least one label other than -1")
    names: dict[int, str] = {}
    if all(re.fullmatch(r"\d{1,9}", kind) for kind in kinds):
        number_of = {kind: int(kind) for kind in kinds}
        numbers = sorted({*number_of.values()})
        if not are_numbers(numbers, len(numbers)):
            raise InputError(
                f"the label {numbers[-1]} is too large for {len(numbers)} groups: give small numbers, or strings "
                "as names"
            )
    else:
        number_of = {kind: number for number, kind in enumerate(kinds)}
        names = {number: name_of(kind, "labels") for kind, number in number_of.items()}
    number_of[NONE] = -1
    return np.array([number_of[kind] for kind in texts], dtype=np.int32), names


def _label(value: Any, row: int) -> str:
    """Return a label as text, "3" for 3.0; raise InputError if it is missing or not valid."""
    if np.ndim(value) == 0 and not is_missing(value):
        is_integer = isinstance(value, Real) and float(value).is_integer()
        text = re.sub(r"^(-?\d+)\.0+$", r"\1", str(int(value) if is_integer else value).strip())
        wrong = r"-\d+|-?\d*\.\d+" if isinstance(value, str) else r"(?!\d{1,9}$).*"
        if text and text != NONE and isinstance(value, str | Real) and re.fullmatch(wrong, text):
            raise InputError(f"the label {value!r:.60} of document {row} is not valid: give whole numbers from -1")
        if text:
            return text
    raise InputError(f"document {row} has no label ({value!r:.60}): give its group, or -1 if it belongs to none")
