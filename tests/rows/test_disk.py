"""Rows in a folder of shards: the same numbers as in memory, and plain words for every way in which files go wrong."""

import errno
import json

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.errors import InputError, OutputError
from outgroup.rows import OneHot, as_rows
from outgroup.rows.disk import DiskRows
from outgroup.rows.shards import MANIFEST, ShardWriter
from outgroup.rows.sparse import SparseRows


def matrix(n=50, d=12, seed=0):
    rng = np.random.default_rng(seed)
    return sp.csr_matrix(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3), dtype=np.float32)


def written(path, X, entries=40, step=7):
    writer = ShardWriter(path, X.shape[1], entries=entries)
    for first in range(0, X.shape[0], step):
        writer.append(X[first : first + step])
    return DiskRows(writer.close())


@pytest.fixture
def pair(tmp_path):
    X = matrix()
    return written(tmp_path / "rows", X), as_rows(X)


def weigh(scores, state):
    return scores * state[:, None], float(state.sum())


@pytest.mark.parametrize("on", [None, np.array([0, 3, 30, 49]), np.array([], dtype=int), np.arange(20, 31)])
def test_passes_are_those_in_memory(pair, on):
    disk, memory = pair
    W, state = np.random.default_rng(1).normal(size=(3, 12)), np.linspace(0, 1, 50)
    assert disk.shape == memory.shape
    assert len(disk._shards) > 3
    for verb in ("fold", "map"):
        rule = weigh if verb == "fold" else lambda scores, state: (scores[:, 0], state)
        for found, wanted in zip(
            getattr(disk, verb)(W, rule, state, on=on), getattr(memory, verb)(W, rule, state, on=on), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_sums_of_clusters_products_lengths_and_rows(pair):
    disk, memory = pair
    labels = np.arange(50) % 4 - 1
    rule = lambda _, own: (OneHot(own, 3), 0)  # noqa: E731
    np.testing.assert_allclose(disk.fold(None, rule, labels)[0], memory.fold(None, rule, labels)[0], rtol=1e-6)
    index = np.array([40, 2, 2, 17])
    assert np.array_equal(disk.take(index), memory.take(index))
    x = memory.take([5])[0]
    np.testing.assert_allclose(disk.correlate(x), memory.correlate(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(disk.squares(), (memory.take(np.arange(50)).astype(float) ** 2).sum(axis=1), rtol=1e-6)
    assert disk.local() is None


def test_an_interrupted_writer_is_gone_on_with(tmp_path):
    X, about = matrix(), {"source": "a"}
    first = ShardWriter(tmp_path / "rows", 12, entries=40, about=about)
    first.append(X[:30])
    assert first.n_rows == 30  # and here the process dies: no close
    assert not (tmp_path / "rows").exists()
    second = ShardWriter(tmp_path / "rows", 12, entries=40, about=about)
    assert second.n_rows == 30
    second.append(X[30:])
    rows = DiskRows(second.close())
    assert np.array_equal(rows.take(np.arange(50)), X.toarray())
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows"]


@pytest.mark.parametrize("said", [(errno.ENOSPC, "No space left on device"), ("9 requested and 2 written",)])
def test_a_full_disk_keeps_what_is_written(tmp_path, monkeypatch, said):
    def full(*_, **__):
        raise OSError(*said)

    writer = ShardWriter(tmp_path / "rows", 12, entries=40)
    writer.append(matrix()[:30])
    with monkeypatch.context() as patch:
        patch.setattr(np, "save", full)
        with pytest.raises(OutputError, match=r"No space left.*30 rows are saved"):
            writer.append(matrix()[30:])
    assert ShardWriter(tmp_path / "rows", 12, entries=40).n_rows == 30


def test_a_finished_folder_is_not_written_over(pair):
    with pytest.raises(OutputError, match="exists"):
        ShardWriter(pair[0]._folder, 12)


def damage_cut(folder):
    path = folder / "00001.data.npy"
    path.write_bytes(path.read_bytes()[:-8])


def damage_change(folder):
    path = folder / "00001.data.npy"
    path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\x41")


def damage_missing(folder):
    (folder / "00001.indices.npy").unlink()


def damage_object(folder):
    np.save(folder / "00001.data.npy", np.array([{}]), allow_pickle=True)


@pytest.mark.parametrize(
    ("damage", "word"),
    [(damage_cut, "damaged|changed"), (damage_change, "changed"), (damage_missing, "read"), (damage_object, "damaged")],
)
def test_a_broken_shard_is_named(pair, damage, word):
    disk, _ = pair
    damage(disk._folder)
    with pytest.raises(InputError, match=rf"00001\.\w+\.npy.*({word})|({word}).*00001"):
        disk.map(np.ones((1, 12)), lambda scores: scores)


@pytest.mark.parametrize(
    "change", [{"format": "x"}, {"shards": [{}]}, {"features": -1}, {"shards": 3}, {"dtype": "object"}, {"shards": []}]
)
def test_a_forged_manifest_is_refused(pair, change):
    folder = pair[0]._folder
    manifest = json.loads((folder / MANIFEST).read_text()) | change
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"damaged|contains no rows"):
        DiskRows(folder).take([0])


def test_a_name_cannot_lead_out_of_the_folder(pair):
    folder = pair[0]._folder
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["shards"][0]["name"] = "../../etc"
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="damaged"):
        DiskRows(folder)


def test_a_folder_without_rows_and_rows_of_another_width(tmp_path):
    with pytest.raises(InputError, match="contains no rows"):
        DiskRows(tmp_path)
    with pytest.raises(InputError, match="do not match"):
        ShardWriter(tmp_path / "rows", 3).append(matrix())


def dense(scores):
    return scores, 0.0


@pytest.mark.parametrize("spoil", [None, "cut", "changed", "gone"])
def test_rows_by_terms_are_written_once_and_made_again_where_they_are_spoilt(tmp_path, monkeypatch, spoil):
    X, W = matrix(), np.random.default_rng(1).normal(size=(3, 12))
    disk = written(tmp_path / "rows", X)
    wanted = disk.fold(W, dense)[0]
    place = tmp_path / "rows" / "terms"
    assert len(list(place.glob("*.json"))) == len(disk._shards)
    damaged = place / "00001.data.npy"
    if spoil == "cut":
        damaged.write_bytes(damaged.read_bytes()[:-4])
    elif spoil == "changed":
        damaged.write_bytes(damaged.read_bytes()[:-4] + b"abcd")
    elif spoil == "gone":
        damaged.unlink()
    made = []
    transposed = SparseRows._transposed
    monkeypatch.setattr(SparseRows, "_transposed", lambda self: made.append(1) or transposed(self))
    assert np.array_equal(DiskRows(tmp_path / "rows").fold(W, dense)[0], wanted)
    assert len(made) == (spoil is not None)
