"""What decisions came to, by ids, as plain values for files, and read from them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import InputError
from ...model.saved_fields import are_numbers
from ...steering.decisions.checks import SOURCES
from ..state import Label, Pair


def to_plain(
    *, numbers: Iterable[int], names: Mapping[int, str], pins: Mapping[str, Label], words: Mapping[str, Label],
    away: Iterable[str], ignored: Iterable[str], weights: Mapping[int, float], apart: Iterable[Pair],
) -> dict[str, Any]:  # fmt: skip
    """Return them as plain values, ready for JSON."""
    return {
        "numbers": list(numbers),
        "names": {str(number): name for number, name in names.items()},
        "pins": {each: _plain_label(label) for each, label in pins.items()},
        "words": {each: [label.group, label.weight] for each, label in words.items()},
        "away": sorted(away),
        "weights": {str(number): weight for number, weight in weights.items()},
        "ignored": sorted(ignored),
        "apart": sorted(sorted(pair) for pair in apart),
    }


def _plain_label(label: Label) -> list[Any]:
    usual = label.source == Label.source
    return [label.group, label.weight] if usual else [label.group, label.weight, label.source]


def from_plain(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `to_plain` was given, by name; raises an error for other values."""
    if not are_numbers(content["numbers"], len(content["numbers"])):
        raise InputError("its numbers of groups are not different whole numbers without large gaps")
    numbers = tuple(content["numbers"])
    return {
        "numbers": numbers,
        "names": {int(number): str(name) for number, name in content["names"].items()},
        "pins": _labels(content["pins"], {*numbers}),
        "words": _labels(content["words"], {*numbers}),
        "away": frozenset(map(str, content["away"])),
        "ignored": frozenset(map(str, content["ignored"])),
        "weights": _weights(content.get("weights", {}), {*numbers}),
        "apart": _pairs(content.get("apart", ()), {*numbers}),
    }


def _pairs(content: Iterable[Iterable[Any]], known: set[int]) -> frozenset[Pair]:
    found = frozenset(frozenset(map(int, pair)) for pair in content)
    if any(len(pair) != 2 or not pair <= known for pair in found):
        raise InputError("a group that there is not is parted from another")
    return found


def _weights(content: Mapping[str, Any], known: set[int]) -> dict[int, float]:
    found = {int(number): float(weight) for number, weight in content.items()}
    if not found.keys() <= known or any(not 0 < weight < float("inf") for weight in found.values()):
        raise InputError("a group that there is not has a weight, or a weight is no number above 0")
    return found


def _labels(content: Mapping[str, Any], known: set[int]) -> dict[str, Label]:
    found = {
        str(each): Label(int(group), float(weight), *map(str, source))
        for each, (group, weight, *source) in content.items()
    }
    if any(label.group not in known or not label.weight > 0 or label.source not in SOURCES for label in found.values()):
        raise InputError("a label names an unknown group or source, or its weight is not above 0")
    return found
