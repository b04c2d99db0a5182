"""How large a collection is, before it is read: near the truth for every kind of file, and no error."""

import csv
import gzip
import json
import lzma
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from outgroup.readers.fields import Fields
from outgroup.readers.inputs import extent

N = 20_000
RNG = np.random.default_rng(0)
RECORDS = [{"id": f"d{i}", "text": " ".join(map(str, RNG.integers(0, 99999, 1 + i % 60)))} for i in range(N)]
LINES = "".join(json.dumps(each) + "\n" for each in RECORDS).encode()


def table():
    file = StringIO()
    csv.DictWriter(file, ["id", "text"]).writerows([{"id": "id", "text": "text"}, *RECORDS])
    return file.getvalue().encode()


def about(found, documents, size):
    return found.documents == pytest.approx(documents, rel=0.05) and found.size == pytest.approx(size, rel=0.05)


@pytest.mark.parametrize(
    ("name", "content", "size"),
    [
        ("a.jsonl", LINES, len(LINES)),
        ("a.json", json.dumps(RECORDS).encode(), len(LINES)),
        ("a.csv", table(), len(table())),
        ("a.txt", LINES, len(LINES)),
        ("a.txt.gz", LINES, len(LINES)),
        ("a.jsonl.gz", LINES, len(LINES)),
        ("a.jsonl.xz", LINES, len(LINES)),
    ],
)
def test_records_are_counted_by_a_megabyte_at_the_beginning(tmp_path, name, content, size):
    pack = {".gz": gzip.compress, ".xz": partial(lzma.compress, preset=0)}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack(content))
    assert about(extent(tmp_path / name, Fields()), N, size)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK no archive"),
        lambda path: None,
        lambda path: path.write_bytes(gzip.compress(LINES)[:2000]),
    ],
)
@pytest.mark.parametrize("name", ["a.zip", "a.parquet", "a.jsonl.gz"])
def test_what_cannot_be_looked_at_is_no_error(tmp_path, write, name):
    """Reading it says why."""
    write(tmp_path / name)
    assert extent(tmp_path / name, Fields()).documents <= 1
