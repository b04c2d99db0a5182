"""A model on disk: what was written is read, and nothing forged takes memory before it is refused."""

import json
import os
import tracemalloc

import numpy as np
import pytest

from outgroup.errors import ModelError
from outgroup.storage import state as storage

STATE = {
    "numbers": np.arange(6.0).reshape(2, 3),
    "by columns": np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    "other end": np.arange(3, dtype=">f8"),
    "none": np.zeros((0, 4), dtype=np.float32),
    "truth": np.array([True, False]),
    "infinite": float("inf"),
    "list": [1, "two", None, {"three": np.float32(3)}, (4, np.int64(5))],
}


def same(one, other):
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and one.dtype.newbyteorder("=") == other.dtype and (one == other).all()
    return one == other


def test_what_was_written_is_read(tmp_path):
    storage.write(tmp_path, STATE)
    found = storage.read(tmp_path)
    assert found.keys() == STATE.keys()
    assert all(same(STATE[name], found[name]) for name in STATE if name != "list")
    assert found["list"] == [1, "two", None, {"three": 3.0}, [4, 5]]
    assert found["numbers"].flags.writeable
    assert sorted(os.listdir(tmp_path)) == ["arrays.bin", "model.json"]


def forged(folder, raw, *arrays):
    """Write a model of arrays with these descriptions and bytes, with a valid checksum."""
    state = {f"a{number}": {"array": each} for number, each in enumerate(arrays)}
    content = {"format": "outgroup-model", "version": 1, "made_by": "x", "state": state}
    content["sha256"] = storage._digest(content, raw)
    (folder / "arrays.bin").write_bytes(raw)
    (folder / "model.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("arrays", "raw"),
    [
        ([["<f8", 500_000_000]], b""),
        ([["<f8", 2]], bytes(15)),
        ([["<f8", 0, 10**30]], b""),
        ([["<f8", 10**30]], bytes(99)),
        ([["<f8", -1]], bytes(8)),
        ([["<f8", 1.0]], bytes(8)),
        ([["<f8", True]], bytes(8)),
        ([["|O8", 2]], bytes(16)),
        ([["<U2", 1]], bytes(8)),
        ([["(9,)f8", 1]], bytes(72)),
        ([["<f8,<f8", 1]], bytes(16)),
        ([["<f3", 1]], bytes(8)),
        ([[8, 1]], bytes(8)),
        ([3], bytes(8)),
        ([[]], bytes(8)),
        ([{"a": 1}], bytes(8)),
        ([["<f8", 100]] * 1000, bytes(800)),
    ],
)
def test_a_forged_array_is_refused_before_memory_is_taken(tmp_path, arrays, raw):
    forged(tmp_path, raw, *arrays)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="damaged"):
            storage.read(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 1_500_000
    finally:
        tracemalloc.stop()


RECORD = {"format": "outgroup-model", "version": 1, "made_by": "outgroup 0.1.0", "state": {}, "sha256": ""}


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "{}",
        "[]",
        *(json.dumps(RECORD | {name: None}) for name in RECORD),
        *(json.dumps(RECORD | {"version": version}) for version in ("1", True, 1.0)),
    ],
)
def test_json_that_is_no_model_is_refused(tmp_path, content):
    storage.write(tmp_path, STATE)
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(ModelError, match=r"damaged|not a model"):
        storage.read(tmp_path)


def test_a_model_of_a_newer_version_names_who_made_it(tmp_path):
    storage.write(tmp_path, STATE)
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["made_by"].startswith("outgroup ")
    (tmp_path / "model.json").write_text(json.dumps(content | {"version": 2, "made_by": "outgroup 9.9"}))
    with pytest.raises(ModelError, match=r"by a newer version \(outgroup 9\.9\); update outgroup"):
        storage.read(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps(content | {"sha256": "0"}))
    with pytest.raises(ModelError, match="checksum is wrong"):
        storage.read(tmp_path)
