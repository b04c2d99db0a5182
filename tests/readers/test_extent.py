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
from factories import write, zipped

from outgroup.readers.fields import Fields
from outgroup.readers.inputs import Extent, extent

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


def test_parquet_says_it_exactly_of_the_columns_that_are_read(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra io")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = pyarrow.Table.from_pylist([each | {"vector": [0.5] * 50} for each in RECORDS])
    parquet.write_table(rows, tmp_path / "a.parquet", row_group_size=3000, use_dictionary=False)
    found = extent(tmp_path / "a.parquet", Fields())
    assert found.documents == N
    assert found.size == pytest.approx(sum(len(each["id"]) + len(each["text"]) + 8 for each in RECORDS), rel=0.05)


def test_a_folder_has_its_files_and_those_of_archives_in_it(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x" * 30)
    assert extent(tmp_path, Fields()) == Extent(4, 120)
    write(tmp_path / "a.zip", zipped({"b.txt": "x" * 50, "c.txt": "x" * 50}))
    assert extent(tmp_path, Fields()) == Extent(6, 220)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"PK no archive"),
        lambda path: None,
        lambda path: path.write_bytes(gzip.compress(LINES)[:2000]),
    ],
)
@pytest.mark.parametrize("name", ["a.zip", "a.parquet", "a.jsonl.gz", "a.xlsx", "a.bin"])
def test_what_cannot_be_looked_at_is_no_error(tmp_path, write, name):
    """Reading it says why."""
    write(tmp_path / name)
    assert extent(tmp_path / name, Fields()).documents <= 1
