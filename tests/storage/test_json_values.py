"""Checks of plain values against declared types, and the names of their wrong fields."""

import json
import os
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest

from outgroup.errors import InputError
from outgroup.storage.json_values import Count, GroupKey, checked, fits, parse_json, parse_toml, read_json, read_toml


class Part(TypedDict):
    name: str
    weights: NotRequired[list[float]]


class Whole(TypedDict):
    format: Literal["whole"]
    counts: dict[GroupKey, Count]
    parts: list[Part] | None
    pairs: NotRequired[dict[str, tuple[int, str]]]
    documents: NotRequired[Annotated[list[str], len]]


WHOLE = {
    "format": "whole",
    "counts": {"0": 3},
    "parts": [{"name": "a", "weights": [1, 0.5]}],
    "pairs": {"d1": [1, "x"]},
    "documents": ["d1"],
}


@pytest.mark.parametrize("change", [{}, {"parts": None}, {"counts": {}}, {"a field of a later version": 3}])
def test_a_valid_value_is_returned_unchanged(change):
    assert parse_json(json.dumps(WHOLE | change), Whole) == WHOLE | change


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": "other"}, "format"),
        ({"counts": [3]}, "counts"),
        ({"counts": {"x": 3}}, "counts.x"),
        ({"counts": {"0": True}}, "counts.0"),
        ({"counts": {"0": -1}}, "counts.0"),
        ({"parts": [None]}, "parts.0"),
        ({"parts": [{"name": "a"}, {}]}, "parts.1.name"),
        ({"parts": [{"name": "a", "weights": [1, float("nan")]}]}, "parts.0.weights.1"),
        ({"pairs": {"d1": [1, None]}}, "pairs.d1.1"),
        ({"documents": []}, "documents"),
    ],
)
def test_the_first_wrong_field_is_named(change, field):
    assert not fits(WHOLE | change, Whole)
    with pytest.raises(ValueError, match=f"'{field}'"):
        checked(WHOLE | change, Whole)


@pytest.mark.parametrize("key", ["{}", "[{}]", "[[{}]]", "x = {{ {} = 1 }}", "x = [ {{ {} = 1 }} ]"])
@pytest.mark.parametrize("part", ["a.", "a . ", '"a".', "'.'.", '"\\"" .'])
def test_a_key_of_too_many_parts_is_refused(key, part):
    line = key.format(part * 500 + "b")
    with pytest.raises(ValueError, match="nested too deep"):
        parse_toml(line if "= 1" in line or line[0] == "[" else f"{line} = 1")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_an_endless_file_is_refused(tmp_path):
    (tmp_path / "a.toml").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"a\.toml has more than 100 MB"):
        read_toml(tmp_path / "a.toml")
    with pytest.raises(OSError, match="not a regular file"):
        read_json(tmp_path / "a.toml")
