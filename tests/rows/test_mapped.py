"""Rows in files: an error names the damaged file; the contract of all rows has the numbers."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from outgroup.errors import InputError
from outgroup.rows.mapped import ABOUT, read_rows, write_rows


def matrix(n=50, d=12, seed=0):
    rng = np.random.default_rng(seed)
    return sp.csr_matrix(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3), dtype=np.float32)


def written(path, X, step=7):
    return write_rows(path, (X[first : first + step] for first in range(0, X.shape[0], step)))


@pytest.fixture
def rows(tmp_path):
    return written(tmp_path / "rows", matrix())


def changed(name, change):
    """Return what writes a file anew from its bytes."""
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (changed("data.npy", lambda raw: raw[:-8]), "damaged|changed"),
        (changed("data.npy", lambda raw: raw[:-4] + b"\0\0\0\x41"), "changed"),
        (lambda folder: (folder / "indices.npy").unlink(), "read"),
        (lambda folder: np.save(folder / "data.npy", np.array([{}]), allow_pickle=True), "damaged"),
        (lambda folder: np.save(folder / "indices.npy", np.arange(9)), "damaged"),
    ],
)
def test_a_damaged_file_is_named(rows, tmp_path, damage, word):
    damage(tmp_path / "rows" / "000001")
    with pytest.raises(InputError, match=rf"000001.\w+\.npy.*({word})|({word}).*000001"):
        rows.map(np.ones((1, 12)), lambda scores: scores)


@pytest.mark.parametrize(
    "change", [{"shape": [7]}, {"shape": [7, -1]}, {"crc32": {}}, {"dtype": "object"}, {"shape": 3}]
)
def test_a_forged_header_is_refused(rows, tmp_path, change):
    path = tmp_path / "rows" / "000000" / ABOUT
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match="damaged"):
        read_rows(tmp_path / "rows")
