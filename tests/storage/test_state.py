"""A model on disk: the same bytes for the same state, and nothing forged takes memory before it is refused."""

import io
import json
import os
import tracemalloc
import zipfile

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
    assert sorted(os.listdir(tmp_path)) == ["arrays.npz", "model.json"]


def test_equal_states_are_equal_bytes(tmp_path):
    for name, state in {"a": STATE, "b": dict(reversed(STATE.items()))}.items():
        (tmp_path / name).mkdir()
        storage.write(tmp_path / name, state)
    for name in ("model.json", "arrays.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def forged(folder, packed, state=None):
    """Write a model of these packed arrays with a right checksum."""
    content = {"format": "outgroup-model", "version": 1, "made_by": "x", "state": state or {"a": {"array": "a"}}}
    content["sha256"] = storage._digest(content, packed)
    (folder / "arrays.npz").write_bytes(packed)
    (folder / "model.json").write_text(json.dumps(content))


def header(shape, dtype="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def archive(entries, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, raw in entries.items():
            file.writestr(name, raw)
    return stream.getvalue()


def overlapping():
    """A zip file whose entries are all one and the same: each as long as the file, and all of them a thousand times."""
    packed = bytearray(archive({f"{i:04}.npy": header((100,)) + bytes(800) for i in range(1000)}))
    first = packed.index(b"PK\x01\x02")
    end = packed.rindex(b"PK\x05\x06")
    at = first
    while at < end:
        packed[at + 42 : at + 46] = bytes(4)  # where the entry lies: all of them first
        at += 46 + 8
    return bytes(packed[: 1000 + len(header((100,)))] + packed[first:])


FORGED = {
    "compressed": (archive({"a.npy": header((500_000_000,)) + bytes(4_000_000)}, zipfile.ZIP_DEFLATED), "compressed"),
    "too short": (archive({"a.npy": header((500_000_000,))}), "another length"),
    "longer than a number": (archive({"a.npy": header((0, 10**30))}), "damaged"),
    "of objects": (archive({"a.npy": header((2,), "|O") + bytes(16)}), "another length"),
    "overlapping": (overlapping(), "damaged"),
}


@pytest.mark.parametrize("name", FORGED)  # not the bytes: an archive tells the time, and a test's name must not
def test_a_forged_file_is_refused_before_memory_is_taken(tmp_path, name):
    packed, words = FORGED[name]
    forged(tmp_path, packed)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=words):
            storage.read(tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(packed) + 1_000_000
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
